//! Validates faults: their references exist, their effects make sense, and none is shadowed by an earlier one.

use serde_json::Value as Json;

use crate::fault::effect::Effect;
use crate::fault::error::{Answer, Error};
use crate::fault::{Fault, Operations};
use crate::operations;
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::count::CountKeys;
use crate::scenario::node::{Node, Value};
use crate::scenario::read::Read;
use crate::scenario::references::References;
use crate::scenario::report::given_entries;
use crate::scenario::scalars::distinct_operations;
use crate::scenario::source::Span;
use crate::scenario::validate::Unique;

/// The shapes of answers, which patches are checked against.
pub(crate) mod answers;
pub(crate) mod body;
pub(crate) mod condition;
/// Counters and the selection of counted requests.
pub(crate) mod count;
pub(crate) mod delay;
pub(crate) mod effect;
/// API errors and plain statuses.
pub(crate) mod error;
/// The fields of requests, which conditions are checked against.
pub(crate) mod fields;
pub(crate) mod headers;
pub(crate) mod patch;
pub(crate) mod raw;
/// Faults that can never apply because of an earlier one.
pub(crate) mod shadow;

/// Maximum number of faults of a scenario, and of those that are put into a world at runtime. Every request is compared with
/// all of them.
pub(crate) const MAX_FAULTS: usize = 2000;
/// Maximum number of values in one condition.
const MAX_VALUES: usize = 1000;

/// Validates the faults of a scenario. Faults with an error are left out.
pub(crate) fn validate(findings: &mut Findings, references: &References, nodes: &[&Node]) -> Vec<Fault> {
    if too_many(findings, ("faults", MAX_FAULTS), nodes) {
        return Vec::new();
    }
    let mut names = Unique::new("duplicate-name", "fault");
    let mut faults: Vec<(Fault, Span)> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let name = unique_name(findings, &mut names, node);
        if let Some(fault) = validate_one(findings, references, node) {
            faults.push((fault, name.unwrap_or(node.span)));
        }
    }
    shadow::check(findings, &faults);
    faults.into_iter().map(|(fault, _)| fault).collect()
}

/// Reports a section with more entries than `most`.
pub(crate) fn too_many(findings: &mut Findings, (section, most): (&str, usize), nodes: &[&Node]) -> bool {
    if let Some(node) = nodes.get(most) {
        findings.error("limit", node.span, format!("`{section}` has more than {most} entries"));
    }
    nodes.len() > most
}

/// Reports a condition, or a list of hits, with more values than are compared with every request.
pub(crate) fn is_too_long(findings: &mut Findings, node: Option<&Node>) -> bool {
    let Some(node) = node.filter(|node| !node.has_at_most(MAX_VALUES)) else { return false };
    findings.error("limit", node.span, format!("this has more than {MAX_VALUES} values"));
    true
}

/// Validates a single fault, as the admin API receives it. Returns none if it has an error.
pub(crate) fn validate_one(findings: &mut Findings, references: &References, node: &Node) -> Option<Fault> {
    let before = findings.errors();
    let fault = build(findings, references, node);
    fault.filter(|_| findings.errors() == before)
}

/// The `name` of a list entry, with its span.
pub(crate) fn name(node: &Node) -> Option<(&str, Span)> {
    let name = node.get("name")?;
    Some((&name.scalar()?.text, name.span))
}

/// The span of an entry's name. Reports a name that appears twice.
pub(crate) fn unique_name<'a>(
    findings: &mut Findings,
    names: &mut Unique<&'a str>,
    node: &'a Node,
) -> Option<Span> {
    let (name, span) = name(node)?;
    names.insert(findings, name, span);
    Some(span)
}

pub(crate) fn names(nodes: &[&Node]) -> Vec<String> {
    nodes.iter().filter_map(|node| name(node)).map(|(name, _)| name.to_owned()).collect()
}

