//! Who makes attempts: one thread for the process. Each world that has something under way, or a timeline, is followed by
//! a task of its own, which sleeps until the next thing is due and takes out what is.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle};
use tokio::sync::{Semaphore, oneshot};

use crate::clock::{self, Mode, Moment, VirtualClock};
use crate::webhook::client::Client;
use crate::webhook::delivery::{Delivery, Status};
use crate::webhook::state::{Due, WebhookState};
use crate::webhook::target::Policy;

/// A world as the engine sees it.
pub trait WorldHandle: Send + Sync {
    /// Its webwebhooks.
    fn webhooks(&self) -> &WebhookState;
    /// Its clock.
    fn clock(&self) -> &VirtualClock;
    /// Makes happen what its timeline has come to.
    fn happen(&self);
    /// A delivery came to something new.
    fn changed(&self, delivery: &Delivery);
}

/// So many attempts of all worlds are under way at once.
const AT_ONCE: usize = 256;

/// Makes the attempts of all worlds.
#[derive(Debug, Default)]
pub struct Engine {
    running: OnceLock<Running>,
    /// Worlds that wanted to be followed, before it ran and since. The lock is held to note one.
    sites: Mutex<Vec<Weak<dyn WorldHandle>>>,
    counts: Counts,
}

struct Running {
    handle: Handle,
    client: Arc<dyn Client>,
    own: SocketAddr,
    permits: Arc<Semaphore>,
}

impl fmt::Debug for Running {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Running on {}", self.own)
    }
}

/// What was done since the process started.
#[derive(Debug, Default)]
#[expect(missing_docs, reason = "what the names say")]
pub struct Counts {
    pub attempts: AtomicU64,
    pub failed_attempts: AtomicU64,
    pub delivered: AtomicU64,
    pub dead: AtomicU64,
}

