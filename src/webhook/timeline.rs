//! What happens by itself, by the world's clock, and what follows an operation.

use std::time::Duration;

use crate::api::operation::Operation;
use crate::webhook::settings::{Emission, Happening, When};

/// How often each happening of a timeline has happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fired(Vec<u32>);

impl Fired {
    /// None of them, so far.
    #[must_use]
    pub fn new(timeline: &[Happening]) -> Self {
        Self(vec![0; timeline.len()])
    }

    /// All that lie behind.
    #[must_use]
    pub fn until(timeline: &[Happening], since_start: Duration) -> Self {
        let mut fired = Self::new(timeline);
        for (happening, fired) in timeline.iter().zip(&mut fired.0) {
            while instant(happening.when, *fired).is_some_and(|due| due <= since_start) {
                *fired += 1;
            }
        }
        fired
    }

    /// When the next happens, since the world's start.
    #[must_use]
    pub fn next(&self, timeline: &[Happening]) -> Option<Duration> {
        timeline.iter().zip(&self.0).filter_map(|(happening, fired)| instant(happening.when, *fired)).min()
    }

    /// What has come due, in order; it counts as having happened.
    pub fn take(&mut self, timeline: &[Happening], since_start: Duration) -> Vec<(Duration, Emission)> {
        let mut due = Vec::new();
        while let Some(next) = self.next(timeline).filter(|next| *next <= since_start) {
            for (happening, fired) in timeline.iter().zip(&mut self.0) {
                if instant(happening.when, *fired) == Some(next) {
                    *fired += 1;
                    due.push((next, happening.event.clone()));
                }
            }
        }
        due
    }
}

/// When something happens for the next time; none where it does not.
fn instant(when: When, fired: u32) -> Option<Duration> {
    match when {
        When::At(span) => (fired == 0).then_some(span),
        When::Every { span, times } => {
            times.is_none_or(|times| fired < times).then(|| span.saturating_mul(fired.saturating_add(1)))
        }
        When::After(_) => None,
    }
}

/// What happens after an operation, in the order written.
#[must_use]
pub fn following(timeline: &[Happening], operation: Operation) -> Vec<Emission> {
    let after = timeline.iter().filter(|happening| happening.when == When::After(operation));
    after.map(|happening| happening.event.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn happenings_come_in_the_order_of_their_instants_and_once() {
        let happening = |when, event: &str| Happening {
            when,
            event: Emission {
                event: event.to_owned(),
                business: None,
                conversation: None,
                text: None,
                data: None,
            },
        };
        let seconds = Duration::from_secs;
        let timeline = [
            happening(When::Every { span: seconds(3), times: Some(2) }, "every"),
            happening(When::At(seconds(4)), "at"),
            happening(When::After(Operation::new("contact")), "after"),
        ];
        let mut fired = Fired::new(&timeline);
        assert_eq!(fired.next(&timeline), Some(seconds(3)));
        let names = |due: Vec<(Duration, Emission)>| -> Vec<String> {
            due.into_iter().map(|(at, event)| format!("{} {}", at.as_secs(), event.event)).collect()
        };
        assert_eq!(names(fired.take(&timeline, seconds(2))), Vec::<String>::new());
        assert_eq!(names(fired.take(&timeline, seconds(9))), ["3 every", "4 at", "6 every"]);
        assert_eq!(fired.next(&timeline), None);
        assert_eq!(Fired::until(&timeline, seconds(3)).next(&timeline), Some(seconds(4)));
        assert_eq!(following(&timeline, Operation::new("contact"))[0].event, "after");
    }
}
