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

/// Whether the file loads.
fn loads(text: &str) -> Result<(), String> {
    super::check_loads(text)
}

#[test]
fn an_imported_route_is_numbered_where_a_route_that_stays_has_its_name() {
    let mut document = document("/v1/new", &json!({ "200": {} }));
    document["paths"]["/v1/new"]["get"]["operationId"] = Value::Null;
    document["paths"]["/v1/old"] = json!({ "get": { "responses": { "200": {} } } });
    let only = [Only::new("GET /v1/old").unwrap()];
    let old = import(&document, &only, ("api.yaml", None)).unwrap().text;
    let own = "  - {name: get-v1-new, request: {method: GET, path: /mine}, response: {json: 1}}\n";
    let before = "  # imported: GET /v1/old ";
    for existing in [format!("{old}{own}"), old.replace(before, &format!("{own}{before}"))] {
        let merged = import(&document, &[], ("api.yaml", Some(&existing))).unwrap();
        assert_eq!(loads(&merged.text), Ok(()));
        assert!(merged.text.contains("- name: \"get-v1-new-2\""), "{}", merged.text);
        let line =
            "GET /v1/new: named `get-v1-new-2`, since a route that stays in the file is named `get-v1-new`";
        assert!(merged.told.contains(&line.to_owned()), "{:?}", merged.told);
        let again = import(&document, &[], ("api.yaml", Some(&merged.text))).unwrap();
        assert_eq!(again.text, merged.text);
    }
    // So has a block that was edited, and one that is not selected.
    let edited = old.replace("\"get-v1-old\"", "get-v1-new");
    let merged = import(&document, &[], ("api.yaml", Some(&edited))).unwrap();
    assert_eq!((loads(&merged.text), merged.routes), (Ok(()), 1));
    document["paths"]["/v1/old"]["get"]["operationId"] = json!("get-v1-new");
    let old = import(&document, &only, ("api.yaml", None)).unwrap().text;
    let only = [Only::new("GET /v1/new").unwrap()];
    let merged = import(&document, &only, ("api.yaml", Some(&old))).unwrap();
    assert_eq!(loads(&merged.text), Ok(()));
}

#[test]
fn a_block_whose_hash_is_missing_is_kept_and_not_written_twice() {
    let document = document("/v1/q", &json!({ "200": {} }));
    let text = imported(&document).text;
    let (begin, rest) = text.split_once("# imported: GET /v1/q ").unwrap();
    let (hash, end) = rest.split_once('\n').unwrap();
    for damaged in ["", &hash[..5], "a b"] {
        let damaged = format!("{begin}# imported: GET /v1/q {damaged}").trim_end().to_owned() + "\n" + end;
        let merged = import(&document, &[], ("api.yaml", Some(&damaged))).unwrap();
        assert_eq!(merged.text, damaged);
        assert_eq!(loads(&merged.text), Ok(()));
        assert_eq!(
            (merged.told.as_slice(), merged.routes),
            (&["GET /v1/q: its block was edited, and is kept".to_owned()][..], 0)
        );
    }
}

#[test]
fn of_paths_that_differ_in_the_names_of_parameters_the_one_with_more_text_is_imported() {
    let empty = json!({ "get": { "responses": { "200": {} } } });
    let full = json!({ "get": { "operationId": "full", "summary": "Full", "responses": { "200": {} } } });
    let told = "has the same path but for the names of its parameters, and no less text";
    for (first, second, winner, loser) in
        [(&empty, &full, "{b}", "{a}"), (&full, &empty, "{a}", "{b}"), (&full, &full, "{a}", "{b}")]
    {
        let document = json!({ "openapi": "3.1.0", "paths": { "/x/{a}/y": first, "/x/{b}/y": second } });
        let new = imported(&document);
        assert!(new.text.contains(&format!("# imported: GET /x/{winner}/y ")), "{}", new.text);
        assert!(!new.text.contains(&format!("/x/{loser}/y")), "{}", new.text);
        let line = format!("GET /x/{loser}/y: not imported: /x/{winner}/y {told}");
        assert!(new.told.contains(&line), "{:?}", new.told);
        // What was imported when the other had more text gives way.
        let only = [Only::new(&format!("GET /x/{loser}/y")).unwrap()];
        let other = import(&document, &only, ("api.yaml", None)).unwrap().text;
        assert!(other.contains(&format!("/x/{loser}/y")), "{other}");
        assert_eq!(import(&document, &[], ("api.yaml", Some(&other))).unwrap().text, new.text);
    }
}

