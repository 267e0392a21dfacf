//! Worlds: which of them a request reaches, by its base URL or its key, and how they are created, reset, replaced and deleted.

use std::thread;

use serde_json::{Value, json};

use crate::harness::{Answer, Client, Server, program, wait_until};
use crate::stage::{API, server};

const OTHER: &str = "standin: 1\nname: other\nkeys: [{key: own, name: elsewhere, world: own}]
businesses: [{number: 100, name: Other, locations: [{number: 1001, name: L}]}]\n";

fn fresh() -> Server {
    Server::of(&[("api.yaml", API), ("other.yaml", OTHER)], &["--default", "api"])
}

fn save(client: &Client, email: &str) -> u64 {
    let body = json!({"email": email, "businessIds": [1001]});
    client.contact(100).json(&body).send().ok()["id"].as_u64().unwrap()
}

fn emails(server: &Server, world: &str) -> Vec<String> {
    let contacts = server.admin("GET", &format!("worlds/{world}/contacts")).send().ok();
    let emails = contacts.as_array().unwrap().iter().filter_map(|contact| contact["email"].as_str());
    emails.filter(|email| email.ends_with("@x.test")).map(str::to_owned).collect()
}

#[test]
fn the_default_world_is_reached_by_two_names_and_without_a_name() {
    let server = fresh();
    save(&server.client().with_key("all"), "plain@x.test");
    save(&server.world("default").with_key("all"), "default@x.test");
    save(&server.world("api").with_key("all"), "api@x.test");
    save(&server.world("%61pi").with_key("all"), "escaped@x.test");
    assert_eq!(emails(&server, "default").len(), 4);
    assert_eq!(emails(&server, "api").len(), 4);
    assert!(emails(&server, "other").is_empty());
}

#[test]
fn every_scenario_has_a_world_of_its_name() {
    let server = fresh();
    save(&server.world("other").with_key("own"), "there@x.test");
    assert_eq!(emails(&server, "other"), ["there@x.test"]);
    assert!(emails(&server, "default").is_empty());
    let worlds: Vec<Value> = server.listening["worlds"].as_array().unwrap().clone();
    assert_eq!(worlds, ["api", "other", "other-own-world", "own-world"]);
}

#[test]
fn an_unknown_world_is_404_and_says_how_to_create_one() {
    for name in ["nowhere", "API", "", "a%2fb"] {
        let answer = server().world(name).with_key("all").qna(100).send();
        assert_eq!((answer.status, &answer.json["code"]), (404, &json!(404)), "{name}");
        let message = answer.json["message"].as_str().unwrap();
        assert!(message.contains("POST /__admin/worlds"), "{message}");
    }
    assert_eq!(server().admin("GET", "worlds/nowhere/contacts").send().status, 404);
}

#[test]
fn calls_with_a_key_that_has_its_own_world_reach_that_world() {
    let server = fresh();
    let own = server.client().with_key("own");
    let id = save(&own, "own@x.test");
    assert_eq!(id, save(&server.client().with_key("all"), "own@x.test"), "drawn alike in every world");
    save(&own, "more@x.test");
    assert_eq!(emails(&server, "own-world").len(), 2);
    assert_eq!(emails(&server, "default"), ["own@x.test"]);
    save(&server.world("own-world").with_key("all"), "guest@x.test");
    assert_eq!(emails(&server, "own-world").len(), 3);
}

#[test]
fn the_base_url_takes_precedence_over_the_key() {
    let server = fresh();
    save(&server.world("default").with_key("own"), "here@x.test");
    save(&server.world("other").with_key("own"), "ordinary@x.test");
    assert_eq!(emails(&server, "default"), ["here@x.test"]);
    assert_eq!(emails(&server, "other"), ["ordinary@x.test"]);
    assert!(emails(&server, "own-world").is_empty());
    assert_eq!(server.admin("GET", "worlds/elsewhere/contacts").send().status, 404, "default scenario only");
}

