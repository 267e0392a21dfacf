//! An event, shared by its deliveries. Its payload is rendered when it is sent or shown, always to the same bytes.

/// An event in a snapshot of a world.
pub(crate) mod saved;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::clock::Moment;
use crate::memory::{Memory, Share};
use crate::template::Problem;
use crate::webhook::conversation::ConversationSnapshot;
use crate::webhook::fault::DeliveryKey;
use crate::webhook::payload::Payload;
use crate::webhook::plan::WebhookPlan;

/// Name of the event that the fault `unknown-event` sends. No subscription has it.
pub(crate) const UNKNOWN: &str = "standin.unknown";

#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) id: String,
    pub(crate) name: String,
    /// Number of the account.
    pub(crate) business: u64,
    /// Name of the conversation.
    pub(crate) conversation: Option<String>,
    /// 1-based occurrence number of this event in its conversation.
    pub(crate) occurrence: u64,
    /// World time.
    pub(crate) at: Moment,
    content: Content,
    /// The plan at the time of the event, whose template the payload follows.
    plan: Arc<WebhookPlan>,
    data_size: usize,
    _share: Share,
}

/// What an event carries.
#[derive(Debug, Default)]
pub(crate) struct Content {
    pub(crate) conversation: Option<ConversationSnapshot>,
    /// Members that are laid over those of the conversation.
    pub(crate) data: Option<Map<String, Value>>,
}

/// What an event is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity<'a> {
    pub(crate) name: &'a str,
    pub(crate) business: u64,
    pub(crate) conversation: Option<&'a str>,
    pub(crate) occurrence: u64,
    pub(crate) at: Moment,
}

impl Event {
    pub(crate) fn new(
        id: String,
        identity: Identity<'_>,
        content: Content,
        plan: &Arc<WebhookPlan>,
        memory: &Arc<Memory>,
    ) -> Self {
        let data_size =
            content.data.as_ref().map_or(0, |data| serde_json::to_string(data).map_or(0, |text| text.len()));
        let Identity { name, business, conversation, occurrence, at } = identity;
        let shared = content.conversation.as_ref().map_or(0, ConversationSnapshot::own_size);
        // A JSON value takes about three times its text.
        let bytes = size_of::<Self>() + id.len() + name.len() + shared + 3 * data_size + 64;
        Self {
            id,
            name: name.to_owned(),
            business,
            conversation: conversation.map(str::to_owned),
            occurrence,
            at,
            content,
            plan: Arc::clone(plan),
            data_size,
            _share: memory.share(bytes),
        }
    }

    /// What identifies its delivery to a subscription.
    pub(crate) fn key(&self, subscription: u64) -> DeliveryKey<'_> {
        DeliveryKey {
            event: &self.name,
            business: self.business,
            conversation: self.conversation.as_deref(),
            subscription,
            occurrence: self.occurrence,
        }
    }

    /// The members of the payload's `data`.
    fn data(&self) -> Map<String, Value> {
        let mut data =
            self.content.conversation.as_ref().map(ConversationSnapshot::members).unwrap_or_default();
        data.extend(self.content.data.clone().unwrap_or_default());
        data
    }

    /// The bytes to send.
    ///
    /// # Errors
    /// The scenario's template fails on this event.
    pub(crate) fn payload(&self) -> Result<Vec<u8>, Problem> {
        let data = self.data();
        let payload = Payload {
            event_id: &self.id,
            event: &self.name,
            at: self.at,
            business: self.business,
            data: &data,
        };
        self.plan.templates.render(&payload)
    }

    /// About how many bytes the payload has, without rendering it.
    pub(crate) fn payload_size(&self) -> usize {
        let messages = self.content.conversation.as_ref().map_or(0, ConversationSnapshot::text_size);
        500 + self.data_size + messages
    }
}
