//! The conversations of a world as its snapshot has them.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::clock::Moment;
use crate::memory::Memory;
use crate::webhook::conversation::{Conversation, Conversations, MESSAGES, Message, Name};

/// A conversation. Those of a world are in the order of their last change.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SavedConversation {
    /// Number of the account.
    account: u64,
    name: String,
    contact: Value,
    messages: Vec<SavedMessage>,
    message_count: usize,
    opened: Moment,
    changed: Moment,
    closed: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedMessage {
    text: String,
    sent_at: Moment,
}

impl Conversations {
    pub(crate) fn save(&self) -> Vec<SavedConversation> {
        let named = self.by_change.values().filter_map(|name| Some((name, self.by_name.get(name)?)));
        let conversations = named.map(|((account, name), conversation)| {
            let message = |message: &Arc<Message>| SavedMessage {
                text: message.text.to_string(),
                sent_at: message.sent_at,
            };
            SavedConversation {
                account: *account,
                name: name.to_string(),
                contact: Value::clone(&conversation.contact),
                messages: conversation.messages.iter().map(message).collect(),
                message_count: conversation.message_count,
                opened: conversation.opened,
                changed: conversation.changed,
                closed: conversation.closed,
            }
        });
        conversations.collect()
    }

    /// The conversations of a snapshot, in a world with that memory. None if they are not whole.
    pub(crate) fn restored(saved: Vec<SavedConversation>, memory: &Arc<Memory>) -> Option<Self> {
        let mut conversations = Self::new(Arc::clone(memory));
        for saved in saved {
            let name: Name = (saved.account, saved.name.into());
            let bytes =
                size_of::<(Name, Conversation)>() + 200 + 2 * name.1.len() + saved.contact.to_string().len();
            conversations.changes += 1;
            let mut conversation = Conversation {
                name: Arc::clone(&name.1),
                contact: Arc::new(saved.contact),
                messages: VecDeque::new(),
                message_count: saved.message_count.checked_sub(saved.messages.len())?,
                text_bytes: 0,
                opened: saved.opened,
                changed: saved.changed,
                change: conversations.changes,
                closed: saved.closed,
                _share: memory.share(bytes),
            };
            if saved.messages.len() > MESSAGES {
                return None;
            }
            for SavedMessage { text, sent_at } in saved.messages {
                let share = memory.share(size_of::<Message>() + 32 + text.len());
                conversation.add(Cow::Owned(text), sent_at, share);
            }
            conversations.by_change.insert(conversations.changes, name.clone());
            if conversations.by_name.insert(name, conversation).is_some() {
                return None;
            }
        }
        Some(conversations)
    }
}
