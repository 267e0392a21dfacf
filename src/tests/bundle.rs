//! Bundles: a run of a world is written into one file, and replayed from that alone.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::api::call::{Body, Call};
use crate::bundle::read::{Bundle, read};
use crate::bundle::replay::{Difference, Plan, Summary, replay};
use crate::bundle::write::{NotWritten, write};
use crate::clock::{Mode, Moment, PartialSetting, later, real_now};
use crate::dataset::arrival::{Answered, Arrival};
use crate::draw::Seed;
use crate::journal::budget::Limits;
use crate::pipeline;
use crate::pipeline::receive::receive;
use crate::scenario::admin_input::parse_fault;
use crate::scenario::arrival;
use crate::tests::any_calls::calls;
use crate::tests::harness::{Request, ScenarioFolder, cases, create_world, in_parallel, time};
use crate::webhook::handle::WorldHandle;
use crate::world::World;
use crate::world::create::{Start, WorldRequest};
use crate::world::registry::Registry;
use crate::world::shared::Shared;
use crate::world::snapshot::Snapshot;

/// A scenario with something of everything: an included file, seed data, relative dates, a random seed, keys, faults of all
/// kinds, a timeline.
pub(super) const SCENARIO: &str = "standin: 1
include: [parts/keys.yaml]
seed: random
businesses:
  - number: 1
    name: One
    category: dentist
    contacts: [{id: 5, email: a@b.test, externalId: E}]
    locations:
      - {number: 11, name: L, reviews: [{id: '50', rating: 3, date: -2d, comments: Fine enough}, {generate: 200, dates: {from: -90d}}, {file: data/more.csv}]}
      - {number: 12, name: M, reviews: [{generate: 20}], questions: [{generate: 30}]}
webhooks:
  events: {review.created: {}}
  timeline:
    - {at: 30s, event: message.added, business: 1, conversation: c, text: Hello}
    - {every: 1m, review: {business: 11, rating: 1}}
    - {after: contact, question: {business: 12}}
faults:
  - {name: by-chance, operation: reviews, when: {query: {x: chance}}, chance: 40%, then: {error: 500}}
  - {name: by-key, operation: reviews, when: {query: {x: key}}, per: key, exactly: 2 of 5, then: {error: 89, retry_after: 2s}}
  - {name: twice, operation: qna, per: request, hits: 1-2, then: {status: 503}}
  - {name: changed, operation: reviews, when: {query: {x: patch}}, hits: 1-3, then: {body: {patch: [{op: replace, path: /0/comments, value: Changed}]}, headers: {set: {x-changed: 'yes'}}}}
  - {name: gone, operation: contact, per: request, hits: 1, then: {lost: reset}}
  - {name: cut, operation: reviews, when: {query: {x: cut}}, then: {body: {truncate: 50%}}}
  - {name: bad, operation: reviews, when: {query: {x: malformed}}, then: {body: {malformed: true}}}
  - {name: drips, operation: reviews, when: {query: {x: drip}}, then: {body: {drip: 10 per 5ms}, delay: 10ms-2s}}
  - {name: garbage, operation: reviews, when: {query: {x: garbage}}, then: {connection: garbage}}
  - {name: closed, operation: reviews, when: {query: {x: close}}, then: {connection: close}}
  - {name: stalls, operation: reviews, when: {query: {x: stall}}, then: {connection: stall, for: 5s}}
";

pub(super) const KEYS: &str = "standin: 1
part: true
keys:
  - {key: demo-key-of-one, name: demo}
  - {key: 'second\"key/2'}
  - {key: limited-key, name: limited, rate_limit: 4 per 1m}
  - {key: revoked-key, revoked: true}
";

pub(super) const MORE: &str =
    "id,rating,date,comments\n90,5,-3d,From a table\n91,1,2026-01-05,Also from a table\n";

const EFFECTS: [&str; 10] =
    ["chance", "key", "patch", "cut", "malformed", "drip", "garbage", "close", "stall", "none"];

