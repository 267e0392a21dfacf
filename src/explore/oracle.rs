//! What a run of the command shows of the client: the deviations from what is wanted of it.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::expect::call::Call;
use crate::expect::words;
use crate::explore::class::Classes;
use crate::explore::mask::{Item, Masks, apart};
use crate::explore::plan::{Entry, Group};
use crate::operations::subscribe;

/// More attempts at one request are a storm, unless the baseline has as many. So few calls in all are none.
pub(crate) const MOST_ATTEMPTS: usize = 5;

/// A run with this many times the calls of the baseline is a storm.
const MOST_TIMES: usize = 3;

/// By what a deviation is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Oracle {
    Exit,
    Hang,
    Storm,
    Rule,
    State,
}

impl Oracle {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Exit => "exit",
            Self::Hang => "hang",
            Self::Storm => "storm",
            Self::Rule => "rule",
            Self::State => "state",
        }
    }
}

/// What a client did that is not wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Deviation {
    pub(crate) oracle: Oracle,
    /// The rule of the scorecard.
    pub(crate) rule: Option<String>,
    /// It tells no times, so that equal runs have equal reports.
    pub(crate) message: String,
    /// The same with calls and times.
    pub(crate) detail: Option<String>,
    /// An expectation by which `standin run` fails for the same reason.
    pub(crate) expect: Option<String>,
}

impl Deviation {
    fn new(oracle: Oracle, message: String) -> Self {
        Self { oracle, rule: None, message, detail: None, expect: None }
    }

    /// The rule, else the oracle, by which it is accepted.
    pub(crate) fn kind(&self) -> &str {
        self.rule.as_deref().unwrap_or(self.oracle.name())
    }
}

/// What happened in one run of the command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observed {
    /// Exit code as a shell reports it.
    pub(crate) exit: i32,
    /// Whether it was ended because it took too long.
    pub(crate) hung: bool,
    /// Whether it was ended because it made too many calls.
    pub(crate) stormed: bool,
    pub(crate) duration: Duration,
    pub(crate) calls: Vec<Call>,
    /// The stored contacts and subscriptions, in this order.
    pub(crate) contacts: Vec<Item>,
    pub(crate) subscriptions: Vec<Item>,
    /// The rules of the scorecard that fail.
    pub(crate) failed_rules: Vec<FailedRule>,
    /// How often each fault of the run struck, in their order.
    pub(crate) struck: Vec<u64>,
    /// Which answers of the API it met: operations with their codes.
    pub(crate) met: BTreeSet<(&'static str, Option<u32>)>,
    /// How many answers of the API there are.
    pub(crate) pairs: usize,
    /// The end of what the command wrote.
    pub(crate) output: String,
}

/// A rule of the scorecard that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FailedRule {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// What it found first.
    pub(crate) detail: String,
    /// Whether it fails only because the command ended with 0.
    pub(crate) is_by_exit: bool,
}

/// What runs are compared with.
#[derive(Clone, Debug)]
pub(crate) struct Baseline {
    pub(crate) calls: Vec<Call>,
    pub(crate) contacts: Vec<Item>,
    pub(crate) subscriptions: Vec<Item>,
    /// Rules that fail without any fault, and so tell nothing about one.
    pub(crate) failed_rules: BTreeSet<&'static str>,
    /// How long the command may go on while no call begins or ends.
    pub(crate) limit: Duration,
    /// Masks of contacts and subscriptions.
    pub(crate) stored_masks: Masks,
    /// Most attempts at one request.
    most_attempts: usize,
}

impl Baseline {
    /// What several runs without faults have in common. `longest` is the longest of them.
    pub(crate) fn new(observed: &Observed, longest: Duration, stored_masks: Masks) -> Self {
        Self {
            most_attempts: most_attempts(&observed.calls).map_or(0, |(_, attempts)| attempts),
            calls: observed.calls.clone(),
            contacts: observed.contacts.clone(),
            subscriptions: observed.subscriptions.clone(),
            failed_rules: observed.failed_rules.iter().map(|rule| rule.id).collect(),
            limit: limit(longest),
            stored_masks,
        }
    }

    /// Most calls that are no storm.
    pub(crate) fn most_calls(&self) -> usize {
        (self.calls.len() * MOST_TIMES).max(MOST_ATTEMPTS)
    }

    fn most_attempts(&self) -> usize {
        self.most_attempts.max(MOST_ATTEMPTS)
    }
}

/// How long the command may go on while no call begins or ends: three times as long as it takes without faults, or ten seconds
/// longer, in whole seconds. A client that gives up after ten seconds and tries again shows that it does not hang.
pub(crate) fn limit(baseline: Duration) -> Duration {
    let limit = (baseline * 3).max(baseline + Duration::from_secs(10));
    Duration::from_secs(limit.as_secs() + u64::from(limit.subsec_nanos() > 0))
}

/// How long the command may take in all: four times the longest silence, so that a client has time for three attempts.
pub(crate) fn longest_run(silence: Duration) -> Duration {
    silence * 4
}

