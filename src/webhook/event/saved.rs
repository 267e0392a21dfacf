//! An event of a world as its snapshot has it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::clock::Moment;
use crate::memory::Memory;
use crate::webhook::event::{Content, Event, Identity};
use crate::webhook::plan::WebhookPlan;

/// An event, with the data of its payload.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedEvent {
    id: String,
    name: String,
    business: u64,
    conversation: Option<String>,
    occurrence: u64,
    at: Moment,
    data: Map<String, Value>,
}

impl Event {
    pub(crate) fn save(&self) -> SavedEvent {
        SavedEvent {
            id: self.id.clone(),
            name: self.name.clone(),
            business: self.business,
            conversation: self.conversation.clone(),
            occurrence: self.occurrence,
            at: self.at,
            data: self.data(),
        }
    }

    /// The event of a snapshot. Its payload follows that plan.
    pub(crate) fn restored(saved: SavedEvent, plan: &Arc<WebhookPlan>, memory: &Arc<Memory>) -> Self {
        let identity = Identity {
            name: &saved.name,
            business: saved.business,
            conversation: saved.conversation.as_deref(),
            occurrence: saved.occurrence,
            at: saved.at,
        };
        let content = Content { conversation: None, data: Some(saved.data) };
        Self::new(saved.id, identity, content, plan, memory)
    }
}
