//! Routes through the pipeline: matching, responses, what they store, and templates over the data.

use serde_json::{Value, json};

use super::harness::{ScenarioFolder, create_world, json_of, send_with, serve, shipped};
use crate::pipeline::record::Outcome;

/// Sends `GET /v1/x?a=1`, with the key `k`.
fn send(folder: &ScenarioFolder, request: &str, body: &str) -> Outcome {
    send_with(folder, request, &[("x-api-key", "k")], body)
}

/// The status and the body of an answer.
fn answer(folder: &ScenarioFolder, request: &str) -> (u16, Value) {
    let outcome = send(folder, request, "");
    let body = if outcome.reply.body.is_empty() { Value::Null } else { json_of(&outcome) };
    (outcome.reply.status, body)
}

fn detail(outcome: &Outcome) -> &str {
    let header = outcome.reply.headers.iter().find(|(name, _)| name == "x-standin-detail");
    header.map(|(_, value)| &**value).unwrap_or_default()
}

const DATA: &str = "standin: 1
clock: {start: 2026-06-30T09:00:00Z}
businesses:
  - number: 100
    name: Group
    city: Elm
    competitors: [200]
    locations:
      - number: 1
        name: North
        reviews:
          - {id: '1', rating: 5, date: 2026-06-01, comments: Great}
          - {id: '2', rating: 4, date: 2026-06-02, source: yelp, published: false, comments: Good}
          - {id: '3', rating: 0, date: 2026-06-03, source: direct_feedback, comments: Hm}
      - {number: 2, name: South, reviews: [{generate: 300}]}
    contacts:
      - {id: 7, firstName: Ann, email: ann@x.test, businessIds: [1]}
      - {id: 8, firstName: Ben, email: ben@x.test, businessIds: [2]}
  - {number: 200, name: Rival, locations: [{number: 3, name: East}]}
";

fn with_routes(routes: &str) -> ScenarioFolder {
    serve(&format!("{DATA}routes:\n{routes}"))
}

#[test]
fn templates_read_the_data_and_a_single_expression_keeps_its_type() {
    let folder = with_routes(
        r#"
  - name: summary
    request: {method: GET, path: '/v1/sum/{id}'}
    response:
      json:
        id: "{{ path.id }}"
        count: "{{ reviews(business=path.id) | length }}"
        average: "{{ reviews(business=path.id) | rejectattr('rating', 'eq', 0) | average('rating') | round(1) }}"
        sources: "{{ reviews(business=path.id) | group('sourceType') }}"
        ratings: "{{ reviews(business=path.id) | group('rating') }}"
        first: "{{ (reviews(business=path.id) | first).reviewId }}"
        since: "{{ reviews(business=path.id, since='2026-06-02', until='2026-06-02') | map(attribute='comments') | list }}"
        page: "{{ reviews(business=path.id) | page(1, 1) | map(attribute='reviewId') | join(',') }}"
        names: "{{ locations(account=100) | sort_by('name') | map(attribute='name') | list }}"
        rivals: "{{ competitors(account=100) | map(attribute='number') | list }}"
        contacts: "{{ contacts(account=100) | map(attribute='email') | list }}"
        city: "{{ (businesses() | first).city }}"
        score: "{{ score(business=path.id) }}"
        today: "{{ today | date('%b %d, %Y') }}"
        now: "{{ now }}"
        text: "n = {{ 1 + 1 }}"
        ten: 10
        none: "{{ query.none }}"
        sum: "{{ reviews(business=path.id) | sum('rating') }}"
"#,
    );
    let (status, body) = answer(&folder, "GET /v1/sum/1");
    assert_eq!(status, 200, "{body}");
    assert_eq!(
        body,
        json!({
            "id": "1", "count": 3, "average": 4.5,
            "sources": { "Google": 1, "Yelp": 1, "Direct Feedback": 1 },
            "ratings": { "0": 1, "4": 1, "5": 1 },
            "first": "3", "since": ["Good"], "page": "2", "names": ["North", "South"], "rivals": [200],
            "contacts": ["ann@x.test", "ben@x.test"], "city": "Elm", "score": 75.0,
            "today": "Jun 30, 2026", "now": "2026-06-30T09:00:00Z", "text": "n = 2", "ten": 10, "none": null, "sum": 9,
        })
    );
    // Members stand in the order in which they are written.
    let text = send(&folder, "GET /v1/sum/1", "").reply.body;
    assert!(text.starts_with(b"{\"id\":\"1\",\"count\":3,\"average\":4.5"), "{text:?}");
    let (_, of_account) = answer(&folder, "GET /resources/v1/sum/100/");
    assert_eq!(of_account["count"], 303);
    assert_eq!(answer(&folder, "GET /v1/sum/77").1["count"], 0);
}

