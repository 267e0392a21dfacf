//! What an import could not take over, and what it kept. The same remark about many places is one line.

use std::collections::BTreeMap;

/// Most places of a remark that have a line each.
const LINES: usize = 20;

#[derive(Debug, Default)]
pub(super) struct Notes {
    /// A place, such as `GET /v1/a: the answer 200`, and what is to be said of it.
    entries: Vec<(String, String)>,
}

impl Notes {
    pub(super) fn tell(&mut self, place: impl Into<String>, what: impl Into<String>) {
        self.entries.push((place.into(), what.into()));
    }

    /// One line for each remark. One about more than 20 places is a line with the first place and the number of the others.
    pub(super) fn into_lines(self) -> Vec<String> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, what) in &self.entries {
            *counts.entry(what).or_default() += 1;
        }
        let mut lines = Vec::new();
        for (place, what) in &self.entries {
            // A count of 0 has its line already.
            match counts.insert(what, 0) {
                Some(count) if count > LINES => {
                    lines.push(format!("{place}, and {} other places: {what}", count - 1));
                }
                Some(0) => {}
                count => {
                    lines.push(format!("{place}: {what}"));
                    counts.insert(what, count.unwrap_or_default());
                }
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_about_many_places_is_one_line() {
        let mut notes = Notes::default();
        for number in 0..50 {
            notes.tell(format!("GET /{number}"), "its callbacks are left out");
            if number < 2 {
                notes.tell(format!("GET /{number}"), "its links are left out");
            }
        }
        assert_eq!(
            notes.into_lines(),
            [
                "GET /0, and 49 other places: its callbacks are left out",
                "GET /0: its links are left out",
                "GET /1: its links are left out",
            ]
        );
    }
}
