//! Classes of calls, and the points at which a fault can strike: a member of a class, at one of its attempts.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::dialect::Dialect;
use crate::api::operation::Operation;
use crate::draw::{Draw, Seed};
use crate::expect::call::Call;
use crate::explore::mask::{Item, Masks};
use crate::operations;

/// A class with more members is represented by its first, its second and its last. The same holds for the attempts of a member.
const MOST_MEMBERS: usize = 3;

/// Calls that differ only in the page that they ask for, and in masked values.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    /// Its name in reports: the operation, and a number in the order of first calls.
    pub(crate) id: String,
    pub(crate) operation: Operation,
    /// What its calls have in common.
    key: String,
    /// By the order of their first calls.
    pub(crate) members: Vec<Member>,
    /// Whether only runs with faults made such calls.
    pub(crate) revealed: bool,
}

/// A request of a class: the calls of one identity.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    identity: String,
    /// Its calls in the baseline, by their places there.
    pub(crate) calls: Vec<usize>,
}

/// Where a fault strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    /// Place of its class.
    pub(crate) class: usize,
    /// From 1.
    pub(crate) member: usize,
    /// From 1.
    pub(crate) attempt: usize,
}

/// The classes of the baseline, and those that runs with faults add.
#[derive(Clone, Debug)]
pub(crate) struct Classes {
    pub(crate) all: Vec<Class>,
    by_key: BTreeMap<String, usize>,
    pub(crate) masks: Masks,
    dialect: Arc<Dialect>,
}

impl Classes {
    /// The classes of the calls of a baseline.
    pub(crate) fn new(calls: &[Call], masks: Masks, dialect: Arc<Dialect>) -> Self {
        let mut classes = Self { all: Vec::new(), by_key: BTreeMap::new(), masks, dialect };
        for (place, call) in calls.iter().enumerate() {
            let Some(operation) = call.operation else { continue };
            let (key, identity) = classes.names(call);
            let (class, member) = classes.put(operation, key, identity, false);
            classes.all[class].members[member].calls.push(place);
        }
        classes
    }

    /// Whether calls of its class are made without faults. Calls of no operation belong to no class, and count as such.
    pub(crate) fn are_of_baseline(&self, call: &Call) -> bool {
        let class = self.by_key.get(&self.names(call).0);
        call.operation.is_none() || class.is_some_and(|class| !self.all[*class].revealed)
    }

    /// The place of the class and of the member of a call, which are added if they are new.
    fn put(&mut self, operation: Operation, key: String, identity: String, revealed: bool) -> (usize, usize) {
        let class = if let Some(class) = self.by_key.get(&key) {
            *class
        } else {
            let number = 1 + self.all.iter().filter(|class| class.operation == operation).count();
            let id = format!("{}-{number}", operation.name());
            self.by_key.insert(key.clone(), self.all.len());
            self.all.push(Class { id, operation, key, members: Vec::new(), revealed });
            self.all.len() - 1
        };
        let members = &mut self.all[class].members;
        let member = members.iter().position(|member| member.identity == identity).unwrap_or_else(|| {
            members.push(Member { identity, calls: Vec::new() });
            members.len() - 1
        });
        (class, member)
    }

    /// What a call has in common with its class, and what with its member.
    fn names(&self, call: &Call) -> (String, String) {
        let item = Item::of_call(call);
        (item.identity(&self.masks, |place| self.is_page(call, place)), item.identity(&self.masks, |_| false))
    }

    /// Whether a place says which page is wanted.
    fn is_page(&self, call: &Call, place: &str) -> bool {
        let spec = operations::ALL.into_iter().find(|spec| Some(spec.operation) == call.operation);
        let Some(paging) = spec.and_then(|spec| spec.paging.as_ref()) else { return false };
        if let Some(name) = place.strip_prefix("query ") {
            return paging.is_in_query(name, &self.dialect);
        }
        let field = place.strip_prefix("body /");
        field.is_some_and(|field| paging.fields().any(|known| known == field))
    }

    /// The points of the baseline, each with the place of its call, class by class. Only representatives of large classes.
    pub(crate) fn points(&self) -> Vec<(Point, usize)> {
        let mut points = Vec::new();
        for (place, class) in self.all.iter().enumerate() {
            for member in representatives(class.members.len()) {
                let calls = &class.members[member].calls;
                for attempt in representatives(calls.len()) {
                    let point = Point { class: place, member: member + 1, attempt: attempt + 1 };
                    points.push((point, calls[attempt]));
                }
            }
        }
        points
    }

