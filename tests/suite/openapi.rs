//! The OpenAPI documents: their examples are answers of the demo, and answers match their schemas.

use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Client, Server, program};
use crate::stage::{API, server};

fn demo() -> Server {
    Server::start(
        Path::new(env!("CARGO_MANIFEST_DIR")),
        &["scenarios/demo.yaml", "--now", "2026-06-30T17:00:00Z"],
    )
}

fn examples() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/server/openapi/examples.json")
}

/// Sends the example of an operation.
fn sent(client: &Client, name: &str, path: &str, example: &Value) -> Value {
    let prefix = path.split_once('{').map_or(path, |(prefix, _)| prefix);
    let path = format!("{prefix}{}", example["path"].as_str().unwrap_or_default());
    let mut request = client.call("POST", &path).header("x-business-number", "100").json(&example["body"]);
    for (name, value) in example["query"].as_object().into_iter().flatten() {
        request = request.query(name, value.as_str().unwrap());
    }
    let answer = request.send();
    assert_eq!(answer.status, 200, "{name}: {}", answer.text());
    answer.json
}

/// Whether a path is that of one of the six operations, and not of a route.
fn is_operation((_, described): &(&String, &Value)) -> bool {
    described["post"]["operationId"].as_str().is_some_and(|name| !name.starts_with("route:"))
}

/// `UPDATE=1` writes the answers into the examples.
#[test]
fn examples_are_the_answers_of_the_demo() {
    let server = demo();
    let client = server.client().with_key("demo-key");
    let document = server.client().call("GET", "/openapi.json").send().ok();
    let mut examples: Value =
        serde_json::from_str(&std::fs::read_to_string(self::examples()).unwrap()).unwrap();
    for (path, described) in document["paths"].as_object().unwrap().iter().filter(is_operation) {
        let name = described["post"]["operationId"].as_str().unwrap();
        let example = &mut examples[name];
        let answer = sent(&client, name, path, example);
        if std::env::var_os("UPDATE").is_some() {
            example["response"] = answer;
        } else {
            assert_eq!(example["response"], answer, "{name}: UPDATE=1 writes the answers anew");
        }
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(self::examples(), format!("{examples:#}\n")).unwrap();
    }
}

/// Checks that a value matches a schema. It supports the keywords that these documents use: type, enum, properties, required,
/// additionalProperties, items.
fn keeps(document: &Value, schema: &Value, value: &Value, place: &str) {
    if let Some(name) = schema["$ref"].as_str() {
        let schema = document.pointer(name.trim_start_matches('#')).unwrap_or_else(|| panic!("{name}"));
        return keeps(document, schema, value, place);
    }
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other}"),
    };
    let types = match &schema["type"] {
        Value::String(name) => vec![name.as_str()],
        Value::Array(names) => names.iter().map(|name| name.as_str().unwrap()).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    };
    assert!(types.is_empty() || types.iter().any(|name| is(name)), "{place}: {value} is none of {types:?}");
    if let Some(allowed) = schema["enum"].as_array() {
        assert!(allowed.contains(value), "{place}: {value} is none of {allowed:?}");
    }
    for (at, element) in value.as_array().into_iter().flatten().enumerate() {
        keeps(document, &schema["items"], element, &format!("{place}[{at}]"));
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(name.as_str().unwrap()).is_some(), "{place}: {name} is missing");
    }
    for (name, member) in value.as_object().into_iter().flatten() {
        let known = schema["properties"].get(name);
        assert!(
            known.is_some() || schema["additionalProperties"] != false,
            "{place}: {name} is not described"
        );
        let member_schema = known.unwrap_or(&schema["additionalProperties"]);
        keeps(document, member_schema, member, &format!("{place}.{name}"));
    }
}

