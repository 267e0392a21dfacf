//! The stream of a world: its events as they happen, as Server-Sent Events (HTML standard, 9.2), already encoded.

use std::fmt::{self, Display, Formatter};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::clock;

/// Most bytes that wait for a slow watcher. Events beyond them are counted, not kept.
const WAITING: usize = 1 << 20;
/// Most bytes that wait for the watchers of all worlds.
const ALL_WAITING: usize = 64 << 20;
/// Most watchers of a world.
const WATCHERS: usize = 100;
/// Most watchers of all worlds.
const ALL_WATCHERS: usize = 1_000;

/// Most requests of a world in a second that watchers are told of. To make an event takes longer than to answer a call, so
/// that more would slow down the others.
const REQUESTS: u32 = 500;

/// The watchers of a world.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// Whether there are any: read without the lock, since mostly there are none.
    any: AtomicBool,
    /// Whether any takes events whole, and whether any takes them brief.
    takes: [AtomicBool; 2],
    /// The latest second in which requests were told, and how many there were.
    pace: Mutex<(u64, u32)>,
    /// Requests that were not told since the last event.
    skipped: AtomicU64,
    /// Held to send one event. Nobody is waited for.
    watchers: Mutex<Vec<Watcher>>,
    all: Arc<AllWatchers>,
}

/// The watchers of all worlds.
#[derive(Debug, Default)]
pub(crate) struct AllWatchers {
    count: AtomicUsize,
    waiting: AtomicUsize,
}

/// There are as many watchers as there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooManyWatchers;

impl Display for TooManyWatchers {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "A world has at most {WATCHERS} watchers, and all worlds {ALL_WATCHERS}: close a stream that is no longer read."
        )
    }
}

#[derive(Debug)]
struct Watcher {
    sender: UnboundedSender<Bytes>,
    waiting: Arc<Waiting>,
    /// Whether it takes requests without headers and bodies.
    brief: bool,
    missed: u64,
}

/// Bytes that were sent to one watcher and not received.
#[derive(Debug)]
struct Waiting {
    bytes: AtomicUsize,
    all: Arc<AllWatchers>,
}

impl Waiting {
    fn has_room(&self, bytes: usize) -> bool {
        let own = self.bytes.load(Ordering::Relaxed);
        // An event that alone is too large is sent when nothing else waits.
        let fits = own == 0 || own + bytes <= WAITING;
        fits && self.all.waiting.load(Ordering::Relaxed) + bytes <= ALL_WAITING
    }