/// Error codes outside the catalogue that faults inject.
pub(crate) fn custom_codes<'a>(faults: impl IntoIterator<Item = &'a Fault>) -> Vec<u32> {
    let custom = |fault: &Fault| match &fault.effect.effect {
        Some(Effect::Error(Error { answer: Answer::Custom { number, .. }, .. })) => Some(*number),
        Some(
            Effect::Error(_) | Effect::Status(_) | Effect::Connection(_) | Effect::Body(_) | Effect::Lost(_),
        )
        | None => None,
    };
    faults.into_iter().filter_map(custom).collect()
}

fn build(findings: &mut Findings, references: &References, node: &Node) -> Option<Fault> {
    let headers = node.get("then").and_then(|then| then.get("headers"));
    if [node.get("when"), node.get("hits"), headers].into_iter().any(|part| is_too_long(findings, part)) {
        return None;
    }
    let raw = raw::Fault::read(findings, node)?;
    if let Some(name) = raw.name.as_ref().filter(|name| name.value.0.chars().any(char::is_control)) {
        findings.error("wrong-value", name.span, "`name` must be one line, without control characters");
    }
    let listed = given_entries(findings, "operation", raw.operation.as_ref())
        .map(|listed| distinct_operations(findings, references, listed));
    let applies_to = listed.as_ref().map_or(Operations::All, |(specs, routes)| {
        Operations::Of(specs.iter().map(|spec| spec.operation).chain(routes.iter().copied()).collect())
    });
    let (operations, has_routes) = match listed {
        Some((specs, routes)) => (specs, !routes.is_empty()),
        None => (operations::ALL.to_vec(), !references.routes.is_empty()),
    };
    let condition = raw.when.as_ref().map_or_else(Default::default, |when| {
        let condition = condition::validate(findings, references, &when.value);
        if !has_routes {
            fields::check(findings, references, (&when.value, &condition), &operations);
        }
        condition
    });
    let keys = CountKeys {
        per: count::per(raw.per.as_ref()),
        hits: raw.hits.as_ref(),
        chance: raw.chance.as_ref(),
        exactly: raw.exactly.as_ref(),
        during: raw.during.as_ref(),
    };
    let count = count::validate(findings, references, &keys);
    let then = raw.then.as_ref().zip(node.get("then"));
    let described = if has_routes { &[][..] } else { &operations };
    let effect = then.and_then(|(then, node)| effect::validate(findings, then, node, described));
    Some(Fault {
        name: raw.name?.value.0,
        operations: applies_to,
        condition,
        count,
        during: raw.during.map(|during| during.value),
        enabled: raw.enabled.is_none_or(|enabled| enabled.value),
        on_request: raw.on_request.is_some_and(|on_request| on_request.value),
        effect: effect?,
        text: canonical(node).to_string(),
    })
}

