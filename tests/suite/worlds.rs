//! Which world a call reaches: by its base URL, by its key, or the default one.

use serde_json::{Value, json};

use crate::harness::{Client, Server};
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