/// The thread of an engine. When this is dropped, the attempts under way are cancelled and the thread is joined.
#[must_use = "the engine stops when this is dropped"]
#[derive(Debug)]
pub struct EngineThread {
    /// The thread ends when this is dropped.
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for EngineThread {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// How long the thread waits at its end for host names that are being looked up, which cannot be cancelled.
const LOOKUPS: Duration = Duration::from_secs(1);

impl Engine {
    /// Begins to make attempts, on a thread of its own. `own` is our listening address.
    ///
    /// # Errors
    /// The system does not allow another thread.
    pub fn start(self: &Arc<Self>, client: Arc<dyn Client>, own: SocketAddr) -> io::Result<EngineThread> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new().name("webhooks".to_owned()).spawn(move || {
            let _ = runtime.block_on(stopped);
            runtime.shutdown_timeout(LOOKUPS);
        })?;
        let permits = Arc::new(Semaphore::new(AT_ONCE));
        let _ = self.running.set(Running { handle, client, own, permits });
        let waiting = std::mem::take(&mut *self.sites());
        for site in waiting.iter().filter_map(Weak::upgrade) {
            self.follow(&site);
        }
        Ok(EngineThread { stop: Some(stop), thread: Some(thread) })
    }

    fn sites(&self) -> MutexGuard<'_, Vec<Weak<dyn WorldHandle>>> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was done so far.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Follows a world from now on, if it has anything to follow and is not followed already.
    pub fn follow(self: &Arc<Self>, site: &Arc<dyn WorldHandle>) {
        if !site.webhooks().wants_driving() {
            return;
        }
        let mut sites = self.sites();
        sites.retain(|known| known.strong_count() > 0);
        let Some(running) = self.running.get() else {
            sites.push(Arc::downgrade(site));
            return;
        };
        if site.webhooks().driven.swap(true, Ordering::AcqRel) {
            return;
        }
        sites.push(Arc::downgrade(site));
        drop(sites);
        running.handle.spawn(Arc::clone(self).drive(Arc::downgrade(site)));
    }

    /// Takes out what is due in a world, and sleeps until more is: as long as there is that world.
    async fn drive(self: Arc<Self>, site: Weak<dyn WorldHandle>) {
        loop {
            let Some(held) = site.upgrade() else { return };
            let next = self.step(&held).filter(|_| held.clock().mode() == Mode::Running);
            let left = next.map(|due| due.0.saturating_sub(held.clock().now().0).max(1));
            let wake = Arc::clone(&held.webhooks().wake);
            // A world goes away while it is waited for.
            drop(held);
            match left.and_then(|left| u64::try_from(left).ok()) {
                Some(left) => drop(tokio::time::timeout(Duration::from_millis(left), wake.notified()).await),
                None => wake.notified().await,
            }
        }
    }

    /// Makes happen and sends what is due; gives when the next is.
    fn step(self: &Arc<Self>, site: &Arc<dyn WorldHandle>) -> Option<Moment> {
        let running = self.running.get()?;
        site.happen();
        let reading = site.clock().at(clock::real_now());
        loop {
            let due = site.webhooks().take(reading, AT_ONCE);
            let taken = due.len();
            for due in due {
                let attempt = attempt(Arc::clone(self), Arc::clone(site), due);
                running.handle.spawn(attempt);
            }
            if taken < AT_ONCE {
                break;
            }
        }
        site.webhooks().next_due(site.clock().start())
    }

    /// Moves a world's clock forward to a time, from one due instant to the next, and waits for what falls due at each;
    /// after so much real time the clock is put there whatever is awaited. Gives how many deliveries are.
    pub async fn advance(
        self: &Arc<Self>,
        site: &Arc<dyn WorldHandle>,
        to: Moment,
        limit: Duration,
    ) -> usize {
        let webhooks = site.webhooks();
        let _stepping = webhooks.stepping.lock().await;
        let deadline = clock::real_now() + limit;
        loop {
            if !self.settled(site, deadline).await {
                break;
            }
            match webhooks
                .next_due(site.clock().start())
                .filter(|due| *due <= to && *due > site.clock().now())
            {
                // A running clock may have come there by itself.
                Some(due) => drop(site.clock().set(due)),
                None => break,
            }
        }
        let _ = site.clock().set(to);
        self.settled(site, deadline).await;
        webhooks.pending(site.clock().now())
    }

    /// Waits until nothing is due or under way in a world; says whether that came before the deadline.
    async fn settled(self: &Arc<Self>, site: &Arc<dyn WorldHandle>, deadline: Instant) -> bool {
        let webhooks = site.webhooks();
        loop {
            let progress = webhooks.progress.notified();
            tokio::pin!(progress);
            progress.as_mut().enable();
            self.step(site);
            let now = site.clock().now();
            let waits = webhooks.next_due(site.clock().start()).is_some_and(|due| due <= now);
            if webhooks.flying() == 0 && !waits {
                return true;
            }
            if self.running.get().is_none() || clock::real_now() >= deadline {
                return false;
            }
            if tokio::time::timeout_at(deadline.into(), progress).await.is_err() {
                return false;
            }
        }
    }

    /// Waits until what is due in all worlds is sent, at most so long.
    pub async fn drain(self: &Arc<Self>, grace: Duration) {
        let deadline = clock::real_now() + grace;
        let sites: Vec<Arc<dyn WorldHandle>> = self.sites().iter().filter_map(Weak::upgrade).collect();
        for site in sites {
            self.settled(&site, deadline).await;
        }
    }
}

/// Makes one attempt, and writes down how it ended.
async fn attempt(engine: Arc<Engine>, site: Arc<dyn WorldHandle>, due: Due) {
    let Some(running) = engine.running.get() else { return };
    // Never closed, so that a permit always comes.
    let _permit = running.permits.acquire().await;
    let began = clock::real_now();
    let allow = &due.plan.settings.allow;
    let policy = Policy { own: running.own, allow, by_page: due.by_page };
    let result = running.client.send(&due.outgoing, policy).await;
    let counts = &engine.counts;
    counts.attempts.fetch_add(1, Ordering::Relaxed);
    let good = result.as_ref().is_ok_and(|answer| (200..300).contains(&answer.status));
    counts.failed_attempts.fetch_add(u64::from(!good), Ordering::Relaxed);
    if let Some(delivery) = site.webhooks().ended(&due, result, site.clock().now(), began.elapsed()) {
        counts.delivered.fetch_add(u64::from(delivery.status == Status::Delivered), Ordering::Relaxed);
        counts.dead.fetch_add(u64::from(delivery.status == Status::Dead), Ordering::Relaxed);
        site.changed(&delivery);
    }
}
