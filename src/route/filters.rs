//! The filters of routes: those of all templates, and those for lists of records. Long lists of reviews are filtered, counted
//! and averaged by their columns.

#![expect(clippy::needless_pass_by_value, reason = "minijinja passes the arguments of filters by value")]

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use minijinja::value::{Kwargs, Object, ObjectRepr, Rest, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, UndefinedBehavior, Value, filters};

use crate::api::dates::Day;
use crate::clock::Moment;
use crate::route::records::{Records, as_key};
use crate::template::{self, Left, measured, spend, too_large, weigh};

/// What routes are rendered in. A member that is missing is empty.
pub(crate) static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = template::environment(UndefinedBehavior::Chainable);
    environment.add_filter("average", average);
    environment.add_filter("sum", sum);
    environment.add_filter("group", group);
    environment.add_filter("sort_by", sort_by);
    environment.add_filter("page", page);
    environment.add_filter("date", date);
    environment.add_filter("merge", merge);
    environment.add_filter("values", values);
    environment.add_filter("times", times);
    environment.add_filter("last", last);
    environment.add_filter("round", round);
    let select = |keep: bool, name: &'static str, plain: Value| {
        let plain = measured(name, weigh, plain);
        move |state: &mut State<'_, '_>, args: Rest<Value>, kwargs: Kwargs| match select_records(
            state, keep, &args,
        ) {
            Some(selected) => selected,
            None => plain(state, args, kwargs),
        }
    };
    let selectattr = Value::from_function(filters::selectattr);
    let rejectattr = Value::from_function(filters::rejectattr);
    environment.add_filter("selectattr", select(true, "selectattr", selectattr));
    environment.add_filter("rejectattr", select(false, "rejectattr", rejectattr));
    environment
});

/// The filters that exist, for suggestions.
pub(crate) const NAMES: [&str; 47] = [
    "abs",
    "average",
    "capitalize",
    "count",
    "date",
    "default",
    "dictsort",
    "escape",
    "first",
    "float",
    "group",
    "groupby",
    "int",
    "items",
    "join",
    "last",
    "length",
    "lines",
    "list",
    "lower",
    "map",
    "max",
    "merge",
    "min",
    "page",
    "reject",
    "rejectattr",
    "replace",
    "reverse",
    "round",
    "safe",
    "select",
    "selectattr",
    "sort",
    "sort_by",
    "split",
    "string",
    "sum",
    "times",
    "title",
    "tojson",
    "trim",
    "unique",
    "upper",
    "values",
    "d",
    "e",
];

fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, message.into())
}

/// `selectattr('rating', 'eq', 5)` of records, without rendering them. None for other values, and without a test.
fn select_records(state: &mut State<'_, '_>, keep: bool, args: &Rest<Value>) -> Option<Result<Value, Error>> {
    let [list, member, rest @ ..] = args.0.as_slice() else { return None };
    let (records, member) = (list.downcast_object_ref::<Records>()?, member.as_str()?);
    let weight = records.weight(member);
    let left = &mut Left::of(state).values;
    let Some(less) = left.checked_sub(weight) else { return Some(Err(too_large("selectattr"))) };
    *left = less;
    let (test, operand) = match rest {
        [] => ("true", Value::UNDEFINED),
        [test] => (test.as_str()?, Value::UNDEFINED),
        [test, operand] => (test.as_str()?, operand.clone()),
        _ => return None,
    };
    let holds = |value: &Value| match test {
        "true" => Some(value.is_true()),
        "eq" | "equalto" | "==" => Some(*value == operand),
        "ne" | "!=" => Some(*value != operand),
        "lt" | "lessthan" | "<" => Some(*value < operand),
        "le" | "<=" => Some(*value <= operand),
        "gt" | "greaterthan" | ">" => Some(*value > operand),
        "ge" | ">=" => Some(*value >= operand),
        "in" => Some(operand.try_iter().ok()?.any(|one| one == *value)),
        _ => None,
    };
    // Another test goes the long way.
    holds(&Value::from(0))?;
    Some(Ok(records.retain(|record| holds(&records.member(record, member)) == Some(keep))))
}

