//! Webhook events and their delivery to real receivers, on a frozen clock.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Answer, Server, now, wait_until, write};
use crate::receiver::{Receiver, Response};

const BASE: &str = "standin: 1\nname: hooks\nseed: 9\nclock: {start: 2026-06-30T09:00:00Z, mode: frozen}
keys: [{key: k, name: demo}]
businesses:
  - number: 100
    name: A
    locations: [{number: 1001, name: L}]
    contacts: [{id: 7001, firstName: Michael, email: michael@first.test, businessIds: [1001]}]
  - {number: 200, name: B, locations: [{number: 2001, name: M}]}
";
const RETRY: &str = "retry: {attempts: 3, first: 10s, factor: 2, jitter: 0%, timeout: 300ms}";
const ALL: [&str; 5] =
    ["conversation.created", "conversation.updated", "message.added", "conversation.closed", "x.y"];

/// Serves a scenario with those `webhooks`.
fn of(webhooks: &str) -> Server {
    Server::of(&[("hooks.yaml", &format!("{BASE}webhooks: {{events: {{x.y: {{}}}}, {webhooks}}}\n"))], &[])
}

fn subscribe(server: &Server, world: &str, endpoint: &str) -> u64 {
    let body = json!({"businessNumber": "100", "apiKey": "k", "events": ALL, "endpoint": endpoint});
    server.world(world).subscribe().json(&body).send().ok()["subscriptionId"].as_u64().unwrap()
}

fn emit(server: &Server, world: &str, body: &Value) -> Answer {
    server.admin("POST", &format!("worlds/{world}/events")).json(body).send()
}

fn message(server: &Server, conversation: &str) -> Answer {
    emit(server, "hooks", &json!({"event": "message.added", "business": 100, "conversation": conversation}))
}

fn advance(server: &Server, world: &str, span: &str) -> Value {
    server.admin("POST", &format!("worlds/{world}/clock")).json(&json!({"advance": span})).send().ok()
}

fn deliveries(server: &Server, world: &str) -> Vec<Value> {
    server.admin("GET", &format!("worlds/{world}/deliveries")).send().ok().as_array().unwrap().clone()
}

/// Short forms of the deliveries: status, reason, and for each attempt the second since the start and the result.
fn summaries(server: &Server) -> Vec<String> {
    let attempt = |attempt: &Value| {
        let at = attempt["at"].as_str().unwrap();
        let (minutes, seconds): (u32, u32) = (at[14..16].parse().unwrap(), at[17..19].parse().unwrap());
        let result =
            attempt["response"]["status"].as_u64().map_or("error".to_owned(), |status| status.to_string());
        format!("{}s {result}", minutes * 60 + seconds)
    };
    let line = |delivery: &Value| {
        let attempts: Vec<String> = delivery["attempts"].as_array().unwrap().iter().map(attempt).collect();
        let reason = delivery["reason"].as_str().map(|reason| format!(" ({reason})")).unwrap_or_default();
        format!("{}{reason}: {}", delivery["status"].as_str().unwrap(), attempts.join(", "))
    };
    deliveries(server, "hooks").iter().map(line).collect()
}

