//! Scenarios sent over HTTP: added, replaced, refused, and replaced by a save of their file.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Answer, Server, wait_until};

/// A scenario with so many reviews.
fn text(reviews: usize) -> String {
    let reviews: Vec<String> =
        (0..reviews).map(|at| format!("{{id: '{at}', rating: 5, date: 2026-01-01}}")).collect();
    format!(
        "standin: 1\nbusinesses: [{{number: 1, name: One, locations: [{{number: 11, name: L, reviews: [{}]}}]}}]\n",
        reviews.join(", ")
    )
}

fn fresh() -> Server {
    Server::of(&[("a.yaml", &text(1)), ("b.yaml", &text(1))], &[])
}

fn put(server: &Server, name: &str, body: &str) -> Answer {
    server.admin("PUT", &format!("scenarios/{name}")).bytes(body).send()
}

fn reviews(server: &Server, world: &str) -> usize {
    server.world(world).with_key("k").reviews(1).send().ok().as_array().unwrap().len()
}

fn health(server: &Server, name: &str) -> Value {
    let health = server.admin("GET", "health").send().ok();
    let scenarios = health["scenarios"].as_array().unwrap();
    scenarios.iter().find(|one| one["name"] == name).cloned().unwrap_or_default()
}

/// Waits until the files were read again, by adding one and waiting until it is served.
fn look(server: &Server) {
    let generation = || health(server, "b")["generation"].as_u64().unwrap();
    let before = generation();
    let more = usize::try_from(before).unwrap() + 1;
    fs::write(server.path().join("b.yaml"), text(more)).unwrap();
    wait_until("the files were looked at", || generation() > before);
}

fn error(answer: &Answer, status: u16, about: &str) {
    assert_eq!(answer.status, status, "{}: {}", answer.call, answer.text());
    let message = answer.json["error"].as_str().unwrap_or_default();
    assert!(message.contains(about), "{}: {message}", answer.call);
}

#[test]
fn a_scenario_is_added_with_a_world_of_its_name_and_replaced() {
    let server = fresh();
    let answer = put(&server, "new", &format!("{}summary: Sent.\n", text(2)));
    let expected = json!({"name": "new", "summary": "Sent.", "default": false, "file": null, "businesses": 1, "locations": 1,
        "reviews": 2, "questions": 0, "faults": 0, "generation": 1, "diagnostics": []});
    assert_eq!((answer.status, answer.json), (201, expected));
    assert_eq!(reviews(&server, "new"), 2);
    assert_eq!(server.admin("GET", "worlds/new").send().ok()["standing"], true);
    let listed = server.admin("GET", "scenarios").send().ok();
    assert_eq!((&listed[2]["name"], &listed[2]["file"]), (&json!("new"), &json!(null)));
    let answer = put(&server, "new", &format!("name: new\n{}", text(3)));
    assert_eq!((answer.status, &answer.json["generation"]), (200, &json!(2)));
    assert_eq!(reviews(&server, "new"), 3);
    assert!(!server.path().join("new.yaml").exists(), "nothing is written");
    look(&server);
    assert_eq!((reviews(&server, "new"), &health(&server, "new")["generation"]), (3, &json!(2)));
    assert_eq!(server.admin("GET", "health").send().ok()["status"], "ok");
}

#[test]
fn stored_data_and_worlds_survive_when_a_scenario_is_replaced() {
    let server = fresh();
    server.admin("PUT", "worlds/mine").json(&json!({"seed": 7})).send();
    for world in ["a", "mine"] {
        let body = json!({"email": "kept@x.test", "businessIds": [11]});
        server.world(world).with_key("k").contact(1).json(&body).send().ok();
    }
    assert_eq!(put(&server, "a", &text(4)).status, 200);
    for world in ["a", "mine"] {
        let contacts = server.admin("GET", &format!("worlds/{world}/contacts")).send();
        assert_eq!((contacts.header("x-total-count"), reviews(&server, world)), (Some("1"), 4));
    }
    assert_eq!(server.admin("GET", "worlds/mine").send().ok()["seed"], 7);
}

#[test]
fn a_sent_scenario_stays_until_its_file_is_saved() {
    let server = fresh();
    let answer = put(&server, "a", &text(5));
    assert_eq!((answer.status, &answer.json["generation"]), (200, &json!(2)));
    assert!(answer.json["file"].as_str().unwrap().ends_with("a.yaml"));
    look(&server);
    assert_eq!((reviews(&server, "a"), &health(&server, "a")["generation"]), (5, &json!(2)));
    fs::write(server.path().join("a.yaml"), "standin: 1\nbusineses: []\n").unwrap();
    wait_until("health has the diagnostics of the file", || health(&server, "a")["diagnostics"] != json!([]));
    look(&server);
    assert_eq!(reviews(&server, "a"), 5, "a broken file changes nothing");
    assert_eq!(health(&server, "a")["diagnostics"][0]["code"], "unknown-key");
    fs::write(server.path().join("a.yaml"), text(1)).unwrap();
    wait_until("the file is served", || reviews(&server, "a") == 1);
    assert_eq!(health(&server, "a")["generation"], 3);
    put(&server, "a", &text(6));
    fs::write(server.path().join("a.yaml"), text(1)).unwrap();
    wait_until("a save as it was counts too", || reviews(&server, "a") == 1);
}