#[test]
fn enumerations_that_contradict_their_type_are_taken_as_the_type_or_without_it() {
    let taken = ": its values are taken as that type";
    let left_out = ", which is left out";
    for (schema, expected, what) in [
        (
            json!({ "type": "integer", "enum": ["1", "2"] }),
            json!({ "type": "integer", "enum": [1, 2] }),
            taken,
        ),
        (
            json!({ "type": "string", "enum": ["1", 2, 1] }),
            json!({ "type": "string", "enum": ["1", "2"] }),
            taken,
        ),
        (json!({ "type": "boolean", "enum": ["true"] }), json!({ "type": "boolean", "enum": [true] }), taken),
        (json!({ "type": "integer", "enum": ["01", "2"] }), json!({ "enum": ["01", "2"] }), left_out),
        (json!({ "type": "integer", "enum": ["one", 2] }), json!({ "enum": ["one", 2] }), left_out),
        (json!({ "type": "string", "enum": ["a", null] }), json!({ "enum": ["a", null] }), left_out),
        (json!({ "type": "number", "enum": [1, 2.5] }), json!({ "type": "number", "enum": [1, 2.5] }), ""),
        (
            json!({ "type": ["integer", "null"], "enum": [1, null] }),
            json!({ "type": ["integer", "null"], "enum": [1, null] }),
            "",
        ),
    ] {
        let parameter = json!({ "name": "kind", "in": "query", "schema": schema });
        let imported = imported(&with(&json!({ "parameters": [parameter] })));
        let (parsed, _) = document::parse(Path::new("a.yaml"), imported.text.as_bytes()).unwrap();
        let found = &parsed["routes"][0]["request"]["schema"]["query"]["properties"]["kind"];
        assert_eq!(*found, expected, "{schema}");
        let told = imported.told.join("\n");
        assert_eq!(told.is_empty(), what.is_empty(), "{told}");
        assert!(told.ends_with(what), "{told}");
        assert!(told.is_empty() || told.starts_with("GET /a: parameter kind: the value "), "{told}");
    }
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
        "GET /v1/nothing: no answer below 400 is documented",
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

/// The document of one operation that answers 200 and 400, with other members.
fn with(operation: &Value) -> Value {
    let mut document = document("/a", &ok(&json!({ "type": "object" })));
    for (key, value) in operation.as_object().unwrap() {
        document["paths"]["/a"]["get"][key] = value.clone();
    }
    document
}

fn told(document: &Value) -> String {
    imported(document).told.join("\n")
}

#[test]
fn a_scenario_that_would_be_too_large_to_load_is_refused_with_its_size() {
    let text = "x".repeat(200 << 10);
    let mut document = json!({ "openapi": "3.0.3", "paths": {} });
    for number in 0..30 {
        let responses = json!({ "200": { "content": { "application/json": { "example": { "a": text } } } } });
        document["paths"][format!("/v1/{number}")] = json!({ "get": { "responses": responses } });
    }
    let why = import(&document, &[], ("api.yaml", None)).unwrap_err();
    for part in ["the scenario would have 60", "KiB", "at most 4096 KiB", "--only"] {
        assert!(why.contains(part), "{part}: {why}");
    }
    let only = [Only::new("GET /v1/1").unwrap()];
    let first = import(&document, &only, ("api.yaml", None)).unwrap();
    assert_eq!(first.routes, 1);
    // What a file has already counts too.
    let long = first.text.replace("standin: 1", &format!("# {}\nstandin: 1", "x".repeat(4 << 20)));
    assert!(import(&document, &only, ("api.yaml", Some(&long))).unwrap_err().contains("at most 4096 KiB"));
}

#[test]
fn what_is_imported_loads_whatever_its_depth_and_its_marks() {
    let mut deep = json!("end");
    for _ in 0..100 {
        deep = json!([deep]);
    }
    let marks: Vec<&str> = vec!["{{ a }}"; 600];
    for example in [deep, json!(marks), json!("{{".repeat(40 << 10))] {
        let responses = json!({ "200": { "content": { "application/json": { "example": example } } } });
        let imported = imported(&document("/a", &responses));
        assert!(imported.told.join("\n").contains("and is not used"), "{:?}", imported.told);
    }
    let mut schema = json!({ "type": "string" });
    for _ in 0..35 {
        schema = json!({ "type": "object", "required": ["a"], "properties": { "a": schema } });
    }
    imported(&document("/a", &ok(&schema)));
    let body = json!({ "requestBody": { "content": { "application/json": { "schema": schema } } } });
    assert!(told(&with(&body)).contains("only whether it is JSON is validated"));
}

#[test]
fn everything_that_is_left_out_is_told_with_its_place() {
    let document = json!({
        "openapi": "3.1.0",
        "webhooks": { "newPet": { "post": {} } },
        "security": [{ "token": [], "login": ["read"] }],
        "components": { "securitySchemes": {
            "token": { "type": "http", "scheme": "bearer" }, "login": { "type": "oauth2" },
        } },
        "paths": { "/a": {
            "trace": { "responses": {} },
            "servers": [{ "url": "https://b.test" }],
            "post": {
                "callbacks": { "done": {} },
                "parameters": [
                    { "name": "session", "in": "cookie", "required": true, "schema": { "type": "string" } },
                    { "name": "box", "in": "query", "explode": false, "schema": { "type": "object" } },
                ],
                "requestBody": { "content": {
                    "application/json": { "schema": { "$dynamicRef": "#x", "unknownKeyword": 1 } },
                    "text/csv": {},
                } },
                "responses": {
                    "200": {
                        "headers": { "X-None": { "schema": { "type": "string" } }, "Content-Length": { "example": 1 } },
                        "links": { "next": {} },
                        "content": {
                            "application/json": {
                                "schema": { "type": "object", "properties": { "count": { "type": "integer", "example": "many" } } },
                                "examples": { "first": { "value": 1 }, "second": { "externalValue": "x" } },
                            },
                            "application/xml": {},
                        },
                    },
                    "4XX": {}, "400": {}, "500": {}, "default": {}, "101": {},
                },
            },
        } },
    });
    let told = told(&document);
    for line in [
        "POST /a: its own `servers` are left out: it answers under the base URL like all routes",
        "POST /a: its callbacks are not sent",
        "TRACE /a: not imported: a route cannot have the method TRACE",
        "webhooks: not imported: 1 (newPet); a scenario sends webhooks by its key `webhooks`",
        "POST /a: its security `login` (oauth2), `token` (http bearer) is no API key in the header x-api-key, and is not checked; it \
         answers without credentials",
        "POST /a: the answer 200: header X-None: left out: it has no example, default or single value",
        "POST /a: the answer 200: header Content-Length: left out: it is no header that a route can set",
        "POST /a: the answer 200: its links are left out",
        "POST /a: the answer 200: not answered as application/xml",
        "POST /a: the answer 200: its example `second` has no value in this file, and is not used",
        "POST /a: the answer 200: its example `first` contradicts its schema, and is not used: : 1 is not of type \"object\"",
        "POST /a: the answer 200: the example or default of `count` contradicts its schema, and is not used",
        "POST /a: the answer 101: left out: it is no status of a final answer",
        "POST /a: the answer 4XX: left out: 400 is documented by itself",
        "POST /a: the answer default: left out: errors of clients and of the server are documented",
        "POST /a: cookie parameter session: a cookie is not validated",
        "POST /a: parameter box: it is an object in the style form: its value is not validated",
        "POST /a: body: the keyword `$dynamicRef` is not supported as it stands, and is left out",
        "POST /a: body: the keyword `unknownKeyword` is not supported as it stands, and is left out",
        "POST /a: body: as text/csv it is not validated",
    ] {
        assert!(told.lines().any(|known| known == line), "{line}\n\n{told}");
    }
    assert_eq!(told.lines().count(), 20, "{told}");
}

#[test]
fn the_same_remark_about_many_operations_is_one_line() {
    let mut document = json!({ "openapi": "3.0.0", "security": [{ "x": [] }], "paths": {} });
    for number in 0..100 {
        document["paths"][format!("/{number}")] = json!({ "get": { "responses": { "200": {} } } });
    }
    let lines = imported(&document).told;
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("GET /0, and 99 other places: its security `x` (not defined)"), "{lines:?}");
}