#[test]
fn the_key_in_the_body_of_a_subscription_selects_its_world() {
    let server = fresh();
    let body = |key: &str| json!({"businessNumber": 100, "apiKey": key, "events": ["message.added"], "endpoint": "http://h.test"});
    server.client().subscribe().key("all").json(&body("own")).send().ok();
    server.client().subscribe().key("own").json(&body("all")).send().ok();
    let count = |world: &str| {
        let made = server.admin("GET", &format!("worlds/{world}/subscriptions")).send().ok();
        made.as_array().unwrap().len()
    };
    assert_eq!((count("own-world"), count("default")), (1, 1));
    server.client().subscribe().bytes("[\"own\"]").send().refused(400, 2466, "Invalid input request");
}

#[test]
fn a_revoked_key_with_a_world_of_its_own_is_refused_there() {
    let refused = server().client().with_key("revoked-own").qna(100).send();
    refused.refused(401, 1161, "Invalid API key");
}

#[test]
fn a_world_is_served_only_below_its_prefix() {
    let answer = server().client().with_key("all").call("POST", "/w/api").send();
    assert_eq!(answer.status, 404);
    let answer = server().client().with_key("all").call("POST", "/x/w/api/v1/qna/unanswered/get").send();
    assert_eq!(answer.status, 404);
    server().world("api").with_key("all").call("POST", "/resources/v1/review/businessId/100").send().ok();
}

fn make(server: &Server, body: &Value) -> Value {
    let answer = server.admin("POST", "worlds").json(body).send();
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json
}

fn key_of(world: &Value) -> &str {
    world["apiKey"].as_str().unwrap()
}

#[test]
fn a_created_world_is_reached_by_its_base_url_and_by_its_key() {
    let server = fresh();
    let made = make(&server, &json!({}));
    let (name, key) = (made["name"].as_str().unwrap(), key_of(&made));
    assert_eq!(made["baseUrl"], format!("{}/w/{name}", server.base));
    assert_eq!(made["seed"], 11);
    let by_key = save(&server.client().with_key(key), "key@x.test");
    assert_eq!(save(&server.world(name).with_key(key), "key@x.test"), by_key);
    save(&server.world(name).with_key("all"), "url@x.test");
    assert_eq!(emails(&server, name).len(), 2);
    assert!(emails(&server, "default").is_empty());
    let other = make(&server, &json!({"name": "Mine-1.x_y", "scenario": "other", "seed": 9}));
    assert_eq!((&other["name"], &other["seed"]), (&json!("Mine-1.x_y"), &json!(9)));
    assert_ne!(other["apiKey"], made["apiKey"]);
    let empty = server.admin("POST", "worlds").send();
    assert_eq!(empty.status, 201, "every member is optional");
}

#[test]
fn a_minted_key_covers_everything_without_a_limit_but_only_in_its_own_world() {
    let server = fresh();
    let keyless = "standin: 1\nname: keyless\nbusinesses: [{number: 1, name: One}]\n";
    std::fs::write(server.path().join("keyless.yaml"), keyless).unwrap();
    let made = make(&server, &json!({"name": "mine"}));
    let key = key_of(&made);
    for business in [50, 100, 110, 300] {
        server.client().with_key(key).qna(business).send().ok();
    }
    wait_until("the new scenario is served", || {
        server.world("keyless").with_key("any").qna(1).send().status == 200
    });
    let body =
        json!({"businessNumber": 1, "apiKey": key, "events": ["message.added"], "endpoint": "http://h.test"});
    for world in ["default", "other", "own-world", "keyless"] {
        server.world(world).with_key(key).qna(1).send().refused(401, 1161, "Invalid API key");
        server.world(world).subscribe().json(&body).send().refused(401, 1161, "Invalid API key");
    }
    let own = json!({"businessNumber": 100, "apiKey": key, "events": ["message.added"], "endpoint": "http://h.test"});
    server.client().subscribe().json(&own).send().ok();
    let stored = server.admin("GET", "worlds/mine/subscriptions").send();
    assert_eq!(stored.header("x-total-count"), Some("1"));
}

