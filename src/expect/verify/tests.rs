//! Each kind of expectation against records that are written as lists of calls.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::api::query::AnsweredPage;
use crate::auth::{Key, Keys};
use crate::clock::Moment;
use crate::expect::call::{Call, CallEnd, List};
use crate::expect::expectation::{
    After, Answer, CallPattern, CountRange, Deliveries, Expectation, Requests, Requirement, RetryScope,
    Stored, StoredKind, StoredValue, Wait,
};
use crate::expect::record::Record;
use crate::expect::report::ExpectationReport;
use crate::expect::verify::verify;
use crate::fault::condition::Condition;
use crate::fault::effect::Kind;
use crate::fault::matching::Accept;
use crate::fault::pointer::Pointer;
use crate::operations;
use crate::webhook::delivery::{self, Attempt, Delivery, Outcome, Status};
use crate::webhook::event::{Content, Event, Identity};

/// A call that arrives at that millisecond and is answered 200 a millisecond later.
fn call(seq: u64, at: u64) -> Call {
    Call {
        seq,
        operation: Some(operations::reviews::SPEC.operation),
        method: "POST".to_owned(),
        path: "/v1/review/businessId/200".to_owned(),
        query: Vec::new(),
        headers: vec![("x-run".to_owned(), "7".to_owned())],
        body: Value::Null,
        businesses: vec![200],
        key: Some("key:demo".to_owned()),
        sent_key: Some("demo-key".to_owned()),
        has_key_in_query: false,
        fingerprint: 1,
        attempt: 1,
        connection: 1,
        arrived: ms(at),
        arrived_in_world: ms(at),
        end: Some(CallEnd::Answered(ms(at + 1))),
        status: Some(200),
        code: None,
        fault: None,
        effect: None,
        retry_after: None,
        answer: Value::Null,
        page: None,
        list: None,
    }
}

/// The same, answered by the fault `limit` with 89 and a `retry-after` of two seconds.
fn limited(seq: u64, at: u64) -> Call {
    Call {
        status: Some(429),
        code: Some(89),
        fault: Some("limit".to_owned()),
        effect: Some(Kind::Error),
        retry_after: Some(Duration::from_secs(2)),
        ..call(seq, at)
    }
}

/// The same by the real rate limit.
fn really_limited(seq: u64, at: u64) -> Call {
    Call { fault: None, effect: None, ..limited(seq, at) }
}

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn record(calls: Vec<Call>) -> Record {
    let key = Key {
        key: "demo-key".to_owned(),
        name: Some("demo".to_owned()),
        accounts: None,
        rate_limit: None,
        revoked: false,
        own_world: false,
    };
    Record { calls, keys: Arc::new(Keys::new(vec![key])), ..Record::default() }
}

fn check(record: &Record, requirement: Requirement) -> ExpectationReport {
    verify(record, &[Expectation { name: "e".to_owned(), requirement }]).pop().unwrap()
}

fn after(calls: Vec<Call>, after: After) -> (bool, String) {
    let report = check(&record(calls), Requirement::After(after));
    (report.passed, report.message)
}

fn after_89() -> After {
    let answer = Answer::Error(89);
    After { answer, operations: vec![], scope: None, wait: None, retries: None, grows: None }
}

const fn exactly(count: u64) -> CountRange {
    CountRange { min: count, max: Some(count) }
}

#[test]
fn where_the_answer_never_came_the_expectation_holds_and_says_so() {
    let wanted = After { retries: Some(exactly(0)), ..after_89() };
    let held = (true, "no call was answered 89, so that nothing is expected".to_owned());
    assert_eq!(after(vec![call(1, 0)], wanted.clone()), held);
    let elsewhere = After { operations: vec![operations::qna::SPEC.operation], ..wanted };
    assert!(after(vec![limited(1, 0), limited(2, 5)], elsewhere).0);
}

