//! A review or a question that is added to a running world: one JSON object with the keys of a record of a scenario, and
//! `businessId`, the number of its location. Its checks are those of a record.

use std::path::Path;

use crate::clock::Moment;
use crate::dataset::facts::{BusinessRef, Dataset};
use crate::dataset::records::{Question, Review};
use crate::scenario::diagnostic::{Diagnostic, Findings};
use crate::scenario::json;
use crate::scenario::node::{Entry, Node, Scalar, Value};
use crate::scenario::raw_records as raw;
use crate::scenario::read::{RawMap, Spanned, read_value};
use crate::scenario::report::unknown_reference;
use crate::scenario::scalars::{Id, parse_digits};
use crate::scenario::source::Sources;
use crate::scenario::validate::{RecordContext, questions, reviews};

/// What a record is added to.
#[derive(Clone, Copy, Debug)]
pub struct AddTarget<'a> {
    /// The facts, with the locations and sources that it may have.
    pub dataset: &'a Dataset,
    /// The world's time: the record's, where it says none.
    pub now: Moment,
}

/// A review, and the place of its location.
///
/// # Errors
/// What is wrong with it.
pub fn parse_review(text: &str, target: AddTarget<'_>) -> Result<(u32, Review), Vec<Diagnostic>> {
    read(text, target, &target.now.day().iso(), |findings, context, raw: raw::Review| {
        reviews::review(findings, context, raw, &mut reviews::new_ids())
    })
}

/// A question, and the place of its location.
///
/// # Errors
/// What is wrong with it.
pub fn parse_question(text: &str, target: AddTarget<'_>) -> Result<(u32, Question), Vec<Diagnostic>> {
    read(text, target, &target.now.iso(), |findings, context, raw: raw::Question| {
        questions::question(findings, context, raw, &mut questions::Ids::default())
    })
}

fn read<R: RawMap, T>(
    text: &str,
    target: AddTarget<'_>,
    now: &str,
    validate: impl FnOnce(&mut Findings, &RecordContext, R) -> Option<T>,
) -> Result<(u32, T), Vec<Diagnostic>> {
    let (mut sources, mut findings) = (Sources::default(), Findings::default());
    let file = sources.add(Path::new("body"), text.to_owned());
    let context = RecordContext::new(Some(target.now), target.now.day(), target.dataset.sources.clone());
    let added = json::one(&mut findings, (file, text)).and_then(|mut node| {
        let location = location(&mut findings, target.dataset, &mut node);
        dated(&mut node, now);
        let record = R::read(&mut findings, &node).and_then(|raw| validate(&mut findings, &context, raw));
        location.zip(record)
    });
    match added {
        Some(added) if findings.errors() == 0 => Ok(added),
        Some(_) | None => Err(findings.into_diagnostics(&sources)),
    }
}

/// Takes `businessId` out of the record: the number of a location, also in quotes, as answers show it.
fn location(findings: &mut Findings, dataset: &Dataset, node: &mut Node) -> Option<u32> {
    const KEY: &str = "businessId";
    let Value::Map(entries) = &mut node.value else { return None };
    let Some(at) = entries.iter().position(|entry| &*entry.key == KEY) else {
        let message = format!("what is added needs `{KEY}`, the number of its location");
        findings.error("missing-key", node.span, message).label(format!("`{KEY}` is missing"));
        return None;
    };
    let mut given = entries.remove(at).value;
    if let Value::Scalar(scalar) = &mut given.value {
        scalar.plain |= parse_digits(&scalar.text).is_some();
    }
    let Spanned { span, value: number } = read_value::<Id>(findings, KEY, &given)?;
    let number = number.0;
    match i64::try_from(number).ok().and_then(|number| dataset.find(number)) {
        Some(BusinessRef::Location(place)) => return Some(place),
        Some(BusinessRef::Account(_)) => {
            let message = format!("{number} is an account, and `{KEY}` names a location");
            findings.error("wrong-reference", span, message);
        }
        None => {
            let places = (0..).take(dataset.location_count());
            let numbers: Vec<String> =
                places.map(|place| dataset.location(place).number.to_string()).collect();
            let names = numbers.iter().map(String::as_str);
            unknown_reference(findings, span, ("location", &number.to_string()), names);
        }
    }
    None
}

/// Gives a record without a date the present one.
fn dated(node: &mut Node, now: &str) {
    const KEY: &str = "date";
    if node.get(KEY).is_some() {
        return;
    }
    let (key_span, value) = (node.span, Value::Scalar(Scalar { text: now.into(), plain: true }));
    if let Value::Map(entries) = &mut node.value {
        entries.retain(|entry| &*entry.key != KEY);
        entries.push(Entry { key: KEY.into(), key_span, value: Node::new(key_span, value) });
    }
}