#[test]
fn a_world_that_cannot_be_created_says_why() {
    let server = fresh();
    make(&server, &json!({"name": "taken"}));
    let refused = |body: Value, status: u16, about: &str| {
        let answer = server.admin("POST", "worlds").json(&body).send();
        assert_eq!(answer.status, status, "{body}: {}", answer.text());
        assert!(answer.json["error"].as_str().unwrap().contains(about), "{}", answer.text());
    };
    for taken in ["taken", "api", "other", "own-world"] {
        refused(json!({"name": taken}), 409, taken);
    }
    let long = "x".repeat(65);
    for wrong in ["default", "", "-x", "a b", "a/b", "é", long.as_str()] {
        refused(json!({"name": wrong}), 400, "cannot name a world");
    }
    make(&server, &json!({"name": &long[..64]}));
    refused(json!({"scenario": "nope"}), 400, "nope");
    refused(json!({"name": 5}), 400, "name");
    refused(json!({"seed": -1}), 400, "seed");
    refused(json!({"nmae": "x"}), 400, "nmae");
    assert_eq!(server.admin("POST", "worlds").bytes("[]").send().status, 400);
}

#[test]
fn worlds_are_isolated_and_a_reset_affects_only_its_world() {
    let server = fresh();
    let (one, two) = (make(&server, &json!({})), make(&server, &json!({})));
    let (first, second) = (one["name"].as_str().unwrap(), two["name"].as_str().unwrap());
    save(&server.world(first).with_key(key_of(&one)), "one@x.test");
    save(&server.world(second).with_key(key_of(&two)), "two@x.test");
    server.admin("POST", &format!("worlds/{first}/clock")).json(&json!({"advance": "1m"})).send().ok();
    let now = |world: &str| server.admin("GET", &format!("worlds/{world}/clock")).send().ok()["now"].clone();
    assert_eq!((now(first), now(second)), (json!("2026-06-30T12:01:00Z"), json!("2026-06-30T12:00:00Z")));
    server.admin("POST", &format!("worlds/{first}/reset")).send().ok();
    assert!(emails(&server, first).is_empty());
    assert_eq!(emails(&server, second), ["two@x.test"]);
}

#[test]
fn a_world_of_another_seed_has_other_records_and_follows_its_file() {
    let text = |count: u32| {
        format!(
            "standin: 1\nname: shop\nseed: 1\nbusinesses: [{{number: 1, name: One, locations: [{{number: 11, name: L, reviews: [{{generate: {count}, published: 100%}}]}}]}}]\n"
        )
    };
    let server = Server::of(&[("shop.yaml", &text(10))], &[]);
    let (same, other) = (make(&server, &json!({"seed": 1})), make(&server, &json!({"seed": 2})));
    let list = |world: &Value| {
        let answer = server.client().with_key(key_of(world)).reviews(1).send().ok();
        answer.as_array().unwrap().clone()
    };
    let standing = server.client().with_key("any").reviews(1).send().ok();
    assert_eq!(Value::from(list(&same)), standing);
    assert_ne!(Value::from(list(&other)), standing);
    let before = list(&other);
    std::fs::write(server.path().join("shop.yaml"), text(12)).unwrap();
    wait_until("the made world follows", || list(&other).len() == 12);
    assert!(before.iter().all(|review| list(&other).contains(review)), "under its own seed");
}

fn error(answer: &Answer, status: u16, about: &str) {
    assert_eq!(answer.status, status, "{}: {}", answer.call, answer.text());
    let message = answer.json["error"].as_str().unwrap_or_default();
    assert!(message.contains(about), "{}: {message}", answer.call);
}

