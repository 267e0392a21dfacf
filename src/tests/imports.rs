//! Imported documents through the pipeline: every operation answers what its own schema allows.

use std::path::Path;

use serde_json::{Value, json};

use super::harness::ScenarioFolder;
use crate::api::call::{Body, Call};
use crate::import::{answer_schema, generate, import};
use crate::pipeline;
use crate::pipeline::receive::receive;
use crate::pipeline::record::Outcome;
use crate::route::Route;
use crate::route::schema::{Part, compile};
use crate::scenario::document;

fn vendor() -> Value {
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
