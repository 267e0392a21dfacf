//! The console's files, and what the admin API has for it: why a call was answered so, sending it again, scores, what falls
//! due, receivers of webhooks, and the buttons of a demonstration.

use serde_json::{Value, json};

use crate::harness::{Server, wait_until};
use crate::stage::API;

/// The API of the stage with faults, a rate limit, a timeline and buttons.
fn served() -> Server {
    let more = "
webhooks:
  events: {stock.low: {}}
  timeline:
    - {at: 90s, event: message.added, business: 100, conversation: later}
    - {at: 1h, review: {business: 1001, rating: 2}}
faults:
  - {name: down, operation: qna, then: {status: 503}}
  - {name: late, operation: reviews, when: {query: {count: '7'}}, then: {delay: 1ms}}
demo:
  - {label: A bad review, do: [{review: {business: 1001, rating: 1}}, {fault: down, enabled: false}]}
  - {label: Somebody writes, do: [{event: conversation.created, business: 100, conversation: c1, text: Hi!}, {advance: 90s}]}
";
    let api = API.replace("{key: first, name: first,", "{key: first, name: first, rate_limit: 1 per 1m,");
    Server::of(&[("api.yaml", &format!("{api}{more}"))], &[])
}

/// The checks of a call, each with its outcome.
fn checks(server: &Server, seq: u64) -> Vec<String> {
    let call = server.admin("GET", &format!("worlds/api/requests/{seq}")).send().ok();
    let checks = call["checks"].as_array().unwrap().iter();
    checks
        .map(|one| format!("{} {}", one["check"].as_str().unwrap(), one["outcome"].as_str().unwrap()))
        .collect()
}

#[test]
fn the_page_is_served_with_its_policy_and_a_browser_that_opens_the_root_is_sent_there() {
    let server = served();
    let get = |path: &str| server.client().call("GET", path);
    let page = get("/console/data").send();
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert!(
        page.header("content-security-policy").unwrap().starts_with("default-src 'none'; script-src 'self';")
    );
    assert!(page.text().contains("/console/views/live.js"));
    let script = get("/console/main.js").send();
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
    let tag = script.header("etag").unwrap().to_owned();
    assert_eq!(get("/console/main.js").header("if-none-match", &tag).send().status, 304);
    assert_eq!(get("/console/none.js").send().status, 404);
    let foreign = |request: crate::harness::Request| request.header("sec-fetch-site", "cross-site");
    assert_eq!(foreign(get("/console/main.js")).header("sec-fetch-mode", "no-cors").send().status, 403);
    assert_eq!(foreign(get("/console")).header("sec-fetch-mode", "navigate").send().status, 200);
    let framed = foreign(get("/console")).header("sec-fetch-mode", "navigate");
    assert_eq!(framed.header("sec-fetch-dest", "iframe").send().status, 403);
    assert_eq!(get("/console").header("host", "rebound.test").send().status, 403);
    let closed = Server::of(&[("api.yaml", API)], &["--admin-token", "secret"]);
    assert_eq!(closed.client().call("GET", "/console").send().status, 200, "it has no data in it");
    let refused = closed.client().call("GET", "/__admin/worlds/api/businesses").send();
    assert_eq!(refused.status, 401);
}

#[test]
fn a_call_says_which_checks_it_passed_and_which_answered() {
    let server = served();
    let client = server.client();
    client.reviews(100).key("all").send().ok();
    client.reviews(100).key("nobody").send();
    client.qna(100).key("all").send();
    client.reviews(100).key("all").query("count", "7").send().ok();
    client.reviews(100).key("first").send().ok();
    client.reviews(100).key("first").send();
    client.locations(300).key("first").send();
    client.reviews(100).key("all").query("count", "-1").send();
    client.call("GET", "/v1/none").send();
    client.call("GET", "/v1/qna/unanswered/get").send();
    client.reviews(100).key("all").header("content-type", "text/plain").bytes("{}").send();
    assert_eq!(
        checks(&server, 1),
        [
            "Path and method passed",
            "Faults passed",
            "API key passed",
            "Rate limit passed",
            "Body passed",
            "Fields passed",
            "Operation passed"
        ]
    );
    assert_eq!(checks(&server, 2)[2..4], ["API key failed", "Rate limit skipped"]);
    assert_eq!(checks(&server, 3)[1..3], ["Faults replaced", "API key skipped"]);
    assert_eq!(checks(&server, 4)[1], "Faults changed");
    assert_eq!(checks(&server, 6)[2..5], ["API key passed", "Rate limit failed", "Body skipped"]);
    assert_eq!(checks(&server, 8)[4..], ["Body passed", "Fields failed", "Operation skipped"]);
    assert_eq!(checks(&server, 9), ["Path and method failed", "Faults skipped"]);
    assert_eq!(checks(&server, 10)[..2], ["Path and method failed", "Faults skipped"]);
    assert_eq!(checks(&server, 11)[4..6], ["Body failed", "Fields skipped"]);
    let second = server.admin("GET", "worlds/api/requests/2").send().ok();
    assert_eq!(second["checks"][2]["detail"], "the key is not one of the scenario's");
    let sixth = server.admin("GET", "worlds/api/requests/6").send().ok();
    let chain: Vec<u64> =
        sixth["chain"].as_array().unwrap().iter().map(|one| one["seq"].as_u64().unwrap()).collect();
    assert_eq!(chain, [5, 6]);
    assert!(sixth["chain"][0].get("headers").is_none() && sixth["headers"].is_object());
    let none = server.admin("GET", "worlds/api/requests/99").send();
    assert_eq!(none.status, 404);
    let brief = server.admin("GET", "worlds/api/requests").query("brief", "true").send().ok();
    assert!(brief[0].get("response").is_none() && brief[0]["status"] == 200);
}