#[test]
fn worlds_are_listed_by_name_in_pages() {
    let server = fresh();
    make(&server, &json!({"name": "mine", "scenario": "other", "seed": 9}));
    let page = server.admin("GET", "worlds").raw_query("offset=1&limit=2").send();
    assert_eq!(page.header("x-total-count"), Some("5"));
    let expected = json!([
        {"name": "mine", "scenario": "other", "baseUrl": format!("{}/w/mine", server.base), "seed": 9, "standing": false},
        {"name": "other", "scenario": "other", "baseUrl": format!("{}/w/other", server.base), "seed": 1, "standing": true},
    ]);
    assert_eq!(page.ok(), expected);
    assert_eq!(server.admin("GET", "worlds/mine").send().ok(), expected[0]);
    let default = server.admin("GET", "worlds/default").send().ok();
    assert_eq!((&default["name"], &default["standing"]), (&json!("api"), &json!(true)));
    error(&server.admin("GET", "worlds/nowhere").send(), 404, r#"POST /__admin/worlds {"name":"nowhere"}"#);
    error(&server.admin("GET", "worlds/nowhere/contacts").send(), 404, "POST /__admin/worlds");
    error(&server.admin("PATCH", "worlds/mine").send(), 405, "GET, PUT, DELETE");
}

#[test]
fn a_deleted_world_and_its_key_are_gone_and_its_name_is_free() {
    let server = fresh();
    let before = make(&server, &json!({"name": "mine"}));
    save(&server.client().with_key(key_of(&before)), "a@x.test");
    let removed = server.admin("DELETE", "worlds/mine").send();
    assert_eq!((removed.status, removed.text()), (204, String::new()));
    error(&server.admin("DELETE", "worlds/mine").send(), 404, "mine");
    assert_eq!(server.world("mine").with_key("all").qna(100).send().status, 404);
    server.client().with_key(key_of(&before)).qna(100).send().refused(401, 1161, "Invalid API key");
    let again = make(&server, &json!({"name": "mine"}));
    assert_ne!(again["apiKey"], before["apiKey"]);
    assert!(emails(&server, "mine").is_empty());
    for standing in ["api", "default", "other", "own-world"] {
        error(&server.admin("DELETE", &format!("worlds/{standing}")).send(), 409, "standing world");
        server.world(standing).with_key("own").qna(100).send().ok();
    }
}

fn put(server: &Server, name: &str, body: &Value) -> Answer {
    server.admin("PUT", &format!("worlds/{name}")).json(body).send()
}

#[test]
fn putting_a_world_creates_it_and_later_restarts_it_with_its_key() {
    let server = fresh();
    let made = put(&server, "mine", &json!({"name": "mine", "seed": 3}));
    assert_eq!((made.status, &made.json["seed"]), (201, &json!(3)));
    let own = server.client().with_key(key_of(&made.json));
    save(&own, "a@x.test");
    let again = put(&server, "mine", &json!({"seed": 4}));
    let expected =
        json!({"name": "mine", "baseUrl": made.json["baseUrl"], "apiKey": made.json["apiKey"], "seed": 4});
    assert_eq!((again.status, again.json), (200, expected));
    assert!(emails(&server, "mine").is_empty());
    assert_eq!(server.admin("POST", "worlds/mine/reset").send().ok()["seed"], 4, "its start from now on");
    assert_eq!(put(&server, "mine", &json!({})).json["seed"], 11, "the scenario's");
    save(&own, "b@x.test");
    assert_eq!(put(&server, "mine", &json!({"scenario": "other"})).json["seed"], 1);
    let shown = server.admin("GET", "worlds/mine").send().ok();
    assert_eq!((&shown["scenario"], emails(&server, "mine").len()), (&json!("other"), 0));
    own.qna(110).send().refused(404, 1011, "Business id is invalid");
    assert_eq!(put(&server, "mine", &json!({})).status, 200);
    assert_eq!(server.admin("GET", "worlds/mine").send().ok()["scenario"], "other", "it stays where it is");
}

#[test]
fn a_refused_put_does_not_change_the_world() {
    let server = fresh();
    put(&server, "mine", &json!({"seed": 3}));
    save(&server.world("mine").with_key("all"), "a@x.test");
    for (body, about) in [
        (json!({"name": "other"}), "as in the path"),
        (json!({"scenario": "nope"}), "nope"),
        (json!({"seed": "x"}), "seed"),
        (json!({"sede": 1}), "sede"),
        (json!({"faults": [{"name": "f"}]}), "then"),
        (json!({"clock": {"start": "noon"}}), "start"),
        (json!({"scenario": "nope", "faults": []}), "nope"),
    ] {
        error(&put(&server, "mine", &body), 400, about);
    }
    error(&put(&server, "-x", &json!({})), 400, "cannot name a world");
    assert_eq!(emails(&server, "mine"), ["a@x.test"]);
    assert_eq!(server.admin("GET", "worlds/mine").send().ok()["seed"], 3);
}

#[test]
fn putting_a_standing_world_restarts_it_until_its_next_reset() {
    let server = fresh();
    save(&server.client().with_key("all"), "a@x.test");
    let body = json!({"seed": 5, "clock": {"start": "2027-01-01T00:00:00Z"}, "faults": [{"name": "f", "then": {"status": 503}}]});
    let answer = put(&server, "default", &body);
    let expected =
        json!({"name": "api", "baseUrl": format!("{}/w/api", server.base), "apiKey": null, "seed": 5});
    assert_eq!((answer.status, answer.json), (200, expected));
    assert!(emails(&server, "api").is_empty());
    assert_eq!(server.client().with_key("all").qna(100).send().status, 503);
    assert_eq!(server.admin("POST", "worlds/api/reset").send().ok()["seed"], 11);
    server.client().with_key("all").qna(100).send().ok();
    assert_eq!(server.admin("GET", "worlds/api/clock").send().ok()["start"], "2026-06-30T12:00:00Z");
    error(&put(&server, "api", &json!({"scenario": "other"})), 409, "stays of its scenario");
    assert_eq!(put(&server, "api", &json!({"scenario": "api"})).status, 200);
}

#[test]
fn faults_given_at_creation_keep_their_order_and_survive_a_reset() {
    let server = fresh();
    let faults = json!([
        {"name": "a", "operation": "qna", "then": {"status": 501}},
        {"name": "b", "operation": "qna", "hits": 1, "then": {"status": 502}},
        {"name": "a", "operation": "qna", "then": {"status": 503}},
    ]);
    let made = make(&server, &json!({"name": "mine", "faults": faults}));
    let own = server.client().with_key(key_of(&made));
    let statuses = || [own.qna(100).send().status, own.qna(100).send().status];
    assert_eq!(statuses(), [502, 503], "the last new name is the first");
    server.client().with_key("all").qna(100).send().ok();
    assert_eq!(server.admin("DELETE", "worlds/mine/faults/a").send().status, 204);
    own.qna(100).send().ok();
    server.admin("POST", "worlds/mine/reset").send().ok();
    assert_eq!(statuses(), [502, 503], "as it was made");
}

#[test]
fn faults_of_a_world_are_validated_as_in_a_file_before_it_is_created() {
    let server = fresh();
    let body = r#"{
  "name": "mine",
  "faults": [
    {"name": "a", "operation": "qnaa", "then": {"error": 89}},
    {"name": "b", "when": {"business": 101}, "thn": {"error": 89}}
  ]
}"#;
    let answer = server.admin("POST", "worlds").bytes(body).send();
    error(&answer, 400, "The world is not made so: line 4:");
    let found = answer.json["diagnostics"].as_array().unwrap();
    let short: Vec<Value> =
        found.iter().map(|one| json!([one["code"], one["line"], one["column"], one["label"]])).collect();
    let expected = json!([
        ["unknown-value", 4, 32, "did you mean `qna`?"],
        ["unknown-reference", 5, 40, "did you mean `100`?"],
        ["unknown-key", 5, 46, "did you mean `then`?"],
    ]);
    assert_eq!(Value::from(short), expected);
    assert_eq!((&found[0]["file"], &found[0]["severity"]), (&json!("body"), &json!("error")));
    assert_eq!(server.admin("GET", "worlds/mine").send().status, 404);
    for (wrong, about) in [
        (json!({"faults": {}}), "list"),
        (json!({"clock": {"strat": 1}}), "strat"),
        (json!({"clock": 5}), "map"),
    ] {
        error(&server.admin("POST", "worlds").json(&wrong).send(), 400, about);
    }
}

