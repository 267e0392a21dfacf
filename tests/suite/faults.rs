//! Faults over HTTP: conditions, counts, effects, and the trace headers.

use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::catalogue::CODES;
use crate::harness::{Answer, Client, Request, Server};
use crate::sentiment_locations::changed;

/// Each fault applies to requests that have its name, or that of its group, in `x-case`.
const CASES: &str = r#"
standin: 1
name: cases
seed: 5
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys: [{key: k, name: named}, {key: second}, {key: third}]
businesses:
  - {number: 50, name: Above, type: reseller, users: [u@one.test]}
  - number: 100
    name: One
    parent: 50
    users: [u@one.test]
    locations:
      - {number: 1001, name: L, reviews: [{id: "1", rating: 5, date: 2026-01-01, comments: one}, {id: "2", rating: 4, date: 2026-01-02, published: false}]}
  - {number: 200, name: Two, locations: [{number: 2001, name: M}]}
  - {number: 2000, name: Twenty}
faults:
  - {name: some-operations, operation: [reviews, qna], when: {header: {x-case: operation}}, then: {status: 503}}
  - {name: keys, when: {header: {x-case: key}, key: [k, second]}, per: key, hits: 2, then: {status: 503}}
  - {name: key-by-name, when: {header: {x-case: key-name}, key: named}, then: {status: 503}}
  - {name: businesses, when: {header: {x-case: business}, business: [200, 1001]}, then: {status: 503}}
  - {name: header, when: {header: {x-case: header, x-run: ["7", eight nine]}}, then: {status: 503}}
  - {name: query, when: {header: {x-case: query}, query: {sindex: ["100", "200"], "a b": "c&d"}}, then: {status: 503}}
  - {name: body, when: {header: {x-case: body}, body: {/statuses/0: parked, /n: [1, null, {a: [true]}], /a~1b/~0: "1"}}, then: {status: 503}}
  - {name: all, when: {header: {x-case: all}, key: k, business: 100, query: {count: "5"}, body: {/x: 1}}, then: {status: 503}}
  - {name: window, when: {header: {x-case: during}}, during: 10s-40s, hits: 2-3, then: {status: 503}}
  - {name: off, when: {header: {x-case: off}}, enabled: false, then: {status: 503}}
  - {name: asked, on_request: true, when: {header: {x-case: asked}}, hits: 2-, then: {status: 503}}
  - {name: "odd, \"quoted\" name", on_request: true, when: {header: {x-case: odd}}, then: {status: 503}}
  - {name: first, when: {header: {x-case: order}}, enabled: false, then: {status: 501}}
  - {name: second, when: {header: {x-case: order}}, hits: every 2, then: {status: 502}}
  - {name: narrower, when: {header: {x-case: order, x-more: "1"}}, then: {status: 503}}
  - {name: wider, when: {header: {x-case: order}}, hits: 2-, then: {status: 504}}
  - {name: late, when: {header: {x-case: late}}, hits: 1-2, then: {delay: 1ms}}
  - {name: late-too, when: {header: {x-case: late}}, chance: 0%, then: {status: 503}}
  - {name: later, when: {header: {x-case: late}}, hits: 2-3, then: {delay: 1ms, headers: {set: {x-later: "1"}}}}
  - {name: last, when: {header: {x-case: late}}, hits: 1, then: {status: 503}}
  - {name: real-headers, when: {header: {x-case: real-headers}}, then: {headers: {set: {content-type: text/html, x-new: "a, b"}, remove: [x-standin-detail, access-control-allow-origin, Access-Control-Expose-Headers, nothing]}}}
  - {name: error-headers, when: {header: {x-case: error-headers}}, then: {error: 89, retry_after: 5s, headers: {set: {retry-after: soon, access-control-allow-origin: "https://only.test"}, remove: [content-type]}}}
  - {name: limited, when: {header: {x-case: limited}}, then: {error: 89, retry_after: 90s}}
  - {name: over, when: {header: {x-case: over}}, then: {error: {code: 1161, status: 418, message: "Ungültig \"so\""}}}
  - {name: over-status, when: {header: {x-case: over-status}}, then: {error: {code: 2003, status: 422}}}
  - {name: over-message, when: {header: {x-case: over-message}}, then: {error: {code: 2003, message: no}}}
  - {name: made, when: {header: {x-case: made}}, then: {error: {code: 7777, status: 402, message: Pay}}}
  - {name: json, when: {header: {x-case: json}}, then: {status: 500, json: {b: [1, 2.5, null], a: "é"}}}
  - {name: json-null, when: {header: {x-case: json-null}}, then: {status: 200, json: null}}
  - {name: text, when: {header: {x-case: text}}, then: {status: 502, text: "<h1>Bad gateway</h1>\n"}}
  - {name: empty, when: {header: {x-case: empty}}, then: {status: 503}}
  - {name: none, when: {header: {x-case: none}}, then: {status: 204}}
  - {name: patched, operation: reviews, when: {header: {x-case: patched}}, then: {body: {patch: [{op: test, path: /0/rating, value: 5}, {op: replace, path: /0/rating, value: five}, {op: remove, path: /0/reviewer}, {op: add, path: /0/stars, value: [1]}, {op: move, from: /0/comments, path: /0/text}, {op: copy, from: /0/text, path: /-}]}}}
  - {name: malformed, when: {header: {x-case: malformed}}, then: {body: {malformed: true}}}
  - {name: counted, when: {header: {x-case: trace}}, chance: 100%, hits: 3-, then: {status: 503}}
  - {name: half, when: {header: {x-case: trace}}, exactly: 0 of 4, then: {status: 503}}
  - {name: thirds, when: {header: {x-case: blocks}}, exactly: 1 of 3, then: {status: 503}}
  - {name: trace-plain, when: {header: {x-case: trace-plain}}, per: request, hits: 2, then: {error: 1161}}
  - {name: trace-late, when: {header: {x-case: trace-late}}, chance: 100%, then: {delay: 1ms}}
  - {name: trace-later, when: {header: {x-case: trace-late}}, chance: 0%, then: {status: 503}}
  - {name: Störung, when: {header: {x-case: trace-name}}, then: {status: 503}}
  - {name: revoked, when: {header: {x-case: revoked}}, then: {error: 1161}}
