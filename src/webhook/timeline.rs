//! The timeline of a scenario: events and arriving records at fixed times of the world's clock, and those that follow an operation.

use std::time::Duration;

use crate::api::operation::Operation;
use crate::webhook::settings::{Happening, TimelineEntry, When};

/// How often each entry of a timeline has fired.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress(Vec<u64>);

impl Progress {
    pub(crate) fn new(timeline: &[TimelineEntry]) -> Self {
        Self(vec![0; timeline.len()])
    }

    /// The progress after all that is due by a time, counted from the world's start.
    pub(crate) fn until(timeline: &[TimelineEntry], since_start: Duration) -> Self {
        Self(timeline.iter().map(|entry| due_by(entry.when, since_start)).collect())
    }

    /// How often each entry has fired.
    pub(crate) fn counts(&self) -> &[u64] {
        &self.0
    }

    /// The progress with those counts. If the timeline has another number of entries, it is the progress by a time.
    pub(crate) fn restored(counts: Vec<u64>, timeline: &[TimelineEntry], since_start: Duration) -> Self {
        if counts.len() == timeline.len() { Self(counts) } else { Self::until(timeline, since_start) }
    }

    /// When the next entry fires, counted from the world's start.
    pub(crate) fn next(&self, timeline: &[TimelineEntry]) -> Option<Duration> {
        self.first(timeline).map(|(next, _)| next)
    }

    /// The next entry to fire: the earliest, and of those the first as written.
    fn first(&self, timeline: &[TimelineEntry]) -> Option<(Duration, usize)> {
        let instants = timeline.iter().zip(&self.0).map(|(entry, fired)| instant(entry.when, *fired));
        instants.zip(0..).filter_map(|(next, place)| Some((next?, place))).min()
    }

    /// When each entry that will fire again does so for the next time, counted from the world's start.
    pub(crate) fn coming<'a>(
        &self,
        timeline: &'a [TimelineEntry],
    ) -> impl Iterator<Item = (Duration, &'a Happening)> {
        let counts = timeline.iter().zip(&self.0);
        counts.filter_map(|(entry, fired)| Some((instant(entry.when, *fired)?, &entry.what)))
    }

    /// The next entry that is due by a time, which counts as fired, and when it was due.
    pub(crate) fn take<'a>(
        &mut self,
        timeline: &'a [TimelineEntry],
        since_start: Duration,
    ) -> Option<(Duration, &'a Happening)> {
        let (next, place) = self.first(timeline).filter(|(next, _)| *next <= since_start)?;
        *self.0.get_mut(place)? += 1;
        Some((next, &timeline.get(place)?.what))
    }

    /// How many events are due by a time and have not fired, without walking over them.
    pub(crate) fn count_due(&self, timeline: &[TimelineEntry], since_start: Duration) -> u64 {
        let counts = timeline.iter().zip(&self.0);
        counts.fold(0, |sum: u64, (entry, fired)| {
            sum.saturating_add(due_by(entry.when, since_start).saturating_sub(*fired))
        })
    }
}

/// When an entry fires for the next time.
fn instant(when: When, fired: u64) -> Option<Duration> {
    match when {
        When::At(span) => (fired == 0).then_some(span),
        When::Every { span, times } => {
            let left = times.is_none_or(|times| fired < u64::from(times));
            let nanos = span.as_nanos().checked_mul(u128::from(fired) + 1).filter(|_| left)?;
            let seconds = u64::try_from(nanos / 1_000_000_000).ok()?;
            Some(Duration::new(seconds, u32::try_from(nanos % 1_000_000_000).ok()?))
        }
        When::After(_) => None,
    }
}

/// How often an entry fires by a time.
fn due_by(when: When, since_start: Duration) -> u64 {
    match when {
        When::At(span) => u64::from(span <= since_start),
        When::Every { span, times } => {
            let count = since_start.as_nanos().checked_div(span.as_nanos()).unwrap_or_default();
            u64::try_from(count).unwrap_or(u64::MAX).min(times.map_or(u64::MAX, u64::from))
        }
        When::After(_) => 0,
    }
}

/// What follows an operation, in the order written.
pub(crate) fn following(
    timeline: &[TimelineEntry],
    operation: Operation,
) -> impl Iterator<Item = &Happening> {
    let after = timeline.iter().filter(move |entry| entry.when == When::After(operation));
    after.map(|entry| &entry.what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhook::settings::Emission;

    fn name(what: &Happening) -> &str {
        match what {
            Happening::Event(emission) => &emission.event,
            Happening::Record(..) => "record",
        }
    }

    fn entry(when: When, event: &str) -> TimelineEntry {
        let event = event.to_owned();
        TimelineEntry {
            when,
            what: Happening::Event(Emission {
                event,
                business: None,
                conversation: None,
                text: None,
                data: None,
            }),
        }
    }

    #[test]
    fn entries_fire_in_the_order_of_their_instants_and_once() {
        let seconds = Duration::from_secs;
        let timeline = [
            entry(When::Every { span: seconds(3), times: Some(2) }, "every"),
            entry(When::At(seconds(4)), "at"),
            entry(When::After(Operation::new("contact")), "after"),
        ];
        let mut progress = Progress::new(&timeline);
        assert_eq!(progress.next(&timeline), Some(seconds(3)));
        assert_eq!(progress.count_due(&timeline, seconds(9)), 3);
        let mut taken = |by| {
            let taken = std::iter::from_fn(|| progress.take(&timeline, by));
            taken.map(|(at, what)| format!("{} {}", at.as_secs(), name(what))).collect::<Vec<_>>()
        };
        assert_eq!(taken(seconds(2)), Vec::<String>::new());
        assert_eq!(taken(seconds(9)), ["3 every", "4 at", "6 every"]);
        assert_eq!(progress.next(&timeline), None);
        assert_eq!(Progress::until(&timeline, seconds(3)).next(&timeline), Some(seconds(4)));
        assert_eq!(name(following(&timeline, Operation::new("contact")).next().unwrap()), "after");
    }

    #[test]
    fn an_entry_without_end_fires_more_than_four_billion_times() {
        let timeline = [entry(When::Every { span: Duration::from_millis(1), times: None }, "tick")];
        let mut progress = Progress::until(&timeline, Duration::from_secs(5_000_000));
        assert_eq!(progress.next(&timeline), Some(Duration::from_millis(5_000_000_001)));
        assert!(progress.take(&timeline, Duration::from_secs(5_000_001)).is_some());
        assert_eq!(progress.count_due(&timeline, Duration::from_secs(5_000_001)), 999);
        let century = Duration::from_secs(3_155_760_000);
        assert_eq!(Progress::new(&timeline).count_due(&timeline, century), 3_155_760_000_000);
    }
}