/// Most calls with one fingerprint, and one of them.
fn most_attempts(calls: &[Call]) -> Option<(&Call, usize)> {
    let attempts = calls.iter().filter(|call| call.operation.is_some());
    // `attempt` counts them.
    attempts.max_by_key(|call| call.attempt).map(|call| (call, call.attempt as usize))
}

/// What is not wanted in a run. `names` are those of the faults.
pub(crate) fn deviations(
    (entry, names): (&Entry, &[String]),
    baseline: &Baseline,
    classes: &Classes,
    observed: &Observed,
) -> Vec<Deviation> {
    if let Some(storm) = storm(baseline, classes, observed) {
        return vec![storm];
    }
    if observed.hung {
        let message = "the command did not end in time".to_owned();
        return vec![Deviation::new(Oracle::Hang, message)];
    }
    let has_noticed = falls_back(names, classes, &observed.calls);
    let rules = observed
        .failed_rules
        .iter()
        .filter(|rule| !(baseline.failed_rules.contains(rule.id) || (has_noticed && rule.is_by_exit)));
    let mut deviations: Vec<Deviation> = rules
        .map(|rule| Deviation {
            rule: Some(rule.id.to_owned()),
            detail: Some(rule.detail.clone()),
            ..Deviation::new(Oracle::Rule, format!("the rule {} fails: {}", rule.id, rule.title))
        })
        .collect();
    // These rules tell why there are two of something.
    let is_explained = deviations.iter().any(|deviation| {
        matches!(deviation.rule.as_deref(), Some("lost-contact" | "lost-subscription" | "hook-twice"))
    });
    if !is_explained {
        deviations.extend(states(entry.group(), baseline, observed));
    }
    if deviations.is_empty() && observed.exit != 0 && !may_fail(entry) {
        let message = format!("the command ended with {} after a fault that passes", observed.exit);
        deviations.push(Deviation::new(Oracle::Exit, message));
    }
    deviations
}

/// Whether the command may fail. A client cannot know whether a subscription was made, so that it may not try again.
fn may_fail(entry: &Entry) -> bool {
    let subscribe = subscribe::SPEC.operation.name();
    entry.group() != Group::Transient || entry.strikes.iter().any(|strike| strike.operation == subscribe)
}

/// Whether the client went on with other calls than without the faults when one of them had struck: it has noticed that
/// something was wrong, also if it ends with 0.
fn falls_back(names: &[String], classes: &Classes, calls: &[Call]) -> bool {
    let is_struck = |call: &Call| call.fault.as_ref().is_some_and(|fault| names.contains(fault));
    let later = calls.iter().skip_while(|call| !is_struck(call));
    later.filter(|call| call.operation.is_some()).any(|call| !classes.are_of_baseline(call))
}

fn storm(baseline: &Baseline, classes: &Classes, observed: &Observed) -> Option<Deviation> {
    let (made, most) = (observed.calls.len(), baseline.most_calls());
    // Calls of a fallback come on top of those that failed, and are counted apart.
    let other = observed.calls.iter().filter(|call| !classes.are_of_baseline(call)).count();
    let is_storm = other.max(made - other) > most;
    let attempts = most_attempts(&observed.calls).filter(|(_, count)| *count > baseline.most_attempts());
    let (message, expect) = match attempts {
        Some((call, count)) => {
            let operation = call.operation.map_or("", |operation| operation.name());
            let most = baseline.most_attempts();
            let message = if observed.stormed || observed.hung {
                format!(
                    "{operation} was called over {most} times with one request, until the command was ended"
                )
            } else {
                format!("{operation} was called {count} times with one request")
            };
            let pattern = format!("{{operation: {operation}, fingerprint: {:016x}}}", call.fingerprint);
            (message, format!("{{requests: {pattern}, count: 0-{most}}}"))
        }
        None if is_storm => {
            let without = words::count(baseline.calls.len(), "call");
            let message = if observed.stormed || observed.hung {
                format!("over {most} calls until the command was ended, and {without} without the fault")
            } else {
                format!("{}, and {without} without the fault", words::count(made, "call"))
            };
            (message, format!("{{requests: {{}}, count: 0-{most}}}"))
        }
        None => return None,
    };
    Some(Deviation { expect: Some(expect), ..Deviation::new(Oracle::Storm, message) })
}

/// Contacts and subscriptions that are there too often, or are missing although the command succeeded. Another content of as
/// many is wrong only after a fault that passes: while one lasts, a client may have to do with other data.
fn states(group: Group, baseline: &Baseline, observed: &Observed) -> Vec<Deviation> {
    let kinds = [
        ("contact", &baseline.contacts, &observed.contacts),
        ("subscription", &baseline.subscriptions, &observed.subscriptions),
    ];
    let judge = |(kind, before, after): (&str, &Vec<Item>, &Vec<Item>)| {
        let (gone, new) = apart(before, after, &baseline.stored_masks);
        let told =
            format!("{} at the end, and {} without the fault", words::count(after.len(), kind), before.len());
        let message = match (gone.len(), new.len()) {
            (0, 0) => return None,
            (gone, new) if new > gone => format!("a duplicate: {told}"),
            _ if observed.exit != 0 => return None,
            (gone, new) if new < gone => format!("a silent loss: {told}, and the command ended with 0"),
            _ if group.is_lasting() => return None,
            (_, new) => {
                let differ = if new == 1 { "differs" } else { "differ" };
                format!("another content: {} {differ}, and the command ended with 0", words::count(new, kind))
            }
        };
        let expect = if gone.len() == new.len() {
            content(kind, &gone, &new, before, &baseline.stored_masks)?
        } else {
            format!("{{{kind}s: {{}}, count: {}}}", before.len())
        };
        Some(Deviation { expect: Some(expect), ..Deviation::new(Oracle::State, message) })
    };
    kinds.into_iter().filter_map(judge).collect()
}

