//! The names that the templates of a route see. Only those are made that the templates of the route use.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use minijinja::Value;
use minijinja::value::{Enumerator, Object, ObjectExt, Serde};
use serde_json::json;

use crate::clock::Moment;
use crate::draw::Seed;
use crate::fault::request::Request;
use crate::ledger::stored::Shelf;
use crate::route::Route;
use crate::route::facts::{DRAWS, DataFunction, DrawFunction, Draws, FUNCTIONS, Facts, now};
use crate::route::filters::TextWithMembers;
use crate::route::records::as_key;
use crate::template::compiled::serialized;

/// A request to a route, and all that decides its answer.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) route: &'a Route,
    pub(crate) request: &'a Request<'a>,
    pub(crate) facts: Arc<dyn Facts>,
    pub(crate) now: Moment,
    pub(crate) seed: Seed,
    /// How often the fingerprint was seen, from 1.
    pub(crate) attempt: u32,
}

/// The values of a route's names for one request.
#[derive(Debug)]
pub(crate) struct Context {
    names: BTreeMap<String, Value>,
}

impl Context {
    pub(crate) fn new(asked: &Asked<'_>) -> Self {
        let Asked { route, request, facts, seed, attempt, .. } = asked;
        let wanted = |name: &str| route.names.contains(name);
        let mut names = BTreeMap::new();
        for name in &route.names {
            if let Some(value) = value(asked, name) {
                names.insert(name.clone(), value);
            }
        }
        for name in FUNCTIONS.into_iter().filter(|name| wanted(name)) {
            names.insert(name.to_owned(), data_function(name, facts));
        }
        if DRAWS.into_iter().any(wanted) {
            let draws = Arc::new(Draws::new(*seed, &route.name, request.fingerprint(), *attempt));
            for name in DRAWS {
                let function = DrawFunction { name, draws: Arc::clone(&draws) };
                names.insert(name.to_owned(), Value::from_object(function));
            }
        }
        let mut context = Self { names };
        context.read_shelves(asked);
        context
    }

    /// Sets a name.
    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.names.insert(name.to_owned(), value);
    }

    /// Reads what is stored now, under the names that the templates use.
    pub(crate) fn read_shelves(&mut self, asked: &Asked<'_>) {
        let is_stored = |name: &&String| !is_built_in(name);
        let mut names = asked.route.names.iter().filter(is_stored).peekable();
        if names.peek().is_none() {
            return;
        }
        let ledger = asked.facts.ledger().lock().unwrap_or_else(PoisonError::into_inner);
        for name in names {
            self.names.insert(name.clone(), Value::from_object(StoredValues(ledger.shelves.of(name))));
        }
    }

    /// The root of the context, as templates take it.
    pub(crate) fn root(&self) -> Value {
        Value::from_pairs(self.names.iter().map(|(name, value)| (name.as_str(), value.clone())))
    }
}

/// The names that a template sees without a request: the functions over the data, and the time.
pub(crate) fn without_request(facts: &Arc<dyn Facts>, moment: Moment) -> Value {
    let function = |name| (name, data_function(name, facts));
    let times = [("now", now(moment)), ("today", Value::from(moment.day().iso()))];
    Value::from_pairs(FUNCTIONS.into_iter().map(function).chain(times))
}

fn data_function(name: &'static str, facts: &Arc<dyn Facts>) -> Value {
    Value::from_object(DataFunction { name, facts: Arc::clone(facts) })
}

/// Whether a name is one that a template sees without a request.
pub(crate) fn needs_no_request(name: &str) -> bool {
    FUNCTIONS.contains(&name) || ["now", "today", "range", "loop"].contains(&name)
}

/// Whether a name is not one that routes store.
pub(crate) fn is_built_in(name: &str) -> bool {
    FUNCTIONS.contains(&name)
        || DRAWS.contains(&name)
        || crate::route::VALUES.contains(&name)
        || ["range", "loop"].contains(&name)
}

fn value(asked: &Asked<'_>, name: &str) -> Option<Value> {
    let Asked { route, request, facts, .. } = asked;
    let call = request.call;
    Some(match name {
        "path" => {
            let plain = crate::route::path::plain(call.path);
            let parameters = route.path.values(plain);
            Value::from_pairs(parameters.into_iter().map(|(name, value)| (name, Value::from(value.as_ref()))))
        }
        "query" => {
            let mut first: BTreeMap<String, Value> = BTreeMap::new();
            for (name, value) in call.parameters().filter(|(name, _)| name != "api_key") {
                first.entry(name.into_owned()).or_insert_with(|| Value::from(value.as_ref()));
            }
            Value::from_pairs(first)
        }
        "queries" => {
            let mut all: BTreeMap<String, Vec<Value>> = BTreeMap::new();
            for (name, value) in call.parameters().filter(|(name, _)| name != "api_key") {
                all.entry(name.into_owned()).or_default().push(Value::from(value.as_ref()));
            }
            Value::from_pairs(all)
        }
        "header" => {
            let mut first: BTreeMap<String, Value> = BTreeMap::new();
            for (name, value) in &call.headers {
                let value = String::from_utf8_lossy(value);
                first.entry((*name).to_owned()).or_insert_with(|| Value::from(value.trim()));
            }
            Value::from_pairs(first)
        }
        "body" => match request.json() {
            Some(json) => serialized(json),
            None if call.bytes().is_empty() => Value::from(()),
            None => Value::from(String::from_utf8_lossy(call.bytes()).as_ref()),
        },
        "key" => {
            let known = facts.key();
            let members = json!({
                "name": known.and_then(|key| key.name.clone()),
                "accounts": known.and_then(|key| key.accounts.clone()),
            });
            let text = request.key.unwrap_or_default().to_owned();
            Value::from_object(TextWithMembers { text, members: serialized(&members) })
        }
        "now" => now(asked.now),
        "today" => Value::from(asked.now.day().iso()),
        "method" => Value::from(call.method),
        _ => return None,
    })
}

/// What routes stored under one name. Its keys are text.
#[derive(Debug)]
struct StoredValues(Arc<Shelf>);

impl Object for StoredValues {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.0.get(&as_key(key)).map(|value| Value::from(Serde(&**value)))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        self.mapped_enumerator(|stored| Box::new(stored.0.keys().map(Value::from)))
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        Some(self.0.len())
    }
}