#[test]
fn a_clock_shows_the_years_1_to_9999_and_says_so_beyond_them() {
    let server = Server::of(&[("api.yaml", API)], &[]);
    let clock = |body: Value| server.admin("POST", "worlds/api/clock").json(&body).send();
    for (body, why) in [
        (json!({"advance": "99999999h"}), "at most a thousand years"),
        (json!({"advance": "8766000h"}), "ends with the year 9999"),
        (json!({"advance": "99999999999999999999999h"}), "at most a thousand years"),
        (json!({"set": "+010000-01-01T00:00:00Z"}), "from the year 1 to 9999"),
        (json!({"set": "0000-01-01"}), "from the year 1 to 9999"),
    ] {
        if body["advance"] == "8766000h" {
            clock(json!({"set": "9500-01-01"})).ok();
        }
        let answer = clock(body.clone());
        assert_eq!(answer.status, 400, "{body}");
        assert!(answer.text().contains(why), "{body} {}", answer.text());
    }
    assert_eq!(clock(json!({"set": "9999-12-31T23:59:59.999Z"})).ok()["now"], "9999-12-31T23:59:59.999Z");
    assert_eq!(clock(json!({"advance": "1ms"})).status, 400);
    let world = json!({"name": "early", "clock": {"start": "0000-12-31"}});
    let refused = server.admin("POST", "worlds").json(&world).send();
    assert!(
        refused.status == 400 && refused.text().contains("from the year 1 to 9999"),
        "{}",
        refused.text()
    );
    make(&server, &json!({"name": "late", "clock": {"start": "9999-12-31T23:59:59Z", "mode": "running"}}));
    clock(json!({"mode": "running"})).ok();
    for world in ["api", "late"] {
        server.world(world).with_key("all").reviews(100).send().ok();
        let now = server.admin("GET", &format!("worlds/{world}/clock")).send().ok()["now"].clone();
        assert!(now.as_str().is_some_and(|now| now.starts_with("9999-12-31T23:59:59")), "{world} {now}");
    }
}

