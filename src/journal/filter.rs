//! Filters for the entries of a journal.

use std::sync::Arc;

use crate::api::operation::Operation;
use crate::journal::entry::Entry;
use crate::journal::mask::Mask;
use crate::journal::secrets::Secrets;

/// Selects requests of a journal. A field that is `None` accepts every request.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// The operation.
    pub operation: Option<Operation>,
    /// The status that the client received.
    pub status: Option<u16>,
    /// The error code in the response body.
    pub code: Option<u32>,
    /// The API key: the key itself, or the name that the journal shows for it, such as `key:demo` or `demo`.
    pub key: Option<String>,
    /// Name of the fault that took effect.
    pub fault: Option<String>,
    /// The path, exactly as sent, without the world's prefix.
    pub path: Option<String>,
    /// Whether nothing is at the path: no operation and no route.
    pub unmatched: Option<bool>,
    /// The `seq` of another request, after which the request arrived.
    pub after: Option<u64>,
}

impl Filter {
    /// `minted` is the key that was minted for the world.
    pub(crate) fn matches(&self, entry: &Arc<Entry>, minted: Option<&str>) -> bool {
        let facts = &entry.facts;
        self.operation.is_none_or(|operation| facts.operation() == Some(operation))
            && self.status.is_none_or(|status| entry.status() == Some(status))
            && self.code.is_none_or(|code| facts.code == Some(code))
            && self.path.as_deref().is_none_or(|path| entry.call().path == path)
            && self.unmatched.is_none_or(|unmatched| facts.unmatched == unmatched)
            && self.after.is_none_or(|after| facts.seq > after)
            && self.fault.as_deref().is_none_or(|fault| entry.fault() == Some(fault))
            && self.key.as_deref().is_none_or(|key| is_of_key(entry, key, minted))
    }
}

fn is_of_key(entry: &Entry, asked: &str, minted: Option<&str>) -> bool {
    let (keys, key_match) = (&entry.facts.keys, entry.facts.key_match);
    let label = keys.label(key_match);
    let named =
        label.as_deref().is_some_and(|label| label == asked || label.strip_prefix("key:") == Some(asked));
    let known = keys.find(asked).is_some() || minted == Some(asked);
    named || (known && Mask::new(keys, minted, &Secrets::default()).find(asked) == key_match)
}