#[test]
fn a_wait_is_kept_up_to_the_tolerance_by_real_time() {
    let wanted = After { wait: Some(Wait::RetryAfter), ..after_89() };
    assert!(after(vec![limited(1, 0), call(2, 1982)], wanted.clone()).0);
    let (passed, message) = after(vec![limited(1, 0), call(2, 213)], wanted);
    assert!(!passed);
    assert_eq!(message, "call 2 came 212 ms after the 89 of call 1, which asked for 2 s");
}

#[test]
fn a_wait_is_kept_when_the_worlds_clock_has_moved_enough() {
    let wanted = After { wait: Some(Wait::AtLeast(ms(2000))), ..after_89() };
    let frozen = |arrived_in_world| {
        let first = Call { arrived_in_world: ms(0), ..limited(1, 0) };
        after(vec![first, Call { arrived_in_world, ..call(2, 100) }], wanted.clone())
    };
    assert!(frozen(ms(2000)).0);
    assert_eq!(frozen(ms(500)).1, "call 2 came 500 ms after the 89 of call 1, expected: at least 2 s");
    // A running clock that was advanced: the time of the answer itself is no wait.
    let slow = Call { end: Some(CallEnd::Answered(ms(1500))), ..limited(1, 0) };
    let later = |world| Call { arrived_in_world: ms(world), ..call(2, 1600) };
    assert!(!after(vec![slow.clone(), later(1600)], wanted.clone()).0);
    assert!(after(vec![slow, later(3600)], wanted).0);
}

#[test]
fn a_wait_may_be_a_range() {
    let wanted = After { wait: Some(Wait::Between(ms(1000), ms(5000))), ..after_89() };
    let at = |at| after(vec![limited(1, 0), call(2, at)], wanted.clone());
    assert!(!at(900).0 && at(1000).0 && at(5010).0);
    assert_eq!(at(6001).1, "call 2 came 6 s after the 89 of call 1, expected: 1 s to 5 s");
}

#[test]
fn after_the_real_rate_limit_any_call_of_the_key_must_wait_and_after_a_fault_the_same_request() {
    let wanted = After { wait: Some(Wait::RetryAfter), ..after_89() };
    let other = |at| Call { fingerprint: 2, connection: 2, ..call(2, at) };
    assert!(after(vec![limited(1, 0), other(100)], wanted.clone()).0);
    assert!(!after(vec![really_limited(1, 0), other(100)], wanted.clone()).0);
    let other_key = Call { sent_key: Some("other".to_owned()), ..other(100) };
    assert!(after(vec![really_limited(1, 0), other_key], wanted.clone()).0);
    assert!(after(vec![really_limited(1, 0), other(15)], wanted.clone()).0, "it was under way");
    let by_request = After { scope: Some(RetryScope::Request), ..wanted.clone() };
    assert!(after(vec![really_limited(1, 0), other(100)], by_request).0);
    let by_key = After { scope: Some(RetryScope::Key), ..wanted };
    assert!(!after(vec![limited(1, 0), other(100)], by_key).0);
}

#[test]
fn retries_are_counted_up_to_the_first_success() {
    let wanted = |retries| After { retries: Some(retries), ..after_89() };
    let calls = vec![limited(1, 0), limited(2, 100), call(3, 200), call(4, 300)];
    assert_eq!(after(calls.clone(), wanted(exactly(2))), (true, "2 retries after 2 such answers".to_owned()));
    let (passed, message) = after(calls, wanted(exactly(0)));
    assert!(!passed);
    assert_eq!(
        message,
        "after the 89 of call 1, the client tried again 2 times (calls 2 and 3); expected: 0"
    );
    let gave_up = after(vec![limited(1, 0)], wanted(CountRange { min: 1, max: Some(3) }));
    assert_eq!(gave_up.1, "after the 89 of call 1, the client did not try again; expected: 1 to 3");
}

