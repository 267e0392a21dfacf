//! Which deliveries are tried when. Nothing here reads a clock or sends: callers pass the time and the results.
//!
//! The deliveries of one subscription and conversation form a lane, and only the first of a lane is tried. A lane that
//! waits for a retry holds up no other lane, and no subscription waits for another.

/// Pending deliveries in a snapshot of a world.
pub(crate) mod saved;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use crate::clock::{Moment, later};
use crate::draw::{Draw, Seed};
use crate::memory::{Memory, Share};
use crate::webhook::delivery::{Delivery, Status};
use crate::webhook::settings::{DeliveryEffect, Retry};

/// Most attempts of one subscription at a time. It is one, so that a subscription sees the same order in every run.
const AT_ONCE: usize = 1;
/// Most pending deliveries of one subscription. The next one is dead at once.
const QUEUE: usize = 10_000;
/// Most bytes of finished deliveries that are kept. The oldest are dropped first.
const KEPT: usize = 8 << 20;
/// The reason of a delivery for which there is no room.
pub(crate) const QUEUE_FULL: &str = "queue-full";
/// How long a reordered delivery waits for another to overtake it, in world time.
const OVERTAKING: Duration = Duration::from_secs(1);

/// The deliveries of a world.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// Pending and finished deliveries, by number.
    entries: BTreeMap<u64, Entry>,
    by_id: BTreeMap<String, u64>,
    lanes: BTreeMap<Lane, VecDeque<u64>>,
    queues: BTreeMap<u64, Queue>,
    last_number: u64,
    /// Attempts in flight.
    in_flight: usize,
    /// Numbers of finished deliveries, and their size.
    finished: BTreeSet<u64>,
    finished_size: usize,
    dropped: u64,
    memory: Arc<Memory>,
}

#[derive(Debug)]
struct Entry {
    /// Shared with whoever lists or watches deliveries; copied when it changes meanwhile.
    delivery: Arc<Delivery>,
    lane: Lane,
    effect: Option<DeliveryEffect>,
    /// Attempts since the delivery was scheduled or retried by hand.
    tries: u32,
    due: Moment,
    is_in_flight: bool,
    /// Whether it waits for another to overtake it.
    awaits_overtaking: bool,
    /// Whether it was delivered and is sent a second time.
    is_second: bool,
    /// Its size once it is finished.
    finished_size: usize,
    share: Share,
}

/// Subscription, and the conversation by account and name. A delivery without conversation, or outside the order of its
/// own, has a lane to itself, by its number.
type Lane = (u64, Option<(u64, String)>, u64);

#[derive(Debug, Default)]
struct Queue {
    pending: usize,
    in_flight: usize,
    /// First deliveries of lanes that wait, by when they are due.
    ready: BTreeSet<(Moment, u64)>,
}

/// The delivery is still pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StillPending;

/// The result of an attempt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttemptResult<'a> {
    /// The reason of a failure.
    pub(crate) failure: Option<&'a str>,
    /// World time.
    pub(crate) now: Moment,
}

impl Schedule {
    pub(crate) const fn new(memory: Arc<Memory>) -> Self {
        Self {
            entries: BTreeMap::new(),
            by_id: BTreeMap::new(),
            lanes: BTreeMap::new(),
            queues: BTreeMap::new(),
            last_number: 0,
            in_flight: 0,
            finished: BTreeSet::new(),
            finished_size: 0,
            dropped: 0,
            memory,
        }
    }