/// An expectation of a record that is there without the fault, by a value that the one in its place does not have.
fn content(kind: &str, gone: &[&Item], new: &[&Item], before: &[Item], masks: &Masks) -> Option<String> {
    let (gone, place) = gone.iter().find_map(|gone| {
        let differs = |place: &&String| {
            !masks.has(kind, place)
                && !new.iter().any(|new| new.values.get(*place) == gone.values.get(*place))
        };
        Some((*gone, gone.values.keys().find(differs)?))
    })?;
    let value = gone.values.get(place)?;
    let alike = before.iter().filter(|item| item.values.get(place) == Some(value)).count();
    let names: Vec<&str> = place.split('/').skip(1).collect();
    let members = match names.as_slice() {
        [name] => format!("{name}: {value}"),
        // An element of a list.
        [name, index] if index.parse::<usize>().is_ok() => format!("{name}: {value}"),
        [name, member] => format!("{name}: {{{member}: {value}}}"),
        [name, index, _] => {
            let start = format!("/{name}/{index}/");
            let values = gone.values.iter().filter(|(place, _)| !masks.has(kind, place));
            let members =
                values.filter_map(|(place, value)| Some(format!("{}: {value}", place.strip_prefix(&start)?)));
            format!("{name}: {{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        _ => return None,
    };
    Some(format!("{{{kind}s: {{{members}}}, count: {alike}}}"))
}

/// What a run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    Survived,
    /// The command ended with a failure, as it may.
    Failed,
    /// The command succeeded although the fault lasted.
    Unnoticed,
    Finding,
    /// A deviation that is wanted.
    Accepted,
    /// The fault did not strike.
    Error,
    /// The budget was over.
    Cut,
    /// Nothing was run (`--plan`).
    Planned,
}

impl Outcome {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Survived => "survived",
            Self::Failed => "failed",
            Self::Unnoticed => "unnoticed",
            Self::Finding => "finding",
            Self::Accepted => "accepted",
            Self::Error => "error",
            Self::Cut => "cut",
            Self::Planned => "planned",
        }
    }
}

/// What a run without deviations came to. `names` are those of the faults.
pub(crate) fn outcome(entry: &Entry, names: &[String], observed: &Observed) -> Outcome {
    if observed.struck.contains(&0) {
        return Outcome::Error;
    }
    if observed.exit != 0 {
        return Outcome::Failed;
    }
    let lasting = entry.strikes.iter().zip(names).filter(|(strike, _)| strike.group.is_lasting());
    let is_unhealed = |(_, name): (_, &String)| {
        let calls = &observed.calls;
        let last = calls.iter().rposition(|call| call.fault.as_ref() == Some(name));
        last.is_none_or(|last| {
            !calls[last..]
                .iter()
                .any(|call| call.fingerprint == calls[last].fingerprint && call.fault.is_none())
        })
    };
    if lasting.into_iter().any(is_unhealed) { Outcome::Unnoticed } else { Outcome::Survived }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn another_content_is_expected_by_a_value_that_the_new_one_does_not_have() {
        let item = |value| Item::of_stored("contact", &value);
        let ann = item(json!({
            "id": 7, "email": "ann@x.test", "tags": ["a", "b"], "smsPreferences": {"marketingOptin": true},
            "customFields": [{"fieldName": "plan", "type": "text", "fieldValue": "gold"}]
        }));
        let expects = |place: &str, value| {
            let mut new = ann.clone();
            new.values.insert(place.to_owned(), value);
            content("contact", &[&ann], &[&new], std::slice::from_ref(&ann), &Masks::default())
        };
        let wanted = |members: &str| Some(format!("{{contacts: {{{members}}}, count: 1}}"));
        assert_eq!(expects("/email", json!("bob@x.test")), wanted("email: \"ann@x.test\""));
        assert_eq!(expects("/tags/1", json!("c")), wanted("tags: \"b\""));
        assert_eq!(
            expects("/smsPreferences/marketingOptin", json!(false)),
            wanted("smsPreferences: {marketingOptin: true}")
        );
        assert_eq!(
            expects("/customFields/0/fieldValue", json!("tin")),
            wanted("customFields: {fieldName: \"plan\", fieldValue: \"gold\", type: \"text\"}")
        );
    }

    #[test]
    fn the_time_limit_is_three_times_the_baseline_or_ten_seconds_more() {
        let of = |millis| limit(Duration::from_millis(millis)).as_secs();
        assert_eq!([of(50), of(4_000), of(20_000)], [11, 14, 60]);
    }
}
