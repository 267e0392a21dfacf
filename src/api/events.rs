//! Names of webhook events (`interface.md`, Events).

/// The events that need no scenario to be known.
pub const KNOWN: [&str; 4] =
    ["conversation.created", "conversation.updated", "message.added", "conversation.closed"];

/// An event's own name: `message.closed` of the document's request example is `conversation.closed`.
#[must_use]
pub fn canonical(name: &str) -> &str {
    if name == "message.closed" { "conversation.closed" } else { name }
}
