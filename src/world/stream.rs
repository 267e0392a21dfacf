//! The stream of a world: its events as they happen, as Server-Sent Events (HTML standard, 9.2), already encoded.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Most bytes that wait for a slow watcher. Events beyond them are counted, not kept.
const WAITING: usize = 1 << 20;

/// The watchers of a world.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// Whether there are any: read without the lock, since mostly there are none.
    any: AtomicBool,
    /// Held to send one event. Nobody is waited for.
    watchers: Mutex<Vec<Watcher>>,
}

#[derive(Debug)]
struct Watcher {
    sender: UnboundedSender<Bytes>,
    /// Bytes that were sent and not received.
    waiting: Arc<AtomicUsize>,
    missed: u64,
}

/// The events for one watcher.
#[derive(Debug)]
pub(crate) struct Watch {
    events: UnboundedReceiver<Bytes>,
    waiting: Arc<AtomicUsize>,
}

impl Watch {
    /// The next event.
    pub(crate) async fn recv(&mut self) -> Option<Bytes> {
        let event = self.events.recv().await?;
        self.waiting.fetch_sub(event.len(), Ordering::Relaxed);
        Some(event)
    }
}

impl Stream {
    /// Watches what is published from now on.
    pub(crate) fn watch(&self) -> Watch {
        let (sender, events) = unbounded_channel();
        let waiting = Arc::<AtomicUsize>::default();
        let mut watchers = self.watchers.lock().unwrap_or_else(PoisonError::into_inner);
        watchers.push(Watcher { sender, waiting: Arc::clone(&waiting), missed: 0 });
        self.any.store(true, Ordering::Release);
        Watch { events, waiting }
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// Sends an event to all watchers. A watcher that did not keep up gets the number of events that it missed.
    pub(crate) fn publish(&self, kind: &str, data: &Value) {
        let event = encode(kind, data);
        let mut watchers = self.watchers.lock().unwrap_or_else(PoisonError::into_inner);
        watchers.retain_mut(|watcher| watcher.send(&event));
        self.any.store(!watchers.is_empty(), Ordering::Release);
    }
}

impl Watcher {
    /// Returns whether the watcher is still there.
    fn send(&mut self, event: &Bytes) -> bool {
        let waiting = self.waiting.load(Ordering::Relaxed);
        // An event that alone is too large is sent when nothing else waits.
        if waiting > 0 && waiting + event.len() > WAITING {
            self.missed += 1;
            return !self.sender.is_closed();
        }
        if self.missed > 0 {
            self.add(encode("missed", &json!({ "events": self.missed })));
            self.missed = 0;
        }
        self.add(event.clone())
    }

    fn add(&self, event: Bytes) -> bool {
        self.waiting.fetch_add(event.len(), Ordering::Relaxed);
        self.sender.send(event).is_ok()
    }
}

/// Encoded JSON has no line breaks, so that an event is one `data` line.
fn encode(kind: &str, data: &Value) -> Bytes {
    format!("event: {kind}\ndata: {data}\n\n").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_watcher_that_does_not_keep_up_gets_the_number_of_missed_events() {
        let stream = Stream::default();
        assert!(!stream.is_watched());
        let mut watch = stream.watch();
        let text = json!("x".repeat(100_000));
        for _ in 0..14 {
            stream.publish("request", &text);
        }
        for _ in 0..10 {
            assert_eq!(watch.recv().await.unwrap(), encode("request", &text));
        }
        stream.publish("reload", &json!({}));
        assert_eq!(watch.recv().await.unwrap(), "event: missed\ndata: {\"events\":4}\n\n");
        assert_eq!(watch.recv().await.unwrap(), "event: reload\ndata: {}\n\n");
        let large = json!("x".repeat(2 * WAITING));
        stream.publish("request", &large);
        assert_eq!(watch.recv().await.unwrap(), encode("request", &large), "nothing else waits");
        drop(watch);
        stream.publish("request", &json!(0));
        assert!(!stream.is_watched());
    }
}