"#;

/// A scenario that injects each code on request, and whose dialect changes the status of some.
fn catalogue() -> String {
    let mut text = "standin: 1\nname: catalogue\ndialect: {statuses: {1027: 400, 1167: {contact: 403}}, retry_after: false}\nfaults:\n".to_owned();
    for (number, ..) in CODES {
        text += &[
            "  - {name: e",
            &number.to_string(),
            ", on_request: true, then: {error: ",
            &number.to_string(),
            "}}\n",
        ]
        .concat();
    }
    text + "  - {name: later, on_request: true, then: {error: 89, retry_after: 3s}}\n"
}

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let catalogue = catalogue();
        Server::of(&[("cases.yaml", CASES), ("catalogue.yaml", &catalogue)], &["--default", "cases"])
    })
}

/// Sends a request with that `x-case`.
fn case(case: &'static str) -> impl Fn(Request) -> Answer {
    move |request| request.header("x-case", case).send()
}

fn made() -> String {
    let answer = server().admin("POST", "worlds").send();
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json["name"].as_str().unwrap().to_owned()
}

fn world() -> Client {
    server().world(&made()).with_key("k")
}

fn statuses(times: usize, mut send: impl FnMut() -> Answer) -> Vec<u16> {
    (0..times).map(|_| send().status).collect()
}

fn insight() -> Value {
    json!({"businessNumbers": [1001], "startDate": "01/01/2026", "endDate": "06/30/2026", "userEmail": "u@one.test"})
}

fn subscription() -> Value {
    json!({"businessNumber": 100, "apiKey": "k", "events": ["message.added"], "endpoint": "http://h.test"})
}

/// The contact upsert's place in `calls`.
const CONTACT: usize = 2;

