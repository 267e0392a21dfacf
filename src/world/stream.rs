//! What happens in a world, told to whoever watches as it happens: Server-Sent Events (HTML standard, 9.2), already in
//! their text.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// So many events may wait for a slow watcher; what comes then is counted, not kept.
const WAITING: usize = 1024;

/// Those who watch a world.
#[derive(Debug, Default)]
pub struct Stream {
    /// Whether anybody does: told without the lock, for mostly nobody does.
    any: AtomicBool,
    /// Held to tell them one event. Nobody is waited for.
    watchers: Mutex<Vec<Watcher>>,
}

#[derive(Debug)]
struct Watcher {
    sender: Sender<Bytes>,
    missed: u64,
}

impl Stream {
    /// What is told from now on.
    pub fn watch(&self) -> Receiver<Bytes> {
        let (sender, receiver) = channel(WAITING);
        let mut watchers = self.watchers.lock().unwrap_or_else(PoisonError::into_inner);
        watchers.push(Watcher { sender, missed: 0 });
        self.any.store(true, Ordering::Release);
        receiver
    }

    /// Whether anybody watches.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// Tells an event of a kind. Who did not keep up learns how many were missed.
    pub fn publish(&self, kind: &str, data: &Value) {
        let event = text(kind, data);
        let mut watchers = self.watchers.lock().unwrap_or_else(PoisonError::into_inner);
        watchers.retain_mut(|watcher| watcher.send(event.clone()));
        self.any.store(!watchers.is_empty(), Ordering::Release);
    }
}

impl Watcher {
    /// Tells whether it still watches.
    fn send(&mut self, event: Bytes) -> bool {
        if self.missed > 0 {
            match self.sender.try_send(text("missed", &json!({ "events": self.missed }))) {
                Ok(()) => self.missed = 0,
                Err(TrySendError::Full(_)) => {}
                Err(TrySendError::Closed(_)) => return false,
            }
        }
        match self.sender.try_send(event) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => {
                self.missed += 1;
                true
            }
            Err(TrySendError::Closed(_)) => false,
        }
    }
}

/// JSON has no line breaks of its own, so that an event is one `data` line.
fn text(kind: &str, data: &Value) -> Bytes {
    format!("event: {kind}\ndata: {data}\n\n").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_keep_up_learns_how_many_were_missed() {
        let stream = Stream::default();
        assert!(!stream.is_watched());
        let mut receiver = stream.watch();
        for count in 0..WAITING + 3 {
            stream.publish("request", &json!(count));
        }
        for count in 0..WAITING {
            assert_eq!(receiver.try_recv().unwrap(), format!("event: request\ndata: {count}\n\n"));
        }
        stream.publish("reload", &json!({}));
        assert_eq!(receiver.try_recv().unwrap(), "event: missed\ndata: {\"events\":3}\n\n");
        assert_eq!(receiver.try_recv().unwrap(), "event: reload\ndata: {}\n\n");
        drop(receiver);
        stream.publish("request", &json!(0));
        assert!(!stream.is_watched());
    }
}
