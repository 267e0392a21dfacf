//! The journal: entries, filters, limits and notes.

use std::collections::BTreeSet;
use std::thread;

use serde_json::{Value, json};

use crate::fault_wire::{RawConnection, post};
use crate::harness::{Answer, Client, Server, wait_until};
use crate::stage::API;

const FAULTY: &str = r#"
standin: 1
name: faulty
seed: 5
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys: [{key: open-sesame, name: demo}, {key: second-key}, {key: slow-key, name: slow, rate_limit: 1 per 60s}]
businesses:
  - number: 100
    name: First
    locations: [{number: 1001, name: One, reviews: [{generate: 30}], questions: [{generate: 3}]}]
faults:
  - {name: limited, operation: qna, per: request, hits: 1, then: {error: 89, retry_after: 30s}}
  - {name: late, operation: reviews, when: {header: {x-late: "1"}}, then: {delay: 5ms}}
  - {name: gone, operation: reviews, when: {header: {x-gone: "1"}}, then: {connection: reset}}
  - {name: lost, operation: contact, when: {header: {x-lost: "1"}}, then: {lost: reset}}
  - {name: odd, operation: reviews, when: {header: {x-odd: "1"}}, then: {body: {patch: [{op: remove, path: /nowhere}]}}}
  - {name: rare, operation: reviews, chance: 0.0001%, then: {status: 503}}
"#;

fn faulty(arguments: &[&str]) -> Server {
    Server::of(&[("faulty.yaml", FAULTY)], arguments)
}

fn demo(server: &Server) -> Client {
    server.client().with_key("open-sesame")
}

fn journal(server: &Server, world: &str, query: &str) -> Answer {
    server.admin("GET", &format!("worlds/{world}/requests")).raw_query(query).send()
}

fn entries(server: &Server, query: &str) -> Vec<Value> {
    journal(server, "default", query).ok().as_array().unwrap().clone()
}

