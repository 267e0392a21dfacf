//! Every row of the catalogue is reached over HTTP.

use std::collections::BTreeMap;

use serde_json::json;
use standin::api::error::{CATALOGUE, Code};

use crate::harness::{Answer, Server};

const SCENARIO: &str = "
standin: 1
name: all-codes
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys: [{key: k}, {key: once, rate_limit: 1 per 1m}]
businesses: [{number: 1, name: One, locations: [{number: 11, name: L}], contacts: [{id: 5, email: a@b.test}]}]
";

#[test]
fn every_row_but_500_is_reached_with_its_status_and_message() {
    let server = Server::of(&[("all-codes.yaml", SCENARIO)], &[]);
    let client = server.client().with_key("k");
    client.qna(1).key("once").send().ok();
    let body = |json: serde_json::Value| client.reviews(1).json(&json).send();
    let contact = |json: serde_json::Value| client.contact(1).json(&json).send();
    let insight = json!({"businessNumbers": [2], "startDate": "1/1/2026", "endDate": "1/1/2026"});
    let answers: Vec<(Code, Answer)> = vec![
        (Code::KeyMissing, client.qna(1).key("").send()),
        (Code::KeyInvalid, client.qna(1).key("x").send()),
        (Code::RateLimited, client.qna(1).key("once").send()),
        (Code::EnterpriseInvalid, client.benchmark(2).send()),
        (Code::BusinessMissing, client.contact(2).send()),
        (Code::BusinessInvalid, client.qna(2).send()),
        (Code::NumberInvalid, client.benchmark(1).json(&insight).send()),
        (Code::Validation, client.benchmark(1).send()),
        (Code::StartIndex, client.reviews(1).query("sindex", "-1").send()),
        (Code::Count, client.reviews(1).query("count", "-1").send()),
        (Code::FromDate, body(json!({"fromDate": "x"}))),
        (Code::ToDate, body(json!({"toDate": "x"}))),
        (Code::UpdateFromDate, body(json!({"updateFromDate": "x"}))),
        (Code::UpdateToDate, body(json!({"updateToDate": "x"}))),
        (Code::NotJson, client.qna(1).bytes("x").send()),
        (Code::NoBody, client.contact(1).send()),
        (Code::ContactUnknown, contact(json!({"id": 6}))),
        (Code::TextCategorisation, contact(json!({"id": 5, "smsPreferences": {}}))),
        (Code::NotFound, client.call("POST", "/nope").send()),
        (Code::Method, client.call("GET", "/v1/qna/unanswered/get").send()),
        (Code::TooLarge, client.qna(1).bytes(vec![b' '; (1 << 20) + 1]).send()),
        (Code::MediaType, client.qna(1).header("content-type", "text/plain").send()),
    ];
    let mut reached: BTreeMap<u32, &str> = BTreeMap::new();
    for (code, answer) in answers {
        let row = code.row();
        assert_eq!(answer.json["code"], row.number, "{}: {}", answer.call, answer.text());
        let message = if code == Code::NotFound {
            answer.json["message"].as_str().unwrap().to_owned()
        } else {
            row.message.to_owned()
        };
        answer.refused(row.status, row.number, &message);
        reached.insert(row.number, row.message);
    }
    let all: BTreeMap<u32, &str> = CATALOGUE
        .iter()
        .filter(|row| row.code != Code::Internal)
        .map(|row| (row.number, row.message))
        .collect();
    assert_eq!(reached, all);
}
