//! Bundles that cannot be read say why, and nothing that is in one stops the program.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use proptest::prelude::*;
use serde_json::json;

use super::bundle::advance;
use super::fuzz::PIECES;
use super::harness::{Request, ScenarioFolder, cases, time};
use crate::bundle::archive::{pack, unpack};
use crate::bundle::read::read;
use crate::bundle::replay::{Plan, replay};
use crate::bundle::write::write;
use crate::dataset::arrival::Arrival;
use crate::scenario::arrival;

type Parts = BTreeMap<String, Vec<u8>>;

/// A small bundle, with its parts.
fn small() -> (Vec<u8>, Parts) {
    let text = "{standin: 1, clock: {mode: frozen}, keys: [{key: k}], faults: [{name: f, chance: 50%, then: {error: 89}}], webhooks: {timeline: [{every: 1m, review: {business: 11, rating: 1}}]}, businesses: [{number: 1, name: A, locations: [{number: 11, name: B, reviews: [{generate: 3}]}]}]}";
    let folder = ScenarioFolder::at(time("2026-06-30T17:00:00.250Z"), &[("a.yaml", text)]);
    let world = folder.registry.default_world();
    let (run, snapshot) = (world.run(), world.snapshot());
    for number in 0..3 {
        Request::numbered(number).send(&folder.registry, "a");
        advance(&world, 70);
        let review = r#"{"business": 11, "rating": 5, "comments": "k"}"#;
        let parsed = arrival::parse_review(review, snapshot.dataset()).unwrap();
        run.arrive(&snapshot, &Arrival::Review(Box::new(parsed)), (None, review)).unwrap();
    }
    world.enable_fault("f", false).unwrap();
    Request::new("/v1/review/businessId/1", "", &json!({})).send(&folder.registry, "a");
    let bytes = write(&world).unwrap();
    let parts = unpack(&bytes).unwrap();
    (bytes, parts)
}

/// Reads and replays what may be a bundle.
fn try_replay(bytes: &[u8]) {
    if let Ok(bundle) = read(bytes) {
        let _ = replay(Plan { bundle: &bundle, scenario: None, cwd: Path::new("/"), all: true }, |_| {});
    }
}

#[test]
fn a_bundle_that_cannot_be_read_says_why() {
    let (bytes, parts) = small();
    let why = |change: &dyn Fn(&mut Parts)| {
        let mut parts = parts.clone();
        change(&mut parts);
        read(&pack(&parts).unwrap()).map(|bundle| bundle.calls()).unwrap_err().to_string()
    };
    assert!(read(&bytes).is_ok());
    assert!(read(b"standin: 1").unwrap_err().to_string().starts_with("it is no whole zip file"));
    let replaced = |part: &'static str, from: &'static str, to: &'static str| {
        why(&move |parts| {
            let text = String::from_utf8(parts[part].clone()).unwrap();
            assert!(text.contains(from), "{text}");
            parts.insert(part.to_owned(), text.replace(from, to).into_bytes());
        })
    };
    assert_eq!(
        replaced("manifest.json", "\"version\": 1", "\"version\": 2"),
        "it has version 2 of the format, and this program reads version 1"
    );
    assert_eq!(
        replaced("manifest.json", "standin bundle", "other"),
        "its manifest.json is not that of a bundle"
    );
    assert_eq!(why(&|parts| drop(parts.remove("calls.jsonl"))), "its part calls.jsonl is missing");
    assert_eq!(
        why(&|parts| drop(parts.remove("scenario/1/a.yaml"))),
        "its part scenario/1/a.yaml is missing"
    );
    let why_not = replaced("calls.jsonl", "\n", "");
    assert!(why_not.starts_with("its calls.jsonl, line 1, cannot be read: trailing characters"), "{why_not}");
    assert_eq!(
        replaced("actions.jsonl", "\"at\":\"2", "\"at\":\"x"),
        "\"x026-06-30T17:01:10.25Z\" is no instant"
    );
    assert_eq!(
        why(&|parts| drop(parts.insert("calls.jsonl".to_owned(), Vec::new()))),
        "its calls.jsonl has 0 lines instead of 4"
    );
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn no_bytes_make_a_replay_panic(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        end in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        static SMALL: OnceLock<Vec<u8>> = OnceLock::new();
        let mut bytes = SMALL.get_or_init(|| small().0).clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] ^= byte;
        }
        if is_cut {
            bytes.truncate(end.index(bytes.len()));
        }
        try_replay(&bytes);
    }

    #[test]
    fn no_parts_make_a_replay_panic(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_usize..8, proptest::sample::select(PIECES.to_vec())), 1..5),
    ) {
        static SMALL: OnceLock<Parts> = OnceLock::new();
        let mut parts = SMALL.get_or_init(|| small().1).clone();
        for (part, at, length, piece) in changes {
            let names: Vec<String> = parts.keys().cloned().collect();
            let bytes = parts.get_mut(&names[part.index(names.len())]).unwrap();
            let start = at.index(bytes.len() + 1);
            let end = (start + length).min(bytes.len());
            bytes.splice(start..end, piece.bytes());
        }
        try_replay(&pack(&parts).unwrap());
    }
}
