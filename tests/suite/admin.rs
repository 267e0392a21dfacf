//! The admin API: health, scenarios, contacts, reset, clock, and who may call it.

use serde_json::{Value, json};

use crate::harness::{Server, raw};
use crate::stage::{API, server};

const GENERATED: &str = "
standin: 1
name: generated
seed: 5
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys: [{key: k, rate_limit: 2 per 1h}]
businesses: [{number: 1, name: One, locations: [{number: 11, name: L, reviews: [{generate: 20}]}]}]
";

fn error(answer: &crate::harness::Answer, status: u16, about: &str) {
    assert_eq!(answer.status, status, "{}: {}", answer.call, answer.text());
    let message = answer.json["error"].as_str().unwrap_or_default();
    assert!(message.contains(about), "{}: {message}", answer.call);
    assert_eq!(answer.header("content-type"), Some("application/json"));
}

#[test]
fn health_lists_each_scenario_by_name() {
    let health = server().admin("GET", "health").send().ok();
    assert_eq!((&health["status"], &health["version"]), (&json!("ok"), &json!(env!("CARGO_PKG_VERSION"))));
    let scenarios = health["scenarios"].as_array().unwrap();
    let names: Vec<&str> = scenarios.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["api", "keyless", "many", "no-cors", "some-cors", "turned"]);
    for one in scenarios {
        assert_eq!(one["generation"], 1);
        let at = one["loadedAt"].as_str().unwrap();
        assert!(at.len() >= 20 && at.ends_with('Z') && at.as_bytes()[10] == b'T', "{at}");
        assert!(one["diagnostics"].is_array());
    }
    let warned = &scenarios[5]["diagnostics"][0];
    assert_eq!((&warned["severity"], &warned["code"]), (&json!("warning"), &json!("frozen-clock")));
    assert_eq!(server().admin("GET", "health/").send().status, 200);
}

#[test]
fn scenarios_are_listed_with_their_sizes() {
    let listed = server().admin("GET", "scenarios").send().ok();
    assert_eq!(
        listed[0],
        json!({"name": "api", "summary": "Accounts of every kind.", "default": true, "file": listed[0]["file"],
            "businesses": 7, "locations": 8, "reviews": 14, "questions": 6, "faults": 0})
    );
    assert!(listed[0]["file"].as_str().unwrap().ends_with("api.yaml"));
    let many = &listed[2];
    assert_eq!(
        (&many["name"], &many["default"], &many["reviews"]),
        (&json!("many"), &json!(false), &json!(120))
    );
    assert_eq!(many["summary"], Value::Null);
}

#[test]
fn contacts_are_listed_with_the_apis_field_names() {
    let server = Server::of(&[("api.yaml", API)], &[]);
    let contacts = server.admin("GET", "worlds/api/contacts").send().ok();
    let expected = json!({
        "id": 7001, "firstName": "Michael", "lastName": "Scott", "email": "michael@first.test",
        "phone": "(212) 555-0100", "countryCode": "US", "businessIds": [1001], "tags": ["vip"], "customFields": [],
        "externalId": "CRM-1", "emailPreferences": {"marketingOptin": true, "serviceOptin": true},
    });
    assert_eq!(contacts[0], expected);
    assert_eq!(contacts.as_array().unwrap().len(), 3);
}

