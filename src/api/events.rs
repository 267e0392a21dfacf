//! Names of webhook events (`docs/api.md` 5).

/// The built-in events.
pub(crate) const KNOWN: [&str; 4] =
    ["conversation.created", "conversation.updated", "message.added", "conversation.closed"];

/// An alias that clients send, and the event that it means.
pub(crate) const CLOSED_ALIAS: (&str, &str) = ("message.closed", "conversation.closed");

/// The name of an event, with the alias replaced.
pub(crate) fn canonical(name: &str) -> &str {
    if name == CLOSED_ALIAS.0 { CLOSED_ALIAS.1 } else { name }
}
