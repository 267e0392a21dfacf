//! Values that differ from run to run, such as random ids and the time of day. They are learnt from baselines, and not configured.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::expect::call::Call;

/// Most calls of one kind of which the most alike are paired. Of more, they are paired in their order.
const MOST_COMPARED: usize = 300;

/// Something that is compared between runs: a call, or what is stored at the end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    /// What it is. Masks belong to it. For a call, the name of its operation.
    pub(crate) kind: String,
    /// What never differs between two that are paired: for a call, its method and its key.
    pub(crate) fixed: String,
    /// All its values by their places, such as `body /externalId`, `query count` or `path`.
    pub(crate) values: BTreeMap<String, Value>,
}

impl Item {
    pub(crate) fn of_call(call: &Call) -> Self {
        let mut values = BTreeMap::from([("path".to_owned(), json!(call.path))]);
        for (name, value) in &call.query {
            let place = format!("query {name}");
            // A parameter may be there several times.
            let known = values.remove(&place);
            let value = match known {
                Some(Value::Array(mut list)) => {
                    list.push(json!(value));
                    Value::Array(list)
                }
                Some(first) => json!([first, value]),
                None => json!(value),
            };
            values.insert(place, value);
        }
        let mut body = call.body.clone();
        if let Some(members) = body.as_object_mut() {
            members.remove("apiKey");
        }
        leaves(&mut values, "body ", &body);
        let fixed = format!("{} {}", call.method, call.key.as_deref().unwrap_or_default());
        Self { kind: kind(call).to_owned(), fixed, values }
    }

    /// A stored contact or subscription, without the ids that the API gives.
    pub(crate) fn of_stored(kind: &str, stored: &Value) -> Self {
        let mut stored = stored.clone();
        if let Some(members) = stored.as_object_mut() {
            members.remove("id");
            members.remove("subscriptionId");
        }
        let mut values = BTreeMap::new();
        leaves(&mut values, "", &stored);
        Self { kind: kind.to_owned(), fixed: String::new(), values }
    }

    fn differences<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a String> {
        let differs =
            |(place, value): (&'a String, &Value)| (other.values.get(place) != Some(value)).then_some(place);
        self.values.iter().filter_map(differs)
    }

    /// Whether both have values at the same places.
    fn is_like(&self, other: &Self) -> bool {
        self.fixed == other.fixed && self.values.keys().eq(other.values.keys())
    }

    /// Its identity: all that it says but for masked values and the given places.
    pub(crate) fn identity(&self, masks: &Masks, without: impl Fn(&str) -> bool) -> String {
        let shown: Map<String, Value> = self
            .values
            .iter()
            .filter(|(place, _)| !without(place))
            .map(|(place, value)| {
                let is_masked = masks.has(&self.kind, place);
                (place.clone(), if is_masked { json!({ "masked": true }) } else { value.clone() })
            })
            .collect();
        json!([self.kind, self.fixed, shown]).to_string()
    }

    /// Whether a mask hides a value of it.
    pub(crate) fn is_masked(&self, masks: &Masks) -> bool {
        self.values.keys().any(|place| masks.has(&self.kind, place))
    }
}

/// What masks of a call belong to.
pub(crate) fn kind(call: &Call) -> &'static str {
    call.operation.map_or("", |operation| operation.name())
}

/// The scalars of a JSON value by their JSON Pointers. Empty lists and maps are taken for scalars.
fn leaves(values: &mut BTreeMap<String, Value>, place: &str, value: &Value) {
    match value {
        Value::Array(list) if !list.is_empty() => {
            for (index, element) in list.iter().enumerate() {
                leaves(values, &format!("{place}/{index}"), element);
            }
        }
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                leaves(values, &format!("{place}/{name}"), member);
            }
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => {
            values.insert(place.to_owned(), value.clone());
        }
    }
}

/// Places whose values are not compared, each with the kind of item that has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Masks(pub(crate) BTreeSet<(String, String)>);

impl Masks {
    pub(crate) fn has(&self, kind: &str, place: &str) -> bool {
        // Without the search, most clients would pay for two strings for each value of each call.
        !self.0.is_empty() && self.0.contains(&(kind.to_owned(), place.to_owned()))
    }

    /// Learns what differs between two runs. Equal items are no matter; of the others, those that are most alike are compared.
    pub(crate) fn learn(&mut self, one: &[Item], other: &[Item]) {
        let (left, right) = apart(one, other, &Self::default());
        let mut right: Vec<Option<&Item>> = right.into_iter().map(Some).collect();
        let is_large = left.len() > MOST_COMPARED;
        for item in left {
            let candidates = right.iter().enumerate().filter_map(|(at, other)| Some((at, (*other)?)));
            let mut alike = candidates.filter(|(_, other)| other.kind == item.kind && other.is_like(item));
            let found = if is_large {
                alike.next()
            } else {
                alike.min_by_key(|(_, other)| item.differences(other).count())
            };
            if let Some((at, other)) = found {
                let places = item.differences(other).map(|place| (item.kind.clone(), place.clone()));
                self.0.extend(places);
                right[at] = None;
            }
        }
    }
}

/// The items of two runs that have no counterpart in the other one, each in their order.
pub(crate) fn apart<'a>(one: &'a [Item], other: &'a [Item], masks: &Masks) -> (Vec<&'a Item>, Vec<&'a Item>) {
    (missing(one, other, masks), missing(other, one, masks))
}

/// The items of the first run that the other one does not have.
fn missing<'a>(one: &'a [Item], other: &[Item], masks: &Masks) -> Vec<&'a Item> {
    let mut left: BTreeMap<String, usize> = BTreeMap::new();
    for item in other {
        *left.entry(item.identity(masks, |_| false)).or_default() += 1;
    }
    let is_new = |item: &&Item| match left.get_mut(&item.identity(masks, |_| false)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    one.iter().filter(is_new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(kind: &str, values: &Value) -> Item {
        let mut all = BTreeMap::new();
        leaves(&mut all, "body ", values);
        Item { kind: kind.to_owned(), fixed: "POST key".to_owned(), values: all }
    }

    #[test]
    fn a_random_id_and_the_time_of_day_are_masked_and_nothing_else() {
        let run = |id: u32, time: &str| {
            let ann = json!({ "name": "Ann", "externalId": id, "custom": [{ "at": time }] });
            let bob = json!({ "name": "Bob", "externalId": id + 1, "custom": [{ "at": time }] });
            vec![item("contact", &ann), item("contact", &bob), item("qna", &json!({ "startIndex": 0 }))]
        };
        let (one, mut other) = (run(7, "09:12:01"), run(90, "09:12:02"));
        other.swap(0, 1);
        let mut masks = Masks::default();
        masks.learn(&one, &other);
        let wanted = ["body /custom/0/at", "body /externalId"];
        assert_eq!(masks.0, wanted.map(|place| ("contact".to_owned(), place.to_owned())).into());
        assert_eq!(apart(&one, &other, &masks), (Vec::new(), Vec::new()));
        assert!(other[0].is_masked(&masks) && !other[2].is_masked(&masks));
    }

    #[test]
    fn calls_that_only_one_run_has_are_apart() {
        let (one, two) = (item("qna", &json!({ "startIndex": 0 })), item("reviews", &json!({})));
        let (first, second) = ([one.clone(), two.clone()], [one.clone(), one.clone()]);
        let mut masks = Masks::default();
        masks.learn(&first, &second);
        assert_eq!(masks, Masks::default());
        assert_eq!(apart(&first, &second, &masks), (vec![&two], vec![&one]));
    }
}
