//! Validates `then`: the effect of a fault.

use crate::fault::connection::Connection;
use crate::fault::effect::{Effect, Effects};
use crate::fault::lost::Lost;
use crate::fault::status::{Content, Status};
use crate::operations::spec::Spec;
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::raw::{self, Then};
use crate::scenario::fault::{body, error, headers};
use crate::scenario::node::Node;
use crate::scenario::read::Spanned;
use crate::scenario::report::{at_most_one, stray_key};

/// Validates the effect of a fault; `node` is the tree that `then` was read from. Reports a `then` without effect.
pub(crate) fn validate(
    findings: &mut Findings,
    then: &Spanned<Then>,
    node: &Node,
    operations: &[&'static Spec],
) -> Option<Effects> {
    let span = then.span;
    let then = &then.value;
    let given = [
        ("error", then.error.as_ref().map(|value| value.span)),
        ("status", then.status.as_ref().map(|value| value.span)),
        ("connection", then.connection.as_ref().map(|value| value.span)),
        ("body", then.body.as_ref().map(|value| value.span)),
        ("lost", then.lost.as_ref().map(|value| value.span)),
    ];
    at_most_one(findings, "a fault has only one effect", &given);
    error::check_stray_keys(findings, then);
    if let Some(span) = &then.for_
        && then.connection.as_ref().map(|value| value.value) != Some(raw::Connection::Stall)
    {
        stray_key(findings, span.span, ("for", "`connection: stall`"));
    }
    let effects = Effects {
        delay: then.delay.map(|delay| delay.value),
        headers: then.headers.as_ref().and_then(|changes| headers::validate(findings, changes)),
        effect: effect(findings, then, node, operations),
    };
    let empty = node.entries().is_some_and(|entries| entries.iter().all(|entry| entry.value.is_null()));
    if empty {
        findings.error("no-effect", span, "`then` does not say what happens").help(
            "allowed: one of `error`, `status`, `connection`, `body` and `lost`, with or without `delay` and `headers`",
        );
    }
    (effects != Effects::default()).then_some(effects)
}

fn effect(findings: &mut Findings, then: &Then, node: &Node, operations: &[&'static Spec]) -> Option<Effect> {
    if let Some(spec) = &then.error {
        return error::validate(findings, &spec.value.0, then.retry_after.as_ref(), operations)
            .map(Effect::Error);
    }
    if let Some(status) = &then.status {
        let content = error::content(findings, then, node);
        let status = match content {
            Content::Empty => u16::try_from(status.value.0).ok(),
            Content::Json(_) | Content::Text(_) => error::status_with_body(findings, status),
        };
        return status.map(|status| Effect::Status(Status { status, content }));
    }
    if let Some(connection) = &then.connection {
        return Some(Effect::Connection(match connection.value {
            raw::Connection::Reset => Connection::Reset,
            raw::Connection::Close => Connection::Close,
            raw::Connection::Stall => Connection::Stall(then.for_.map(|span| span.value)),
            raw::Connection::Garbage => Connection::Garbage,
        }));
    }
    if let Some(changed) = &then.body {
        return body::validate(findings, changed, node.get("body")?, operations).map(Effect::Body);
    }
    then.lost.map(|lost| match lost.value {
        raw::Lost::Reset => Effect::Lost(Lost::Reset),
    })
}
