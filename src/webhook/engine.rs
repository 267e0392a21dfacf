//! The engine makes the attempts of all worlds on one thread. Each world with scheduled work is followed by a task, which
//! sleeps until something is due, emits due events of the timeline, and starts due attempts.

use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::{consume_budget, yield_now};
use tokio::time::{timeout, timeout_at};

use crate::clock::{self, Mode, Moment, later};
use crate::memory::{Limits, Memory};
use crate::webhook::client::Client;
use crate::webhook::delivery::{Delivery, Status};
use crate::webhook::due::DueDelivery;
use crate::webhook::handle::WorldHandle;
use crate::webhook::target::Policy;

/// Most attempts of all worlds at a time.
const AT_ONCE: usize = 256;
/// Most bytes of their bodies, in KiB.
const BODIES: u32 = 64 << 10;
/// What the webhooks of a world, and of all worlds, hold.
const MEMORY: Limits = Limits { world: 32 << 20, all: 128 << 20 };
/// Most events of a timeline that are emitted before other tasks of the engine have their turn.
const EVENTS_AT_ONCE: usize = 100;
/// Most events of a timeline that one move of the clock may make due.
const MOST_DUE: u64 = 1_000_000;

/// Makes the attempts of all worlds.
#[derive(Debug, Default)]
pub(crate) struct Engine {
    running: OnceLock<Running>,
    /// Worlds with scheduled work. The lock is held to add one.
    worlds: Mutex<Vec<Weak<dyn WorldHandle>>>,
    counts: Counts,
    /// Bytes that the webhooks of all worlds hold.
    memory: Arc<AtomicUsize>,
}

struct Running {
    handle: Handle,
    client: Arc<dyn Client>,
    /// Our listening address.
    own: SocketAddr,
    /// A permit for each attempt.
    attempts: Semaphore,
    /// A permit for each KiB of a body.
    bodies: Semaphore,
}

impl fmt::Debug for Running {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "Running on {}", self.own)
    }
}

/// Counts since the process started.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) attempts: AtomicU64,
    pub(crate) failed_attempts: AtomicU64,
    pub(crate) delivered: AtomicU64,
    pub(crate) dead: AtomicU64,
}

/// How far a clock is moved forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockMove {
    By(Duration),
    To(Moment),
}

/// Why a clock is not moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockError {
    /// A clock never goes back.
    Backwards { now: Moment },
    /// Too many events of the timeline would be due.
    TooManyDue { due: u64 },
    /// A clock cannot show the time.
    BeyondEnd,
}

impl Display for ClockError {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Backwards { now } => write!(out, "The clock never goes back: it is {} already.", now.iso()),
            Self::BeyondEnd => write!(out, "A clock ends with the year 9999, at {}.", Moment::LAST.iso()),
            Self::TooManyDue { due } => write!(
                out,
                "{due} events of the timeline would be due, and one move of the clock takes at most {MOST_DUE}: move it in smaller steps, or give the timeline a longer `every`."
            ),
        }
    }
}

impl Error for ClockError {}

/// The thread of an engine. When this is dropped, the attempts under way are cancelled and the thread is joined.
#[must_use = "the engine stops when this is dropped"]
#[derive(Debug)]
pub(crate) struct EngineThread {
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
    /// Our listening address, once the engine has started.
    pub(crate) fn own_address(&self) -> Option<SocketAddr> {
        self.running.get().map(|running| running.own)
    }

