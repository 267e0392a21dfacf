//! Validates headers and changes to them.

use std::collections::BTreeSet;

use crate::fault::headers::Headers;
use crate::scenario::collections::NonNullMap;
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::raw::HeaderChanges;
use crate::scenario::read::Spanned;
use crate::scenario::scalars::Text;
use crate::scenario::source::Span;

/// Headers that frame a message. The server sets them; a wrong value would break the next response on the connection.
const FRAMING: [&str; 2] = ["content-length", "transfer-encoding"];

/// Whether a text can be a header name (RFC 9110, 5.1).
pub(crate) fn is_name(name: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(token)
}

/// Collects a map of headers by lower-case name, with each value converted by `value`. The result is sorted, because the
/// order in which headers are written has no meaning.
pub(crate) fn by_name<T, V>(
    findings: &mut Findings,
    members: &NonNullMap<T>,
    value: impl Fn(&mut Findings, &str, &T, Span) -> Option<V>,
) -> Vec<(String, V)> {
    let mut headers: Vec<(String, V)> = Vec::with_capacity(members.0.len());
    let mut known = BTreeSet::new();
    for member in &members.0 {
        let Some(name) = name(findings, &member.key, member.key_span) else { continue };
        if known.contains(&name) {
            findings
                .error("duplicate-key", member.key_span, format!("the header `{}` appears twice", member.key))
                .help("header names are not case-sensitive");
        } else if let Some(value) = value(findings, &member.key, &member.value, member.span) {
            known.insert(name.clone());
            headers.push((name, value));
        }
    }
    headers.sort_by(|(one, _), (other, _)| one.cmp(other));
    headers
}

fn name(findings: &mut Findings, name: &str, span: Span) -> Option<String> {
    if is_name(name) {
        return Some(name.to_ascii_lowercase());
    }
    findings
        .error("wrong-header", span, format!("`{name}` is not a valid header name"))
        .help("a header name consists of letters, digits and `-`");
    None
}

/// Checks that a value can be sent in a header.
fn header_value(findings: &mut Findings, name: &str, value: &Text, span: Span) -> Option<String> {
    if value.0.chars().any(|c| c.is_control() && c != '\t') {
        findings
            .error("wrong-header", span, format!("the value of `{name}` cannot be sent in a header"))
            .help("a header's value is one line, without control characters");
        return None;
    }
    Some(value.0.trim().to_owned())
}

/// The headers to set, with their values. Reports headers that the server sets itself.
pub(crate) fn set(findings: &mut Findings, members: &NonNullMap<Text>) -> Vec<(String, String)> {
    for member in &members.0 {
        check_framing(findings, &member.key, member.key_span);
    }
    by_name(findings, members, header_value)
}

fn check_framing(findings: &mut Findings, name: &str, span: Span) {
    if FRAMING.iter().any(|own| own.eq_ignore_ascii_case(name)) {
        findings
            .error("wrong-header", span, format!("the server sets `{name}` from the body"))
            .help("for a response shorter than its `content-length`, use `body: {truncate: 50%}`");
    }
}

/// Validates the header changes of a fault.
pub(crate) fn validate(findings: &mut Findings, raw: &Spanned<HeaderChanges>) -> Option<Headers> {
    let changes = &raw.value;
    let set = changes.set.as_ref().map_or_else(Vec::new, |set| self::set(findings, &set.value));
    let mut remove = Vec::new();
    for removed in changes.remove.iter().flat_map(|remove| &remove.value.0) {
        check_framing(findings, &removed.value.0, removed.span);
        let Some(name) = name(findings, &removed.value.0, removed.span) else { continue };
        let twin =
            changes.set.iter().flat_map(|set| &set.value.0).find(|set| set.key.eq_ignore_ascii_case(&name));
        if let Some(twin) = twin {
            findings
                .error("mixed-entry", removed.span, format!("`{name}` is both set and removed"))
                .label("removed")
                .related(twin.key_span, "set")
                .help("`set` replaces an existing header, so `remove` is not needed");
        } else if !remove.contains(&name) {
            remove.push(name);
        }
    }
    remove.sort();
    if changes.set.as_ref().is_none_or(|set| set.value.0.is_empty())
        && changes.remove.as_ref().is_none_or(|remove| remove.value.0.is_empty())
    {
        findings
            .error("no-effect", raw.span, "`headers` changes no header")
            .help("allowed: `set: {name: value}` and `remove: [name]`");
        return None;
    }
    Some(Headers { set, remove })
}