fn notes(entry: &Value) -> Vec<&str> {
    entry["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect()
}

/// Compares the whole entry, so that a new or missing member is found.
#[test]
fn an_entry_has_everything_about_a_call() {
    let server = faulty(&[]);
    let body = json!({"statuses": ["all"], "apiKey": "second-key", "oops": 1});
    let sent =
        demo(&server).reviews(100).raw_query("count=1&count=2&oh=no").header("x-late", "1").json(&body);
    let answer = sent.send();
    let entry = entries(&server, "").pop().unwrap();
    assert_eq!(entry["seq"], 1);
    assert_eq!(entry["at"], "2026-06-30T12:00:00Z");
    assert!(entry["elapsedMs"].as_f64().unwrap() > 0.0);
    assert_eq!(entry["world"], "faulty");
    assert_eq!(entry["operation"], "reviews");
    assert_eq!(entry["key"], "key:demo");
    assert_eq!(entry["method"], "POST");
    assert_eq!(entry["path"], "/v1/review/businessId/100");
    assert_eq!(entry["query"], json!({"count": ["1", "2"], "oh": "no"}));
    assert_eq!(entry["headers"]["x-api-key"], "key:demo");
    assert_eq!(entry["headers"]["user-agent"], "standin-tests");
    assert_eq!(entry["body"], json!({"statuses": ["all"], "apiKey": "key:2", "oops": 1}));
    assert_eq!(entry["status"], 200);
    assert_eq!(entry["code"], Value::Null);
    assert_eq!(entry["response"]["body"], answer.json);
    assert_eq!(entry["response"]["headers"]["content-type"], "application/json");
    assert_eq!(entry["fault"], "late");
    assert_eq!(entry["decision"]["attempt"], 0);
    assert_eq!(entry["decision"]["generation"], 1);
    assert!(entry["durationMs"].as_f64().unwrap() >= 5.0);
    assert_eq!(
        notes(&entry),
        [
            "the query parameter oh is unknown and was ignored",
            "the field apiKey is unknown and was ignored",
            "the field oops is unknown and was ignored"
        ]
    );
    let members: Vec<&str> = entry.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(members.len(), 23, "{members:?}");
}

#[test]
fn an_entry_tells_which_calls_are_the_same_and_on_which_connection_each_came() {
    let server = faulty(&[]);
    let first = demo(&server);
    first.qna(100).send();
    first.qna(100).send().ok();
    first.qna(100).raw_query("startIndex=1").send();
    let mut other = RawConnection::to(&server);
    other.send(post("/nowhere", "", &json!({})));
    other.answer();
    first.call("GET", "/nowhere").send();
    let entries = entries(&server, "");
    let print = |at: usize| entries[at]["fingerprint"].as_str().unwrap();
    assert!(print(0).len() == 16 && print(0).bytes().all(|byte| byte.is_ascii_hexdigit()), "{}", print(0));
    assert_eq!(print(0), print(1));
    let others: BTreeSet<&str> = (1..5).map(print).collect();
    assert_eq!(others.len(), 4, "{others:?}");
    let attempts: Vec<u64> = entries.iter().map(|entry| entry["attempt"].as_u64().unwrap()).collect();
    assert_eq!(attempts, [1, 2, 1, 1, 1]);
    let connections: Vec<u64> = entries.iter().map(|entry| entry["connection"].as_u64().unwrap()).collect();
    assert_eq!(connections[0], connections[1], "the client keeps its connection");
    assert_ne!(connections[2], connections[3], "{connections:?}");
    // What the journal counts outlives its entries, but no reset.
    server.admin("DELETE", "worlds/default/requests").send();
    first.qna(100).send();
    assert_eq!(self::entries(&server, "")[0]["attempt"], 3);
    server.admin("POST", "worlds/default/reset").send();
    first.qna(100).send();
    assert_eq!(self::entries(&server, "")[0]["attempt"], 1);
}

#[test]
fn an_entry_tells_when_the_whole_answer_was_sent() {
    let server = faulty(&[]);
    demo(&server).reviews(100).header("x-late", "1").send().ok();
    wait_until("the answer is sent", || entries(&server, "")[0]["answeredMs"].is_number());
    let entry = entries(&server, "").remove(0);
    let (arrived, answered) = (entry["elapsedMs"].as_f64().unwrap(), entry["answeredMs"].as_f64().unwrap());
    assert!(answered >= arrived + 5.0, "{entry}");
    assert_eq!(entry["hungUpMs"], Value::Null);
    // A fault that ends the connection ends the exchange, too.
    let client = demo(&server);
    assert!(thread::spawn(move || client.reviews(100).header("x-gone", "1").send()).join().is_err());
    wait_until("the connection is ended", || entries(&server, "")[1]["answeredMs"].is_number());
    assert_eq!(entries(&server, "")[1]["hungUpMs"], Value::Null);
}

#[test]
fn an_entry_explains_why_no_fault_applied() {
    let server = faulty(&[]);
    demo(&server).reviews(100).send().ok();
    let entry = entries(&server, "").pop().unwrap();
    assert_eq!(entry["fault"], Value::Null);
    assert!(entry["decision"]["draw"].as_f64().unwrap() >= entry["decision"]["threshold"].as_f64().unwrap());
}

#[test]
fn a_call_without_an_answer_has_an_entry() {
    let server = faulty(&[]);
    let client = demo(&server);
    let reset = thread::spawn(move || client.reviews(100).header("x-gone", "1").send()).join();
    assert!(reset.is_err(), "the connection was reset");
    let entry = entries(&server, "").pop().unwrap();
    assert_eq!(
        (&entry["status"], &entry["response"], &entry["fault"]),
        (&Value::Null, &Value::Null, &json!("gone"))
    );
    let contact = json!({"email": "a@x.test", "businessIds": [1001]});
    let client = demo(&server);
    let lost = move || client.contact(100).header("x-lost", "1").json(&contact).send();
    assert!(thread::spawn(lost).join().is_err(), "the answer was lost");
    let entry = entries(&server, "").pop().unwrap();
    assert_eq!(
        (&entry["status"], notes(&entry)),
        (&Value::Null, vec!["the operation answered 200, and the answer was lost"])
    );
    assert_eq!(server.admin("GET", "worlds/default/contacts").send().ok().as_array().unwrap().len(), 1);
}

#[test]
fn every_filter_selects_entries_and_a_limit_keeps_the_newest() {
    let server = faulty(&[]);
    let client = demo(&server);
    client.qna(100).send();
    client.qna(100).send().ok();
    client.reviews(100).header("x-late", "1").send().ok();
    server.client().with_key("second-key").reviews(7).send();
    server.client().with_key("wrong").reviews(100).send();
    client.call("GET", "/v1/nothing").send();
    let of = |query: &str| -> Vec<u64> {
        entries(&server, query).iter().map(|entry| entry["seq"].as_u64().unwrap()).collect()
    };
    for (query, found) in [
        ("", vec![1, 2, 3, 4, 5, 6]),
        ("operation=qna", vec![1, 2]),
        ("operation=reviews&status=200", vec![3]),
        ("status=404", vec![4, 6]),
        ("code=1161", vec![5]),
        ("code=89", vec![1]),
        ("key=key:demo", vec![1, 2, 3, 6]),
        ("key=demo", vec![1, 2, 3, 6]),
        ("key=open-sesame", vec![1, 2, 3, 6]),
        ("key=second-key", vec![4]),
        ("key=key:2", vec![4]),
        ("key=key:unknown", vec![5]),
        ("fault=late", vec![3]),
        ("fault=limited&operation=qna&status=429&code=89&key=demo", vec![1]),
        ("path=/v1/nothing", vec![6]),
        ("unmatched=true", vec![6]),
        ("unmatched=false&status=404", vec![4]),
        ("brief=true&after=4", vec![5, 6]),
        ("after=4", vec![5, 6]),
        ("limit=2", vec![5, 6]),
        ("operation=qna&limit=1", vec![2]),
        ("limit=0", vec![]),
    ] {
        assert_eq!(of(query), found, "{query}");
    }
    let limited = journal(&server, "default", "key=demo&limit=1");
    assert_eq!(
        (limited.header("x-total-count"), limited.header("x-standin-dropped")),
        (Some("4"), Some("0"))
    );
    for (query, message) in [
        ("operation=review", "operation must be one of"),
        ("status=ok", "status must be a number; it is ok."),
        ("unmatched=yes", "unmatched must be true or false; it is yes."),
        ("after=-1", "after must be a number; it is -1."),
        ("limit=10001", "limit must be at most 10000"),
        ("faults=late", "faults is unknown here; expected one of `operation`, `status`"),
    ] {
        let answer = journal(&server, "default", query);
        let error = answer.json["error"].as_str().unwrap();
        assert!(answer.status == 400 && error.contains(message), "{query}: {error}");
    }
}

#[test]
fn known_keys_are_masked_everywhere_and_unknown_ones_are_not() {
    let server = faulty(&[]);
    let made = server.admin("POST", "worlds").json(&json!({"name": "mine"})).send();
    let minted = made.json["apiKey"].as_str().unwrap().to_owned();
    let client = server.world("mine").with_key(&minted);
    client
        .reviews(100)
        .query("api_key", "second-key")
        .header("authorization", "Bearer open-sesame")
        .send()
        .ok();
    let subscribe = json!({"businessNumber": 100, "apiKey": minted, "events": ["message.added"], "endpoint": "http://127.0.0.1:1/"});
    client.subscribe().json(&subscribe).send().ok();
    client.qna(100).bytes(format!("not json: {minted}")).send();
    for path in ["worlds/mine/requests", "worlds/mine/requests.har"] {
        let text = server.admin("GET", path).send().text();
        for secret in [minted.as_str(), "open-sesame", "second-key"] {
            assert!(!text.contains(secret), "{path} tells {secret}: {text}");
        }
        assert!(
            text.contains("key:minted") && text.contains("Bearer key:demo") && text.contains("key:2"),
            "{text}"
        );
    }
    let journal = journal(&server, "mine", "key=minted").ok();
    assert_eq!(journal[1]["body"]["apiKey"], "key:minted");
}

#[test]
fn suspicious_calls_have_notes() {
    let server = faulty(&[]);
    let client = demo(&server);
    let last = |count: usize| {
        let entries = entries(&server, "");
        assert_eq!(entries.len(), count);
        notes(&entries[count - 1]).join("; ")
    };
    client.reviews(100).query("api_key", "open-sesame").send().ok();
    assert_eq!(last(1), "the key was sent in the query, where logs and proxies see it; the header's counted");
    client.reviews(100).header("origin", "http://shop.test").send().ok();
    assert_eq!(last(2), "the key was used from a browser, where anybody can read it");
    client.qna(100).send();
    client.qna(100).send().ok();
    assert_eq!(last(4), "sent sooner than the Retry-After of 30 s that call 3 was answered");
    client.reviews(7).send();
    client.reviews(8).send();
    assert_eq!(last(6), "");
    client.reviews(7).send();
    assert_eq!(last(7), "call 5 was the same and was answered 1011, which no repetition mends");
    client.reviews(100).query("sindex", "30").send().ok();
    assert_eq!(last(8), "the page from 30 is behind the last review");
    client.qna(100).json(&json!({"startIndex": 2})).send();
    server.admin("POST", "worlds/default/clock").json(&json!({"advance": "30s"})).send().ok();
    client.qna(100).json(&json!({"startIndex": "3"})).send();
    client.qna(100).json(&json!({"startIndex": "3"})).send().ok();
    assert!(last(11).contains("the page from 3 is behind the last of 3"), "{}", last(11));
    client.qna(100).json(&json!({"startIndex": 2})).send().ok();
    assert_eq!(last(12), "", "it waited long enough");
    client.reviews(100).header("x-odd", "1").send().ok();
    assert_eq!(last(13), "the fault's patch does not apply to this answer, which stays");
    for email in ["a@x.test", "b@x.test"] {
        let phone = if email.starts_with('b') { "2125550100" } else { "" };
        let body = json!({"email": email, "phone": phone, "businessIds": [1001]});
        client.contact(100).json(&body).send().ok();
    }
    client.contact(100).json(&json!({"email": "a@x.test", "phone": "2125550100"})).send().ok();
    assert!(last(16).starts_with("values of the call belong to contact "), "{}", last(16));
}

#[test]
fn a_call_of_a_key_before_its_retry_time_is_noted_even_if_another_request() {
    let server = faulty(&[]);
    let slow = server.client().with_key("slow-key");
    slow.reviews(100).send().ok();
    assert_eq!(slow.reviews(1001).send().json["code"], 89);
    slow.reviews(100).query("count", "1").send();
    demo(&server).reviews(100).query("count", "1").send().ok();
    let seen = entries(&server, "");
    assert_eq!(notes(&seen[2]), ["sent sooner than the Retry-After of 60 s that call 2 was answered"]);
    assert!(notes(&seen[3]).is_empty());
}

#[test]
fn preflights_and_admin_calls_are_not_recorded() {
    let server = faulty(&[]);
    let preflight = server.client().call("OPTIONS", "/v1/qna/unanswered/get");
    assert_eq!(
        preflight
            .header("origin", "http://a.test")
            .header("access-control-request-method", "POST")
            .send()
            .status,
        204
    );
    server.admin("GET", "health").send().ok();
    server.client().call("GET", "/").send().ok();
    assert!(entries(&server, "").is_empty());
}

#[test]
fn a_reset_clears_the_journal_and_deleting_entries_keeps_the_sequence() {
    let server = faulty(&[]);
    demo(&server).reviews(100).send().ok();
    assert_eq!(server.admin("DELETE", "worlds/default/requests").send().status, 204);
    demo(&server).reviews(100).send().ok();
    assert_eq!(entries(&server, "")[0]["seq"], 2);
    server.admin("POST", "worlds/default/reset").send().ok();
    assert!(entries(&server, "").is_empty());
    demo(&server).reviews(100).send().ok();
    assert_eq!(entries(&server, "")[0]["seq"], 1);
}

#[test]
fn the_oldest_entries_are_removed_when_the_journal_is_full_and_a_header_says_so() {
    let server = faulty(&["--journal", "32KiB", "--journal-body", "100"]);
    for _ in 0..100 {
        demo(&server).reviews(100).json(&json!({"searchStr": "x".repeat(200)})).send().ok();
    }
    let answer = journal(&server, "default", "");
    let seen = answer.json.as_array().unwrap();
    let dropped: usize = answer.header("x-standin-dropped").unwrap().parse().unwrap();
    assert!(seen.len() + dropped == 100 && !seen.is_empty() && dropped > 0, "{} and {dropped}", seen.len());
    let last = seen.last().unwrap();
    assert_eq!((&last["seq"], &last["bodyBytesNotKept"]), (&json!(100), &json!(116)));
    assert_eq!(last["body"].as_str().unwrap().len(), 100);
}

#[test]
fn a_long_body_is_recorded_up_to_the_configured_size() {
    let server = faulty(&["--journal-body", "1KiB"]);
    let answer = demo(&server).reviews(100).send();
    let entry = entries(&server, "").pop().unwrap();
    assert_eq!(entry["response"]["bodyBytesNotKept"], answer.bytes.len() - 1024);
    assert_eq!(entry["response"]["body"].as_str().unwrap().as_bytes(), &answer.bytes[..1024]);
}

#[test]
fn a_busy_world_does_not_evict_entries_of_another() {
    let server = faulty(&["--journal-total", "256KiB"]);
    for name in ["quiet", "busy"] {
        assert_eq!(server.admin("POST", "worlds").json(&json!({"name": name})).send().status, 201);
    }
    server.world("quiet").with_key("open-sesame").reviews(100).send().ok();
    for _ in 0..60 {
        server.world("busy").with_key("open-sesame").reviews(100).send().ok();
    }
    assert_eq!(journal(&server, "quiet", "").header("x-total-count"), Some("1"));
    assert_ne!(journal(&server, "busy", "").header("x-standin-dropped"), Some("0"));
}

#[test]
fn a_journal_that_is_off_says_so_and_is_not_empty() {
    let server = faulty(&["--journal", "0"]);
    demo(&server).reviews(100).send().ok();
    for (method, path) in [("GET", "requests"), ("GET", "requests.har"), ("DELETE", "requests")] {
        let answer = server.admin(method, &format!("worlds/default/{path}")).send();
        assert_eq!(
            (answer.status, answer.header("x-standin-journal")),
            (404, Some("off")),
            "{method} {path}"
        );
        assert!(answer.json["error"].as_str().unwrap().contains("without --journal 0"), "{answer:?}");
    }
}

/// Secrets in every place of a call that a client can reach: the token of the admin side, sent to the API by mistake, a key
/// of another scenario, and the key of another world.
#[test]
fn secrets_of_others_are_masked_wherever_a_call_has_them() {
    const TOKEN: &str = "admin/token+1";
    const OTHER: &str = "key-of-another-scenario";
    let other = format!("standin: 1\nname: other\nkeys: [{{key: {OTHER}, name: its-own}}]\n");
    let files = [("faulty.yaml", FAULTY), ("other.yaml", other.as_str())];
    let server = Server::of(&files, &["--default", "faulty", "--admin-token", TOKEN]);
    let admin = |method: &str, path: &str| {
        server.admin(method, path).header("authorization", &format!("Bearer {TOKEN}"))
    };
    let made = admin("POST", "worlds").json(&json!({"name": "foreign"})).send();
    let minted = made.json["apiKey"].as_str().unwrap().to_owned();
    let client = demo(&server);
    let mut secrets = vec!["dXNlcjpzZWNyZXQ", "real-credentials"];
    for secret in [TOKEN, OTHER, minted.as_str(), "open-sesame"] {
        let escaped: String = secret.bytes().map(percent_encoding::percent_encode_byte).collect();
        let body =
            json!({"searchStr": secret, "statuses": [format!("say {secret}!")], secret: {"a": [secret]}});
        let call = |path: &str| client.call("POST", path).header("x-other", &format!("a={secret}; b"));
        call(&format!("/v1/review/businessId/{escaped}"))
            .query(secret, secret)
            .query("x", &format!("pre {secret} post"))
            .header("authorization", &format!("Bearer {secret}"))
            .header("cookie", &format!("session={secret}"))
            .header("referer", &format!("http://app.test/x/{escaped}?key={escaped}"))
            .json(&body)
            .send();
        call(&format!("/nowhere/{secret}/x")).bytes(format!("not json {secret}")).send();
        call("/v1/review/businessId/100").json(&body).send();
        call("/v1/review/businessId/100").key(secret).send();
        secrets.push(secret);
    }
    client.reviews(100).header("authorization", "Basic dXNlcjpzZWNyZXQ=").send().ok();
    client.reviews(100).header("proxy-authorization", "real-credentials").send().ok();
    for path in ["requests", "requests.har"] {
        let text = admin("GET", &format!("worlds/default/{path}")).send().text();
        for secret in &secrets {
            let at = text.find(secret).map(|at| &text[at.saturating_sub(200)..(at + 60).min(text.len())]);
            assert_eq!(at, None, "{path} shows {secret}");
            let escaped: String = secret.bytes().map(percent_encoding::percent_encode_byte).collect();
            assert!(!text.contains(&escaped), "{path} shows {secret} in another form");
        }
        for shown in ["Bearer key:admin", "key:its-own", "Basic key:unknown", "say key:demo!"] {
            assert!(text.contains(shown), "{shown}: {text}");
        }
    }
    wait_until("all is logged", || server.log.lock().unwrap().len() >= 18);
    let log = format!("{:?}", server.log.lock().unwrap());
    for secret in &secrets {
        assert!(!log.contains(secret), "the log shows {secret}: {log}");
    }
}

#[test]
fn an_entry_is_there_as_soon_as_its_answer_arrives() {
    let server = faulty(&[]);
    thread::scope(|scope| {
        for thread in 0..8 {
            let server = &server;
            scope.spawn(move || {
                for call in 0..25 {
                    let mark = format!("{thread}-{call}");
                    demo(server).benchmark(100).header("x-mark", &mark).send();
                    let seen = entries(server, "operation=sentiment-benchmark&limit=10000");
                    assert!(seen.iter().any(|entry| entry["headers"]["x-mark"] == mark.as_str()), "{mark}");
                }
            });
        }
    });
    let seen: Vec<u64> = entries(&server, "").iter().map(|entry| entry["seq"].as_u64().unwrap()).collect();
    assert_eq!(seen, (1..=200).collect::<Vec<u64>>(), "in order, and each number once");
}

#[test]
fn worlds_have_journals_of_their_own() {
    let server = Server::of(&[("api.yaml", API), ("faulty.yaml", FAULTY)], &["--default", "faulty"]);
    demo(&server).reviews(100).send().ok();
    server.world("api").with_key("all").reviews(100).send().ok();
    server.client().with_key("own").reviews(100).send();
    let worlds: BTreeSet<String> = ["faulty", "api"]
        .into_iter()
        .flat_map(|world| journal(&server, world, "").ok().as_array().unwrap().clone())
        .map(|entry| entry["world"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(worlds, BTreeSet::from(["api".to_owned(), "faulty".to_owned()]));
    assert_eq!(journal(&server, "api", "").header("x-total-count"), Some("1"));
}

/// Checks the members that HAR 1.2 requires, and their types.
#[test]
fn the_archive_is_har_1_2() {
    let server = faulty(&[]);
    let client = server.world("faulty").with_key("open-sesame");
    client.reviews(100).query("count", "1").json(&json!({"statuses": ["all"]})).send().ok();
    client.qna(100).send();
    let answer = server.admin("GET", "worlds/default/requests.har").raw_query("operation=reviews").send();
    assert_eq!(answer.header("content-disposition"), Some("attachment; filename=\"faulty.har\""));
    let log = &answer.json["log"];
    assert_eq!((&log["version"], &log["creator"]["name"]), (&json!("1.2"), &json!("standin")));
    let [entry] = log["entries"].as_array().unwrap().as_slice() else { panic!("{log}") };
    assert_eq!(entry["startedDateTime"], "2026-06-30T12:00:00Z");
    assert!(entry["time"].is_number() && entry["cache"].is_object());
    assert_eq!(entry["timings"]["wait"], entry["time"]);
    let request = &entry["request"];
    assert_eq!(request["url"], format!("{}/w/faulty/v1/review/businessId/100?count=1", server.base));
    assert_eq!(request["queryString"], json!([{"name": "count", "value": "1"}]));
    assert_eq!(
        request["postData"],
        json!({"mimeType": "application/json", "text": r#"{"statuses":["all"]}"#})
    );
    assert_eq!(request["bodySize"], r#"{"statuses":["all"]}"#.len());
    assert!(
        request["cookies"].is_array() && request["headersSize"] == -1 && request["httpVersion"] == "HTTP/1.1"
    );
    let response = &entry["response"];
    assert_eq!((&response["status"], &response["redirectURL"]), (&json!(200), &json!("")));
    let text = response["content"]["text"].as_str().unwrap();
    assert_eq!(response["content"]["size"], text.len());
    assert_eq!(response["content"]["mimeType"], "application/json");
    assert!(serde_json::from_str::<Value>(text).unwrap().is_array());
}