    /// Begins to make attempts, on a thread of its own. `own` is our listening address.
    ///
    /// # Errors
    /// The system does not allow another thread.
    pub(crate) fn start(
        self: &Arc<Self>,
        client: Arc<dyn Client>,
        own: SocketAddr,
    ) -> io::Result<EngineThread> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new().name("webhooks".to_owned()).spawn(move || {
            let _ = runtime.block_on(stopped);
            runtime.shutdown_timeout(LOOKUPS);
        })?;
        let (attempts, bodies) = (Semaphore::new(AT_ONCE), Semaphore::new(BODIES as usize));
        let _ = self.running.set(Running { handle, client, own, attempts, bodies });
        let waiting = std::mem::take(&mut *self.worlds());
        for world in waiting.iter().filter_map(Weak::upgrade) {
            self.follow(&world);
        }
        Ok(EngineThread { stop: Some(stop), thread: Some(thread) })
    }

    fn worlds(&self) -> MutexGuard<'_, Vec<Weak<dyn WorldHandle>>> {
        self.worlds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The memory of a new world's webhooks.
    pub(crate) fn memory(&self) -> Arc<Memory> {
        Memory::new(MEMORY, Arc::clone(&self.memory))
    }

    /// Follows a world from now on, if it has scheduled work and is not followed already.
    pub(crate) fn follow(self: &Arc<Self>, world: &Arc<dyn WorldHandle>) {
        if !world.webhooks().needs_following() {
            return;
        }
        let mut worlds = self.worlds();
        worlds.retain(|known| known.strong_count() > 0);
        let Some(running) = self.running.get() else {
            worlds.push(Arc::downgrade(world));
            return;
        };
        if world.webhooks().is_followed.swap(true, Ordering::AcqRel) {
            return;
        }
        worlds.push(Arc::downgrade(world));
        drop(worlds);
        running.handle.spawn(Arc::clone(self).run(Arc::downgrade(world)));
    }

    /// Does the scheduled work of a world for as long as there is that world.
    async fn run(self: Arc<Self>, world: Weak<dyn WorldHandle>) {
        loop {
            let Some(held) = world.upgrade() else { return };
            prepare(&held).await;
            if self.step(&held) {
                drop(held);
                yield_now().await;
                continue;
            }
            let next = held.webhooks().next_due(held.clock().start());
            let next = next.filter(|_| held.clock().mode() == Mode::Running);
            let left = next.map(|due| due.0.saturating_sub(held.clock().now().0).max(1));
            let wake = Arc::clone(&held.webhooks().wake);
            // A world can be removed while its task sleeps.
            drop(held);
            match left.and_then(|left| u64::try_from(left).ok()) {
                Some(left) => drop(timeout(Duration::from_millis(left), wake.notified()).await),
                None => wake.notified().await,
            }
        }
    }

    /// Emits due events and starts due attempts. Returns whether more of them are due.
    fn step(self: &Arc<Self>, world: &Arc<dyn WorldHandle>) -> bool {
        let Some(running) = self.running.get() else { return false };
        let reading = world.clock().at(clock::real_now());
        let step = world.webhooks().emit_due(&**world, reading, EVENTS_AT_ONCE);
        self.counts.dead.fetch_add(step.dead as u64, Ordering::Relaxed);
        let due = world.webhooks().take(reading, AT_ONCE);
        let more = step.more || due.len() == AT_ONCE;
        for due in due {
            running.handle.spawn(attempt(Arc::clone(self), Arc::clone(world), due));
        }
        more
    }

    /// Moves a world's clock forward, from one due instant to the next, and waits for the deliveries that are due at
    /// each. After `limit` of real time the clock is set to its target, and what is still due happens later. Returns how
    /// many deliveries and events that is.
    ///
    /// # Errors
    /// The target is in the past, or too many events would be due.
    pub(crate) async fn move_clock(
        self: &Arc<Self>,
        world: &Arc<dyn WorldHandle>,
        step: ClockMove,
        limit: Duration,
    ) -> Result<usize, ClockError> {
        let moving = Arc::clone(self).walk(Arc::clone(world), step, limit);
        let Some(running) = self.running.get() else { return moving.await };
        // On the engine's thread, so that no request waits for the walk, and a client that leaves does not end it.
        running.handle.spawn(moving).await.unwrap_or(Ok(0))
    }

    async fn walk(
        self: Arc<Self>,
        world: Arc<dyn WorldHandle>,
        step: ClockMove,
        limit: Duration,
    ) -> Result<usize, ClockError> {
        let (webhooks, clock) = (world.webhooks(), world.clock());
        let deadline = clock::real_now() + limit;
        let turn = timeout_at(deadline.into(), webhooks.clock_move.lock()).await;
        let now = clock.now();
        let to = match step {
            ClockMove::By(span) => later(now, span),
            ClockMove::To(to) if to < now => return Err(ClockError::Backwards { now }),
            ClockMove::To(to) => to,
        };
        if to > Moment::LAST {
            return Err(ClockError::BeyondEnd);
        }
        let due = webhooks.count_due(clock.since_start(to));
        if due > MOST_DUE {
            return Err(ClockError::TooManyDue { due });
        }
        while turn.is_ok() && self.settle(&world, deadline).await {
            let next = webhooks.next_due(clock.start());
            let Some(next) = next.filter(|next| *next <= to && *next > clock.now()) else { break };
            // A running clock may be past it already.
            let _ = clock.set(next);
        }
        let _ = clock.set(to);
        world.clock_moved();
        self.settle(&world, deadline).await;
        Ok(webhooks.count_pending(clock.at(clock::real_now())))
    }

    /// Waits until nothing is due or in flight in a world. Returns whether that was before the deadline.
    async fn settle(self: &Arc<Self>, world: &Arc<dyn WorldHandle>, deadline: Instant) -> bool {
        let webhooks = world.webhooks();
        loop {
            consume_budget().await;
            let progress = webhooks.progress.notified();
            tokio::pin!(progress);
            progress.as_mut().enable();
            prepare(world).await;
            let more = self.step(world);
            let now = clock::real_now();
            if webhooks.is_idle(world.clock().at(now)) {
                return now < deadline;
            }
            if self.running.get().is_none() || now >= deadline {
                return false;
            }
            if more {
                yield_now().await;
            } else if timeout_at(deadline.into(), progress).await.is_err() {
                return false;
            }
        }
    }

    /// Waits until what is due in all worlds is sent, or the grace time is over.
    pub(crate) async fn drain(self: &Arc<Self>, grace: Duration) {
        let deadline = clock::real_now() + grace;
        let worlds: Vec<Arc<dyn WorldHandle>> = self.worlds().iter().filter_map(Weak::upgrade).collect();
        for world in worlds {
            self.settle(&world, deadline).await;
        }
    }
}