#[test]
fn a_worlds_clock_starts_at_the_given_time_also_after_a_reset() {
    let server = fresh();
    let clock = |world: &str| {
        let shown = server.admin("GET", &format!("worlds/{world}/clock")).send().ok();
        (shown["now"].clone(), shown["mode"].clone())
    };
    make(&server, &json!({"name": "new-year", "clock": {"start": "2027-01-01T00:00:00Z"}}));
    let expected = (json!("2027-01-01T00:00:00Z"), json!("frozen"));
    assert_eq!(clock("new-year"), expected, "the scenario's is frozen");
    server.admin("POST", "worlds/new-year/clock").json(&json!({"advance": "1h"})).send().ok();
    server.admin("POST", "worlds/new-year/reset").send().ok();
    assert_eq!(clock("new-year"), expected);
    make(&server, &json!({"name": "runs", "clock": {"mode": "running"}}));
    let (now, mode) = clock("runs");
    assert!(now.as_str().unwrap().starts_with("2026-06-30T12:") && mode == "running", "{now}");
    let reviews = |world: &str| server.world(world).with_key("all").reviews(100).send().ok();
    assert_eq!(reviews("new-year"), reviews("api"), "what is stored is the scenario's");
}

#[test]
fn the_program_removes_idle_worlds_and_reading_a_world_keeps_it() {
    let server = Server::of(&[("api.yaml", API)], &["--idle", "1s"]);
    make(&server, &json!({"name": "kept"}));
    make(&server, &json!({"name": "left"}));
    let names = || server.admin("GET", "worlds").send().ok().to_string();
    wait_until("the other is gone", || {
        assert_eq!(server.admin("GET", "worlds/kept/clock").send().status, 200);
        !names().contains("left")
    });
    wait_until("that is gone too", || !names().contains("kept"));
    server.client().with_key("all").qna(100).send().ok();
}