#[test]
fn a_transport_retry_is_neither_a_retry_nor_too_early() {
    let reset = |seq, at| Call {
        status: None,
        fault: Some("broken".to_owned()),
        effect: Some(Kind::Reset),
        ..call(seq, at)
    };
    let wanted = After {
        answer: Answer::Fault("broken".to_owned()),
        wait: Some(Wait::AtLeast(ms(1000))),
        retries: Some(exactly(0)),
        ..after_89()
    };
    let repeated = Call { connection: 2, ..call(2, 3) };
    assert!(after(vec![reset(1, 0), repeated], wanted.clone()).0);
    assert!(!after(vec![reset(1, 0), Call { connection: 2, ..call(2, 50) }], wanted.clone()).0);
    let thrice =
        vec![reset(1, 0), Call { connection: 2, ..reset(2, 3) }, Call { connection: 3, ..call(3, 6) }];
    assert!(!after(thrice, wanted).0, "there is one such link in a chain");
}

#[test]
fn waits_grow_by_the_medians_over_all_chains() {
    let wanted = After { grows: Some(200), ..after_89() };
    let chain = |print: u64, gaps: &[u64]| {
        let mut at = print * 100_000;
        let mut calls = vec![Call { fingerprint: print, ..limited(print * 10, at) }];
        for (step, gap) in gaps.iter().enumerate() {
            at += 1 + gap;
            calls.push(Call { fingerprint: print, ..limited(print * 10 + 1 + step as u64, at) });
        }
        calls
    };
    let jittered =
        [chain(1, &[100, 50, 400]), chain(2, &[90, 200, 390]), chain(3, &[110, 210, 100])].concat();
    assert_eq!(
        after(jittered, wanted.clone()),
        (true, "the waits grow: 100 ms, 200 ms and 390 ms".to_owned())
    );
    let flat = after(chain(1, &[100, 100, 100]), wanted.clone());
    assert_eq!(flat.1, "the waits do not grow 2 times each: 100 ms, 100 ms and 100 ms (medians)");
    assert!(after(chain(1, &[100, 161]), wanted.clone()).0, "a fifth less is enough");
    assert!(!after(chain(1, &[0, 0]), wanted.clone()).0);
    assert!(after(chain(1, &[100]), wanted).0, "there is nothing to compare");
}

fn pattern() -> CallPattern {
    CallPattern {
        operations: vec![operations::contact::SPEC.operation],
        condition: Condition {
            keys: vec!["demo-key".to_owned()],
            body: vec![(Pointer::new("/firstName").unwrap(), vec![Accept::Equal(json!("Ann"))])],
            ..Condition::default()
        },
        ..CallPattern::default()
    }
}

fn contact(seq: u64, body: Value) -> Call {
    Call { operation: Some(operations::contact::SPEC.operation), body, ..call(seq, seq) }
}

#[test]
fn too_few_requests_tell_the_nearest_call_member_by_member() {
    let calls = vec![call(1, 0), contact(2, json!({})), contact(3, json!({"firstName": "Ann"}))];
    let wanted = |count| Requirement::Requests(Requests { calls: pattern(), count });
    assert!(check(&record(calls.clone()), wanted(exactly(1))).passed);
    let report = check(&record(calls[..2].to_vec()), wanted(exactly(1)));
    assert_eq!(report.message, "no call matches; expected: 1");
    assert_eq!(
        json!(report.nearest),
        json!({"call": 2, "members": [
            {"member": "operation", "expected": "contact", "received": "contact", "agrees": true},
            {"member": "key", "expected": "key:demo", "received": "key:demo", "agrees": true},
            {"member": "body /firstName", "expected": "Ann", "received": null, "agrees": false},
        ]})
    );
    let report = check(&record(calls), wanted(exactly(0)));
    assert_eq!(report.message, "1 call matches (call 3); expected: 0");
    assert_eq!(report.nearest.map(|nearest| nearest.call), Some(3), "the first that is too many");
}