#[test]
fn a_call_that_is_sent_again_is_counted_and_recorded_like_any_other() {
    let server = served();
    server
        .client()
        .contact(100)
        .key("all")
        .json(&json!({"email": "ann@x.test", "businessIds": [1001]}))
        .send()
        .ok();
    let sent = server.admin("POST", "worlds/api/requests/1/resend").send();
    assert_eq!(sent.status, 201);
    assert_eq!(sent.json, json!({"seq": 2, "status": 200, "code": null, "fault": null}));
    let again = server.admin("GET", "worlds/api/requests/2").send().ok();
    assert_eq!(
        (&again["attempt"], &again["key"], &again["body"]["email"]),
        (&json!(2), &json!("key:1"), &json!("ann@x.test"))
    );
    assert!(again["durationMs"].is_number());
    assert_eq!(server.admin("POST", "worlds/api/requests/7/resend").send().status, 404);
}

#[test]
fn a_world_gives_a_key_and_a_call_with_which_it_is_used() {
    let server = served();
    let example = server.admin("GET", "worlds/api/example").send().ok();
    assert_eq!(example["key"], "all");
    let path = example["call"]["path"].as_str().unwrap();
    server.world("api").call("POST", path).key("all").json(&example["call"]["body"]).send().ok();
    assert!(example["curl"].as_str().unwrap().contains("/w/api/v1/review/businessId/100"));
    let made = server.admin("POST", "worlds").json(&json!({"name": "made"})).send();
    let example = server.admin("GET", "worlds/made/example").send().ok();
    assert_eq!(example["key"], made.json["apiKey"]);
}

#[test]
fn businesses_are_listed_with_their_locations_and_a_review_moves_their_score() {
    let server = served();
    let all = server.admin("GET", "worlds/api/businesses").send().ok();
    let first = all.as_array().unwrap().iter().find(|one| one["number"] == 100).unwrap();
    assert_eq!(
        (&first["type"], &first["parent"], &first["competitors"]),
        (&json!("enterprise"), &json!(50), &json!([200]))
    );
    assert_eq!(first["locations"][0], json!({"number": 1001, "name": "alpha"}));
    let scores = || server.admin("GET", "worlds/api/scores").query("business", "100").send().ok();
    let before = scores();
    assert_eq!((&before["name"], before["months"].as_array().unwrap().len()), (&json!("First"), 12));
    assert_eq!(before["months"][11]["month"], "2026-06");
    server.admin("POST", "worlds/api/reviews").json(&json!({"businessId": 1001, "rating": 5})).send();
    let after = scores();
    assert_eq!(after["ratings"][5].as_u64().unwrap(), before["ratings"][5].as_u64().unwrap() + 1);
    assert_eq!((&before["recent"]["mentions"], &after["recent"]["mentions"]), (&json!(0), &json!(1)));
    assert!(after["recent"]["score"].as_f64().unwrap() > 0.0);
    let wrong = server.admin("GET", "worlds/api/scores").query("business", "x").send();
    assert_eq!(wrong.status, 400);
}

#[test]
fn reviews_are_listed_by_rating_source_status_day_and_text() {
    let server = served();
    let ids = |name: &str, value: &str| {
        let list =
            server.admin("GET", "worlds/api/reviews").query("business", "1001").query(name, value).send();
        assert_eq!(list.header("x-total-count").unwrap(), list.json.as_array().unwrap().len().to_string());
        let ids: Vec<String> = list
            .json
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["reviewId"].as_str().unwrap().to_owned())
            .collect();
        ids.join(" ")
    };
    assert_eq!(ids("ratings", "3,5"), "15 10");
    assert_eq!(ids("sources", "yelp, direct_feedback"), "14 11");
    assert_eq!(ids("status", "parked"), "11");
    assert_eq!(ids("from", "2026-03-01"), "15 14");
    assert_eq!(ids("to", "2026-01-01"), "10");
    assert_eq!(ids("search", "strasse"), "10");
    for (name, value) in [("ratings", "6"), ("status", "lost"), ("from", "soon"), ("stars", "1")] {
        assert_eq!(server.admin("GET", "worlds/api/reviews").query(name, value).send().status, 400, "{name}");
    }
}

