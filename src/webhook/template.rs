//! Templates that scenarios give. Whatever a template says, rendering it ends soon and needs little memory: its text and
//! its statements are checked (`template_text`), and steps, values and output are bounded here.

use std::io::{Error as IoError, Result as IoResult, Write};

use minijinja::value::{Kwargs, Rest, ValueKind};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, State, UndefinedBehavior, Value, filters};

use crate::webhook::template_text;

/// Most steps of one rendering. A payload of a conversation with 100 messages needs about 5,000.
const FUEL: u64 = 50_000;
/// Most bytes that a rendering gives.
pub(crate) const OUTPUT: usize = 4 << 20;
/// Most weight of a value that filters take or give: about the bytes that it has as text.
const VALUE: usize = 8 << 20;
/// Most weight of all values together that filters of one rendering take and give.
const ALL_VALUES: usize = 64 << 20;
/// Weight of a value in a list or map, apart from its text.
const ELEMENT: usize = 16;
/// Maximum nesting depth of values.
const DEPTH: usize = 64;

/// Filters that are taken out: they multiply what they are given, or show the inside of values.
const NO_FILTERS: [&str; 7] = ["batch", "chain", "format", "indent", "pprint", "slice", "zip"];
/// Functions that are taken out, for the same reasons.
const NO_FUNCTIONS: [&str; 3] = ["debug", "dict", "namespace"];

/// Why a template cannot be compiled or rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) message: String,
    /// 1-based line of the template.
    pub(crate) line: usize,
}

impl From<&Error> for Problem {
    fn from(error: &Error) -> Self {
        let detail = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
        Self { message: format!("{}{detail}", error.kind()), line: error.line().unwrap_or(1) }
    }
}

/// The environment that templates are compiled and rendered in.
pub(crate) fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    for name in NO_FILTERS {
        environment.remove_filter(name);
    }
    for name in NO_FUNCTIONS {
        environment.remove_global(name);
    }
    // The other filters give a part of their value, or a number.
    macro_rules! measured {
        ($($name:ident)+) => {
            $(add_measured(&mut environment, stringify!($name), Value::from_function(filters::$name));)+
        };
    }
    measured!(
        capitalize dictsort escape groupby items join lines list lower map max min reject rejectattr replace reverse
        select selectattr sort split string sum title tojson trim unique upper
    );
    add_measured(&mut environment, "e", Value::from_function(filters::escape));
    environment
}

/// Checks the text of a template and compiles it.
pub(crate) fn add(environment: &mut Environment<'static>, name: &str, text: &str) -> Result<(), Problem> {
    template_text::check(text)?;
    environment.add_template_owned(name.to_owned(), text.to_owned()).map_err(|error| Problem::from(&error))
}

/// Renders a compiled template.
pub(crate) fn render(
    environment: &Environment<'_>,
    name: &str,
    context: &serde_json::Value,
) -> Result<Vec<u8>, Problem> {
    let template = environment.get_template(name).map_err(|error| Problem::from(&error))?;
    let mut output = Bounded(Vec::new());
    let context = Value::from(minijinja::value::Serde(context));
    let rendered = template.render_captured_to(context, &mut output).map(|_| ());
    match rendered {
        Ok(()) => Ok(output.0),
        Err(error) if error.kind() == ErrorKind::WriteFailure => Err(Problem {
            message: format!("the text is longer than {} MiB", OUTPUT >> 20),
            line: error.line().unwrap_or(1),
        }),
        Err(error) => Err(Problem::from(&error)),
    }
}

struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> IoResult<usize> {
        if self.0.len() + bytes.len() > OUTPUT {
            return Err(IoError::other("too long"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> IoResult<()> {
        Ok(())
    }
}

/// The weight that the filters of a rendering have left.
struct Left(usize);

/// Adds a filter that measures what it takes and gives.
fn add_measured(environment: &mut Environment<'_>, name: &'static str, filter: Value) {
    let measured =
        move |state: &mut State<'_, '_>, args: Rest<Value>, kwargs: Kwargs| -> Result<Value, Error> {
            let mut args = args.0;
            check_arguments(name, &args, &kwargs)?;
            if kwargs.args().next().is_some() {
                args.push(kwargs.into());
            }
            let taken =
                args.iter().try_fold(0, |sum, arg| Some(sum + weigh(arg, DEPTH, VALUE.checked_sub(sum)?)?));
            let taken = taken.ok_or_else(|| too_large(name))?;
            let result = filter.call(state, &args)?;
            let given = weigh(&result, DEPTH, VALUE).ok_or_else(|| too_large(name))?;
            let left = state.get_or_insert_extension(Left(ALL_VALUES));
            left.0 = left.0.checked_sub(taken + given).ok_or_else(|| too_large(name))?;
            Ok(result)
        };
    environment.add_filter(name, measured);
}

fn too_large(name: &str) -> Error {
    Error::new(
        ErrorKind::InvalidOperation,
        format!("`{name}` has too much to do: its value is too large, or used too often"),
    )
}

/// Checks the arguments with which a filter could multiply its value.
fn check_arguments(name: &str, args: &[Value], kwargs: &Kwargs) -> Result<(), Error> {
    let refuse = |why: &str| Err(Error::new(ErrorKind::InvalidOperation, format!("`{name}` {why}")));
    let text = |at: usize| args.get(at).and_then(Value::as_str);
    match name {
        "tojson" if args.len() > 1 || kwargs.has("indent") => refuse("takes no argument"),
        "sum" if args.len() > 2 || kwargs.has("start") => refuse("takes no start"),
        "join" => {
            let named = kwargs.peek::<Value>("d").ok();
            let joiner = named.as_ref().and_then(Value::as_str).or_else(|| text(1)).map_or(0, str::len);
            let joins = args
                .first()
                .map_or(0, |value| value.as_str().map_or_else(|| value.len().unwrap_or(0), str::len));
            if joins.saturating_mul(joiner) > VALUE { Err(too_large(name)) } else { Ok(()) }
        }
        "replace" => {
            let (Some(value), Some(from), Some(to)) = (text(0), text(1), text(2)) else { return Ok(()) };
            let found = if from.is_empty() { value.len() + 1 } else { value.matches(from).count() };
            if found.saturating_mul(to.len()) > VALUE { Err(too_large(name)) } else { Ok(()) }
        }
        _ => Ok(()),
    }
}

/// The weight of a value; none if it is more than `most`, or nested deeper than `depth`.
fn weigh(value: &Value, depth: usize, most: usize) -> Option<usize> {
    let mut weight = ELEMENT + value.as_str().map_or(0, str::len) + value.as_bytes().map_or(0, <[u8]>::len);
    if matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map) {
        for key in value.try_iter().into_iter().flatten() {
            weight += weigh(&key, depth.checked_sub(1)?, most.checked_sub(weight)?)?;
            if value.kind() == ValueKind::Map {
                let member = value.get_item(&key).ok()?;
                weight += weigh(&member, depth.checked_sub(1)?, most.checked_sub(weight)?)?;
            }
        }
    }
    (weight <= most).then_some(weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str) -> Result<String, String> {
        let mut environment = environment();
        add(&mut environment, "t", text).map_err(|problem| problem.message)?;
        let data = serde_json::json!({ "list": [{ "a": 1, "b": "x" }, { "a": 3, "b": "y" }], "long": "x".repeat(100_000) });
        let bytes = render(&environment, "t", &data).map_err(|problem| problem.message)?;
        Ok(String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn filters_work_as_documented() {
        for (text, expected) in [
            ("{{ list | map(attribute='a') | sum }}", "4"),
            (
                "{{ list | map(attribute='b') | join(', ') }} {{ list | map(attribute='b') | join(d='-') }}",
                "x, y x-y",
            ),
            ("{{ list | sort(attribute='a', reverse=true) | map(attribute='b') | first }}", "y"),
            ("{{ list | selectattr('a', 'gt', 2) | list | length }}", "1"),
            ("{{ list | sum(attribute='a') }} {{ 'a.b' | replace('.', '/') | upper }}", "4 A/B"),
            (
                "{{ nothing | default('none') }} {{ list | tojson }}",
                "none [{\"a\": 1, \"b\": \"x\"}, {\"a\": 3, \"b\": \"y\"}]",
            ),
            ("{% for key, all in list | groupby('b') %}{{ key }}{{ all | length }}{% endfor %}", "x1y1"),
        ] {
            assert_eq!(rendered(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn values_and_output_are_bounded() {
        for (text, message) in [
            ("{% for i in range(100) %}{{ long }}{% endfor %}", "longer than 4 MiB"),
            ("{{ range(100000) | join(long) }}", "too much to do"),
            ("{{ range(100000) | join(d=long) }}", "too much to do"),
            ("{{ long | replace('x', long) }}", "too much to do"),
            ("{{ long | replace('', long) }}", "too much to do"),
            ("{% for i in range(1000) %}{% if long | upper %}{% endif %}{% endfor %}", "too much to do"),
            ("{{ range(100000) | map(attribute='x', default=list) | list }}", "too much to do"),
            ("{{ range(9) | map('string') | sum(start='') }}", "takes no start"),
            ("{{ list | tojson(indent=9) }}", "takes no argument"),
            ("{{ list | tojson(9) }}", "takes no argument"),
            ("{% for i in range(99999) %}{% endfor %}", "fuel"),
            ("{{ namespace(a=1) }}", "unknown"),
        ] {
            let message_seen = rendered(text).unwrap_err();
            assert!(message_seen.contains(message), "{text}: {message_seen}");
        }
    }
}
