//! The webhooks of a world as its snapshot has them.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::draw::Seed;
use crate::fault::counters::Counters;
use crate::fault::counters::saved::SavedCounters;
use crate::memory::Memory;
use crate::webhook::conversation::Conversations;
use crate::webhook::conversation::saved::SavedConversation;
use crate::webhook::occurrences::{Occurrences, SavedOccurrences};
use crate::webhook::plan::WebhookPlan;
use crate::webhook::schedule::Schedule;
use crate::webhook::schedule::saved::SavedSchedule;
use crate::webhook::state::WebhookState;
use crate::webhook::timeline::Progress;

/// Conversations, pending deliveries, and what was counted.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SavedWebhooks {
    conversations: Vec<SavedConversation>,
    schedule: SavedSchedule,
    occurrences: SavedOccurrences,
    fault_counters: SavedCounters,
    /// How often each entry of the timeline has fired.
    timeline: Vec<u64>,
}

impl WebhookState {
    pub(crate) fn save(&self) -> SavedWebhooks {
        let state = self.state();
        SavedWebhooks {
            conversations: state.conversations.save(),
            schedule: state.schedule.save(),
            occurrences: state.occurrences.save(),
            fault_counters: state.fault_counters.save(),
            timeline: state.timeline.counts().to_vec(),
        }
    }

    /// The webhooks of a snapshot, in a world with that plan, seed and memory that is so old. None if they are not whole, or
    /// there is no room for them.
    pub(crate) fn restored(
        saved: SavedWebhooks,
        (plan, seed): (Arc<WebhookPlan>, Seed),
        memory: Arc<Memory>,
        counted: &Arc<Memory>,
        since_start: Duration,
    ) -> Option<Self> {
        let timeline = Progress::restored(saved.timeline, &plan.settings.timeline, since_start);
        let schedule = Schedule::restored(saved.schedule, &plan, &memory)?;
        let conversations = Conversations::restored(saved.conversations, &memory)?;
        let fault_counters = Counters::restored(saved.fault_counters, counted)?;
        let occurrences = Occurrences::restored(saved.occurrences)?;
        if memory.is_full() {
            return None;
        }
        let webhooks = Self::new(plan, seed, memory, counted);
        let mut state = webhooks.state();
        (state.timeline, state.schedule, state.conversations) = (timeline, schedule, conversations);
        (state.fault_counters, state.occurrences) = (fault_counters, occurrences);
        drop(state);
        Some(webhooks)
    }
}
