//! Includes: what a file says in place of what it includes, or adds to it.

use std::collections::BTreeMap;

use crate::scenario::collections::Dictionary;
use crate::scenario::node::{Node, Value};
use crate::scenario::raw::{Dialect, List, ScenarioFile};
use crate::scenario::read::{RawMap, Spanned};

/// `over` laid over `base`: named lists entry by entry, maps key by key, all else whole.
#[must_use]
pub fn over(mut base: ScenarioFile, mut over: ScenarioFile) -> ScenarioFile {
    let name = |node: &Node| Some(node.get("name")?.scalar()?.text.to_string());
    over.keys = lists(base.keys.take(), over.keys, |key| key.key.as_ref().map(|key| key.value.0.clone()));
    over.businesses = lists(base.businesses.take(), over.businesses, |business| {
        business.number.map(|number| number.value.0.to_string())
    });
    over.faults = lists(base.faults.take(), over.faults, name);
    over.expect = lists(base.expect.take(), over.expect, name);
    over.routes = lists(base.routes.take(), over.routes, name);
    over.clock = maps(base.clock.take(), over.clock, RawMap::merge);
    over.dialect = maps(base.dialect.take(), over.dialect, dialect);
    over.webhooks = maps(base.webhooks.take(), over.webhooks, |base, over| nodes(base, over, &["events"]));
    base.merge(over);
    base
}

fn lists<T>(
    base: Option<Spanned<List<T>>>,
    over: Option<Spanned<List<T>>>,
    name: impl Fn(&T) -> Option<String>,
) -> Option<Spanned<List<T>>> {
    let (base, over) = match (base, over) {
        (Some(base), Some(over)) => (base, over),
        (base, over) => return over.or(base),
    };
    let mut merged = base.value;
    // Entries of one file never replace each other: two of one name are a mistake, to be told.
    let mut places: BTreeMap<String, usize> = merged
        .iter()
        .enumerate()
        .rev()
        .filter_map(|(place, entry)| Some((name(&entry.value)?, place)))
        .collect();
    for entry in over.value {
        match name(&entry.value).and_then(|name| places.remove(&name)) {
            Some(place) => merged[place] = entry,
            None => merged.push(entry),
        }
    }
    Some(Spanned { span: over.span, value: merged })
}

fn maps<T>(
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

fn dialect(base: &mut Dialect, mut over: Dialect) {
    over.names = maps(base.names.take(), over.names, RawMap::merge);
    over.statuses = maps(base.statuses.take(), over.statuses, members);
    over.sources = maps(base.sources.take(), over.sources, members);
    base.merge(over);
}

fn members<T>(base: &mut Dictionary<T>, over: Dictionary<T>) {
    let mut places = places(base.0.iter().map(|member| member.key.clone()));
    for member in over.0 {
        match places.remove(&member.key) {
            Some(place) => base.0[place] = member,
            None => base.0.push(member),
        }
    }
}

fn places(keys: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    keys.enumerate().map(|(place, key)| (key, place)).collect()
}

/// The same for a map not yet looked into; the maps under `deep` are merged key by key too.
fn nodes(base: &mut Node, over: Node, deep: &[&str]) {
    let (Value::Map(entries), Value::Map(more)) = (&mut base.value, &over.value) else {
        *base = over;
        return;
    };
    let mut places = places(entries.iter().map(|entry| entry.key.to_string()));
    for entry in more {
        match places.remove(&*entry.key) {
            Some(place) if deep.contains(&&*entry.key) => {
                nodes(&mut entries[place].value, entry.value.clone(), &[]);
            }
            Some(place) => entries[place] = entry.clone(),
            None => entries.push(entry.clone()),
        }
    }
    base.span = over.span;
}
