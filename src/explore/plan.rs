//! The faults that a point can meet, and the order in which they are tried.

use serde_json::Value;

use crate::api::error::Code;
use crate::expect::call::Call;
use crate::explore::class::{Classes, Point, Revealed, Target, target};
use crate::operations;
use crate::operations::spec::Spec;
use crate::operations::{contact, subscribe};

/// What a client should do about a fault. Of several, the last one here is the laxest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    /// It strikes once, and a client survives it.
    Transient,
    /// The operation takes effect and its answer is lost.
    Lost,
    /// It strikes every time.
    Lasting,
    /// Every answer has another shape than the documented one.
    Shape,
}

impl Group {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Transient => "transient",
            Self::Lost => "lost",
            Self::Lasting => "lasting",
            Self::Shape => "shape",
        }
    }

    /// The order by which the group of several points is the laxest: shape, lasting, lost, transient.
    pub(crate) fn of(strikes: &[Strike]) -> Self {
        strikes.iter().map(|strike| strike.group).max().unwrap_or(Self::Transient)
    }

    /// Whether a fault of it strikes every time.
    pub(crate) const fn is_lasting(self) -> bool {
        matches!(self, Self::Lasting | Self::Shape)
    }
}

/// When a run was planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Plan,
    Revealed,
    Pair,
}

impl Phase {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Revealed => "revealed",
            Self::Pair => "pair",
        }
    }
}

/// The names of all faults, in the order in which reports show them.
pub(crate) const COLUMNS: [(Group, &str); 17] = [
    (Group::Transient, "503"),
    (Group::Transient, "89"),
    (Group::Transient, "reset"),
    (Group::Transient, "close"),
    (Group::Transient, "drip"),
    (Group::Transient, "delay"),
    (Group::Lost, "lost"),
    (Group::Lasting, "1161"),
    (Group::Lasting, "2151"),
    (Group::Lasting, "89"),
    (Group::Lasting, "500"),
    (Group::Lasting, "stall"),
    (Group::Shape, "malformed"),
    (Group::Shape, "truncated"),
    (Group::Shape, "missing"),
    (Group::Shape, "null"),
    (Group::Shape, "empty"),
];

/// One fault at one point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Strike {
    pub(crate) point: Point,
    /// Name of the class, for reports.
    pub(crate) class: String,
    pub(crate) operation: &'static str,
    pub(crate) group: Group,
    /// Name of the fault in reports.
    pub(crate) fault: &'static str,
    pub(crate) target: Target,
    /// Its effect, as scenarios write it.
    pub(crate) then: String,
}

impl Strike {
    /// The fault as scenarios write it. `count` limits a lasting fault.
    pub(crate) fn text(&self, count: Option<u64>) -> String {
        let Target { when, nth } = &self.target;
        let when = when.as_ref().map(|when| format!("when: {when}, ")).unwrap_or_default();
        let count = count.filter(|_| self.group == Group::Lasting);
        let hits = match (self.group.is_lasting(), count) {
            (false, _) | (true, Some(1)) => format!("hits: {nth}, "),
            (true, Some(count)) => format!("hits: {nth}-{}, ", nth + count.max(1) - 1),
            (true, None) if *nth == 1 => String::new(),
            (true, None) => format!("hits: {nth}-, "),
        };
        format!("{{operation: {}, {when}{hits}then: {}}}", self.operation, self.then)
    }

    /// Its name in reports, such as `qna-2 member 1 attempt 1: transient 503`.
    pub(crate) fn name(&self) -> String {
        format!("{}: {} {}", self.place(), self.group.name(), self.fault)
    }

    /// Where it strikes, such as `qna-2 member 1 attempt 1`.
    pub(crate) fn place(&self) -> String {
        let Point { member, attempt, .. } = self.point;
        format!("{} member {member} attempt {attempt}", self.class)
    }
}

/// A run that is planned: one fault at one point, or two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) strikes: Vec<Strike>,
    pub(crate) phase: Phase,
}

impl Entry {
    pub(crate) fn id(&self) -> String {
        self.strikes.iter().map(Strike::name).collect::<Vec<_>>().join(" + ")
    }

    pub(crate) fn group(&self) -> Group {
        Group::of(&self.strikes)
    }

    /// The names of its faults in scenarios. None of them is taken already.
    pub(crate) fn fault_names(&self, taken: &[String]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for strike in &self.strikes {
            let name = format!("{}-{}", strike.operation, strike.fault);
            let numbered = (2..).map(|number| format!("{name}-{number}"));
            let mut free = std::iter::once(name.clone()).chain(numbered);
            let is_free = |name: &String| !taken.contains(name) && !names.contains(name);
            let free = free.find(is_free).unwrap_or_default();
            names.push(free);
        }
        names
    }
}

