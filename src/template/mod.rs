//! Templates that scenarios give. Whatever a template says, rendering it ends soon and needs little memory: `text` checks its text
//! and lets each operand go through a filter, and here steps, values and output are bounded.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Error as FmtError, Result as FmtResult, Write};
use std::sync::LazyLock;

use minijinja::machinery::{CodeGenerator, eval, make_string_output};
use minijinja::value::{Kwargs, Rest, Serde, ValueKind};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value};
use minijinja::{filters, tests as kinds};

/// What the text of a template may say.
pub(crate) mod text;
/// A template that is compiled once.
pub(crate) mod compiled;

/// Most steps of one rendering. A payload of a conversation with 100 messages needs about 5,000.
const FUEL: u64 = 50_000;
/// Most bytes that a rendering gives.
pub(crate) const OUTPUT: usize = 4 << 20;
/// Most weight of a value that filters and operators take or give: about the bytes that it has as text.
const VALUE: usize = 8 << 20;
/// Most weight of all values together that filters and operators of one rendering take and give.
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

/// What templates are rendered in.
pub(crate) static STRICT: LazyLock<Environment<'static>> =
    LazyLock::new(|| environment(UndefinedBehavior::Strict));
/// The same, but what is missing in a value is as if it were empty.
pub(crate) static LENIENT: LazyLock<Environment<'static>> =
    LazyLock::new(|| environment(UndefinedBehavior::Chainable));

/// An environment with bounded filters and functions.
pub(crate) fn environment(undefined: UndefinedBehavior) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(undefined);
    environment.set_fuel(Some(FUEL));
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_formatter(write_bounded);
    for name in NO_FILTERS {
        environment.remove_filter(name);
    }
    for name in NO_FUNCTIONS {
        environment.remove_global(name);
    }
    // The other filters and tests look only at the kind of their value.
    macro_rules! measure {
        ($add:ident, $from:ident, $weigh:expr, $($name:literal $function:ident)+) => {
            $(environment.$add($name, measured($name, $weigh, Value::from_function($from::$function)));)+
        };
    }
    measure!(add_filter, filters, weigh,
        "capitalize" capitalize "dictsort" dictsort "e" escape "escape" escape "groupby" groupby "items" items
        "join" join "lines" lines "list" list "lower" lower "map" map "max" max "min" min "reject" reject
        "rejectattr" rejectattr "replace" replace "reverse" reverse "select" select "selectattr" selectattr
        "sort" sort "split" split "string" string "sum" sum "title" title "tojson" tojson "trim" trim
        "unique" unique "upper" upper);
    measure!(add_filter, filters, weigh_text,
        "abs" abs "count" length "first" first "float" float "int" int "last" last "length" length "round" round
        "safe" safe);
    measure!(add_test, kinds, weigh,
        "!=" is_ne "<" is_lt "<=" is_le "==" is_eq ">" is_gt ">=" is_ge "endingwith" is_endingwith "eq" is_eq
        "equalto" is_eq "ge" is_ge "greaterthan" is_gt "gt" is_gt "in" is_in "le" is_le "lessthan" is_lt
        "lower" is_lower "lt" is_lt "ne" is_ne "startingwith" is_startingwith "upper" is_upper);
    // The operands of operators.
    environment.add_filter(text::JOIN, measured("~", weigh, Value::from_function(filters::string)));
    environment.add_filter(text::ITEM, operand(text::ITEM, weigh_text));
    for name in text::OPERANDS {
        environment.add_filter(name, operand(name, weigh));
    }
    environment
}

/// Checks the text of a template, and returns the names that it takes from its context.
pub(crate) fn check(text: &str) -> Result<BTreeSet<String>, Problem> {
    text::read(text)?;
    let compiled = STRICT.template_from_str(text).map_err(|error| Problem::from(&error))?;
    Ok(compiled.undeclared_variables(false).into_iter().collect())
}

