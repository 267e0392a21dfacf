//! The page of a list that a call asked for, and what it got.

use serde_json::Value;

use crate::api::dialect::Dialect;
use crate::draw::{Draw, Seed};
use crate::journal::entry::Entry;
use crate::operations::spec::{ParameterKind, ParameterName, Spec, StartIndex};

/// A page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// What the calls to all pages of one list have in common: they differ in the start alone.
    pub(crate) list: u64,
    /// 0-based index of its first record.
    pub(crate) start: u64,
    /// How many records were asked for. None if the call does not say and the operation has no default.
    pub(crate) count: Option<u64>,
    /// How many records the answer has. None if it has no list that could be read.
    pub(crate) received: Option<u64>,
    /// How many records the whole list has, if the answer says so.
    pub(crate) total: Option<u64>,
}

impl Page {
    /// The page that a call of a listing operation asked for. None if the operation has no pages, or the start is no index.
    pub(crate) fn of(entry: &Entry, body: &Value, answer: &Value) -> Option<Self> {
        let (spec, sent, dialect) = (entry.facts.spec?, entry.call(), &entry.facts.dialect);
        let paging = spec.paging.as_ref()?;
        let mut rest = body.clone();
        let (start, start_name) = match &paging.start {
            StartIndex::Query(name) => {
                let name = name.get(dialect);
                (sent.parameter(name).map_or(Some(0), |text| text.trim().parse().ok())?, name)
            }
            StartIndex::Body(name) => {
                let taken = rest.as_object_mut().and_then(|members| members.remove(*name));
                (taken.as_ref().map_or(Some(0), index)?, "")
            }
        };
        let mut query: Vec<_> =
            sent.parameters().filter(|(name, _)| name != start_name && name != "api_key").collect();
        query.sort();
        let key = entry.facts.keys.label(entry.facts.key_match).unwrap_or_default();
        let mut list = Draw::new(Seed(0), "list").with_text(&key).with_text(spec.operation.name());
        list = list.with_text(sent.path.trim_end_matches('/')).with_text(&rest.to_string());
        for (name, value) in query {
            list = list.with_text(&name).with_text(&value);
        }
        Some(Self {
            list: list.number(),
            start,
            count: paging.asked(&sent, dialect).or_else(|| default_count(spec, paging.count?, dialect)),
            received: records(answer),
            total: paging.total.and_then(|member| answer.get(member)?.as_u64()),
        })
    }

    /// The index behind its last record, as far as the answer tells.
    pub(crate) fn end(&self) -> u64 {
        self.start.saturating_add(self.received.or(self.count).unwrap_or_default())
    }

    /// The index behind the last record of the list, if this page tells.
    pub(crate) fn list_end(&self) -> Option<u64> {
        let is_short = self.received.zip(self.count).is_some_and(|(received, count)| received < count);
        self.total.or_else(|| (is_short || self.received == Some(0)).then(|| self.end()))
    }
}

fn index(value: &Value) -> Option<u64> {
    match value {
        Value::Null => Some(0),
        Value::String(text) => text.trim().parse().ok(),
        Value::Number(number) => number.as_u64(),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The length of a page if a call does not say one.
fn default_count(spec: &Spec, count: ParameterName, dialect: &Dialect) -> Option<u64> {
    let name = count.get(dialect);
    let parameter = spec.query.iter().find(|parameter| parameter.name.get(dialect) == name)?;
    match parameter.kind {
        ParameterKind::Integer { default, .. } => Some(default),
        ParameterKind::Word(_)
        | ParameterKind::Number(_)
        | ParameterKind::Boolean
        | ParameterKind::Business => None,
    }
}

/// The length of the list in an answer: the answer itself, or its only list.
fn records(answer: &Value) -> Option<u64> {
    let list = answer.as_array().or_else(|| answer.as_object()?.values().find_map(Value::as_array));
    list.map(|list| list.len() as u64)
}
