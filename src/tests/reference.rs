//! The tables of `docs/api.md` against the definitions that the program goes by: a field, limit, default or code that is
//! missing on the page, or that only the page has, fails.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::api::call::BODY_LIMIT;
use crate::api::dialect::Dialect;
use crate::api::error::{CATALOGUE, Code};
use crate::api::query::WINDOW;
use crate::api::{events, schema, sources};
use crate::operations::ALL;
use crate::operations::spec::{COMMON_CODES, KeyIn, Parameter, ParameterKind, Run, Spec};

type Row = Vec<String>;

fn page() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/api.md")).unwrap()
}

/// The part of the page below the heading that begins so.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let start = page.find(&format!("\n{heading}")).unwrap_or_else(|| panic!("no section {heading}"));
    let text = &page[start + 1..];
    let next = text.match_indices("\n#").find(|(at, _)| *at > 0).map_or(text.len(), |(at, _)| at);
    &text[..next]
}

/// The rows of the table whose first column has that title, of each its first cells.
fn table(text: &str, title: &str, columns: usize) -> Vec<Row> {
    let cells = |line: &str| -> Row {
        line.trim_matches('|').split('|').take(columns).map(|cell| cell.trim().to_owned()).collect()
    };
    let mut lines = text.lines().skip_while(|line| cells(line).first().is_none_or(|first| first != title));
    lines.next();
    lines.skip(1).take_while(|line| line.starts_with('|')).map(cells).collect()
}

fn assert_same(what: &str, documented: &[Row], defined: &[Row]) {
    let set = |rows: &[Row]| rows.iter().cloned().collect::<BTreeSet<_>>();
    let (on_page, in_code) = (set(documented), set(defined));
    let missing: Vec<_> = in_code.difference(&on_page).collect();
    let extra: Vec<_> = on_page.difference(&in_code).collect();
    assert!(
        missing.is_empty() && extra.is_empty(),
        "{what} in docs/api.md\nmissing: {missing:#?}\nonly there: {extra:#?}"
    );
    assert_eq!(documented.len(), defined.len(), "{what}: a row of docs/api.md is repeated");
}

fn row<const N: usize>(cells: [&str; N]) -> Row {
    cells.map(str::to_owned).to_vec()
}

fn code(text: impl std::fmt::Display) -> String {
    format!("`{text}`")
}

fn yes(flag: bool) -> &'static str {
    if flag { "yes" } else { "no" }
}

fn codes(list: &[Code]) -> String {
    list.iter().map(|code| code.row().number.to_string()).collect::<Vec<_>>().join(", ")
}

/// How the page writes a value of a schema: texts in code font, numbers as they are.
fn value(value: &Value) -> String {
    if let Some(text) = value.as_str() {
        return code(text);
    }
    match value.as_array() {
        Some(list) => list.iter().map(self::value).collect::<Vec<_>>().join(", "),
        None => value.to_string(),
    }
}

/// The name of a type that `docs/api.md` 3 describes.
fn named_type(schema: &Value) -> Option<&'static str> {
    let mut bare = schema.clone();
    bare.as_object_mut()?.remove("default");
    [
        (schema::of::<schema::Integer>(), "integer"),
        (schema::of::<schema::Boolean>(), "boolean"),
        (schema::of::<schema::RequestDate>(), "date"),
        (schema::of::<schema::ResponseDate>(), "date"),
        (schema::of::<schema::ResponseTime>(), "time"),
        (schema::of::<schema::Rating>(), "rating"),
        (schema::of::<schema::Score>(), "score"),
    ]
    .into_iter()
    .find_map(|(known, name)| (known == bare).then_some(name))
}

fn type_name(schema: &Value) -> String {
    if let Some(name) = named_type(schema) {
        return name.to_owned();
    }
    if let Some(choice) = schema["oneOf"].as_array() {
        assert_eq!(choice[1]["type"], "null", "{schema}");
        return format!("{} or null", type_name(&choice[0]));
    }
    if let Some(types) = schema["type"].as_array() {
        assert_eq!(types[1], "null", "{schema}");
        return format!("{} or null", types[0].as_str().unwrap());
    }
    let elements = |schema: &Value| type_name(schema) + "s";
    match schema["type"].as_str() {
        Some("array") => format!("list of {}", elements(&schema["items"])),
        Some("object") if schema["additionalProperties"].is_object() => {
            format!("object of {}", elements(&schema["additionalProperties"]))
        }
        Some(name) => name.to_owned(),
        None => panic!("the page has no word for the type of {schema}"),
    }
}

/// How the page writes the limits of a schema. A new kind of limit needs its words here.
fn limits(schema: &Value) -> String {
    if named_type(schema).is_some() {
        return String::new();
    }
    for unknown in ["exclusiveMinimum", "exclusiveMaximum", "minLength", "pattern", "uniqueItems"] {
        assert!(schema[unknown].is_null(), "the page has no words for `{unknown}` of {schema}");
    }
    if let Some(most) = schema["maxLength"].as_u64() {
        return format!("at most {most} characters");
    }
    if schema["enum"].is_array() {
        return value(&schema["enum"]);
    }
    match (schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
        (Some(least), Some(most)) => return format!("{least} to {most} entries"),
        (Some(least), None) => return format!("{least} or more entries"),
        (None, Some(most)) => return format!("at most {most} entries"),
        (None, None) => {}
    }
    match schema["maximum"].as_u64() {
        Some(most) => format!("{} to {most}", schema["minimum"]),
        None if schema["format"] == "uri" => "URL".to_owned(),
        None if schema["items"].is_object() => limits(&schema["items"]),
        None => String::new(),
    }
}

