//! Properties of the loader: the order of keys does not matter, and no bytes cause a panic.

use std::path::{Path, PathBuf};

use crate::scenario::diagnostic::Findings;
use crate::scenario::files::Memory;
use crate::scenario::source::FileId;
use crate::scenario::{LoadContext, load, load_text, render, yaml};
use proptest::prelude::*;
use serde_json::Value as Json;

use super::{TODAY, from_text, loaded};

/// Writes a tree as YAML with the members of its maps in another order.
pub(crate) fn permuted(value: &Json, turn: usize) -> String {
    match value {
        Json::Object(members) => {
            let mut members: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{}: {}", Json::from(key.as_str()), permuted(value, turn + 1)))
                .collect();
            let by = turn % members.len().max(1);
            members.rotate_left(by);
            format!("{{{}}}", members.join(", "))
        }
        Json::Array(list) => {
            format!("[{}]", list.iter().map(|value| permuted(value, turn)).collect::<Vec<_>>().join(", "))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => value.to_string(),
    }
}

#[test]
fn the_order_of_keys_changes_nothing() {
    let text = "standin: 1\ndialect: {sources: {b: {name: B}, a: {name: A}}, names: {count: n, start_index: s}}\nclock: {mode: frozen, start: 2026-06-30}\nbusinesses: [{number: 1, name: A, levels: [R, M], locations: [{number: 2, name: L, levels: {R: x, M: y}, reviews: [{generate: 5, sources: {google: 1, b: 2, a: 3}, locale: {fr: 1, en: 2}, ratings: {5: 1, 1: 2}}]}]}]";
    let tree = yaml::parse(&mut Findings::default(), FileId(0), text).unwrap().to_json();
    let first = format!("{:?}", loaded(text));
    for turn in 0..8 {
        assert_eq!(format!("{:?}", loaded(&permuted(&tree, turn))), first);
    }
}

proptest! {
    #[test]
    fn no_bytes_make_the_loader_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut memory = Memory::default();
        for name in ["a.yaml", "a.csv", "a.json", "a.jsonl"] {
            memory.0.insert(name.into(), bytes.clone());
        }
        let context = LoadContext { files: &memory, root: PathBuf::new(), now: TODAY.start() };
        let mut all = load(&context, Path::new("a.yaml")).diagnostics;
        for file in ["a.csv", "a.json", "a.jsonl", "a.yaml"] {
            let text = format!("standin: 1\nbusinesses: [{{number: 1, name: A, locations: [{{number: 2, name: L, reviews: [{{file: {file}}}]}}]}}]");
            all.extend(load_text(&context, "x", &text).diagnostics);
        }
        for problem in &all {
            let _ = render::human(problem, false);
        }
    }

    #[test]
    fn no_yaml_makes_the_loader_panic(text in "(standin: 1\n)?([a-z]{1,3}|[-:?,&*!|>%@#\"'{}\\[\\] \n\t~]|generate|reviews: |businesses: |- |\\PC|\r\n){0,60}") {
        for problem in from_text(&text).diagnostics {
            let _ = render::human(&problem, false);
        }
    }

    #[test]
    fn no_change_of_a_character_makes_the_loader_panic(place in 0_usize..4000, with in "[-:{}\\[\\]\"',\n#&* x9é]") {
        let text = include_str!("../../../tests/examples/walkthrough.yaml");
        let place = (0..=place.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        let end = text[place..].chars().next().map_or(place, |c| place + c.len_utf8());
        let changed = format!("{}{with}{}", &text[..place], &text[end..]);
        for problem in from_text(&changed).diagnostics {
            let _ = render::human(&problem, false);
        }
    }
}