/// A node as canonical JSON: members are sorted (by `serde_json::Map`), and a plain scalar is typed only if JSON would
/// write it with the same text.
fn canonical(node: &Node) -> Json {
    match &node.value {
        Value::Null => Json::Null,
        Value::Scalar(scalar) => {
            let typed = scalar.to_json();
            let written = typed.to_string();
            if scalar.plain && written == *scalar.text { typed } else { Json::from(&*scalar.text) }
        }
        Value::List(list) => list.iter().map(canonical).collect(),
        Value::Map(entries) => {
            entries.iter().map(|entry| (entry.key.to_string(), canonical(&entry.value))).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::api::error::Code;
    use crate::fault::body::Body;
    use crate::fault::condition::During;
    use crate::fault::connection::Connection;
    use crate::fault::count::{Hit, Per, Share};
    use crate::fault::delay::Delay;
    use crate::fault::lost::Lost;
    use crate::fault::patch::Change;
    use crate::fault::status::Content;
    use crate::scenario::references::fixtures::validate_yaml;

    fn valid(text: &str) -> Vec<Fault> {
        let (faults, codes) = validate_yaml(text, validate);
        assert_eq!(codes, [""; 0], "{text}");
        faults
    }

    fn act(then: &str) -> Option<Effect> {
        valid(&format!("[{{name: a, operation: reviews, then: {then}}}]"))
            .pop()
            .and_then(|fault| fault.effect.effect)
    }

    #[test]
    fn every_key_of_a_fault_is_read() {
        let mut faults = valid(
            "- name: all
  operation: [qna, reviews, qna]
  when: {key: demo, business: [100, 1001], header: {X-Run: ['7', 8]}, query: {sindex: 100}, body: {/statuses/0: [parked, ~], /pageSize: 5}}
  per: request
  hits: [1-2, every 5, 7, 9-]
  chance: 12.5%
  during: 10s-40s
  enabled: false
  on_request: true
  then: {error: 89, retry_after: 30s, delay: 100ms-400ms, headers: {set: {X-B: 2, x-a: '1'}, remove: Server}}",
        );
        let fault = faults.pop().unwrap();
        let texts = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect::<Vec<_>>();
        let of = vec![operations::reviews::SPEC.operation, operations::qna::SPEC.operation];
        assert_eq!(fault.operations, Operations::Of(of));
        assert_eq!(fault.condition.keys, ["demo-key"]);
        assert_eq!(fault.condition.businesses, [100, 1001]);
        assert_eq!(fault.condition.headers, [("x-run".to_owned(), vec!["7".into(), "8".into()])]);
        assert_eq!(fault.condition.query, [("sindex".to_owned(), vec!["100".into()])]);
        let places: Vec<_> =
            fault.condition.body.iter().map(|(place, values)| (place.text(), values.len())).collect();
        assert_eq!(places, [("/pageSize", 1), ("/statuses/0", 2)]);
        assert_eq!(fault.count.per, Per::Request);
        assert_eq!(
            fault.count.hits,
            [Hit::Between(1, Some(2)), Hit::Every(5), Hit::Between(7, Some(7)), Hit::Between(9, None)]
        );
        assert_eq!(fault.count.share, Share::Chance(125_000));
        let second = Duration::from_secs;
        assert_eq!(fault.during, Some(During { from: second(10), until: Some(second(40)) }));
        assert!(!fault.enabled && fault.on_request);
        let error = Error {
            answer: Answer::Catalogue { code: Code::RateLimited, status: None, message: None },
            retry_after: Some(30),
        };
        assert_eq!(fault.effect.effect, Some(Effect::Error(error)));
        let (least, most) = (Duration::from_millis(100), Duration::from_millis(400));
        assert_eq!(fault.effect.delay, Some(Delay::Uniform(least, most)));
        let headers = fault.effect.headers.unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            (headers.set, headers.remove),
            (vec![pair("x-a", "1"), pair("x-b", "2")], texts(&["server"]))
        );
    }

    #[test]
    fn keys_left_out_have_defaults() {
        let fault = valid("[{name: a, then: {delay: 1s}}]").pop().unwrap();
        assert_eq!(fault.operations, Operations::All);
        assert_eq!(fault.count, crate::fault::count::Count::default());
        assert!(fault.enabled && !fault.on_request && fault.during.is_none());
        assert!(!fault.takes_all(), "a delay alone takes no request");
    }

    #[test]
    fn every_effect_is_read() {
        let span = Duration::from_millis;
        assert_eq!(act("{connection: reset}"), Some(Effect::Connection(Connection::Reset)));
        assert_eq!(act("{connection: close}"), Some(Effect::Connection(Connection::Close)));
        assert_eq!(act("{connection: garbage}"), Some(Effect::Connection(Connection::Garbage)));
        assert_eq!(act("{connection: stall}"), Some(Effect::Connection(Connection::Stall(None))));
        assert_eq!(
            act("{connection: stall, for: 1s}"),
            Some(Effect::Connection(Connection::Stall(Some(span(1000)))))
        );
        assert_eq!(act("{lost: reset}"), Some(Effect::Lost(Lost::Reset)));
        assert_eq!(act("{body: {truncate: 0%}}"), Some(Effect::Body(Body::Truncate(0))));
        assert_eq!(
            act("{body: {drip: 64 per 100ms}}"),
            Some(Effect::Body(Body::Drip { bytes: 64, every: span(100) }))
        );
        assert_eq!(act("{body: {malformed: true}}"), Some(Effect::Body(Body::Malformed)));
        let status = |status, content| Some(Effect::Status(crate::fault::status::Status { status, content }));
        assert_eq!(act("{status: 503}"), status(503, Content::Empty));
        assert_eq!(act("{status: 503, json: ~}"), status(503, Content::Json(serde_json::Value::Null)));
        assert_eq!(act("{status: 503, text: 12}"), status(503, Content::Text("12".to_owned())));
        assert_eq!(act("{delay: {median: 120ms, p99: 900ms}}"), None);
    }

    #[test]
    fn a_patch_may_set_nulls_and_refer_to_values_it_set() {
        let Some(Effect::Body(Body::Patch(changes))) = act(
            "{body: {patch: [{op: replace, path: /0/title, value: ~}, {op: add, path: /0/new, value: {a: 1}}, \
             {op: test, path: /0/new/a, value: 1}, {op: move, from: /0/new, path: /0/old}]}}",
        ) else {
            panic!("no patch");
        };
        assert_eq!(changes.len(), 4);
        assert!(matches!(&changes[0], Change::Replace(_, serde_json::Value::Null)));
        assert!(matches!(&changes[3], Change::Move(from, _) if from.text() == "/0/new"));
    }

    #[test]
    fn a_custom_error_has_a_status_and_a_message() {
        let (faults, codes) =
            validate_yaml("[{name: a, then: {error: {code: 7, status: 418, message: Tea}}}]", validate);
        assert_eq!(codes, ["never-answered"]);
        assert_eq!(custom_codes(&faults), [7]);
    }

    #[test]
    fn the_canonical_text_changes_only_with_the_fault() {
        let text = |text: &str| valid(text).pop().unwrap().text;
        let written = text("[{name: a, when: {header: {x: 007, y: 1}}, then: {error: 89}}] # once");
        assert_eq!(written, r#"{"name":"a","then":{"error":89},"when":{"header":{"x":"007","y":1}}}"#);
        assert_eq!(text("- then: {error: 89}\n  when:\n    header: {y: 1, x: 007}\n  name: a"), written);
        assert_ne!(text("[{name: a, when: {header: {x: 7, y: 1}}, then: {error: 89}}]"), written);
        assert_eq!(text(&format!("[{written}]")), written, "the canonical text reads back as the same fault");
    }

    #[test]
    fn only_a_fault_that_takes_every_request_shadows_later_ones() {
        let shadowed = |first: &str| {
            let text = format!("[{{name: a, {first}}}, {{name: b, operation: qna, then: {{error: 89}}}}]");
            validate_yaml(&text, validate).1 == ["shadowed"]
        };
        for first in [
            "then: {error: 89}",
            "operation: [qna, reviews], then: {headers: {remove: a}}",
            "hits: 1-, chance: 100%, then: {lost: reset}",
        ] {
            assert!(shadowed(first), "{first}");
        }
        for first in [
            "then: {delay: 1s}",
            "operation: reviews, then: {error: 89}",
            "hits: 2-, then: {error: 89}",
            "chance: 10%, then: {error: 89}",
            "exactly: 1 of 2, then: {error: 89}",
            "during: 1s-2s, then: {error: 89}",
            "enabled: false, then: {error: 89}",
            "on_request: true, then: {error: 89}",
            "when: {business: 100}, then: {error: 89}",
        ] {
            assert!(!shadowed(first), "{first}");
        }
    }

    #[test]
    fn a_condition_may_name_any_key_if_the_scenario_has_none() {
        let without = |findings: &mut Findings, references: &References, nodes: &[&Node]| {
            validate(findings, &References { keys: vec![], ..references.clone() }, nodes)
        };
        let (faults, codes) = validate_yaml("[{name: a, when: {key: whatever}, then: {error: 89}}]", without);
        assert_eq!(codes, [""; 0]);
        assert_eq!(faults[0].condition.keys, ["whatever"]);
    }
}
