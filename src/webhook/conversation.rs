//! Conversations of a world. The first event of a conversation opens it, messages are added in turns, and a closed one
//! stays closed.

/// The conversations in a snapshot of a world.
pub(crate) mod saved;

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::clock::Moment;
use crate::draw::Draw;
use crate::memory::{Memory, Share};

/// Most messages of a conversation that are kept, and that a payload carries: the last ones.
pub(crate) const MESSAGES: usize = 100;
/// Most bytes of text that the kept messages have, except for a single longer one.
const TEXT: usize = 1 << 20;

/// The conversations of a world.
#[derive(Debug)]
pub(crate) struct Conversations {
    by_name: BTreeMap<Name, Conversation>,
    /// By the number of their last change.
    by_change: BTreeMap<u64, Name>,
    changes: u64,
    memory: Arc<Memory>,
}

/// Number of the account, and the conversation's name there.
type Name = (u64, Arc<str>);

#[derive(Debug)]
pub(crate) struct Conversation {
    name: Arc<str>,
    contact: Arc<Value>,
    /// The last messages.
    messages: VecDeque<Arc<Message>>,
    /// How many messages there were, those no longer kept included.
    message_count: usize,
    text_bytes: usize,
    opened: Moment,
    changed: Moment,
    change: u64,
    closed: bool,
    _share: Share,
}

#[derive(Debug)]
struct Message {
    number: usize,
    text: Cow<'static, str>,
    sent_at: Moment,
    _share: Share,
}

/// An event as it changes its conversation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change<'a> {
    pub(crate) event: &'a str,
    pub(crate) business: u64,
    pub(crate) conversation: &'a str,
    pub(crate) text: Option<&'a str>,
    pub(crate) now: Moment,
}

/// The conversation of an event is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConversationClosed;

/// A conversation as an event found it. Messages are shared with the conversation.
#[derive(Debug)]
pub(crate) struct ConversationSnapshot {
    name: Arc<str>,
    contact: Arc<Value>,
    messages: Vec<Arc<Message>>,
    opened: Moment,
    changed: Moment,
    closed: bool,
}

const OPENINGS: [&str; 6] = [
    "Hi, do you have an opening this week?",
    "Hello, can I still change my booking?",
    "Hi there, what are your hours on Saturday?",
    "Good morning, I have a question about my last visit.",
    "Hello, could somebody call me back today?",
    "Hi, how long is the wait for a new appointment?",
];
const REPLIES: [&str; 4] = [
    "Thanks for writing, we will look into it right away.",
    "Of course, what day would suit you?",
    "Thank you for your patience, here is what we found.",
    "Yes, we can do that. Is there anything else?",
];
const FOLLOW_UPS: [&str; 4] = [
    "That works for me, thank you.",
    "Could you send me the details?",
    "Great, and what does it cost?",
    "Thanks, that was quick!",
];

impl Conversations {
    pub(crate) const fn new(memory: Arc<Memory>) -> Self {
        Self { by_name: BTreeMap::new(), by_change: BTreeMap::new(), changes: 0, memory }
    }

    /// Changes the conversation of an event, and returns it. `contact` is called to open it.
    ///
    /// # Errors
    /// The conversation is closed.
    pub(crate) fn apply(
        &mut self,
        change: Change<'_>,
        mut draw: Draw,
        contact: impl FnOnce() -> Value,
    ) -> Result<&Conversation, ConversationClosed> {
        let name: Name = (change.business, change.conversation.into());
        let conversation = self.by_name.entry(name.clone()).or_insert_with(|| {
            let contact = contact();
            let bytes =
                size_of::<(Name, Conversation)>() + 200 + 2 * name.1.len() + contact.to_string().len();
            Conversation {
                name: Arc::clone(&name.1),
                contact: Arc::new(contact),
                messages: VecDeque::new(),
                message_count: 0,
                text_bytes: 0,
                opened: change.now,
                changed: change.now,
                change: 0,
                closed: false,
                _share: self.memory.share(bytes),
            }
        });
        if conversation.closed {
            return Err(ConversationClosed);
        }
        self.changes += 1;
        self.by_change.remove(&conversation.change);
        self.by_change.insert(self.changes, name);
        conversation.change = self.changes;
        conversation.changed = change.now;
        if change.event == "message.added" || change.text.is_some() {
            let bank: &[&str] = match conversation.message_count {
                0 => &OPENINGS,
                count if count % 2 == 1 => &REPLIES,
                _ => &FOLLOW_UPS,
            };
            let text = match change.text {
                Some(text) => Cow::Owned(text.to_owned()),
                None => Cow::Borrowed(draw.pick(bank).copied().unwrap_or_default()),
            };
            let bytes = size_of::<Message>() + 32 + change.text.map_or(0, str::len);
            conversation.add(text, change.now, self.memory.share(bytes));
        }
        conversation.closed = change.event == "conversation.closed";
        Ok(conversation)
    }

    /// The conversations, the one that changed last first, each with the number of its account. Messages are shared.
    pub(crate) fn all(&self) -> Vec<(u64, ConversationSnapshot)> {
        let names = self.by_change.values().rev();
        names
            .filter_map(|name| self.by_name.get(name).map(|conversation| (name.0, conversation.snapshot())))
            .collect()
    }