/// The members of the elements of a list, or the elements themselves.
fn members(state: &mut State<'_, '_>, list: &Value, member: Option<&str>) -> Result<Vec<Value>, Error> {
    if let (Some(records), Some(member)) = (list.downcast_object_ref::<Records>(), member) {
        let left = &mut Left::of(state).values;
        *left = left.checked_sub(records.weight(member)).ok_or_else(|| too_large(member))?;
        return Ok(records.list.iter().map(|record| records.member(record, member)).collect());
    }
    spend(state, "members", weigh, std::slice::from_ref(list))?;
    list.try_iter()?
        .map(|element| match member {
            Some(member) => element.get_attr(member),
            None => Ok(element),
        })
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "the mean of so many numbers is none that anybody compares")]
fn average(state: &mut State<'_, '_>, list: Value, member: Option<String>) -> Result<f64, Error> {
    let numbers = numbers(state, &list, member.as_deref())?;
    if numbers.is_empty() { Ok(0.0) } else { Ok(numbers.iter().sum::<f64>() / numbers.len() as f64) }
}

/// `round(1)` of a number, with halves away from zero as in the operations. That of minijinja rounds them to the even digit.
fn round(value: Value, precision: Option<i32>, method: Option<&str>, named: Kwargs) -> Result<Value, Error> {
    let precision = precision.or(named.get("precision")?).unwrap_or_default();
    let method = method.or(named.get("method")?);
    named.assert_all_used()?;
    if !value.is_integer() && value.kind() == ValueKind::Number && matches!(method, None | Some("common")) {
        let (number, scale) = (f64::try_from(value.clone())?, 10_f64.powi(precision));
        let rounded = (number * scale).round() / scale;
        if rounded.is_finite() {
            return Ok(rounded.into());
        }
    }
    filters::round(value, Some(precision), method, Kwargs::from_iter([] as [(&str, Value); 0]))
}

fn numbers(state: &mut State<'_, '_>, list: &Value, member: Option<&str>) -> Result<Vec<f64>, Error> {
    let values = members(state, list, member)?;
    let given = values.into_iter().filter(|value| !value.is_none() && !value.is_undefined());
    given
        .map(|value| {
            if value.kind() == ValueKind::Number {
                return f64::try_from(value);
            }
            value.to_string().trim().parse().map_err(|_| wrong(format!("{value} is not a number")))
        })
        .collect()
}

fn sum(
    state: &mut State<'_, '_>,
    list: Value,
    member: Option<String>,
    named: Kwargs,
) -> Result<Value, Error> {
    let member = match member {
        Some(member) => Some(member),
        None => named.get::<Option<String>>("attribute")?,
    };
    named.assert_all_used()?;
    let values = members(state, &list, member.as_deref())?;
    let whole = values.iter().map(Value::as_i64).try_fold(0_i64, |sum, number| sum.checked_add(number?));
    match whole {
        Some(sum) => Ok(Value::from(sum)),
        None => Ok(Value::from(numbers(state, &Value::from(values), None)?.iter().sum::<f64>())),
    }
}

/// How often each value of a member occurs.
fn group(state: &mut State<'_, '_>, list: Value, member: Option<String>) -> Result<Value, Error> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for value in members(state, &list, member.as_deref())? {
        *counts.entry(as_key(&value).into_owned()).or_default() += 1;
    }
    Ok(Value::from_pairs(counts))
}

fn sort_by(state: &mut State<'_, '_>, list: Value, member: String) -> Result<Value, Error> {
    let keys = members(state, &list, Some(&member))?;
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|one, other| keys[*one].cmp(&keys[*other]));
    if let Some(records) = list.downcast_object_ref::<Records>() {
        let list = order.into_iter().filter_map(|at| records.list.get(at).cloned()).collect();
        return Ok(Value::from_object(Records { facts: Arc::clone(&records.facts), list }));
    }
    let elements: Vec<Value> = list.try_iter()?.collect();
    Ok(order.into_iter().filter_map(|at| elements.get(at).cloned()).collect())
}

