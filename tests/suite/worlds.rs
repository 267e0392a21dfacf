//! Which world a call reaches: by its base URL, by its key, or the default one.

use serde_json::{Value, json};

use crate::harness::{Client, Server, wait_until};
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
fn the_default_world_goes_by_two_names_and_none() {
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
fn a_key_with_a_world_of_its_own_lives_there() {
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
fn a_base_url_beats_a_key() {
    let server = fresh();
    save(&server.world("default").with_key("own"), "here@x.test");
    save(&server.world("other").with_key("own"), "ordinary@x.test");
    assert_eq!(emails(&server, "default"), ["here@x.test"]);
    assert_eq!(emails(&server, "other"), ["ordinary@x.test"]);
    assert!(emails(&server, "own-world").is_empty());
    assert_eq!(server.admin("GET", "worlds/elsewhere/contacts").send().status, 404, "default scenario only");
}

#[test]
fn the_subscriptions_key_names_its_world_in_the_body() {
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
fn a_world_is_served_below_its_prefix_alone() {
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
fn a_world_is_made_with_a_base_url_and_a_key_that_lead_to_it() {
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
fn a_minted_key_covers_everything_without_a_limit_and_in_its_own_world_alone() {
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
fn a_world_that_cannot_be_made_says_why() {
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
fn worlds_are_isolated_and_a_reset_is_one_worlds_own() {
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
fn a_world_of_another_seed_tells_another_story_of_the_same_scenario_and_follows_its_file() {
    let text = |count: u32| {
        format!(
            "standin: 1\nname: told\nseed: 1\nbusinesses: [{{number: 1, name: One, locations: [{{number: 11, name: L, reviews: [{{generate: {count}, published: 100%}}]}}]}}]\n"
        )
    };
    let server = Server::of(&[("told.yaml", &text(10))], &[]);
    let (same, other) = (make(&server, &json!({"seed": 1})), make(&server, &json!({"seed": 2})));
    let list = |world: &Value| {
        let answer = server.client().with_key(key_of(world)).reviews(1).send().ok();
        answer.as_array().unwrap().clone()
    };
    let standing = server.client().with_key("any").reviews(1).send().ok();
    assert_eq!(Value::from(list(&same)), standing);
    assert_ne!(Value::from(list(&other)), standing);
    let before = list(&other);
    std::fs::write(server.path().join("told.yaml"), text(12)).unwrap();
    wait_until("the made world follows", || list(&other).len() == 12);
    assert!(before.iter().all(|review| list(&other).contains(review)), "under its own seed");
}
