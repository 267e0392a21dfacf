//! Worlds in process: when they expire, how many there may be, and which of them share a dataset.

use std::sync::Arc;
use std::time::Duration;

use super::harness::{Request, create_world, serve};
use crate::api::call::{Body, Call};
use crate::clock::{later, real_now};
use crate::draw::Seed;
use crate::ledger::subscriptions::{Subscription, Subscriptions};
use crate::pipeline::answer;
use crate::pipeline::receive::receive;
use crate::webhook::delivery::{Delivery, Status};
use crate::webhook::handle::WorldHandle;
use crate::webhook::settings::Emission;
use crate::world::World;
use crate::world::create::{CreateError, WorldRequest};
use crate::world::run::Run;

#[test]
fn an_unused_world_expires_and_a_used_one_stays() {
    let folder = serve("standin: 1\nkeys: [{key: k, name: own, world: own}]\n");
    let registry = &folder.registry;
    let hour = Duration::from_secs(3600);
    let (used, idle) = (create_world(&folder, "used", None), create_world(&folder, "idle", None));
    let key = idle.minted.clone().unwrap().key;
    assert_eq!(registry.expire(used.last_used() + hour, hour), 0, "not yet");
    let later = idle.last_used() + hour + Duration::from_millis(1);
    while used.last_used() <= idle.last_used() {
        Request::numbered(1).send(registry, "used");
    }
    assert_eq!(registry.expire(later, hour), 1);
    assert!(registry.named("idle").is_none() && registry.of_key(&key).is_none());
    assert!(registry.named("used").is_some());
    assert_eq!(registry.expire(later * 2, hour), 1);
    assert!(["a", "own"].iter().all(|standing| registry.named(standing).is_some()), "these never go");
    assert!(registry.has_own_keys());
}

#[test]
fn a_world_whose_name_a_scenario_takes_still_expires() {
    let folder = serve("standin: 1\n");
    let made = create_world(&folder, "b", None);
    folder.save("b.yaml", "standin: 1\n");
    assert!(folder.registry.named("b").unwrap().is_standing());
    let key = made.minted.clone().unwrap().key;
    assert!(folder.registry.of_key(&key).is_some());
    assert_eq!(folder.registry.expire(made.last_used() + Duration::from_secs(2), Duration::from_secs(1)), 1);
    assert!(folder.registry.of_key(&key).is_none() && folder.registry.named("b").is_some());
    assert!(!folder.registry.has_own_keys());
}

#[test]
fn there_are_at_most_a_hundred_thousand_worlds() {
    let folder = serve("standin: 1\n");
    let make = || folder.registry.make(WorldRequest::default());
    let count = std::iter::from_fn(|| make().ok()).count();
    assert_eq!((count, make().err()), (99_999, Some(CreateError::TooMany)), "and a standing one");
    folder.registry.remove("world-7").unwrap();
    make().unwrap();
}

fn generated(reviews: u32) -> String {
    format!(
        "standin: 1\nseed: 1\nbusinesses: [{{number: 1, name: One, locations: [{{number: 11, name: L, reviews: [{{generate: {reviews}}}]}}]}}]\n"
    )
}

#[test]
fn worlds_of_one_seed_share_a_dataset_that_is_freed_with_the_last_of_them() {
    let folder = serve(&generated(10));
    let of = |world: &World| world.snapshot().dataset().number;
    let default = folder.registry.default_world();
    let (one, two, other) = (
        create_world(&folder, "one", Some(7)),
        create_world(&folder, "two", Some(7)),
        create_world(&folder, "other", Some(8)),
    );
    let own = create_world(&folder, "own", Some(1));
    assert!(of(&one) == of(&two) && of(&one) != of(&other) && of(&own) == of(&default));
    other.reset(Some(Seed(7)));
    assert_eq!(of(&other), of(&one));
    let before = of(&one);
    folder.save("a.yaml", &generated(11));
    assert!(one.snapshot().ready().is_none() && one.snapshot().seed == Seed(7));
    assert!(of(&one) == of(&two) && of(&one) != before && of(&own) == of(&default));
    drop((one, two, other));
    for name in ["one", "two", "other"] {
        folder.registry.remove(name).unwrap();
    }
    let again = create_world(&folder, "again", Some(7));
    assert!(again.snapshot().ready().is_none(), "built anew");
    again.reset(Some(Seed(1)));
    assert!(again.snapshot().ready().is_some(), "the scenario's own was there all along");
}