/// Renders a template. It is compiled each time, which takes about as long as rendering it.
pub(crate) fn render(
    environment: &Environment<'_>,
    text: &str,
    context: &serde_json::Value,
) -> Result<Vec<u8>, Problem> {
    let mut generator = CodeGenerator::new("template", text);
    generator.compile_stmt(&text::read(text)?);
    let (instructions, _) = generator.finish();
    let (mut written, no_blocks) = (String::new(), BTreeMap::new());
    let mut output = make_string_output(&mut written);
    let context = Value::from(Serde(context));
    eval(environment, &instructions, context, &no_blocks, &mut output, AutoEscape::None)
        .map_err(|error| Problem::from(&error))?;
    Ok(written.into_bytes())
}

/// What a rendering has left.
pub(crate) struct Left {
    /// Bytes of output.
    output: usize,
    /// Weight of values.
    pub(crate) values: usize,
}

impl Left {
    pub(crate) fn of<'a>(state: &'a mut State<'_, '_>) -> &'a mut Self {
        state.get_or_insert_extension(Self { output: OUTPUT, values: ALL_VALUES })
    }
}

/// Writes a value to the output.
fn write_bounded(output: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let left = &mut Left::of(state).output;
    write!(Bounded { output, left }, "{value}").map_err(|_| {
        Error::new(ErrorKind::InvalidOperation, format!("the text is longer than {} MiB", OUTPUT >> 20))
    })
}

struct Bounded<'a, 'b> {
    output: &'a mut Output<'b>,
    left: &'a mut usize,
}

impl Write for Bounded<'_, '_> {
    fn write_str(&mut self, text: &str) -> FmtResult {
        *self.left = self.left.checked_sub(text.len()).ok_or(FmtError)?;
        self.output.write_str(text)
    }
}

/// The weight of a value if it is at most so much.
pub(crate) type Weigh = fn(&Value, usize) -> Option<usize>;

/// A filter or test that counts what it takes and gives.
pub(crate) fn measured(
    name: &'static str,
    weigh: Weigh,
    function: Value,
) -> impl Fn(&mut State<'_, '_>, Rest<Value>, Kwargs) -> Result<Value, Error> + Send + Sync + 'static {
    move |state, args, kwargs| {
        let mut args = args.0;
        check_arguments(name, &args, &kwargs)?;
        if kwargs.args().next().is_some() {
            args.push(kwargs.into());
        }
        spend(state, name, weigh, &args)?;
        let result = function.call(state, &args)?;
        spend(state, name, weigh, std::slice::from_ref(&result))?;
        Ok(result)
    }
}

/// A filter that counts an operand.
fn operand(
    name: &'static str,
    weigh: Weigh,
) -> impl Fn(&mut State<'_, '_>, Rest<Value>) -> Result<Value, Error> + Send + Sync + 'static {
    move |state, mut args| {
        spend(state, name, weigh, &args)?;
        Ok(args.0.pop().unwrap_or_default())
    }
}

/// Counts values before they are handled.
pub(crate) fn spend(
    state: &mut State<'_, '_>,
    name: &'static str,
    weigh: Weigh,
    values: &[Value],
) -> Result<(), Error> {
    let left = &mut Left::of(state).values;
    let weight = values.iter().try_fold(0, |sum, value| Some(sum + weigh(value, VALUE.checked_sub(sum)?)?));
    *left = weight.and_then(|weight| left.checked_sub(weight)).ok_or_else(|| too_large(name))?;
    Ok(())
}