    fn add(&self, bytes: usize) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.all.waiting.fetch_add(bytes, Ordering::Relaxed);
    }

    fn remove(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.all.waiting.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// The events for one watcher.
#[derive(Debug)]
pub(crate) struct Watch {
    events: UnboundedReceiver<Bytes>,
    waiting: Arc<Waiting>,
}

impl Watch {
    /// The next event.
    pub(crate) async fn recv(&mut self) -> Option<Bytes> {
        let event = self.events.recv().await?;
        self.waiting.remove(event.len());
        Some(event)
    }
}

impl Watch {
    /// Events that wait already, at most so many.
    pub(crate) fn waiting(&mut self, most: usize) -> Vec<Bytes> {
        let mut waiting = Vec::new();
        while waiting.len() < most
            && let Ok(event) = self.events.try_recv()
        {
            self.waiting.remove(event.len());
            waiting.push(event);
        }
        waiting
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // Nothing more is sent from here on.
        self.events.close();
        while let Ok(event) = self.events.try_recv() {
            self.waiting.remove(event.len());
        }
        self.waiting.all.count.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Stream {
    /// The stream of a world.
    pub(crate) fn new(all: &Arc<AllWatchers>) -> Self {
        Self { all: Arc::clone(all), ..Self::default() }
    }

    /// Watches what is published from now on, `brief` without headers and bodies of requests.
    ///
    /// # Errors
    /// There are too many watchers.
    pub(crate) fn watch(&self, brief: bool) -> Result<Watch, TooManyWatchers> {
        let (sender, events) = unbounded_channel();
        let waiting = Arc::new(Waiting { bytes: AtomicUsize::new(0), all: Arc::clone(&self.all) });
        let mut watchers = self.watchers.lock().unwrap_or_else(PoisonError::into_inner);
        watchers.retain(|watcher| !watcher.sender.is_closed());
        let is_full = self.all.count.fetch_add(1, Ordering::Relaxed) >= ALL_WATCHERS;
        // It is counted, so that dropping it counts it off.
        let watch = Watch { events, waiting: Arc::clone(&waiting) };
        if is_full || watchers.len() >= WATCHERS {
            return Err(TooManyWatchers);
        }
        watchers.push(Watcher { sender, waiting, brief, missed: 0 });
        self.note(&watchers);
        Ok(watch)
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// Whether the watchers are told of a request, of which there are so many in a second. Otherwise it counts as missed.
    pub(crate) fn admits_request(&self) -> bool {
        self.admits_at(clock::uptime().as_secs())
    }

    fn admits_at(&self, second: u64) -> bool {
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        if pace.0 != second {
            *pace = (second, 0);
        }
        pace.1 += 1;
        let admits = pace.1 <= REQUESTS;
        if !admits {
            self.skipped.fetch_add(1, Ordering::Relaxed);
        }
        admits
    }

    /// Tells all watchers how many events they missed, if there are any and no event has told so.
    pub(crate) fn publish_missed(&self) {
        if self.skipped.load(Ordering::Relaxed) > 0 {
            self.send(|watcher| {
                let missed = std::mem::take(&mut watcher.missed);
                watcher.add(encode("missed", &json!({ "events": missed })))
            });
        }
    }

    /// Sends something to all watchers, who have missed what was skipped. `send` tells whether one is still there.
    fn send(&self, mut send: impl FnMut(&mut Watcher) -> bool) {
        let mut watchers = self.watchers.lock().unwrap_or_else(PoisonError::into_inner);
        let skipped = self.skipped.swap(0, Ordering::Relaxed);
        watchers.retain_mut(|watcher| {
            watcher.missed += skipped;
            send(watcher)
        });
        self.note(&watchers);
    }

    fn note(&self, watchers: &[Watcher]) {
        self.any.store(!watchers.is_empty(), Ordering::Release);
        for (takes, brief) in self.takes.iter().zip([false, true]) {
            takes.store(watchers.iter().any(|watcher| watcher.brief == brief), Ordering::Release);
        }
    }

    /// Sends an event whole to some watchers, and brief to the others. What nobody takes is not made.
    pub(crate) fn publish_in_two(
        &self,
        kind: &str,
        whole: impl FnOnce() -> Value,
        brief: impl FnOnce() -> Value,
    ) {
        let [whole_taken, brief_taken] = [0, 1].map(|at| self.takes[at].load(Ordering::Acquire));
        let whole = whole_taken.then(|| encode(kind, &whole()));
        let brief = brief_taken.then(|| encode(kind, &brief()));
        self.send(|watcher| {
            let event = if watcher.brief { &brief } else { &whole };
            // One who came this moment takes the next.
            event.as_ref().is_none_or(|event| watcher.send(event))
        });
    }

    /// Sends an event to all watchers. A watcher that did not keep up gets the number of events that it missed.
    pub(crate) fn publish(&self, kind: &str, data: &Value) {
        let event = encode(kind, data);
        self.send(|watcher| watcher.send(&event));
    }
}

impl Watcher {
    /// Returns whether the watcher is still there.
    fn send(&mut self, event: &Bytes) -> bool {
        if !self.waiting.has_room(event.len()) {
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
        let bytes = event.len();
        self.waiting.add(bytes);
        let is_there = self.sender.send(event).is_ok();
        if !is_there {
            self.waiting.remove(bytes);
        }
        is_there
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
        let mut watch = stream.watch(false).unwrap();
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

    #[tokio::test]
    async fn of_more_requests_in_a_second_than_watchers_are_told_they_get_the_number() {
        let stream = Stream::default();
        let mut watch = stream.watch(true).unwrap();
        let admitted = |second| (0..REQUESTS + 7).filter(|_| stream.admits_at(second)).count();
        assert_eq!((admitted(1), admitted(2)), (500, 500));
        stream.publish("reload", &json!({}));
        assert_eq!(watch.recv().await.unwrap(), "event: missed\ndata: {\"events\":14}\n\n");
        assert_eq!(watch.recv().await.unwrap(), "event: reload\ndata: {}\n\n");
        assert_eq!(admitted(3), 500);
        stream.publish_missed();
        stream.publish_missed();
        stream.publish("reload", &json!({}));
        assert_eq!(watch.recv().await.unwrap(), "event: missed\ndata: {\"events\":7}\n\n");
        assert_eq!(watch.recv().await.unwrap(), "event: reload\ndata: {}\n\n");
    }

    #[tokio::test]
    async fn the_watchers_of_all_worlds_are_bounded_in_number_and_in_bytes() {
        let all = Arc::<AllWatchers>::default();
        let worlds: Vec<Stream> = (0..11).map(|_| Stream::new(&all)).collect();
        let mut watches: Vec<Watch> = Vec::new();
        for world in &worlds[..10] {
            watches.extend((0..WATCHERS).map(|_| world.watch(false).unwrap()));
            assert_eq!(world.watch(false).err(), Some(TooManyWatchers));
        }
        assert_eq!(worlds[10].watch(false).err(), Some(TooManyWatchers), "there are 1,000 of other worlds");
        let text = json!("x".repeat(WAITING / 2));
        for world in &worlds {
            world.publish("request", &text);
        }
        assert!(all.waiting.load(Ordering::Relaxed) <= ALL_WAITING);
        let mut last = watches.pop().unwrap();
        watches.clear();
        assert_eq!((all.count.load(Ordering::Relaxed), all.waiting.load(Ordering::Relaxed)), (1, 0));
        worlds[9].publish("request", &text);
        assert_eq!(last.recv().await.unwrap(), encode("missed", &json!({ "events": 1 })));
        assert_eq!(last.recv().await.unwrap(), encode("request", &text));
        assert!(worlds[0].watch(false).is_ok());
    }
}