#[test]
fn a_call_located_before_a_reset_leaves_nothing_in_the_world_after_it() {
    let folder = serve(
        "standin: 1\nkeys: [{key: k, rate_limit: 1 per 60s}]\nbusinesses: [{number: 1, name: A, locations: [{number: 11, name: L}]}]\nfaults: [{name: slow, then: {delay: 1ms}}]\n",
    );
    let call = Call {
        method: "POST",
        path: "/v1/contact/external/preferences/saveCustomer",
        query: "",
        headers: vec![("x-api-key", b"k"), ("x-business-number", b"1")],
        body: Body::Whole(br#"{"email": "zoe@x.test", "businessIds": [11]}"#),
        connection: 0,
    };
    let received = receive(&folder.registry, call.clone()).unwrap();
    let world = folder.registry.default_world();
    world.reset(None);
    assert_eq!(answer(&received, received.snapshot.dataset()).reply.status, 200);
    let run = world.run();
    assert!(run.ledger().contacts.of(1, None).all().is_empty());
    assert_eq!(world.faults()[0].hits, 0);
    assert!(run.journal.read().entries.is_empty());
    let received = receive(&folder.registry, call).unwrap();
    assert_eq!(answer(&received, received.snapshot.dataset()).reply.status, 200, "the quota is whole");
}

/// A world with a frozen clock and a subscription to `x.y` and `message.added`; nothing is sent.
fn subscribed(timeline: &str) -> Arc<Run> {
    let folder = serve(&format!(
        "standin: 1\nclock: {{start: 2026-06-30T09:00:00Z, mode: frozen}}\nbusinesses: [{{number: 1, name: A, locations: [{{number: 11, name: L}}]}}]\nwebhooks: {{events: {{x.y: {{}}}}, timeline: [{timeline}]}}\n"
    ));
    let run = folder.registry.default_world().run();
    run.ledger().subscribe(Subscription::of(&["x.y", "message.added"], "http://127.0.0.1:9/")).unwrap();
    run
}

fn deliveries(run: &Run) -> Vec<Arc<Delivery>> {
    run.deliveries(|_| true, 0..usize::MAX).page
}

fn payload(delivery: &Delivery) -> serde_json::Value {
    serde_json::from_slice(&delivery.event.payload().unwrap()).unwrap()
}

fn message(conversation: &str, text: String) -> Emission {
    let (event, conversation) = ("message.added".to_owned(), Some(conversation.to_owned()));
    Emission { event, business: None, conversation, text: Some(text), data: None }
}

#[test]
fn events_of_a_timeline_are_emitted_in_order_by_however_many_threads() {
    let run = subscribed("{every: 1s, event: x.y, business: 1}");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for second in 0..1000 {
                    let _ = run.clock.set(later(run.clock.start(), Duration::from_secs(second)));
                    run.webhooks().emit_due(&*run, run.clock.at(real_now()), 10);
                }
            });
        }
    });
    while run.webhooks().emit_due(&*run, run.clock.at(real_now()), 10).more {}
    let all = deliveries(&run);
    let at: Vec<i64> = all.iter().map(|delivery| delivery.event.at.0).collect();
    assert_eq!(at.len(), 999);
    assert!(at.is_sorted());
}

#[test]
fn pending_deliveries_share_their_conversation_and_are_bounded_in_bytes() {
    let run = subscribed("");
    for _ in 0..5_000 {
        assert_eq!(run.emit(&message("c", "x".repeat(10_000)), 1).unwrap().deliveries, 1);
    }
    let all = deliveries(&run);
    let pending = all.iter().filter(|delivery| delivery.status == Status::Pending).count();
    assert!((2_500..3_300).contains(&pending), "{pending}");
    assert_eq!(all.last().unwrap().reason.as_deref(), Some("queue-full"));
    let newest = payload(&all[pending - 1]);
    let messages = newest["data"]["messages"].as_array().unwrap();
    assert_eq!((messages.len(), messages[99]["id"].as_str()), (100, Some(&*format!("c-{pending}"))));
}

#[test]
fn conversations_that_were_quiet_for_longest_are_forgotten_when_there_are_too_many() {
    let run = subscribed("");
    // Nobody is subscribed for this account's events.
    run.ledger().subscriptions = Subscriptions::default();
    for number in 0..40 {
        run.emit(&message(&format!("c{number}"), "x".repeat(1_000_000)), 1).unwrap();
    }
    run.ledger().subscribe(Subscription::of(&["message.added"], "http://127.0.0.1:9/")).unwrap();
    for (conversation, messages) in [("c39", 2), ("c0", 1)] {
        run.emit(&message(conversation, "Hi".to_owned()), 1).unwrap();
        let all = deliveries(&run);
        let payload = payload(all.last().unwrap());
        assert_eq!(payload["data"]["messages"].as_array().unwrap().len(), messages, "{conversation}");
    }
}

#[test]
fn a_run_that_was_reset_delivers_nothing_more() {
    let run = subscribed("{every: 1s, event: x.y, business: 1}");
    run.emit(&message("c", "Hi".to_owned()), 1).unwrap();
    run.webhooks().close();
    assert_eq!(run.emit(&message("c", "Hi".to_owned()), 1).unwrap().deliveries, 0);
    run.clock.set(later(run.clock.start(), Duration::from_secs(60))).unwrap();
    assert_eq!(run.webhooks().next_due(run.clock.start()), None);
    assert!(deliveries(&run).is_empty());
}
