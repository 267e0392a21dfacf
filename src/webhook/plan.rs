//! The webhook settings of a scenario, with its templates.

use crate::webhook::payload::Templates;
use crate::webhook::settings::Webhooks;

#[derive(Debug, Default)]
pub(crate) struct WebhookPlan {
    pub(crate) settings: Webhooks,
    pub(crate) templates: Templates,
}

impl WebhookPlan {
    pub(crate) fn new(settings: Webhooks) -> Self {
        Self { templates: Templates::new(&settings), settings }
    }
}
