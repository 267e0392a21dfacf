//! Imported documents through the pipeline: every operation answers what its own schema allows.

use std::path::Path;

use serde_json::{Value, json};

use super::harness::{ScenarioFolder, send_with};
use crate::api::call::{Body, Call};
use crate::import::{answer_schema, generate, import};
use crate::pipeline;
use crate::pipeline::receive::receive;
use crate::pipeline::record::Outcome;
use crate::route::Route;
use crate::route::schema::{Part, compile};
use crate::scenario::document;

pub(super) fn vendor() -> Value {
    let text = include_str!("../../tests/openapi/vendor.yaml");
    document::parse(Path::new("vendor.yaml"), text.as_bytes()).unwrap().0
}

fn send(folder: &ScenarioFolder, route: &Route, headers: &[(&str, &str)], is_valid: bool) -> Outcome {
    let part = |part: Part| {
        route
            .schema
            .as_ref()
            .and_then(|schema| schema.of(part))
            .and_then(|schema| generate::value(schema, "test"))
    };
    let (query, body) = (part(Part::Query), part(Part::Body));
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            list.iter().map(|one| one.as_str().unwrap_or_default()).collect::<Vec<_>>().join(",")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    };
    let pairs: Vec<(String, String)> = query
        .iter()
        .filter_map(Value::as_object)
        .flatten()
        .map(|(name, value)| (name.clone(), text(value)))
        .collect();
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    let body =
        if is_valid { body.map(|body| body.to_string()).unwrap_or_default() } else { "[1]".to_owned() };
    let path = route.path.parameters().fold(route.path.text().to_owned(), |path, name| {
        path.replace(&format!("{{{name}}}"), if is_valid { "1001" } else { "none" })
    });
    let headers = [&[("x-api-key", "k")], headers].concat();
    let call = Call {
        method: route.methods[0].name(),
        path: &path,
        query: if is_valid { &query } else { "" },
        headers: headers.iter().map(|(name, value)| (*name, value.as_bytes())).collect(),
        body: Body::Whole(body.as_bytes()),
        connection: 0,
    };
    let received = receive(&folder.registry, call).unwrap();
    pipeline::answer(&received, received.snapshot.dataset())
}

#[test]
fn every_imported_operation_answers_what_its_schema_allows() {
    let vendor = vendor();
    let imported = import(&vendor, &[], ("vendor.yaml", None)).unwrap();
    let folder = ScenarioFolder::new(&[("a.yaml", &imported.text)]);
    assert!(!folder.is_degraded());
    let snapshot = folder.registry.default_world().snapshot();
    let routes = &snapshot.routes.routes;
    assert_eq!(routes.len(), imported.routes);
    let (mut checked, mut refused) = (0, 0);
    for route in routes {
        let outcome = send(&folder, route, &[], true);
        let body = String::from_utf8_lossy(&outcome.reply.body).into_owned();
        assert!(
            outcome.reply.status < 300,
            "{}: {} {body} {:?}",
            route.name,
            outcome.reply.status,
            outcome.reply.headers
        );
        let schema = answer_schema(&vendor, route.methods[0].name(), route.path.text());
        let is_json = outcome.reply.headers.iter().any(|(_, value)| value == "application/json");
        if let Some(schema) = schema.filter(|_| is_json) {
            let body: Value = serde_json::from_str(&body).unwrap();
            let error = compile(&schema).unwrap().validate(&body).err().map(|error| error.to_string());
            assert_eq!(error, None, "{}: {body}", route.name);
            checked += 1;
        }
        let validates_body = route.schema.as_ref().is_some_and(|schema| schema.of(Part::Body).is_some());
        if validates_body || route.path.parameters().next().is_some() {
            let outcome = send(&folder, route, &[], false);
            let documented =
                vendor["paths"][route.path.text()][route.methods[0].name().to_lowercase()]["responses"]
                    .get(outcome.reply.status.to_string());
            assert!(documented.is_some(), "{}: {}", route.name, outcome.reply.status);
            refused += 1;
        }
    }
    assert!(checked > 130 && refused > 100, "{checked} {refused}");
    let get = routes.iter().find(|route| route.name == "getTicket").unwrap();
    let preferred = send(&folder, get, &[("prefer", "code=404")], true);
    assert_eq!(preferred.reply.status, 404);
    let body: Value = serde_json::from_slice(&preferred.reply.body).unwrap();
    assert!(body["code"].is_number() && body["message"].is_string(), "{body}");
    let template = routes.iter().find(|route| route.name == "template").unwrap();
    let body: Value = serde_json::from_slice(&send(&folder, template, &[], true).reply.body).unwrap();
    assert_eq!(body, json!({ "text": "Hi {{firstName}}, {% x %}" }));
}

