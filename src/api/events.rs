//! Names of webhook events (`interface.md`, Events).

/// The events that need no scenario to be known.
pub const KNOWN: [&str; 4] =
    ["conversation.created", "conversation.updated", "message.added", "conversation.closed"];

/// `message.closed` of the document's request example, and the event that it means.
pub const CLOSED_ALIAS: (&str, &str) = ("message.closed", "conversation.closed");

/// An event's own name.
#[must_use]
pub fn canonical(name: &str) -> &str {
    if name == CLOSED_ALIAS.0 { CLOSED_ALIAS.1 } else { name }
}