#[test]
fn answers_match_the_schemas() {
    let document = server().client().call("GET", "/openapi.json").send().ok();
    let schema = |name: &str| document["components"]["schemas"][name].clone();
    let client = server().client().with_key("all");
    let span = json!({"businessNumbers": [100], "startDate": "01/01/2025", "endDate": "06/30/2026", "userEmail": "ann@first.test"});
    for (name, answer) in [
        ("SentimentLocationsResponse", client.locations(100).json(&span).send().ok()),
        ("SentimentBenchmarkResponse", client.benchmark(100).json(&span).send().ok()),
        ("ContactResponse", client.contact(100).json(&json!({"email": "s@x.test", "businessIds": [1001]})).send().ok()),
        ("ReviewsResponse", client.reviews(100).json(&json!({"statuses": ["all"]})).send().ok()),
        ("QuestionsResponse", client.qna(100).send().ok()),
        (
            "SubscriptionResponse",
            client
                .subscribe()
                .json(&json!({"businessNumber": 100, "apiKey": "all", "events": ["message.added"], "endpoint": "http://127.0.0.1:1/"}))
                .send()
                .ok(),
        ),
        ("Error", client.reviews(7).send().json),
    ] {
        keeps(&document, &schema(name), &answer, name);
    }
}

#[test]
fn the_document_follows_the_dialect_of_its_world() {
    let dialect = "dialect: {query_api_key: accept, names: {start_index: from}, statuses: {1167: {contact: 400}}, sources: {dentalmap: {name: DentalMap}}}\nwebhooks: {events: {social.post.published: {}}}\n";
    let odd = API.replace("name: api\n", "name: odd\n");
    let server =
        Server::of(&[("api.yaml", API), ("odd.yaml", &format!("{odd}{dialect}"))], &["--default", "api"]);
    let of = |path: &str| server.client().call("GET", path).send().ok();
    let (plain, odd) = (of("/openapi.json"), of("/w/odd/openapi.json"));
    let reviews = "/v1/review/businessId/{CompetitorEnterpriseBusinessId}";
    let first = |document: &Value| document["paths"][reviews]["post"]["parameters"][1]["name"].clone();
    assert_eq!((first(&plain), first(&odd)), (json!("sindex"), json!("from")));
    let contact = "/v1/contact/external/preferences/saveCustomer";
    let missing = |document: &Value, status: &str| {
        document["paths"][contact]["post"]["responses"][status]["content"]["application/json"]["examples"]["1167"].is_object()
    };
    assert!(missing(&plain, "401") && missing(&odd, "400") && !missing(&odd, "401"));
    assert!(odd.to_string().contains("DentalMap") && odd.to_string().contains("social.post.published"));
    assert_eq!(odd["paths"][contact]["post"]["security"], json!([{ "key": [] }, { "queryKey": [] }]));
    assert_eq!(odd["components"]["securitySchemes"]["queryKey"]["name"], "api_key");
    assert_eq!(plain["paths"][contact]["post"]["security"], json!([{ "key": [] }]));
    assert_eq!(odd["servers"][0]["url"], format!("{}/w/odd", server.base));
}

#[test]
fn every_code_of_an_operation_is_described() {
    let document = server().client().call("GET", "/openapi.json").send().ok();
    let text = document["paths"]["/v1/review/businessId/{CompetitorEnterpriseBusinessId}"].to_string();
    for code in [
        "1167", "1161", "89", "1011", "2003", "1163", "1164", "1186", "1187", "1227", "1228", "2466", "500",
        "404", "405", "413", "415",
    ] {
        assert!(text.contains(&format!("\"code\":{code},")), "{code}");
    }
}

#[test]
fn the_page_loads_nothing_from_other_hosts_and_documents_allow_only_get() {
    let client = server().client();
    let page = client.call("GET", "/docs").send();
    assert_eq!(page.header("content-security-policy"), Some("default-src 'self'"));
    for (path, kind) in
        [("/docs/page.js", "text/javascript; charset=utf-8"), ("/docs/page.css", "text/css; charset=utf-8")]
    {
        let asset = client.call("GET", path).send();
        assert_eq!((asset.status, asset.header("content-type")), (200, Some(kind)));
        assert!(
            page.text().contains(&path[1..])
                && !asset.text().contains("http://")
                && !asset.text().contains("https://")
        );
    }
    for path in ["/docs", "/openapi.json", "/w/api/openapi.json", "/w/api/docs"] {
        assert_eq!(client.call("GET", path).send().status, 200, "{path}");
        let refused = client.call("POST", path).send();
        assert_eq!((refused.status, refused.header("allow")), (405, Some("GET")), "{path}");
    }
    assert_eq!(client.call("GET", "/w/nowhere/docs").send().status, 404);
}