    /// Adds a delivery with the effect of the fault that applies to it, if any. Returns its status.
    pub(crate) fn add(
        &mut self,
        mut delivery: Delivery,
        effect: Option<DeliveryEffect>,
        now: Moment,
    ) -> Status {
        self.last_number += 1;
        let number = self.last_number;
        let subscription = delivery.subscription;
        if delivery.status == Status::Pending {
            if effect == Some(DeliveryEffect::Drop) {
                (delivery.status, delivery.reason) = (Status::Dead, Some("fault: drop".to_owned()));
            } else if self.queues.get(&subscription).is_some_and(|queue| queue.pending >= QUEUE) {
                (delivery.status, delivery.reason) = (Status::Dead, Some(QUEUE_FULL.to_owned()));
            }
        }
        let conversation =
            delivery.event.conversation.clone().map(|conversation| (delivery.event.business, conversation));
        let (lane, due, awaits_overtaking) = match (effect, conversation) {
            (Some(DeliveryEffect::Delay(span)), _) => ((subscription, None, number), later(now, span), false),
            (Some(DeliveryEffect::Reorder), Some(conversation)) => {
                ((subscription, Some(conversation), 0), later(now, OVERTAKING), true)
            }
            (_, Some(conversation)) => ((subscription, Some(conversation), 0), now, false),
            (_, None) => ((subscription, None, number), now, false),
        };
        let status = delivery.status;
        self.by_id.insert(delivery.id.clone(), number);
        let share = self.memory.share(size_of::<Entry>() + delivery.own_size());
        let entry = Entry {
            delivery: Arc::new(delivery),
            lane,
            effect,
            tries: 0,
            due,
            is_in_flight: false,
            awaits_overtaking,
            is_second: false,
            finished_size: 0,
            share,
        };
        self.entries.insert(number, entry);
        if status == Status::Pending {
            self.queue(number, now);
        } else {
            self.finish(number);
        }
        status
    }

    /// Adds a pending delivery to its lane: at the end, but before one that waits for another to overtake it.
    fn queue(&mut self, number: u64, now: Moment) {
        let Some(lane) = self.entries.get(&number).map(|entry| entry.lane.clone()) else { return };
        self.queues.entry(lane.0).or_default().pending += 1;
        let waiting = self.lanes.entry(lane.clone()).or_default();
        let last = waiting.back().copied();
        let overtaken = last.filter(|last| {
            self.entries
                .get(last)
                .is_some_and(|last| last.awaits_overtaking && !last.is_in_flight && last.tries == 0)
        });
        match overtaken {
            Some(overtaken) => {
                self.unready(overtaken);
                if let Some(entry) = self.entries.get_mut(&overtaken) {
                    (entry.awaits_overtaking, entry.due) = (false, now);
                }
                if let Some(waiting) = self.lanes.get_mut(&lane) {
                    let place = waiting.len().saturating_sub(1);
                    waiting.insert(place, number);
                }
            }
            None => waiting.push_back(number),
        }
        self.ready(&lane);
    }

    /// Makes the first delivery of a lane ready to be tried, unless it is in flight.
    fn ready(&mut self, lane: &Lane) {
        let Some(head) = self.lanes.get(lane).and_then(VecDeque::front) else { return };
        let Some(entry) = self.entries.get(head).filter(|entry| !entry.is_in_flight) else { return };
        self.queues.entry(lane.0).or_default().ready.insert((entry.due, *head));
    }

    fn unready(&mut self, number: u64) {
        let Some(entry) = self.entries.get(&number) else { return };
        if let Some(queue) = self.queues.get_mut(&entry.lane.0) {
            queue.ready.remove(&(entry.due, number));
        }
    }

    /// Takes the deliveries that are due, at most `limit` and one of each subscription. They are in flight then.
    pub(crate) fn take(&mut self, now: Moment, limit: usize) -> Vec<u64> {
        let mut taken = Vec::new();
        for queue in self.queues.values_mut() {
            while queue.in_flight < AT_ONCE && taken.len() < limit {
                let Some(first) = queue.ready.first().copied().filter(|(due, _)| *due <= now) else { break };
                queue.ready.remove(&first);
                queue.in_flight += 1;
                taken.push(first.1);
            }
        }
        self.in_flight += taken.len();
        for number in &taken {
            if let Some(entry) = self.entries.get_mut(number) {
                (entry.is_in_flight, entry.awaits_overtaking) = (true, false);
            }
        }
        taken
    }

    pub(crate) fn get(&self, number: u64) -> Option<&Arc<Delivery>> {
        Some(&self.entries.get(&number)?.delivery)
    }

