//! Routes: plain stubs of operations that the interface document does not show.

use crate::fault::condition::Condition;
use crate::fault::status::Content;
use crate::operations;
use crate::scenario::collections::NonNullMap;
use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::raw::{FinalStatus, When};
use crate::scenario::fault::{self, condition, error, headers};
use crate::scenario::node::Node;
use crate::scenario::read::{Read, Spanned, choice, raw};
use crate::scenario::references::References;
use crate::scenario::report::at_most_one;
use crate::scenario::scalars::{NonBlank, Text};
use crate::scenario::source::Span;
use crate::scenario::template;
use crate::scenario::validate::Unique;

/// A stub.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// Its name in the journal.
    pub name: String,
    /// The method it answers to.
    pub method: Method,
    /// The path it answers to, still percent-encoded, without `/resources` and trailing slash.
    pub path: String,
    /// What else must hold of the request: headers, query and body.
    pub condition: Condition,
    /// The HTTP status of its answer.
    pub status: u16,
    /// Headers of its answer, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its answer; the texts in it are templates.
    pub content: Content,
}

raw! {
    /// A stub of an operation that the interface document does not show.
    pub struct RouteMap "a route" {
        /// Its name in the journal.
        required "name" name: NonBlank,
        /// What it answers to.
        required "request" request: RouteRequest,
        /// Its answer.
        required "response" response: RouteResponse,
    }

    /// What a route answers to.
    pub struct RouteRequest "`request`" {
        /// The method.
        required "method" method: Method,
        /// The path under the base URL.
        required "path" path: NonBlank,
        /// Headers and their values.
        optional "headers" headers: NonNullMap<OneOrMany<Text>>,
        /// Query parameters and their values.
        optional "query" query: NonNullMap<OneOrMany<Text>>,
        /// Places in the body (JSON Pointers) and what stands there.
        optional "body" body: Node,
    }

    /// The answer of a route.
    pub struct RouteResponse "`response`" {
        /// The HTTP status; by default 200.
        optional "status" status: FinalStatus,
        /// Headers and their values.
        optional "headers" headers: NonNullMap<Text>,
        /// The body, as JSON; the texts in it are templates.
        optional "json" json: Node,
        /// The body, as text; a template.
        optional "text" text: Text,
    }
}

choice! {
    /// A method of HTTP.
    pub enum Method {
        "GET" Get, "POST" Post, "PUT" Put, "PATCH" Patch, "DELETE" Delete, "HEAD" Head, "OPTIONS" Options,
    }
}

/// Paths that are the simulator's own, with all that is under those that end in a slash.
const OWN: [&str; 7] = ["/", "/__admin/", "/w/", "/metrics", "/openapi.json", "/docs", "/console"];

/// The routes of a scenario, those left out that have an error.
pub fn validate(findings: &mut Findings, references: &References, nodes: &[&Node]) -> Vec<Route> {
    let mut names = Unique::new("duplicate-name", "route");
    let mut routes: Vec<(Route, Span)> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let name = fault::unique_name(findings, &mut names, node);
        let Some(route) = one(findings, references, node) else { continue };
        let span = name.unwrap_or(node.span);
        let covers = |earlier: &Route| {
            (earlier.method, &earlier.path) == (route.method, &route.path)
                && earlier.condition.covers(&route.condition)
        };
        if let Some((earlier, first)) = routes.iter().find(|(earlier, _)| covers(earlier)) {
            let message = format!(
                "`{}` never answers: `{}` stands before it and takes its requests",
                route.name, earlier.name
            );
            findings
                .warning("shadowed", span, message)
                .label("in the shadow")
                .related(*first, "this takes them all");
        }
        routes.push((route, span));
    }
    routes.into_iter().map(|(route, _)| route).collect()
}

fn one(findings: &mut Findings, references: &References, node: &Node) -> Option<Route> {
    let before = findings.errors();
    let raw = RouteMap::read(findings, node)?;
    let request = raw.request.as_ref().and_then(|request| request_of(findings, references, &request.value));
    let answer = raw.response.as_ref().zip(node.get("response"));
    let answer = answer.map(|(response, node)| answer_of(findings, &response.value, node));
    let ((method, path, condition), (status, headers, content)) = (request?, answer?);
    let route = Route { name: raw.name?.value.0, method, path, condition, status, headers, content };
    (findings.errors() == before).then_some(route)
}

fn request_of(
    findings: &mut Findings,
    references: &References,
    raw: &RouteRequest,
) -> Option<(Method, String, Condition)> {
    let path =
        raw.path.as_ref().and_then(|path| self::path(findings, path, raw.method.map(|method| method.value)));
    let when = When {
        header: raw.headers.clone(),
        query: raw.query.clone(),
        body: raw.body.clone(),
        ..When::default()
    };
    let condition = condition::validate(findings, references, &when);
    Some((raw.method?.value, path?, condition))
}

fn path(findings: &mut Findings, given: &Spanned<NonBlank>, method: Option<Method>) -> Option<String> {
    let path = given.value.0.as_str();
    let plain = |c: char| !c.is_whitespace() && !c.is_control() && c != '?' && c != '#';
    if !path.starts_with('/') || !path.chars().all(plain) {
        let finding =
            findings.error("wrong-value", given.span, "`path` must be a path under the base URL: `/v1/…`");
        if path.contains("://") {
            finding.help("without scheme and host");
        } else if path.contains('?') {
            finding.help("what stands behind the `?` is `query: {name: value}`");
        }
        return None;
    }
    let own = |own: &&str| {
        path == *own || path.strip_suffix('/') == Some(own) || {
            own.len() > 1
                && own.ends_with('/')
                && (path.starts_with(*own) || path == own.trim_end_matches('/'))
        }
    };
    if let Some(own) = OWN.into_iter().find(own) {
        findings
            .error("reserved-path", given.span, format!("`{path}` is the simulator's own"))
            .help(format!("`{own}` is not the API's: a route stands elsewhere"));
        return None;
    }
    if let (Some((spec, _)), Some(Method::Post)) = (operations::at(path), method) {
        findings
            .warning(
                "never-matches",
                given.span,
                format!("`{}` answers at this path, and the route never does", spec.operation.name()),
            )
            .help("an operation's answers are changed with `faults`");
    }
    let path = path.strip_prefix("/resources").filter(|rest| rest.starts_with('/')).unwrap_or(path);
    Some(path.strip_suffix('/').unwrap_or(path).to_owned())
}

fn answer_of(
    findings: &mut Findings,
    raw: &RouteResponse,
    node: &Node,
) -> (u16, Vec<(String, String)>, Content) {
    let entry = node.entries().and_then(|entries| entries.iter().find(|entry| &*entry.key == "json"));
    let given =
        [("json", entry.map(|entry| entry.value.span)), ("text", raw.text.as_ref().map(|text| text.span))];
    at_most_one(findings, "an answer has one body", &given);
    let content = match (entry, &raw.text) {
        (Some(entry), _) => {
            template::check_all(findings, &entry.value);
            Content::Json(entry.value.to_json())
        }
        (None, Some(text)) => {
            template::check(findings, &text.value.0, text.span);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::references::fixtures::validate_yaml;

    #[test]
    fn a_route_is_a_request_and_its_answer() {
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
    fn paths_of_the_simulator_itself_are_refused() {
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
