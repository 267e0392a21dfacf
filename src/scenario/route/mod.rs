//! Validates routes: operations that a scenario defines.

/// The maps of a route as written.
pub(crate) mod raw;
mod templates;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::api::operation::Operation;
use crate::fault::condition::Condition;
use crate::operations;
use crate::route::context::is_built_in;
use crate::route::path::{Path, plain};
use crate::route::schema::{Part, RequestSchema, compile};
use crate::route::{Content, Method, Response, Route, When, Write};
use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::shadow::Comparisons;
use crate::scenario::fault::{self, condition, error, headers};
use crate::scenario::node::Node;
use crate::scenario::read::{Read, Spanned};
use crate::scenario::references::References;
use crate::scenario::report::{at_most_one, unknown_reference};
use crate::scenario::route::raw::{
    KeyUse, ResponseNode, ResponseWhen, RouteMap, RouteRequest, RouteResponse, SchemaMap,
};
use crate::scenario::route::templates::Compiler;
use crate::scenario::scalars::NonBlank;
use crate::scenario::source::Span;
use crate::scenario::validate::Unique;

/// Paths of the simulator itself. One that ends in a slash stands for everything under it too.
const RESERVED_PATHS: [&str; 7] = ["/", "/__admin/", "/w/", "/metrics", "/openapi.json", "/docs", "/console"];

/// Maximum number of routes.
const MAX_ROUTES: usize = 5000;

/// The operations of the routes of a scenario, by their names.
pub(crate) fn operations(findings: &mut Findings, nodes: &[&Node]) -> Vec<Operation> {
    let mut operations = Vec::new();
    for node in nodes.iter().take(MAX_ROUTES) {
        let Some((name, span)) = fault::name(node) else { continue };
        let Some(operation) = Operation::of_route(name) else {
            findings
                .error("limit", span, "this process has loaded too many names of routes")
                .help("restart it");
            break;
        };
        operations.push(operation);
    }
    operations
}

/// Validates the routes of a scenario. Routes with an error are left out.
pub(crate) fn validate(findings: &mut Findings, references: &References, nodes: &[&Node]) -> Vec<Route> {
    if fault::too_many(findings, ("routes", MAX_ROUTES), nodes) {
        return Vec::new();
    }
    let stored: BTreeSet<String> = nodes
        .iter()
        .filter_map(|node| node.get("store")?.entries())
        .flatten()
        .map(|entry| entry.key.to_string())
        .filter(|name| !is_built_in(name))
        .collect();
    let mut comparisons = Comparisons::default();
    let mut names = Unique::new("duplicate-name", "route");
    let mut routes: Vec<(Route, Span)> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let name = fault::unique_name(findings, &mut names, node);
        let Some(route) = validate_one(findings, references, &stored, node) else { continue };
        let span = name.unwrap_or(node.span);
        let mut covers = |earlier: &Route| {
            earlier.path.takes_all_of(&route.path)
                && route.methods.iter().all(|method| earlier.methods.contains(method))
                && comparisons.covers(&earlier.condition, &route.condition)
        };
        if let Some((earlier, first)) = routes.iter().find(|(earlier, _)| covers(earlier)) {
            let message = format!(
                "`{}` never answers: `{}` comes first and takes all of its requests",
                route.name, earlier.name
            );
            findings
                .warning("shadowed", span, message)
                .label("never answers")
                .related(*first, "takes all of its requests")
                .help("the first route that takes a request answers it: put the more specific one first");
        }
        routes.push((route, span));
    }
    routes.into_iter().map(|(route, _)| route).collect()
}