#[test]
fn an_invalid_idle_time_is_refused() {
    for wrong in ["0s", "1", "soon", ""] {
        let ended = program().args(["serve", "--idle", wrong]).output().unwrap();
        let errors = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(2), "{errors}");
        assert!(errors.contains("--idle") && errors.contains("`never`"), "{errors}");
    }
    let server = Server::of(&[("api.yaml", API)], &["--idle", "never"]);
    make(&server, &json!({}));
}

fn generated(reviews: u32) -> String {
    format!(
        "standin: 1\nseed: 1\nbusinesses: [{{number: 1, name: One, locations: [{{number: 11, name: L, reviews: [{{generate: {reviews}}}]}}]}}]\n"
    )
}

#[test]
fn a_ninth_large_dataset_of_another_seed_is_refused_and_changes_nothing() {
    let files = [("large.yaml", generated(100_001)), ("small.yaml", generated(100_000))];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let server = Server::of(&files, &[]);
    for seed in 2..10 {
        make(&server, &json!({"name": format!("w{seed}"), "seed": seed}));
    }
    let refused = |answer: &Answer| error(answer, 429, "leave `seed` out, or remove such a world");
    let reset = |world: &str, seed: u32| {
        server.admin("POST", &format!("worlds/{world}/reset")).json(&json!({"seed": seed})).send()
    };
    refused(&server.admin("POST", "worlds").json(&json!({"name": "w10", "seed": 10})).send());
    refused(&put(&server, "w10", &json!({"seed": 10})));
    refused(&put(&server, "large", &json!({"seed": 10})));
    refused(&reset("default", 10));
    assert_eq!(server.admin("GET", "worlds/w10").send().status, 404);
    assert_eq!(server.admin("GET", "worlds/large").send().ok()["seed"], 1);
    for fine in [json!({}), json!({"seed": 1}), json!({"seed": 5}), json!({"seed": 10, "scenario": "small"})]
    {
        make(&server, &fine);
    }
    reset("w2", 10).ok();
    refused(&reset("default", 2));
    reset("w2", 2).ok();
    assert_eq!(server.admin("DELETE", "worlds/w2").send().status, 204);
    reset("default", 10).ok();
    refused(&server.admin("POST", "worlds").json(&json!({"seed": 2})).send());
}

const CROWD: &str = "standin: 1
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys: [{key: all}, {key: limited, rate_limit: 5 per 1h}]
businesses: [{number: 100, name: One, locations: [{number: 1001, name: L, reviews: [{generate: 30}]}]}]
faults: [{name: once, operation: reviews, hits: 1, then: {status: 503}}]\n";

/// One step in a world.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    List,
    Save(u32),
    Reset,
}