/// The last element. That of minijinja renders all records before it.
fn last(state: &mut State<'_, '_>, list: Value) -> Result<Value, Error> {
    if let Some(records) = list.downcast_object_ref::<Records>() {
        return Ok(records.list.last().map(|record| records.value(record)).unwrap_or_default());
    }
    spend(state, "last", weigh, std::slice::from_ref(&list))?;
    filters::last(list)
}

/// So many elements from a place on. Numbers may be text, as the query has them.
fn page(state: &mut State<'_, '_>, list: Value, start: Value, count: Value) -> Result<Value, Error> {
    let number = |value: &Value, otherwise: usize| {
        if value.is_undefined() || value.is_none() || value.as_str() == Some("") {
            return Ok(otherwise);
        }
        let whole = value.as_usize().or_else(|| value.as_str()?.trim().parse().ok());
        whole.ok_or_else(|| wrong(format!("`page` takes whole numbers, and {value} is none")))
    };
    let (start, count) = (number(&start, 0)?, number(&count, usize::MAX)?);
    if let Some(records) = list.downcast_object_ref::<Records>() {
        return Ok(records.page(start, count));
    }
    spend(state, "page", weigh, std::slice::from_ref(&list))?;
    Ok(list.try_iter()?.skip(start).take(count).collect())
}

/// A day or an instant in a format of strftime.
fn date(value: Value, format: String) -> Result<String, Error> {
    let text = value.to_string();
    let moment = match value.as_i64() {
        Some(millis) => Some(Moment(millis)),
        None => moment(text.trim()),
    };
    let moment = moment.filter(|moment| (Moment::FIRST..=Moment::LAST).contains(moment));
    let moment = moment.ok_or_else(|| wrong(format!("{text} is neither a day nor an instant")))?;
    moment.format(&format).ok_or_else(|| wrong(format!("{format} is not a format of dates: '%b %d, %Y'")))
}

fn moment(text: &str) -> Option<Moment> {
    Moment::from_scenario(text)
        .or_else(|| Day::from_scenario(text).map(Day::start))
        .or_else(|| Day::from_request(text).map(Day::start))
        .or_else(|| Day::from_response(text).map(Day::start))
}

/// Both maps in one; the second wins.
fn merge(state: &mut State<'_, '_>, one: Value, other: Value) -> Result<Value, Error> {
    spend(state, "merge", weigh, &[one.clone(), other.clone()])?;
    let mut members: BTreeMap<String, Value> = BTreeMap::new();
    for map in [one, other] {
        if map.is_undefined() || map.is_none() {
            continue;
        }
        if map.kind() != ValueKind::Map {
            return Err(wrong(format!("`merge` takes maps, and this is a {}", map.kind())));
        }
        for key in map.try_iter()? {
            members.insert(as_key(&key).into_owned(), map.get_item(&key)?);
        }
    }
    Ok(Value::from_pairs(members))
}

/// A product. The operator `*` would also repeat texts.
fn times(one: Value, other: Value) -> Result<Value, Error> {
    let whole = |value: &Value| value.as_i64().or_else(|| value.as_str()?.trim().parse().ok());
    if let (Some(one), Some(other)) = (whole(&one), whole(&other)) {
        let product = one.checked_mul(other).ok_or_else(|| wrong("this product is too large"))?;
        return Ok(Value::from(product));
    }
    let number = |value: &Value| {
        value.to_string().trim().parse::<f64>().map_err(|_| wrong(format!("{value} is not a number")))
    };
    Ok(Value::from(number(&one)? * number(&other)?))
}

/// The values of a map, as a list.
fn values(state: &mut State<'_, '_>, map: Value) -> Result<Value, Error> {
    spend(state, "values", weigh, std::slice::from_ref(&map))?;
    if map.kind() != ValueKind::Map {
        return Err(wrong(format!("`values` takes a map, and this is a {}", map.kind())));
    }
    map.try_iter()?.map(|key| map.get_item(&key)).collect()
}

/// A text that has members, such as the API key of a request with the accounts that it covers.
#[derive(Debug)]
pub(crate) struct TextWithMembers {
    pub(crate) text: String,
    pub(crate) members: Value,
}

impl Object for TextWithMembers {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.members.get_item(key).ok().filter(|value| !value.is_undefined())
    }

    fn render(self: &Arc<Self>, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.text)
    }
}
