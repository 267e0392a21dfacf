use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Imported, Only, import};
use crate::scenario::document;

fn document(path: &str, responses: &Value) -> Value {
    json!({ "openapi": "3.1.0", "paths": { path: { "get": { "operationId": "a", "responses": responses } } } })
}

fn imported(document: &Value) -> Imported {
    import(document, &[], ("api.yaml", None)).unwrap()
}

fn ok(schema: &Value) -> Value {
    json!({ "200": { "content": { "application/json": { "schema": schema } } }, "400": { "description": "" } })
}

#[test]
fn a_document_imported_again_gives_the_same_file_and_keeps_what_was_edited() {
    let text = include_str!("../../tests/openapi/vendor.yaml");
    let (vendor, mistakes) = document::parse(Path::new("vendor.yaml"), text.as_bytes()).unwrap();
    assert_eq!(mistakes, [""; 0]);
    let first = imported(&vendor);
    assert!(first.routes >= 150, "{}", first.routes);
    let again = import(&vendor, &[], ("vendor.yaml", Some(&first.text))).unwrap();
    assert_eq!(again.text, first.text);
    let before = "- name: \"getTicket\"\n";
    assert!(first.text.contains(before), "{:.3000}", first.text);
    let edited = first.text.replace(before, "- name: my-ticket\n");
    let edited =
        edited.replace("  # imported: GET /v1/user ", "  # A note of mine.\n  # imported: GET /v1/user ");
    let merged = import(&vendor, &[], ("vendor.yaml", Some(&edited))).unwrap();
    assert_eq!(merged.text, edited);
    assert!(merged.told.contains(&"GET /v1/ticket/{id}: its block was edited, and is kept".to_owned()));
    let mut less = vendor.clone();
    less["paths"].as_object_mut().unwrap().remove("/v1/user");
    less["paths"].as_object_mut().unwrap().remove("/v1/ticket/{id}");
    let merged = import(&less, &[], ("vendor.yaml", Some(&edited))).unwrap();
    assert!(merged.text.contains("# A note of mine.") && !merged.text.contains("# imported: GET /v1/user "));
    assert!(merged.text.contains("my-ticket") && !merged.text.contains("updateTicket"));
    let only = [Only::new("GET /v1/business/**").unwrap()];
    let some = import(&vendor, &only, ("vendor.yaml", None)).unwrap();
    assert_eq!(some.text.matches("  # imported: GET /v1/business").count(), some.routes);
    assert_eq!(import(&vendor, &only, ("vendor.yaml", Some(&first.text))).unwrap().text, first.text);
}

#[test]
fn what_cannot_be_taken_over_is_told() {
    let text = include_str!("../../tests/openapi/vendor.yaml");
    let (vendor, _) = document::parse(Path::new("vendor.yaml"), text.as_bytes()).unwrap();
    let told = imported(&vendor).told.join("\n");
    for part in [
        "the same path but for the names of its parameters",
        "POST /v1/review/businessId/{id}: not imported: the operation `reviews` of Standin",
        "GET /v1/file/{id}.pdf: not imported",
        "GET v1/noslash: not imported",
        "GET /v1/query?x=1: not imported",
        "its example contradicts its schema",
        "`type: \"int\"` is none of JSON Schema",
        "the reference #/components/schemas/Missing leads to nothing",
        "the pattern \"^(?=.*[A-Z]).{3,}$\" cannot be used",
        "GET /v1/nothing: no answer below 300 is documented",
        "it is application/xml without an example: its body is empty",
        "POST /v1/upload: its body is no JSON",
        "POST /v1/upload: without a valid key it answers 401, which is not documented",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
}

#[test]
fn deep_references_huge_enumerations_and_exploding_patterns_end_soon() {
    let begin = crate::clock::real_now();
    let many: Vec<String> = (0..200_000).map(|number| number.to_string()).collect();
    let mut deep = json!({ "type": "string" });
    for _ in 0..100 {
        deep = json!({ "type": "object", "required": ["a"], "properties": { "a": deep } });
    }
    let wide: serde_json::Map<String, Value> =
        (0..30_000).map(|number| (format!("p{number}"), json!({ "type": "string" }))).collect();
    for schema in [
        json!({ "$ref": "#/paths" }),
        json!({ "$ref": "#/paths/~1a/get/responses/200/content/application~1json/schema" }),
        json!({ "$ref": "https://elsewhere.test/x.json" }),
        json!({ "enum": many }),
        json!({ "type": "string", "pattern": "((a{1000}){1000}){1000}" }),
        json!({ "type": "string", "pattern": "^(a+)+$", "minLength": 1_000_000 }),
        json!({ "type": "string", "pattern": "a{999999999}" }),
        json!({ "type": "array", "minItems": 1_000_000_000, "items": { "type": "string" } }),
        json!({ "type": "object", "properties": wide }),
        json!({ "type": 7, "required": true, "items": [], "enum": "x", "allOf": {}, "minimum": "a" }),
        deep,
    ] {
        let text = imported(&document("/a", &ok(&schema))).text;
        assert!(text.len() < 1 << 20, "{}", text.len());
    }
    // Every schema refers to two others twice, which doubles with each step if it is written out.
    let mut doubling = document("/a", &ok(&json!({ "$ref": "#/components/schemas/s0" })));
    for number in 0..60 {
        let next = json!({ "$ref": format!("#/components/schemas/s{}", (number + 1) % 60) });
        doubling["components"]["schemas"][format!("s{number}")] =
            json!({ "type": "object", "required": ["a", "b"], "properties": { "a": next, "b": next } });
    }
    imported(&doubling);
    // Each of fifty schemas is one of ten others; each of three thousand refers to the next.
    for (count, others) in [(50, 10), (50, 2), (3_000, 1)] {
        let mut cycle = document("/a", &ok(&json!({ "$ref": "#/components/schemas/s0" })));
        for number in 0..count {
            let other =
                |step| json!({ "$ref": format!("#/components/schemas/s{}", (number + step) % count) });
            let others: Vec<Value> = (1..=others).map(other).collect();
            let schema = match others.as_slice() {
                [one] => one.clone(),
                several => json!({ "oneOf": several }),
            };
            cycle["components"]["schemas"][format!("s{number}")] = schema;
        }
        imported(&cycle);
    }
    assert!(begin.elapsed() < Duration::from_secs(120), "{:?}", begin.elapsed());
}

#[test]
fn texts_that_look_like_templates_or_break_yaml_are_escaped() {
    let odd = "{{ x }} {% y %} {# z #} \" ' \\ \u{2028} \u{85} 😀 : #";
    let example = json!({ "200": { "content": { "application/json": { "example": { "a": odd } } } } });
    let text = imported(&document("/a", &example)).text;
    let (parsed, _) = document::parse(Path::new("a.yaml"), text.as_bytes()).unwrap();
    let body = parsed["routes"][0]["response"][0]["json"]["a"].as_str().unwrap();
    assert_eq!(body.replace("{{ '{{' }}", "{{").replace("{{ '{%' }}", "{%").replace("{{ '{#' }}", "{#"), odd);
}