pub(super) fn folder() -> ScenarioFolder {
    with_scenario(SCENARIO)
}

fn with_scenario(text: &str) -> ScenarioFolder {
    let files = [("a.yaml", text), ("parts/keys.yaml", KEYS), ("data/more.csv", MORE)];
    ScenarioFolder::at(time("2026-06-30T17:00:00.250Z"), &files)
}

pub(super) fn advance(world: &World, seconds: u64) {
    let run = world.run();
    run.clock.set(later(run.clock.now(), std::time::Duration::from_secs(seconds))).unwrap();
    while run.webhooks().emit_due(&*run, run.clock.at(real_now()), 3).more {}
    run.clock_moved();
}

/// Calls of all operations.
fn requests(key: &str) -> Vec<Request> {
    let day = |body: Value| json!({"startDate": "1/1/2026", "endDate": "7/30/2026", "userEmail": "a@b.test", "businessNumbers": body});
    let new = |path, query: &str, body: &Value| {
        Request::new(path, query, body).header("x-api-key", key).header("x-business-number", "1")
    };
    let mut all = vec![
        new("/v1/insight/sentiment/locationInfo", "", &day(json!([1]))),
        new("/v1/insight/sentiment/scoreBenchmark", "", &day(json!([11, 12]))),
        new("/v1/insight/sentiment/scoreBenchmark", "", &day(json!([77]))),
        new(
            "/v1/contact/external/preferences/saveCustomer",
            "",
            &json!({"email": "new@b.test", "firstName": "Ann", "businessIds": [11]}),
        ),
        new(
            "/v1/contact/external/preferences/saveCustomer",
            "",
            &json!({"externalId": "E", "lastName": key}),
        ),
        new("/v1/qna/unanswered/get", "businessId=1", &json!({"pageSize": 5})),
        new(
            "/v1/messenger/subscribe/webhook/event",
            "",
            &json!({"businessNumber": 1, "apiKey": key, "events": ["message.added"], "endpoint": format!("http://127.0.0.1:9/hook?key={key}")}),
        ),
        new("/v1/nothing/here", "api_key=guessed-by-somebody", &json!({})),
        new("/v1/review/businessId/1", "count=40", &json!({"statuses": ["all"]})),
    ];
    for effect in EFFECTS {
        all.push(new("/v1/review/businessId/1", &format!("count=3&x={effect}"), &json!({})));
    }
    all
}

/// Sends calls of all operations to the default world.
fn send_all(folder: &ScenarioFolder) {
    for request in requests("demo-key-of-one") {
        request.send(&folder.registry, "a");
    }
}

/// What a test suite may do to a world: calls of all operations, and between them all that admin calls can do.
pub(super) fn use_everything(folder: &ScenarioFolder, world: &Arc<World>) {
    let keys = ["demo-key-of-one", "second\"key/2", "limited-key", "revoked-key", "none-of-them"];
    let minted = world.minted.as_ref().map(|minted| minted.key.clone());
    let send = |request: &Request| {
        request.send(&folder.registry, &world.name);
    };
    let all = |key: &str| requests(key).iter().for_each(&send);
    all(keys[0]);
    advance(world, 45);
    all(keys[0]);
    let text = "{operation: qna, when: {key: limited-key}, hits: 1-2, then: {error: 500}}";
    let (fault, _) = parse_fault(&world.snapshot().references(Mode::Frozen), "put", text).unwrap();
    world.put_fault(fault).unwrap();
    for key in keys {
        all(key);
    }
    assert!(world.enable_fault("cut", false).unwrap() && world.remove_fault("garbage"));
    let (run, snapshot) = (world.run(), world.snapshot());
    let text = r#"{"businessId": "11", "rating": 5, "comments": "Arrived with demo-key-of-one today."}"#;
    let review = arrival::parse_review(text, snapshot.dataset()).unwrap();
    run.arrive(&snapshot, &Arrival::Review(Box::new(review)), (None, text)).unwrap();
    let text = r#"{"businessId": 12}"#;
    let question = arrival::parse_question(text, snapshot.dataset()).unwrap();
    run.arrive(&snapshot, &Arrival::Question(Box::new(question)), (None, text)).unwrap();
    let which = |id: &str| Answered::Id { id: id.to_owned(), business: Some(1) };
    let text = r#"{"response": "Thank you", "published": false}"#;
    run.change_review(&snapshot, &which("50"), (&arrival::parse_change(text).unwrap(), text)).unwrap();
    run.remove_review(&snapshot, &which("90")).unwrap();
    run.set_mode(Mode::Running);
    for key in keys {
        all(key);
    }
    run.set_mode(Mode::Frozen);
    advance(world, 3600);
    if let Some(minted) = &minted {
        all(minted);
    }
    all(keys[0]);
}

