//! A delivery: one event on its way to one subscription, with every attempt.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::clock::Moment;

/// One event for one subscription.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Its id, drawn from what it is.
    pub id: String,
    /// What is delivered.
    pub event: Arc<Happened>,
    /// Id of the subscription.
    pub subscription: u64,
    /// Where it goes.
    pub endpoint: Arc<str>,
    /// Whether a stranger's web page may have subscribed it.
    pub by_page: bool,
    /// What becomes of it.
    pub status: Status,
    /// Why it is dead.
    pub reason: Option<String>,
    /// Every attempt, in order.
    pub attempts: Vec<Attempt>,
}

/// An event, shared by its deliveries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happened {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Number of the account.
    pub business: u64,
    /// Name of the conversation.
    pub conversation: Option<String>,
    /// The how-manyth such event it is, from 1.
    pub nth: u32,
    /// What is sent.
    pub body: Bytes,
}

/// What becomes of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is under way.
    Pending,
    /// It was answered 2xx.
    Delivered,
    /// It never was, and is not tried any more.
    Dead,
}

impl Status {
    /// As the admin side tells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Dead => "dead",
        }
    }
}

/// One attempt.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// World time.
    pub at: Moment,
    /// The headers sent.
    pub headers: Vec<(&'static str, String)>,
    /// How many bytes of the body were sent, if not all.
    pub cut: Option<usize>,
    /// What came back, and after how many milliseconds of real time; none while it is awaited.
    pub outcome: Option<(Result<Answer, String>, f64)>,
}

/// What a receiver answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Names in lower case with their values.
    pub headers: Vec<(String, String)>,
    /// The first bytes of the body, 64 KiB at the most.
    pub body: Bytes,
    /// How many bytes of it were not kept.
    pub lost: u64,
}

impl Delivery {
    /// About how much memory it takes, in bytes, its part of the shared event included.
    #[must_use]
    pub fn size(&self) -> usize {
        let attempt = |attempt: &Attempt| {
            let sent: usize = attempt.headers.iter().map(|(name, value)| name.len() + value.len() + 40).sum();
            let came = match &attempt.outcome {
                Some((Ok(answer), _)) => {
                    answer.headers.iter().map(|(name, value)| name.len() + value.len() + 48).sum::<usize>()
                        + answer.body.len()
                }
                Some((Err(error), _)) => error.len(),
                None => 0,
            };
            size_of::<Attempt>() + sent + came
        };
        size_of::<Self>() + self.event.body.len() + 200 + self.attempts.iter().map(attempt).sum::<usize>()
    }

    /// As the admin side shows it.
    #[must_use]
    pub fn shown(&self) -> Value {
        let attempts: Vec<Value> = self.attempts.iter().map(|attempt| self.attempt(attempt)).collect();
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

    fn attempt(&self, attempt: &Attempt) -> Value {
        let headers: Map<String, Value> =
            attempt.headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone().into())).collect();
        let mut request = json!({
            "method": "POST",
            "url": &*self.endpoint,
            "headers": headers,
            "body": body(&self.event.body),
        });
        if let Some(cut) = attempt.cut {
            request["bytesSent"] = cut.into();
        }
        let (response, error, took) = match &attempt.outcome {
            None => (Value::Null, Value::Null, Value::Null),
            Some((Err(error), took)) => (Value::Null, error.clone().into(), json!(took)),
            Some((Ok(answer), took)) => (answer.shown(), Value::Null, json!(took)),
        };
        json!({ "at": attempt.at.iso(), "request": request, "response": response, "durationMs": took, "error": error })
    }
}

impl Answer {
    fn shown(&self) -> Value {
        let headers: Map<String, Value> =
            self.headers.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
        let mut shown = json!({ "status": self.status, "headers": headers, "body": body(&self.body) });
        if self.lost > 0 {
            shown["bodyBytesNotKept"] = self.lost.into();
        }
        shown
    }
}

fn body(bytes: &Bytes) -> Value {
    if bytes.is_empty() {
        return Value::Null;
    }
    serde_json::from_slice(bytes).unwrap_or_else(|_| String::from_utf8_lossy(bytes).into())
}