const TICKETS: &str = r#"
  - name: create-ticket
    request: {method: POST, path: /v1/tickets}
    store: {tickets: {key: "{{ uuid() }}", value: "{{ body }}"}}
    response: {status: 201, headers: {location: "/v1/tickets/{{ stored.key }}"}, json: "{{ stored.value | merge({'id': stored.key}) }}"}
  - name: list-tickets
    request: {method: GET, path: /v1/tickets}
    response: {json: {count: "{{ tickets | length }}", tickets: "{{ tickets | values }}"}}
  - name: one-ticket
    request: {method: GET, path: '/v1/tickets/{key}'}
    response:
      - {when: {stored: {tickets: "{{ path.key }}"}}, json: "{{ tickets[path.key] }}"}
      - {status: 404}
  - name: delete-ticket
    request: {method: DELETE, path: '/v1/tickets/{key}'}
    remove: {tickets: "{{ path.key }}"}
    response:
      - {when: {stored: {tickets: "{{ path.key }}"}}, json: {was: "{{ removed.value }}", left: "{{ tickets | length }}"}}
      - {status: 404, json: {code: 1, message: none}}
"#;

#[test]
fn what_a_route_stores_or_removes_is_seen_by_a_later_one_in_its_world() {
    let folder = with_routes(TICKETS);
    create_world(&folder, "w", None);
    let made = send(&folder, "POST /v1/tickets", r#"{"title": "a"}"#);
    assert_eq!(made.reply.status, 201);
    let id = json_of(&made)["id"].as_str().unwrap().to_owned();
    let location = format!("/v1/tickets/{id}");
    assert!(made.reply.headers.contains(&("location".into(), location.clone().into())), "{made:?}");
    let again = json_of(&send(&folder, "POST /v1/tickets", r#"{"title": "a"}"#));
    assert_ne!(again["id"], json!(id), "each attempt draws anew");
    assert_eq!(answer(&folder, &format!("GET {location}")), (200, json!({ "title": "a" })));
    assert_eq!(answer(&folder, "GET /v1/tickets").1["count"], 2);
    assert_eq!(answer(&folder, "GET /w/w/v1/tickets").1, json!({ "count": 0, "tickets": [] }));
    assert_eq!(answer(&folder, &format!("GET /w/w{location}")), (404, Value::Null));
    let other = json_of(&send(&folder, "POST /w/w/v1/tickets", r#"{"title": "a"}"#));
    assert_eq!(other["id"], json!(id), "the same request in another world draws the same");
    assert_eq!(
        answer(&folder, &format!("DELETE {location}")),
        (200, json!({ "was": { "title": "a" }, "left": 1 }))
    );
    assert_eq!(answer(&folder, &format!("DELETE {location}")).0, 404);
    assert_eq!(answer(&folder, &format!("GET /w/w{location}")).0, 200);
    folder.registry.named("w").unwrap().reset(None);
    assert_eq!(answer(&folder, "GET /w/w/v1/tickets").1["count"], 0, "a reset discards it");
}

#[test]
fn averages_are_rounded_with_halves_away_from_zero() {
    let folder = with_routes(
        r#"
  - name: rounded
    request: {method: GET, path: /v1/rounded}
    response: {json: ["{{ 4.25 | round(1) }}", "{{ 4.35 | round(precision=1) }}", "{{ 0.5 | round }}", "{{ -2.5 | round }}", "{{ 4.21 | round(1, 'ceil') }}", "{{ 3 | round(1) }}"]}
"#,
    );
    assert_eq!(answer(&folder, "GET /v1/rounded").1, json!([4.3, 4.4, 1.0, -3.0, 4.3, 3]));
}

#[test]
fn the_first_response_whose_condition_holds_answers() {
    let folder = with_routes(
        r#"
  - name: cases
    request: {method: [GET, POST], path: '/v1/cases/{id}'}
    response:
      - {when: {path: {id: ["998", "999"]}}, status: 404, json: {code: 1011, message: Invalid Business Id}}
      - {when: {query: {page: {from: 1, to: 5}}}, json: page}
      - {when: {query: {q: {matches: '^wait'}}}, json: wait}
      - {when: {header: {x-run: {present: true}}}, json: run}
      - {when: {body: {/a/b: [1, {present: false}], /c: {present: true}}}, json: body}
      - {when: {holds: "{{ reviews(business=path.id) | length > 2 }}"}, json: many}
      - {when: {path: {id: {matches: '^x'}}}, text: "plain {{ path.id }}"}
"#,
    );
    for (request, headers, body, expected) in [
        ("GET /v1/cases/999", &[][..], "", json!({ "code": 1011, "message": "Invalid Business Id" })),
        ("GET /v1/cases/5?page=3", &[], "", json!("page")),
        ("GET /v1/cases/5?q=waiting", &[], "", json!("wait")),
        ("GET /v1/cases/5", &[("x-run", "7")], "", json!("run")),
        ("POST /v1/cases/5", &[], r#"{"a": {"b": 1}, "c": 0}"#, json!("body")),
        ("POST /v1/cases/5", &[], r#"{"c": 0}"#, json!("body")),
        ("GET /v1/cases/1", &[], "", json!("many")),
    ] {
        let headers = [&[("x-api-key", "k")], headers].concat();
        let outcome = send_with(&folder, request, &headers, body);
        assert_eq!(json_of(&outcome), expected, "{request}");
    }
    let plain = send(&folder, "GET /v1/cases/x1", "");
    assert_eq!(&plain.reply.body[..], b"plain x1");
    let none = send(&folder, "GET /v1/cases/5?page=6", "");
    assert_eq!(none.reply.status, 404);
    assert!(detail(&none).contains("no condition held"), "{}", detail(&none));
}

#[test]
fn conditions_of_requests_methods_and_unknown_paths() {
    let folder = with_routes(
        r"
  - {name: one, request: {method: GET, path: /v1/thing, query: {a: [1, {matches: '^x+$'}]}}, response: {json: one}}
  - {name: two, request: {method: GET, path: /v1/thing, header: {x-a: {present: false}}, query: {b: {present: true}}}, response: {json: two}}
  - {name: three, request: {method: DELETE, path: /v1/thing}, response: {status: 204}}
",
    );
    assert_eq!(answer(&folder, "GET /v1/thing?a=1").1, "one");
    assert_eq!(answer(&folder, "GET /v1/thing?a=xx").1, "one");
    assert_eq!(answer(&folder, "GET /v1/thing?a=2&b=1").1, "two");
    let none = send(&folder, "GET /v1/thing", "");
    assert_eq!((none.reply.status, detail(&none)), (404, "no condition held"));
    let other = send(&folder, "PUT /v1/thing", "");
    assert_eq!(other.reply.status, 405);
    assert!(other.reply.headers.contains(&("allow".into(), "GET, DELETE".into())), "{other:?}");
    let near = send(&folder, "GET /v1//Thing/", "");
    assert_eq!(
        (near.reply.status, detail(&near)),
        (404, "nothing is at /v1//Thing/; did you mean /v1/thing?")
    );
    let entries = folder.registry.named("a").unwrap().run().journal.read().entries;
    let unmatched: Vec<bool> = entries.iter().map(|entry| entry.facts.unmatched).collect();
    assert_eq!(unmatched, [false, false, false, false, false, true]);
    assert_eq!(entries[0].facts.operation().unwrap().name(), "route:one");
    assert_eq!(entries[3].facts.notes, ["no condition held"]);
}

#[test]
fn keys_limits_and_faults_strike_routes_as_they_do_operations() {
    let folder = serve(
        r#"standin: 1
clock: {start: 2026-06-30T09:00:00Z}
keys: [{key: k, name: ci, rate_limit: 3 per 1m}, {key: gone, revoked: true}]
businesses: [{number: 100, name: A}]
faults:
  - {name: slow, operation: route:thing, when: {business: 100}, hits: 2, then: {status: 503, json: {down: true}}}
routes:
  - {name: thing, request: {method: GET, path: '/v1/thing/{id}'}, response: {json: {key: "{{ key }}", name: "{{ key.name }}", keys: "{{ key.accounts }}"}}}
  - {name: open, request: {method: GET, path: /v1/open, key: optional}, response: {json: "{{ key }}"}}
"#,
    );
    let code = |headers: &[(&str, &str)]| {
        let outcome = send_with(&folder, "GET /v1/thing/100", headers, "");
        (outcome.reply.status, json_of(&outcome)["code"].as_u64())
    };
    assert_eq!(code(&[]), (401, Some(1167)));
    // The second request with that business.
    assert_eq!(code(&[("x-api-key", "gone")]), (503, None));
    assert_eq!(code(&[("x-api-key", "gone")]), (401, Some(1161)));
    let (status, body) = answer(&folder, "GET /v1/thing/100");
    assert_eq!((status, body), (200, json!({ "key": "k", "name": "ci", "keys": null })));
    for _ in 0..2 {
        assert_eq!(code(&[("x-api-key", "k")]).0, 200);
    }
    assert_eq!(code(&[("x-api-key", "k")]), (429, Some(89)));
    assert_eq!(send_with(&folder, "GET /v1/open", &[], "").reply.status, 200);
    assert_eq!(send_with(&folder, "GET /v1/open", &[("x-api-key", "gone")], "").reply.status, 200);
}

#[test]
fn drawn_values_are_a_function_of_seed_request_and_attempt() {
    let text = format!(
        "{DATA}routes:\n  - {{name: d, request: {{method: GET, path: /v1/d}}, response: {{json: [\"{{{{ uuid() }}}}\", \"{{{{ uuid() }}}}\", \"{{{{ number(1, 6) }}}}\", \"{{{{ pick(['a', 'b']) }}}}\", \"{{{{ name() }}}}\"]}}}}\n"
    );
    let (one, other) = (serve(&text), serve(&text));
    let first = answer(&one, "GET /v1/d").1;
    assert_eq!(first, answer(&other, "GET /v1/d").1);
    assert_ne!(first[0], first[1], "each draw is one of its own");
    assert_ne!(first, answer(&one, "GET /v1/d").1, "so is each attempt");
    assert_eq!(first[0].as_str().unwrap().len(), 36);
    assert!((1..=6).contains(&first[2].as_i64().unwrap()), "{first}");
}

#[test]
fn removed_contacts_and_subscriptions_are_gone_for_the_operations_too() {
    let folder = with_routes(
        r#"
  - name: delete-contact
    request: {method: DELETE, path: '/v1/customer/id/{id}'}
    remove: {contacts: "{{ path.id }}"}
    response:
      - when: {holds: "{{ contacts() | selectattr('id', 'eq', path.id | int) | list | length == 0 }}"}
        status: 400
        json: {code: 1089, message: Customer id is invalid.}
      - json: {email: "{{ removed.value.email }}", left: "{{ contacts(account=100) | length }}"}
  - name: unsubscribe
    request: {method: GET, path: '/v1/subscriptions/unsubscribe/{id}'}
    remove: {subscriptions: "{{ path.id }}"}
    response: {json: {left: "{{ subscriptions() }}"}}
"#,
    );
    assert_eq!(
        answer(&folder, "DELETE /v1/customer/id/7"),
        (200, json!({ "email": "ann@x.test", "left": 1 }))
    );
    assert_eq!(answer(&folder, "DELETE /v1/customer/id/7").0, 400);
    let body = json!({ "email": "ann@x.test", "businessIds": [1] });
    let made = folder.call("/v1/contact/external/preferences/saveCustomer", "", "100", &body);
    assert_ne!(made["id"], 7, "the removed contact is not found");
    let subscribe = json!({ "businessNumber": "100", "apiKey": "k", "events": ["message.added"], "endpoint": "http://127.0.0.1:1/x" });
    for id in 1..=2 {
        let made = folder.call("/v1/messenger/subscribe/webhook/event", "", "", &subscribe);
        assert_eq!(made["subscriptionId"], id);
    }
    let left = answer(&folder, "GET /v1/subscriptions/unsubscribe/2").1;
    assert_eq!(left["left"].as_array().unwrap().len(), 1);
    let made = folder.call("/v1/messenger/subscribe/webhook/event", "", "", &subscribe);
    assert_eq!(made["subscriptionId"], 3, "an id is not given again");
}

#[test]
fn requests_in_parallel_store_one_after_the_other() {
    let folder = with_routes(
        r#"
  - name: next
    request: {method: POST, path: /v1/next}
    store: {numbers: {key: "{{ numbers | length + 1 }}", value: "{{ body.by }}"}}
    response: {json: "{{ stored.key }}"}
"#,
    );
    let taken: Vec<u64> = std::thread::scope(|scope| {
        let send = |by: u32| {
            let body = json!({ "by": by }).to_string();
            let answer = send(&folder, "POST /v1/next", &body);
            json_of(&answer).as_str().unwrap().parse::<u64>().unwrap()
        };
        let threads = (0..4).map(|by| scope.spawn(move || (0..50).map(|_| send(by)).collect::<Vec<_>>()));
        let threads: Vec<_> = threads.collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let distinct: std::collections::BTreeSet<u64> = taken.iter().copied().collect();
    assert_eq!(distinct, (1..=200).collect());
}

#[test]
fn a_response_that_fails_leaves_all_as_it_was() {
    let folder = with_routes(
        r#"
  - name: broken-writes
    request: {method: POST, path: /v1/broken}
    store:
      notes: {key: "{{ body.key }}", value: "{{ body.value }}"}
    response: {json: "{{ body.value // body.by }}"}
  - name: broken-removal
    request: {method: DELETE, path: '/v1/broken/{key}'}
    remove: {notes: "{{ path.key }}", contacts: '7', subscriptions: '1'}
    response: {json: "{{ 1 // (query.by | int) }}"}
  - name: notes
    request: {method: GET, path: /v1/notes}
    response:
      json:
        notes: "{{ notes | items }}"
        contacts: "{{ contacts() | map(attribute='firstName') | list }}"
        subscriptions: "{{ subscriptions() | map(attribute='subscriptionId') | list }}"
"#,
    );
    for _ in 1..=2 {
        let subscribe = json!({ "businessNumber": "100", "apiKey": "k", "events": ["message.added"], "endpoint": "http://127.0.0.1:1/x" });
        folder.call("/v1/messenger/subscribe/webhook/event", "", "", &subscribe);
    }
    let put = |key: &str, value: u32, by: u32| {
        let body = json!({ "key": key, "value": value, "by": by }).to_string();
        send(&folder, "POST /v1/broken", &body).reply.status
    };
    assert_eq!((put("a", 1, 1), put("b", 2, 1)), (200, 200));
    let written = json!({ "email": "ann@x.test", "firstName": "Anna", "businessIds": [1] });
    assert_eq!(folder.call("/v1/contact/external/preferences/saveCustomer", "", "100", &written)["id"], 7);
    let all = answer(&folder, "GET /v1/notes").1;
    let expected =
        json!({ "notes": [["a", 1], ["b", 2]], "contacts": ["Anna", "Ben"], "subscriptions": [1, 2] });
    assert_eq!(all, expected);
    assert_eq!((put("a", 9, 0), put("c", 9, 0)), (500, 500));
    assert_eq!(answer(&folder, "GET /v1/notes").1, expected);
    assert_eq!(send(&folder, "DELETE /v1/broken/a?by=0", "").reply.status, 500);
    assert_eq!(answer(&folder, "GET /v1/notes").1, expected);
    assert_eq!(send(&folder, "DELETE /v1/broken/a?by=1", "").reply.status, 200);
    let left = json!({ "notes": [["b", 2]], "contacts": ["Ben"], "subscriptions": [2] });
    assert_eq!(answer(&folder, "GET /v1/notes").1, left);
}

#[test]
fn a_schema_decides_which_requests_are_valid() {
    let folder = with_routes(
        r#"
  - name: checkin
    request:
      method: POST
      path: /v1/customer/checkin
      schema:
        query: {required: [bid], properties: {bid: {type: integer, minimum: 1}, kind: {enum: [a, b]}, flag: {type: boolean}}}
        body: {type: object, required: [name], properties: {name: {type: string, minLength: 1}, n: {type: integer, maximum: 3}}}
    store: {checkins: {key: "{{ body.name }}", value: 1}}
    response:
      - {when: {valid: false}, status: 400, json: {code: 1142, message: Customer name cannot be blank}}
      - {json: {count: "{{ checkins | length }}"}}
"#,
    );
    for (query, body, why) in [
        ("bid=1", r#"{"name": "a", "n": 3}"#, ""),
        ("bid=1&flag=TRUE&kind=b", r#"{"name": "b"}"#, ""),
        ("", r#"{"name": "a"}"#, "query: \"bid\" is a required property"),
        ("bid=x", r#"{"name": "a"}"#, "query/bid: "),
        ("bid=0", r#"{"name": "a"}"#, "query/bid: "),
        ("bid=1&kind=c", r#"{"name": "a"}"#, "query/kind: "),
        ("bid=1", r#"{"name": ""}"#, "body/name: "),
        ("bid=1", r#"{"name": "a", "n": 4}"#, "body/n: "),
        ("bid=1", "", "the body is missing"),
        ("bid=1", "nope", "the body is not JSON"),
    ] {
        let outcome = send(&folder, &format!("POST /v1/customer/checkin?{query}"), body);
        assert_eq!(outcome.reply.status, if why.is_empty() { 200 } else { 400 }, "{query} {body}");
        assert!(detail(&outcome).starts_with(why), "{}", detail(&outcome));
    }
    let count = send(&folder, "POST /v1/customer/checkin?bid=1", r#"{"name": "a"}"#);
    assert_eq!(json_of(&count)["count"], 2, "a refusal stores nothing");
}

#[test]
fn a_malformed_body_is_2466_unless_a_response_is_for_requests_that_do_not_fit() {
    let folder = with_routes(
        r#"
  - name: without
    request: {method: POST, path: /v1/without, schema: {body: {type: object}}}
    response: [{when: {valid: true}, json: 1}, {json: 2}]
  - name: literal
    request: {method: POST, path: /v1/literal}
    response: {json: 1}
  - name: with
    request: {method: POST, path: /v1/with, schema: {query: {properties: {n: {type: integer}}}}}
    store: {notes: {key: a, value: "{{ body }}"}}
    response:
      - {when: {query: {old: '1'}}, json: 3}
      - {when: {valid: false, query: {n: '1'}}, status: 422, json: {why: one}}
      - {when: {valid: false}, status: 409, json: {why: other}}
      - {json: "{{ notes | length }}"}
"#,
    );
    let of = |target: &str, media: &str, body: &str| {
        let headers = [("x-api-key", "demo-key"), ("content-type", media)];
        let outcome = send_with(&folder, &format!("POST {target}"), &headers, body);
        (outcome.reply.status, String::from_utf8_lossy(&outcome.reply.body).into_owned())
    };
    let json = "application/json; charset=utf-8";
    for path in ["/v1/without", "/v1/literal", "/v1/with?old=1"] {
        let (status, body) = of(path, json, "{");
        assert_eq!(status, 400, "{path}");
        assert!(body.contains("2466"), "{path}: {body}");
    }
    assert_eq!(of("/v1/with?n=1", json, "{"), (422, r#"{"why":"one"}"#.to_owned()));
    assert_eq!(of("/v1/with", "application/merge-patch+json", "{"), (409, r#"{"why":"other"}"#.to_owned()));
    // Lines of JSON are no JSON, and neither is a text.
    assert_eq!(of("/v1/with", "application/x-ndjson", "{}\n{}"), (200, "1".to_owned()));
    assert_eq!(of("/v1/literal", "text/plain", "{"), (200, "1".to_owned()));
}

#[test]
fn a_template_that_fails_or_has_too_much_to_do_is_500_and_says_where() {
    let folder = with_routes(
        r#"
  - {name: bad, request: {method: GET, path: /v1/bad}, response: {json: {a: "{{ 1 / 0 }}"}}}
  - {name: long, request: {method: GET, path: /v1/long}, response: {json: "{% for i in range(99999) %}{{ i }}{% endfor %}"}}
  - {name: all, request: {method: GET, path: /v1/all}, response: {json: "{{ reviews() | map(attribute='comments') | list | length }}"}}
"#,
    );
    for (path, why) in [("/v1/bad", "route:bad: its response: line 1"), ("/v1/long", "fuel")] {
        let outcome = send(&folder, &format!("GET {path}"), "");
        assert_eq!(outcome.reply.status, 500);
        assert!(detail(&outcome).contains(why), "{}", detail(&outcome));
    }
    assert_eq!(answer(&folder, "GET /v1/all"), (200, json!(303)));
}

#[test]
fn presets_of_the_dialect_are_those_of_the_published_documentation() {
    let status =
        |folder: &ScenarioFolder, world: &str, request: &str, headers: &[(&str, &str)], body: &str| {
            let (method, target) = request.split_once(' ').unwrap();
            let outcome = send_with(folder, &format!("{method} /w/{world}{target}"), headers, body);
            (outcome.reply.status, json_of(&outcome)["code"].as_u64(), detail(&outcome).to_owned())
        };
    let key = [("x-api-key", "demo-key"), ("x-business-number", "100")];
    let folder = shipped("as-published");
    let of = |request: &str, headers: &[(&str, &str)], body: &str| {
        let (status, code, _) = status(&folder, "as-published", request, headers, body);
        (status, code)
    };
    let reviews = "POST /v1/review/businessId/100";
    assert_eq!(of(&format!("{reviews}?sindex=0&count=1"), &[], ""), (400, Some(1167)));
    assert_eq!(of("POST /v1/contact/external/preferences/saveCustomer", &[], ""), (400, Some(1167)));
    assert_eq!(of("POST /v1/qna/unanswered/get?businessId=100", &[], ""), (401, Some(1167)));
    assert_eq!(of("GET /v1/business/1001", &[], ""), (401, Some(1167)), "presets do not touch routes");
    assert_eq!(of(&format!("{reviews}?sindex=0&count=-1"), &key, ""), (401, Some(1164)));
    assert_eq!(of(&format!("{reviews}?sindex=0&count=1"), &key, "nope"), (401, Some(2466)));
    assert_eq!(of(&format!("{reviews}?count=1"), &key, ""), (400, Some(2003)));
    assert_eq!(of(&format!("{reviews}?sindex=0"), &key, ""), (400, Some(2003)));
    let message = send_with(&folder, &format!("POST /w/as-published{}", &reviews[5..]), &key, "");
    assert_eq!(json_of(&message)["message"], "sindex is mandatory");
    let day = |competitor: &str, number: u64, to: &str| {
        let body = json!({ "fromDate": "06/29/2026", "toDate": to, "statuses": ["all"] }).to_string();
        let request =
            format!("POST /w/as-published/v1/review/businessId/{number}?sindex=0&count=100{competitor}");
        json_of(&send_with(&folder, &request, &key, &body)).as_array().unwrap().len()
    };
    assert_eq!(day("", 100, "06/29/2026"), 0, "exclusive for own reviews");
    assert!(day("", 100, "06/30/2026") > 0);

    let folder = shipped("legacy");
    let with_key = format!("{reviews}?api_key=demo-key");
    assert_eq!(status(&folder, "legacy", &with_key, &[], "").0, 200);
    let folder = shipped("demo");
    let (refused, code, detail) = status(&folder, "demo", &with_key, &[], "");
    assert_eq!((refused, code), (401, Some(1167)));
    assert!(detail.contains("api_key") && detail.contains("query_api_key: accept"), "{detail}");
    let (_, code, detail) = status(&folder, "demo", &with_key, &[("x-api-key", "other")], "");
    assert_eq!(code, Some(1161));
    assert!(
        detail.contains("not one of the scenario's; `api_key` in the query is no longer read"),
        "{detail}"
    );
    let subscribe = "POST /v1/messenger/subscribe/webhook/event?api_key=demo-key";
    let (_, code, detail) = status(&folder, "demo", subscribe, &[], "{}");
    assert_eq!(code, Some(1167));
    assert!(detail.contains("`apiKey` in the body"), "{detail}");
}

#[test]
fn filters_that_can_match_nothing_are_noted_and_node_is_no_browser() {
    let folder = shipped("demo");
    let note = |headers: &[(&str, &str)], body: Value| {
        let headers = [&[("x-api-key", "demo-key")], headers].concat();
        send_with(&folder, "POST /v1/review/businessId/100", &headers, &body.to_string());
        let entries = folder.registry.default_world().run().journal.read().entries;
        crate::journal::notes::of(&entries).pop().unwrap()
    };
    assert_eq!(
        note(&[], json!({ "fromDate": "06/02/2026", "toDate": "06/02/2026", "sources": ["Google"] })),
        [""; 0]
    );
    assert_eq!(
        note(&[], json!({ "fromDate": "06/03/2026", "toDate": "06/02/2026" })),
        ["fromDate is after toDate, so that nothing can match"]
    );
    assert_eq!(
        note(&[], json!({ "fromDate": "01/01/2999" })),
        [
            "fromDate is after the world's day, 2026-06-30, so that nothing but records of the future can match"
        ]
    );
    assert_eq!(
        note(&[], json!({ "fromDate": "06/03/2026", "updateToDate": "06/02/2026" })),
        ["updateToDate is before fromDate, so that nothing can match"]
    );
    assert_eq!(
        note(&[], json!({ "toDate": "01/01/2001" })),
        ["no review is from these days and sources; without them there are some"]
    );
    assert_eq!(
        note(&[], json!({ "sources": ["gogle"] })),
        ["sources: gogle is no source of this scenario, so that nothing can match"]
    );
    assert_eq!(
        note(&[], json!({ "sources": ["google", "x"] })),
        ["sources: x is no source of this scenario"]
    );
    assert_eq!(note(&[("sec-fetch-mode", "cors")], json!({ "ratings": [1] })), [""; 0]);
    assert_eq!(note(&[("sec-fetch-site", "same-origin")], json!({ "ratings": [2] })).len(), 1);
}
