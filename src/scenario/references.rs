//! The names and numbers that faults, webhooks, expectations and routes may refer to.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::api::dialect::Dialect;
use crate::api::error::CATALOGUE;
use crate::api::operation::Operation;
use crate::auth::Key;
use crate::dataset::records::Business;
use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::{Findings, join_or};
use crate::scenario::read::Spanned;
use crate::scenario::report::unknown_reference;
use crate::scenario::scalars::{Id, Integer};
use crate::scenario::source::Span;

#[derive(Clone, Debug)]
pub(crate) struct References<'a> {
    /// API keys with their names. If there are none, a reference to any key is valid.
    pub(crate) keys: Vec<(&'a str, Option<&'a str>)>,
    /// Keys by themselves and by name; made when it is first used.
    pub(crate) keys_by_word: OnceCell<HashMap<&'a str, &'a str>>,
    pub(crate) numbers: BTreeMap<u64, BusinessKind>,
    pub(crate) faults: Vec<String>,
    /// The operations of the scenario's routes.
    pub(crate) routes: Vec<Operation>,
    /// Error codes outside the catalogue that faults inject.
    pub(crate) custom_codes: Vec<u32>,
    /// Names of the events that the scenario defines.
    pub(crate) events: Vec<String>,
    pub(crate) dialect: &'a Dialect,
    /// Whether the clock is frozen.
    pub(crate) frozen: bool,
}

/// What a business number belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BusinessKind {
    Account,
    /// A location, with the number of its account.
    Location(u64),
}

impl<'a> References<'a> {
    /// The references to keys and businesses. The caller adds names of faults and events.
    pub(crate) fn new(keys: &'a [Key], businesses: &[Business], dialect: &'a Dialect, frozen: bool) -> Self {
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
            keys_by_word: OnceCell::new(),
            numbers,
            faults: Vec::new(),
            routes: Vec::new(),
            custom_codes: Vec::new(),
            events: Vec::new(),
            dialect,
            frozen,
        }
    }
}

impl<'a> References<'a> {
    /// The key that is written as itself or by its name. A key takes precedence over another key that has it as its name.
    pub(crate) fn key(&self, word: &str) -> Option<&'a str> {
        let by_word = self.keys_by_word.get_or_init(|| {
            let by_name = self.keys.iter().rev().filter_map(|(key, name)| Some(((*name)?, *key)));
            by_name.chain(self.keys.iter().map(|(key, _)| (*key, *key))).collect()
        });
        by_word.get(word).copied()
    }
}

/// Returns the numbers that belong to a business, without repetitions. Reports the others.
pub(crate) fn check_businesses(
    findings: &mut Findings,
    references: &References,
    wanted: &OneOrMany<Id>,
) -> Vec<u64> {
    let (mut numbers, mut seen) = (Vec::new(), BTreeSet::new());
    for Spanned { span, value: Integer(number) } in &wanted.0 {
        if !references.numbers.contains_key(number) {
            unknown_number(findings, *span, ("business", *number), references.numbers.keys().copied());
        } else if seen.insert(*number) {
            numbers.push(*number);
        }
    }
    numbers
}

/// Returns the numbers that belong to an account, without repetitions. Reports the others.
pub(crate) fn check_accounts(
    findings: &mut Findings,
    references: &References,
    wanted: &OneOrMany<Id>,
) -> Vec<u64> {
    let (mut numbers, mut seen) = (Vec::new(), BTreeSet::new());
    for Spanned { span, value: Integer(number) } in &wanted.0 {
        match references.numbers.get(number) {
            Some(BusinessKind::Account) => {
                if seen.insert(*number) {
                    numbers.push(*number);
                }
            }
            Some(BusinessKind::Location(account)) => {
                let message = format!("{number} is a location, but an account is needed here");
                findings.error("wrong-reference", *span, message).help(format!("its account is {account}"));
            }
            None => {
                let accounts = references.numbers.iter().filter(|(_, kind)| **kind == BusinessKind::Account);
                unknown_number(findings, *span, ("account", *number), accounts.map(|(number, _)| *number));
            }
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
    let shown = findings.has_room(span);
    let numbers: Vec<String> = numbers.filter(|_| shown).map(|number| number.to_string()).collect();
    unknown_reference(findings, span, (what, &number.to_string()), numbers.iter().map(String::as_str));
}

/// Reports an error code that the API does not have. `or` is appended to the list of allowed codes.
pub(crate) fn unknown_code(findings: &mut Findings, number: u32, span: Span, or: &str) {
    let numbers = CATALOGUE.map(|row| row.number.to_string());
    let numbers = numbers.iter().map(String::as_str);
    findings
        .error("unknown-code", span, format!("the API has no error {number}"))
        .suggest(&number.to_string(), numbers.clone())
        .help(format!("allowed: {}{or}", join_or(numbers)));
}

#[cfg(test)]
pub(crate) mod fixtures {
    use super::*;
    use crate::scenario::node::{Node, Value};
    use crate::scenario::source::{FileId, Sources};
    use crate::scenario::yaml;

    /// Validates a YAML list, or a single entry, and returns the result with the codes of all diagnostics. There are the
    /// account 100 with the location 1001, the key `demo-key` named `demo`, the fault `slow` and the event
    /// `post.published`.
    pub(crate) fn validate_yaml<T>(
        text: &str,
        validate: impl Fn(&mut Findings, &References, &[&Node]) -> T,
    ) -> (T, Vec<&'static str>) {
        let dialect = Dialect::default();
        let references = References {
            keys: vec![("demo-key", Some("demo"))],
            keys_by_word: OnceCell::new(),
            numbers: BTreeMap::from([(100, BusinessKind::Account), (1001, BusinessKind::Location(100))]),
            faults: vec!["slow".to_owned()],
            routes: Operation::of_route("a-route").into_iter().collect(),
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
        let result = validate(&mut findings, &references, &list);
        (result, findings.into_diagnostics(&sources).iter().map(|diagnostic| diagnostic.code).collect())
    }
}