/// Prepares a world for the events of its timeline that are due, off the thread of the engine: it may have to build its
/// dataset.
async fn prepare(world: &Arc<dyn WorldHandle>) {
    let by = world.clock().at(clock::real_now()).since_start();
    if !world.is_ready() && world.webhooks().count_due(by) > 0 {
        let world = Arc::clone(world);
        // If it fails, whoever asks for the dataset finds out.
        let _ = tokio::task::spawn_blocking(move || world.prepare()).await;
    }
}

/// Makes one attempt and records its result.
async fn attempt(engine: Arc<Engine>, world: Arc<dyn WorldHandle>, due: DueDelivery) {
    let Some(running) = engine.running.get() else { return };
    let size = u32::try_from(due.body_size() >> 10).unwrap_or(BODIES).clamp(1, BODIES);
    // Neither semaphore is ever closed.
    let _attempt = running.attempts.acquire().await;
    let _body = running.bodies.acquire_many(size).await;
    let webhooks = world.webhooks();
    let delivery = match due.request() {
        Err(reason) => webhooks.kill(&due, reason),
        Ok(outgoing) => {
            if !webhooks.begin_attempt(&due, &outgoing) {
                return;
            }
            let began = clock::real_now();
            let policy = Policy { own: running.own, allow: &due.plan.settings.allow, by_page: due.by_page };
            let result = running.client.send(&outgoing, policy).await;
            let is_success = result.as_ref().is_ok_and(crate::webhook::delivery::Answer::is_success);
            engine.counts.attempts.fetch_add(1, Ordering::Relaxed);
            engine.counts.failed_attempts.fetch_add(u64::from(!is_success), Ordering::Relaxed);
            webhooks.record(&due, result, world.clock().now(), began.elapsed())
        }
    };
    if let Some(delivery) = delivery {
        engine.count_finished(&delivery);
        world.delivery_changed(&delivery);
    }
}

impl Engine {
    fn count_finished(&self, delivery: &Delivery) {
        let Counts { delivered, dead, .. } = &self.counts;
        delivered.fetch_add(u64::from(delivery.status == Status::Delivered), Ordering::Relaxed);
        dead.fetch_add(u64::from(delivery.status == Status::Dead), Ordering::Relaxed);
    }
}
