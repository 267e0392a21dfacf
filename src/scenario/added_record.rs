//! Parses a review or question that is added to a running world. The body is one JSON object with the keys of a record in a
//! scenario, and `businessId`, the number of the location. It is checked like a record in a scenario.

use std::path::Path;

use crate::clock::Moment;
use crate::dataset::facts::{BusinessRef, Dataset};
use crate::dataset::records::{Question, Review};
use crate::scenario::diagnostic::{Diagnostic, Findings};
use crate::scenario::json;
use crate::scenario::node::{Node, Value};
use crate::scenario::raw_records as raw;
use crate::scenario::read::{RawMap, Spanned, read_value};
use crate::scenario::report::unknown_reference;
use crate::scenario::scalars::{Id, parse_digits};
use crate::scenario::source::Sources;
use crate::scenario::validate::{RecordContext, questions, reviews};

/// The world that a record is added to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddTarget<'a> {
    pub(crate) dataset: &'a Dataset,
    /// The world's time, which is the default date of a record.
    pub(crate) now: Moment,
}

/// Parses a review. Returns its location's index in the dataset with it, or all that is wrong.
pub(crate) fn parse_review(text: &str, target: AddTarget<'_>) -> Result<(u32, Review), Vec<Diagnostic>> {
    parse(text, target, &target.now.day().iso(), |findings, context, raw: raw::Review| {
        reviews::review(findings, context, raw, &mut reviews::new_ids())
    })
}

/// Parses a question. Returns its location's index in the dataset with it, or all that is wrong.
pub(crate) fn parse_question(text: &str, target: AddTarget<'_>) -> Result<(u32, Question), Vec<Diagnostic>> {
    parse(text, target, &target.now.iso(), |findings, context, raw: raw::Question| {
        questions::question(findings, context, raw, &mut questions::Ids::default())
    })
}

fn parse<R: RawMap, T>(
    text: &str,
    target: AddTarget<'_>,
    default_date: &str,
    validate: impl FnOnce(&mut Findings, &RecordContext, R) -> Option<T>,
) -> Result<(u32, T), Vec<Diagnostic>> {
    let (mut sources, mut findings) = (Sources::default(), Findings::default());
    let file = sources.add(Path::new("body"), text.to_owned());
    let context = RecordContext::new(Some(target.now), target.now, target.dataset.sources.clone());
    let added = json::value(&mut findings, (file, text)).and_then(|mut node| {
        let location = take_location(&mut findings, target.dataset, &mut node);
        node.set_default("date", default_date);
        let record = R::read(&mut findings, &node).and_then(|raw| validate(&mut findings, &context, raw));
        location.zip(record)
    });
    match added {
        Some(added) if findings.errors() == 0 => Ok(added),
        Some(_) | None => Err(findings.into_diagnostics(&sources)),
    }
}

/// Removes `businessId` from the record and looks the location up. The number may be quoted, as in the API's answers.
fn take_location(findings: &mut Findings, dataset: &Dataset, node: &mut Node) -> Option<u32> {
    const KEY: &str = "businessId";
    let Value::Map(entries) = &mut node.value else { return None };
    let Some(index) = entries.iter().position(|entry| &*entry.key == KEY) else {
        let message = format!("`{KEY}`, the number of the location, is required");
        findings.error("missing-key", node.span, message).label(format!("`{KEY}` is missing"));
        return None;
    };
    let mut value = entries.remove(index).value;
    if let Value::Scalar(scalar) = &mut value.value {
        scalar.plain |= parse_digits(&scalar.text).is_some();
    }
    let Spanned { span, value: number } = read_value::<Id>(findings, KEY, &value)?;
    let number = number.0;
    match i64::try_from(number).ok().and_then(|number| dataset.find(number)) {
        Some(BusinessRef::Location(index)) => return Some(index),
        Some(BusinessRef::Account(_)) => {
            let message = format!("{number} is an account, but `{KEY}` must be the number of a location");
            findings.error("wrong-reference", span, message);
        }
        None => {
            let locations = (0..).take(dataset.location_count());
            let numbers: Vec<String> =
                locations.map(|index| dataset.location(index).number.to_string()).collect();
            let names = numbers.iter().map(String::as_str);
            unknown_reference(findings, span, ("location", &number.to_string()), names);
        }
    }
    None
}