    /// Changes a delivery. Returns whether it is still there.
    pub(crate) fn update(&mut self, number: u64, change: impl FnOnce(&mut Delivery)) -> bool {
        let Some(entry) = self.entries.get_mut(&number) else { return false };
        change(Arc::make_mut(&mut entry.delivery));
        entry.share.resize(size_of::<Entry>() + entry.delivery.own_size());
        true
    }

    /// Takes in the result of an attempt: the delivery is delivered, tried again later, or dead. Returns it, even if it is
    /// dropped at once because it is finished.
    pub(crate) fn record(
        &mut self,
        number: u64,
        result: AttemptResult<'_>,
        retry: &Retry,
        seed: Seed,
    ) -> Option<Arc<Delivery>> {
        let entry = self.entries.get_mut(&number).filter(|entry| entry.is_in_flight)?;
        entry.is_in_flight = false;
        entry.tries += 1;
        self.in_flight -= 1;
        let lane = entry.lane.clone();
        let end = if result.failure.is_none() {
            let is_first = entry.effect == Some(DeliveryEffect::Duplicate) && !entry.is_second;
            if is_first {
                (entry.is_second, entry.tries, entry.due) = (true, 0, result.now);
            }
            (!is_first).then_some((Status::Delivered, None))
        } else if entry.tries >= retry.attempts {
            let delivered = entry.is_second.then_some((Status::Delivered, None));
            delivered.or_else(|| {
                let why = result.failure.unwrap_or_default();
                Some((Status::Dead, Some(format!("the last of {} attempts: {why}", entry.tries))))
            })
        } else {
            entry.due = later(result.now, wait(retry, entry.tries, seed, &entry.delivery.id));
            None
        };
        if let Some(queue) = self.queues.get_mut(&lane.0) {
            queue.in_flight -= 1;
        }
        let Some((status, reason)) = end else {
            let delivery = Arc::clone(&entry.delivery);
            self.ready(&lane);
            return Some(delivery);
        };
        let delivery = Arc::make_mut(&mut entry.delivery);
        (delivery.status, delivery.reason) = (status, reason);
        let delivery = Arc::clone(&entry.delivery);
        self.leave(number);
        self.finish(number);
        Some(delivery)
    }

    /// Makes a delivery dead without a further attempt. Returns it, even if it is dropped at once.
    pub(crate) fn kill(&mut self, number: u64, reason: String) -> Option<Arc<Delivery>> {
        let entry = self.entries.get_mut(&number)?;
        let delivery = Arc::make_mut(&mut entry.delivery);
        (delivery.status, delivery.reason) = (Status::Dead, Some(reason));
        let delivery = Arc::clone(&entry.delivery);
        if std::mem::replace(&mut entry.is_in_flight, false) {
            self.in_flight -= 1;
            if let Some(queue) = self.queues.get_mut(&entry.lane.0) {
                queue.in_flight -= 1;
            }
        }
        self.leave(number);
        self.finish(number);
        Some(delivery)
    }

    /// Takes a delivery out of its lane and makes the next one ready.
    fn leave(&mut self, number: u64) {
        self.unready(number);
        let Some(lane) = self.entries.get(&number).map(|entry| entry.lane.clone()) else { return };
        if let Some(waiting) = self.lanes.get_mut(&lane) {
            if waiting.front() == Some(&number) {
                waiting.pop_front();
            } else {
                waiting.retain(|known| *known != number);
            }
            if waiting.is_empty() {
                self.lanes.remove(&lane);
            }
        }
        if let Some(queue) = self.queues.get_mut(&lane.0) {
            queue.pending -= 1;
            if queue.pending == 0 {
                self.queues.remove(&lane.0);
            }
        }
        self.ready(&lane);
    }

    /// Counts a delivery as finished, and drops the oldest of these if they are too large together.
    fn finish(&mut self, number: u64) {
        let Some(entry) = self.entries.get_mut(&number) else { return };
        entry.finished_size = entry.delivery.size();
        self.finished_size += entry.finished_size;
        self.finished.insert(number);
        while self.finished_size > KEPT && self.drop_oldest() {}
    }

