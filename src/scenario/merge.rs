//! Merges a scenario file with the files that it includes.

use std::collections::{BTreeMap, BTreeSet};

use crate::scenario::collections::Dictionary;
use crate::scenario::node::{Node, Value};
use crate::scenario::raw::{Dialect, List, ScenarioFile};
use crate::scenario::read::{RawMap, Spanned};
use crate::scenario::scorecard;

/// Merges `over` into `base`. A list entry replaces the entry of the same name, maps are merged key by key, and any other
/// value is replaced whole.
pub(crate) fn merge(mut base: ScenarioFile, mut over: ScenarioFile) -> ScenarioFile {
    let name = |node: &Node| Some(node.get("name")?.scalar()?.text.to_string());
    let label = |node: &Node| Some(node.get("label")?.scalar()?.text.to_string());
    over.keys =
        merge_lists(base.keys.take(), over.keys, |key| key.key.as_ref().map(|key| key.value.0.clone()));
    over.businesses = merge_lists(base.businesses.take(), over.businesses, |business| {
        business.number.map(|number| number.value.0.to_string())
    });
    over.faults = merge_lists(base.faults.take(), over.faults, name);
    over.expect = merge_lists(base.expect.take(), over.expect, name);
    over.routes = merge_lists(base.routes.take(), over.routes, name);
    over.demo = merge_lists(base.demo.take(), over.demo, label);
    over.clock = merge_values(base.clock.take(), over.clock, RawMap::merge);
    over.dialect = merge_values(base.dialect.take(), over.dialect, merge_dialects);
    over.webhooks = merge_values(base.webhooks.take(), over.webhooks, |base, over| {
        merge_nodes(base, over, &["events"]);
    });
    over.scorecard = merge_values(base.scorecard.take(), over.scorecard, scorecard::merge);
    base.merge(over);
    base
}

fn merge_lists<T>(
    base: Option<Spanned<List<T>>>,
    over: Option<Spanned<List<T>>>,
    name: impl Fn(&T) -> Option<String>,
) -> Option<Spanned<List<T>>> {
    merge_values(base, over, |base, over| {
        // The entries of one file never replace each other: two of the same name are an error, which is reported later.
        let wanted: BTreeSet<String> = over.iter().filter_map(|entry| name(&entry.value)).collect();
        let mut positions: BTreeMap<String, usize> = base
            .iter()
            .enumerate()
            .rev()
            .filter_map(|(position, entry)| Some((name(&entry.value)?, position)))
            .filter(|(name, _)| wanted.contains(name))
            .collect();
        for entry in over {
            match name(&entry.value).and_then(|name| positions.remove(&name)) {
                Some(position) => base[position] = entry,
                None => base.push(entry),
            }
        }
    })
}

/// Merges two values if both are present.
fn merge_values<T>(
    base: Option<Spanned<T>>,
    over: Option<Spanned<T>>,
    merge: impl FnOnce(&mut T, T),
) -> Option<Spanned<T>> {
    match (base, over) {
        (Some(mut base), Some(over)) => {
            merge(&mut base.value, over.value);
            Some(Spanned { span: over.span, value: base.value })
        }
        (base, over) => over.or(base),
    }
}

fn merge_dialects(base: &mut Dialect, mut over: Dialect) {
    over.names = merge_values(base.names.take(), over.names, RawMap::merge);
    over.statuses = merge_values(base.statuses.take(), over.statuses, merge_dictionaries);
    over.sources = merge_values(base.sources.take(), over.sources, merge_dictionaries);
    base.merge(over);
}

fn merge_dictionaries<T>(base: &mut Dictionary<T>, over: Dictionary<T>) {
    let mut positions = positions(base.0.iter().map(|member| member.key.clone()));
    for member in over.0 {
        match positions.remove(&member.key) {
            Some(position) => base.0[position] = member,
            None => base.0.push(member),
        }
    }
}

fn positions(keys: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    keys.enumerate().map(|(position, key)| (key, position)).collect()
}

/// Merges two maps that are still plain nodes. The maps under the keys in `deep` are merged key by key too.
fn merge_nodes(base: &mut Node, over: Node, deep: &[&str]) {
    match (&mut base.value, over.value) {
        (Value::Map(entries), Value::Map(more)) => {
            let mut positions = positions(entries.iter().map(|entry| entry.key.to_string()));
            for entry in more {
                match positions.remove(&*entry.key) {
                    Some(position) if deep.contains(&&*entry.key) => {
                        merge_nodes(&mut entries[position].value, entry.value, &[]);
                    }
                    Some(position) => entries[position] = entry,
                    None => entries.push(entry),
                }
            }
        }
        (_, value) => base.value = value,
    }
    base.span = over.span;
}
