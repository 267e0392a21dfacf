//! Findings that several readers and sections report in the same words.

use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::{Findings, join_or};
use crate::scenario::node::{Entry, MAX_DEPTH, Node, Scalar};
use crate::scenario::read::Spanned;
use crate::scenario::source::Span;

/// Reports a key that appears twice in a map. Parsers use it.
pub(crate) fn duplicate_key(findings: &mut Findings, key: &str, first: Span, second: Span) {
    findings
        .error("duplicate-key", second, format!("the key `{key}` appears twice in this map"))
        .label("the second")
        .related(first, "the first");
}

/// Reports lists and maps that are nested too deep. Parsers use it.
pub(crate) fn too_deep(findings: &mut Findings, span: Span) {
    findings.error("too-deep", span, format!("lists and maps are nested deeper than {MAX_DEPTH}"));
}

/// Reports a text with more values than `most`. Parsers use it.
pub(crate) fn too_many_values(findings: &mut Findings, span: Span, (what, most): (&str, usize)) {
    findings.error("limit", span, format!("{what} has more than {most} values"));
}

/// Reports a key that a map does not have. `what` is the map's name in messages (`a review`).
pub(crate) fn unknown_key(
    findings: &mut Findings,
    entry: &Entry,
    what: &str,
    keys: impl IntoIterator<Item = &'static str> + Clone,
) {
    let finding = findings.error("unknown-key", entry.key_span, format!("{what} has no key `{}`", entry.key));
    finding.suggest(&entry.key, keys.clone());
    let (key, value) = entry.key.split_once(' ').unwrap_or_default();
    if entry.value.is_null() && keys.into_iter().any(|known| known == key) {
        finding.label(format!("did you mean `{key}: {value}`?"));
    }
}

/// Reports a value of the wrong kind, such as a list in place of a map.
pub(crate) fn wrong_kind(findings: &mut Findings, node: &Node, message: &str) {
    findings.error("wrong-kind", node.span, message).label(format!("this is {}", node.kind()));
}

/// Reports that the value of the current key (`findings.key`) is not `what` it must be.
pub(crate) fn must_be(findings: &mut Findings, node: &Node, what: &str) {
    let key = match findings.key {
        "" => "this".to_owned(),
        key => format!("`{key}`"),
    };
    wrong_value(findings, node, &format!("{key} must be {what}"));
}

/// Reports a value that is not what it must be, with that message.
pub(crate) fn wrong_value(findings: &mut Findings, node: &Node, message: &str) {
    match node.scalar() {
        Some(scalar) => {
            let finding = findings.error("wrong-value", node.span, message);
            let unquoted = Scalar { plain: true, ..scalar.clone() };
            if scalar.to_json() != unquoted.to_json() {
                finding.label("the quotes make this text");
            }
        }
        None => wrong_kind(findings, node, message),
    }
}

/// Reports a word that the current key (`findings.key`) does not accept.
pub(crate) fn unknown_word(findings: &mut Findings, span: Span, word: &str, words: &[&str]) {
    let message = format!("`{word}` is no value of `{}`", findings.key);
    findings.error("unknown-value", span, message).suggest(word, words.iter().copied());
}

/// Reports a reference to a `what` that does not exist.
pub(crate) fn unknown_reference<'a>(
    findings: &mut Findings,
    span: Span,
    (what, word): (&str, &str),
    names: impl IntoIterator<Item = &'a str> + Clone,
) {
    let none = names.clone().into_iter().next().is_none();
    let finding = findings.error("unknown-reference", span, format!("there is no {what} `{word}`"));
    if none {
        finding.help("there are none");
    } else {
        finding.suggest(word, names);
    }
}

/// Reports an empty list, which would match nothing. Returns whether the list has entries.
pub(crate) fn require_entries<T>(
    findings: &mut Findings,
    (key, list): (&str, &OneOrMany<T>),
    span: Span,
) -> bool {
    if list.0.is_empty() {
        findings
            .error("empty-list", span, format!("`{key}` is an empty list"))
            .help(format!("leave `{key}` out to match all"));
    }
    !list.0.is_empty()
}

/// The given list if it has entries. Reports an empty list, which would match nothing.
pub(crate) fn given_entries<'a, T>(
    findings: &mut Findings,
    key: &str,
    list: Option<&'a Spanned<OneOrMany<T>>>,
) -> Option<&'a OneOrMany<T>> {
    list.filter(|list| require_entries(findings, (key, &list.value), list.span)).map(|list| &list.value)
}

/// Reports a key that is only allowed together with another key, which is missing.
pub(crate) fn stray_key(findings: &mut Findings, span: Span, (key, with): (&str, &str)) {
    findings.error("stray-key", span, format!("`{key}` is only allowed together with {with}"));
}

/// Reports each present key after the first, where only one of them is allowed. Returns the first.
pub(crate) fn at_most_one(
    findings: &mut Findings,
    message: &str,
    keys: &[(&'static str, Option<Span>)],
) -> Option<&'static str> {
    let mut present = keys.iter().filter_map(|(key, span)| Some((*key, (*span)?)));
    let (first, first_span) = present.next()?;
    for (key, span) in present {
        findings
            .error("mixed-entry", span, format!("`{first}` and `{key}` do not go together: {message}"))
            .label(format!("`{key}`"))
            .related(first_span, format!("`{first}`"));
    }
    Some(first)
}

/// Reports that an expectation has none of `keys`. A key that is present but invalid has its own finding already.
pub(crate) fn require_one_of(findings: &mut Findings, node: &Node, what: &str, keys: &[&str]) {
    if keys.iter().all(|key| node.get(key).is_none()) {
        let message = format!("{what} needs {}", join_or(keys.iter().copied()));
        findings.error("missing-key", node.span, message).label("it does not say what is expected");
    }
}
