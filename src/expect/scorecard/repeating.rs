//! Rules on how often a client repeats a call, and which calls.

use crate::expect::chain::Chain;
use crate::expect::outcome::Outcome;
use crate::expect::report::Verdict;
use crate::expect::scorecard::judged::{Evidence, Judged, finding};
use crate::expect::words;

/// Whether a chain had something to repeat.
fn has_failed(chain: &Chain<'_>) -> bool {
    chain.retries() > 0 || chain.first().outcome().may_be_repeated()
}

/// `attempts`: a client gives up after a few tries.
pub(crate) fn attempts(evidence: &Evidence<'_>) -> Judged {
    let chains: Vec<_> = evidence.chains.all.iter().filter(|chain| has_failed(chain)).collect();
    if chains.is_empty() {
        return Judged::not_exercised("no call failed");
    }
    let most = chains.iter().map(|chain| chain.links.len()).max().unwrap_or_default();
    let findings = chains.iter().filter_map(|chain| {
        let made = chain.links.len();
        let verdict = match made {
            _ if made > evidence.limits.count("fail") => Verdict::Fail,
            _ if made > evidence.limits.count("warn") => Verdict::Warn,
            _ => return None,
        };
        let seqs = chain.seqs();
        let message =
            format!("{} made {} at one request", words::calls(&seqs), words::count(made, "attempt"));
        Some(finding(verdict, seqs, message))
    });
    let message = format!(
        "{} failed; at most {} were made",
        words::count(chains.len(), "request"),
        words::count(most, "attempt")
    );
    Judged::new(message, findings.collect())
}

/// `retry-budget`: retries stay a small part of all calls.
pub(crate) fn retry_budget(evidence: &Evidence<'_>) -> Judged {
    let (chains, limits) = (&evidence.chains.all, evidence.limits);
    let (tries, retries) = (chains.len(), chains.iter().map(Chain::retries).sum::<usize>());
    if tries < limits.count("tries").max(1) {
        let made = words::count(tries, "first try");
        return Judged::not_exercised(format!("{made}, and the rule needs {}", limits.count("tries")));
    }
    if !chains.iter().any(has_failed) {
        return Judged::not_exercised("no call failed");
    }
    let message = format!(
        "{} of {} ({})",
        words::count(retries, "retry"),
        words::count(tries, "first try"),
        words::share(retries, tries)
    );
    let verdict = match () {
        () if limits.exceeds("fail", retries, tries) => Some(Verdict::Fail),
        () if limits.exceeds("warn", retries, tries) => Some(Verdict::Warn),
        () => None,
    };
    let repeated = || evidence.chains.gaps().map(|gap| gap.to.seq).collect();
    let findings = verdict.map(|verdict| finding(verdict, repeated(), message.clone()));
    Judged::new(message, findings.into_iter().collect())
}

/// `no-retry-on-refusal`: a call that was refused for what it says is not repeated.
pub(crate) fn no_retry_on_refusal(evidence: &Evidence<'_>) -> Judged {
    let refused = evidence.record.calls.iter().filter(|call| call.outcome() == Outcome::Refused).count();
    if refused == 0 {
        return Judged::not_exercised("no call was refused");
    }
    let repeated = evidence.chains.gaps().filter(|gap| gap.from.outcome() == Outcome::Refused);
    let findings = repeated.map(|gap| {
        let message = format!(
            "call {} repeated call {}, which got {}, {} before; no repetition mends it",
            gap.to.seq,
            gap.from.seq,
            gap.from.answer_in_words(),
            words::time(gap.wait())
        );
        finding(Verdict::Fail, gap.seqs(), message)
    });
    Judged::new(format!("{} refused", words::count(refused, "call")), findings.collect())
}

/// `no-retry-on-1027`: the same for the one refusal whose status looks like a rate limit.
pub(crate) fn no_retry_on_1027(evidence: &Evidence<'_>) -> Judged {
    let refused = evidence.record.calls.iter().filter(|call| call.outcome() == Outcome::Unmendable).count();
    if refused == 0 {
        return Judged::not_exercised("no call got a 1027 with status 429");
    }
    let findings = evidence.chains.all.iter().filter_map(|chain| {
        let repeated: Vec<_> = chain.gaps().filter(|gap| gap.from.outcome() == Outcome::Unmendable).collect();
        let (first, last) = (repeated.first()?, repeated.last()?);
        let verdict = if repeated.len() > 1 { Verdict::Fail } else { Verdict::Warn };
        let message = format!(
            "call {} got a 1027 and was repeated {}, the last time by call {}, {} later",
            first.from.seq,
            if repeated.len() > 1 { format!("{} times", repeated.len()) } else { "once".to_owned() },
            last.to.seq,
            words::time(last.to.arrived.saturating_sub(first.from.ended()))
        );
        Some(finding(verdict, chain.seqs(), message))
    });
    Judged::new(format!("{} got a 1027", words::count(refused, "call")), findings.collect())
}