#[test]
fn a_delivery_is_retried_on_the_worlds_clock_until_it_is_answered_2xx() {
    let server = of(RETRY);
    let receiver = Receiver::new(&[Response::Answer(500), Response::Reset, Response::Answer(204)]);
    subscribe(&server, "hooks", &receiver.url);
    assert_eq!(message(&server, "c").json["deliveries"], 1);
    advance(&server, "hooks", "0s");
    assert_eq!(summaries(&server), ["pending: 0s 500"]);
    advance(&server, "hooks", "9s");
    assert_eq!(receiver.summaries().len(), 1, "nothing before it is due");
    advance(&server, "hooks", "60s");
    assert_eq!(summaries(&server), ["delivered: 0s 500, 10s error, 30s 204"]);
    let [delivery] = &deliveries(&server, "hooks")[..] else { panic!() };
    let [first, second, third] = &delivery["attempts"].as_array().unwrap()[..] else { panic!() };
    assert_eq!(first["request"]["method"], "POST");
    assert_eq!(first["request"]["url"], receiver.url);
    assert_eq!(first["request"]["headers"]["content-type"], "application/json");
    assert_eq!(first["request"]["body"], receiver.requests()[0].json);
    assert_eq!((&first["response"]["status"], &first["response"]["body"]), (&json!(500), &json!("ok")));
    assert!(second["error"].as_str().unwrap().contains("reset"), "{second}");
    assert!(third["durationMs"].as_f64().unwrap() > 0.0 && third["error"].is_null());
    let request = &receiver.requests()[0];
    assert_eq!(request.header("user-agent"), format!("standin-webhooks/{}", env!("CARGO_PKG_VERSION")));
    assert_eq!(request.header("host"), receiver.url["http://".len()..].trim_end_matches("/hook"));
}

#[test]
fn a_delivery_whose_last_attempt_fails_is_dead() {
    let server = of(RETRY);
    let hangs = Receiver::new(&[Response::Hang]);
    let redirects = Receiver::new(&[Response::Answer(302)]);
    for receiver in [&hangs, &redirects] {
        subscribe(&server, "hooks", &receiver.url);
    }
    message(&server, "c");
    advance(&server, "hooks", "60s");
    assert_eq!(
        summaries(&server),
        [
            "dead (the last of 3 attempts: no answer within 300ms): 0s error, 10s error, 30s error",
            "dead (the last of 3 attempts: answered 302): 0s 302, 10s 302, 30s 302"
        ]
    );
    assert_eq!(redirects.requests().len(), 3, "redirects are not followed");
}

#[test]
fn a_conversation_is_delivered_in_order_and_does_not_delay_others() {
    let server = of(RETRY);
    let receiver = Receiver::new(&[Response::Answer(500), Response::Answer(200)]);
    subscribe(&server, "hooks", &receiver.url);
    message(&server, "slow");
    advance(&server, "hooks", "0s");
    for conversation in ["slow", "other", "slow"] {
        message(&server, conversation);
    }
    advance(&server, "hooks", "0s");
    assert_eq!(receiver.summaries(), ["message.added slow 1", "message.added other 1"]);
    advance(&server, "hooks", "10s");
    let rest = ["message.added slow 1", "message.added slow 2", "message.added slow 3"];
    assert_eq!(receiver.summaries()[2..], rest);
}

#[test]
fn the_same_seed_gives_the_same_deliveries_with_the_same_faults() {
    let server = of(
        "retry: {attempts: 4, first: 10s, jitter: 50%, timeout: 1s}, faults: [{chance: 30%, then: duplicate}, {chance: 30%, then: reorder}, {chance: 20%, then: truncate}]",
    );
    let run = |name: &str, seed: u64| {
        assert_eq!(
            server.admin("POST", "worlds").json(&json!({"name": name, "seed": seed})).send().status,
            201
        );
        let receiver = Receiver::new(&[Response::Answer(200)]);
        subscribe(&server, name, &receiver.url);
        for turn in 0..30 {
            let body =
                json!({"event": "message.added", "business": 100, "conversation": format!("c{}", turn % 3)});
            assert_eq!(emit(&server, name, &body).status, 202);
            // One at a time, so that the order of conversations is fixed.
            advance(&server, name, "2s");
        }
        advance(&server, name, "10m");
        let requests: Vec<String> = receiver
            .requests()
            .iter()
            .map(|request| format!("{} {}", request.summary(), String::from_utf8_lossy(&request.body)))
            .collect();
        let ids: Vec<Value> =
            deliveries(&server, name).iter().map(|delivery| delivery["id"].clone()).collect();
        (requests, ids)
    };
    let (first, second, other) = (run("one", 9), run("two", 9), run("three", 10));
    assert!(first == second, "the same twice");
    assert!(first.0 != other.0, "another seed gives other deliveries");
    assert!(first.0.len() > 30, "some requests are repeated or truncated");
}