#[test]
fn lists_are_paged_by_offset_and_limit_and_a_header_has_the_total() {
    let page = |query: &str| {
        let answer = server().admin("GET", "scenarios").raw_query(query).send();
        let total = answer.header("x-total-count").map(str::to_owned);
        assert_eq!(total.as_deref(), Some("6"), "{query}");
        let names = answer.ok();
        names
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(page("").len(), 6);
    assert_eq!(page("offset=1&limit=2"), ["keyless", "many"]);
    assert_eq!(page("offset=5&limit=10000"), ["turned"]);
    assert!(page("offset=6").is_empty() && page("offset=999999999").is_empty() && page("limit=0").is_empty());
    assert_eq!(page(&format!("limit=1&offset={}", u64::MAX)).len(), 0);
    for wrong in ["offset=-1", "offset=x", "limit=1.5", "limit=10001"] {
        let answer = server().admin("GET", "scenarios").raw_query(wrong).send();
        error(&answer, 400, wrong.split('=').next().unwrap());
    }
}

#[test]
fn a_reset_returns_a_world_to_its_start() {
    let server = Server::of(&[("generated.yaml", GENERATED)], &[]);
    let list = || server.client().with_key("k").reviews(1).send();
    let first = list().ok();
    let body = json!({"email": "a@b.test", "businessIds": [11]});
    server.client().with_key("k").contact(1).json(&body).send().ok();
    assert_eq!(list().status, 429);
    server.admin("POST", "worlds/generated/clock").json(&json!({"advance": "1m"})).send().ok();
    let answer = server.admin("POST", "worlds/generated/reset").send().ok();
    assert_eq!(answer["seed"], 5);
    assert_eq!(server.admin("GET", "worlds/default/contacts").send().ok(), json!([]));
    let clock = server.admin("GET", "worlds/default/clock").send().ok();
    assert_eq!(clock["now"], "2026-06-30T12:00:00Z");
    assert_eq!(list().ok(), first);
    let answer = server.admin("POST", "worlds/default/reset").json(&json!({"seed": 6})).send().ok();
    assert_eq!(answer["seed"], 6);
    assert_ne!(list().ok(), first);
    server.admin("POST", "worlds/default/reset").json(&json!({"seed": 5})).send().ok();
    assert_eq!(list().ok(), first);
    for (wrong, about) in [
        (json!({"seed": -1}).to_string(), "seed"),
        (json!({"seed": "x"}).to_string(), "seed"),
        (json!({"sede": 1}).to_string(), "sede"),
        ("[]".to_owned(), "object"),
        ("{".to_owned(), "JSON"),
    ] {
        error(&server.admin("POST", "worlds/default/reset").bytes(wrong).send(), 400, about);
    }
    assert_eq!(list().ok(), first, "what is refused resets nothing");
}

#[test]
fn the_clock_moves_only_forward() {
    let server = Server::of(&[("generated.yaml", GENERATED)], &[]);
    let move_it = |body: Value| server.admin("POST", "worlds/default/clock").json(&body).send();
    let start = "2026-06-30T12:00:00Z";
    let shown = |now: &str| json!({"now": now, "start": start, "mode": "frozen"});
    assert_eq!(server.admin("GET", "worlds/default/clock").send().ok(), shown(start));
    assert_eq!(move_it(json!({"advance": "61s"})).ok(), shown("2026-06-30T12:01:01Z"));
    assert_eq!(move_it(json!({"advance": "250ms"})).ok(), shown("2026-06-30T12:01:01.25Z"));
    assert_eq!(move_it(json!({"set": "2026-07-01T00:00:00Z"})).ok(), shown("2026-07-01T00:00:00Z"));
    assert_eq!(move_it(json!({"set": "2026-07-01T00:00:00Z"})).ok(), shown("2026-07-01T00:00:00Z"));
    error(&move_it(json!({"set": "2026-06-30T23:59:59Z"})), 400, "never goes back");
    assert_eq!(move_it(json!({"mode": "running"})).ok()["mode"], "running");
    assert_eq!(move_it(json!({"mode": "frozen"})).ok()["mode"], "frozen");
    for (wrong, about) in [
        (json!({}), "advance"),
        (json!({"advance": "1s", "mode": "frozen"}), "advance"),
        (json!({"advance": "-1s"}), "advance"),
        (json!({"advance": 61}), "advance"),
        (json!({"set": "yesterday"}), "set"),
        (json!({"mode": "stopped"}), "mode"),
        (json!({"back": "1s"}), "back"),
    ] {
        error(&move_it(wrong), 400, about);
    }
}

#[test]
fn unknown_paths_are_404_and_other_methods_405_with_allow() {
    for path in ["", "nope", "worlds/api/nope", "worlds/api/contacts/1", "scenarios/api/x"] {
        error(&server().admin("GET", path).send(), 404, "Nothing is at");
    }
    error(&server().admin("GET", "worlds/nowhere/clock").send(), 404, "nowhere");
    for (path, method, allow) in [
        ("health", "POST", "GET"),
        ("scenarios", "DELETE", "GET"),
        ("worlds/api/contacts", "POST", "GET"),
        ("worlds/api/subscriptions", "PUT", "GET"),
        ("worlds/api/reset", "GET", "POST"),
        ("worlds/api/clock", "DELETE", "GET, POST"),
    ] {
        let answer = server().admin(method, path).send();
        error(&answer, 405, "not allowed");
        assert!(answer.header("allow").unwrap().contains(allow), "{path}");
    }
}

#[test]
fn requests_from_pages_of_other_sites_are_refused() {
    let of = |name: &str, value: &str| server().admin("GET", "scenarios").header(name, value).send().status;
    assert_eq!(of("origin", "https://evil.test"), 403);
    assert_eq!(of("origin", "null"), 403);
    assert_eq!(of("origin", "http://localhost:1"), 403);
    assert_eq!(of("origin", &server().base), 200);
    for site in ["cross-site", "same-site", "x"] {
        assert_eq!(of("sec-fetch-site", site), 403, "{site}");
    }
    for site in ["same-origin", "none"] {
        assert_eq!(of("sec-fetch-site", site), 200, "{site}");
    }
    assert_eq!(server().admin("GET", "health").header("origin", "null").send().status, 403);
}

#[test]
fn without_a_token_the_host_must_be_a_loopback_name() {
    let of = |host: &str| {
        let call = format!("GET /__admin/health HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        raw(&server().base, call.as_bytes())[9..12].to_owned()
    };
    for own in ["localhost", "LOCALHOST:80", "127.0.0.1", "[::1]:8080", "127.1.2.3:9", "a.localhost"] {
        assert_eq!(of(own), "200", "{own}");
    }
    for other in ["evil.test", "localhost.evil.test", "10.0.0.1", "127.0.0.1.evil.test", "0.0.0.0"] {
        assert_eq!(of(other), "403", "{other}");
    }
}

#[test]
fn with_a_token_every_call_requires_it_except_a_short_health() {
    let server = Server::of(&[("generated.yaml", GENERATED)], &["--admin-token", "s3cret"]);
    for path in ["scenarios", "worlds/default/contacts", "nope"] {
        let answer = server.admin("GET", path).send();
        error(&answer, 401, "token");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    for wrong in ["Bearer", "Bearer s3cre", "Bearer s3crets", "Bearer S3CRET", "Basic s3cret", "s3cret"] {
        let answer = server.admin("GET", "scenarios").header("authorization", wrong).send();
        error(&answer, 401, "token");
    }
    let short = server.admin("GET", "health").send().ok();
    assert_eq!(short, json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")}));
    let full = server.admin("GET", "health").header("authorization", "bearer s3cret").send().ok();
    assert_eq!(full["scenarios"][0]["name"], "generated");
    server.admin("GET", "scenarios").header("authorization", "Bearer s3cret").send().ok();
    assert_eq!(server.admin("POST", "health").send().status, 401);
    let call = "GET /__admin/scenarios HTTP/1.1\r\nhost: x.test\r\nauthorization: Bearer s3cret\r\nconnection: close\r\n\r\n";
    assert!(raw(&server.base, call.as_bytes()).starts_with("HTTP/1.1 200"), "a token makes up for the host");
    let foreign = server.admin("GET", "health").header("origin", "https://evil.test");
    assert_eq!(foreign.header("authorization", "Bearer s3cret").send().status, 403);
    server.client().with_key("k").qna(1).header("origin", "https://app.test").send().ok();
}

#[test]
fn on_a_non_loopback_address_the_admin_api_is_off_without_a_token() {
    let files = [("generated.yaml", GENERATED)];
    let off = Server::of(&files, &["--host", "0.0.0.0"]);
    for path in ["scenarios", "worlds"] {
        error(&off.admin("GET", path).send(), 404, "--admin-token");
    }
    off.admin("GET", "health").send().ok();
    off.client().with_key("k").qna(1).send().ok();
    let on = Server::of(&files, &["--host", "0.0.0.0", "--admin-token", "t"]);
    on.admin("GET", "scenarios").header("authorization", "Bearer t").send().ok();
}

#[test]
fn a_slash_at_the_end_of_a_path_changes_nothing() {
    let server = Server::of(&[("generated.yaml", GENERATED)], &[]);
    let moved = server.admin("POST", "worlds/default/clock/").json(&json!({"advance": "61s"})).send().ok();
    assert_eq!(moved["now"], "2026-06-30T12:01:01Z");
    let fault = json!({"operation": "qna", "then": {"status": 503}});
    assert_eq!(server.admin("PUT", "worlds/default/faults/down/").json(&fault).send().status, 201);
    for path in ["worlds/", "worlds/default/", "worlds/default/faults/", "worlds/default/requests.har/"] {
        let slashed = server.admin("GET", path).send();
        let plain = server.admin("GET", path.trim_end_matches('/')).send();
        assert_eq!((slashed.status, slashed.ok()), (200, plain.ok()), "{path}");
    }
    assert_eq!(server.admin("DELETE", "worlds/default/faults/down/").send().status, 204);
    error(&server.admin("GET", "worlds/default/nope/").send(), 404, "Nothing is at /worlds/default/nope ");
}

#[test]
fn names_in_a_path_are_percent_decoded_once() {
    let server = Server::of(&[("generated.yaml", GENERATED)], &[]);
    let fault = json!({"operation": "qna", "then": {"status": 503}});
    for (encoded, name) in [("a%2Fb%20%C3%A9", "a/b é"), ("%2541", "%41"), ("a+b", "a+b")] {
        let path = format!("worlds/%64efault/faults/{encoded}");
        assert_eq!(server.admin("PUT", &path).json(&fault).send().json["name"], name);
        assert_eq!(server.admin("DELETE", &path).send().status, 204, "{name}");
    }
}

#[test]
fn a_body_that_nobody_asked_for_is_read_and_the_connection_stays_open() {
    let server = Server::of(&[("generated.yaml", GENERATED)], &[]);
    let body = " ".repeat(2 << 20);
    let next = "GET /__admin/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    for (line, status) in [
        ("DELETE /__admin/worlds/default/requests", "204"),
        ("GET /__admin/nope", "404"),
        ("POST /docs", "405"),
        ("GET /metrics", "200"),
    ] {
        let head = format!("{line} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n", body.len());
        let answers = raw(&server.base, format!("{head}{body}{next}").as_bytes());
        let statuses: Vec<&str> =
            answers.split("HTTP/1.1 ").skip(1).filter_map(|answer| answer.split(' ').next()).collect();
        assert_eq!(statuses, [status, "200"], "{line}");
    }
}

#[test]
fn head_is_answered_like_get_without_a_body() {
    for path in
        ["/__admin/health", "/__admin/worlds/api/clock", "/metrics", "/openapi.json", "/w/api/docs", "/"]
    {
        let call = |method: &str| server().client().call(method, path).send();
        let (head, get) = (call("HEAD"), call("GET"));
        assert_eq!((head.status, head.bytes.len()), (200, 0), "{path}");
        assert_eq!(head.header("content-type"), get.header("content-type"), "{path}");
    }
    assert_eq!(server().admin("HEAD", "worlds/api/reset").send().status, 405);
    assert_eq!(server().admin("HEAD", "worlds/nowhere").send().status, 404);
}
