//! What each operation reads of a call and takes into account, one row for each condition: a call, where to look in its answer, and the
//! value there.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::api::call::{Body, Call};
use crate::api::dialect::Dialect;
use crate::api::error::Code;
use crate::journal::entry::Entry;
use crate::ledger::Full;
use crate::ledger::subscriptions::Subscription;
use crate::memory;
use crate::operations::ALL;
use crate::operations::spec::full;
use crate::pipeline;
use crate::pipeline::receive::receive;
use crate::tests::harness::{Request, ScenarioFolder, serve};

const SCENARIO: &str = "
standin: 1
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys: [{key: k, accounts: [1]}]
businesses:
  - number: 1
    name: One
    levels: [Region]
    competitors: [2]
    contacts:
      - {id: 71, email: mail@one.test, externalId: by mail}
      - {id: 72, phone: 415 555 0102, externalId: by phone}
      - {id: 73, externalId: by neither}
    locations:
      - number: 11
        name: North
        levels: {Region: Up}
        reviews:
          - {rating: 5, date: 2026-03-01}
          - {rating: 1, date: 2026-03-01, source: yelp}
          - {rating: 3, date: 2026-01-31}
          - {rating: 3, date: 2026-04-02}
        questions:
          - {id: 501, question: Open on Sunday?, date: 2026-03-01}
          - {id: 502, question: Open on Monday?, date: 2026-03-01, answers: [{answer: Yes., owner: true}]}
      - {number: 12, name: South, questions: [{id: 503, question: Parking?, date: 2026-03-01}]}
  - number: 2
    name: Rival
    locations:
      - number: 21
        name: R
        reviews: [{rating: 4, date: 2026-03-01}, {rating: 1, date: 2026-01-31}, {rating: 2, date: 2026-04-02}]
  - {number: 3, name: Other, competitors: [4], locations: [{number: 31, name: O}]}
  - {number: 4, name: Rival of the other, locations: [{number: 41, name: S}]}
webhooks:
  events: {review.created: {}}
  timeline: [{after: contact, event: conversation.created, conversation: c1}]
";

const LOCATIONS: &str = "/v1/insight/sentiment/locationInfo";
const BENCHMARK: &str = "/v1/insight/sentiment/scoreBenchmark";
const CONTACT: &str = "/v1/contact/external/preferences/saveCustomer";
const SUBSCRIBE: &str = "/v1/messenger/subscribe/webhook/event";
const QNA: &str = "/v1/qna/unanswered/get";

/// The status of the answer, its body, and the detail that its header gives.
fn answer(folder: &ScenarioFolder, path: &'static str, query: &str, body: &Value) -> Value {
    let request = Request::new(path, query, body).header("x-business-number", "1");
    let reply = request.send(&folder.registry, "a").reply;
    let detail = reply.headers.iter().find(|(name, _)| *name == "x-standin-detail");
    let body: Value = serde_json::from_slice(&reply.body).unwrap();
    json!({"status": reply.status, "body": body, "detail": detail.map(|(_, value)| value.to_string())})
}

