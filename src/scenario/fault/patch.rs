//! Validates JSON Patches.

use crate::fault::patch::{Change, MAX_CHANGES};
use crate::fault::pointer::Pointer;
use crate::operations::spec::Spec;
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::answers::{self, Requires};
use crate::scenario::fault::raw::{self, Op};
use crate::scenario::node::{Node, Value};
use crate::scenario::read::Spanned;
use crate::scenario::source::Span;

/// The elements of a list; none if the node is not a list.
pub(crate) fn entries(node: &Node) -> &[Node] {
    if let Value::List(list) = &node.value { list } else { &[] }
}

/// Validates a patch; `nodes` are the trees of its changes. Returns none if one of them is wrong.
pub(crate) fn validate(
    findings: &mut Findings,
    raw: &Spanned<Vec<Spanned<raw::Change>>>,
    nodes: &[Node],
    operations: &[&'static Spec],
) -> Option<Vec<Change>> {
    if nodes.is_empty() {
        findings
            .error("empty-list", raw.span, "`patch` lists no change")
            .help("for example `[{op: remove, path: /0/reviewer}]`");
        return None;
    }
    if nodes.len() > MAX_CHANGES {
        findings.error("limit", raw.span, format!("`patch` lists more than {MAX_CHANGES} changes"));
        return None;
    }
    let mut changes = Vec::with_capacity(raw.value.len());
    // Where an earlier change has set a value, the operation's answer no longer tells the shape.
    let mut touched: Vec<Pointer> = Vec::new();
    for change in &raw.value {
        let node = nodes.iter().find(|node| node.span == change.span);
        let Some(validate_yaml) = node.and_then(|node| build(findings, &change.value, node)) else {
            continue;
        };
        for (pointer, requires, span) in pointers(&validate_yaml, &change.value) {
            if !touched.iter().any(|place| pointer.is_within(place)) {
                answers::check(findings, (pointer, requires), span, operations);
            }
        }
        touched.extend(changed_place(&validate_yaml));
        changes.push(validate_yaml);
    }
    if changes.len() != nodes.len() {
        return None;
    }
    Some(changes)
}

fn build(findings: &mut Findings, raw: &raw::Change, node: &Node) -> Option<Change> {
    let (op, path) = (raw.op?.value, raw.path.as_ref()?);
    // `value: null` is a value too, but the raw value does not distinguish it from an absent one.
    let value = node.entries()?.iter().find(|entry| &*entry.key == "value");
    check_companions(findings, op, raw, value.map(|entry| entry.key_span), node);
    if op == Op::Remove && path.value.text().is_empty() {
        findings
            .error("wrong-pointer", path.span, "the whole document cannot be removed")
            .help("for a response without a body, use `then: {status: 200}`");
        return None;
    }
    let path = path.value.clone();
    if let (Op::Move, Some(from)) = (op, &raw.from)
        && path.is_within(&from.value)
        && path != from.value
    {
        findings
            .error("wrong-pointer", from.span, "a value cannot be moved into itself")
            .label("this is moved");
        return None;
    }
    let from = raw.from.as_ref().map(|from| from.value.clone());
    let value = value.map(|entry| entry.value.to_json());
    Some(match op {
        Op::Add => Change::Add(path, value?),
        Op::Replace => Change::Replace(path, value?),
        Op::Test => Change::Test(path, value?),
        Op::Remove => Change::Remove(path),
        Op::Move => Change::Move(from?, path),
        Op::Copy => Change::Copy(from?, path),
    })
}

/// Reports `value` and `from` where the operation needs the key and it is missing, or does not take it. `value` is the
/// span of that key.
fn check_companions(findings: &mut Findings, op: Op, raw: &raw::Change, value: Option<Span>, node: &Node) {
    let name = match op {
        Op::Add => "add",
        Op::Remove => "remove",
        Op::Replace => "replace",
        Op::Move => "move",
        Op::Copy => "copy",
        Op::Test => "test",
    };
    let needs_value = matches!(op, Op::Add | Op::Replace | Op::Test);
    let needs_from = matches!(op, Op::Move | Op::Copy);
    let from = raw.from.as_ref().map(|from| from.span);
    for (key, given, needed) in [("value", value, needs_value), ("from", from, needs_from)] {
        match given {
            None if needed && node.get(key).is_none() => {
                findings
                    .error("missing-key", node.span, format!("a patch entry `{name}` needs `{key}`"))
                    .label(format!("`{key}` is missing"));
            }
            Some(span) if !needed => {
                findings.error("mixed-entry", span, format!("a patch entry `{name}` takes no `{key}`"));
            }
            Some(_) | None => {}
        }
    }
}

/// The pointers of a change, what each requires, and where each is written.
fn pointers<'a>(change: &'a Change, raw: &raw::Change) -> Vec<(&'a Pointer, Requires, Span)> {
    let at =
        |written: &Option<Spanned<Pointer>>| written.as_ref().map(|pointer| pointer.span).unwrap_or_default();
    let (path, from) = (at(&raw.path), at(&raw.from));
    match change {
        Change::Add(place, _) => vec![(place, Requires::Parent, path)],
        Change::Remove(place) | Change::Replace(place, _) | Change::Test(place, _) => {
            vec![(place, Requires::Value, path)]
        }
        Change::Move(source, place) | Change::Copy(source, place) => {
            vec![(source, Requires::Value, from), (place, Requires::Parent, path)]
        }
    }
}

/// The place whose shape a change makes unknown.
fn changed_place(change: &Change) -> Option<Pointer> {
    match change {
        Change::Add(place, _)
        | Change::Replace(place, _)
        | Change::Move(_, place)
        | Change::Copy(_, place) => {
            // A new list element shifts those after it, so the whole list changes.
            let text = place.text();
            let (parent, step) = text.rsplit_once('/').unwrap_or(("", ""));
            let index = !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
            Pointer::new(if index || step == "-" { parent } else { text }).ok()
        }
        Change::Remove(_) | Change::Test(..) => None,
    }
}