/// Sends a call to a route, and returns status, headers and body.
fn call(
    folder: &ScenarioFolder,
    (method, target): (&str, &str),
    headers: &[(&str, &str)],
    body: &str,
) -> (u16, Vec<(String, String)>, String) {
    let reply = send_with(folder, &format!("{method} {target}"), headers, body).reply;
    let headers = reply.headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    (reply.status, headers, String::from_utf8_lossy(&reply.body).into_owned())
}

fn import_and_serve(document: &Value) -> ScenarioFolder {
    let imported = import(document, &[], ("api.yaml", None)).unwrap();
    let folder = ScenarioFolder::new(&[("a.yaml", &imported.text)]);
    assert!(!folder.is_degraded(), "{}", imported.text);
    folder
}

#[test]
fn query_parameters_of_every_style_are_validated_or_left_alone() {
    let list = json!({ "type": "array", "items": { "type": "integer" } });
    let color = json!({ "type": "object", "required": ["r"], "properties": { "r": { "type": "integer" } } });
    for (parameter, fine, wrong) in [
        (json!({ "style": "deepObject", "schema": color }), "p[r]=1&p[g]=2", "p[r]=x"),
        (json!({ "style": "deepObject", "required": true, "schema": color }), "p[r]=1", ""),
        (json!({ "schema": color }), "r=1&g=2", "r=x"),
        (json!({ "required": true, "schema": color }), "r=1", "g=1"),
        (json!({ "explode": false, "schema": color }), "p=r,1", ""),
        (json!({ "explode": false, "required": true, "schema": color }), "p=r,1", "r=1"),
        (json!({ "style": "pipeDelimited", "explode": false, "schema": list }), "p=1%7C2", "p=1,2"),
        (json!({ "style": "spaceDelimited", "explode": false, "schema": list }), "p=1%202&q", "p=1,2"),
        (json!({ "style": "pipeDelimited", "explode": true, "schema": list }), "p=1&p=2", "p=1&p=x"),
        (json!({ "schema": list }), "p=1&p=2", "p=x"),
        (json!({ "explode": false, "schema": list }), "p=1,2", "p=1,x"),
        (json!({ "content": { "application/json": { "schema": list } } }), "p=[1,2]", ""),
        (
            json!({ "content": { "application/json": { "schema": color } } }),
            "p=%7B%22r%22:1%7D",
            "p=%7B%22r%22:true%7D",
        ),
        (json!({ "allowEmptyValue": true, "schema": { "type": "boolean" } }), "p=", ""),
        (json!({ "schema": { "anyOf": [{ "type": "integer" }, { "type": "null" }] } }), "p=5", "p=x"),
        (
            json!({ "schema": { "anyOf": [{ "$ref": "#/components/schemas/Count" }, { "type": "null" }] } }),
            "p=5",
            "p=x",
        ),
        (json!({ "schema": { "$ref": "#/components/schemas/Count", "maximum": 6 } }), "p=5", "p=7"),
        (json!({ "schema": { "enum": [1, 2] } }), "p=2", "p=3"),
        (json!({ "schema": { "$ref": "#/components/schemas/Tree" } }), "a=1", ""),
    ] {
        let mut given = parameter.clone();
        (given["name"], given["in"]) = (json!("p"), json!("query"));
        let folder = import_and_serve(&json!({
            "openapi": "3.1.0",
            "components": { "schemas": {
                "Count": { "type": "integer" },
                "Tree": { "type": "object", "properties": { "child": { "$ref": "#/components/schemas/Tree" } } },
            } },
            "paths": { "/v1/a": { "get": { "parameters": [given], "responses": { "200": {}, "400": {} } } } },
        }));
        let status = |query: &str| call(&folder, ("GET", &format!("/v1/a?{query}")), &[], "").0;
        assert_eq!(status(fine), 200, "{parameter}: {fine}");
        if !wrong.is_empty() {
            assert_eq!(status(wrong), 400, "{parameter}: {wrong}");
        }
    }
}

