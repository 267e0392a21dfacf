//! Which deliveries are tried when. Nothing here reads a clock or sends: it is told the time and how attempts ended.
//!
//! Deliveries of one subscription and conversation stand in a lane, and only the first of a lane is tried. A lane that waits
//! for its next attempt holds no other lane up, and no subscription waits for another.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use crate::clock::Moment;
use crate::draw::{Draw, Seed};
use crate::webhook::delivery::{Delivery, Status};
use crate::webhook::settings::{DeliveryEffect, Retry};

/// So many attempts of one subscription are under way at once: one, so that it sees the same order in every run.
pub const AT_ONCE: usize = 1;
/// So many deliveries of one subscription may be under way, waiting ones included; what comes then is dead at once.
pub const QUEUE: usize = 10_000;
/// So many bytes of finished deliveries are kept, the newest.
pub const KEPT: usize = 8 << 20;
/// How long a delivery that was put out of order waits for one to overtake it, by world time.
pub const OVERTAKING: Duration = Duration::from_secs(1);

/// The deliveries of a world.
#[derive(Debug, Default)]
pub struct Schedule {
    /// Under way and finished, by number.
    all: BTreeMap<u64, Placed>,
    by_id: BTreeMap<String, u64>,
    lanes: BTreeMap<Lane, VecDeque<u64>>,
    queues: BTreeMap<u64, Queue>,
    numbered: u64,
    /// Attempts under way.
    flying: usize,
    /// Numbers of the finished, and what they take.
    done: BTreeSet<u64>,
    finished: usize,
    dropped: u64,
}

#[derive(Debug)]
struct Placed {
    delivery: Delivery,
    lane: Lane,
    effect: Option<DeliveryEffect>,
    /// Attempts since it was put here, for its retries.
    tries: u32,
    due: Moment,
    flies: bool,
    /// It waits to be overtaken.
    held: bool,
    /// It was delivered once and comes again.
    again: bool,
    counted: usize,
}

/// Subscription, and the conversation by account and name; what has no conversation, or left its own, has a lane to
/// itself, by number.
type Lane = (u64, Option<(u64, String)>, u64);

#[derive(Debug, Default)]
struct Queue {
    pending: usize,
    flying: usize,
    /// Heads of lanes that wait, by when they are due.
    ready: BTreeSet<(Moment, u64)>,
}

/// An attempt to be made now.
#[derive(Clone, Debug)]
pub struct Start {
    /// Number of the delivery.
    pub number: u64,
    /// The delivery.
    pub delivery: Delivery,
}

/// What is still under way is not delivered once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnderWay;

/// How an attempt ended.
#[derive(Clone, Copy, Debug)]
pub struct Ended<'a> {
    /// Whether it was answered 2xx.
    pub good: bool,
    /// What came instead.
    pub why: &'a str,
    /// World time.
    pub now: Moment,
}

impl Schedule {
    /// Puts a delivery in its place, with what a fault does to it; tells what has become of it.
    pub fn add(&mut self, mut delivery: Delivery, effect: Option<DeliveryEffect>, now: Moment) -> Status {
        self.numbered += 1;
        let number = self.numbered;
        let subscription = delivery.subscription;
        if delivery.status == Status::Pending {
            if effect == Some(DeliveryEffect::Drop) {
                (delivery.status, delivery.reason) = (Status::Dead, Some("fault: drop".to_owned()));
            } else if self.queues.get(&subscription).is_some_and(|queue| queue.pending >= QUEUE) {
                (delivery.status, delivery.reason) = (Status::Dead, Some("queue-full".to_owned()));
            }
        }
        let conversation =
            delivery.event.conversation.clone().map(|conversation| (delivery.event.business, conversation));
        let (lane, due, held) = match (effect, conversation) {
            (Some(DeliveryEffect::Delay(span)), _) => ((subscription, None, number), later(now, span), false),
            (Some(DeliveryEffect::Reorder), Some(conversation)) => {
                ((subscription, Some(conversation), 0), later(now, OVERTAKING), true)
            }
            (_, Some(conversation)) => ((subscription, Some(conversation), 0), now, false),
            (_, None) => ((subscription, None, number), now, false),
        };
        let status = delivery.status;
        self.by_id.insert(delivery.id.clone(), number);
        let placed =
            Placed { delivery, lane, effect, tries: 0, due, flies: false, held, again: false, counted: 0 };
        self.all.insert(number, placed);
        if status == Status::Pending {
            self.queue(number, now);
        } else {
            self.finish(number);
        }
        status
    }