/// A call of each operation that is answered with 200.
fn calls(client: &Client) -> [Request; 6] {
    [
        client.locations(100).json(&insight()),
        client.benchmark(100).json(&insight()),
        client.contact(100).json(&json!({"email": "a@x.test", "businessIds": [1001]})),
        client.reviews(100).json(&json!({})),
        client.qna(100).json(&json!({})),
        client.subscribe().json(&subscription()),
    ]
}

/// Checks status and exact body of an injected answer.
#[track_caller]
fn injected(answer: &Answer, status: u16, body: &str) {
    assert_eq!((answer.status, answer.text().as_str()), (status, body), "{}", answer.call);
}

#[test]
fn a_fault_applies_only_to_its_operations() {
    let (client, send) = (world(), case("operation"));
    let struck: Vec<u16> = calls(&client).into_iter().map(send).map(|answer| answer.status).collect();
    assert_eq!(struck, [200, 200, 200, 503, 503, 200]);
    let other = calls(&client).into_iter().map(|call| call.send().status);
    assert!(other.into_iter().all(|status| status == 200), "without the header");
    let get = client.call("GET", "/v1/qna/unanswered/get").header("x-case", "operation").send();
    assert_eq!(get.status, 405, "another method is none of the operation's");
}

#[test]
fn each_key_has_its_own_count() {
    let (client, send) = (world(), case("key"));
    for key in ["k", "second"] {
        assert_eq!(statuses(3, || send(client.qna(100).key(key))), [200, 503, 200], "{key}");
    }
    assert_eq!(statuses(3, || send(client.qna(100).key("third"))), [200; 3]);
    assert_eq!(statuses(3, || send(client.without_key().qna(100))), [401; 3]);
    let in_body = || send(client.subscribe().json(&subscription()));
    assert_eq!(in_body().status, 200, "the third of key k");
    let (fresh, send) = (world(), case("key"));
    let in_body =
        |key: &str| send(fresh.subscribe().json(&changed(subscription(), json!({"apiKey": key})))).status;
    assert_eq!([in_body("k"), in_body("third"), in_body("k"), in_body("second")], [200, 200, 503, 200]);
    let send = case("key-name");
    assert_eq!([send(client.qna(100)).status, send(client.qna(100).key("second")).status], [503, 200]);
}

#[test]
fn a_condition_finds_the_business_in_path_query_header_and_body() {
    let (client, send) = (world(), case("business"));
    let numbers =
        |numbers: Value| client.locations(100).json(&changed(insight(), json!({"businessNumbers": numbers})));
    let subscribe =
        |number: Value| client.subscribe().json(&changed(subscription(), json!({"businessNumber": number})));
    let contact = |number: &str| client.contact(number).json(&json!({}));
    for request in [
        client.reviews(200),
        client.reviews("%32%30%30"),
        client.qna(1001),
        client.qna(100).raw_query("x=200").header("x-business-number", "200"),
        contact("200"),
        client.benchmark(200),
        numbers(json!([200])),
        numbers(json!([100, "1001"])),
        numbers(json!([7, 8, 200, 9])),
        subscribe(json!(200)),
        subscribe(json!("1001")),
    ] {
        let answer = send(request);
        assert_eq!(answer.status, 503, "{}", answer.call);
    }
    for request in [
        client.reviews(2000),
        client.reviews(20),
        client.qna(100).raw_query("x=200"),
        client.qna(2001),
        contact("2000"),
        numbers(json!([100, 2001])),
        numbers(json!("200, 1001")),
        subscribe(json!(100)),
        client.reviews(100).json(&json!({"business": 200, "subBusinessIds": [200]})),
    ] {
        let answer = send(request);
        assert_ne!(answer.status, 503, "{}", answer.call);
    }
}