#[test]
fn the_page_is_filled_with_requests_that_its_world_answers() {
    let odd = "standin: 1\nname: odd\nclock: {start: 2024-02-29, mode: frozen}
keys: [{key: gone, revoked: true}, {key: own, name: elsewhere, world: own}, {key: mine, accounts: [7]}]
dialect: {names: {start_index: first, count: most, competitor: other, business: at}}
businesses: [{number: 6, name: Above, type: reseller}, {number: 7, name: Seven, users: [a@seven.test], locations: [{number: 71, name: L}]}]\n";
    let server = Server::of(&[("api.yaml", API), ("odd.yaml", odd)], &["--default", "api"]);
    server.admin("POST", "worlds").json(&json!({"name": "made", "scenario": "odd"})).send();
    for (base, key, account) in [
        ("", "all", 100),
        ("/w/api", "all", 100),
        ("/w/own-world", "own", 100),
        ("/w/odd", "mine", 7),
        ("/w/made", "", 7),
    ] {
        let client = Client::of(&format!("{}{base}", server.base));
        let filled = client.call("GET", "/docs/requests.json").send().ok();
        assert!(key.is_empty() || filled["key"] == key, "{base} {filled}");
        assert_eq!(filled["requests"]["sentiment-benchmark"]["body"]["businessNumbers"], json!([account]));
        let document = client.call("GET", "/openapi.json").send().ok();
        for (path, described) in document["paths"].as_object().unwrap().iter().filter(is_operation) {
            let request = &filled["requests"][described["post"]["operationId"].as_str().unwrap()];
            let prefix = path.split_once('{').map_or(path.as_str(), |(prefix, _)| prefix);
            let path = format!("{prefix}{}", request["path"].as_str().unwrap_or_default());
            let mut call = client.with_key(filled["key"].as_str().unwrap()).call("POST", &path);
            for (name, value) in request["headers"].as_object().into_iter().flatten() {
                call = call.header(name, value.as_str().unwrap());
            }
            for (name, value) in request["query"].as_object().into_iter().flatten() {
                call = call.query(name, value.as_str().unwrap());
            }
            let answer = call.json(&request["body"]).send();
            assert_eq!(answer.status, 200, "{base}{path} {request} {}", answer.text());
            let example = &described["post"]["responses"]["200"]["content"]["application/json"]["example"];
            // The world `api` has the subscription of the first round.
            if (base, path.as_str()) != ("/w/api", "/v1/messenger/subscribe/webhook/event") {
                assert_eq!(*example, answer.json, "{base}{path}");
            }
        }
        let text = document.to_string();
        assert!(!text.contains("brightdental") && !text.contains("demo-key"), "{base}");
        let subscribe = "/paths/~1v1~1messenger~1subscribe~1webhook~1event/post/requestBody/content/application~1json/example/apiKey";
        assert_eq!(document.pointer(subscribe), Some(&filled["key"]));
        let foreign = client.call("GET", "/openapi.json").header("origin", "http://evil.test").send().ok();
        assert_eq!(foreign.pointer(subscribe), Some(&json!("a key of this world")));
    }
    let foreign =
        server.client().call("GET", "/docs/requests.json").header("origin", "http://evil.test").send();
    assert_eq!(foreign.status, 403);
    let closed = Server::of(&[("api.yaml", API)], &["--admin-token", "secret"]);
    assert_eq!(closed.client().call("GET", "/docs/requests.json").send().status, 401);
    assert_eq!(closed.client().call("GET", "/docs").send().status, 200);
}