#[test]
fn standard_webhooks_signatures_verify_and_a_forged_one_does_not() {
    let secret = "whsec_c3RhbmRpbi1zdGFuZGluLXN0YW5kaW4=";
    let server = of(&format!(
        "{RETRY}, signing: {{scheme: standard-webhooks, secret: {secret}}}, faults: [{{event: x.y, per: delivery, hits: 1, then: bad-signature}}]"
    ));
    let receiver = Receiver::new(&[Response::Answer(200), Response::Answer(401), Response::Answer(200)]);
    subscribe(&server, "hooks", &receiver.url);
    message(&server, "c");
    advance(&server, "hooks", "0s");
    emit(&server, "hooks", &json!({"event": "x.y", "business": 100}));
    advance(&server, "hooks", "10s");
    let verifier = standardwebhooks::Webhook::new(secret).unwrap();
    let good = |at: usize| {
        let request = &receiver.requests()[at];
        let mut headers = ureq::http::HeaderMap::new();
        for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
            headers.insert(name, request.header(name).parse().unwrap());
        }
        assert_eq!(request.header("webhook-id"), request.json["eventId"].as_str().unwrap());
        verifier.verify(&request.body, &headers).is_ok()
    };
    assert_eq!([good(0), good(1), good(2)], [true, false, true], "the clock is frozen in the past");
}

#[test]
fn signatures_can_use_the_worlds_time() {
    let secret = "whsec_c3RhbmRpbi1zdGFuZGluLXN0YW5kaW4=";
    let server = of(&format!("signing: {{scheme: standard-webhooks, secret: {secret}, timestamp: world}}"));
    let receiver = Receiver::new(&[Response::Answer(200)]);
    subscribe(&server, "hooks", &receiver.url);
    message(&server, "c");
    advance(&server, "hooks", "0s");
    let request = &receiver.requests()[0];
    assert_eq!(request.header("webhook-timestamp"), "1782810000");
    let verifier = standardwebhooks::Webhook::new(secret).unwrap();
    let signed = verifier.sign(request.header("webhook-id"), 1_782_810_000, &request.body).unwrap();
    assert_eq!(request.header("webhook-signature"), signed);
}

#[test]
fn each_fault_does_what_it_says() {
    let server = of(&format!(
        "{RETRY}, faults: [
          {{when: {{conversation: twice}}, then: duplicate}},
          {{when: {{conversation: never}}, then: drop}},
          {{when: {{conversation: late}}, hits: 1, then: {{delay: 5s}}}},
          {{when: {{conversation: swapped}}, hits: 1, then: reorder}},
          {{when: {{conversation: strange}}, then: unknown-event}},
          {{when: {{conversation: cut}}, per: delivery, hits: 1, then: truncate}}]"
    ));
    let receiver = Receiver::new(&[Response::Answer(200)]);
    subscribe(&server, "hooks", &receiver.url);
    let after = |conversations: &[&str], span: &str| {
        let before = receiver.requests().len();
        for conversation in conversations {
            message(&server, conversation);
        }
        advance(&server, "hooks", span);
        receiver.summaries()[before..].to_vec()
    };
    assert_eq!(after(&["twice"], "0s"), ["message.added twice 1"; 2]);
    let ids: Vec<Value> = receiver.requests().iter().map(|request| request.json["eventId"].clone()).collect();
    assert_eq!(ids[0], ids[1]);
    assert!(after(&["never"], "60s").is_empty());
    assert_eq!(summaries(&server)[1], "dead (fault: drop): ");
    assert_eq!(after(&["late", "late"], "4s"), ["message.added late 2"], "overtaken");
    assert_eq!(after(&[], "1s"), ["message.added late 1"]);
    assert_eq!(
        after(&["swapped", "swapped", "swapped"], "0s"),
        ["message.added swapped 2", "message.added swapped 1", "message.added swapped 3"]
    );
    assert_eq!(after(&["strange"], "0s"), ["message.added strange 1", "standin.unknown strange 1"]);
    let whole = after(&["cut"], "10s");
    assert_eq!(whole, ["- - 0", "message.added cut 1"]);
    let requests = receiver.requests();
    let [cut, healed] = &requests[requests.len() - 2..] else { panic!() };
    assert_eq!(cut.header("content-length"), healed.body.len().to_string());
    assert_eq!(cut.body, healed.body[..healed.body.len() / 2]);
}

