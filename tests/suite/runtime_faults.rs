//! Faults changed at runtime: listed, put, enabled, disabled and deleted, over a reload and a reset.

use serde_json::{Value, json};

use crate::harness::{Answer, Server, wait_until};

const HEAD: &str = "standin: 1
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys: [{key: k, name: kay}]
businesses: [{number: 1, name: One, locations: [{number: 11, name: L}]}]
";

const FAULTS: &str = "faults:
  - {name: first, operation: qna, hits: 2, then: {status: 501}}
  - name: second
    operation: qna   # a comment
    hits: 3-
    then: {status: 502}
";

fn scenario(faults: &str) -> String {
    format!("{HEAD}{faults}")
}

fn fresh() -> Server {
    Server::of(&[("a.yaml", &scenario(FAULTS))], &[])
}

fn list(server: &Server) -> Vec<Value> {
    server.admin("GET", "worlds/a/faults").send().ok().as_array().unwrap().clone()
}

/// Short forms of the faults: name, whether enabled, hit count and origin.
fn short(server: &Server) -> Vec<String> {
    let short = |fault: &Value| {
        let off = if fault["enabled"] == true { "" } else { " off" };
        format!(
            "{} {} {}{off}",
            fault["name"].as_str().unwrap(),
            fault["hitCount"],
            fault["source"].as_str().unwrap()
        )
    };
    list(server).iter().map(short).collect()
}

fn put(server: &Server, name: &str, body: &str) -> Answer {
    server.admin("PUT", &format!("worlds/a/faults/{name}")).bytes(body).send()
}

fn enable(server: &Server, name: &str, enabled: bool) -> Answer {
    server.admin("PATCH", &format!("worlds/a/faults/{name}")).json(&json!({"enabled": enabled})).send()
}

fn remove(server: &Server, name: &str) -> u16 {
    server.admin("DELETE", &format!("worlds/a/faults/{name}")).send().status
}

fn status(server: &Server) -> u16 {
    server.client().with_key("k").qna(1).send().status
}

/// Saves the scenario with those faults and waits until it is served.
fn save(server: &Server, faults: &str) {
    let generation = || server.admin("GET", "health").send().ok()["scenarios"][0]["generation"].clone();
    let before = generation();
    std::fs::write(server.path().join("a.yaml"), scenario(faults)).unwrap();
    wait_until("the file is served", || generation() != before);
}

fn error(answer: &Answer, status: u16, about: &str) {
    assert_eq!(answer.status, status, "{}: {}", answer.call, answer.text());
    let message = answer.json["error"].as_str().unwrap_or_default();
    assert!(message.contains(about), "{}: {message}", answer.call);
}

#[test]
fn faults_are_listed_in_file_order_with_their_hit_counts() {
    let server = fresh();
    let statuses = [(); 5].map(|()| status(&server));
    assert_eq!(statuses, [200, 501, 200, 502, 502], "the second did not see what the first took");
    let expected = json!([
        {"name": "first", "enabled": true, "hitCount": 1, "source": "file",
            "fault": {"name": "first", "operation": "qna", "hits": 2, "then": {"status": 501}}},
        {"name": "second", "enabled": true, "hitCount": 2, "source": "file",
            "fault": {"name": "second", "operation": "qna", "hits": "3-", "then": {"status": 502}}},
    ]);
    assert_eq!(Value::from(list(&server)), expected);
    let page = server.admin("GET", "worlds/default/faults").raw_query("offset=1&limit=1").send();
    assert_eq!(page.header("x-total-count"), Some("2"));
    assert_eq!(page.ok(), json!([expected[1]]));
}

