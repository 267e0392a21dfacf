//! What routes store in a world: values by name and key, in the order in which they were first stored.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

/// A value with the number of its first arrival.
pub(super) type Arrived = (u64, Arc<Value>);

/// The values under one name. A request reads the state of one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shelf {
    by_key: BTreeMap<String, Arrived>,
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

    /// Stores a value, and returns what was there before.
    fn put(&mut self, key: String, value: Arc<Value>) -> Option<Arrived> {
        if let Some((arrival, known)) = self.by_key.get_mut(&key) {
            return Some((*arrival, std::mem::replace(known, value)));
        }
        self.arrivals += 1;
        self.put_at(key, (self.arrivals, value));
        None
    }

    fn put_at(&mut self, key: String, arrived: Arrived) {
        self.by_arrival.insert(arrived.0, key.clone());
        self.by_key.insert(key, arrived);
    }

    fn remove(&mut self, key: &str) -> Option<Arrived> {
        let (arrival, value) = self.by_key.remove(key)?;
        self.by_arrival.remove(&arrival);
        Some((arrival, value))
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

    pub(super) fn put(&mut self, name: &str, key: String, value: Arc<Value>) -> Option<Arrived> {
        self.shelf(name).put(key, value)
    }

    pub(super) fn remove(&mut self, name: &str, key: &str) -> Option<Arrived> {
        self.0.get(name)?.get(key)?;
        self.shelf(name).remove(key)
    }

    /// Puts a value back at its place in the order.
    pub(super) fn put_back(&mut self, name: &str, key: String, arrived: Arrived) {
        self.shelf(name).put_at(key, arrived);
    }

    fn shelf(&mut self, name: &str) -> &mut Shelf {
        Arc::make_mut(self.0.entry(name.to_owned()).or_default())
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
