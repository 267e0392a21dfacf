//! Every documented error code is answered over HTTP.

use std::collections::BTreeMap;

use serde_json::json;

use crate::harness::{Answer, Server};

/// The documented codes, with status and message. The message of 2003 is one of many, and that of 404 names the paths.
pub const CODES: [(u32, u16, &str); 23] = [
    (1167, 401, "API key is missing"),
    (1161, 401, "Invalid API key"),
    (89, 429, "Rate limit exceeded"),
    (2151, 404, "Not a valid reseller/enterprise id."),
    (1532, 404, "Business id is missing or invalid."),
    (1011, 404, "Business id is invalid"),
    (1027, 429, "Invalid business number."),
    (2003, 400, "businessNumbers are mandatory"),
    (1163, 400, "Invalid start index value"),
    (1164, 400, "Invalid result count value"),
    (1186, 400, "Invalid from date. Allowed format is \"MM/dd/yyyy\"."),
    (1187, 400, "Invalid to date. Allowed format is \"MM/dd/yyyy\"."),
    (1227, 400, "Invalid updated from date. Allowed format is MM/dd/yyyy"),
    (1228, 400, "Invalid updated to date. Allowed format is MM/dd/yyyy"),
    (2466, 400, "Invalid input request"),
    (5008, 400, "RequestBody not found"),
    (5043, 400, "Contact not found for the given request"),
    (20099, 400, "Text Communication categorisation is not enabled please use smsOptin flag"),
    (500, 500, "Internal server error"),
    (404, 404, "Not found"),
    (405, 405, "Method not allowed"),
    (413, 413, "Request body is too large"),
    (415, 415, "Unsupported media type"),
];

#[test]
fn the_codes_are_those_of_the_reference() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/api.md")).unwrap();
    let section = page.split("\n## ").find(|section| section.starts_with("2. ")).unwrap();
    let first_cell =
        |line: &str| line.strip_prefix("| ")?.split(" |").next()?.trim_matches('`').parse::<u32>().ok();
    let documented: Vec<u32> = section.lines().filter_map(first_cell).collect();
    assert_eq!(CODES.map(|(code, ..)| code).to_vec(), documented);
}

const SCENARIO: &str = "
standin: 1
name: all-codes
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys: [{key: k}, {key: once, rate_limit: 1 per 1m}]
businesses: [{number: 1, name: One, locations: [{number: 11, name: L}], contacts: [{id: 5, email: a@b.test}]}]
";

#[test]
fn every_code_except_500_is_answered_with_its_status_and_message() {
    let server = Server::of(&[("all-codes.yaml", SCENARIO)], &[]);
    let client = server.client().with_key("k");
    client.qna(1).key("once").send().ok();
    let body = |json: serde_json::Value| client.reviews(1).json(&json).send();
    let contact = |json: serde_json::Value| client.contact(1).json(&json).send();
    let insight = json!({"businessNumbers": [2], "startDate": "1/1/2026", "endDate": "1/1/2026"});
    let mut answers: BTreeMap<u32, Answer> = BTreeMap::from([
        (1167, client.qna(1).key("").send()),
        (1161, client.qna(1).key("x").send()),
        (89, client.qna(1).key("once").send()),
        (2151, client.benchmark(2).send()),
        (1532, client.contact(2).send()),
        (1011, client.qna(2).send()),
        (1027, client.benchmark(1).json(&insight).send()),
        (2003, client.benchmark(1).send()),
        (1163, client.reviews(1).query("sindex", "-1").send()),
        (1164, client.reviews(1).query("count", "-1").send()),
        (1186, body(json!({"fromDate": "x"}))),
        (1187, body(json!({"toDate": "x"}))),
        (1227, body(json!({"updateFromDate": "x"}))),
        (1228, body(json!({"updateToDate": "x"}))),
        (2466, client.qna(1).bytes("x").send()),
        (5008, client.contact(1).send()),
        (5043, contact(json!({"id": 6}))),
        (20099, contact(json!({"id": 5, "smsPreferences": {}}))),
        (404, client.call("POST", "/nope").send()),
        (405, client.call("GET", "/v1/qna/unanswered/get").send()),
        (413, client.qna(1).bytes(vec![b' '; (1 << 20) + 1]).send()),
        (415, client.qna(1).header("content-type", "text/plain").send()),
    ]);
    for (number, status, message) in CODES.into_iter().filter(|(number, ..)| *number != 500) {
        let answer = answers.remove(&number).unwrap_or_else(|| panic!("no call for {number}"));
        // It names the paths.
        let own = answer.json["message"].as_str().unwrap_or_default().to_owned();
        answer.refused(status, number, if number == 404 { &own } else { message });
    }
    assert!(answers.is_empty(), "{answers:?}");
}
