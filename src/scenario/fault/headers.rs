//! Headers, from their text.

use crate::fault::headers::Headers;
use crate::scenario::collections::NonNullMap;
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::raw::HeaderChanges;
use crate::scenario::read::Spanned;
use crate::scenario::scalars::Text;
use crate::scenario::source::Span;

/// Headers that say where a message ends: the server's own business, and a lie about them would break what follows.
const FRAMING: [&str; 2] = ["content-length", "transfer-encoding"];

/// Whether a text can be a header's name (RFC 9110, 5.1).
#[must_use]
pub fn is_name(name: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(token)
}

/// Members of a map of headers, by name in lower case, with what `value` makes of theirs; sorted, for the order of
/// writing has no meaning.
pub fn named<T, V: Ord>(
    findings: &mut Findings,
    members: &NonNullMap<T>,
    value: impl Fn(&mut Findings, &str, &T, Span) -> Option<V>,
) -> Vec<(String, V)> {
    let mut headers: Vec<(String, V)> = Vec::with_capacity(members.0.len());
    for member in &members.0 {
        let Some(name) = name(findings, &member.key, member.key_span) else { continue };
        if headers.iter().any(|(known, _)| *known == name) {
            findings
                .error(
                    "duplicate-key",
                    member.key_span,
                    format!("the header `{}` stands here twice", member.key),
                )
                .help("names of headers are the same in upper and lower case");
        } else if let Some(value) = value(findings, &member.key, &member.value, member.span) {
            headers.push((name, value));
        }
    }
    headers.sort();
    headers
}

fn name(findings: &mut Findings, name: &str, span: Span) -> Option<String> {
    if is_name(name) {
        return Some(name.to_ascii_lowercase());
    }
    findings
        .error("wrong-header", span, format!("`{name}` cannot be the name of a header"))
        .help("names of headers are letters, digits and `-`");
    None
}

/// A value that can be sent in a header.
pub fn sendable(findings: &mut Findings, name: &str, value: &Text, span: Span) -> Option<String> {
    if value.0.chars().any(|c| c.is_control() && c != '\t') {
        findings
            .error("wrong-header", span, format!("the value of `{name}` cannot be sent in a header"))
            .help("a header's value is one line, without control characters");
        return None;
    }
    Some(value.0.trim().to_owned())
}

/// Header values as they are to be sent, the server's own headers left alone.
pub fn set(findings: &mut Findings, members: &NonNullMap<Text>) -> Vec<(String, String)> {
    for member in &members.0 {
        framing(findings, &member.key, member.key_span);
    }
    named(findings, members, sendable)
}

fn framing(findings: &mut Findings, name: &str, span: Span) {
    if FRAMING.iter().any(|own| own.eq_ignore_ascii_case(name)) {
        findings
            .error("wrong-header", span, format!("`{name}` is made by the server from the body"))
            .help("for an answer whose length is a lie: `body: {truncate: 50%}`");
    }
}

/// The changes of headers that a fault makes.
pub fn validate(findings: &mut Findings, raw: &Spanned<HeaderChanges>) -> Option<Headers> {
    let changes = &raw.value;
    let set = changes.set.as_ref().map_or_else(Vec::new, |set| self::set(findings, &set.value));
    let mut remove = Vec::new();
    for gone in changes.remove.iter().flat_map(|remove| &remove.value.0) {
        framing(findings, &gone.value.0, gone.span);
        let Some(name) = name(findings, &gone.value.0, gone.span) else { continue };
        let twin =
            changes.set.iter().flat_map(|set| &set.value.0).find(|set| set.key.eq_ignore_ascii_case(&name));
        if let Some(twin) = twin {
            findings
                .error("mixed-entry", gone.span, format!("`{name}` is both set and removed"))
                .label("removed")
                .related(twin.key_span, "set")
                .help("setting a header replaces what the answer has: `remove` is not needed");
        } else if !remove.contains(&name) {
            remove.push(name);
        }
    }
    remove.sort();
    let says = |given: Option<usize>| given.is_some_and(|count| count > 0);
    if !says(changes.set.as_ref().map(|set| set.value.0.len()))
        && !says(changes.remove.as_ref().map(|remove| remove.value.0.len()))
    {
        findings
            .error("no-effect", raw.span, "`headers` changes no header")
            .help("allowed: `set: {name: value}` and `remove: [name]`");
        return None;
    }
    Some(Headers { set, remove })
}