/// Calls `take` with the name and the schema of every member of an object and of the objects within it, and with whether
/// it is required.
fn members(schema: &Value, prefix: &str, take: &mut impl FnMut(&str, &Value, bool)) {
    let Some(properties) = schema["properties"].as_object() else { return };
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, member) in properties {
        let path = format!("{prefix}{name}");
        take(&path, member, required.iter().any(|required| required == name));
        members(member, &format!("{path}."), take);
        members(&member["items"], &format!("{path}[]."), take);
    }
}

fn body_fields(schema: &Value) -> Vec<Row> {
    let mut rows = Vec::new();
    members(schema, "", &mut |name, field, required| {
        let default = if field["default"].is_null() { String::new() } else { value(&field["default"]) };
        let (name, kind, limits) = (code(name), type_name(field), limits(field));
        rows.push(row([&name, &kind, yes(required), &default, &limits]));
    });
    rows
}

fn answer_fields(schema: &Value) -> Vec<Row> {
    let schema = if schema["items"].is_object() { &schema["items"] } else { schema };
    let mut rows = Vec::new();
    members(schema, "", &mut |name, field, required| {
        let limits = if required { limits(field) } else { "left out if none".to_owned() };
        rows.push(row([&code(name), &type_name(field), &limits]));
    });
    rows
}

fn query_parameter(parameter: &Parameter) -> Row {
    let words = |words: &[&str]| words.iter().map(code).collect::<Vec<_>>().join(", ");
    let numbers = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let (kind, default, limits) = match parameter.kind {
        ParameterKind::Integer { min, max: Some(max), default } => {
            ("integer", default.to_string(), format!("{min} to {max}"))
        }
        ParameterKind::Integer { min, max: None, default } => {
            ("integer", default.to_string(), format!("{min} or more"))
        }
        ParameterKind::Word(allowed) => ("string", words(&allowed[..1]), words(allowed)),
        ParameterKind::Number(allowed) => ("integer", numbers(&allowed[..1]), numbers(allowed)),
        ParameterKind::Boolean => ("boolean", "false".to_owned(), String::new()),
        ParameterKind::Business => ("number of a business", String::new(), String::new()),
    };
    let name = code(parameter.name.get(&Dialect::default()));
    row([&name, kind, yes(parameter.required), &default, &limits])
}

fn operation(spec: &Spec) -> Row {
    let key = match spec.key {
        KeyIn::Header => "header",
        KeyIn::Body(_) => "body",
    };
    let account = match spec.run {
        Run::ForAccount(invalid, _) => format!("yes, {}", invalid.row().number),
        Run::ForKey(_) => "no".to_owned(),
    };
    row([&code(spec.operation.name()), &code(spec.path), key, &account, spec.injected_2003])
}

#[test]
fn the_error_catalogue_is_that_of_the_program() {
    let operations = |code: Code| {
        if COMMON_CODES.contains(&code) {
            return "all".to_owned();
        }
        let having = ALL.iter().filter(|spec| spec.own_codes.contains(&code));
        having.map(|spec| self::code(spec.operation.name())).collect::<Vec<_>>().join(", ")
    };
    let defined = CATALOGUE.map(|known| {
        let (number, status) = (known.number.to_string(), known.status.to_string());
        row([&number, &status, known.message, &operations(known.code)])
    });
    assert_same("the error catalogue", &table(section(&page(), "## 2."), "code", 4), &defined);
}

#[test]
fn sources_events_and_limits_are_those_of_the_program() {
    let page = page();
    let values = section(&page, "## 3.");
    let defined: Vec<Row> = sources::built_in()
        .iter()
        .map(|source| row([&source.alias, &source.name, yes(source.recommendation), yes(source.reply)]))
        .collect();
    assert_same("the sources", &table(values, "alias", 4), &defined);

    let defined = [
        row(["bytes of a request body", &BODY_LIMIT.to_string()]),
        row(["start index + count of a page", &WINDOW.to_string()]),
    ];
    assert_same("the limits", &table(values, "limit", 2), &defined);

    let (alias, meant) = events::CLOSED_ALIAS;
    let mut defined: Vec<Row> = events::KNOWN.iter().map(|event| row([&code(event), ""])).collect();
    defined.push(row([&code(alias), &code(meant)]));
    assert_same("the events", &table(section(&page, "### 4.6 "), "event", 2), &defined);
}

#[test]
fn operations_have_the_fields_limits_defaults_and_codes_of_their_definitions() {
    let page = page();
    let overview = table(section(&page, "## 4."), "operation", 5);
    assert_same("the operations", &overview, &ALL.map(operation));
    assert_eq!(page.matches("\n### 4.").count(), ALL.len(), "one section of docs/api.md for each operation");
    for (number, spec) in (1..).zip(ALL) {
        let text = section(&page, &format!("### 4.{number} "));
        let name = spec.operation.name();
        assert!(text.contains(&format!("`POST {}`", spec.path)), "section 4.{number} is not {name}");
        assert!(
            text.contains(&format!("\nCodes of its own: {}.\n", codes(spec.own_codes))),
            "the codes of {name} are {}",
            codes(spec.own_codes)
        );
        let query: Vec<Row> = spec.query.iter().map(query_parameter).collect();
        assert_same(&format!("query of {name}"), &table(text, "query parameter", 5), &query);
        let body = body_fields(&spec.request);
        assert_same(&format!("body of {name}"), &table(text, "body field", 5), &body);
        let answer = answer_fields(&spec.response);
        assert_same(&format!("answer of {name}"), &table(text, "answer field", 3), &answer);
    }
}