#[test]
fn a_reordered_delivery_without_a_successor_is_sent_alone() {
    let server = of("faults: [{then: reorder, hits: 1}]");
    let receiver = Receiver::new(&[Response::Answer(200)]);
    subscribe(&server, "hooks", &receiver.url);
    message(&server, "c");
    advance(&server, "hooks", "900ms");
    assert!(receiver.requests().is_empty());
    advance(&server, "hooks", "100ms");
    assert_eq!(receiver.summaries(), ["message.added c 1"]);
}

#[test]
fn many_events_reach_every_endpoint_once_and_in_order_while_one_hangs() {
    const EVENTS: usize = 1_000;
    let server = of("retry: {attempts: 2, first: 1h, jitter: 0%, timeout: 60s}");
    let hangs = Receiver::new(&[Response::Hang]);
    subscribe(&server, "hooks", &hangs.url);
    let receivers: Vec<Receiver> = (0..3).map(|_| Receiver::new(&[Response::Answer(200)])).collect();
    for receiver in &receivers {
        subscribe(&server, "hooks", &receiver.url);
    }
    thread::scope(|scope| {
        for thread in 0..4 {
            let server = &server;
            scope.spawn(move || {
                for turn in 0..EVENTS / 4 {
                    let conversation = format!("c{thread}x{}", turn % 25);
                    assert_eq!(message(server, &conversation).json["deliveries"], 4);
                }
            });
        }
    });
    for receiver in &receivers {
        wait_until("all requests have arrived", || receiver.requests().len() == EVENTS);
        let mut by_conversation: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for request in receiver.requests() {
            let summary = request.summary();
            let (conversation, nth) = summary["message.added ".len()..].split_once(' ').unwrap();
            by_conversation.entry(conversation.to_owned()).or_default().push(nth.parse().unwrap());
        }
        assert_eq!(by_conversation.len(), 100);
        assert!(
            by_conversation.values().all(|request| *request == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
            "once each, and in order"
        );
    }
    assert_eq!(hangs.requests().len(), 1, "one at a time");
    let began = now();
    let clock = advance(&server, "hooks", "1s");
    assert!(
        clock["pending"].as_u64().unwrap() >= EVENTS as u64 && clock["now"] == "2026-06-30T09:00:01Z",
        "{clock}"
    );
    assert!(began.elapsed() < Duration::from_secs(15));
}

#[test]
fn deliveries_to_forbidden_targets_are_dead_at_once_and_say_why() {
    let server = of("");
    let own = server.base.clone();
    let port = own.rsplit(':').next().unwrap().to_owned();
    let own_names = [
        format!("{own}/__admin/worlds"),
        format!("http://localhost:{port}/__admin/worlds"),
        format!("http://[::1]:{port}/"),
        format!("http://2130706433:{port}/"),
    ];
    for endpoint in &own_names {
        subscribe(&server, "hooks", endpoint);
    }
    subscribe(&server, "hooks", "http://user:pass@127.0.0.1:9/");
    emit(&server, "hooks", &json!({"event": "x.y", "business": 100}));
    advance(&server, "hooks", "0s");
    let all = deliveries(&server, "hooks");
    for delivery in &all[..4] {
        let reason = delivery["reason"].as_str().unwrap();
        assert!(
            delivery["status"] == "dead" && reason == "the endpoint is Standin's own address",
            "{delivery}"
        );
        assert_eq!(delivery["attempts"], json!([]), "nothing was sent");
    }
    assert!(all[4]["reason"].as_str().unwrap().contains("user name"));
    assert_eq!(server.admin("GET", "worlds").send().ok().as_array().unwrap().len(), 1);
}

#[test]
fn nothing_is_delivered_to_a_subscription_of_a_foreign_web_page_whatever_key_it_knows() {
    let without_keys = BASE.replace("keys: [{key: k, name: demo}]\n", "");
    for base in [BASE, &without_keys] {
        let text = format!("{base}webhooks: {{allow: ['*', 127.0.0.1]}}\n");
        let server = Server::of(&[("hooks.yaml", &text)], &[]);
        let receiver = Receiver::new(&[Response::Answer(200)]);
        let body =
            json!({"businessNumber": "100", "apiKey": "k", "events": ALL[..1], "endpoint": receiver.url});
        let page = || server.client().subscribe().json(&body);
        page().header("origin", "http://evil.test").send().ok();
        page().header("origin", "null").send().ok();
        page().header("sec-fetch-site", "cross-site").send().ok();
        page().header("origin", "http://localhost:3000").header("sec-fetch-site", "cross-site").send().ok();
        page().send().ok();
        let event = json!({"event": "conversation.created", "business": 100, "conversation": "c"});
        emit(&server, "hooks", &event);
        advance(&server, "hooks", "0s");
        let all = deliveries(&server, "hooks");
        let status: Vec<&str> = all.iter().map(|delivery| delivery["status"].as_str().unwrap()).collect();
        assert_eq!(status, ["dead", "dead", "dead", "delivered", "delivered"]);
        assert!(all[0]["reason"].as_str().unwrap().contains("foreign web page"), "{}", all[0]);
        assert_eq!(receiver.requests().len(), 2);
    }
}

#[test]
fn dead_deliveries_that_there_is_no_room_to_keep_are_counted_too() {
    const EVENTS: u64 = 40;
    let server = of("retry: {attempts: 1}");
    subscribe(&server, "hooks", "http://10.0.0.1/");
    for _ in 0..EVENTS {
        let text = "x".repeat(900_000);
        emit(&server, "hooks", &json!({"event": "x.y", "business": 100, "data": {"text": text}}));
        advance(&server, "hooks", "0s");
    }
    let list = server.admin("GET", "worlds/hooks/deliveries").query("limit", "1").send();
    let number = |name: &str| list.header(name).unwrap().parse::<u64>().unwrap();
    assert_eq!(number("x-total-count") + number("x-standin-dropped"), EVENTS);
    let metrics = server.client().call("GET", "/metrics").send().text();
    assert!(metrics.contains(&format!("standin_deliveries_dead_total {EVENTS}\n")), "{metrics}");
}

#[test]
fn the_admin_api_refuses_our_own_deliveries() {
    let server = of("");
    let agent = format!("standin-webhooks/{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(server.admin("GET", "health").header("user-agent", &agent).send().status, 403);
}

#[test]
fn consecutive_events_of_a_conversation_are_consistent() {
    let server = of("");
    let receiver = Receiver::new(&[Response::Answer(200)]);
    subscribe(&server, "hooks", &receiver.url);
    let event = |event: &str, text: Option<&str>| {
        emit(
            &server,
            "hooks",
            &json!({"event": event, "business": "100", "conversation": "c", "text": text, "data": {"mood": "fine"}}),
        )
    };
    assert_eq!(event("conversation.created", Some("Hi!")).status, 202);
    event("message.added", None);
    let closed = event("message.closed", None);
    assert_eq!(closed.status, 202);
    advance(&server, "hooks", "0s");
    let requests = receiver.requests();
    assert_eq!(
        receiver.summaries(),
        ["conversation.created c 1", "message.added c 2", "conversation.closed c 2"]
    );
    let last = &requests[2].json;
    assert_eq!(last["eventId"], closed.json["eventId"]);
    assert_eq!((&last["businessId"], &last["occurredAt"]), (&json!(100), &json!("2026-06-30T09:00:00Z")));
    assert_eq!((&last["data"]["status"], &last["data"]["mood"]), (&json!("CLOSE"), &json!("fine")));
    assert_eq!(
        last["data"]["contact"],
        json!({"id": 7001, "firstName": "Michael", "email": "michael@first.test"})
    );
    assert_eq!(last["data"]["messages"][0]["text"], "Hi!");
    let refused = event("message.added", None);
    assert!(
        refused.status == 409 && refused.json["error"].as_str().unwrap().contains("closed"),
        "{}",
        refused.text()
    );
    for (body, message) in [
        (json!({"event": "message.addd", "business": 100}), "event must be one of conversation.created"),
        (json!({"business": 100}), "event is missing"),
        (json!({"event": "x.y"}), "business is missing"),
        (json!({"event": "x.y", "business": 1001}), "1001 is a location"),
        (json!({"event": "x.y", "business": 5}), "5 is none"),
        (json!({"event": "x.y", "business": 100, "data": 1}), "data must be an object"),
        (json!({"event": "x.y", "business": 100, "oops": 1}), "oops is unknown"),
    ] {
        let answer = emit(&server, "hooks", &body);
        let error = answer.json["error"].as_str().unwrap();
        assert!(answer.status == 400 && error.contains(message), "{body}: {error}");
    }
}

#[test]
fn a_contact_is_invented_for_an_account_without_contacts() {
    let server = of("");
    let receiver = Receiver::new(&[Response::Answer(200)]);
    let body = json!({"businessNumber": 200, "apiKey": "k", "events": ALL, "endpoint": receiver.url});
    server.client().subscribe().json(&body).send().ok();
    emit(&server, "hooks", &json!({"event": "conversation.created", "business": 200, "conversation": "c"}));
    advance(&server, "hooks", "0s");
    let contact = receiver.requests()[0].json["data"]["contact"].clone();
    let contacts = server.admin("GET", "worlds/hooks/contacts").send().ok();
    let stored =
        contacts.as_array().unwrap().iter().find(|stored| stored["id"] == contact["id"]).unwrap().clone();
    assert_eq!((&stored["email"], &stored["businessIds"]), (&contact["email"], &json!([2001])));
}

#[test]
fn the_timeline_follows_the_worlds_clock_and_the_clients_calls() {
    let server = of("timeline: [
        {every: 10s, times: 2, event: message.added, business: 100, conversation: c},
        {at: 15s, event: x.y, business: 100, data: {n: 1}},
        {after: contact, event: conversation.created, conversation: d}]");
    let receiver = Receiver::new(&[Response::Answer(200)]);
    subscribe(&server, "hooks", &receiver.url);
    advance(&server, "hooks", "60s");
    assert_eq!(receiver.summaries(), ["message.added c 1", "x.y - 0", "message.added c 2"]);
    let at: Vec<Value> =
        receiver.requests().iter().map(|request| request.json["occurredAt"].clone()).collect();
    assert_eq!(at, ["2026-06-30T09:00:10Z", "2026-06-30T09:00:15Z", "2026-06-30T09:00:20Z"]);
    let contact = json!({"email": "zoe@x.test", "businessIds": [1001]});
    let id = server.client().with_key("k").contact(100).json(&contact).send().ok()["id"].clone();
    server.client().with_key("k").contact(100).json(&json!({"email": "no"})).send();
    advance(&server, "hooks", "0s");
    assert_eq!(receiver.summaries()[3..], ["conversation.created d 0"]);
    assert_eq!(receiver.requests()[3].json["data"]["contact"]["id"], id);
    server.admin("POST", "worlds/hooks/reset").send().ok();
    assert!(deliveries(&server, "hooks").is_empty());
    subscribe(&server, "hooks", &receiver.url);
    advance(&server, "hooks", "12s");
    assert_eq!(receiver.summaries()[4..], ["message.added c 1"], "from the beginning");
}

#[test]
fn a_clock_call_over_too_many_due_instants_is_refused_and_others_answer_in_time() {
    let server = of("timeline: [
        {every: 1s, event: message.added, business: 100, conversation: c},
        {every: 1m, event: x.y, business: 100}]");
    let clock = |body: &Value| server.admin("POST", "worlds/hooks/clock").json(body).send();
    for body in [json!({"advance": "8760h"}), json!({"set": "2027-06-30T09:00:00Z"})] {
        let refused = clock(&body);
        let error = refused.json["error"].as_str().unwrap();
        assert!(refused.status == 400 && error.contains("32061600") && error.contains("1000000"), "{error}");
    }
    assert_eq!(server.admin("GET", "worlds/hooks/clock").send().ok()["now"], "2026-06-30T09:00:00Z");
    let began = now();
    thread::scope(|scope| {
        let walk = scope.spawn(|| advance(&server, "hooks", "240h"));
        while !walk.is_finished() {
            let asked = now();
            server.client().with_key("k").qna(100).send().ok();
            server.admin("GET", "worlds/hooks/clock").send().ok();
            assert!(asked.elapsed() < Duration::from_secs(2), "others wait: {:?}", asked.elapsed());
        }
        assert_eq!(walk.join().unwrap()["now"], "2026-07-10T09:00:00Z");
    });
    assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
}

#[test]
fn two_clock_calls_at_once_add_up() {
    let server = of("timeline: [{every: 1s, event: x.y, business: 100}]");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| advance(&server, "hooks", "1000s"));
        }
    });
    assert_eq!(server.admin("GET", "worlds/hooks/clock").send().ok()["now"], "2026-06-30T10:06:40Z");
}