fn validate_one(
    findings: &mut Findings,
    references: &References,
    stored: &BTreeSet<String>,
    node: &Node,
) -> Option<Route> {
    let errors_before = findings.errors();
    let raw = RouteMap::read(findings, node)?;
    let mut compiler = Compiler { stored, names: BTreeSet::new(), count: 0 };
    let request = raw.request.as_ref().map(|request| &request.value);
    let (methods, path, condition) =
        request.map(|request| request_of(findings, references, request)).unwrap_or_default();
    let schema = request.and_then(|request| request.schema.as_ref());
    let schema = schema.and_then(|schema| schema_of(findings, &schema.value, schema.span));
    let writes = writes(findings, &mut compiler, &raw);
    let mut responses = Vec::new();
    let mut always: Option<Span> = None;
    for Spanned { span, value } in
        required_entries(findings, ("response", "`response: {status: 200}`"), raw.response.as_ref())
    {
        let context = ResponseContext { references, path: path.as_ref(), has_schema: schema.is_some() };
        let Some(response) = response_of(findings, &context, &mut compiler, value) else { continue };
        if let Some(first) = always {
            findings
                .warning("shadowed", *span, "this response never answers: an earlier one has no `when`")
                .related(first, "always answers");
        } else if response.when.is_none() {
            always = Some(*span);
        }
        responses.push(response);
    }
    let name = raw.name?.value.0;
    let route = Route {
        operation: Operation::of_route(&name)?,
        name,
        methods,
        path: path?,
        requires_key: request?.key.is_none_or(|key| key.value == KeyUse::Required),
        condition: condition?,
        schema,
        writes,
        responses,
        names: compiler.names,
    };
    (findings.errors() == errors_before).then_some(route)
}

/// The entries of a list that may not be empty.
fn required_entries<'a, T>(
    findings: &mut Findings,
    (key, example): (&str, &str),
    list: Option<&'a Spanned<OneOrMany<T>>>,
) -> &'a [Spanned<T>] {
    let Some(list) = list else { return &[] };
    if list.value.0.is_empty() {
        findings
            .error("empty-list", list.span, format!("`{key}` must have at least one entry"))
            .help(format!("for example {example}"));
    }
    &list.value.0
}

fn request_of(
    findings: &mut Findings,
    references: &References,
    raw: &RouteRequest,
) -> (Vec<Method>, Option<Path>, Option<Condition>) {
    let methods = required_entries(findings, ("method", "`method: GET`"), raw.method.as_ref());
    let methods = methods.iter().map(|method| method.value).collect();
    let path = raw.path.as_ref().and_then(|path| self::path(findings, path));
    let when = fault::raw::When {
        header: raw.header.clone(),
        query: raw.query.clone(),
        body: raw.body.clone(),
        ..fault::raw::When::default()
    };
    (methods, path, Some(condition::validate(findings, references, &when)))
}

/// Checks a path. Returns it without `/resources` and without a trailing slash.
fn path(findings: &mut Findings, given: &Spanned<NonBlank>) -> Option<Path> {
    let path = given.value.0.as_str();
    let allowed = |c: char| !c.is_whitespace() && !c.is_control() && c != '?' && c != '#';
    if !path.starts_with('/') || !path.chars().all(allowed) {
        let finding =
            findings.error("wrong-value", given.span, "`path` must be a path under the base URL: `/v1/…`");
        if path.contains("://") {
            finding.help("without scheme and host");
        } else if path.contains('?') {
            finding.help("write query parameters as `query: {name: value}`");
        }
        return None;
    }
    if let Some(reserved) = RESERVED_PATHS.into_iter().find(|reserved| is_reserved(path, reserved)) {
        findings
            .error("reserved-path", given.span, format!("`{path}` is reserved for the simulator"))
            .help(format!("choose a path outside `{reserved}`"));
        return None;
    }
    if let Some((spec, _)) = operations::at(path) {
        findings
            .warning(
                "never-matches",
                given.span,
                format!(
                    "the operation `{}` answers at this path, so the route never does",
                    spec.operation.name()
                ),
            )
            .help("use `faults` to change the answers of an operation");
    }
    match Path::new(plain(path)) {
        Ok(path) => Some(path),
        Err(why) => {
            findings.error("wrong-value", given.span, format!("`path` is not valid: {why}"));
            None
        }
    }
}

/// Whether a path, with or without a trailing slash, is a reserved one or lies under a reserved one that ends in a slash.
fn is_reserved(path: &str, reserved: &str) -> bool {
    let (path, folder) = (path.trim_end_matches('/'), reserved.trim_end_matches('/'));
    path == folder || (folder.len() + 1 == reserved.len() && !folder.is_empty() && path.starts_with(reserved))
}

