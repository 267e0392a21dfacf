//! Conversations of a world: what events tell of, in one coherent story. A conversation is opened by its first event,
//! its messages pile up, and closed is closed.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::clock::Moment;
use crate::draw::Draw;

/// The conversations of a world, by account and name.
#[derive(Debug, Default)]
pub struct Conversations(BTreeMap<(u64, String), Conversation>);

#[derive(Clone, Debug)]
struct Conversation {
    contact: Value,
    messages: Vec<Value>,
    opened: Moment,
    changed: Moment,
    closed: bool,
}

/// What happens to a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The event's name.
    pub event: &'a str,
    /// Number of the account.
    pub business: u64,
    /// Name of the conversation.
    pub conversation: &'a str,
    /// Text of the message.
    pub text: Option<&'a str>,
    /// World time.
    pub now: Moment,
}

/// An event of a conversation that is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed;

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
const FOLLOWING: [&str; 4] = [
    "That works for me, thank you.",
    "Could you send me the details?",
    "Great, and what does it cost?",
    "Thanks, that was quick!",
];

impl Conversations {
    /// Takes an event in, and gives the conversation as it is then. `contact` is asked for when it is opened.
    ///
    /// # Errors
    /// Where it was closed before.
    pub fn turn(
        &mut self,
        turn: Turn<'_>,
        mut draw: Draw,
        contact: impl FnOnce() -> Value,
    ) -> Result<Map<String, Value>, Closed> {
        let key = (turn.business, turn.conversation.to_owned());
        let kept = self.0.entry(key).or_insert_with(|| Conversation {
            contact: contact(),
            messages: Vec::new(),
            opened: turn.now,
            changed: turn.now,
            closed: false,
        });
        if kept.closed {
            return Err(Closed);
        }
        kept.changed = turn.now;
        let speaks = turn.event == "message.added" || turn.text.is_some();
        if speaks {
            let received = kept.messages.len().is_multiple_of(2);
            let bank: &[&str] = match kept.messages.len() {
                0 => &OPENINGS,
                count if count % 2 == 1 => &REPLIES,
                _ => &FOLLOWING,
            };
            let drawn = || draw.pick(bank).copied().unwrap_or_default();
            kept.messages.push(json!({
                "id": format!("{}-{}", turn.conversation, kept.messages.len() + 1),
                "text": turn.text.unwrap_or_else(drawn),
                "direction": if received { "RECEIVE" } else { "SEND" },
                "channel": "webchat",
                "sentAt": turn.now.iso(),
            }));
        }
        kept.closed = turn.event == "conversation.closed";
        Ok(kept.shown(turn.conversation))
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl Conversation {
    fn shown(&self, id: &str) -> Map<String, Value> {
        let shown = json!({
            "id": id,
            "status": if self.closed { "CLOSE" } else { "OPEN" },
            "contact": self.contact,
            "messages": self.messages,
            "createdAt": self.opened.iso(),
            "updatedAt": self.changed.iso(),
        });
        if let Value::Object(members) = shown { members } else { Map::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Seed;

    #[test]
    fn messages_pile_up_in_turns_and_closed_is_closed() {
        let mut conversations = Conversations::default();
        let mut turn = |event, text, at| {
            let turn = Turn { event, business: 100, conversation: "c1", text, now: Moment(at) };
            conversations.turn(turn, Draw::new(Seed(1), "test"), || json!({ "id": 7 }))
        };
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
        assert_eq!(turn("message.added", None, 3_000), Err(Closed));
    }
}
