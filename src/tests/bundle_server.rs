//! A bundle of what happened on a real server: calls from several threads, all admin calls that change a world, the engine of
//! webhooks.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::clock::{Moment, TimeSource};
use crate::draw::Seed;
use crate::journal::budget::Limits;
use crate::reload::status::LoadStatus;
use crate::reload::{self, Setup};
use crate::scenario::files::Memory;
use crate::server::bind::{self, Settings};
use crate::server::state::State;
use crate::tests::bundle::{bundle, replays};
use crate::tests::harness::in_parallel;
use crate::webhook::client::{Http, System};
use crate::world::registry::Registry;
use crate::world::shared::Shared;

const SCENARIO: &str = "standin: 1
name: s
seed: random
keys: [{key: demo-key, name: demo}]
businesses:
  - {number: 1, name: One, locations: [{number: 11, name: L, reviews: [{id: '50', rating: 3, date: -2d}, {generate: 30, dates: -30d..today}], questions: [{generate: 9}]}]}
webhooks:
  retry: {attempts: 2, first: 5s}
  timeline:
    - {every: 10m, review: {business: 11, rating: 1}}
    - {after: subscribe, event: conversation.created, conversation: c}
    - {at: 50s, event: message.added, business: 1, conversation: c, text: Hello}
faults:
  - {name: every-third, operation: qna, per: world, exactly: 1 of 3, then: {error: 500}}
  - {name: sometimes, operation: reviews, chance: 30%, then: {status: 503}}
";

/// Sends a request, and gives the status.
fn send(url: &str, method: &str, body: &Value) -> u16 {
    let agent =
        ureq::Agent::config_builder().http_status_as_error(false).allow_non_standard_methods(true).build();
    let request = ureq::http::Request::builder().method(method).uri(url).header("x-api-key", "demo-key");
    let request = request.header("x-business-number", "1").header("content-type", "application/json");
    let answer = ureq::Agent::from(agent).run(request.body(body.to_string()).unwrap());
    answer.unwrap().status().as_u16()
}

/// All that a test suite does to a world.
fn use_world(base: &str, admin: &str) {
    let calls = |round: usize| {
        let numbers: Vec<usize> = (0..40).collect();
        in_parallel(4, &numbers, |number| {
            let path = ["/v1/review/businessId/1?count=9", "/v1/qna/unanswered/get?businessId=1"][number % 2];
            send(&format!("{base}{path}&n={number}&round={round}"), "POST", &json!({}));
        });
    };
    let change = |method: &str, path: &str, body: &Value, status: u16| {
        assert_eq!(send(&format!("{admin}{path}"), method, body), status, "{method} {path}");
    };
    let contact = json!({"email": "ann@b.test", "firstName": "Ann", "businessIds": [11]});
    let subscription = json!({"businessNumber": 1, "apiKey": "demo-key", "events": ["message.added"], "endpoint": "http://127.0.0.1:9/"});
    calls(0);
    send(&format!("{base}/v1/contact/external/preferences/saveCustomer"), "POST", &contact);
    send(&format!("{base}/v1/messenger/subscribe/webhook/event"), "POST", &subscription);
    change("POST", "/clock", &json!({"mode": "frozen"}), 200);
    change("POST", "/clock", &json!({"advance": "21m"}), 200);
    calls(1);
    change(
        "PUT",
        "/faults/put",
        &json!({"operation": "reviews", "when": {"key": "demo-key"}, "hits": "1-3", "then": {"error": 89}}),
        201,
    );
    change("PATCH", "/faults/every-third", &json!({"enabled": false}), 200);
    change("POST", "/reviews", &json!({"businessId": 11, "rating": 5}), 201);
    change("POST", "/questions", &json!({"businessId": 11}), 201);
    change("PATCH", "/reviews/50", &json!({"response": "Thank you"}), 200);
    change(
        "POST",
        "/events",
        &json!({"event": "message.added", "business": 1, "conversation": "c", "text": "Hi"}),
        202,
    );
    calls(2);
    change("DELETE", "/faults/put", &json!({}), 204);
    change("DELETE", "/reviews/50", &json!({}), 204);
    change("POST", "/clock", &json!({"set": "2026-07-03T00:00:00Z"}), 200);
    change("POST", "/clock", &json!({"mode": "running"}), 200);
    calls(3);
    send(&format!("{base}/v1/contact/external/preferences/saveCustomer"), "POST", &contact);
}

#[tokio::test(flavor = "current_thread")]
async fn what_happened_on_a_server_is_replayed_without_a_difference() {
    let setup = Setup {
        files: Box::new(Memory::new(&[("/s.yaml", SCENARIO)])),
        paths: vec!["/s.yaml".into()],
        root: None,
        cwd: PathBuf::from("/"),
        random: Seed(1_234),
        time: TimeSource::new(Moment::from_scenario("2026-06-30T23:59:50Z")),
        keeps: true,
    };
    let (board, mut snapshots) = (LoadStatus::default(), Vec::new());
    board.apply(&setup, reload::read(&setup), |snapshot| snapshots.push(snapshot));
    let mut shared = Shared::new(Limits::default(), None, setup.time.clone());
    shared.time = setup.time.clone();
    let registry = Arc::new(Registry::new("s", snapshots, shared).unwrap());
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let client = Arc::new(Http::new(Box::new(System), Box::new(System)));
    let _webhooks = registry.shared.engine.start(client, address).unwrap();
    let state = State::local(Arc::clone(&registry), Arc::new(board), Arc::new(setup));
    let settings = Settings::local(2);
    let running = bind::start(listener, state, settings).await.unwrap();
    use_world(&format!("http://{address}"), &format!("http://{address}/__admin/worlds/default"));
    let first = bundle(&registry.default_world());
    assert_eq!(first.calls(), 4 * 40 + 3);
    assert_eq!(
        send(&format!("http://{address}/__admin/worlds/s/reset"), "POST", &json!({"seed": "random"})),
        200
    );
    assert_eq!(
        send(
            &format!("http://{address}/__admin/worlds"),
            "POST",
            &json!({"name": "own", "clock": {"start": "2026-06-29"}})
        ),
        201
    );
    use_world(&format!("http://{address}/w/own"), &format!("http://{address}/__admin/worlds/own"));
    let second = bundle(&registry.named("own").unwrap());
    use_world(&format!("http://{address}"), &format!("http://{address}/__admin/worlds/default"));
    let third = bundle(&registry.default_world());
    drop(running);
    for bundle in [first, second, third] {
        assert!(bundle.actions() > 10, "{}", bundle.actions());
        replays(&bundle);
    }
}
