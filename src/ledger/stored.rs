//! What routes store in a world: values by name and key, in the order in which they were first stored.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

/// The values under one name. A request reads the state of one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shelf {
    /// Each value with the number of its first arrival.
    by_key: BTreeMap<String, (u64, Arc<Value>)>,
    by_arrival: BTreeMap<u64, String>,
    arrivals: u64,
}

impl Shelf {
    pub(crate) fn get(&self, key: &str) -> Option<&Arc<Value>> {
        self.by_key.get(key).map(|(_, value)| value)
    }

    pub(crate) fn len(&self) -> usize {
        self.by_key.len()
    }

    /// The keys in the order in which they were first stored.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.by_arrival.values().map(String::as_str)
    }

    fn put(&mut self, key: String, value: Value) {
        if let Some((_, known)) = self.by_key.get_mut(&key) {
            *known = Arc::new(value);
            return;
        }
        self.arrivals += 1;
        self.by_arrival.insert(self.arrivals, key.clone());
        self.by_key.insert(key, (self.arrivals, Arc::new(value)));
    }

    fn remove(&mut self, key: &str) -> Option<Arc<Value>> {
        let (arrival, value) = self.by_key.remove(key)?;
        self.by_arrival.remove(&arrival);
        Some(value)
    }
}

/// All that routes stored in a world.
#[derive(Debug, Default)]
pub(crate) struct Shelves(BTreeMap<String, Arc<Shelf>>);

impl Shelves {
    /// The values under a name, none at first.
    pub(crate) fn of(&self, name: &str) -> Arc<Shelf> {
        self.0.get(name).cloned().unwrap_or_default()
    }

    /// All values by name, with their keys in the order in which they were first stored.
    pub(super) fn all(&self) -> impl Iterator<Item = (String, Vec<(String, Value)>)> {
        self.0.iter().map(|(name, shelf)| {
            let value = |key: &str| Some((key.to_owned(), Value::clone(shelf.get(key)?)));
            (name.clone(), shelf.keys().filter_map(value).collect())
        })
    }

    pub(super) fn put(&mut self, name: &str, key: String, value: Value) {
        Arc::make_mut(self.0.entry(name.to_owned()).or_default()).put(key, value);
    }

    pub(super) fn remove(&mut self, name: &str, key: &str) -> Option<Arc<Value>> {
        let values = self.0.get_mut(name)?;
        values.get(key)?;
        Arc::make_mut(values).remove(key)
    }
}

/// About how many bytes a stored value takes with its key.
pub(super) fn size(key: &str, value: &Value) -> usize {
    fn of(value: &Value) -> usize {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => 32,
            Value::String(text) => 56 + text.len(),
            Value::Array(list) => 64 + list.iter().map(of).sum::<usize>(),
            Value::Object(members) => {
                64 + members.iter().map(|(name, value)| 64 + name.len() + of(value)).sum::<usize>()
            }
        }
    }
    200 + 2 * key.len() + of(value)
}