    /// Puts a pending delivery into its lane: behind the others, but before one that waits to be overtaken.
    fn queue(&mut self, number: u64, now: Moment) {
        let Some(lane) = self.all.get(&number).map(|placed| placed.lane.clone()) else { return };
        self.queues.entry(lane.0).or_default().pending += 1;
        let waiting = self.lanes.entry(lane.clone()).or_default();
        let last = waiting.back().copied();
        let overtaken = last.filter(|last| {
            self.all.get(last).is_some_and(|last| last.held && !last.flies && last.tries == 0)
        });
        match overtaken {
            Some(overtaken) => {
                self.unready(overtaken);
                if let Some(placed) = self.all.get_mut(&overtaken) {
                    (placed.held, placed.due) = (false, now);
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

    /// The head of a lane may be tried, unless it is.
    fn ready(&mut self, lane: &Lane) {
        let Some(head) = self.lanes.get(lane).and_then(VecDeque::front) else { return };
        let Some(placed) = self.all.get(head).filter(|placed| !placed.flies) else { return };
        self.queues.entry(lane.0).or_default().ready.insert((placed.due, *head));
    }

    fn unready(&mut self, number: u64) {
        let Some(placed) = self.all.get(&number) else { return };
        if let Some(queue) = self.queues.get_mut(&placed.lane.0) {
            queue.ready.remove(&(placed.due, number));
        }
    }

    /// The attempts that are due, as far as their subscriptions may have more under way; they are under way then.
    pub fn take(&mut self, now: Moment, most: usize) -> Vec<Start> {
        let mut taken = Vec::new();
        for queue in self.queues.values_mut() {
            while queue.flying < AT_ONCE && taken.len() < most {
                let Some(first) = queue.ready.first().copied().filter(|(due, _)| *due <= now) else { break };
                queue.ready.remove(&first);
                queue.flying += 1;
                taken.push(first.1);
            }
        }
        self.flying += taken.len();
        let start = |number: u64| {
            let placed = self.all.get_mut(&number)?;
            placed.flies = true;
            placed.held = false;
            Some(Start { number, delivery: placed.delivery.clone() })
        };
        taken.into_iter().filter_map(start).collect()
    }

    /// A delivery under way, to write its attempts down.
    pub fn get_mut(&mut self, number: u64) -> Option<&mut Delivery> {
        Some(&mut self.all.get_mut(&number)?.delivery)
    }

    /// An attempt ended: the delivery is delivered, tried again after a while, or dead.
    pub fn ended(&mut self, number: u64, ended: Ended<'_>, retry: &Retry, seed: Seed) {
        let Some(placed) = self.all.get_mut(&number).filter(|placed| placed.flies) else { return };
        placed.flies = false;
        placed.tries += 1;
        self.flying -= 1;
        let lane = placed.lane.clone();
        let over = if ended.good {
            let duplicate = placed.effect == Some(DeliveryEffect::Duplicate) && !placed.again;
            if duplicate {
                (placed.again, placed.tries, placed.due) = (true, 0, ended.now);
            }
            (!duplicate).then_some((Status::Delivered, None))
        } else if placed.tries >= retry.attempts {
            let delivered = placed.again.then_some((Status::Delivered, None));
            delivered.or_else(|| {
                Some((Status::Dead, Some(format!("the last of {} attempts: {}", placed.tries, ended.why))))
            })
        } else {
            placed.due = later(ended.now, wait(retry, placed.tries, seed, &placed.delivery.id));
            None
        };
        if let Some(queue) = self.queues.get_mut(&lane.0) {
            queue.flying -= 1;
        }
        match over {
            None => self.ready(&lane),
            Some((status, reason)) => {
                (placed.delivery.status, placed.delivery.reason) = (status, reason);
                self.leave(number);
                self.finish(number);
            }
        }
    }

    /// A delivery that will never be tried: why.
    pub fn kill(&mut self, number: u64, why: String) {
        let Some(placed) = self.all.get_mut(&number) else { return };
        (placed.delivery.status, placed.delivery.reason) = (Status::Dead, Some(why));
        if std::mem::replace(&mut placed.flies, false) {
            self.flying -= 1;
            if let Some(queue) = self.queues.get_mut(&placed.lane.0) {
                queue.flying -= 1;
            }
        }
        self.leave(number);
        self.finish(number);
    }

    /// Takes a delivery out of its lane, where the next is the first then.
    fn leave(&mut self, number: u64) {
        self.unready(number);
        let Some(lane) = self.all.get(&number).map(|placed| placed.lane.clone()) else { return };
        if let Some(waiting) = self.lanes.get_mut(&lane) {
            waiting.retain(|known| *known != number);
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

    /// A finished delivery counts among what is kept; the oldest of them go.
    fn finish(&mut self, number: u64) {
        let Some(placed) = self.all.get_mut(&number) else { return };
        placed.counted = placed.delivery.size();
        self.finished += placed.counted;
        self.done.insert(number);
        while self.finished > KEPT {
            let Some(oldest) = self.done.pop_first() else { return };
            if let Some(gone) = self.all.remove(&oldest) {
                self.finished -= gone.counted;
                self.by_id.remove(&gone.delivery.id);
                self.dropped += 1;
            }
        }
    }

    /// Tries a finished delivery again, from the beginning and without its fault, ahead of nobody. None where there is
    /// none of that id; an error where it is still under way.
    pub fn retry(&mut self, id: &str, now: Moment) -> Option<Result<Delivery, UnderWay>> {
        let number = *self.by_id.get(id)?;
        let placed = self.all.get_mut(&number)?;
        if placed.delivery.status == Status::Pending {
            return Some(Err(UnderWay));
        }
        self.finished -= std::mem::take(&mut placed.counted);
        self.done.remove(&number);
        (placed.delivery.status, placed.delivery.reason) = (Status::Pending, None);
        (placed.effect, placed.tries, placed.again, placed.held, placed.due) = (None, 0, false, false, now);
        placed.lane = (placed.lane.0, None, number);
        let delivery = placed.delivery.clone();
        self.queue(number, now);
        Some(Ok(delivery))
    }

    /// When the next attempt is due that could be made.
    #[must_use]
    pub fn next_due(&self) -> Option<Moment> {
        let open = self.queues.values().filter(|queue| queue.flying < AT_ONCE);
        open.filter_map(|queue| queue.ready.first()).map(|(due, _)| *due).min()
    }

    /// How many attempts are under way.
    #[must_use]
    pub const fn flying(&self) -> usize {
        self.flying
    }

    /// How many deliveries are under way that are due by a time.
    #[must_use]
    pub fn pending(&self, by: Moment) -> usize {
        let pending = self.all.values().filter(|placed| placed.delivery.status == Status::Pending);
        pending.filter(|placed| placed.flies || placed.due <= by).count()
    }

    /// All of them, in the order made, and how many were given up for want of room.
    #[must_use]
    pub fn all(&self) -> (Vec<&Delivery>, u64) {
        (self.all.values().map(|placed| &placed.delivery).collect(), self.dropped)
    }
}

fn later(now: Moment, span: Duration) -> Moment {
    Moment(now.0.saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)))
}

/// How long to wait after the `tries`th attempt: `first`, each time longer by `factor`, and by a drawn share of itself
/// longer or shorter. At most a day.
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
    use std::sync::Arc;

    use super::*;
    use crate::webhook::delivery::Happened;

    fn delivery(number: usize, subscription: u64, conversation: Option<&str>) -> Delivery {
        let event = Happened {
            id: format!("e{number}"),
            name: "message.added".to_owned(),
            business: 100,
            conversation: conversation.map(str::to_owned),
            nth: 1,
            body: Vec::new().into(),
        };
        Delivery {
            id: format!("d{number}"),
            event: Arc::new(event),
            subscription,
            endpoint: "http://127.0.0.1:9/".into(),
            by_page: false,
            status: Status::Pending,
            reason: None,
            attempts: Vec::new(),
        }
    }

    fn end(schedule: &mut Schedule, number: u64, good: bool, now: i64) {
        let retry = Retry { attempts: 3, first: Duration::from_secs(1), jitter: 0, ..Retry::default() };
        schedule.ended(number, Ended { good, why: "no", now: Moment(now) }, &retry, Seed(1));
    }

    fn taken(schedule: &mut Schedule, now: i64) -> Vec<String> {
        schedule.take(Moment(now), 100).into_iter().map(|start| start.delivery.id).collect()
    }

    #[test]
    fn a_lane_waits_for_its_first_and_other_lanes_do_not() {
        let mut schedule = Schedule::default();
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
        assert_eq!((schedule.flying(), schedule.pending(Moment(3_000))), (2, 2));
    }

    #[test]
    fn what_is_put_out_of_order_follows_the_next_or_comes_by_itself() {
        let mut schedule = Schedule::default();
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
        let mut schedule = Schedule::default();
        for number in 0..QUEUE {
            assert_eq!(schedule.add(delivery(number, 1, None), None, Moment(0)), Status::Pending);
        }
        assert_eq!(schedule.add(delivery(QUEUE, 1, None), None, Moment(0)), Status::Dead);
        assert_eq!(schedule.add(delivery(QUEUE + 1, 2, None), None, Moment(0)), Status::Pending);
        let (all, _) = schedule.all();
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
        let mut schedule = Schedule::default();
        schedule.add(delivery(0, 2, None), None, Moment(0));
        let many = KEPT / delivery(1, 1, None).size() + 10;
        for number in 1..=many {
            schedule.add(delivery(number, 1, None), Some(DeliveryEffect::Drop), Moment(0));
        }
        let (all, dropped) = schedule.all();
        assert_eq!((all.len() + usize::try_from(dropped).unwrap(), all[0].id.as_str()), (many + 1, "d0"));
        assert!(dropped >= 9 && all.iter().skip(1).map(|one| one.size()).sum::<usize>() <= KEPT);
    }

    #[test]
    fn a_finished_delivery_is_taken_up_again_from_the_beginning() {
        let mut schedule = Schedule::default();
        schedule.add(delivery(1, 1, Some("a")), Some(DeliveryEffect::Drop), Moment(0));
        assert!(schedule.retry("d1", Moment(5)).unwrap().is_ok());
        assert_eq!(schedule.retry("d1", Moment(5)).unwrap().unwrap_err(), UnderWay);
        assert_eq!(taken(&mut schedule, 5), ["d1"]);
        end(&mut schedule, 1, true, 5);
        assert_eq!(schedule.all().0[0].status, Status::Delivered);
        assert!(schedule.retry("d2", Moment(5)).is_none());
    }
}
