//! The sections for faults, webhooks, expectations and routes.

use std::fs;

use crate::scenario::diagnostic::Findings;
use crate::scenario::source::FileId;
use crate::scenario::{render, yaml};
use proptest::prelude::*;

use super::laws::permuted;
use super::{codes, from_disk, from_text, here};

#[test]
fn every_section_is_read() {
    let loaded = from_disk("examples", "sections.yaml");
    assert_eq!(codes(&loaded), [""; 0]);
    let scenario = loaded.scenario.unwrap();
    let counts = [
        scenario.faults.len(),
        scenario.webhooks.timeline.len(),
        scenario.expectations.len(),
        scenario.routes.len(),
    ];
    assert_eq!(counts, [7, 3, 12, 1]);
}

#[test]
fn the_order_of_keys_in_these_sections_changes_nothing() {
    let text = fs::read_to_string(here("examples").join("sections.yaml")).unwrap();
    let tree = yaml::parse(&mut Findings::default(), FileId(0), &text).unwrap().to_json();
    let whole = |text: &str| {
        let scenario = from_text(&text.replace("sections", "test")).scenario.unwrap();
        format!("{:?}", (scenario.faults, scenario.webhooks, scenario.expectations, scenario.routes))
    };
    let first = whole(&permuted(&tree, 0));
    assert_eq!(whole(&text), first);
    for turn in 1..8 {
        assert_eq!(whole(&permuted(&tree, turn)), first);
    }
}

#[test]
fn an_included_fault_is_replaced_by_its_name() {
    let base = "standin: 1\npart: true\nfaults: [{name: a, then: {error: 89}}, {name: b, operation: qna, then: {error: 89}}]\nwebhooks: {retry: {attempts: 2}, events: {x.y: {}}}";
    let own = "standin: 1\ninclude: [base.yaml]\nfaults: [{name: a, operation: contact, then: {delay: 1s}}]\nwebhooks: {timeline: [{after: contact, event: x.y}]}\nexpect: [{name: e, after: {fault: b}, retries: 1}]";
    let files = crate::scenario::files::Memory::new(&[("base.yaml", base), ("a.yaml", own)]);
    let context = crate::scenario::LoadContext { files: &files, root: "".into(), now: super::TODAY.start() };
    let loaded = crate::scenario::load(&context, "a.yaml".as_ref());
    assert_eq!(codes(&loaded), [""; 0]);
    let scenario = loaded.scenario.unwrap();
    let names: Vec<&str> = scenario.faults.iter().map(|fault| fault.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(!scenario.faults[0].effect.takes_request());
    assert_eq!((scenario.webhooks.retry.attempts, scenario.webhooks.timeline.len()), (2, 1));
}

proptest! {
    #[test]
    fn no_change_of_a_character_makes_the_loader_panic(place in 0_usize..5000, with in "[-:{}\\[\\]\"',\n#&*~/% x9é]{0,2}") {
        let text = include_str!("../../../tests/examples/sections.yaml");
        let place = (0..=place.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        let end = text[place..].chars().next().map_or(place, |c| place + c.len_utf8());
        for problem in from_text(&format!("{}{with}{}", &text[..place], &text[end..])).diagnostics {
            let _ = render::human(&problem, false);
        }
    }
}