#[test]
fn the_event_after_a_contact_names_the_contact_whatever_a_fault_does_to_the_answer() {
    let faults = "faults: [{name: patched, operation: contact, then: {body: {patch: [{op: replace, path: /id, value: 7}]}}}]\n";
    let webhooks = "webhooks: {events: {x.y: {}}, timeline: [{after: contact, event: conversation.created, conversation: d}]}\n";
    let server = Server::of(&[("hooks.yaml", &format!("{BASE}{faults}{webhooks}"))], &[]);
    let receiver = Receiver::new(&[Response::Answer(200)]);
    subscribe(&server, "hooks", &receiver.url);
    for (world, position) in [("hooks", 0), ("other", 1)] {
        if world == "other" {
            let body = json!({"name": world, "faults": [{"name": "cut", "then": {"body": {"malformed": true}}, "operation": "contact"}]});
            assert_eq!(server.admin("POST", "worlds").json(&body).send().status, 201);
            subscribe(&server, world, &receiver.url);
        }
        let contact = json!({"email": "zoe@x.test", "businessIds": [1001]});
        server.world(world).with_key("k").contact(100).json(&contact).send();
        advance(&server, world, "0s");
        assert_eq!(receiver.requests()[position].json["data"]["contact"]["email"], "zoe@x.test", "{world}");
    }
}