fn schema_of(findings: &mut Findings, raw: &SchemaMap, span: Span) -> Option<RequestSchema> {
    let parts = [
        (Part::Path, &raw.path),
        (Part::Query, &raw.query),
        (Part::Header, &raw.header),
        (Part::Body, &raw.body),
    ];
    let given = parts.iter().filter_map(|(part, schema)| Some((*part, schema.as_ref()?.value.to_json())));
    for schema in parts.iter().filter_map(|(_, schema)| schema.as_ref()) {
        templates::check_examples(findings, &schema.value);
    }
    match RequestSchema::new(given.collect()) {
        Ok(schema) => Some(schema),
        Err((part, why)) => {
            let at = parts.iter().find(|(known, _)| *known == part);
            let at = at.and_then(|(_, schema)| schema.as_ref()).map_or(span, |schema| schema.span);
            wrong_schema(findings, at, &why);
            None
        }
    }
}

fn wrong_schema(findings: &mut Findings, span: Span, why: &str) {
    findings.error("wrong-schema", span, format!("this is not a JSON Schema that can be used: {why}"));
}

/// Checks the schema of a body that a route answers.
fn body_schema(findings: &mut Findings, raw: &RouteResponse, has_body: bool) -> Option<Value> {
    let given = raw.schema.as_ref()?;
    if !has_body {
        findings.error("stray-key", given.span, "`schema` is only allowed with `json` or `text`");
        return None;
    }
    let schema = given.value.to_json();
    match compile(&schema) {
        Ok(_) => Some(schema),
        Err(why) => {
            wrong_schema(findings, given.span, &why);
            None
        }
    }
}

/// Names that only `remove` may have, because operations write them.
const OF_OPERATIONS: [&str; 2] = ["contacts", "subscriptions"];

fn writes(findings: &mut Findings, compiler: &mut Compiler<'_>, raw: &RouteMap) -> Vec<Write> {
    let mut writes = Vec::new();
    for member in raw.store.iter().flat_map(|store| &store.value.0) {
        let name = &member.key;
        let is_word = name.chars().next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        if !is_word || is_built_in(name) {
            let finding = findings.error(
                "wrong-value",
                member.key_span,
                format!("`{name}` cannot be a name under which values are stored"),
            );
            if is_word {
                finding.help("templates have another value or function of this name");
            } else {
                finding.help("a name consists of letters, digits and `_`, so that templates can use it");
            }
            continue;
        }
        let (Some(key), Some(value)) = (&member.value.key, &member.value.value) else { continue };
        let key = compiler.text(findings, &key.value.0, key.span);
        let value = compiler.tree(findings, &value.value);
        if let (Some(key), Some(value)) = (key, value) {
            writes.push(Write::Store { name: name.clone(), key, value });
        }
    }
    for member in raw.remove.iter().flat_map(|remove| &remove.value.0) {
        if !compiler.stored.contains(&member.key) && !OF_OPERATIONS.contains(&member.key.as_str()) {
            let names = OF_OPERATIONS.into_iter().chain(compiler.stored.iter().map(String::as_str));
            unknown_reference(findings, member.key_span, ("stored name", &member.key), names);
            continue;
        }
        if let Some(key) = compiler.text(findings, &member.value.0, member.span) {
            writes.push(Write::Remove { name: member.key.clone(), key });
        }
    }
    writes
}

/// What a response is checked against.
struct ResponseContext<'a, 'r> {
    references: &'a References<'r>,
    path: Option<&'a Path>,
    has_schema: bool,
}

fn response_of(
    findings: &mut Findings,
    context: &ResponseContext<'_, '_>,
    compiler: &mut Compiler<'_>,
    ResponseNode { raw, json }: &ResponseNode,
) -> Option<Response> {
    let when = match &raw.when {
        Some(when) => Some(when_of(findings, context, compiler, &when.value)?),
        None => None,
    };
    let bodies =
        [("json", json.as_ref().map(|json| json.span)), ("text", raw.text.as_ref().map(|text| text.span))];
    at_most_one(findings, "an answer has one body", &bodies);
    let body = match (json, &raw.text) {
        (Some(json), _) => compiler.tree(findings, json).map(Content::Json),
        (None, Some(text)) => compiler.text(findings, &text.value.0, text.span).map(Content::Text),
        (None, None) => Some(Content::Empty),
    };
    let status = raw.status.map_or(Some(200), |status| match body {
        Some(Content::Empty) => u16::try_from(status.value.0).ok(),
        Some(Content::Json(_) | Content::Text(_)) | None => error::status_with_body(findings, &status),
    });
    let mut answered_headers = Vec::new();
    if let Some(given) = &raw.headers {
        for (name, value) in headers::set(findings, &given.value) {
            answered_headers.extend(compiler.text(findings, &value, given.span).map(|value| (name, value)));
        }
    }
    let schema = body_schema(findings, raw, json.is_some() || raw.text.is_some());
    Some(Response { when, status: status?, headers: answered_headers, content: body?, schema })
}