    /// Forgets the conversation that was not changed for longest, unless it is the only one. Returns whether there was
    /// another.
    pub(crate) fn forget_oldest(&mut self) -> bool {
        if self.by_change.len() < 2 {
            return false;
        }
        let oldest = self.by_change.pop_first();
        oldest.is_some_and(|(_, name)| self.by_name.remove(&name).is_some())
    }
}

impl Conversation {
    fn add(&mut self, text: Cow<'static, str>, sent_at: Moment, share: Share) {
        self.message_count += 1;
        self.text_bytes += text.len();
        let message = Message { number: self.message_count, text, sent_at, _share: share };
        self.messages.push_back(Arc::new(message));
        while self.messages.len() > MESSAGES || self.messages.len() > 1 && self.text_bytes > TEXT {
            let first = self.messages.pop_front();
            self.text_bytes -= first.map_or(0, |first| first.text.len());
        }
    }

    pub(crate) fn snapshot(&self) -> ConversationSnapshot {
        ConversationSnapshot {
            name: Arc::clone(&self.name),
            contact: Arc::clone(&self.contact),
            messages: self.messages.iter().cloned().collect(),
            opened: self.opened,
            changed: self.changed,
            closed: self.closed,
        }
    }
}

impl ConversationSnapshot {
    /// The members of a payload's `data`.
    pub(crate) fn members(&self) -> Map<String, Value> {
        let messages: Vec<Value> = self.messages.iter().map(|message| message.to_json(&self.name)).collect();
        let members = json!({
            "id": *self.name,
            "status": if self.closed { "CLOSE" } else { "OPEN" },
            "contact": *self.contact,
            "messages": messages,
            "createdAt": self.opened.iso(),
            "updatedAt": self.changed.iso(),
        });
        if let Value::Object(members) = members { members } else { Map::new() }
    }

    /// About how many bytes it takes beyond the messages, which it shares.
    pub(crate) fn own_size(&self) -> usize {
        size_of::<Self>() + self.messages.len() * size_of::<Arc<Message>>()
    }

    /// About how many bytes its messages have in a payload.
    pub(crate) fn text_size(&self) -> usize {
        self.messages.iter().map(|message| 150 + message.text.len()).sum()
    }
}

impl Message {
    fn to_json(&self, conversation: &str) -> Value {
        json!({
            "id": format!("{conversation}-{}", self.number),
            "text": self.text,
            "direction": if self.number % 2 == 1 { "RECEIVE" } else { "SEND" },
            "channel": "webchat",
            "sentAt": self.sent_at.iso(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Seed;

    fn apply(
        conversations: &mut Conversations,
        (name, event): (&str, &str),
        text: Option<&str>,
        at: i64,
    ) -> Result<Map<String, Value>, ConversationClosed> {
        let change = Change { event, business: 100, conversation: name, text, now: Moment(at) };
        let draw = Draw::new(Seed(1), "test");
        Ok(conversations.apply(change, draw, || json!({ "id": 7 }))?.snapshot().members())
    }

    #[test]
    fn messages_are_added_in_turns_and_closed_is_closed() {
        let mut conversations = Conversations::new(Arc::default());
        let mut turn = |event, text, at| apply(&mut conversations, ("c1", event), text, at);
        let opened = turn("conversation.created", Some("Hi!"), 0).unwrap();
        assert_eq!((&opened["status"], &opened["messages"][0]["text"]), (&json!("OPEN"), &json!("Hi!")));
        let more = turn("message.added", None, 1_000).unwrap();
        let directions: Vec<_> =
            more["messages"].as_array().unwrap().iter().map(|one| &one["direction"]).collect();
        assert_eq!(directions, ["RECEIVE", "SEND"]);
        assert!(REPLIES.contains(&more["messages"][1]["text"].as_str().unwrap()));
        assert_eq!(
            (&more["createdAt"], &more["updatedAt"]),
            (&json!("1970-01-01T00:00:00Z"), &json!("1970-01-01T00:00:01Z"))
        );
        let closed = turn("conversation.closed", None, 2_000).unwrap();
        assert_eq!((&closed["status"], closed["messages"].as_array().unwrap().len()), (&json!("CLOSE"), 2));
        assert_eq!(turn("message.added", None, 3_000), Err(ConversationClosed));
    }

    #[test]
    fn the_last_hundred_messages_are_kept_and_a_megabyte_of_them() {
        let mut conversations = Conversations::new(Arc::default());
        let mut last = Map::new();
        for at in 0..150 {
            last = apply(&mut conversations, ("c1", "message.added"), None, at).unwrap();
        }
        let messages = last["messages"].as_array().unwrap();
        assert_eq!((messages.len(), &messages[0]["id"]), (MESSAGES, &json!("c1-51")));
        let long = "x".repeat(TEXT / 2);
        for _ in 0..3 {
            last = apply(&mut conversations, ("c2", "message.added"), Some(&long), 0).unwrap();
        }
        assert_eq!(last["messages"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn the_conversation_that_was_quiet_for_longest_is_forgotten_first() {
        let mut conversations = Conversations::new(Arc::default());
        for name in ["a", "b", "a"] {
            apply(&mut conversations, (name, "message.added"), None, 0).unwrap();
        }
        assert!(conversations.forget_oldest());
        assert_eq!(
            apply(&mut conversations, ("a", "message.added"), None, 0).unwrap()["messages"][2]["id"],
            "a-3"
        );
        assert!(!conversations.forget_oldest(), "the last one stays");
    }
}