#[test]
fn redirects_further_answers_headers_and_the_default_are_taken_over() {
    let error = json!({ "content": { "application/problem+json": { "schema": {
        "type": "object", "required": ["title"], "properties": { "title": { "type": "string" } },
    } } } });
    let folder = import_and_serve(&json!({
        "openapi": "3.0.3",
        "paths": {
            "/v1/a": { "get": {
                "parameters": [{ "name": "n", "in": "query", "schema": { "type": "integer" } }],
                "responses": {
                    "200": {
                        "headers": {
                            "X-Example": { "example": "{{ 7 }}", "schema": { "type": "string" } },
                            "X-Of-Schema": { "schema": { "type": "integer", "example": 5 } },
                            "X-Default": { "schema": { "type": "boolean", "default": true } },
                            "X-Single": { "schema": { "type": "string", "enum": ["one"] } },
                            "X-Required": { "required": true, "schema": { "type": "integer", "minimum": 3, "maximum": 3 } },
                            "X-Wrong": { "schema": { "type": "integer", "example": "no" } },
                        },
                        "content": { "application/json": { "example": 1 } },
                    },
                    "202": { "content": { "application/json": { "example": 2 } } },
                    "302": { "headers": { "Location": { "example": "/there", "schema": { "type": "string" } } } },
                    "default": error,
                },
            } },
            "/v1/moved": { "get": { "responses": { "301": { "headers": { "Location": { "example": "/b" } } }, "404": {} } } },
            "/v1/only": { "get": { "responses": { "default": { "content": { "application/json": { "example": "all" } } } } } },
        },
    }));
    let get = |target: &str, prefer: &str| call(&folder, ("GET", target), &[("prefer", prefer)], "");
    let (status, headers, body) = get("/v1/a", "");
    assert_eq!((status, body.as_str()), (200, "1"));
    let header = |headers: &[(String, String)], name: &str| {
        headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let names = ["x-example", "x-of-schema", "x-default", "x-single", "x-required", "x-wrong"];
    assert_eq!(names.map(|name| header(&headers, name)), ["{{ 7 }}", "5", "true", "one", "3", ""]);
    assert_eq!(get("/v1/a", "code=202").2, "2");
    let (status, headers, _) = get("/v1/a", "code=302");
    assert_eq!((status, header(&headers, "location")), (302, "/there".to_owned()));
    let (status, headers, body) = get("/v1/a?n=x", "");
    assert_eq!((status, header(&headers, "content-type")), (400, "application/problem+json".to_owned()));
    assert_eq!(body, "{\"title\":\"The request is not valid.\"}");
    let (status, headers, _) = get("/v1/moved", "");
    assert_eq!((status, header(&headers, "location")), (301, "/b".to_owned()));
    assert_eq!(get("/v1/only", "").2, "\"all\"");
}

#[test]
fn a_malformed_body_is_answered_like_one_that_does_not_fit() {
    let folder = import_and_serve(&json!({
        "openapi": "3.1.0",
        "paths": { "/v1/a": {
            "post": {
                "requestBody": { "required": true, "content": {
                    "application/json": { "schema": {
                        "type": "object", "required": ["id", "name"],
                        "properties": { "id": { "type": "integer", "readOnly": true }, "name": { "type": "string" } },
                    } },
                    "application/x-www-form-urlencoded": {},
                } },
                "responses": { "200": {}, "422": { "content": { "application/json": { "example": { "why": "x" } } } } },
            },
            "put": { "requestBody": { "content": { "application/json": {} } }, "responses": { "200": {} } },
        } },
    }));
    let json = ("content-type", "application/json");
    let send = |method, body| call(&folder, (method, "/v1/a"), &[json], body);
    assert_eq!(send("POST", "{\"name\": \"a\"}").0, 200); // what the server sets may be left out
    let (status, headers, body) = send("POST", "{\"name\":");
    assert_eq!((status, body.as_str()), (422, "{\"why\":\"x\"}"));
    assert!(
        headers.iter().any(|(name, value)| name == "x-standin-detail" && value.contains("not JSON")),
        "{headers:?}"
    );
    assert_eq!(send("POST", "{}"), (422, send("POST", "{}").1, body));
    let form = call(
        &folder,
        ("POST", "/v1/a"),
        &[("content-type", "application/x-www-form-urlencoded; charset=utf-8")],
        "a=1",
    );
    assert_eq!(form.0, 200);
    let (status, _, body) = send("PUT", "{\"name\":");
    assert_eq!(status, 400);
    assert!(body.contains("2466"), "{body}");
}