#[test]
fn only_operations_whose_every_alternative_has_the_key_require_it() {
    let schemes = json!({
        "key": { "type": "apiKey", "in": "header", "name": "X-API-KEY" },
        "token": { "type": "http", "scheme": "bearer" },
    });
    for (security, is_required, remark) in [
        (json!([{ "key": [] }]), true, ""),
        (json!([{}, { "key": [] }]), false, ""),
        (json!([{ "key": [] }, {}]), false, ""),
        (json!([]), false, ""),
        (json!([{ "key": [], "token": [] }]), true, "is not checked; the API key is"),
        (json!([{ "key": [] }, { "token": [] }]), false, "`token` (http bearer) may stand in its place"),
        (json!([{ "token": [] }]), false, "is not checked; it answers without credentials"),
    ] {
        let mut document = with(&json!({ "security": security }));
        document["components"]["securitySchemes"] = schemes.clone();
        let imported = imported(&document);
        assert_eq!(imported.text.contains("key: optional"), !is_required, "{security}");
        let told = imported.told.iter().find(|line| !line.contains("without a valid key"));
        assert_eq!(told.is_some(), !remark.is_empty(), "{security}: {told:?}");
        assert!(told.is_none_or(|line| line.contains(remark)), "{security}: {told:?}");
    }
}