#[test]
fn routes_are_described_with_examples_that_their_world_answers() {
    let platform = include_str!("../../scenarios/parts/platform.yaml");
    let odd = "standin: 1\nname: odd\nclock: {start: 2024-02-29, mode: frozen}\ninclude: [platform.yaml]\nkeys: [{key: mine}]
businesses: [{number: 7, name: Seven, locations: [{number: 71, name: L}], contacts: [{id: 7001, email: a@seven.test, firstName: A}]}]
routes: [{name: wide, request: {method: POST, path: /v1/wide, schema: {query: {properties: {day: {type: string, examples: ['{{ today }}', '{{ (questions() | first).id }}']}}},
  body: {properties: {account: {type: integer, examples: ['{{ (businesses() | first).number }}']}}}}}, response: {status: 204}}]\n";
    let server = Server::of(&[("platform.yaml", platform), ("odd.yaml", odd)], &["--default", "odd"]);
    let client = server.client().with_key("mine");
    let document = server.client().call("GET", "/openapi.json").send().ok();
    let mut called = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let Some(described) = methods.get("get") else { continue };
        let mut filled = path.clone();
        let mut query = Vec::new();
        for parameter in described["parameters"].as_array().unwrap() {
            let name = parameter["name"].as_str().unwrap();
            let example = parameter["example"].as_str();
            if parameter["in"] == "path" {
                filled = filled.replace(&format!("{{{name}}}"), example.unwrap_or_default());
            } else {
                query.extend(example.map(|example| (name, example)));
            }
        }
        if filled.ends_with('/') {
            // Nobody has subscribed.
            assert_eq!(described["operationId"], "route:unsubscribe:get");
            continue;
        }
        let call = client.call("GET", &filled);
        let answer = query.into_iter().fold(call, |call, (name, value)| call.query(name, value)).send();
        assert_eq!(answer.status, 200, "{filled} {}", answer.text());
        called.push(filled);
    }
    assert!(called.contains(&"/v1/review/businessid/7/summary".to_owned()), "{called:?}");
    let wide = &document["paths"]["/v1/wide"]["post"];
    assert_eq!(wide["parameters"][0]["schema"]["examples"], json!(["2024-02-29"]));
    assert_eq!(wide["requestBody"]["content"]["application/json"]["example"], json!({ "account": 7 }));
    assert!(!document.to_string().contains("{{"), "an example is not rendered");
}

#[test]
fn the_command_prints_both_documents_and_always_the_same() {
    let printed = |arguments: &[&str]| {
        let output = program().arg("openapi").args(arguments).output().unwrap();
        assert!(output.status.success());
        output.stdout
    };
    assert_eq!(printed(&[]), printed(&[]));
    let api: Value = serde_json::from_slice(&printed(&[])).unwrap();
    let admin: Value = serde_json::from_slice(&printed(&["--admin"])).unwrap();
    let names = |document: &Value| -> Vec<String> {
        document["paths"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(names(&api), names(&server().client().call("GET", "/openapi.json").send().ok()));
    assert_eq!(admin["paths"], server().admin("GET", "openapi.json").send().ok()["paths"]);
}

/// The path of a call that the document describes is not 404, and its method not 405.
#[test]
fn every_call_of_the_admin_document_exists() {
    let server = Server::of(&[("api.yaml", API)], &[]);
    let document = server.admin("GET", "openapi.json").send().ok();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            if path.ends_with("/stream") {
                continue;
            }
            let real = path.replace("{world}", "api").replace("{name}", "nobody").replace("{id}", "nobody");
            let real = real.replace("{seq}", "1").replace("{place}", "1");
            let answer = server.client().call(&method.to_uppercase(), &real).send();
            let nothing = answer.json["error"].as_str().unwrap_or_default().starts_with("Nothing is at");
            assert!(answer.status != 405 && !nothing, "{method} {real}: {}", answer.text());
        }
    }
}