    /// The points of a run that the baseline does not have: retries and fallbacks. The faults of the run struck no call there.
    pub(crate) fn revealed(&self, calls: &[Call], faults: &[String]) -> Vec<Revealed> {
        let mut attempts: BTreeMap<String, usize> = BTreeMap::new();
        let mut points = Vec::new();
        for (place, call) in calls.iter().enumerate() {
            let Some(operation) = call.operation else { continue };
            let (key, identity) = self.names(call);
            let attempt = attempts.entry(identity.clone()).or_default();
            *attempt += 1;
            let class = self.by_key.get(&key).map(|class| &self.all[*class]);
            let known = class.and_then(|class| class.members.iter().find(|known| known.identity == identity));
            let is_struck = call.fault.as_ref().is_some_and(|fault| faults.contains(fault));
            if is_struck || known.is_some_and(|known| *attempt <= known.calls.len()) {
                continue;
            }
            let target = target(calls, place, &self.masks);
            let is_small = call.answer.to_string().len() <= MOST_ANSWER;
            points.push(Revealed {
                operation: operation.name().to_owned(),
                key,
                identity,
                attempt: *attempt,
                when: target.when,
                nth: target.nth,
                answer: if is_small { call.answer.clone() } else { Value::Null },
            });
            if points.len() == MOST_REVEALED {
                break;
            }
        }
        points
    }

    /// The point that a run revealed. None if there is no such operation.
    pub(crate) fn add(&mut self, revealed: &Revealed) -> Option<Point> {
        let spec = operations::ALL.into_iter().find(|spec| spec.operation.name() == revealed.operation)?;
        let (class, member) = self.put(spec.operation, revealed.key.clone(), revealed.identity.clone(), true);
        Some(Point { class, member: member + 1, attempt: revealed.attempt })
    }

    /// A name of a class that does not depend on the other classes.
    pub(crate) fn stable_name(&self, class: usize) -> String {
        let class = &self.all[class];
        let number = Draw::new(Seed(0), "class").with_text(&class.key).number();
        format!("{}-{:06x}", class.operation.name(), number >> 40)
    }
}

/// The places of some things, or if they are more than `MOST_MEMBERS`, of the first, second and last.
fn representatives(count: usize) -> Vec<usize> {
    if count > MOST_MEMBERS { vec![0, 1, count - 1] } else { (0..count).collect() }
}

/// By what a fault finds one call: the text of `when`, and the number of the call among those that meet it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) when: Option<String>,
    pub(crate) nth: u64,
}

/// How to find a call of a run again: by its fingerprint, or if a value of it is masked, by the other values.
pub(crate) fn target(calls: &[Call], place: usize, masks: &Masks) -> Target {
    let call = &calls[place];
    let item = Item::of_call(call);
    if !item.is_masked(masks) {
        let digits = (6..16).find(|digits| {
            let prefix = |call: &Call| call.fingerprint >> (4 * (16 - digits));
            calls.iter().all(|other| other.fingerprint == call.fingerprint || prefix(other) != prefix(call))
        });
        let text = format!("{:016x}", call.fingerprint);
        let when = format!("{{fingerprint: {}}}", &text[..digits.unwrap_or(16)]);
        return Target { when: Some(when), nth: call.attempt.into() };
    }
    let is_condition = |(place, value): &(&String, &Value)| {
        !masks.has(&item.kind, place)
            && if place.starts_with("query ") {
                value.is_string()
            } else {
                is_scalar(value) && *place != "path"
            }
    };
    let conditions: Vec<(&String, &Value)> =
        item.values.iter().filter(is_condition).take(MOST_CONDITIONS).collect();
    let meets = |other: &&Call| {
        let other = Item::of_call(other);
        other.kind == item.kind
            && conditions.iter().all(|(place, value)| other.values.get(*place) == Some(value))
    };
    let nth = calls[..=place].iter().filter(meets).count() as u64;
    Target { when: when(&conditions), nth }
}

/// Most values by which a call is found.
const MOST_CONDITIONS: usize = 12;

fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Number(_) | Value::String(_))
}

/// The text of `when` for some values by their places.
fn when(conditions: &[(&String, &Value)]) -> Option<String> {
    let part = |prefix: &str, name: &str| {
        let members: Vec<String> = conditions
            .iter()
            .filter_map(|(place, value)| {
                let key = place.strip_prefix(prefix)?;
                Some(format!("{}: {value}", Value::from(key)))
            })
            .collect();
        (!members.is_empty()).then(|| format!("{name}: {{{}}}", members.join(", ")))
    };
    let parts: Vec<String> = [part("query ", "query"), part("body ", "body")].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("{{{}}}", parts.join(", ")))
}

/// Most points that a run reveals.
const MOST_REVEALED: usize = 20;
/// A larger answer is not kept for the faults that could change it.
const MOST_ANSWER: usize = 64 << 10;

/// A point that only a run with a fault has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Revealed {
    operation: String,
    key: String,
    identity: String,
    pub(crate) attempt: usize,
    when: Option<String>,
    nth: u64,
    /// What the API answered.
    pub(crate) answer: Value,
}

impl Revealed {
    pub(crate) fn target(&self) -> Target {
        Target { when: self.when.clone(), nth: self.nth }
    }
}
