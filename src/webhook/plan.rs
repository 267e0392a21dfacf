//! The webhook settings of a scenario, with its templates compiled.

use crate::webhook::payload::Templates;
use crate::webhook::settings::Webhooks;

#[derive(Debug, Default)]
pub struct WebhookPlan {
    pub settings: Webhooks,
    pub templates: Templates,
}

impl WebhookPlan {
    pub fn new(settings: Webhooks) -> Self {
        Self { templates: Templates::new(&settings), settings }
    }
}
