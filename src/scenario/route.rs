//! Routes: stubs of operations that the simulated API does not have.

use crate::fault::condition::Condition;
use crate::fault::status::Content;
use crate::operations;
use crate::scenario::collections::NonNullMap;
use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::raw::{FinalStatus, When};
use crate::scenario::fault::shadow::Comparisons;
use crate::scenario::fault::{self, condition, error, headers};
use crate::scenario::node::{Node, Value};
use crate::scenario::read::{Read, Spanned, choice, raw};
use crate::scenario::references::References;
use crate::scenario::report::at_most_one;
use crate::scenario::scalars::{NonBlank, Text};
use crate::scenario::source::Span;
use crate::scenario::validate::Unique;
use crate::webhook::template_text;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Route {
    /// The name in the journal.
    pub(crate) name: String,
    pub(crate) method: Method,
    /// The path, still percent-encoded, without `/resources` and without a trailing slash.
    pub(crate) path: String,
    /// The condition on headers, query and body of the request.
    pub(crate) condition: Condition,
    pub(crate) status: u16,
    /// The headers of the response, with names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// The body of the response. The texts in it are templates.
    pub(crate) content: Content,
}

raw! {
    /// A stub of an operation that the simulated API does not have.
    pub(crate) struct RouteMap "a route" {
        /// Name of the route in the journal.
        required "name" name: NonBlank,
        /// The requests that the route answers.
        required "request" request: RouteRequest,
        /// The response.
        required "response" response: RouteResponse,
    }

    /// The requests that a route answers. All given conditions must hold.
    pub(crate) struct RouteRequest "`request`" {
        /// The HTTP method.
        required "method" method: Method,
        /// The path under the base URL, such as `/v1/insight`.
        required "path" path: NonBlank,
        /// Headers that the request must have, each with one of the listed values.
        optional "headers" headers: NonNullMap<OneOrMany<Text>>,
        /// Query parameters that the request must have, each with one of the listed values.
        optional "query" query: NonNullMap<OneOrMany<Text>>,
        /// Values that the request body must have, by JSON Pointer.
        optional "body" body: Node,
    }

    /// The response of a route.
    pub(crate) struct RouteResponse "`response`" {
        /// The HTTP status. Default: 200.
        optional "status" status: FinalStatus,
        /// Headers of the response.
        optional "headers" headers: NonNullMap<Text>,
        /// The body as JSON. The texts in it are templates.
        optional "json" json: Node,
        /// The body as text, which is a template.
        optional "text" text: Text,
    }
}

choice! {
    /// An HTTP method.
    pub(crate) enum Method {
        "GET" Get, "POST" Post, "PUT" Put, "PATCH" Patch, "DELETE" Delete, "HEAD" Head, "OPTIONS" Options,
    }
}

/// Paths of the simulator itself. One that ends in a slash stands for everything under it too.
const RESERVED_PATHS: [&str; 7] = ["/", "/__admin/", "/w/", "/metrics", "/openapi.json", "/docs", "/console"];

/// Maximum number of routes.
const MAX_ROUTES: usize = 5000;

/// Validates the routes of a scenario. Routes with an error are left out.
pub(crate) fn validate(findings: &mut Findings, references: &References, nodes: &[&Node]) -> Vec<Route> {
    if fault::too_many(findings, ("routes", MAX_ROUTES), nodes) {
        return Vec::new();
    }
    let mut comparisons = Comparisons::default();
    let mut names = Unique::new("duplicate-name", "route");
    let mut routes: Vec<(Route, Span)> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let name = fault::unique_name(findings, &mut names, node);
        let Some(route) = validate_one(findings, references, node) else { continue };
        let span = name.unwrap_or(node.span);
        let mut covers = |earlier: &Route| {
            (earlier.method, &earlier.path) == (route.method, &route.path)
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
                .related(*first, "takes all of its requests");
        }
        routes.push((route, span));
    }
    routes.into_iter().map(|(route, _)| route).collect()
}

fn validate_one(findings: &mut Findings, references: &References, node: &Node) -> Option<Route> {
    let errors_before = findings.errors();
    let raw = RouteMap::read(findings, node)?;
    let request = raw.request.as_ref().and_then(|request| request_of(findings, references, &request.value));
    let response = raw.response.as_ref().zip(node.get("response"));
    let response = response.map(|(response, node)| response_of(findings, &response.value, node));
    let ((method, path, condition), (status, headers, content)) = (request?, response?);
    let route = Route { name: raw.name?.value.0, method, path, condition, status, headers, content };
    (findings.errors() == errors_before).then_some(route)
}