#[test]
fn a_changed_timeline_does_not_emit_past_events() {
    let server = of("timeline: [{at: 5s, event: x.y, business: 100}]");
    let receiver = Receiver::new(&[Response::Answer(200)]);
    subscribe(&server, "hooks", &receiver.url);
    advance(&server, "hooks", "20s");
    let other = format!(
        "{BASE}webhooks: {{events: {{x.y: {{}}}}, timeline: [{{at: 10s, event: x.y, business: 100}}, {{at: 30s, event: x.y, business: 100, data: {{n: 2}}}}]}}\n"
    );
    write(server.path(), "hooks.yaml", &other);
    wait_until("it is served", || {
        server.admin("GET", "health").send().ok()["scenarios"][0]["generation"] == 2
    });
    advance(&server, "hooks", "60s");
    let data: Vec<Value> = receiver.requests().iter().map(|request| request.json["data"].clone()).collect();
    assert_eq!(data, [json!({}), json!({"n": 2})]);
}

#[test]
fn a_payload_template_is_sent_and_a_failing_one_makes_the_delivery_dead() {
    let base = BASE.to_owned();
    let own = "webhooks: {events: {x.y: {payload: '{\"post\": {{ data.post.a | tojson }}}'}}}\n";
    let server = Server::of(&[("hooks.yaml", &(base + own))], &[]);
    let receiver = Receiver::new(&[Response::Answer(200)]);
    subscribe(&server, "hooks", &receiver.url);
    emit(&server, "hooks", &json!({"event": "x.y", "business": 100, "data": {"post": {"a": [1]}}}));
    emit(&server, "hooks", &json!({"event": "x.y", "business": 100}));
    advance(&server, "hooks", "0s");
    assert_eq!(receiver.requests().len(), 1);
    assert_eq!(receiver.requests()[0].json, json!({"post": [1]}));
    assert!(
        summaries(&server)[1].starts_with("dead (payload: line 1: undefined"),
        "{:?}",
        summaries(&server)
    );
}

