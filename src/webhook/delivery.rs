//! A delivery: one event for one subscription, with all its attempts.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::clock::Moment;
use crate::webhook::event::Event;
use crate::webhook::settings::DeliveryEffect;

#[derive(Clone, Debug)]
pub(crate) struct Delivery {
    /// Drawn from what identifies the delivery.
    pub(crate) id: String,
    pub(crate) event: Arc<Event>,
    /// Id of the subscription.
    pub(crate) subscription: u64,
    pub(crate) endpoint: Arc<str>,
    /// Whether a foreign web page made the subscription.
    pub(crate) by_page: bool,
    pub(crate) status: Status,
    /// Why the delivery is dead.
    pub(crate) reason: Option<String>,
    /// In order.
    pub(crate) attempts: Vec<Attempt>,
    /// Bytes of the body that was sent.
    pub(crate) body_size: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Further attempts follow.
    Pending,
    /// Answered with 2xx.
    Delivered,
    /// Never answered with 2xx, and not tried again.
    Dead,
}

impl Status {
    /// The name in the admin API.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Dead => "dead",
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    /// World time.
    pub(crate) at: Moment,
    /// Real time since the world's start.
    pub(crate) elapsed: Duration,
    /// The system's time.
    pub(crate) sent: Moment,
    /// The effect of the fault that applied to this attempt.
    pub(crate) fault: Option<DeliveryEffect>,
    /// The headers sent.
    pub(crate) headers: Vec<(&'static str, String)>,
    /// How many bytes of the body were sent, if not all.
    pub(crate) cut: Option<usize>,
    /// None while the response is awaited.
    pub(crate) outcome: Option<Outcome>,
}

#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The response, or why there is none.
    pub(crate) result: Result<Answer, String>,
    /// Milliseconds of real time.
    pub(crate) took: f64,
}

/// A receiver's response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Names in lower case with their values.
    pub(crate) headers: Vec<(String, String)>,
    /// The first bytes of the body, at most 64 KiB.
    pub(crate) body: Bytes,
    /// How many bytes of the body were not kept.
    pub(crate) lost: u64,
}

impl Delivery {
    /// About how many bytes it takes, without the event.
    pub(crate) fn own_size(&self) -> usize {
        let attempt = |attempt: &Attempt| {
            let sent: usize = attempt.headers.iter().map(|(name, value)| name.len() + value.len() + 40).sum();
            let received = match attempt.outcome.as_ref().map(|outcome| &outcome.result) {
                Some(Ok(answer)) => {
                    answer.headers.iter().map(|(name, value)| name.len() + value.len() + 48).sum::<usize>()
                        + answer.body.len()
                }
                Some(Err(error)) => error.len(),
                None => 0,
            };
            size_of::<Attempt>() + sent + received
        };
        size_of::<Self>() + 200 + self.attempts.iter().map(attempt).sum::<usize>()
    }

    /// About how many bytes it has in the admin API's answer.
    pub(crate) fn size(&self) -> usize {
        self.own_size() + self.body_size
    }

    /// The delivery in the admin API.
    pub(crate) fn to_json(&self) -> Value {
        let sent =
            if self.attempts.is_empty() { Vec::new() } else { self.event.payload().unwrap_or_default() };
        let sent = body(&sent);
        let attempts: Vec<Value> =
            self.attempts.iter().map(|attempt| attempt.to_json(&self.endpoint, &sent)).collect();
        json!({
            "id": self.id,
            "eventId": self.event.id,
            "event": self.event.name,
            "businessId": self.event.business,
            "conversation": self.event.conversation,
            "subscriptionId": self.subscription,
            "endpoint": &*self.endpoint,
            "status": self.status.name(),
            "reason": self.reason,
            "attempts": attempts,
        })
    }
}

impl Attempt {
    fn to_json(&self, endpoint: &str, body: &Value) -> Value {
        let headers: Map<String, Value> =
            self.headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone().into())).collect();
        let mut request = json!({ "method": "POST", "url": endpoint, "headers": headers, "body": body });
        if let Some(cut) = self.cut {
            request["bytesSent"] = cut.into();
        }
        let result = self.outcome.as_ref().map(|outcome| &outcome.result);
        json!({
            "at": self.at.iso(),
            "request": request,
            "response": result.and_then(|result| result.as_ref().ok()).map(Answer::to_json),
            "durationMs": self.outcome.as_ref().map(|outcome| outcome.took),
            "error": result.and_then(|result| result.as_ref().err()),
        })
    }
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The response without its body, which counts as not kept.
    pub(crate) fn without_body(self) -> Self {
        Self { lost: self.lost + self.body.len() as u64, body: Bytes::new(), ..self }
    }

    fn to_json(&self) -> Value {
        let headers: Map<String, Value> =
            self.headers.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
        let mut answer = json!({ "status": self.status, "headers": headers, "body": body(&self.body) });
        if self.lost > 0 {
            answer["bodyBytesNotKept"] = self.lost.into();
        }
        answer
    }
}

fn body(bytes: &[u8]) -> Value {
    if bytes.is_empty() {
        return Value::Null;
    }
    serde_json::from_slice(bytes).unwrap_or_else(|_| String::from_utf8_lossy(bytes).into())
}