#[test]
fn what_falls_due_and_how_full_rate_limits_are_is_listed() {
    let server = served();
    let due = || server.admin("GET", "worlds/api/clock/due").send().ok();
    assert_eq!(
        due(),
        json!([
            {"at": "2026-06-30T12:01:30Z", "what": "the event message.added of the conversation later"},
            {"at": "2026-06-30T13:00:00Z", "what": "a review with 2 stars arrives at 1001"}
        ])
    );
    let limits = || server.admin("GET", "worlds/api/rate-limits").send().ok();
    assert_eq!(
        limits(),
        json!([{"key": "key:first", "requests": 1, "windowMs": 60_000, "used": 0, "endsAt": null}])
    );
    server.client().reviews(100).key("first").send().ok();
    assert_eq!((&limits()[0]["used"], &limits()[0]["endsAt"]), (&json!(1), &json!("2026-06-30T12:01:00Z")));
    server.admin("POST", "worlds/api/clock").json(&json!({"advance": "2m"})).send().ok();
    assert_eq!(due().as_array().unwrap().len(), 1);
}

#[test]
fn a_scenario_is_shown_with_its_file_and_its_problems() {
    let server = served();
    let shown = server.admin("GET", "scenarios/api").send().ok();
    assert!(shown["text"].as_str().unwrap().contains("label: A bad review"));
    assert_eq!((&shown["generation"], &shown["served"]["faults"]), (&json!(1), &json!(2)));
    assert!(shown["diagnostics"].is_array());
    assert_eq!(server.admin("GET", "scenarios/none").send().status, 404);
}

#[test]
fn receivers_answer_as_they_are_named_and_deliveries_reach_them() {
    let server = served();
    let post = |name: &str| server.world("api").call("POST", &format!("/__hooks/{name}")).bytes("{}").send();
    assert_eq!((post("ok").status, post("error").status, post("none").status), (200, 500, 404));
    assert_eq!(server.world("nowhere").call("POST", "/__hooks/ok").send().status, 404);
    let events = server.admin("GET", "worlds/api/events").send().ok();
    assert!(events.as_array().unwrap().contains(&json!("stock.low")));
    let subscribe = |endpoint: String| {
        let body = json!({"business": "100", "endpoint": endpoint, "events": ["message.added"]});
        server.admin("POST", "worlds/api/subscriptions").json(&body).send()
    };
    for name in ["ok", "error"] {
        assert_eq!(subscribe(format!("{}/w/api/__hooks/{name}", server.base)).status, 201);
    }
    assert_eq!(subscribe(format!("{}/w/api/__hooks/ok/../../v1", server.base)).status, 201);
    assert_eq!(subscribe("mailto:x".to_owned()).status, 400);
    let emitted = json!({"event": "message.added", "business": 100, "conversation": "c", "text": "Hi!"});
    assert_eq!(server.admin("POST", "worlds/api/events").json(&emitted).send().json["deliveries"], 3);
    let statuses = || -> Vec<Value> {
        let list = server.admin("GET", "worlds/api/deliveries").send().ok();
        list.as_array().unwrap().iter().map(|one| one["attempts"][0]["response"]["status"].clone()).collect()
    };
    wait_until("both receivers have answered", || statuses()[..2] == [json!(200), json!(500)]);
    let list = server.admin("GET", "worlds/api/deliveries").send().ok();
    assert_eq!(
        (&list[2]["status"], &list[2]["reason"]),
        (&json!("dead"), &json!("the endpoint is Standin's own address"))
    );
    let conversations = server.admin("GET", "worlds/api/conversations").send().ok();
    assert_eq!(
        (&conversations[0]["id"], &conversations[0]["messages"][0]["text"]),
        (&json!("c"), &json!("Hi!"))
    );
}

#[test]
fn a_button_of_the_demonstration_takes_its_steps() {
    let server = served();
    let listed = server.admin("GET", "worlds/api/demo").send().ok();
    assert_eq!(
        listed[0],
        json!({"place": 1, "label": "A bad review", "steps": ["a review with 1 star arrives at 1001", "the fault down is switched off"]})
    );
    let press = |place: &str| server.admin("POST", &format!("worlds/api/demo/{place}")).send();
    assert_eq!(press("1").status, 200);
    let newest = server.admin("GET", "worlds/api/reviews").query("limit", "1").send().ok();
    assert!(newest[0]["rating"] == 1 && !newest[0]["comments"].as_str().unwrap().is_empty());
    server.client().qna(100).key("all").send().ok();
    assert_eq!(press("2").status, 200);
    let clock = server.admin("GET", "worlds/api/clock").send().ok();
    assert_eq!(clock["now"], "2026-06-30T12:01:30Z");
    assert_eq!(server.admin("GET", "worlds/api/conversations").send().ok().as_array().unwrap().len(), 2);
    for place in ["0", "3", "x"] {
        assert_eq!(press(place).status, 404);
    }
}

#[test]
fn a_server_that_keeps_no_bundle_says_what_writes_one() {
    let answer = served().admin("GET", "worlds/api/bundle").send();
    assert_eq!(answer.status, 404);
    assert!(answer.json["error"].as_str().unwrap().contains("--bundle FILE"));
}
