//! The example calls of the API as files for clients: one `.http` file, or a Bruno collection. What depends on the server are the
//! variables `baseUrl`, `apiKey` and `businessNumber`.

use serde_json::{Value, json};

use crate::api::dialect::Dialect;
use crate::operations::ALL;
use crate::operations::spec::{KeyIn, Run, Spec};
use crate::server::openapi::example;

/// The variables with the values of the scenario `demo`.
const VARIABLES: [(&str, &str); 3] =
    [("baseUrl", "http://127.0.0.1:8080"), ("apiKey", "demo-key"), ("businessNumber", "100")];

/// An example call.
struct Call {
    name: &'static str,
    summary: &'static str,
    /// With its query.
    url: String,
    headers: Vec<(&'static str, &'static str)>,
    body: String,
}

fn call(spec: &'static Spec) -> Call {
    let example = example(spec.operation);
    let mut path = spec.path.to_owned();
    if let Some(parameter) = spec.path_parameter() {
        path = path.replace(&format!("{{{parameter}}}"), "{{businessNumber}}");
    }
    let interface = Dialect::default();
    let query: Vec<String> = spec
        .query
        .iter()
        .filter_map(|parameter| {
            let name = parameter.name.get(&interface);
            let value = match name {
                "businessId" => "{{businessNumber}}",
                "isCompetitor" => "false",
                _ => example["query"][name].as_str()?,
            };
            Some(format!("{name}={value}"))
        })
        .collect();
    let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
    let mut headers = vec![("content-type", "application/json")];
    if let KeyIn::Header = spec.key {
        headers.push(("x-api-key", "{{apiKey}}"));
    }
    if let Run::ForAccount(..) = spec.run {
        headers.push(("x-business-number", "{{businessNumber}}"));
    }
    let mut body = example["body"].clone();
    for (name, value) in body.as_object_mut().into_iter().flatten() {
        match name.as_str() {
            "apiKey" => *value = "{{apiKey}}".into(),
            "businessNumber" => *value = "{{businessNumber}}".into(),
            "businessNumbers" => *value = json!([NUMBER]),
            _ => {}
        }
    }
    let body = if body.is_null() { String::new() } else { format!("{body:#}") };
    Call {
        name: spec.operation.name(),
        summary: spec.summary,
        url: format!("{{{{baseUrl}}}}{path}{query}"),
        headers,
        body: body.replace(&Value::from(NUMBER).to_string(), "{{businessNumber}}"),
    }
}

/// Stands for the number where it is no text.
const NUMBER: &str = "the number";

fn text(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().concat()
}

/// One `.http` file, as editors and their extensions send it.
pub(crate) fn http_file() -> String {
    let mut file = text(VARIABLES.iter().map(|(name, value)| format!("@{name} = {value}\n")));
    for Call { name, summary, url, headers, body } in ALL.iter().map(|spec| call(spec)) {
        let headers = text(headers.iter().map(|(name, value)| format!("{name}: {value}\n")));
        file.push_str("\n### ");
        file.push_str(
            &[summary, "\n# @name ", &name.replace('-', "_"), "\nPOST ", &url, "\n", &headers].concat(),
        );
        if !body.is_empty() {
            file.push_str(&["\n", &body, "\n"].concat());
        }
    }
    file
}

/// The files of a Bruno collection, with their paths.
pub(crate) fn bruno() -> Vec<(String, String)> {
    let collection = json!({ "version": "1", "name": "Standin", "type": "collection", "ignore": [] });
    let variables = text(VARIABLES.iter().map(|(name, value)| format!("  {name}: {value}\n")));
    let mut files = vec![
        ("bruno.json".to_owned(), format!("{collection:#}\n")),
        ("environments/Standin.bru".to_owned(), format!("vars {{\n{variables}}}\n")),
    ];
    for (number, Call { name, url, headers, body, .. }) in (1..).zip(ALL.iter().map(|spec| call(spec))) {
        let headers = text(headers.iter().map(|(name, value)| format!("  {name}: {value}\n")));
        let query: String = url.split_once('?').map_or_else(String::new, |(_, query)| {
            let line = |pair: &str| format!("  {}\n", pair.replacen('=', ": ", 1));
            format!("\nparams:query {{\n{}}}\n", text(query.split('&').map(line)))
        });
        let kind = if body.is_empty() { "none" } else { "json" };
        let mut file = format!(
            "meta {{\n  name: {name}\n  type: http\n  seq: {number}\n}}\n\npost {{\n  url: {url}\n  body: {kind}\n  auth: none\n}}\n{query}\nheaders {{\n{headers}}}\n"
        );
        if !body.is_empty() {
            let body = text(body.lines().map(|line| format!("  {line}\n")));
            file.push_str(&["\nbody:json {\n", &body, "}\n"].concat());
        }
        files.push((format!("{name}.bru"), file));
    }
    files
}