    /// Drops the oldest finished delivery. Returns whether there was one.
    pub(crate) fn drop_oldest(&mut self) -> bool {
        let Some(oldest) = self.finished.pop_first() else { return false };
        if let Some(entry) = self.entries.remove(&oldest) {
            self.finished_size -= entry.finished_size;
            if self.by_id.get(&entry.delivery.id) == Some(&oldest) {
                self.by_id.remove(&entry.delivery.id);
            }
            self.dropped += 1;
        }
        true
    }

    /// Sends a finished delivery once more, without its fault and outside the order of its conversation. None if there is
    /// none with that id.
    pub(crate) fn retry(&mut self, id: &str, now: Moment) -> Option<Result<Arc<Delivery>, StillPending>> {
        let number = *self.by_id.get(id)?;
        let entry = self.entries.get_mut(&number)?;
        if entry.delivery.status == Status::Pending {
            return Some(Err(StillPending));
        }
        self.finished_size -= std::mem::take(&mut entry.finished_size);
        self.finished.remove(&number);
        let delivery = Arc::make_mut(&mut entry.delivery);
        (delivery.status, delivery.reason) = (Status::Pending, None);
        (entry.effect, entry.tries, entry.is_second, entry.awaits_overtaking, entry.due) =
            (None, 0, false, false, now);
        entry.lane = (entry.lane.0, None, number);
        let delivery = Arc::clone(&entry.delivery);
        self.queue(number, now);
        Some(Ok(delivery))
    }

    /// The deliveries whose next attempt waits, and when it is due.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = (Moment, &Arc<Delivery>)> {
        let pending = self.entries.values();
        let pending = pending.filter(|entry| entry.delivery.status == Status::Pending && !entry.is_in_flight);
        pending.map(|entry| (entry.due, &entry.delivery))
    }

    /// When the next attempt is due.
    pub(crate) fn next_due(&self) -> Option<Moment> {
        let open = self.queues.values().filter(|queue| queue.in_flight < AT_ONCE);
        open.filter_map(|queue| queue.ready.first()).map(|(due, _)| *due).min()
    }

    /// How many attempts are in flight.
    pub(crate) const fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// How many deliveries are pending that are due by a time.
    pub(crate) fn pending(&self, by: Moment) -> usize {
        let pending = self.entries.values().filter(|entry| entry.delivery.status == Status::Pending);
        pending.filter(|entry| entry.is_in_flight || entry.due <= by).count()
    }

    /// The kept deliveries, in the order of their creation, and how many were dropped.
    pub(crate) fn all(&self) -> (impl Iterator<Item = &Arc<Delivery>>, u64) {
        (self.entries.values().map(|entry| &entry.delivery), self.dropped)
    }
}

