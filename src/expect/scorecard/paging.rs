//! The rule `pages-whole`: a list that is read in pages is read from its beginning to its end, each record once.

use std::collections::BTreeMap;

use crate::expect::call::Call;
use crate::expect::outcome::Outcome;
use crate::expect::page::Page;
use crate::expect::report::{Finding, Verdict};
use crate::expect::scorecard::judged::{Evidence, Judged, finding};
use crate::expect::words;

/// One list: the calls to its pages by start, of those to one page the one that was read, else the last.
type List<'a> = BTreeMap<u64, (&'a Call, Page)>;

pub(crate) fn pages_whole(evidence: &Evidence<'_>) -> Judged {
    if evidence.record.dropped > 0 {
        return Judged::not_exercised("calls were dropped, and they may have read what seems missing");
    }
    let mut lists: BTreeMap<u64, List<'_>> = BTreeMap::new();
    for call in &evidence.record.calls {
        let Some(page) = call.page else { continue };
        let list = lists.entry(page.list).or_default();
        let is_read = |(call, _): &(&Call, Page)| call.outcome() == Outcome::Read;
        if !list.get(&page.start).is_some_and(is_read) {
            list.insert(page.start, (call, page));
        }
    }
    // The lists in the order of their first calls.
    let mut lists: Vec<List<'_>> =
        lists.into_values().filter(|list| list.len() > 1 && has_read(list)).collect();
    lists.sort_by_key(|list| list.values().map(|(call, _)| call.seq).min());
    if lists.is_empty() {
        return Judged::not_exercised("no list was read in pages");
    }
    let exit = evidence.record.command.as_ref().map(|command| command.exit);
    let findings = lists.iter().flat_map(|list| judge(list, exit)).collect();
    Judged::new(format!("{} read in pages", words::count(lists.len(), "list")), findings)
}

fn has_read(list: &List<'_>) -> bool {
    list.values().any(|(call, _)| call.outcome() == Outcome::Read)
}

fn judge(list: &List<'_>, exit: Option<i32>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let read: Vec<(&Call, Page)> =
        list.values().filter(|(call, _)| call.outcome() == Outcome::Read).copied().collect();
    let list_end = read.iter().filter_map(|(_, page)| page.list_end()).min();
    let filled = read.iter().filter(|(_, page)| page.end() > page.start);
    // The index behind the last record read, and the call that read it.
    let (mut end, mut reader): (u64, Option<&Call>) = (0, None);
    for (call, page) in filled {
        if page.start > end {
            findings.push(missed(list, end..page.start, call));
        } else if let Some(before) = reader.filter(|_| page.start < end) {
            let message = format!(
                "call {} read {} again, which call {} had read",
                call.seq,
                records(page.start..end.min(page.end())),
                before.seq
            );
            findings.push(finding(Verdict::Warn, vec![before.seq, call.seq], message));
        }
        if page.end() > end {
            (end, reader) = (page.end(), Some(*call));
        }
    }
    let behind: Vec<u64> =
        read.iter().filter(|(_, page)| page.end() == page.start).map(|(call, _)| call.seq).collect();
    if behind.len() > 1 {
        let message = format!("{} asked for pages behind the end", words::calls(&behind));
        findings.push(finding(Verdict::Warn, behind, message));
    }
    findings.extend(unread_end(list, end, list_end).filter(|_| exit == Some(0)).map(|call| {
        let message = format!(
            "call {} asked for the records from {end} on and got {}, nothing read them, and the command ended with 0",
            call.seq,
            call.answer_in_words()
        );
        finding(Verdict::Fail, vec![call.seq], message)
    }));
    findings
}

/// Records that nobody read, although `next` read behind them.
fn missed(list: &List<'_>, gap: std::ops::Range<u64>, next: &Call) -> Finding {
    let struck: Vec<&Call> = list.range(gap.clone()).map(|(_, (call, _))| *call).collect();
    let why = match struck.first() {
        Some(call) => format!(" (call {} got {})", call.seq, call.answer_in_words()),
        None => String::new(),
    };
    let (were, them) = if gap.end - gap.start == 1 { ("was", "it") } else { ("were", "them") };
    let gap = records(gap);
    let message = format!("{gap} {were} never read{why}, and call {} read on behind {them}", next.seq);
    let mut calls: Vec<u64> = struck.iter().map(|call| call.seq).collect();
    calls.push(next.seq);
    finding(Verdict::Fail, calls, message)
}

/// The call for the first page behind the last record read, if something struck it and the list may go on there.
fn unread_end<'a>(list: &List<'a>, end: u64, list_end: Option<u64>) -> impl Iterator<Item = &'a Call> {
    let pages = list.range(end..).map(|(start, (call, _))| (*start, *call));
    let may_go_on = move |start: u64| list_end.is_none_or(|list_end| start < list_end);
    let is_struck = |call: &Call| {
        call.outcome().may_be_repeated() || (call.effect.is_some() && call.outcome() == Outcome::Refused)
    };
    pages.filter(move |(start, call)| may_go_on(*start) && is_struck(call)).map(|(_, call)| call).take(1)
}

fn records(range: std::ops::Range<u64>) -> String {
    match range.end - range.start {
        1 => format!("record {}", range.start),
        _ => format!("records {} to {}", range.start, range.end - 1),
    }
}