fn when_of(
    findings: &mut Findings,
    context: &ResponseContext<'_, '_>,
    compiler: &mut Compiler<'_>,
    raw: &ResponseWhen,
) -> Option<When> {
    let errors_before = findings.errors();
    let mut when = When {
        condition: condition::validate(
            findings,
            context.references,
            &fault::raw::When {
                header: raw.header.clone(),
                query: raw.query.clone(),
                body: raw.body.clone(),
                ..fault::raw::When::default()
            },
        ),
        valid: raw.valid.map(|valid| valid.value),
        ..When::default()
    };
    for member in raw.path.iter().flat_map(|path| &path.value.0) {
        let names: Vec<&str> = context.path.into_iter().flat_map(Path::parameters).collect();
        if names.contains(&member.key.as_str()) {
            let values = condition::values(findings, &member.key, &member.value, member.span);
            when.path.extend(values.map(|values| (member.key.clone(), values)));
        } else if context.path.is_some() {
            unknown_reference(findings, member.key_span, ("path parameter", &member.key), names);
        }
    }
    for member in raw.stored.iter().flat_map(|stored| &stored.value.0) {
        if !compiler.stored.contains(&member.key) {
            let names = compiler.stored.iter().map(String::as_str);
            unknown_reference(findings, member.key_span, ("stored name", &member.key), names);
            continue;
        }
        let key = compiler.text(findings, &member.value.0, member.span);
        when.stored.extend(key.map(|key| (member.key.clone(), key)));
    }
    when.holds = match &raw.holds {
        Some(holds) => compiler.text(findings, &holds.value.0, holds.span),
        None => None,
    };
    if let (Some(valid), false) = (raw.valid, context.has_schema) {
        findings.error("stray-key", valid.span, "`valid` is only allowed if `request` has a `schema`");
    }
    (findings.errors() == errors_before).then_some(when)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::tree::Tree;
    use crate::scenario::references::fixtures::validate_yaml;

    #[test]
    fn a_route_has_a_request_and_a_response() {
        let (routes, codes) = validate_yaml(
            "- name: experience over time
  request: {method: POST, path: /resources/v1/insight/experience/over-time/, header: {X-Api-Key: demo-key}}
  response: {status: 202, headers: {X-A: 1}, json: {points: '{{ reviews(business=100) | length }}'}}",
            validate,
        );
        assert_eq!(codes, [""; 0]);
        let route = &routes[0];
        assert_eq!(route.methods, [Method::Post]);
        assert_eq!(route.path.text(), "/v1/insight/experience/over-time");
        assert_eq!(route.operation.name(), "route:experience over time");
        assert_eq!(route.condition.headers, [("x-api-key".to_owned(), vec!["demo-key".into()])]);
        let response = &route.responses[0];
        assert_eq!((response.status, &response.headers[0].0[..]), (202, "x-a"));
        assert!(matches!(&response.content, Content::Json(Tree::Map(members)) if members.len() == 1));
        assert!(route.uses(&["reviews"]));
    }

    #[test]
    fn paths_of_the_simulator_are_reserved() {
        for (path, reserved) in [
            ("/w", true),
            ("/w/", true),
            ("/w/a/v1/x", true),
            ("/__admin", true),
            ("/metrics", true),
            ("/metrics/", true),
            ("/web", false),
            ("/metrics/x", false),
        ] {
            let text = format!("[{{name: a, request: {{method: GET, path: {path}}}, response: {{}}}}]");
            assert_eq!(validate_yaml(&text, validate).1 == ["reserved-path"], reserved, "{path}");
        }
    }
}
