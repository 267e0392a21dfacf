//! A world's snapshot: taken from one process, put into another, and kept over a restart.

use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Answer, Client, Server, folder, program, wait_until};

const SCENARIO: &str = r"
standin: 1
name: snap
seed: 5
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys:
  - {key: secret-key-of-demo, name: demo, rate_limit: 60 per 1m}
  - {key: xy, name: short}
businesses:
  - number: 100
    name: A
    users: [ann@a.test]
    locations:
      - {number: 1001, name: L, reviews: [{generate: 40}], questions: [{generate: 6}]}
      - {number: 1002, name: M, reviews: [{generate: 10}]}
    contacts: [{id: 7001, firstName: Michael, email: michael@a.test, businessIds: [1001]}]
routes:
  - name: write
    request: {method: PUT, path: '/v1/note/{id}'}
    store: {notes: {key: '{{ path.id }}', value: '{{ body }}'}}
    response: {status: 201, json: {count: '{{ notes | length }}', drawn: '{{ uuid() }}'}}
  - {name: notes, request: {method: GET, path: /v1/notes}, response: {json: '{{ notes }}'}}
  - {name: forget, request: {method: DELETE, path: '/v1/note/{id}'}, remove: {notes: '{{ path.id }}'}, response: {status: 204}}
  - {name: gone, request: {method: DELETE, path: '/v1/people/{id}'}, remove: {contacts: '{{ path.id }}'}, response: {status: 204}}
faults:
  - {name: some, operation: reviews, chance: 30%, then: {error: 89, retry_after: 2s}}
  - {name: tenth, operation: contact, hits: 3-5, then: {status: 503}}
  - {name: first, operation: qna, per: request, hits: 1, then: {error: 500}}
webhooks:
  events: {review.created: {}, review.updated: {}}
  retry: {attempts: 4, first: 10s, factor: 2, jitter: 20%, timeout: 300ms}
  faults: [{event: message.added, per: delivery, chance: 40%, then: duplicate}]
  timeline:
    - {every: 30s, times: 20, event: message.added, business: 100, conversation: front}
    - {at: 100s, review: {business: 1002, rating: 2}}
";

fn server(more: &[&str]) -> Server {
    Server::of(&[("snap.yaml", SCENARIO)], more)
}

/// One of a hundred different calls.
fn call(client: &Client, number: usize) -> Answer {
    let key = if number.is_multiple_of(7) { "xy" } else { "secret-key-of-demo" };
    let client = client.with_key(key);
    match number % 6 {
        0 => client.reviews(100).query("sindex", &(number / 3).to_string()).query("count", "3"),
        1 => client.contact(100).json(&json!({
            "firstName": format!("N{}", number % 9), "email": format!("n{}@x.test", number % 9), "businessIds": [1001],
        })),
        2 => client.qna(100 + 901 * (number % 2)),
        3 => client.benchmark(100).json(&json!({
            "businessNumbers": [100], "startDate": "07/01/2025", "endDate": "06/30/2026",
        })),
        4 => client.reviews(1001).query("count", "4").json(&json!({"fromDate": "01/01/2026"})),
        _ => client.locations(100).json(&json!({
            "businessNumbers": [1001, 1002], "startDate": "01/01/2026", "endDate": "12/31/2026", "userEmail": "ann@a.test",
        })),
    }
    .header("x-standin-trace", "1")
    .send()
}

fn calls(client: &Client, numbers: std::ops::Range<usize>) -> Vec<String> {
    let shown = |number| {
        let answer = call(client, number);
        let headers = ["retry-after", "x-standin-detail", "x-standin-attempt", "x-standin-fault"];
        let headers = headers.map(|name| answer.header(name).unwrap_or_default().to_owned());
        format!("{} {headers:?} {}", answer.status, answer.text())
    };
    numbers.map(shown).collect()
}

fn admin(server: &Server, method: &str, path: &str, body: &Value) -> Value {
    let answer = server.admin(method, path).json(body).send();
    assert!(answer.status < 300, "{method} {path}: {} {}", answer.status, answer.text());
    answer.json
}