pub(crate) fn too_large(name: &str) -> Error {
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

/// The weight of a value with all that is in it.
pub(crate) fn weigh(value: &Value, most: usize) -> Option<usize> {
    weigh_within(value, DEPTH, most)
}

/// The weight of a value of which no elements are read. Those of a value that is computed when it is used are.
pub(crate) fn weigh_text(value: &Value, most: usize) -> Option<usize> {
    if matches!(value.kind(), ValueKind::Seq | ValueKind::Map) { Some(ELEMENT) } else { weigh(value, most) }
}

fn weigh_within(value: &Value, depth: usize, most: usize) -> Option<usize> {
    let mut weight = ELEMENT + value.as_str().map_or(0, str::len) + value.as_bytes().map_or(0, <[u8]>::len);
    if value.kind() == ValueKind::Number && !value.is_integer() {
        weight += value.to_string().len();
    }
    if matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map) {
        for key in value.try_iter().into_iter().flatten() {
            weight += weigh_within(&key, depth.checked_sub(1)?, most.checked_sub(weight)?)?;
            if value.kind() == ValueKind::Map {
                let member = value.get_item(&key).ok()?;
                weight += weigh_within(&member, depth.checked_sub(1)?, most.checked_sub(weight)?)?;
            }
        }
    }
    (weight <= most).then_some(weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str) -> Result<String, String> {
        let data = serde_json::json!({ "list": [{ "a": 1, "b": "x" }, { "a": 3, "b": "y" }], "long": "x".repeat(100_000) });
        let bytes = render(&STRICT, text, &data).map_err(|problem| problem.message)?;
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

    #[test]
    fn operators_and_tests_are_bounded_by_the_bytes_that_they_handle() {
        let data = serde_json::json!({
            "t": "x".repeat(1 << 20),
            "u": "x".repeat(1 << 20),
            "list": vec!["x".repeat(10_000); 100],
            "other": vec!["x".repeat(10_000); 100],
            "messages": vec![serde_json::json!({ "id": "m", "text": "x".repeat(10_000) }); 100],
        });
        let rendered = |text: &str| {
            let bytes = render(&STRICT, text, &data).map_err(|problem| problem.message)?;
            Ok::<_, String>(bytes.len())
        };
        for expression in [
            "t ~ u ~ t",
            "t + t",
            "t == u",
            "t < u",
            "'y' in t",
            "'y' not in list",
            "list == other",
            "list ~ ''",
            "list[1:]",
            "t[-1]",
            "t is eq(u)",
            "list[:2] | select('in', other) | list",
            "t | length",
            "{t: 1, u: 2}",
            "loop.changed(t)",
        ] {
            let loops = |times: u32| {
                format!("{{% for i in range({times}) %}}{{% if {expression} %}}{{% endif %}}{{% endfor %}}")
            };
            assert_eq!(rendered(&loops(1)), Ok(0), "{expression}");
            let message = rendered(&loops(100)).unwrap_err();
            assert!(message.contains("too much to do"), "{expression}: {message}");
        }
        for (text, message) in [
            ("{% set a = 'aaaaaaaa' %}".to_owned() + &"{% set a = a ~ a %}".repeat(60), "`~`"),
            ("{% set a = 'aaaaaaaa' %}".to_owned() + &"{% set a = a + a %}".repeat(60), "`+`"),
            ("{% set a = list %}".to_owned() + &"{% set a = a + a %}".repeat(60), "`+`"),
            (format!("{{{{ {}t }}}}", "t ~ ".repeat(90)), "`~`"),
            (format!("{{% for i in range(100) %}}{}{{% endfor %}}", "x".repeat(60_000)), "longer than 4 MiB"),
        ] {
            let seen = rendered(&text).unwrap_err();
            assert!(seen.contains(message), "{text:.60}: {seen}");
        }
        assert_eq!(rendered(&format!("{{% set a = 'a' %}}{{{{ {}1 }}}}", "a ~ ".repeat(97))), Ok(98));
        // What a payload needs is far below the bounds, even if the conversation is as long as it can be.
        let usual = "{% for m in messages %}{% set both = m.id ~ ': ' ~ m.text %}\
            {% if m.text != '' and loop.index <= messages | length %}{{ both | tojson }}{% endif %}\
            {{ m.text[:20] }}{{ messages[0].id }}{% endfor %}";
        assert_eq!(rendered(usual), Ok(100 * (10_005 + 20 + 1)));
    }
}