#[test]
fn headers_and_query_parameters_are_compared_after_decoding() {
    let (client, send) = (world(), case("header"));
    let run = |value: &str| send(client.qna(100).header("x-run", value)).status;
    assert_eq!(
        [run("7"), run("eight nine"), run("77"), run("eight"), run("Eight nine")],
        [503, 503, 200, 200, 200]
    );
    assert_eq!(send(client.qna(100).header("X-RUN", "7")).status, 503, "names are of any case");
    assert_eq!(send(client.qna(100)).status, 200);
    let send = case("query");
    let query = |query: &str| send(client.reviews(100).raw_query(query)).status;
    assert_eq!(query("sindex=100&a+b=c%26d"), 503);
    assert_eq!(query("a%20b=c%26d&%73index=200&x=1"), 503);
    for other in [
        "sindex=100",
        "a+b=c%26d",
        "sindex=0&sindex=100&a+b=c%26d",
        "sindex=1000&a+b=c%26d",
        "sindex=100&a+b=c",
    ] {
        assert_eq!(query(other), 200, "{other}");
    }
}

#[test]
fn body_conditions_compare_by_pointer_and_type() {
    let (client, send) = (world(), case("body"));
    let body = json!({"statuses": ["parked", "all"], "n": 1, "a/b": {"~": "1"}});
    let of = |changes: Value| send(client.reviews(100).json(&changed(body.clone(), changes))).status;
    assert_eq!(of(json!({})), 503);
    assert_eq!(of(json!({"n": {"a": [true]}})), 503);
    // `changed` takes null as a value.
    assert_eq!(
        send(client.reviews(100).bytes(r#"{"statuses":["parked"],"n":null,"a/b":{"~":"1"}}"#)).status,
        503
    );
    for other in [
        json!({"statuses": ["all", "parked"]}),
        json!({"statuses": "parked"}),
        json!({"n": "1"}),
        json!({"n": 2}),
        json!({"a/b": {"~": 1}}),
        json!({"a/b": {"~": "1 "}}),
    ] {
        assert_ne!(of(other.clone()), 503, "{other}");
    }
    assert_eq!(
        send(client.reviews(100).bytes("{\"statuses\":[\"parked\"]")).status,
        400,
        "no JSON has no places"
    );
    assert_eq!(send(client.reviews(100)).status, 200);
}

#[test]
fn all_parts_of_a_condition_must_hold() {
    let (client, send) = (world(), case("all"));
    let body = json!({"x": 1});
    let all = || client.qna(100).query("count", "5").json(&body);
    assert_eq!(send(all()).status, 503);
    for (missing, request) in [
        ("key", all().key("second")),
        ("business", client.qna(200).query("count", "5").json(&body)),
        ("query", client.qna(100).json(&body)),
        ("body", client.qna(100).query("count", "5").json(&json!({"x": 2}))),
    ] {
        assert_eq!(send(request).status, 200, "{missing}");
    }
}

#[test]
fn a_during_window_follows_the_worlds_clock_and_calls_outside_are_not_counted() {
    let name = made();
    let (client, send) = (server().world(&name).with_key("k"), case("during"));
    let step = |by: &str| {
        let path = format!("worlds/{name}/clock");
        server().admin("POST", &path).json(&json!({"advance": by})).send().ok();
    };
    let status = || send(client.qna(100)).status;
    assert_eq!([status(), status()], [200; 2], "not counted at 0 s");
    step("9999ms");
    assert_eq!(status(), 200);
    step("1ms");
    assert_eq!([status(), status()], [200, 503], "the first and the second counted");
    step("29999ms");
    assert_eq!([status(), status()], [503, 200], "the third and the fourth, at 39.999 s");
    server().admin("POST", &format!("worlds/{name}/reset")).send().ok();
    step("10s");
    assert_eq!([status(), status()], [200, 503], "counted anew");
    step("30s");
    assert_eq!(status(), 200, "over at 40 s");
    let other = server().world(&made()).with_key("k");
    assert_eq!(statuses(3, || send(other.qna(100))), [200; 3], "another world's clock stands");
}

#[test]
fn a_disabled_fault_does_nothing() {
    let (client, send) = (world(), case("off"));
    assert_eq!(statuses(3, || send(client.qna(100))), [200; 3]);
    assert_eq!(send(client.qna(100).header("prefer", "fault=off")).status, 200);
}

#[test]
fn an_on_request_fault_counts_the_requests_that_name_it() {
    let (client, send) = (world(), case("asked"));
    let prefer = |value: &str| send(client.qna(100).header("prefer", value));
    assert_eq!(statuses(3, || send(client.qna(100))), [200; 3]);
    let first = prefer("fault=asked");
    assert_eq!((first.status, first.header("preference-applied")), (200, None), "counted, and not due");
    for value in [
        "fault=asked",
        "FAULT = \"asked\"",
        "respond-async, fault=asked; x=1",
        "wait=10,fault=asked",
        "wait=\"a, fault=x\", fault=asked",
    ] {
        let answer = prefer(value);
        assert_eq!(
            (answer.status, answer.header("preference-applied")),
            (503, Some("fault=asked")),
            "{value}"
        );
    }
    let two = send(client.qna(100).header("prefer", "respond-async").header("prefer", "fault=asked"));
    assert_eq!(two.status, 503);
    for value in ["fault=ask", "fault=Asked", "asked", "xfault=asked", "fault", "wait=\"x, fault=asked\""] {
        let answer = prefer(value);
        assert_eq!((answer.status, answer.header("preference-applied")), (200, None), "{value}");
    }
    assert_eq!(client.qna(100).header("prefer", "fault=asked").send().status, 200, "`when` must hold too");
    let send = case("odd");
    let odd = send(client.qna(100).header("prefer", r#"wait=1, fault="odd, \"quoted\" name"; x"#));
    assert_eq!(odd.status, 503);
    assert_eq!(odd.header("preference-applied"), Some(r#"fault="odd, \"quoted\" name""#));
}

#[test]
fn the_first_enabled_matching_and_due_fault_wins() {
    let (client, send) = (world(), case("order"));
    let status = || send(client.qna(100)).status;
    let more = || send(client.qna(100).header("x-more", "1")).status;
    // `wider` counts the requests that `second` and `narrower` leave: the first, the third and the sixth, of which the first is not due.
    assert_eq!([status(), status(), status()], [200, 502, 504]);
    assert_eq!([more(), more()], [502, 503]);
    assert_eq!([status(), status()], [502, 504]);
}

#[test]
fn a_fault_with_only_a_delay_lets_later_faults_apply() {
    let (client, send) = (world(), case("late"));
    let all: Vec<(u16, Option<String>, Option<String>)> = (0..4)
        .map(|_| {
            let answer = send(client.qna(100).header("x-standin-trace", "1"));
            let header = |name| answer.header(name).map(str::to_owned);
            (answer.status, header("x-standin-fault"), header("x-later"))
        })
        .collect();
    let expected = |status, fault: &str, later: Option<&str>| {
        (status, Some(fault.to_owned()).filter(|name| !name.is_empty()), later.map(str::to_owned))
    };
    assert_eq!(
        all,
        [
            expected(503, "last", None),
            expected(200, "later", Some("1")),
            expected(200, "later", Some("1")),
            expected(200, "", None),
        ]
    );
}

#[test]
fn header_changes_apply_to_real_and_injected_answers() {
    let (client, send) = (world(), case("real-headers"));
    let from_page = || client.qna(100).header("origin", "https://shop.test");
    let plain = from_page().send();
    let answer = send(from_page());
    assert_eq!((answer.status, &answer.bytes), (200, &plain.bytes));
    assert_eq!(answer.header("content-type"), Some("text/html"));
    assert_eq!(answer.header("x-new"), Some("a, b"));
    assert!(plain.header("access-control-allow-origin").is_some());
    for gone in ["access-control-allow-origin", "access-control-expose-headers"] {
        assert_eq!(answer.header(gone), None);
    }
    let refused = send(client.qna(999));
    assert_eq!((refused.status, refused.detail(), &refused.json["code"]), (404, "", &json!(1011)));
    let answer = case("error-headers")(client.qna(100));
    injected(&answer, 429, r#"{"code":89,"message":"Rate limit exceeded"}"#);
    assert_eq!(answer.header("retry-after"), Some("soon"));
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://only.test"));
    assert_eq!(answer.header("content-type"), None);
    for name in ["retry-after", "access-control-allow-origin"] {
        assert_eq!(answer.headers.iter().filter(|(known, _)| known == name).count(), 1, "{name}");
    }
}

#[test]
fn every_code_of_the_catalogue_is_injected_as_its_operation_answers_it() {
    let client = server().world("catalogue").with_key("k");
    let of_2003 = [
        "businessNumbers are mandatory",
        "businessNumbers are mandatory",
        "email or phone is mandatory",
        "ratings must be a list of ratings from 0 to 5",
        "businessId is mandatory",
        "events is mandatory",
    ];
    for (number, status, message) in CODES {
        for (operation, call) in calls(&client).into_iter().enumerate() {
            let answer = call
                .header("prefer", &format!("fault=e{number}"))
                .header("origin", "https://shop.test")
                .send();
            // As the dialect of the scenario says.
            let status = match (number, operation) {
                (1027, _) => 400,
                (1167, CONTACT) => 403,
                _ => status,
            };
            let message = if number == 2003 { of_2003[operation] } else { message };
            let body = format!(r#"{{"code":{number},"message":{}}}"#, Value::from(message));
            injected(&answer, status, &body);
            assert_eq!(answer.header("content-type"), Some("application/json"));
            assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
            assert_eq!(answer.header("retry-after"), None);
            assert_eq!(answer.header("allow"), (number == 405).then_some("POST"));
        }
    }
    // A fault that sets the header sends it even if the dialect omits it for real limits.
    let answer = client.qna(1).header("prefer", "fault=later").send();
    assert_eq!((answer.status, answer.header("retry-after")), (429, Some("3")));
}

#[test]
fn an_injected_2003_equals_the_answer_to_an_empty_request() {
    let (client, send) = (world(), case("over-status"));
    let empty = [
        client.locations(100).json(&json!({})),
        client.benchmark(100).json(&json!({})),
        client.contact(100).json(&json!({})),
        client.subscribe().json(&json!({"businessNumber": 100, "apiKey": "k"})),
    ];
    let again = [client.locations(100), client.benchmark(100), client.contact(100), client.subscribe()];
    for (real, asked) in empty.into_iter().zip(again) {
        let (real, asked) = (real.send(), send(asked));
        assert_eq!((real.status, asked.status), (400, 422));
        assert_eq!(real.text(), asked.text(), "{}", real.call);
    }
}

#[test]
fn injected_errors_can_override_message_and_status_and_set_retry_after() {
    let client = world();
    let answer = case("limited")(client.reviews(100));
    injected(&answer, 429, r#"{"code":89,"message":"Rate limit exceeded"}"#);
    assert_eq!(answer.header("retry-after"), Some("90"));
    injected(&case("over")(client.qna(100)), 418, r#"{"code":1161,"message":"Ungültig \"so\""}"#);
    injected(&case("over-message")(client.locations(100)), 400, r#"{"code":2003,"message":"no"}"#);
    injected(&case("made")(client.qna(100)), 402, r#"{"code":7777,"message":"Pay"}"#);
    let before = case("revoked")(client.without_key().subscribe().bytes("no JSON"));
    injected(&before, 401, r#"{"code":1161,"message":"Invalid API key"}"#);
}

#[test]
fn an_injected_status_has_exactly_the_given_body() {
    let client = world();
    let answer = case("json")(client.qna(100));
    injected(&answer, 500, r#"{"a":"é","b":[1,2.5,null]}"#);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    injected(&case("json-null")(client.qna(100)), 200, "null");
    let answer = case("text")(client.qna(100));
    injected(&answer, 502, "<h1>Bad gateway</h1>\n");
    assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
    for (empty, status) in [("empty", 503), ("none", 204)] {
        let answer = case(empty)(client.qna(100).header("origin", "https://shop.test"));
        injected(&answer, status, "");
        assert_eq!(answer.header("content-type"), None);
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    }
}

#[test]
fn a_patch_changes_the_real_answer_or_leaves_it_unchanged() {
    let (client, send) = (world(), case("patched"));
    let mut real = client.reviews(100).send().ok();
    let patched = send(client.reviews(100)).ok();
    let review = real[0].as_object_mut().unwrap();
    review.insert("rating".to_owned(), json!("five"));
    assert!(review.remove("reviewer").is_some());
    review.insert("stars".to_owned(), json!([1]));
    let comments = review.remove("comments").unwrap();
    review.insert("text".to_owned(), comments.clone());
    real.as_array_mut().unwrap().push(comments);
    assert_eq!(patched, real);
    // If the first rating differs, or there is no review, or no list, nothing is changed.
    for request in [
        || world().reviews(100).json(&json!({"statuses": ["parked"]})),
        || world().reviews(200),
        || world().reviews(999),
    ] {
        let (plain, patched) = (request().send(), send(request()));
        assert_eq!(
            (plain.status, plain.bytes, plain.headers),
            (patched.status, patched.bytes, patched.headers)
        );
    }
}

#[test]
fn malformed_json_has_the_right_content_length_and_status_200() {
    let (client, send) = (world(), case("malformed"));
    let mut lengths = std::collections::BTreeSet::new();
    for (place, business) in [100, 100, 100, 100, 100, 100, 999].into_iter().enumerate() {
        let request = || client.reviews(business).query("n", &place.to_string());
        let (plain, cut) = (request().send(), send(request()));
        assert_eq!((cut.status, cut.header("content-type")), (200, Some("application/json")));
        assert!(cut.bytes.len() < plain.bytes.len() && plain.bytes.starts_with(&cut.bytes));
        assert!(matches!(cut.bytes.last(), Some(b'{' | b'[' | b':' | b',')), "{}", cut.text());
        assert!(serde_json::from_slice::<Value>(&cut.bytes).is_err());
        assert_eq!(cut.header("content-length"), Some(cut.bytes.len().to_string().as_str()));
        lengths.insert(cut.bytes.len());
    }
    assert!(lengths.len() > 2, "where it is cut is drawn: {lengths:?}");
}

/// The trace headers of an answer: generation, attempt, draw, threshold, fault.
fn trace(answer: &Answer) -> [Option<&str>; 5] {
    ["generation", "attempt", "draw", "threshold", "fault"]
        .map(|name| answer.header(&["x-standin-", name].concat()))
}

#[test]
fn trace_headers_explain_the_decision_on_request() {
    let client = world();
    let traced =
        |request: Request, case: &str| request.header("x-standin-trace", "1").header("x-case", case).send();
    let none = [Some("1"), None, None, None, None];
    for request in [
        client.qna(100),
        client.qna(999),
        client.call("POST", "/nope"),
        client.call("GET", "/v1/qna/unanswered/get"),
    ] {
        assert_eq!(trace(&traced(request, "")), none, "no fault counts it");
    }
    assert_eq!(trace(&traced(client.qna(100), "off")), none);
    for quiet in ["0", "2", "true", ""] {
        let answer = client.qna(100).header("x-case", "trace").header("x-standin-trace", quiet).send();
        assert_eq!(trace(&answer), [None; 5], "{quiet}");
    }
    let fresh = world();
    let answers: Vec<Answer> = (0..4).map(|_| traced(fresh.qna(100), "trace")).collect();
    for (attempt, answer) in ["0", "1"].into_iter().zip(&answers) {
        let [generation, counted, draw, threshold, fault] = trace(answer);
        // The last fault that counted it is `half`, which never applies.
        assert_eq!((generation, counted, threshold, fault), (Some("1"), Some(attempt), Some("0"), None));
        assert!(["0", "0.25", "0.5", "0.75"].contains(&draw.unwrap()), "{draw:?}");
    }
    for (attempt, answer) in ["2", "3"].into_iter().zip(&answers[2..]) {
        let [generation, counted, draw, threshold, fault] = trace(answer);
        assert_eq!(
            (answer.status, generation, counted, threshold, fault),
            (503, Some("1"), Some(attempt), Some("1"), Some("counted"))
        );
        assert!((0.0..1.0).contains(&draw.unwrap().parse().unwrap()));
    }
    let mut struck = 0;
    for attempt in 0..3 {
        let answer = traced(fresh.qna(100), "blocks");
        let [_, counted, draw, threshold, fault] = trace(&answer);
        assert_eq!(counted, Some(attempt.to_string().as_str()));
        let (draw, threshold): (f64, f64) =
            (draw.unwrap().parse().unwrap(), threshold.unwrap().parse().unwrap());
        assert_eq!((draw < threshold, answer.status == 503), (fault.is_some(), fault.is_some()));
        struck += usize::from(fault.is_some());
    }
    assert_eq!(struck, 1);
}

#[test]
fn a_decision_without_chance_has_no_draw_and_a_delay_alone_is_traced() {
    let client = world();
    let traced =
        |request: Request, case: &str| request.header("x-standin-trace", "1").header("x-case", case).send();
    assert_eq!(trace(&traced(client.qna(100), "trace-plain")), [Some("1"), Some("0"), None, None, None]);
    assert_eq!(trace(&traced(client.qna(200), "trace-plain")), [Some("1"), Some("0"), None, None, None]);
    assert_eq!(
        trace(&traced(client.qna(100), "trace-plain")),
        [Some("1"), Some("1"), None, None, Some("trace-plain")]
    );
    let answer = traced(client.qna(100).header("origin", "https://shop.test"), "trace-late");
    let [_, attempt, _, threshold, fault] = trace(&answer);
    assert_eq!((attempt, threshold, fault), (Some("0"), Some("1"), Some("trace-late")), "the delay applied");
    assert_eq!(trace(&traced(client.qna(100), "trace-name"))[4], Some(r"St\u{f6}rung"));
    let exposed = answer.header("access-control-expose-headers").unwrap();
    for name in ["generation", "attempt", "draw", "threshold", "fault"] {
        assert!(exposed.contains(&["x-standin-", name].concat()), "{exposed}");
    }
}

#[test]
fn faults_neither_apply_to_preflights_nor_count_them() {
    let (client, send) = (world(), case("trace-plain"));
    let preflight = || {
        let call = client.call("OPTIONS", "/v1/qna/unanswered/get").raw_query("businessId=100");
        send(call.header("origin", "https://a.test").header("access-control-request-method", "POST")).status
    };
    assert_eq!([preflight(), preflight()], [204; 2]);
    assert_eq!(statuses(3, || send(client.qna(100))), [200, 401, 200]);
}

#[test]
fn each_world_has_its_own_counts_and_a_reset_restarts_them() {
    let (one, two) = (made(), made());
    let send = case("trace-plain");
    let status = |world: &str| send(server().world(world).with_key("k").qna(100)).status;
    assert_eq!([status(&one), status(&one), status(&two), status(&one)], [200, 401, 200, 200]);
    server().admin("POST", &format!("worlds/{one}/reset")).send().ok();
    assert_eq!([status(&two), status(&one), status(&one)], [401, 200, 401]);
}

#[test]
fn a_fault_by_fingerprint_strikes_that_request_and_its_retries_alone() {
    let (name, page) = (made(), |client: &Client, count: &str| {
        client.reviews(100).raw_query(&format!("count={count}")).send().status
    });
    let client = server().world(&name).with_key("k");
    assert_eq!([page(&client, "1"), page(&client, "2")], [200, 200]);
    let entries = server().admin("GET", &format!("worlds/{name}/requests")).send().ok();
    let print = entries[0]["fingerprint"].as_str().unwrap();
    let fault = |print: &str| json!({"when": {"fingerprint": [print, "0123456789abcdef"]}, "hits": "1-2", "then": {"status": 503}});
    server().admin("PUT", &format!("worlds/{name}/faults/one")).json(&fault(&print[..6])).send();
    let statuses = ["2", "1", "2", "1", "1"].map(|count| page(&client, count));
    assert_eq!(statuses, [200, 503, 200, 503, 200]);
    let refused = server().admin("PUT", &format!("worlds/{name}/faults/one")).json(&fault("12345")).send();
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("the first 6 to 16 hexadecimal digits"), "{}", refused.text());
}