/// Checks each row on a world of its own, and reports all that are wrong.
fn check(rows: &[(&'static str, &str, Value, &str, Value)]) {
    let mut wrong = String::new();
    for (path, query, body, pointer, expected) in rows {
        let answer = answer(&serve(SCENARIO), path, query, body);
        if answer.pointer(pointer) != Some(expected) {
            let _ = writeln!(wrong, "{path}?{query} {body}\n  {pointer} of {answer}\n  is not {expected}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A call of an operation of sentiment about March, with those members besides.
fn march(members: &Value) -> Value {
    let mut body = json!({"businessNumbers": [11], "startDate": "02/01/2026", "endDate": "04/01/2026", "userEmail": "a@b.test"});
    for (name, value) in members.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

#[test]
fn every_filter_of_the_scores_counts() {
    let (mentions, score) = ("/body/dataPoints/0/mentions", "/body/actual/score");
    let mut rows = Vec::new();
    for (members, expected_mentions, expected_score) in [
        (json!({}), 2, 52.5),
        (json!({"ratings": ["5"]}), 1, 95.0),
        (json!({"reviewSources": ["yelp"]}), 1, 10.0),
        (json!({"startDate": "01/31/2026"}), 3, 53.3),
        (json!({"endDate": "04/02/2026"}), 3, 53.3),
    ] {
        rows.push((LOCATIONS, "", march(&members), mentions, json!(expected_mentions)));
        rows.push((BENCHMARK, "", march(&members), score, json!(expected_score)));
    }
    // The industry is that of the competitor's reviews on these days, whatever their stars.
    let industry = "/body/actual/industryScore";
    for (members, expected) in [
        (json!({"ratings": ["5"], "reviewSources": ["yelp"]}), 80.0),
        (json!({"startDate": "01/31/2026"}), 45.0),
        (json!({"endDate": "04/02/2026"}), 55.0),
    ] {
        rows.push((BENCHMARK, "", march(&members), industry, json!(expected)));
    }
    let by_region = march(&json!({"groupByLevel": "Region"}));
    rows.push((LOCATIONS, "", by_region, "/body/dataPoints/0/name", json!("Up")));
    let by_nothing = march(&json!({"groupByLevel": "Country"}));
    rows.push((LOCATIONS, "", by_nothing, "/body/code", json!(2003)));
    let both = march(&json!({"businessNumbers": [1]}));
    for (order, first) in
        [("sort-order=0", "North"), ("sort-order=1", "South"), ("sort-by=sentiment-score", "South")]
    {
        rows.push((LOCATIONS, order, both.clone(), "/body/dataPoints/0/name", json!(first)));
    }
    for (count, status) in [(100, 200), (101, 400)] {
        let numbers = march(&json!({"businessNumbers": vec![11; count]}));
        rows.push((BENCHMARK, "", numbers, "/status", json!(status)));
    }
    check(&rows);
}

#[test]
fn every_check_of_a_contact_counts() {
    let (status, code, detail) = ("/status", "/body/code", "/detail");
    let with = |members: Value| {
        let mut body = json!({"email": "new@one.test", "businessIds": [11]});
        body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        body
    };
    let kind =
        |kind: &str| with(json!({"customFields": [{"fieldName": "F", "type": kind, "fieldValue": "soon"}]}));
    check(&[
        // What is stored identifies the contact as well, whichever of the two it is.
        (CONTACT, "", json!({"externalId": "by mail"}), "/body/id", json!(71)),
        (CONTACT, "", json!({"externalId": "by phone"}), "/body/id", json!(72)),
        (CONTACT, "", json!({"externalId": "by neither"}), code, json!(2003)),
        (CONTACT, "", with(json!({"countryCode": "CA"})), status, json!(200)),
        (CONTACT, "", with(json!({"countryCode": "XX"})), code, json!(2003)),
        (CONTACT, "", with(json!({"businessIds": [1, 12]})), status, json!(200)),
        (CONTACT, "", with(json!({"businessIds": []})), code, json!(1532)),
        (CONTACT, "", with(json!({"businessIds": [2]})), code, json!(1532)),
        (CONTACT, "", with(json!({"businessIds": [21]})), code, json!(1532)),
        (CONTACT, "", with(json!({"businessIds": [99]})), code, json!(1532)),
        (CONTACT, "", kind("text"), status, json!(200)),
        (
            CONTACT,
            "",
            kind("colour"),
            detail,
            json!("customFields[0].type: colour is not one of text, number, currency, date, yes/no"),
        ),
        (CONTACT, "", kind("number"), detail, json!("customFields[0].fieldValue: soon is not a number")),
    ]);
}

#[test]
fn a_contact_is_stored_with_its_businesses_and_known_to_journal_and_events() {
    let folder = serve(SCENARIO);
    let run = folder.registry.default_world().run();
    run.ledger().subscribe(Subscription::of(&["conversation.created"], "http://127.0.0.1:9/")).unwrap();
    // The address is that of one contact, the telephone that of another.
    let body = json!({"email": "mail@one.test", "phone": "415 555 0102", "businessIds": [12, 1]});
    let request = Request::new(CONTACT, "", &body).header("x-business-number", "1");
    let outcome = request.send(&folder.registry, "a");
    let stored = run.ledger().contacts.written(1);
    assert_eq!((stored[0].id, stored[0].business_ids.as_slice()), (71, &[12, 1][..]));
    let entry: &Entry = outcome.handled.as_ref().unwrap().entry.as_ref().unwrap();
    assert!(
        entry.facts.notes.iter().any(|note| note.contains("belong to contact 72")),
        "{:?}",
        entry.facts.notes
    );
    let deliveries = run.deliveries(|_| true, 0..10).page;
    let payload: Value = serde_json::from_slice(&deliveries[0].event.payload().unwrap()).unwrap();
    assert_eq!(payload["data"]["contact"]["id"], 71, "{payload}");
}

#[test]
fn the_other_operations_check_what_they_are_asked() {
    let (code, count) = ("/body/code", "/body/totalCount");
    let subscribe = |event: &str| json!({"apiKey": "k", "businessNumber": 1, "events": [event], "endpoint": "http://a.test/"});
    check(&[
        (QNA, "businessId=1", json!({}), count, json!(2)),
        (QNA, "businessId=11", json!({}), "/body/questionsAndAnswers/0/questionId", json!(501)),
        (QNA, "businessId=11", json!({}), count, json!(1)),
        (QNA, "businessId=1", json!({"startIndex": 99_999, "pageSize": 1}), count, json!(2)),
        (QNA, "businessId=1", json!({"startIndex": 99_999, "pageSize": 2}), code, json!(1163)),
        ("/v1/review/businessId/2", "isCompetitor=true", json!({}), "/status", json!(200)),
        ("/v1/review/businessId/4", "isCompetitor=true", json!({}), code, json!(1011)),
        ("/v1/review/businessId/3", "isCompetitor=true", json!({}), code, json!(1011)),
        (SUBSCRIBE, "", subscribe("message.added"), "/status", json!(200)),
        (SUBSCRIBE, "", subscribe("review.created"), "/status", json!(200)),
        (SUBSCRIBE, "", subscribe("review.deleted"), code, json!(2003)),
        (
            SUBSCRIBE,
            "",
            json!({"apiKey": "k", "businessNumber": 1, "endpoint": "http://a.test/",
                "events": ["message.closed", "message.added", "conversation.closed", "message.added"]}),
            "/body/events",
            json!(["conversation.closed", "message.added"]),
        ),
    ]);
}

#[test]
fn an_operation_knows_its_parameters_and_how_to_say_that_a_world_is_full() {
    let spec = ALL.iter().find(|spec| spec.path.starts_with("/v1/review/")).unwrap();
    let dialect = Dialect::default();
    assert_eq!(spec.parameters(&dialect).collect::<Vec<_>>(), ["sindex", "count", "isCompetitor"]);
    let no_room = || Full::Memory(memory::Full::World { limit: 7 });
    let error = full(no_room());
    assert_eq!((error.code, &*error.message), (Code::TooLarge, "The world is full"));
    assert_eq!(error.detail, no_room().to_string());
}

/// A call with the key `k`.
fn call<'a>(method: &'static str, query: &'a str, body: &'a [u8]) -> Call<'a> {
    let headers = vec![("x-api-key", &b"k"[..])];
    Call { method, path: "/v1/review/businessId/1", query, headers, body: Body::Whole(body), connection: 0 }
}

#[test]
fn a_call_may_take_long_beyond_a_thousand_elements_or_64_kib() {
    let folder = serve(SCENARIO);
    let long = |query: &str, body: &[u8]| {
        receive(&folder.registry, call("POST", query, body)).unwrap().expected_if_long().is_some()
    };
    assert!(!long("count=1000", b"") && long("count=1001", b""));
    assert!(!long("", &vec![b' '; 64 << 10]) && long("", &vec![b' '; (64 << 10) + 1]));
}

#[test]
fn a_fault_does_not_see_a_call_of_a_wrong_method() {
    let folder = serve(&format!("{SCENARIO}faults: [{{name: all, then: {{status: 503}}}}]\n"));
    let status = |method| {
        let received = receive(&folder.registry, call(method, "", b"")).unwrap();
        pipeline::answer(&received, received.snapshot.dataset()).reply.status
    };
    assert_eq!((status("POST"), status("GET")), (503, 405));
}