#[test]
fn a_new_fault_is_put_first_and_a_known_one_keeps_its_position() {
    let server = fresh();
    let answer = put(&server, "new", "operation: qna\nhits: 1\nthen: {status: 503}\n");
    let expected = json!({"name": "new", "enabled": true, "hitCount": 0, "source": "admin", "diagnostics": [],
        "fault": {"name": "new", "operation": "qna", "hits": 1, "then": {"status": 503}}});
    assert_eq!((answer.status, answer.json), (201, expected));
    assert_eq!(
        put(&server, "newer", r#"{"operation": "qna", "hits": 2, "then": {"status": 504}}"#).status,
        201
    );
    let answer = put(&server, "second", r#"{"name": "second", "operation": "qna", "then": {"status": 505}}"#);
    assert_eq!((answer.status, &answer.json["source"]), (200, &json!("admin")));
    assert_eq!(put(&server, "new", "operation: qna\nhits: 1\nthen: {status: 509}\n").status, 200);
    assert_eq!(short(&server), ["newer 0 admin", "new 0 admin", "first 0 file", "second 0 admin"]);
    assert_eq!([status(&server), status(&server), status(&server)], [509, 504, 505]);
    assert_eq!(server.world("a").with_key("k").qna(1).send().status, 501, "the others count no less");
}

#[test]
fn a_fault_can_be_disabled_and_enabled_without_losing_its_counts() {
    let server = fresh();
    assert_eq!([status(&server), status(&server)], [200, 501]);
    let answer = enable(&server, "first", false);
    assert_eq!(
        (answer.status, &answer.json["enabled"], &answer.json["hitCount"]),
        (200, &json!(false), &json!(1))
    );
    enable(&server, "second", false).ok();
    assert_eq!([status(&server), status(&server)], [200, 200]);
    assert_eq!(short(&server), ["first 1 file off", "second 0 file off"]);
    enable(&server, "second", true).ok();
    assert_eq!(
        [status(&server), status(&server)],
        [200, 502],
        "it had counted one, and none while it was off"
    );
    for (name, body) in
        [("first", "{}"), ("first", r#"{"enabled": "no"}"#), ("first", r#"{"enabld": true}"#), ("nope", "{}")]
    {
        let path = format!("worlds/a/faults/{name}");
        error(&server.admin("PATCH", &path).bytes(body).send(), 400, "enabl");
    }
}

#[test]
fn an_unchanged_fault_keeps_counting_and_a_changed_one_starts_over() {
    let server = fresh();
    let put = |body: &str| assert_eq!(put(&server, "first", body).status, 200);
    assert_eq!(status(&server), 200);
    put(r#"{"then": {"status": 501}, "hits": 2, "operation": "qna"}"#);
    assert_eq!(short(&server)[0], "first 0 file", "as in the file");
    assert_eq!(status(&server), 501);
    put(r#"{"then": {"status": 504}, "hits": 2, "operation": "qna"}"#);
    assert_eq!(short(&server)[0], "first 0 admin");
    put(r#"{"then": {"status": 504}, "hits": 2, "operation": "qna"}"#);
    enable(&server, "second", false).ok();
    assert_eq!([status(&server), status(&server), status(&server)], [200, 504, 200]);
    assert_eq!(short(&server)[0], "first 1 admin");
}

#[test]
fn a_deleted_fault_no_longer_applies_and_unknown_names_are_404() {
    let server = fresh();
    assert_eq!((remove(&server, "second"), remove(&server, "second")), (204, 404));
    assert_eq!([status(&server), status(&server), status(&server)], [200, 501, 200]);
    assert_eq!(
        put(&server, "second", "{operation: qna, then: {status: 502}}").status,
        201,
        "a new name again"
    );
    assert_eq!(short(&server), ["second 0 admin", "first 1 file"]);
    assert_eq!(remove(&server, "second"), 204);
    assert_eq!(short(&server), ["first 1 file"]);
    let answer = server.admin("DELETE", "worlds/a/faults/frist").send();
    error(&answer, 404, "did you mean `first`?");
    error(&enable(&server, "nope", true), 404, "allowed: `first`");
    error(&server.admin("PUT", "worlds/nowhere/faults/x").send(), 404, "nowhere");
    error(&server.admin("POST", "worlds/a/faults").send(), 405, "GET");
    error(&server.admin("GET", "worlds/a/faults/first").send(), 405, "PUT, PATCH, DELETE");
}

#[test]
fn an_invalid_fault_is_refused_with_all_diagnostics_and_changes_nothing() {
    let server = fresh();
    let body = "operation: [qna, revews]\nwhen: {key: kya, business: 2}\nhits: x\nthen: {error: 88}\n";
    let answer = put(&server, "first", body);
    error(&answer, 400, "The fault is not taken: line 1:");
    let found = answer.json["diagnostics"].as_array().unwrap();
    let short: Vec<Value> = found.iter().map(|one| json!([one["code"], one["line"]])).collect();
    let expected = json!([
        ["unknown-value", 1],
        ["unknown-reference", 2],
        ["unknown-reference", 2],
        ["wrong-value", 3],
        ["unknown-code", 4],
    ]);
    assert_eq!(Value::from(short), expected, "{found:#?}");
    assert!(found[1]["label"].as_str().unwrap().contains("kay"), "{}", found[1]);
    assert!(found[0]["text"].as_str().unwrap().contains("body:1:"), "shown as a compiler does");
    for (body, about) in [
        ("{name: other, then: {error: 89}}", "sent as `first`"),
        ("[{then: {error: 89}}]", "map"),
        ("{then: {error: 89}", "YAML"),
        ("", "map"),
    ] {
        error(&put(&server, "first", body), 400, about);
    }
    error(&server.admin("PUT", "worlds/a/faults/first").bytes([0xff]).send(), 400, "UTF-8");
    error(&put(&server, "first", &" ".repeat(2 << 20)), 413, "too large");
    assert_eq!(list(&server), list(&fresh()));
}

#[test]
fn an_accepted_fault_comes_with_its_warnings() {
    let server = fresh();
    let answer = put(&server, "late", "operation: qna\nduring: 10s-20s\nthen: {status: 503}\n");
    assert_eq!((answer.status, &answer.json["diagnostics"][0]["code"]), (201, &json!("frozen-clock")));
    server.admin("POST", "worlds/a/clock").json(&json!({"mode": "running"})).send().ok();
    let answer = put(&server, "late", "operation: qna\nduring: 10s-21s\nthen: {status: 503}\n");
    assert_eq!((answer.status, &answer.json["diagnostics"]), (200, &json!([])), "this world's clock runs");
}

#[test]
fn any_text_is_a_fault_name() {
    let server = fresh();
    let name = "a%2Fb%20%C3%A9";
    assert_eq!(put(&server, name, "then: {status: 503}").json["name"], "a/b \u{e9}");
    enable(&server, name, false).ok();
    assert_eq!(remove(&server, name), 204);
    error(&put(&server, "a%0Ab", "then: {status: 503}"), 400, "one line");
}

#[test]
fn fault_changes_affect_only_their_world() {
    let server = fresh();
    let made = server.admin("POST", "worlds").json(&json!({"name": "mine"})).send();
    assert_eq!(made.status, 201);
    put(&server, "new", "{operation: qna, then: {status: 503}}");
    remove(&server, "second");
    let mine: Vec<Value> = server.admin("GET", "worlds/mine/faults").send().ok().as_array().unwrap().clone();
    assert_eq!(mine, list(&fresh()));
    assert_eq!((status(&server), server.world("mine").with_key("k").qna(1).send().status), (503, 200));
}

#[test]
fn a_reset_restores_the_file() {
    let server = fresh();
    put(&server, "new", "{operation: qna, then: {status: 503}}");
    enable(&server, "first", false).ok();
    remove(&server, "second");
    assert_eq!(status(&server), 503);
    server.admin("POST", "worlds/a/reset").send().ok();
    assert_eq!(list(&server), list(&fresh()));
    assert_eq!([status(&server), status(&server)], [200, 501]);
}

#[test]
fn a_change_survives_a_reload_until_the_file_says_otherwise_about_that_fault() {
    let third = "  - {name: third, operation: qna, hits: 9, then: {status: 509}}\n";
    let server = Server::of(&[("a.yaml", &scenario(&format!("{FAULTS}{third}")))], &[]);
    put(&server, "new", "{operation: qna, hits: 1, then: {status: 503}}");
    enable(&server, "first", false).ok();
    put(&server, "second", "{operation: qna, hits: 2, then: {status: 504}}");
    remove(&server, "third");
    assert_eq!([status(&server), status(&server)], [503, 200]);
    let edited = ["new 1 admin", "first 0 file off", "second 0 admin"];
    assert_eq!(short(&server), edited);
    save(&server, &format!("{FAULTS}  - {{name: more, operation: reviews, then: {{delay: 1ms}}}}\n{third}"));
    assert_eq!(
        short(&server),
        [&edited[..], &["more 0 file"]].concat(),
        "written elsewhere, with the same text"
    );
    assert_eq!(status(&server), 504, "and the counters go on");
    let changed = "  - {name: second, operation: qna, then: {status: 505}}\n";
    save(
        &server,
        &format!("faults:\n  - {{name: new, operation: reviews, then: {{status: 500}}}}\n{changed}"),
    );
    assert_eq!(short(&server), ["new 0 file", "second 0 file"], "appeared, gone and changed");
    assert_eq!(status(&server), 505);
    save(&server, &format!("{FAULTS}{third}"));
    assert_eq!(short(&server), ["first 0 file", "second 0 file", "third 0 file"]);
}

#[test]
fn faults_given_at_creation_yield_to_a_changed_file_until_a_reset() {
    let server = fresh();
    let body =
        json!({"name": "mine", "faults": [{"name": "first", "operation": "qna", "then": {"status": 503}}]});
    assert_eq!(server.admin("POST", "worlds").json(&body).send().status, 201);
    let status = || server.world("mine").with_key("k").qna(1).send().status;
    assert_eq!(status(), 503);
    save(&server, "faults: [{name: first, operation: qna, then: {status: 500}}]");
    assert_eq!(status(), 500);
    server.admin("POST", "worlds/mine/reset").send().ok();
    assert_eq!(status(), 503);
}