#[test]
fn every_part_of_a_pattern_is_compared() {
    let text = |text: &str| vec![text.to_owned()];
    let accepted = |text: &str| vec![Accept::from(text)];
    let one = Call { query: vec![("sindex".to_owned(), "100".to_owned())], ..limited(1, 0) };
    let with = |condition, statuses: &[u16], codes: &[u32], faults: Vec<String>| CallPattern {
        operations: vec![],
        condition,
        statuses: statuses.to_vec(),
        codes: codes.to_vec(),
        faults,
    };
    let on = |query: &str, header: &str, business| Condition {
        query: vec![("sindex".to_owned(), accepted(query))],
        headers: vec![("x-run".to_owned(), accepted(header))],
        businesses: vec![business],
        ..Condition::default()
    };
    let found = |calls| {
        check(&record(vec![one.clone()]), Requirement::Requests(Requests { calls, count: exactly(1) })).passed
    };
    assert!(found(with(on("100", "7", 200), &[200, 429], &[89], text("limit"))));
    assert!(!found(with(on("0", "7", 200), &[], &[], vec![])));
    assert!(!found(with(on("100", "8", 200), &[], &[], vec![])));
    assert!(!found(with(on("100", "7", 100), &[], &[], vec![])));
    assert!(!found(with(Condition::default(), &[200], &[], vec![])));
    assert!(!found(with(Condition::default(), &[], &[1161], vec![])));
    assert!(!found(with(Condition::default(), &[], &[], text("slow"))));
}

#[test]
fn calls_in_the_wrong_order_are_told() {
    let step = |operation| CallPattern { operations: vec![operation], ..CallPattern::default() };
    let steps = || {
        Requirement::Order(vec![
            step(operations::contact::SPEC.operation),
            step(operations::reviews::SPEC.operation),
        ])
    };
    let contact = |seq| contact(seq, json!({}));
    assert!(check(&record(vec![call(1, 0), contact(2), call(3, 3)]), steps()).passed);
    let report = check(&record(vec![call(1, 0), contact(2)]), steps());
    assert_eq!(report.message, "call 1 matches step 2, but comes before call 2, which matches step 1");
    assert_eq!(
        json!(report.nearest.unwrap().members)[1],
        json!({"member": "place", "expected": "after call 2", "received": "call 1", "agrees": false})
    );
    assert_eq!(check(&record(vec![contact(2)]), steps()).message, "no call matches step 2 after call 2");
    assert_eq!(check(&record(vec![call(1, 0)]), steps()).message, "no call matches step 1");
    let twice = Requirement::Order(vec![pattern_of_contact(), pattern_of_contact()]);
    let report = check(&record(vec![contact(1)]), twice);
    assert_eq!(report.message, "call 1 matches step 1, and no later call matches step 2");
}

fn pattern_of_contact() -> CallPattern {
    CallPattern { operations: vec![operations::contact::SPEC.operation], ..CallPattern::default() }
}

fn page(seq: u64, start: u64, length: u64, total: Option<u64>) -> Call {
    let page = Some(AnsweredPage { start, length, total });
    Call { list: Some(List { id: "a".to_owned(), page }), ..call(seq, seq) }
}

fn pages(calls: Vec<Call>) -> (bool, String) {
    let pattern =
        CallPattern { operations: vec![operations::reviews::SPEC.operation], ..CallPattern::default() };
    let report = check(&record(calls), Requirement::Pages(pattern));
    (report.passed, report.message)
}

