//! Limits on what a scenario may have.

use std::path::{Path, PathBuf};

use crate::scenario::files::Memory;
use crate::scenario::{LoadContext, LoadedScenario, load};

use super::{TODAY, codes, from_text};

fn repeat(times: usize, entry: impl Fn(usize) -> String) -> String {
    (0..times).map(entry).collect::<Vec<_>>().join(", ")
}

/// The codes of the errors.
fn errors(loaded: &LoadedScenario) -> Vec<&'static str> {
    codes(loaded)
}

#[test]
fn each_limit_is_one_error() {
    let fault = |rest: &str| format!("faults: [{{name: f, operation: reviews, {rest}}}]");
    for (what, text) in [
        ("faults", format!("faults: [{}]", repeat(2001, |n| format!("{{name: f{n}, then: {{error: 89}}}}")))),
        ("hits", fault(&format!("then: {{error: 89}}, hits: [{}]", repeat(1000, |n| (n + 1).to_string())))),
        (
            "condition",
            fault(&format!(
                "then: {{error: 89}}, when: {{header: {{{}}}}}",
                repeat(1000, |n| format!("h{n}: 1"))
            )),
        ),
        (
            "headers",
            fault(&format!("then: {{headers: {{set: {{{}}}}}}}", repeat(1000, |n| format!("h{n}: 1")))),
        ),
        (
            "changes",
            fault(&format!(
                "then: {{body: {{patch: [{}]}}}}",
                repeat(1001, |_| "{op: add, path: /-, value: 1}".into())
            )),
        ),
        (
            "expectations",
            format!(
                "expect: [{}]",
                repeat(2001, |n| format!("{{name: e{n}, after: {{error: 89}}, retries: 0}}"))
            ),
        ),
        (
            "routes",
            format!(
                "routes: [{}]",
                repeat(5001, |n| format!(
                    "{{name: r{n}, request: {{method: GET, path: /{n}x}}, response: {{}}}}"
                ))
            ),
        ),
        ("events", format!("webhooks: {{events: {{{}}}}}", repeat(501, |n| format!("e{n}: {{}}")))),
        (
            "own worlds",
            format!("keys: [{}]", repeat(10_001, |n| format!("{{key: k{n}, name: n{n}, world: own}}"))),
        ),
        (
            "levels",
            format!("businesses: [{{number: 1, name: a, levels: [{}]}}]", repeat(101, |n| format!("l{n}"))),
        ),
        ("includes", format!("include: [{}]", repeat(201, |_| "p.yaml".into()))),
        (
            "files",
            format!(
                "businesses: [{{number: 1, name: a, contacts: [{}]}}]",
                repeat(1100, |_| "{file: none.csv}".into())
            ),
        ),
    ] {
        let files = Memory::new(&[
            ("a.yaml", &format!("standin: 1\n{text}\n")),
            ("p.yaml", "standin: 1\npart: true\n"),
            ("none.csv", "id\n"),
        ]);
        let context = LoadContext { files: &files, root: PathBuf::new(), now: TODAY.start() };
        let loaded = load(&context, Path::new("a.yaml"));
        assert_eq!(errors(&loaded), ["limit"], "{what}");
    }
}

#[test]
fn a_record_of_a_seed_data_file_has_a_limit_of_values() {
    let many = |separator: &str, one: &str| vec![one; 10_001].join(separator);
    for (name, text) in [
        ("a.csv", format!("id,tags\n1,{}\n", many(";", "a"))),
        ("b.csv", format!("id,tags\n{}\n", many(",", "1"))),
        ("c.json", format!("[{{\"id\": 1, \"tags\": [{}]}}]", many(",", "\"a\""))),
        ("d.jsonl", format!("{{\"id\": 1, \"tags\": [{}]}}", many(",", "\"a\""))),
        ("e.yaml", format!("- {{id: 1, tags: [{}]}}", many(",", "a"))),
    ] {
        let scenario =
            format!("standin: 1\nbusinesses: [{{number: 1, name: a, contacts: [{{file: {name}}}]}}]\n");
        let files = Memory::new(&[("s.yaml", &scenario), (name, &text)]);
        let context = LoadContext { files: &files, root: PathBuf::new(), now: TODAY.start() };
        assert_eq!(codes(&load(&context, Path::new("s.yaml"))), ["limit"], "{name}");
    }
}

#[test]
fn very_long_names_are_shown_in_part() {
    let long = "x".repeat(500_000);
    let text = format!(
        "standin: 1\nclock: {{mode: {long}}}\nfaults: [{{name: f, operation: {long}, then: {{error: 89}}}}]\n"
    );
    let loaded = from_text(&text);
    assert_eq!(codes(&loaded), ["unknown-value", "unknown-value"]);
    let shown: usize = loaded.diagnostics.iter().map(|it| it.message.len() + it.location.text.len()).sum();
    assert!(shown < 20_000, "{shown}");
}
