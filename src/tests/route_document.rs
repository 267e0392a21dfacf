//! Routes in the OpenAPI document.

use serde_json::{Value, json};

use super::harness::{ScenarioFolder, serve};
use super::imports;
use crate::import::import;
use crate::server::openapi::{View, document};

fn document_of(folder: &ScenarioFolder) -> Value {
    assert!(!folder.is_degraded());
    let snapshot = folder.registry.default_world().snapshot();
    document(View {
        dialect: &snapshot.dialect,
        events: &snapshot.events,
        routes: &snapshot.routes,
        server: "http://x.test",
    })
}

#[test]
fn the_document_says_what_routes_take_and_answer() {
    let folder = serve(
        r"standin: 1
routes:
  - name: page
    request: {method: GET, path: '/v1/page/{id}', query: {view: full, lang: {present: true}}, schema: {query: {properties: {size: {type: integer}}}}}
    response:
      - {when: {header: {x-old: '1'}}, status: 410, json: {code: 1, message: gone}}
      - {when: {query: {as: json}}, headers: {content-type: 'application/json; charset=utf-8'}, schema: {type: array}, text: '[{{ path.id }}]'}
      - {when: {query: {as: csv}}, headers: {Content-Type: text/csv}, text: 'a,{{ path.id }}'}
      - {schema: {type: object}, json: {id: '{{ path.id }}'}}
  - name: short page
    request: {method: GET, path: '/v1/page/{id}', query: {lang: {present: true}}}
    response: [{when: {path: {id: '0'}}, status: 400, json: {code: 2, message: zero}}, {json: {id: 1}}]
",
    );
    let document = document_of(&folder);
    let operation = &document["paths"]["/v1/page/{id}"]["get"];
    assert_eq!(operation["operationId"], "route:page");
    let parameters: Vec<(&str, bool, &str)> = operation["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            (it["name"].as_str().unwrap(), it["required"] == true, it["schema"]["type"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        parameters,
        [
            ("id", true, "string"),
            ("lang", true, "string"),
            ("view", false, "string"), // the second route does without
            ("size", false, "integer"),
            ("x-old", false, "string"),
            ("as", false, "string"),
        ]
    );
    let content = |status: &str| operation["responses"][status]["content"].clone();
    assert_eq!(
        content("200"),
        json!({
            "application/json": { "schema": { "anyOf": [{ "anyOf": [{ "type": "array" }, { "type": "object" }] }, {}] } },
            "text/csv": { "schema": { "type": "string" } },
        })
    );
    let error = json!({ "$ref": "#/components/schemas/Error" });
    assert_eq!(
        content("410")["application/json"],
        json!({ "schema": error, "example": { "code": 1, "message": "gone" } })
    );
    for status in ["400", "401", "404", "405", "413", "429", "500"] {
        assert_eq!(content(status)["application/json"]["schema"], error, "{status}");
    }
}

/// The references of a document that lead nowhere.
fn lost<'a>(document: &'a Value, part: &'a Value) -> Vec<&'a str> {
    let reference = part["$ref"].as_str().filter(|it| document.pointer(it.trim_start_matches('#')).is_none());
    let members = part.as_object().into_iter().flat_map(|members| members.values());
    let elements = part.as_array().into_iter().flatten();
    reference.into_iter().chain(members.chain(elements).flat_map(|inner| lost(document, inner))).collect()
}

#[test]
fn references_in_the_document_of_imported_routes_lead_somewhere() {
    let imported = import(&imports::vendor(), &[], ("vendor.yaml", None)).unwrap();
    assert!(imported.text.contains("$defs"), "some schemas define others");
    let document = document_of(&ScenarioFolder::new(&[("a.yaml", &imported.text)]));
    assert_eq!(lost(&document, &document), [""; 0]);
    assert!(!document.to_string().contains("$defs"));
}