#[test]
fn pages_cover_each_record_exactly_once() {
    let read = "250 of 250 records were read once, by calls 1, 2 and 3";
    let first = || page(1, 0, 100, None);
    let (middle, last) = (page(2, 100, 100, None), page(3, 200, 50, Some(250)));
    assert_eq!(pages(vec![first(), middle.clone(), last.clone()]), (true, read.to_owned()));
    let empty = page(3, 200, 0, None);
    assert!(pages(vec![first(), middle.clone(), empty]).0, "an empty page is the end, too");
    assert_eq!(pages(vec![first(), last.clone()]).1, "no call read the records 100 to 199");
    assert_eq!(
        pages(vec![first(), middle.clone()]).1,
        "200 records were read; the end of the list was not reached"
    );
    assert_eq!(
        pages(vec![first(), page(2, 50, 100, None), last.clone()]).1,
        "the records 50 to 99 were read twice, by calls 2 and 1"
    );
    assert_eq!(
        pages(vec![page(1, 0, 100, Some(250))]).1,
        "100 records of 250 were read; the end of the list was not reached"
    );
    assert_eq!(pages(vec![]).1, "no call for a page matches");
}

#[test]
fn a_page_that_the_client_did_not_get_whole_is_read_again() {
    let lost = Call { status: None, effect: Some(Kind::Lost), ..page(1, 0, 100, Some(100)) };
    let cut = Call { effect: Some(Kind::Truncate), ..page(2, 0, 100, Some(100)) };
    let gone = Call { end: Some(CallEnd::HungUp(ms(9))), ..page(3, 0, 100, Some(100)) };
    let whole = page(4, 0, 100, Some(100));
    assert!(pages(vec![lost.clone(), cut.clone(), gone.clone(), whole]).0);
    assert!(!pages(vec![lost, cut, gone]).0);
}

#[test]
fn lists_with_other_filters_are_lists_of_their_own() {
    let other = |call: Call| Call { list: call.list.map(|list| List { id: "b".to_owned(), ..list }), ..call };
    let whole = page(1, 0, 10, Some(10));
    assert!(pages(vec![whole.clone(), other(page(2, 0, 10, Some(10)))]).0);
    let (passed, message) = pages(vec![whole, other(page(2, 0, 10, None))]);
    assert!(!passed);
    assert!(message.starts_with("of 2 lists, that of call 2: 10 records were read"), "{message}");
}