pub(super) fn bundle(world: &World) -> Bundle {
    read(&write(world).unwrap()).unwrap()
}

pub(super) fn replayed(bundle: &Bundle, scenario: Option<&Path>) -> (Vec<Difference>, Summary) {
    let mut differences = Vec::new();
    let plan = Plan { bundle, scenario, cwd: Path::new("/"), all: true };
    let summary = replay(plan, |difference| differences.push(difference.clone())).unwrap();
    assert_eq!(summary.different, differences.len());
    (differences, summary)
}

#[track_caller]
pub(super) fn replays(bundle: &Bundle) -> Summary {
    let (differences, summary) = replayed(bundle, None);
    assert!(differences.is_empty(), "{} differ, first {:#?}", differences.len(), differences[0]);
    assert_eq!(summary.not_done, [""; 0]);
    summary
}

#[test]
fn a_run_with_everything_is_replayed_without_a_difference() {
    let folder = folder();
    let world = folder.registry.default_world();
    use_everything(&folder, &world);
    let bundle = bundle(&world);
    let struck: BTreeSet<String> = world
        .run()
        .journal
        .read()
        .entries
        .iter()
        .filter_map(|entry| entry.fault().map(str::to_owned))
        .collect();
    assert_eq!(struck.len(), 12, "every fault struck: {struck:?}");
    let summary = replays(&bundle);
    assert!(summary.sent > 200, "{summary:?}");
    assert_eq!((summary.sent, summary.partly, summary.not_compared), (bundle.calls(), 0, 0));
    assert!(bundle.gaps().is_empty());
}

#[test]
fn two_replays_at_once_find_the_same() {
    let folder = folder();
    let world = folder.registry.default_world();
    use_everything(&folder, &world);
    let bundle = bundle(&world);
    let found = in_parallel(2, &[0, 1], |_| replays(&bundle));
    assert_eq!(found[0].1, found[1].1);
}

#[test]
fn the_same_run_gives_the_same_bundle() {
    let write_one = || {
        let folder = folder();
        let world = folder.registry.default_world();
        world.run().set_mode(Mode::Frozen);
        // The clock ran until it was frozen, on a busy machine for longer.
        world.run().clock.set(Moment(1_782_838_860_000)).unwrap();
        send_all(&folder);
        write(&world).unwrap()
    };
    assert_eq!(write_one(), write_one());
}

#[test]
fn a_world_with_its_own_key_seed_clock_and_faults_is_replayed() {
    let folder = folder();
    let snapshot = folder.registry.default_world().snapshot();
    let (fault, _) = parse_fault(
        &snapshot.references(Mode::Frozen),
        "own",
        "{operation: reviews, hits: 2, then: {error: 89}}",
    )
    .unwrap();
    let clock = PartialSetting { start: Some(Moment(0)), mode: None };
    let start = Start { seed: Some(Seed(7)), clock, faults: vec![Arc::new(fault)] };
    let world =
        folder.registry.make(WorldRequest { name: Some("own".to_owned()), scenario: None, start }).unwrap();
    use_everything(&folder, &world);
    let written = bundle(&world);
    assert_eq!(written.seed(), 7);
    replays(&written);
    // A key of another world is told apart from an unknown one.
    let other = create_world(&folder, "other", None);
    let request = Request::numbered(1).header("x-api-key", other.minted.as_ref().unwrap().key.clone());
    for _ in 0..3 {
        request.send(&folder.registry, "own");
    }
    replays(&bundle(&world));
}