#[test]
fn two_hundred_worlds_used_by_sixteen_threads_stay_isolated() {
    const WORLDS: usize = 200;
    const RESET: usize = 77;
    const THREADS: usize = 16;
    let server = Server::of(&[("crowd.yaml", CROWD)], &[]);
    let worlds: Vec<Value> = (0..WORLDS).map(|_| make(&server, &json!({}))).collect();
    let name = |world: usize| worlds[world]["name"].as_str().unwrap();
    // The steps of a world are apart in the list, so that several threads use each world at the same time.
    let mut steps: Vec<(usize, Step)> = Vec::new();
    for round in 0..8 {
        for world in 0..WORLDS {
            steps.push((world, Step::List));
            if round < 4 {
                steps.push((world, Step::Save(round)));
            }
        }
        steps.push((RESET, Step::Reset));
    }
    let take = |(world, step): (usize, Step)| match step {
        Step::List => server.world(name(world)).with_key("limited").reviews(100).send().status,
        Step::Save(round) => {
            let email = format!("{world}-{round}@x.test");
            save(&server.client().with_key(key_of(&worlds[world])), &email);
            200
        }
        Step::Reset => server.admin("POST", &format!("worlds/{}/reset", name(world))).send().status,
    };
    let statuses: Vec<((usize, Step), u16)> = thread::scope(|scope| {
        let mine = |thread: usize| {
            steps.iter().skip(thread).step_by(THREADS).map(|step| (*step, take(*step))).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || mine(thread))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    for world in (0..WORLDS).filter(|world| *world != RESET) {
        let count = |status: u16| {
            statuses.iter().filter(|(done, got)| *done == (world, Step::List) && *got == status).count()
        };
        assert_eq!([count(503), count(200), count(429)], [1, 5, 2], "world {world}");
        let mut stored = emails(&server, name(world));
        stored.sort();
        assert_eq!(stored, (0..4).map(|round| format!("{world}-{round}@x.test")).collect::<Vec<_>>());
    }
    let again = |world: usize| server.world(name(world)).with_key("limited").reviews(100).send().status;
    server.admin("POST", &format!("worlds/{}/reset", name(RESET))).send().ok();
    assert_eq!([again(RESET), again(RESET), again(RESET + 1)], [503, 200, 429]);
    assert!(emails(&server, name(RESET)).is_empty());
}

#[test]
fn a_random_seed_is_drawn_and_told() {
    let server = fresh();
    let seed = |method: &str, path: &str, name: &str| {
        let answer = server.admin(method, path).json(&json!({"seed": name})).send();
        assert!(answer.status < 300, "{answer:?}");
        answer.json["seed"].as_u64().unwrap()
    };
    let reset = || seed("POST", "worlds/default/reset", "random");
    let (first, second) = (reset(), reset());
    assert_ne!(first, second);
    assert_eq!(server.admin("GET", "worlds/default").send().ok()["seed"], second);
    assert_ne!(seed("POST", "worlds", "random"), seed("PUT", "worlds/mine", "random"));
    let wrong = server.admin("POST", "worlds/default/reset").json(&json!({"seed": "x"})).send();
    let error = wrong.json["error"].as_str().unwrap();
    assert!(wrong.status == 400 && error.contains("or \"random\"; it is x"), "{error}");
}

#[test]
fn a_world_is_named_by_the_baggage_header_where_neither_path_nor_key_name_one() {
    let server = Server::of(
        &[
            ("api.yaml", API),
            (
                "closed.yaml",
                &API.replace("name: api", "name: closed")
                    .replace("standin: 1", "standin: 1\ndialect: {baggage: false}"),
            ),
        ],
        &["--default", "api"],
    );
    for name in ["one", "two"] {
        server.admin("POST", "worlds").json(&json!({"name": name})).send();
    }
    server.admin("POST", "worlds").json(&json!({"name": "shut", "scenario": "closed"})).send();
    let calls = |world: &str| {
        server.admin("GET", &format!("worlds/{world}/requests")).send().ok().as_array().unwrap().len()
    };
    let call = |client: &Client, baggage: &str| client.qna(100).header("baggage", baggage).send();
    let client = server.client().with_key("all");
    for baggage in [
        "standin.world=one",
        "a=b;c=d , standin.world = one;p=q",
        "x=%2C,standin.world=%6fne,standin.world=two",
    ] {
        call(&client, baggage).ok();
    }
    assert_eq!([calls("one"), calls("two"), calls("default")], [3, 0, 0]);
    // The base URL comes first, and what is no baggage of ours is nobody's.
    call(&server.world("two").with_key("all"), "standin.world=one").ok();
    call(&client, "world=one,standin.world.x=one,standin.world").ok();
    assert_eq!([calls("one"), calls("two"), calls("default")], [3, 1, 1]);
    let unknown = call(&client, "standin.world=nobody");
    assert_eq!(unknown.status, 404);
    assert!(unknown.text().contains("No world is named nobody"), "{}", unknown.text());
    // A scenario can switch it off for its worlds.
    call(&client, "standin.world=shut").ok();
    assert_eq!([calls("shut"), calls("default")], [0, 2]);
    let server =
        Server::of(&[("api.yaml", &API.replace("standin: 1", "standin: 1\ndialect: {baggage: false}"))], &[]);
    call(&server.client().with_key("all"), "standin.world=nobody").ok();
}