fn body_of(document: &Value) -> Value {
    let text = imported(document).text;
    let (parsed, _) = document::parse(Path::new("a.yaml"), text.as_bytes()).unwrap();
    parsed["routes"][0]["response"].as_array().unwrap().last().unwrap()["json"].clone()
}

#[test]
fn bodies_are_drawn_from_the_examples_of_their_parts_first() {
    let schema = json!({
        "type": "object",
        "properties": {
            "one": { "type": "string", "example": "Hello" },
            "several": { "type": "integer", "examples": ["no", 7] },
            "default": { "type": "string", "enum": ["a", "b", "c"], "default": "c" },
            "list": { "type": "array", "items": { "type": "number", "example": 2.5 } },
            "referred": { "$ref": "#/components/schemas/Pet", "description": "…" },
            "beside": { "$ref": "#/components/schemas/Tag", "example": "closer" },
            "wrong": { "type": "integer", "example": "x", "minimum": 5, "maximum": 5 },
        },
    });
    let mut document = document("/a", &ok(&schema));
    document["components"]["schemas"] = json!({
        "Pet": { "type": "object", "properties": { "id": { "type": "integer" } }, "example": { "id": 99 } },
        "Tag": { "type": "string", "example": "farther" },
    });
    assert_eq!(
        body_of(&document),
        json!({
            "one": "Hello", "several": 7, "default": "c", "list": [2.5], "referred": { "id": 99 },
            "beside": "closer", "wrong": 5,
        })
    );
    assert!(!imported(&document).text.contains("x-documented"));
    // An example of an object that contradicts its schema is not used; those of its members are.
    document["components"]["schemas"]["Pet"] = json!({
        "type": "object", "required": ["id"], "properties": { "id": { "type": "integer", "example": 5 } }, "example": { "no": 1 },
    });
    assert_eq!(body_of(&document)["referred"], json!({ "id": 5 }));
}

#[test]
fn tuples_and_conditions_have_bodies_that_fit() {
    for (schema, body) in [
        (
            json!({ "type": "array", "minItems": 2, "prefixItems": [{ "const": 1 }, { "const": "a" }], "items": false }),
            json!([1, "a"]),
        ),
        (
            json!({ "type": "array", "prefixItems": [{ "const": 1 }], "minItems": 2, "items": { "const": 2 } }),
            json!([1, 2]),
        ),
        (
            json!({ "type": "object", "properties": { "a": { "const": 1 } }, "if": { "required": ["a"] }, "then": { "required": ["b"] } }),
            json!({}),
        ),
        (
            json!({ "type": "object", "properties": { "a": { "const": 1 } }, "dependentSchemas": { "a": false } }),
            json!({}),
        ),
    ] {
        let document = document("/a", &ok(&schema));
        assert_eq!(body_of(&document), body, "{schema}");
        assert_eq!(imported(&document).told, [""; 0], "{schema}");
    }
}

#[test]
fn errors_say_what_an_error_says() {
    let schema = json!({ "type": "object", "properties": {
        "message": { "type": "string" }, "errorCode": { "type": "string" }, "status": { "type": "integer" },
    } });
    let answer = json!({ "content": { "application/json": { "schema": schema } } });
    let text = imported(&document("/a", &json!({ "200": {}, "404": answer, "500": answer }))).text;
    for part in
        ["There is no such resource.", "An internal error occurred.", "\"status\":404", "\"status\":500"]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("Friendly"), "{text}");
}

#[test]
fn versions_that_are_not_supported_are_refused_by_name() {
    for (version, is_fine) in [
        (json!("3.0.3"), true),
        (json!(3.0), true),
        (json!("3.1.1"), true),
        (json!("3.2.0"), true),
        (json!("3.10.0"), false),
        (json!("4.0"), false),
        (json!(2), false),
    ] {
        let mut document = document("/a", &json!({ "200": {} }));
        document["openapi"] = version.clone();
        document["paths"]["/a"]["query"] = json!({ "responses": {} });
        match import(&document, &[], ("api.yaml", None)) {
            Ok(imported) => {
                let line = "QUERY /a: not imported: a route cannot have the method QUERY".to_owned();
                assert!(is_fine && imported.told.contains(&line), "{version}: {:?}", imported.told);
            }
            Err(why) => assert!(!is_fine && why.contains("3.0, 3.1, 3.2 are"), "{version}: {why}"),
        }
    }
}