/// Fills a world with all that a world can hold.
fn fill(server: &Server, world: &str) {
    let client = server.world(world);
    for event in ["message.added", "review.created"] {
        let body = json!({"businessNumber": "100", "apiKey": "xy", "events": [event],
            "endpoint": "http://127.0.0.1:9/hook?key=secret-key-of-demo"});
        client.subscribe().json(&body).send().ok();
    }
    calls(&client, 0..50);
    let fault = json!({"operation": "sentiment-locations", "when": {"key": "secret-key-of-demo"}, "hits": "2-4",
        "then": {"status": 502}});
    admin(server, "PUT", &format!("worlds/{world}/faults/own"), &fault);
    admin(server, "PATCH", &format!("worlds/{world}/faults/first"), &json!({"enabled": false}));
    let first =
        admin(server, "POST", &format!("worlds/{world}/reviews"), &json!({"business": 1001, "rating": 1}));
    admin(
        server,
        "POST",
        &format!("worlds/{world}/reviews"),
        &json!({"business": 1002, "rating": 5, "comments": "\u{f8ff}0\u{f8ff} Fine."}),
    );
    admin(server, "POST", &format!("worlds/{world}/questions"), &json!({"business": 1001}));
    let id = first["reviewId"].as_str().unwrap();
    admin(server, "PATCH", &format!("worlds/{world}/reviews/{id}"), &json!({"response": "Sorry."}));
    let listed = admin(server, "GET", &format!("worlds/{world}/reviews?limit=50"), &json!(null));
    let seeded: Vec<&str> =
        listed.as_array().unwrap().iter().map(|one| one["reviewId"].as_str().unwrap()).collect();
    admin(server, "PATCH", &format!("worlds/{world}/reviews/{}", seeded[10]), &json!({"published": false}));
    server.admin("DELETE", &format!("worlds/{world}/reviews/{}", seeded[20])).send();
    // What routes store and remove.
    let client = client.with_key("xy");
    for number in 0..5 {
        let body = json!({"text": format!("Note {number}")});
        client.call("PUT", &format!("/v1/note/{number}")).json(&body).send();
    }
    for path in ["/v1/note/3", "/v1/people/7001"] {
        assert_eq!(client.call("DELETE", path).send().status, 204, "{path}");
    }
    // The first attempts fail, and the next ones are due later.
    admin(server, "POST", &format!("worlds/{world}/clock"), &json!({"advance": "70s"}));
    calls(&client, 50..80);
}

/// What is stored in a world, and its next hundred answers, with what falls due meanwhile.
fn future(server: &Server, world: &str) -> Vec<String> {
    let client = server.world(world);
    let mut seen = calls(&client, 80..130);
    admin(server, "POST", &format!("worlds/{world}/clock"), &json!({"advance": "2m"}));
    seen.extend(calls(&client, 130..180));
    let client = client.with_key("xy");
    for (method, path) in
        [("GET", "/v1/notes"), ("PUT", "/v1/note/3"), ("DELETE", "/v1/note/1"), ("GET", "/v1/notes")]
    {
        let answer = client.call(method, path).json(&json!({"text": "again"})).send();
        seen.push(format!("{method} {path}: {} {}", answer.status, answer.text()));
    }
    for what in ["reviews", "questions", "contacts", "subscriptions", "faults", "clock"] {
        seen.push(admin(server, "GET", &format!("worlds/{world}/{what}"), &json!(null)).to_string());
    }
    let pending = admin(server, "GET", &format!("worlds/{world}/deliveries"), &json!(null));
    let pending = pending.as_array().unwrap().iter().filter(|one| one["status"] == "pending");
    seen.extend(pending.map(|one| format!("{} {} {}", one["id"], one["eventId"], one["endpoint"])));
    let entries = admin(server, "GET", &format!("worlds/{world}/requests?limit=1"), &json!(null));
    seen.push(format!("{} {} {}", entries[0]["seq"], entries[0]["attempt"], entries[0]["at"]));
    seen
}

fn snapshot(server: &Server, world: &str) -> String {
    let answer = server.admin("GET", &format!("worlds/{world}/snapshot")).send();
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.text()
}

fn put(server: &Server, world: &str, text: &str) -> Answer {
    server.admin("PUT", &format!("worlds/{world}/snapshot")).bytes(text).send()
}