#[test]
fn a_run_after_a_reset_is_replayed_from_the_reset() {
    let folder = folder();
    let world = folder.registry.default_world();
    use_everything(&folder, &world);
    folder.set_time("2026-07-03T08:00:00Z");
    folder.registry.reset(&world, Some(Seed(99))).unwrap();
    assert_eq!(bundle(&world).calls(), 0);
    use_everything(&folder, &world);
    let bundle = bundle(&world);
    assert_eq!(bundle.gaps(), ["the bundle begins at the last reset of the world, of 1 in all"]);
    assert!(bundle.manifest.clock_start.starts_with("2026-07-03"));
    replays(&bundle);
}

#[test]
fn a_reload_in_the_middle_of_a_run_is_replayed() {
    let folder = folder();
    let world = folder.registry.default_world();
    use_everything(&folder, &world);
    folder.save("a.yaml", &SCENARIO.replace("Fine enough", "Not fine").replace("1-2", "1-4"));
    send_all(&folder);
    let sent = SCENARIO.replace("Fine enough", "Sent over HTTP");
    assert_eq!(folder.replace("a", &sent), [""; 0]);
    let answer = Request::new("/v1/review/businessId/1", "count=40", &json!({"statuses": ["all"]}))
        .header("x-api-key", "demo-key-of-one")
        .send(&folder.registry, "a");
    assert_eq!(answer.reply.status, 200);
    replays(&bundle(&world));
}

#[test]
fn keys_stand_in_the_files_of_the_scenario_only() {
    let folder = folder();
    let world = create_world(&folder, "own", None);
    use_everything(&folder, &world);
    let sent = Request::numbered(1)
        .header("authorization", "Bearer token-of-a-real-service")
        .header("x-other", "a second%22key%2F2, demo-key-of-one")
        .header("x-api-key", "key-of-a-real-service");
    sent.send(&folder.registry, "own");
    let body = r#"{"apiKey": "demo-key-\u006ff-one", "endpoint": "http://127.0.0.1/limited-%6bey?x=second\"key%2f2", "events": ["message.added", "second\"key\/2"], "businessNumber": 1}"#;
    for (body, path) in
        [(body, "/v1/messenger/subscribe/webhook/event"), (&body[..60], "/v1/demo-key-of-one")]
    {
        let call = Call {
            method: "POST",
            path: &format!("/w/own{path}"),
            query: "api_key=limited-key&x=limited%2dkey&demo-key-of-one=&apiKey=key-of-a-real-service",
            headers: vec![("x-raw", b"\xff demo-key-of-one \xff")],
            body: Body::Whole(body.as_bytes()),
            connection: 0,
        };
        let received = receive(&folder.registry, call).unwrap();
        pipeline::answer(&received, received.snapshot.dataset());
    }
    let bytes = write(&world).unwrap();
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&bytes)).unwrap();
    let minted = world.minted.as_ref().unwrap().key.clone();
    let mut secret = Vec::new();
    for index in 0..zip.len() {
        let mut part = zip.by_index(index).unwrap();
        let mut text = String::new();
        std::io::Read::read_to_string(&mut part, &mut text).unwrap();
        let name = part.name().unwrap().into_owned();
        let keys = [
            "demo-key-of-one",
            "second\\\"key",
            "second\"key",
            "limited-key",
            "revoked-key",
            "limited%2dkey",
            "key-of-a-real",
            "token-of-a-real",
            &minted,
        ];
        let found: Vec<&str> = keys.into_iter().filter(|key| text.contains(key)).collect();
        if !found.is_empty() {
            secret.push((name, found));
        }
    }
    let names: Vec<&str> = secret.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["scenario/1/parts/keys.yaml"], "{secret:?}");
    let manifest: Value = serde_json::from_reader(zip.by_name("manifest.json").unwrap()).unwrap();
    assert_eq!(
        manifest["secret"],
        json!(["scenario/1/a.yaml", "scenario/1/data/more.csv", "scenario/1/parts/keys.yaml"])
    );
    replays(&read(&bytes).unwrap());
}