/// The plan for the points of a baseline: transient faults at every class, then lost, lasting and of shape; in each group the
/// first calls of all classes come first.
pub(crate) fn plan(classes: &Classes, calls: &[Call]) -> Vec<Entry> {
    let points = classes.points();
    let mut entries: Vec<(Group, (usize, usize), Strike)> = Vec::new();
    for (point, place) in points {
        let target = target(calls, place, &classes.masks);
        let rank = (point.attempt, point.member);
        for strike in strikes(classes, point, &target, &calls[place].answer) {
            entries.push((strike.group, rank, strike));
        }
    }
    entries.sort_by_key(|(group, rank, _)| (*group, *rank));
    entries.into_iter().map(|(.., strike)| Entry { strikes: vec![strike], phase: Phase::Plan }).collect()
}

/// The faults that a point can meet.
pub(crate) fn strikes(classes: &Classes, point: Point, target: &Target, answer: &Value) -> Vec<Strike> {
    let class = &classes.all[point.class];
    let spec = operations::ALL.into_iter().find(|spec| spec.operation == class.operation);
    let faults = spec.map(|spec| faults(spec, answer)).unwrap_or_default();
    faults
        .into_iter()
        .map(|(group, fault, then)| Strike {
            point,
            class: class.id.clone(),
            operation: class.operation.name(),
            group,
            fault,
            target: target.clone(),
            then,
        })
        .collect()
}

/// A fault of a run that revealed a point, together with each fault that the point can meet. At a retry of the same request these
/// are those that a client survives when they strike once.
pub(crate) fn at_revealed(classes: &Classes, base: &Entry, point: Point, revealed: &Revealed) -> Vec<Entry> {
    let is_retry = base
        .strikes
        .iter()
        .any(|strike| (strike.point.class, strike.point.member) == (point.class, point.member));
    let strikes = strikes(classes, point, &revealed.target(), &revealed.answer).into_iter();
    strikes
        .filter(|strike| {
            let is_quick = !["drip", "delay"].contains(&strike.fault);
            !is_retry || (matches!(strike.group, Group::Transient | Group::Lost) && is_quick)
        })
        .map(|strike| {
            let strikes = base.strikes.iter().cloned().chain([strike]).collect();
            Entry { strikes, phase: Phase::Revealed }
        })
        .collect()
}

/// Pairs of faults that the client stood alone, at two points of the baseline: a 503 at both, or a 500 at both every time.
/// `is_fine` tells whether a run with that one fault passed.
pub(crate) fn pairs(entries: &[Entry], is_fine: impl Fn(&Entry) -> bool) -> Vec<Entry> {
    let mut pairs = Vec::new();
    for (group, fault) in [(Group::Transient, "503"), (Group::Lasting, "500")] {
        let is_candidate = |entry: &&Entry| match entry.strikes.as_slice() {
            [strike] => {
                let is_first = strike.point.member == 1 && strike.point.attempt == 1;
                entry.phase == Phase::Plan
                    && is_first
                    && (strike.group, strike.fault) == (group, fault)
                    && is_fine(entry)
            }
            _ => false,
        };
        let candidates: Vec<&Entry> = entries.iter().filter(is_candidate).collect();
        for (place, first) in candidates.iter().enumerate() {
            for second in &candidates[place + 1..] {
                let strikes = first.strikes.iter().chain(&second.strikes).cloned().collect();
                pairs.push(Entry { strikes, phase: Phase::Pair });
            }
        }
    }
    pairs.truncate(MOST_PAIRS);
    pairs
}

/// Most pairs of an exploration.
pub(crate) const MOST_PAIRS: usize = 200;

/// What an operation can answer, or lose. `answer` is that of the baseline.
fn faults(spec: &Spec, answer: &Value) -> Vec<(Group, &'static str, String)> {
    use Group::{Lasting, Lost, Shape, Transient};
    // In twenty parts, two seconds.
    let bytes = answer.to_string().len().div_ceil(20).max(1);
    let mut faults = vec![
        (Transient, "503", "{status: 503}".to_owned()),
        (Transient, "89", "{error: 89, retry_after: 1s}".to_owned()),
        (Transient, "reset", "{connection: reset}".to_owned()),
        (Transient, "close", "{connection: close}".to_owned()),
        (Transient, "drip", format!("{{body: {{drip: {bytes} per 100ms}}}}")),
        (Transient, "delay", "{delay: 2s}".to_owned()),
    ];
    if [&contact::SPEC.operation, &subscribe::SPEC.operation].contains(&&spec.operation) {
        faults.push((Lost, "lost", "{lost: reset}".to_owned()));
    }
    faults.push((Lasting, "1161", "{error: 1161}".to_owned()));
    let not_found = [Code::EnterpriseInvalid, Code::BusinessMissing, Code::BusinessInvalid];
    if let Some(code) = not_found.into_iter().find(|code| spec.own_codes.contains(code)) {
        faults.push((Lasting, "2151", format!("{{error: {}}}", code.row().number)));
    }
    faults.push((Lasting, "89", "{error: 89}".to_owned()));
    faults.push((Lasting, "500", "{error: 500}".to_owned()));
    faults.push((Lasting, "stall", "{connection: stall}".to_owned()));
    faults.push((Shape, "malformed", "{body: {malformed: true}}".to_owned()));
    faults.push((Shape, "truncated", "{body: {truncate: 50%}}".to_owned()));
    if let Some(place) = member(answer) {
        let place = Value::from(place);
        faults.push((Shape, "missing", format!("{{body: {{patch: [{{op: remove, path: {place}}}]}}}}")));
        let null = format!("{{body: {{patch: [{{op: replace, path: {place}, value: null}}]}}}}");
        faults.push((Shape, "null", null));
    }
    if let Some(place) = list(answer) {
        let place = Value::from(place);
        let empty = format!("{{body: {{patch: [{{op: replace, path: {place}, value: []}}]}}}}");
        faults.push((Shape, "empty", empty));
    }
    faults
}