#[test]
fn a_world_that_was_moved_answers_the_next_calls_as_it_would_have_where_it_was() {
    let (one, other) = (server(&[]), server(&[]));
    let made = admin(
        &one,
        "PUT",
        "worlds/w",
        &json!({"seed": 9, "faults": [
        {"name": "start", "operation": "qna", "hits": "4-6", "then": {"status": 500}}]}),
    );
    fill(&one, "w");
    let text = snapshot(&one, "w");
    let saved: Value = serde_json::from_str(&text).unwrap();
    assert!(!saved["world"]["webhooks"]["schedule"]["deliveries"].as_array().unwrap().is_empty());
    assert!(!text.contains("secret-key-of-demo") && !text.contains("\"xy\""), "{text}");
    let answer = put(&other, "w", &text);
    assert_eq!(answer.status, 201, "{}", answer.text());
    assert_eq!((&answer.json["apiKey"], &answer.json["seed"]), (&made["apiKey"], &json!(9)));
    assert_eq!(snapshot(&other, "w"), text, "it is the same when it is taken again");
    let by_key = other.client().with_key(made["apiKey"].as_str().unwrap());
    assert_eq!(by_key.reviews(1002).query("count", "1").send().header("x-standin-detail"), None);
    // That call is one that the first world had not.
    put(&other, "w", &text);
    let (expected, seen) = (future(&one, "w"), future(&other, "w"));
    for (place, (expected, seen)) in expected.iter().zip(&seen).enumerate() {
        assert_eq!(expected, seen, "number {place}");
    }
    assert_eq!(expected.len(), seen.len());
    // A reset returns to the start of the world, its fault included.
    admin(&other, "POST", "worlds/w/reset", &json!({}));
    let faults = admin(&other, "GET", "worlds/w/faults", &json!(null));
    assert_eq!((&faults[0]["name"], faults.as_array().unwrap().len()), (&json!("start"), 4));
}