/// The wait after an attempt: `first`, multiplied by `factor` each time, and made longer or shorter by a drawn share. At
/// most a day.
fn wait(retry: &Retry, tries: u32, seed: Seed, delivery: &str) -> Duration {
    const DAY: u128 = 86_400_000;
    let mut wait = retry.first.as_millis().min(DAY);
    for _ in 1..tries {
        wait = (wait * u128::from(retry.factor) / 1000).min(DAY);
    }
    let span = u64::try_from(wait * u128::from(retry.jitter) / 1_000_000).unwrap_or_default();
    let drawn = Draw::new(seed, "jitter").with_text(delivery).with(tries.into()).below(2 * span + 1);
    let wait = u64::try_from(wait).unwrap_or_default();
    Duration::from_millis((wait + drawn).saturating_sub(span))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhook::event::Event;
    use crate::webhook::event::{Content, Identity};

    fn delivery(number: usize, subscription: u64, conversation: Option<&str>) -> Delivery {
        let identity =
            Identity { name: "message.added", business: 100, conversation, occurrence: 1, at: Moment(0) };
        let event =
            Event::new(format!("e{number}"), identity, Content::default(), &Arc::default(), &Arc::default());
        Delivery {
            id: format!("d{number}"),
            event: Arc::new(event),
            subscription,
            endpoint: "http://127.0.0.1:9/".into(),
            by_page: false,
            status: Status::Pending,
            reason: None,
            attempts: Vec::new(),
            body_size: 0,
        }
    }

    fn end(schedule: &mut Schedule, number: u64, good: bool, now: i64) {
        let retry = Retry { attempts: 3, first: Duration::from_secs(1), jitter: 0, ..Retry::default() };
        let failure = (!good).then_some("no");
        schedule.record(number, AttemptResult { failure, now: Moment(now) }, &retry, Seed(1));
    }

    fn taken(schedule: &mut Schedule, now: i64) -> Vec<String> {
        let taken = schedule.take(Moment(now), 100);
        taken.iter().map(|number| schedule.get(*number).unwrap().id.clone()).collect()
    }

    #[test]
    fn a_lane_waits_for_its_first_and_other_lanes_do_not() {
        let mut schedule = Schedule::new(Arc::default());
        for (number, conversation) in [(1, "a"), (2, "a"), (3, "b")] {
            schedule.add(delivery(number, 1, Some(conversation)), None, Moment(0));
        }
        schedule.add(delivery(4, 2, Some("a")), None, Moment(0));
        assert_eq!(taken(&mut schedule, 0), ["d1", "d4"], "one of each subscription");
        end(&mut schedule, 1, false, 0);
        assert_eq!((taken(&mut schedule, 0), schedule.next_due()), (vec!["d3".to_owned()], None));
        end(&mut schedule, 3, true, 0);
        assert_eq!(schedule.next_due(), Some(Moment(1_000)));
        assert_eq!(taken(&mut schedule, 999), Vec::<String>::new());
        assert_eq!(taken(&mut schedule, 1_000), ["d1"]);
        end(&mut schedule, 1, false, 1_000);
        assert_eq!(schedule.next_due(), Some(Moment(3_000)), "twice as long");
        assert_eq!(taken(&mut schedule, 3_000), ["d1"]);
        end(&mut schedule, 1, false, 3_000);
        assert_eq!(taken(&mut schedule, 3_000), ["d2"], "the first is dead");
        assert_eq!((schedule.in_flight(), schedule.pending(Moment(3_000))), (2, 2));
    }

    #[test]
    fn a_wait_is_longer_or_shorter_by_a_share_of_at_most_the_jitter() {
        let retry = Retry { first: Duration::from_secs(10), jitter: 200_000, ..Retry::default() };
        let waits: Vec<Duration> = (0..200).map(|id| wait(&retry, 1, Seed(1), &format!("d{id}"))).collect();
        let (least, most) = (waits.iter().min().unwrap(), waits.iter().max().unwrap());
        assert!(*least >= Duration::from_secs(8) && *least < Duration::from_millis(8_200), "{least:?}");
        assert!(*most <= Duration::from_secs(12) && *most > Duration::from_millis(11_800), "{most:?}");
    }

    #[test]
    fn what_is_put_out_of_order_follows_the_next_or_comes_by_itself() {
        let mut schedule = Schedule::new(Arc::default());
        let reorder = Some(DeliveryEffect::Reorder);
        schedule.add(delivery(1, 1, Some("a")), reorder, Moment(0));
        assert_eq!((taken(&mut schedule, 0), schedule.next_due()), (Vec::new(), Some(Moment(1_000))));
        schedule.add(delivery(2, 1, Some("a")), None, Moment(0));
        for (number, id) in [(2, "d2"), (1, "d1")] {
            assert_eq!(taken(&mut schedule, 0), [id]);
            end(&mut schedule, number, true, 0);
        }
        schedule.add(delivery(3, 1, Some("a")), reorder, Moment(0));
        assert_eq!(taken(&mut schedule, 1_000), ["d3"]);
    }

    #[test]
    fn a_full_queue_takes_no_more_and_says_so() {
        let mut schedule = Schedule::new(Arc::default());
        for number in 0..QUEUE {
            assert_eq!(schedule.add(delivery(number, 1, None), None, Moment(0)), Status::Pending);
        }
        assert_eq!(schedule.add(delivery(QUEUE, 1, None), None, Moment(0)), Status::Dead);
        assert_eq!(schedule.add(delivery(QUEUE + 1, 2, None), None, Moment(0)), Status::Pending);
        let all: Vec<_> = schedule.all().0.collect();
        assert_eq!(all[QUEUE].reason.as_deref(), Some("queue-full"));
        assert_eq!(taken(&mut schedule, 0), ["d0", &format!("d{}", QUEUE + 1)]);
        end(&mut schedule, 1, true, 0);
        assert_eq!(
            schedule.add(delivery(QUEUE + 2, 1, None), None, Moment(0)),
            Status::Pending,
            "there is room again"
        );
    }

    #[test]
    fn the_oldest_finished_go_when_there_are_too_many_and_what_is_pending_stays() {
        let mut schedule = Schedule::new(Arc::default());
        schedule.add(delivery(0, 2, None), None, Moment(0));
        let many = KEPT / delivery(1, 1, None).size() + 10;
        for number in 1..=many {
            schedule.add(delivery(number, 1, None), Some(DeliveryEffect::Drop), Moment(0));
        }
        let (all, dropped) = schedule.all();
        let all: Vec<_> = all.collect();
        assert_eq!((all.len() + usize::try_from(dropped).unwrap(), all[0].id.as_str()), (many + 1, "d0"));
        assert!(dropped >= 9 && all.iter().skip(1).map(|one| one.size()).sum::<usize>() <= KEPT);
    }

    #[test]
    fn each_dead_delivery_is_kept_or_counted_as_dropped_in_whatever_order_they_end() {
        let mut schedule = Schedule::new(Arc::default());
        // A prime, so that the steps below reach each of them once.
        let many = 12_007;
        let counts = |schedule: &Schedule| {
            let (all, dropped) = schedule.all();
            let dead = all.filter(|one| one.status == Status::Dead).count();
            (dead, usize::try_from(dropped).unwrap())
        };
        for number in 1..=many {
            let delivery = Delivery { body_size: 2_000, ..delivery(number, (number % 4_000) as u64, None) };
            schedule.add(delivery, None, Moment(0));
        }
        assert_eq!(schedule.take(Moment(0), many).len(), 4_000, "some are in flight, others wait");
        for ended in 1..=many {
            let number = (ended * 5_003 % many + 1) as u64;
            let dead = schedule.kill(number, "no".to_owned()).unwrap();
            assert_eq!((dead.id.as_str(), dead.status), (&*format!("d{number}"), Status::Dead));
            if ended % 1_000 == 0 || ended == many {
                let (kept, dropped) = counts(&schedule);
                assert_eq!((kept + dropped, schedule.pending(Moment(0))), (ended, many - ended));
                assert_eq!(kept, schedule.finished.len());
            }
        }
        let (kept, dropped) = counts(&schedule);
        assert!(kept > 0 && dropped > kept, "{kept} kept, {dropped} dropped");
        assert_eq!((schedule.in_flight(), schedule.queues.len(), schedule.lanes.len()), (0, 0, 0));
        // One that is sent once more is not counted twice.
        let id = schedule.all().0.next().unwrap().id.clone();
        assert!(schedule.retry(&id, Moment(0)).unwrap().is_ok());
        assert_eq!(taken(&mut schedule, 0), [&*id]);
        assert_eq!(counts(&schedule), (kept - 1, dropped));
        schedule.kill(id[1..].parse().unwrap(), "no".to_owned()).unwrap();
        assert_eq!(counts(&schedule), (kept, dropped));
        let sizes: usize = schedule.all().0.map(|one| one.size()).sum();
        assert_eq!(schedule.finished_size, sizes);
    }

    #[test]
    fn a_finished_delivery_is_taken_up_again_from_the_beginning() {
        let mut schedule = Schedule::new(Arc::default());
        schedule.add(delivery(1, 1, Some("a")), Some(DeliveryEffect::Drop), Moment(0));
        assert!(schedule.retry("d1", Moment(5)).unwrap().is_ok());
        assert_eq!(schedule.retry("d1", Moment(5)).unwrap().unwrap_err(), StillPending);
        assert_eq!(taken(&mut schedule, 5), ["d1"]);
        end(&mut schedule, 1, true, 5);
        assert_eq!(schedule.all().0.next().unwrap().status, Status::Delivered);
        assert!(schedule.retry("d2", Moment(5)).is_none());
    }
}