/// The place of a documented member in an answer: of the answer itself, or of the first element of a list.
fn member(answer: &Value) -> Option<String> {
    let (prefix, members) = match answer.as_array() {
        Some(list) => ("/0", list.first()?.as_object()?),
        None => ("", answer.as_object()?),
    };
    let list = members.iter().find(|(_, member)| member.is_array());
    let id = members.iter().find(|(name, _)| name.to_lowercase().ends_with("id"));
    let (name, _) = list.or(id).or_else(|| members.iter().next())?;
    Some(format!("{prefix}/{}", name.replace('~', "~0").replace('/', "~1")))
}

/// The place of a list in an answer that is not empty.
fn list(answer: &Value) -> Option<String> {
    let is_full = |value: &Value| value.as_array().is_some_and(|list| !list.is_empty());
    if is_full(answer) {
        return Some(String::new());
    }
    let (name, _) = answer.as_object()?.iter().find(|(_, member)| is_full(member))?;
    Some(format!("/{}", name.replace('~', "~0").replace('/', "~1")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::{qna, reviews};
    use serde_json::json;

    fn names(spec: &Spec, answer: &Value) -> Vec<&'static str> {
        faults(spec, answer).into_iter().map(|(_, name, _)| name).collect()
    }

    #[test]
    fn an_operation_meets_only_what_it_can_answer() {
        let page = json!({ "totalCount": 1, "questions": [{ "id": 1 }] });
        assert!(!names(&qna::SPEC, &page).contains(&"lost"));
        assert!(names(&contact::SPEC, &json!({ "id": 1 })).contains(&"lost"));
        assert!(!names(&contact::SPEC, &json!({ "id": 1 })).contains(&"empty"));
        assert!(names(&reviews::SPEC, &json!([{ "id": 1 }])).contains(&"empty"));
        assert!(!names(&reviews::SPEC, &json!([])).contains(&"missing"));
        let like = |spec: &Spec| faults(spec, &page).into_iter().find(|(_, name, _)| *name == "2151");
        assert_eq!(like(&contact::SPEC).unwrap().2, "{error: 1532}");
        assert_eq!(like(&qna::SPEC).unwrap().2, "{error: 1011}");
    }

    #[test]
    fn every_fault_has_a_column() {
        let page = json!({ "totalCount": 1, "questions": [{ "id": 1 }] });
        for spec in operations::ALL {
            for (group, name, _) in faults(spec, &page) {
                assert!(COLUMNS.contains(&(group, name)), "{name}");
            }
        }
    }

    #[test]
    fn a_lasting_fault_strikes_from_its_attempt_on_or_a_number_of_times() {
        let strike = |group, nth| Strike {
            point: Point { class: 0, member: 1, attempt: 1 },
            class: "contact-1".to_owned(),
            operation: "contact",
            group,
            fault: "500",
            target: Target { when: Some("{fingerprint: 3f2a9c}".to_owned()), nth },
            then: "{error: 500}".to_owned(),
        };
        let start = "{operation: contact, when: {fingerprint: 3f2a9c}, ";
        let text = |group, nth, count| strike(group, nth).text(count);
        assert_eq!(text(Group::Transient, 2, None), format!("{start}hits: 2, then: {{error: 500}}}}"));
        assert_eq!(text(Group::Lasting, 1, None), format!("{start}then: {{error: 500}}}}"));
        assert_eq!(text(Group::Shape, 3, None), format!("{start}hits: 3-, then: {{error: 500}}}}"));
        assert_eq!(text(Group::Lasting, 3, Some(2)), format!("{start}hits: 3-4, then: {{error: 500}}}}"));
        assert_eq!(text(Group::Lasting, 3, Some(1)), format!("{start}hits: 3, then: {{error: 500}}}}"));
    }
}
