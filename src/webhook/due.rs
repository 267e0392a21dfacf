//! A delivery that is due, and the request that it sends.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::{self, Moment};
use crate::webhook::client::Outgoing;
use crate::webhook::event::Event;
use crate::webhook::plan::WebhookPlan;
use crate::webhook::settings::{DeliveryEffect, Signing};
use crate::webhook::sign;

/// The User-Agent of deliveries.
pub(crate) const USER_AGENT: &str = concat!("standin-webhooks/", env!("CARGO_PKG_VERSION"));

/// A delivery that is due.
#[derive(Clone, Debug)]
pub(crate) struct DueDelivery {
    /// Its number in the schedule.
    pub(super) number: u64,
    pub(super) event: Arc<Event>,
    pub(super) endpoint: Arc<str>,
    /// World time.
    pub(super) at: Moment,
    /// Real time since the world's start.
    pub(super) elapsed: Duration,
    /// The effect of the fault that applies to this attempt.
    pub(super) effect: Option<DeliveryEffect>,
    pub(crate) plan: Arc<WebhookPlan>,
    /// Whether a foreign web page made the subscription.
    pub(crate) by_page: bool,
}

impl DueDelivery {
    /// The request to send.
    ///
    /// # Errors
    /// Why the payload cannot be rendered.
    pub(crate) fn request(&self) -> Result<Outgoing, String> {
        let body = self.event.payload();
        let body = body.map_err(|problem| format!("payload: line {}: {}", problem.line, problem.message))?;
        let cut = (self.effect == Some(DeliveryEffect::Truncate)).then_some(body.len() / 2);
        let headers = headers(&self.plan.settings.signing, &self.event.id, self.at, &body, self.effect);
        let timeout = self.plan.settings.retry.timeout;
        Ok(Outgoing { endpoint: Arc::clone(&self.endpoint), headers, body: body.into(), cut, timeout })
    }

    /// About how many bytes the body has.
    pub(crate) fn body_size(&self) -> usize {
        self.event.payload_size()
    }
}

fn headers(
    signing: &Signing,
    id: &str,
    now: Moment,
    body: &[u8],
    effect: Option<DeliveryEffect>,
) -> Vec<(&'static str, String)> {
    let world_time = matches!(signing, Signing::StandardWebhooks { world_time: true, .. });
    let stamp = if world_time { now } else { clock::system_now() };
    let mut headers =
        vec![("content-type", "application/json".to_owned()), ("user-agent", USER_AGENT.to_owned())];
    let is_bad = effect == Some(DeliveryEffect::BadSignature);
    headers.extend(sign::headers(signing, id, stamp.0.div_euclid(1000), body, is_bad));
    headers
}