#[test]
fn a_new_file_of_the_same_name_wins_and_a_deleted_one_changes_nothing() {
    let server = fresh();
    put(&server, "new", &text(2));
    fs::write(server.path().join("new.yaml"), text(3)).unwrap();
    wait_until("the file is served", || reviews(&server, "new") == 3);
    assert_eq!(health(&server, "new")["generation"], 2);
    put(&server, "new", &text(4));
    fs::remove_file(server.path().join("new.yaml")).unwrap();
    let file = || server.admin("GET", "scenarios").send().ok()[2]["file"].clone();
    wait_until("the file is gone", || file().is_null());
    assert_eq!((reviews(&server, "new"), &health(&server, "new")["diagnostics"]), (4, &json!([])));
}

#[test]
fn a_scenario_with_errors_is_refused_with_all_of_them_and_changes_nothing() {
    let server = fresh();
    let answer = put(
        &server,
        "a",
        "standin: 1\nseed: x\nbusinesses: [{number: 1}]\nfaults: [{name: f, then: {eror: 1}}]\n",
    );
    error(&answer, 400, "The scenario is not served: line 2:");
    let found = answer.json["diagnostics"].as_array().unwrap();
    let short: Vec<Value> = found.iter().map(|one| json!([one["code"], one["line"], one["file"]])).collect();
    let expected =
        json!([["wrong-value", 2, "a.yaml"], ["missing-key", 3, "a.yaml"], ["unknown-key", 4, "a.yaml"]]);
    assert_eq!(Value::from(short), expected);
    assert_eq!(found[2]["label"], "did you mean `error`?");
    assert_eq!((reviews(&server, "a"), &health(&server, "a")["generation"]), (1, &json!(1)));
    for (name, body, about) in [
        ("a", "name: other\nstandin: 1", "sent as `a`"),
        ("a", "", "standin: 1"),
        ("a", "standin: 1\npart: true", "part"),
        ("a", "standin: [", "YAML"),
        ("default", "standin: 1", "cannot name a scenario"),
        ("-x", "standin: 1", "cannot name a scenario"),
    ] {
        error(&put(&server, name, body), 400, about);
    }
    error(&server.admin("PUT", "scenarios/a").bytes([0xff]).send(), 400, "UTF-8");
    error(&put(&server, "a", &" ".repeat(2 << 20)), 413, "1 MiB");
    error(&server.admin("DELETE", "scenarios/a").send(), 405, "PUT");
    assert_eq!(
        server.admin("GET", "health").send().ok()["status"],
        "ok",
        "health does not have the diagnostics of a refused scenario"
    );
}

#[test]
fn warnings_are_in_the_answer_and_in_health() {
    let server = fresh();
    let warned = format!("{}clock: {{mode: frozen}}\nkeys: [{{key: k, rate_limit: 9 per 1m}}]\n", text(1));
    let answer = put(&server, "a", &warned);
    assert_eq!((answer.status, &answer.json["diagnostics"][0]["code"]), (200, &json!("frozen-clock")));
    look(&server);
    assert_eq!(health(&server, "a")["diagnostics"], answer.json["diagnostics"]);
    assert_eq!(server.admin("GET", "health").send().ok()["status"], "ok");
}

#[test]
fn paths_of_a_sent_scenario_are_relative_to_the_root() {
    let server = fresh();
    fs::create_dir(server.path().join("parts")).unwrap();
    fs::write(server.path().join("parts/rows.csv"), "rating,date\n5,2026-01-01\n4,2026-01-02\n").unwrap();
    let with = |file: &str| text(0).replace("reviews: []", &format!("reviews: [{{file: {file}}}]"));
    assert_eq!(put(&server, "new", &with("parts/rows.csv")).status, 201);
    assert_eq!(reviews(&server, "new"), 2);
    let answer = put(&server, "new", &with("../rows.csv"));
    assert_eq!((answer.status, &answer.json["diagnostics"][0]["code"]), (400, &json!("outside-root")));
    assert_eq!(put(&server, "new", &with("rows.csv")).json["diagnostics"][0]["code"], "no-file");
}

#[test]
fn a_keys_own_world_and_a_scenario_have_different_names() {
    let server = fresh();
    let keys = |world: &str| format!("{}keys: [{{key: k, name: {world}, world: own}}]\n", text(1));
    error(&put(&server, "a", &keys("b")), 400, "`b` is the name of a scenario");
    assert_eq!(put(&server, "a", &keys("mine")).status, 200);
    assert_eq!(server.admin("GET", "worlds/mine").send().ok()["standing"], true);
    let answer = put(&server, "mine", &text(1));
    error(&answer, 400, "`mine` is the name of a key's own world");
    assert_eq!(answer.json["diagnostics"][0]["code"], "world-name");
}

#[test]
fn without_the_token_no_scenario_is_accepted() {
    let server = Server::of(&[("a.yaml", &text(1))], &["--admin-token", "t"]);
    error(&put(&server, "a", &text(2)), 401, "token");
    assert_eq!(reviews(&server, "a"), 1);
    let put = server.admin("PUT", "scenarios/a").header("authorization", "Bearer t").bytes(text(2));
    assert_eq!(put.send().status, 200);
    assert_eq!(reviews(&server, "a"), 2);
}
