//! What the sections of faults, webhooks, expectations and routes may refer to.

use std::collections::BTreeMap;

use crate::api::dialect::Dialect;
use crate::api::error::CATALOGUE;
use crate::auth::Key;
use crate::dataset::records::Business;
use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::{Findings, join_or};
use crate::scenario::report::unknown_reference;
use crate::scenario::scalars::Id;
use crate::scenario::source::Span;

/// What there is to refer to.
#[derive(Clone, Debug)]
pub struct References<'a> {
    /// API keys with their names; with none, every key is taken.
    pub keys: Vec<(&'a str, Option<&'a str>)>,
    /// Business numbers, and what they are of.
    pub numbers: BTreeMap<u64, BusinessKind>,
    /// Names of faults.
    pub faults: Vec<String>,
    /// Numbers of errors that faults make up.
    pub custom_codes: Vec<u32>,
    /// Names of events that the scenario adds.
    pub events: Vec<String>,
    /// The API's manners.
    pub dialect: &'a Dialect,
    /// Whether the clock stands still.
    pub frozen: bool,
}

/// What a business number is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusinessKind {
    /// An account.
    Account,
    /// A location of that account.
    Location(u64),
}

impl<'a> References<'a> {
    /// What a scenario's keys and businesses give to refer to; names of faults and events are still to be added.
    #[must_use]
    pub fn new(keys: &'a [Key], businesses: &[Business], dialect: &'a Dialect, frozen: bool) -> Self {
        let mut numbers = BTreeMap::new();
        for business in businesses {
            numbers.insert(business.number, BusinessKind::Account);
            for location in &business.locations {
                numbers.insert(location.number, BusinessKind::Location(business.number));
            }
        }
        let keys = keys.iter().map(|key| (key.key.as_str(), key.name.as_deref())).collect();
        Self {
            keys,
            numbers,
            faults: Vec::new(),
            custom_codes: Vec::new(),
            events: Vec::new(),
            dialect,
            frozen,
        }
    }
}

/// The numbers that are there, each once; what is not there is among the findings.
pub fn businesses(findings: &mut Findings, references: &References, wanted: &OneOrMany<Id>) -> Vec<u64> {
    let mut numbers = Vec::new();
    for wanted in &wanted.0 {
        if business(findings, references, wanted.span, wanted.value.0) && !numbers.contains(&wanted.value.0) {
            numbers.push(wanted.value.0);
        }
    }
    numbers
}

fn business(findings: &mut Findings, references: &References, span: Span, number: u64) -> bool {
    let there = references.numbers.contains_key(&number);
    if !there {
        unknown_number(findings, span, ("business", number), references.numbers.keys().copied());
    }
    there
}

/// The same for numbers that must be of accounts.
pub fn accounts(findings: &mut Findings, references: &References, wanted: &OneOrMany<Id>) -> Vec<u64> {
    let mut numbers = Vec::new();
    for wanted in &wanted.0 {
        let number = wanted.value.0;
        if let Some(BusinessKind::Location(account)) = references.numbers.get(&number) {
            findings
                .error(
                    "wrong-reference",
                    wanted.span,
                    format!("{number} is a location, and events are an account's"),
                )
                .help(format!("its account is {account}"));
        } else if references.numbers.contains_key(&number) {
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        } else {
            let accounts = references.numbers.iter().filter(|(_, what)| **what == BusinessKind::Account);
            unknown_number(findings, wanted.span, ("account", number), accounts.map(|(number, _)| *number));
        }
    }
    numbers
}

fn unknown_number(
    findings: &mut Findings,
    span: Span,
    (what, number): (&str, u64),
    numbers: impl Iterator<Item = u64>,
) {
    let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
    unknown_reference(findings, span, (what, &number.to_string()), numbers.iter().map(String::as_str));
}

/// Notes an error code that the API does not have; `or` is what else is allowed.
pub fn unknown_code(findings: &mut Findings, number: u32, span: Span, or: &str) {
    let numbers = CATALOGUE.map(|row| row.number.to_string());
    let numbers = numbers.iter().map(String::as_str);
    findings
        .error("unknown-code", span, format!("the API has no error {number}"))
        .suggest(&number.to_string(), numbers.clone())
        .help(format!("allowed: {}{or}", join_or(numbers)));
}

/// What there is to refer to in unit tests.
#[cfg(test)]
pub mod fixtures {
    use super::*;
    use crate::scenario::node::{Node, Value};
    use crate::scenario::source::{FileId, Sources};
    use crate::scenario::yaml;

    /// What a list in YAML (a scalar or map stands for a list of it) is validated to, and the codes of what was found: there is the account 100 with the location
    /// 1001, the key `demo-key` named `demo`, the fault `slow` and the event `post.published`.
    ///
    /// # Panics
    /// Where the text is not YAML.
    pub fn validate_yaml<T>(
        text: &str,
        validate: impl Fn(&mut Findings, &References, &[&Node]) -> T,
    ) -> (T, Vec<&'static str>) {
        let dialect = Dialect::default();
        let references = References {
            keys: vec![("demo-key", Some("demo"))],
            numbers: BTreeMap::from([(100, BusinessKind::Account), (1001, BusinessKind::Location(100))]),
            faults: vec!["slow".to_owned()],
            custom_codes: vec![],
            events: vec!["post.published".to_owned()],
            dialect: &dialect,
            frozen: false,
        };
        let mut findings = Findings::default();
        let mut sources = Sources::default();
        let file = sources.add("a.yaml".as_ref(), text.to_owned());
        assert_eq!(file, FileId(0));
        let node = yaml::parse(&mut findings, file, text).unwrap();
        let list = match &node.value {
            Value::List(list) => list.iter().collect(),
            Value::Null | Value::Scalar(_) | Value::Map(_) => vec![&node],
        };
        let validated = validate(&mut findings, &references, &list);
        (validated, findings.into_diagnostics(&sources).iter().map(|diagnostic| diagnostic.code).collect())
    }
}