fn stored(members: Vec<(&'static str, Vec<StoredValue>)>, businesses: Vec<u64>, count: u64) -> Requirement {
    Requirement::Stored(Stored { kind: StoredKind::Contact, members, businesses, count: exactly(count) })
}

fn is(value: Value) -> Vec<StoredValue> {
    vec![StoredValue::Is(value)]
}

#[test]
fn contacts_are_compared_by_any_member() {
    let ann = json!({
        "id": 7001, "firstName": "Ann", "email": "Ann@Example.test", "businessIds": [1001], "tags": ["vip", "new"],
        "blocked": false, "customFields": [{"fieldName": "plan", "type": "text", "fieldValue": "gold"}],
        "smsPreferences": {"marketingOptin": true},
    });
    let record = Record { contacts: vec![ann], ..record(vec![]) };
    let plan =
        StoredValue::Members(vec![("fieldName", is(json!("plan"))), ("fieldValue", is(json!("gold")))]);
    for member in [
        ("id", is(json!(7001))),
        ("email", is(json!("ann@example.TEST"))),
        ("tags", is(json!("new"))),
        ("blocked", is(json!(false))),
        ("customFields", vec![plan]),
        ("smsPreferences", vec![StoredValue::Members(vec![("marketingOptin", is(json!(true)))])]),
        ("firstName", vec![StoredValue::Is(json!("Bob")), StoredValue::Is(json!("Ann"))]),
    ] {
        let name = member.0;
        assert!(check(&record, stored(vec![member], vec![100, 1001], 1)).passed, "{name}");
    }
    assert!(check(&record, stored(vec![("firstName", is(json!("ann")))], vec![], 0)).passed);
    assert!(check(&record, stored(vec![], vec![300], 0)).passed);
    let report = check(&record, stored(vec![], vec![], 2));
    assert_eq!(report.message, "1 contact matches (7001); expected: 2");
}

#[test]
fn a_contact_that_is_missing_tells_the_nearest_upsert() {
    let calls = vec![
        contact(1, json!({"email": "x@example.test"})),
        contact(2, json!({"email": "a@example.test", "firstName": "Bob"})),
    ];
    let members = vec![("email", is(json!("a@example.test"))), ("firstName", is(json!("Ann")))];
    let report = check(&record(calls), stored(members, vec![], 1));
    assert_eq!(report.message, "no contact matches; expected: 1");
    let nearest = json!(report.nearest);
    assert_eq!(nearest["call"], 2);
    assert_eq!(
        nearest["members"][1],
        json!({"member": "body /firstName", "expected": "Ann", "received": "Bob", "agrees": false})
    );
}

#[test]
fn what_is_not_kept_any_more_passes_nothing() {
    let record = Record { dropped: 3, ..record(vec![call(1, 0)]) };
    let anything = Requests { calls: CallPattern::default(), count: CountRange { min: 0, max: None } };
    let report = check(&record, Requirement::Requests(anything));
    assert!(!report.passed);
    assert_eq!(report.message, "incomplete: the oldest 3 calls are not kept any more, so nobody can tell");
    assert!(check(&record, stored(vec![], vec![], 0)).passed, "contacts are all kept");
}

/// A delivery whose last attempt was answered with that status, so many milliseconds after the first.
fn delivery(number: usize, status: u16, after: i64) -> Arc<Delivery> {
    let identity =
        Identity { name: "message.added", business: 100, conversation: None, occurrence: 1, at: Moment(0) };
    let event =
        Event::new(format!("e{number}"), identity, Content::default(), &Arc::default(), &Arc::default());
    let attempt = |at, status| {
        let answer = delivery::Answer { status, headers: vec![], body: bytes::Bytes::new(), lost: 0 };
        let outcome = Some(Outcome { result: Ok(answer), took: 5.0 });
        Attempt {
            at: Moment(at),
            elapsed: Duration::ZERO,
            sent: Moment(at),
            fault: None,
            headers: vec![],
            cut: None,
            outcome,
        }
    };
    Arc::new(Delivery {
        id: format!("d{number}"),
        event: Arc::new(event),
        subscription: 1,
        endpoint: "http://127.0.0.1:9/".into(),
        by_page: false,
        status: if status < 300 { Status::Delivered } else { Status::Dead },
        reason: None,
        attempts: vec![attempt(0, 500), attempt(after, status)],
        body_size: 0,
    })
}

#[test]
fn deliveries_are_acknowledged_in_time() {
    let wanted = |acknowledged, within| {
        Requirement::Deliveries(Deliveries {
            events: vec!["message.added".to_owned()],
            businesses: vec![100],
            count: None,
            acknowledged: Some(acknowledged),
            within,
        })
    };
    let of = |deliveries| Record { deliveries, ..record(vec![]) };
    let both = || vec![delivery(1, 200, 1000), delivery(2, 204, 3000)];
    let all = 1_000_000;
    assert_eq!(check(&of(both()), wanted(all, None)).message, "2 of 2 deliveries acknowledged");
    assert!(check(&of(both()), wanted(all, Some(ms(3000)))).passed);
    let late = check(&of(both()), wanted(all, Some(ms(2000))));
    assert!(!late.passed);
    assert_eq!(late.message, "1 of 2 deliveries acknowledged within 2 s; expected: 100%; d2 took 3.01 s");
    assert!(check(&of(both()), wanted(all / 2, Some(ms(2000)))).passed);
    let refused = check(&of(vec![delivery(1, 500, 10)]), wanted(all, None));
    assert_eq!(refused.message, "0 of 1 delivery acknowledged; expected: 100%; d1 was answered 500");
    assert!(check(&of(vec![]), wanted(all, None)).passed);
    let counted = Requirement::Deliveries(Deliveries {
        events: vec![],
        businesses: vec![],
        count: Some(exactly(1)),
        acknowledged: None,
        within: None,
    });
    assert_eq!(check(&of(both()), counted).message, "there were 2 deliveries; expected: 1");
}
