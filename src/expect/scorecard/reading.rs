//! Rules on reading answers.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::expect::call::{Call, CallEnd};
use crate::expect::chain::TOLERANCE;
use crate::expect::outcome::Outcome;
use crate::expect::record::Record;
use crate::expect::report::{Finding, Verdict};
use crate::expect::scorecard::judged::{Evidence, Judged, finding};
use crate::expect::words;
use crate::fault::effect::Kind;
use crate::operations::{contact, subscribe};

/// `gives-up-waiting`: a client hangs up when nothing comes.
pub(crate) fn gives_up_waiting(evidence: &Evidence<'_>) -> Judged {
    let stalls = evidence.record.calls.iter().filter(|call| call.effect == Some(Kind::Stall));
    let waits: Vec<_> = stalls.filter_map(|call| wait(evidence, call)).collect();
    if waits.is_empty() {
        return Judged::not_exercised("no call was left without an answer for long enough");
    }
    let limits = evidence.limits;
    let findings = waits.iter().filter_map(|(call, waited)| {
        let time = words::time(*waited);
        let (verdict, what) = match *waited {
            waited if waited + TOLERANCE < limits.time("min") => {
                (Verdict::Warn, format!("hung up already after {time}"))
            }
            waited if waited <= limits.time("max") + TOLERANCE => return None,
            waited if waited <= limits.time("fail") + TOLERANCE => {
                (Verdict::Warn, format!("hung up only after {time}"))
            }
            _ => (Verdict::Fail, format!("waited for {time} and did not give up by itself in time")),
        };
        Some(finding(verdict, vec![call.seq], format!("call {} {what}", call.seq)))
    });
    let message = format!("{} got no answer", words::count(waits.len(), "call"));
    Judged::new(message, findings.collect())
}

/// How long a call waited for an answer that never came. None if the stall ended before that could be told.
fn wait<'a>(evidence: &Evidence<'_>, call: &'a Call) -> Option<(&'a Call, Duration)> {
    let is_long = call.took() >= evidence.limits.time("fail");
    let is_known = match call.end? {
        CallEnd::Answered(_) => is_long,
        CallEnd::HungUp(_) => is_long || !was_killed(evidence.record, call),
    };
    is_known.then(|| (call, call.took()))
}

/// Whether the end of a call may be that of the command, which was killed.
fn was_killed(record: &Record, call: &Call) -> bool {
    let is_last = || record.calls.iter().all(|other| other.arrived <= call.ended());
    record.command.as_ref().is_some_and(|command| command.timed_out || command.signal.is_some()) && is_last()
}

/// `notices-broken-body`: half an answer is not taken for a whole one.
pub(crate) fn notices_broken_body(evidence: &Evidence<'_>) -> Judged {
    let exit = evidence.record.command.as_ref().map(|command| command.exit);
    let (mut judged, mut findings) = (0_usize, Vec::new());
    for chain in &evidence.chains.all {
        let broken =
            chain.links.iter().enumerate().filter(|(_, link)| link.outcome().outcome() == Outcome::Broken);
        for (place, link) in broken {
            let is_read_again = place + 1 < chain.links.len();
            match exit {
                _ if is_read_again => judged += 1,
                // Without a command, nothing tells what the client made of it.
                None => {}
                Some(0) => {
                    judged += 1;
                    findings.push(unnoticed(link.outcome()));
                }
                Some(_) => judged += 1,
            }
        }
    }
    if judged == 0 {
        return Judged::not_exercised(
            "no body was cut or malformed, or nothing tells what the client made of it",
        );
    }
    Judged::new(format!("{} cut or malformed", words::count(judged, "body")), findings)
}

fn unnoticed(call: &Call) -> Finding {
    let message = format!(
        "call {} got {} and was not sent again, and the command ended with 0",
        call.seq,
        call.answer_in_words()
    );
    finding(Verdict::Fail, vec![call.seq], message)
}

/// `same-read`: what was just read is not read again.
pub(crate) fn same_read(evidence: &Evidence<'_>) -> Judged {
    let writes = [contact::SPEC.operation, subscribe::SPEC.operation];
    let within = evidence.limits.time("within");
    let reads = evidence.record.calls.iter().filter(|call| {
        call.outcome() == Outcome::Read
            && call.operation.is_some_and(|operation| !writes.contains(&operation))
    });
    let mut last: BTreeMap<u64, &Call> = BTreeMap::new();
    let (mut total, mut findings) = (0_usize, Vec::new());
    for call in reads {
        total += 1;
        let Some(before) = last.insert(call.fingerprint, call) else { continue };
        let apart = call.ended().saturating_sub(before.ended());
        if apart <= within {
            let message = format!(
                "call {} got the same answer as call {}, {} after it",
                call.seq,
                before.seq,
                words::time(apart)
            );
            findings.push(finding(Verdict::Warn, vec![before.seq, call.seq], message));
        }
    }
    if total == 0 {
        return Judged::not_exercised("no read was answered");
    }
    Judged::new(format!("{} answered", words::count(total, "read")), findings)
}