#[test]
fn a_finished_delivery_is_sent_again_on_request() {
    let server = of(RETRY);
    let receiver = Receiver::new(&[
        Response::Answer(500),
        Response::Answer(500),
        Response::Answer(500),
        Response::Answer(200),
    ]);
    subscribe(&server, "hooks", &receiver.url);
    message(&server, "c");
    advance(&server, "hooks", "0s");
    let id = deliveries(&server, "hooks")[0]["id"].as_str().unwrap().to_owned();
    let retry = |id: &str| server.admin("POST", &format!("worlds/hooks/deliveries/{id}/retry")).send();
    assert_eq!(retry(&id).status, 409);
    advance(&server, "hooks", "60s");
    assert_eq!(retry("nobody").status, 404);
    let again = retry(&id);
    assert_eq!((again.status, &again.json["status"]), (202, &json!("pending")));
    advance(&server, "hooks", "0s");
    assert_eq!(summaries(&server), ["delivered: 0s 500, 10s 500, 30s 500, 60s 200"]);
    let metrics = server.client().call("GET", "/metrics").send().text();
    for line in [
        "standin_delivery_attempts_total 4",
        "standin_delivery_attempts_failed_total 3",
        "standin_deliveries_total 1",
        "standin_deliveries_dead_total 1",
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
}

#[test]
fn deliveries_are_filtered_and_paged() {
    let server = of("");
    let receiver = Receiver::new(&[Response::Answer(200)]);
    let second = subscribe(&server, "hooks", &receiver.url) + 1;
    subscribe(&server, "hooks", "http://user@127.0.0.1:9/");
    message(&server, "c");
    message(&server, "d");
    emit(&server, "hooks", &json!({"event": "x.y", "business": 100}));
    advance(&server, "hooks", "0s");
    let of = |query: &str| server.admin("GET", "worlds/hooks/deliveries").raw_query(query).send();
    for (query, count) in [
        ("", "6"),
        ("status=dead", "3"),
        ("status=delivered&event=message.added", "2"),
        ("conversation=c", "2"),
        ("event=x.y&limit=1", "2"),
    ] {
        assert_eq!(of(query).header("x-total-count"), Some(count), "{query}");
    }
    assert_eq!(of(&format!("subscription={second}")).header("x-total-count"), Some("3"));
    assert_eq!(of("limit=1").json.as_array().unwrap().len(), 1);
    for query in ["status=lost", "subscription=x", "who=me"] {
        assert_eq!(of(query).status, 400, "{query}");
    }
}

#[test]
fn due_deliveries_are_sent_before_the_program_stops() {
    let server = of("");
    let receiver = Receiver::new(&[Response::Answer(200)]);
    subscribe(&server, "hooks", &receiver.url);
    for _ in 0..50 {
        message(&server, "c");
    }
    assert!(server.stop().success());
    assert_eq!(receiver.requests().len(), 50);
}
