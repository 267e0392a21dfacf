//! Reads the section `scorecard`: thresholds of the scorecard's rules, and which rules are switched off.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use crate::expect::scorecard::settings::{Limit, Setting, Settings};
use crate::expect::scorecard::table::{self, Rule, TABLE, Threshold};
use crate::scenario::diagnostic::Findings;
use crate::scenario::node::{Entry, Node};
use crate::scenario::read::{Read, read_value};
use crate::scenario::report::{must_be, unknown_reference, wrong_value};
use crate::scenario::scalars::{Integer, number, parse_decimal, written};

/// The word that switches a rule off.
const OFF: &str = "off";

impl Read for Settings {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let Some(entries) = node.entries() else {
            must_be(findings, node, "a map of rules: `{attempts: {fail: 8}, same-read: off}`");
            return None;
        };
        let mut settings = BTreeMap::new();
        for entry in entries {
            let Some(rule) = table::rule(&entry.key) else {
                let ids = TABLE.iter().map(|rule| rule.id);
                unknown_reference(findings, entry.key_span, ("rule", &entry.key), ids);
                continue;
            };
            if !entry.value.is_null() {
                let outer = std::mem::replace(&mut findings.key, rule.id);
                let setting = setting(findings, rule, &entry.value);
                findings.key = outer;
                settings.extend(setting.map(|setting| (rule.id.to_owned(), setting)));
            }
        }
        Some(Self(settings))
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        let rules = TABLE.iter().map(|rule| (rule.id.to_owned(), rule_schema(rule))).collect::<Map<_, _>>();
        json!({ "type": "object", "properties": rules, "additionalProperties": false })
    }
}

/// Reads what a scenario says of a rule.
fn setting(findings: &mut Findings, rule: &Rule, node: &Node) -> Option<Setting> {
    if node.scalar().is_some_and(|scalar| &*scalar.text == OFF) {
        return Some(Setting::Off);
    }
    let Some(entries) = node.entries() else {
        let message = format!("`{}` must be `off` or a map of thresholds", rule.id);
        wrong_value(findings, node, &message);
        findings.help_last(&thresholds(rule));
        return None;
    };
    let limits = entries.iter().filter_map(|entry| {
        let Some(known) = rule.thresholds.iter().find(|known| *known.name == *entry.key) else {
            unknown_threshold(findings, rule, entry);
            return None;
        };
        let limit = read_limit(findings, known, &entry.value)?;
        Some((known.name.to_owned(), limit))
    });
    Some(Setting::Limits(limits.collect()))
}

fn unknown_threshold(findings: &mut Findings, rule: &Rule, entry: &Entry) {
    let message = format!("the rule `{}` has no threshold `{}`", rule.id, entry.key);
    let finding = findings.error("unknown-key", entry.key_span, message);
    finding.suggest(&entry.key, rule.thresholds.iter().map(|known| known.name));
    finding.help(thresholds(rule));
}

/// Which thresholds a rule has, with their defaults.
fn thresholds(rule: &Rule) -> String {
    if rule.thresholds.is_empty() {
        return format!("the rule has no thresholds: switch it off with `{}: {OFF}`", rule.id);
    }
    let all = rule.thresholds.iter().map(|known| format!("{}: {}", known.name, known.default));
    format!("its thresholds are `{{{}}}`", all.collect::<Vec<_>>().join(", "))
}

fn read_limit(findings: &mut Findings, threshold: &Threshold, node: &Node) -> Option<Limit> {
    match threshold.default {
        Limit::Time(_) => {
            read_value::<Duration>(findings, threshold.name, node).map(|read| Limit::Time(read.value))
        }
        Limit::Count(_) => {
            read_value::<Many>(findings, threshold.name, node).map(|read| Limit::Count(read.value.0))
        }
        Limit::Share(_) => {
            read_value::<Percent>(findings, threshold.name, node).map(|read| Limit::Share(read.value.0))
        }
        Limit::Factor(_) => {
            read_value::<Times>(findings, threshold.name, node).map(|read| Limit::Factor(read.value.0))
        }
    }
}

type Many = Integer<0, 1_000_000>;

/// A share that may be more than the whole, in parts per million.
struct Percent(u32);

impl Read for Percent {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let parts = written(node).and_then(|text| parse_decimal(text.strip_suffix('%')?.trim_end(), 4));
        let parts = parts.filter(|parts| *parts <= 10_000_000).and_then(|parts| u32::try_from(parts).ok());
        if parts.is_none() {
            must_be(findings, node, "a share of at most 1000%: `20%`");
        }
        parts.map(Self)
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "string", "pattern": "^([0-9]{1,3}(\\.[0-9]{1,4})?|1000(\\.0{1,4})?) *%$" })
    }
}

/// A factor, in thousandths.
struct Times(u32);

impl Read for Times {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let parts = node.scalar().and_then(number).and_then(|text| parse_decimal(&text, 3));
        let parts = parts.filter(|parts| *parts <= 100_000).and_then(|parts| u32::try_from(parts).ok());
        if parts.is_none() {
            must_be(findings, node, "a number from 0 to 100 with at most three decimals");
        }
        parts.map(Self)
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "number", "minimum": 0, "maximum": 100 })
    }
}

fn rule_schema(rule: &Rule) -> Json {
    let limits = rule.thresholds.iter().map(|known| {
        let mut unused = Map::new();
        let schema = match known.default {
            Limit::Time(_) => Duration::schema(&mut unused),
            Limit::Count(_) => Many::schema(&mut unused),
            Limit::Share(_) => Percent::schema(&mut unused),
            Limit::Factor(_) => Times::schema(&mut unused),
        };
        let description = format!("{} Default: {}.", sentence(known.what), known.default);
        (known.name.to_owned(), json!({ "anyOf": [schema, { "type": "null" }], "description": description }))
    });
    let limits = json!({ "type": "object", "properties": limits.collect::<Map<_, _>>(), "additionalProperties": false });
    json!({ "anyOf": [{ "const": OFF }, limits, { "type": "null" }], "description": rule.title })
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

/// Merges what an including file says into what the included one does: rule by rule, and threshold by threshold.
pub(crate) fn merge(base: &mut Settings, over: Settings) {
    for (rule, setting) in over.0 {
        match (base.0.get_mut(&rule), setting) {
            (Some(Setting::Limits(known)), Setting::Limits(limits)) => known.extend(limits),
            (_, setting) => {
                base.0.insert(rule, setting);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::scenario::shipped;

    #[test]
    fn every_rule_names_a_scenario_of_the_program() {
        let files = shipped::FILES.iter().filter_map(|(path, _)| Path::new(path).file_stem()?.to_str());
        let names: BTreeSet<&str> = files.collect();
        for rule in &TABLE {
            assert!(names.contains(rule.exercise), "{}: {}", rule.id, rule.exercise);
        }
    }
}