fn request_of(
    findings: &mut Findings,
    references: &References,
    raw: &RouteRequest,
) -> Option<(Method, String, Condition)> {
    let method = raw.method.map(|method| method.value);
    let path = raw.path.as_ref().and_then(|path| self::path(findings, path, method));
    let when = When {
        header: raw.headers.clone(),
        query: raw.query.clone(),
        body: raw.body.clone(),
        ..When::default()
    };
    let condition = condition::validate(findings, references, &when);
    Some((method?, path?, condition))
}

/// Checks a path. Returns it without `/resources` and without a trailing slash.
fn path(findings: &mut Findings, given: &Spanned<NonBlank>, method: Option<Method>) -> Option<String> {
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
    if let (Some((spec, _)), Some(Method::Post)) = (operations::at(path), method) {
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
    let path = path.strip_prefix("/resources").filter(|rest| rest.starts_with('/')).unwrap_or(path);
    Some(path.strip_suffix('/').unwrap_or(path).to_owned())
}

/// Whether a path, with or without a trailing slash, is a reserved one or lies under a reserved one that ends in a slash.
fn is_reserved(path: &str, reserved: &str) -> bool {
    let (path, folder) = (path.trim_end_matches('/'), reserved.trim_end_matches('/'));
    path == folder || (folder.len() + 1 == reserved.len() && !folder.is_empty() && path.starts_with(reserved))
}

fn response_of(
    findings: &mut Findings,
    raw: &RouteResponse,
    node: &Node,
) -> (u16, Vec<(String, String)>, Content) {
    // A `json` of null is a body too, so look for the key and not for a value.
    let json = node.entries().and_then(|entries| entries.iter().find(|entry| &*entry.key == "json"));
    let bodies =
        [("json", json.map(|entry| entry.value.span)), ("text", raw.text.as_ref().map(|text| text.span))];
    at_most_one(findings, "an answer has one body", &bodies);
    let content = match (json, &raw.text) {
        (Some(entry), _) => {
            check_templates(findings, &entry.value);
            Content::Json(entry.value.to_json())
        }
        (None, Some(text)) => {
            check_template(findings, &text.value.0, text.span);
            Content::Text(text.value.0.clone())
        }
        (None, None) => Content::Empty,
    };
    let status = raw.status.map_or(Some(200), |status| match content {
        Content::Empty => u16::try_from(status.value.0).ok(),
        Content::Json(_) | Content::Text(_) => error::status_with_body(findings, &status),
    });
    let headers =
        raw.headers.as_ref().map_or_else(Vec::new, |headers| headers::set(findings, &headers.value));
    (status.unwrap_or(200), headers, content)
}

/// Reports a template with a syntax error.
fn check_template(findings: &mut Findings, text: &str, span: Span) {
    if let Err(problem) = template_text::read(text) {
        findings.error("template", span, format!("this template is not valid: {}", problem.message));
    }
}

/// Checks all texts in a JSON body.
fn check_templates(findings: &mut Findings, node: &Node) {
    match &node.value {
        Value::Null => {}
        Value::Scalar(scalar) => check_template(findings, &scalar.text, node.span),
        Value::List(list) => list.iter().for_each(|element| check_templates(findings, element)),
        Value::Map(entries) => entries.iter().for_each(|entry| check_templates(findings, &entry.value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::references::fixtures::validate_yaml;

    #[test]
    fn a_route_has_a_request_and_a_response() {
        let (routes, codes) = validate_yaml(
            "- name: experience over time
  request: {method: POST, path: /resources/v1/insight/experience/over-time/, headers: {X-Api-Key: demo-key}}
  response: {status: 202, headers: {X-A: 1}, json: {points: '{{ reviews(business=100) | length }}'}}",
            validate,
        );
        assert_eq!(codes, [""; 0]);
        let route = &routes[0];
        assert_eq!((route.method, route.path.as_str()), (Method::Post, "/v1/insight/experience/over-time"));
        assert_eq!(route.condition.headers, [("x-api-key".to_owned(), vec!["demo-key".to_owned()])]);
        assert_eq!((route.status, &route.headers[0].0[..]), (202, "x-a"));
        assert!(matches!(&route.content, Content::Json(json) if json["points"].is_string()));
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