#[test]
fn a_snapshot_replaces_a_world_and_a_mangled_one_changes_nothing() {
    let server = server(&[]);
    admin(&server, "PUT", "worlds/w", &json!({}));
    fill(&server, "w");
    let text = snapshot(&server, "w");
    let changed: Value = serde_json::from_str(&text).unwrap();
    let with = |path: &str, value: Value| {
        let mut changed = changed.clone();
        *changed.pointer_mut(path).unwrap() = value;
        changed.to_string()
    };
    calls(&server.world("w"), 80..90);
    let after = snapshot(&server, "w");
    for (mangled, why) in [
        (String::new(), "it is no JSON"),
        ("null".to_owned(), "it is no JSON object. A snapshot is what `GET …/snapshot` gives"),
        ("[]".to_owned(), "it is no JSON object"),
        ("{}".to_owned(), "it is no snapshot: its member `standin` must be"),
        (r#"{"standin": "snapshot"}"#.to_owned(), "it has no `version`"),
        (r#"{"standin": "snapshot", "version": 2}"#.to_owned(), "it has no member `digest`"),
        (text[..text.len() / 2].to_owned(), "it is no JSON"),
        (with("/version", json!(3)), "its version is 3; this program has 2"),
        (with("/world/clock/now", json!(1_782_000_000_000_i64)), "it was changed"),
        (
            with("/world/counters/arrived", json!("many")),
            "`world.counters.arrived` is not what a snapshot has there",
        ),
        (with("/world/apiKey", json!("mine")), "it was changed"),
        (
            with("/world/clock/now", json!(i64::MAX)),
            "`world.clock.now` cannot be: an instant that no clock can show",
        ),
        (with("/world/quotas", json!([])), "it was changed"),
        (
            text.replacen("\"world\":{", "\"world\":{\"more\":1,", 1),
            "no snapshot has the member `world.more`",
        ),
    ] {
        let answer = put(&server, "w", &mangled);
        assert!(
            answer.status == 400 && answer.text().contains(why),
            "{why}: {} {}",
            answer.status,
            answer.text()
        );
        assert!(!answer.text().contains("struct"), "{}", answer.text());
        assert_eq!(snapshot(&server, "w"), after);
    }
    assert_eq!(put(&server, "bad%20name", &text).status, 400);
    // Other layout is no change.
    let pretty = serde_json::to_string_pretty(&changed).unwrap();
    let answer = put(&server, "w", &pretty);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(snapshot(&server, "w"), text);
    // A copy has a key of its own; a standing world has none.
    let copy = put(&server, "copy", &text);
    assert_eq!(copy.status, 201);
    assert_ne!(copy.json["apiKey"], answer.json["apiKey"]);
    let standing = put(&server, "snap", &text);
    assert_eq!((standing.status, &standing.json["apiKey"]), (200, &Value::Null));
    assert_eq!(future(&server, "copy"), future(&server, "snap"));
    let unknown = snapshot(&server, "w").replace("\"scenario\":\"snap\"", "\"scenario\":\"other\"");
    assert_eq!(put(&server, "w", &unknown).status, 400);
}

#[test]
fn a_snapshot_of_a_scenario_that_has_changed_since_is_refused() {
    let (one, other) = (server(&[]), server(&[]));
    admin(&one, "PUT", "worlds/w", &json!({}));
    let text = snapshot(&one, "w");
    let refused = |server: &Server| {
        let answer = put(server, "w", &text);
        let is_told =
            answer.text().contains("the scenario snap is not what it was when the snapshot was taken");
        answer.status == 400 && is_told
    };
    // The same text is the same scenario, wherever it lies and however it came.
    let sent = server(&[]);
    admin(&sent, "PUT", "scenarios/other", &json!({"standin": 1}));
    assert_eq!(sent.admin("PUT", "scenarios/snap").bytes(SCENARIO).send().status, 200);
    for server in [&other, &sent] {
        assert_eq!(put(server, "w", &text).status, 201);
    }
    // Another fault in front takes the places of the others, and so does a reload.
    let changed = SCENARIO.replace(
        "faults:\n  - {name: some",
        "faults:\n  - {name: new, operation: qna, then: {error: 500}}\n  - {name: some",
    );
    assert_ne!(changed, SCENARIO);
    std::fs::write(one.path().join("snap.yaml"), &changed).unwrap();
    wait_until("it is loaded anew", || {
        let health = one.admin("GET", "health").send().json;
        health["scenarios"][0]["generation"] == 2
    });
    assert!(refused(&one));
    assert!(refused(&Server::of(&[("snap.yaml", &changed)], &[])));
    // A world that was there at the reload is one of the changed scenario.
    let after = snapshot(&one, "w");
    assert_eq!(put(&other, "w", &after).status, 400);
    assert_eq!(put(&one, "w", &after).status, 200);
    // A file that the scenario includes counts, too.
    let part = |seed: u64| format!("standin: 1\npart: true\nseed: {seed}\n");
    let whole = "standin: 1\nname: snap\ninclude: [part.yaml]\nbusinesses: [{number: 100, name: A}]\n";
    let with_part = |seed| Server::of(&[("snap.yaml", whole), ("part.yaml", &part(seed))], &[]);
    let text = snapshot(&with_part(1), "snap");
    assert_eq!(put(&with_part(1), "w", &text).status, 201);
    assert_eq!(put(&with_part(2), "w", &text).status, 400);
}

#[test]
fn a_world_with_a_random_seed_keeps_it() {
    let scenario = SCENARIO.replace("seed: 5", "seed: random");
    let server = || Server::of(&[("snap.yaml", &scenario)], &[]);
    let (one, other) = (server(), server());
    admin(&one, "PUT", "worlds/w", &json!({}));
    let text = snapshot(&one, "w");
    assert_eq!(put(&other, "w", &text).status, 201);
    assert_eq!(calls(&one.world("w"), 0..20), calls(&other.world("w"), 0..20));
}

fn start_with(folder: &Path, file: &str) -> Server {
    Server::start(folder, &[".", "--snapshot", file])
}

#[test]
fn a_standing_world_is_kept_over_a_restart() {
    let folder = folder(&[("snap.yaml", SCENARIO)]);
    let server = start_with(folder.path(), "kept.json");
    fill(&server, "snap");
    let text = snapshot(&server, "snap");
    assert_eq!(server.stop().code(), Some(0));
    assert_eq!(std::fs::read_to_string(folder.path().join("kept.json")).unwrap(), text);
    let server = start_with(folder.path(), "kept.json");
    assert_eq!(snapshot(&server, "default"), text);
    drop(server);
    let refused = |file: &str, text: &str| {
        if !text.is_empty() {
            std::fs::write(folder.path().join(file), text).unwrap();
        }
        let output = program()
            .current_dir(folder.path())
            .args(["serve", ".", "--port", "0", "--snapshot", file])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(3));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused("bad.json", "{").contains("--snapshot bad.json: The snapshot is not taken up"));
    let changed = format!("# Another one.\n{SCENARIO}");
    std::fs::write(folder.path().join("snap.yaml"), changed).unwrap();
    let told = refused("kept.json", "");
    assert!(told.contains("is not what it was") && told.contains("To begin anew, remove the file"), "{told}");
    assert!(refused("none/kept.json", "").contains("there is no such folder"));
}
