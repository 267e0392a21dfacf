//! A bundle replayed with a scenario that has changed names what changed.

use super::bundle::{KEYS, MORE, SCENARIO, bundle, folder, replayed, use_everything};
use crate::bundle::read::Bundle;

/// The first answer that differs where a scenario has another text, as it is shown.
fn shown(bundle: &Bundle, from: &str, to: &str) -> String {
    let changed = tempfile::tempdir().unwrap();
    assert!(SCENARIO.contains(from) || KEYS.contains(from), "{from}");
    std::fs::create_dir(changed.path().join("parts")).unwrap();
    std::fs::create_dir(changed.path().join("data")).unwrap();
    let write =
        |name: &str, text: &str| std::fs::write(changed.path().join(name), text.replace(from, to)).unwrap();
    write("a.yaml", SCENARIO);
    write("parts/keys.yaml", KEYS);
    write("data/more.csv", MORE);
    let (differences, _) = replayed(bundle, Some(&changed.path().join("a.yaml")));
    let Some(first) = differences.first() else { return String::new() };
    let mut lines = vec![first.call.clone()];
    let or_none = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
    lines.extend(
        first
            .parts
            .iter()
            .map(|part| format!("{}: {} | {}", part.what, or_none(&part.expected), or_none(&part.received))),
    );
    lines.extend(first.causes.iter().cloned());
    lines.join("\n")
}

/// Changes of the scenario, with the first answer that differs then.
const CHANGES: [(&str, &str, &str); 5] = [
    (
        "then: {status: 503}",
        "then: {status: 502}",
        "
call 6 POST /v1/qna/unanswered/get (qna, key:demo)
status: 503 | 502
both answers have the fault `twice` (a.yaml:21)
the scenario changed at a.yaml:21
  - - {name: twice, operation: qna, per: request, hits: 1-2, then: {status: 503}}
  + - {name: twice, operation: qna, per: request, hits: 1-2, then: {status: 502}}",
    ),
    (
        "Fine enough",
        "Not fine",
        "
call 9 POST /v1/review/businessId/1 (reviews, key:demo)
body /9/comments (reviewId 50): \"Fine enough\" | \"Not fine\"
the scenario changed at a.yaml:10
  - - {number: 11, name: L, reviews: [{id: '50', rating: 3, date: -2d, comments: Fine enough}, {generate: 200, dates: {from: -90d}}, {file: data/more.csv}]}
  + - {number: 11, name: L, reviews: [{id: '50', rating: 3, date: -2d, comments: Not fine}, {generate: 200, dates: {from: -90d}}, {file: data/more.csv}]}",
    ),
    (
        "4 per 1m",
        "5 per 1m",
        "
call 81 POST /v1/contact/external/preferences/saveCustomer (contact, key:limited)
status: 429 | 200
header retry-after: 15 | none
header x-standin-detail: the key's window ends in 15 s | none
body /code: 89 | none
body /message: \"Rate limit exceeded\" | none
body /id: none | 5
both answers have the fault `gone` (a.yaml:23)
only one of the two is refused with 89, the code of rate limits
the scenario changed at parts/keys.yaml:6
  - - {key: key:limited, name: limited, rate_limit: 4 per 1m}
  + - {key: key:limited, name: limited, rate_limit: 5 per 1m}",
    ),
    (
        "hits: 1, then: {lost: reset}",
        "hits: 2, then: {lost: reset}",
        "
call 4 POST /v1/contact/external/preferences/saveCustomer (contact, key:demo)
sent: reset of the connection | whole
header x-standin-fault: gone | none
the fault of the run was `gone` (a.yaml:23), now there is none
the scenario changed at a.yaml:23
  - - {name: gone, operation: contact, per: request, hits: 1, then: {lost: reset}}
  + - {name: gone, operation: contact, per: request, hits: 2, then: {lost: reset}}",
    ),
    (
        "truncate: 50%",
        "truncate: 60%",
        "
call 13 POST /v1/review/businessId/1 (reviews, key:demo)
sent: truncated to 50.0000 % | truncated to 60.0000 %
both answers have the fault `cut` (a.yaml:24)
the scenario changed at a.yaml:24
  - - {name: cut, operation: reviews, when: {query: {x: cut}}, then: {body: {truncate: 50%}}}
  + - {name: cut, operation: reviews, when: {query: {x: cut}}, then: {body: {truncate: 60%}}}",
    ),
];

#[test]
fn a_changed_scenario_gives_a_difference_that_names_what_changed() {
    let folder = folder();
    let world = folder.registry.default_world();
    use_everything(&folder, &world);
    let bundle = bundle(&world);
    assert_eq!(shown(&bundle, "Fine enough", "Fine enough"), "", "the same scenario");
    for (from, to, expected) in CHANGES {
        let found = without_seconds(&shown(&bundle, from, to));
        assert_eq!(found, without_seconds(expected.trim()), "{from} -> {to}");
    }
}

/// How much of a rate limit's window is left depends on how long the calls took.
fn without_seconds(text: &str) -> String {
    let of_line = |line: &str| {
        let is_time =
            ["header retry-after", "header x-standin-detail"].iter().any(|start| line.starts_with(start));
        if is_time { line.replace(|letter: char| letter.is_ascii_digit(), "") } else { line.to_owned() }
    };
    text.lines().map(of_line).collect::<Vec<_>>().join("\n")
}
