//! Whether the calls together read every record of a list once. Pages are counted by their start and length, as the
//! operation answered them; a page that the client did not get whole does not count.

use std::collections::BTreeMap;

use crate::api::query::AnsweredPage;
use crate::expect::call::{Call, List};
use crate::expect::expectation::CallPattern;
use crate::expect::outcome::Outcome as Answered;
use crate::expect::record::Record;
use crate::expect::report::{Member, Nearest};
use crate::expect::verify::pattern::{matches, nearest};
use crate::expect::verify::{Outcome, text};

pub(super) fn verify(record: &Record, pattern: &CallPattern) -> Outcome {
    let mut lists: BTreeMap<&str, Vec<&Call>> = BTreeMap::new();
    for call in record.calls.iter().filter(|call| matches(pattern, call)) {
        if let Some(List { id, .. }) = &call.list {
            lists.entry(id).or_default().push(call);
        }
    }
    if lists.is_empty() {
        let message = "no call for a page matches";
        return Outcome::fail(message, nearest(record, pattern, record.calls.iter()));
    }
    let mut lists: Vec<Vec<&Call>> = lists.into_values().collect();
    lists.sort_by_key(|calls| calls.first().map(|call| call.seq));
    let mut read = Vec::with_capacity(lists.len());
    for calls in &lists {
        match check(calls) {
            Ok(records) => read.push(records),
            Err(failed) => return failed.into_outcome(calls, lists.len()),
        }
    }
    let records = text::list(read.iter().map(|records| format!("0 to {records}")));
    match lists.as_slice() {
        [calls] => {
            let total = read.first().copied().unwrap_or_default();
            let read: Vec<&Call> =
                calls.iter().copied().filter(|call| call.outcome() == Answered::Read).collect();
            Outcome::pass(format!("{total} of {total} records were read once, by {}", text::calls(&read)))
        }
        _ => Outcome::pass(format!("each of {} lists was read once and to its end ({records})", lists.len())),
    }
}

/// Why the pages of a list are not whole.
struct Failed {
    message: String,
    /// The call to look at, and where its page should have started or ended.
    call: u64,
    expected: String,
    received: String,
}

impl Failed {
    fn into_outcome(self, calls: &[&Call], lists: usize) -> Outcome {
        let which = match calls.first() {
            Some(first) if lists > 1 => format!("of {lists} lists, that of call {}: ", first.seq),
            _ => String::new(),
        };
        let member = Member {
            member: "records".to_owned(),
            expected: self.expected.into(),
            received: self.received.into(),
            agrees: false,
        };
        let nearest = Nearest { call: self.call, members: vec![member] };
        Outcome::fail(format!("{which}{}", self.message), Some(nearest))
    }
}

/// The number of records, if each was read once.
fn check(calls: &[&Call]) -> Result<u64, Failed> {
    let mut pages: Vec<(AnsweredPage, &Call)> = calls
        .iter()
        .filter(|call| call.outcome() == Answered::Read)
        .filter_map(|call| Some((call.list.as_ref()?.page?, *call)))
        .collect();
    let last_asked = calls.last().map_or(0, |call| call.seq);
    pages.sort_by_key(|(page, call)| (page.start, page.length, call.seq));
    // Records can arrive meanwhile: the latest answer counts.
    let total = pages.iter().filter_map(|(page, call)| Some((call.seq, page.total?))).max();
    let (mut reached, mut before) = (0, None);
    for (page, call) in &pages {
        let end = page.start + page.length;
        if page.start > reached && page.length > 0 {
            return Err(Failed {
                message: format!("no call read the records {}", range(reached, page.start)),
                call: call.seq,
                expected: format!("from {reached}"),
                received: format!("from {}", page.start),
            });
        }
        if page.start < reached && page.length > 0 {
            let twice = range(page.start, end.min(reached));
            let other = before.map_or(String::new(), |other: u64| format!(" and {other}"));
            return Err(Failed {
                message: format!("the records {twice} were read twice, by calls {}{other}", call.seq),
                call: call.seq,
                expected: format!("from {reached}"),
                received: format!("from {}", page.start),
            });
        }
        if page.length > 0 {
            (reached, before) = (end, Some(call.seq));
        }
    }
    let ends_empty = pages.iter().any(|(page, _)| page.length == 0 && page.start == reached);
    match total.map(|(_, total)| total) {
        Some(total) if reached >= total => Ok(reached),
        None if ends_empty => Ok(reached),
        total => {
            let (of, expected) = match total {
                Some(total) => (format!(" of {total}"), range(0, total)),
                None => (String::new(), "to the end of the list".to_owned()),
            };
            let received = if reached == 0 { "none".to_owned() } else { range(0, reached) };
            Err(Failed {
                message: format!("{reached} records{of} were read; the end of the list was not reached"),
                call: before.unwrap_or(last_asked),
                expected,
                received,
            })
        }
    }
}

/// The records from one index to another, which is not part of it.
fn range(from: u64, to: u64) -> String {
    let last = to.saturating_sub(1);
    if last <= from { from.to_string() } else { format!("{from} to {last}") }
}