#[test]
fn what_the_journal_did_not_keep_is_told_and_the_rest_is_compared() {
    let files = [("a.yaml", SCENARIO), ("parts/keys.yaml", KEYS), ("data/more.csv", MORE)];
    let mut folder = ScenarioFolder::at(time("2026-06-30T17:00:00Z"), &files);
    let limits = |world| Limits { world, total: 1 << 20, body: 300 };
    for (limit, dropped) in [(1 << 20, false), (30_000, true)] {
        let shared = Shared::new(limits(limit), None, folder.setup.time.clone());
        let snapshot = folder.registry.default_world().snapshot();
        folder.registry = Registry::new("a", vec![snapshot], shared).unwrap();
        let world = folder.registry.default_world();
        let long = json!({"email": "long@b.test", "firstName": "x".repeat(400), "businessIds": [11]});
        let long = Request::new("/v1/contact/external/preferences/saveCustomer", "", &long)
            .header("x-api-key", "demo-key-of-one")
            .header("x-business-number", "1");
        send_all(&folder);
        long.send(&folder.registry, "a");
        if dropped {
            for _ in 0..10 {
                send_all(&folder);
            }
        }
        let bundle = bundle(&world);
        assert_eq!(!bundle.gaps().is_empty(), dropped);
        let (differences, summary) = replayed(&bundle, None);
        if !dropped {
            assert!(differences.is_empty(), "{differences:?}");
            assert!(summary.partly > 3 && summary.not_compared == 1, "{summary:?}");
        }
    }
    folder.registry.default_world().run().clear_journal();
    let bundle = bundle(&folder.registry.default_world());
    assert!(bundle.gaps()[0].starts_with("the journal was emptied after call 2"), "{:?}", bundle.gaps());
}

#[test]
fn a_server_that_keeps_nothing_writes_no_bundle() {
    let folder = folder();
    let shared = Shared::new(Limits { world: 0, total: 0, body: 0 }, None, folder.setup.time.clone());
    let snapshot = folder.registry.default_world().snapshot();
    let registry = Registry::new("a", vec![snapshot], shared).unwrap();
    assert_eq!(write(&registry.default_world()), Err(NotWritten::NotKept));
    let mut snapshot = Snapshot::clone(&folder.registry.default_world().snapshot());
    snapshot.files = None;
    let registry = Registry::new("a", vec![Arc::new(snapshot)], Shared::default()).unwrap();
    assert_eq!(write(&registry.default_world()), Err(NotWritten::NotKept));
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn any_calls_are_replayed_without_a_difference(all in proptest::collection::vec(calls(), 1..25)) {
        let folder = with_scenario(&SCENARIO.replace("include: [parts/keys.yaml]\n", "keys: [{key: k}, {key: own}]\n").replace("seed: random", "seed: 5"));
        let world = folder.registry.default_world();
        for (path, method, query, headers, body, large) in &all {
            // No server lets the others through (RFC 9110, 5.5).
            let is_sent = |(_, value): &&(&str, Vec<u8>)| !value.iter().any(|byte| b"\0\r\n".contains(byte));
            let headers =
                headers.iter().filter(is_sent).map(|(name, value)| (*name, value.as_slice())).collect();
            let body = if *large { Body::TooLarge } else { Body::Whole(body) };
            let call = Call { method, path, query, headers, body, connection: 0 };
            if let Ok(received) = receive(&folder.registry, call) {
                pipeline::answer(&received, received.snapshot.dataset());
            }
        }
        replays(&bundle(&world));
    }
}
