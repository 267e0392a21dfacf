//! HTTP rules of all operations: paths, methods, media types, sizes, invalid JSON.

use serde_json::json;

use crate::harness::{Request, raw};
use crate::sentiment_benchmark;
use crate::stage::{client, server};

/// The largest body that is accepted.
const LIMIT: usize = 1 << 20;

/// A path of each operation.
fn paths() -> [&'static str; 6] {
    [
        "/v1/insight/sentiment/locationInfo",
        "/v1/insight/sentiment/scoreBenchmark",
        "/v1/contact/external/preferences/saveCustomer",
        "/v1/review/businessId/100",
        "/v1/qna/unanswered/get",
        "/v1/messenger/subscribe/webhook/event",
    ]
}

/// A call of each operation that lacks only its body.
fn calls() -> [Request; 6] {
    let client = client();
    [
        client.locations(100),
        client.benchmark(100),
        client.contact(100),
        client.reviews(100),
        client.qna(100),
        client.subscribe(),
    ]
}

fn benchmark() -> Request {
    client().benchmark(100)
}

#[test]
fn an_unknown_path_is_404_and_the_message_lists_the_paths() {
    for path in [
        "/",
        "/v1",
        "/v1/insight",
        "/v2/qna/unanswered/get",
        "/v1/qna/unanswered/get/x",
        "/V1/qna/unanswered/get",
        "/v1/review/businessId/1/2",
        "/resources",
        "/resources/resources/v1/qna/unanswered/get",
        "//v1/qna/unanswered/get",
        "/w/api",
    ] {
        let answer = client().call("POST", path).send();
        assert_eq!((answer.status, &answer.json["code"]), (404, &json!(404)), "{path}");
        let message = answer.json["message"].as_str().unwrap();
        assert!(message.contains("/v1/qna/unanswered/get"), "{message}");
        assert_eq!(answer.json.as_object().unwrap().len(), 2);
    }
    assert_eq!(client().without_key().call("GET", "/nope").send().status, 404, "before the key is looked at");
}

#[test]
fn a_wrong_method_is_405_with_allow_before_the_key_is_checked() {
    for path in paths() {
        for method in ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "FROB"] {
            let answer = server().client().call(method, path).send();
            let answer = answer.refused(405, 405, "Method not allowed");
            assert_eq!(answer.header("allow"), Some("POST"), "{method} {path}");
        }
        let head = server().client().call("HEAD", path).send();
        assert_eq!((head.status, head.header("allow"), head.bytes.len()), (405, Some("POST"), 0));
    }
}

#[test]
fn a_trailing_slash_and_the_published_prefix_do_not_matter() {
    let body = sentiment_benchmark::body();
    let plain = benchmark().json(&body).send().ok();
    let path = "/v1/insight/sentiment/scoreBenchmark";
    for path in [
        format!("{path}/"),
        format!("/resources{path}"),
        format!("/resources{path}/"),
        format!("/w/api/resources{path}/"),
    ] {
        let request = client().call("POST", &path).header("x-business-number", "100");
        assert_eq!(request.json(&body).send().ok(), plain, "{path}");
    }
    client().call("POST", "/resources/v1/review/businessId/100/").send().ok();
}

#[test]
fn every_operation_requires_a_key() {
    // The key of a subscription is in the body.
    for call in calls().into_iter().take(5) {
        call.without("x-api-key").send().refused(401, 1167, "API key is missing");
    }
    for call in calls() {
        let call = call.json(&json!({"apiKey": " "}));
        call.key("  ").send().refused(401, 1167, "API key is missing");
    }
    for key in ["nonsense", "revoked", "ALL", "all,first"] {
        for call in calls() {
            let call = call.json(&json!({"apiKey": key}));
            call.key(key).send().refused(401, 1161, "Invalid API key");
        }
    }
    benchmark().key(" all ").json(&sentiment_benchmark::body()).send().ok();
    let first = benchmark().without("x-api-key").header("x-api-key", "all").header("x-api-key", "nonsense");
    first.json(&sentiment_benchmark::body()).send().ok();
}

#[test]
fn the_retired_query_parameter_is_not_a_key() {
    let alone = benchmark().without("x-api-key").query("api_key", "all");
    alone.json(&sentiment_benchmark::body()).send().refused(401, 1167, "API key is missing");
    benchmark().query("api_key", "nonsense").json(&sentiment_benchmark::body()).send().ok();
}

#[test]
fn json_media_types_are_accepted_and_others_are_415() {
    let body = sentiment_benchmark::body().to_string();
    let of = |media: &str| benchmark().header("content-type", media).bytes(body.clone()).send();
    for good in [
        "",
        "application/json",
        "Application/JSON; charset=utf-8",
        "application/vnd.api+json",
        "application/merge-patch+json;v=1",
    ] {
        of(good).ok();
    }
    benchmark().bytes(body.clone()).send().ok();
    for wrong in [
        "application/x-www-form-urlencoded",
        "text/plain",
        "text/json",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "json",
        "*/*",
    ] {
        let answer = of(wrong).refused(415, 415, "Unsupported media type");
        assert!(answer.detail().starts_with("content-type: "), "{}", answer.detail());
    }
    for call in calls() {
        let form = call.header("content-type", "application/x-www-form-urlencoded");
        form.bytes("a=b").send().refused(415, 415, "Unsupported media type");
    }
}

#[test]
fn an_encoded_body_is_415() {
    for encoding in ["gzip", "deflate", "br", "x"] {
        let request = benchmark().header("content-encoding", encoding).json(&sentiment_benchmark::body());
        let answer = request.send().refused(415, 415, "Unsupported media type");
        assert!(answer.detail().starts_with("content-encoding"), "{}", answer.detail());
    }
    let request = benchmark().header("content-encoding", "identity").json(&sentiment_benchmark::body());
    request.send().ok();
}

#[test]
fn the_accept_header_is_ignored() {
    let request =
        benchmark().header("accept", "text/html;q=1, application/xml").json(&sentiment_benchmark::body());
    request.send().ok();
    let refused = client().benchmark(999).header("accept", "image/png").send();
    refused.refused(404, 2151, "Not a valid reseller/enterprise id.");
}

#[test]
fn a_body_of_1_mib_is_accepted_and_one_byte_more_is_413() {
    let mut body = sentiment_benchmark::body().to_string();
    body.push_str(&" ".repeat(LIMIT - body.len()));
    benchmark().bytes(body.clone()).send().ok();
    body.push(' ');
    for call in calls() {
        call.bytes(body.clone()).send().refused(413, 413, "Request body is too large");
    }
}

#[test]
fn a_body_of_9_mib_is_drained_and_the_connection_stays_open() {
    let answer = benchmark().bytes(vec![b' '; 9 * LIMIT]).send();
    let answer = answer.refused(413, 413, "Request body is too large");
    assert_ne!(answer.header("connection"), Some("close"));
    benchmark().json(&sentiment_benchmark::body()).send().ok();
}

#[test]
fn key_and_enterprise_are_checked_before_the_body() {
    let form = "application/x-www-form-urlencoded";
    let bad_key = benchmark().key("nonsense").header("content-type", form).bytes("x");
    bad_key.send().refused(401, 1161, "Invalid API key");
    let large = benchmark().key("nonsense").bytes(vec![b' '; LIMIT + 1]);
    large.send().refused(401, 1161, "Invalid API key");
    let enterprise = client().benchmark(999).header("content-type", form).bytes("x");
    enterprise.send().refused(404, 2151, "Not a valid reseller/enterprise id.");
    let contact = client().contact(999).bytes("[");
    contact.send().refused(404, 1532, "Business id is missing or invalid.");
}

#[test]
fn a_body_that_is_not_a_json_object_is_2466() {
    let bodies: [&[u8]; 16] = [
        b"[]",
        b"[{}]",
        b"1",
        b"\"x\"",
        b"null",
        b"true",
        b"{",
        b"{}}",
        b"{\"a\":}",
        b"{'a':1}",
        b"{\"a\":01}",
        b"a=b",
        b"{\"a\":\"\xff\"}",
        b"\xff\xfe{\0}\0",
        b"{\"a\":\"\n\"}",
        b"{\"a\":1,}",
    ];
    for body in bodies {
        for call in calls() {
            call.bytes(body).send().refused(400, 2466, "Invalid input request");
        }
    }
    let deep = "{\"a\":".repeat(200_000);
    for call in calls() {
        call.bytes(deep.clone()).send().refused(400, 2466, "Invalid input request");
    }
}

#[test]
fn a_body_that_is_not_a_json_object_is_refused_before_path_and_query() {
    for call in [
        client().reviews("nonsense").query("sindex", "x").query("isCompetitor", "x"),
        client().qna("nonsense"),
        client().call("POST", "/v1/qna/unanswered/get"),
        client().locations(100).query("page-size", "x").query("sort-by", "x"),
        client().benchmark(100),
    ] {
        call.bytes("[]").send().refused(400, 2466, "Invalid input request");
    }
    client().reviews("nonsense").bytes("{}").send().refused(404, 1011, "Business id is invalid");
}

#[test]
fn a_repeated_field_causes_no_server_error() {
    for call in calls() {
        let body = r#"{"businessNumbers":[100],"businessNumbers":[1],"id":1,"id":2,"apiKey":"all","apiKey":"first","fromDate":"x","fromDate":"y","pageSize":-1,"pageSize":-1}"#;
        let answer = call.bytes(body).send();
        assert!(answer.json["code"].is_u64() && answer.status < 500, "{answer:?}");
    }
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let mut body = b"\xef\xbb\xbf".to_vec();
    body.extend(sentiment_benchmark::body().to_string().bytes());
    benchmark().bytes(body).send().ok();
}

#[test]
fn details_are_printable_ascii_of_at_most_512_bytes() {
    let answer = client().locations(100).query("sort-by", &"é\u{1}\u{7f}😀".repeat(300)).send();
    let answer = answer.invalid("sort-by must be name or sentiment-score");
    assert!(answer.detail().contains("\\u{e9}"), "{}", answer.detail());
    let answer = client().reviews(100).query("sindex", &"9é".repeat(900)).send();
    let answer = answer.refused(400, 1163, "Invalid start index value");
    assert!(answer.detail().len() > 400, "{}", answer.detail().len());
}

#[test]
fn a_chunked_body_is_read_and_the_connection_serves_further_calls() {
    let body = sentiment_benchmark::body().to_string();
    let (one, two) = body.split_at(10);
    let head = "POST /v1/insight/sentiment/scoreBenchmark HTTP/1.1\r\nhost: x\r\nX-API-KEY: all\r\nX-Business-Number: 100\r\n";
    let chunked = format!(
        "{head}transfer-encoding: chunked\r\n\r\n{:x}\r\n{one}\r\n{:x}\r\n{two}\r\n0\r\n\r\n",
        one.len(),
        two.len()
    );
    let last = format!("{head}connection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let answers = raw(&server().base, format!("{chunked}{last}").as_bytes());
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 2, "{answers}");
    assert_eq!(answers.matches(r#""industryScore":68.2"#).count(), 2, "{answers}");
}

#[test]
fn bytes_that_are_not_http_are_refused_and_affect_no_other_connection() {
    for bytes in [
        &b"\x16\x03\x01\x02\x00"[..],
        b"GET\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: x\r\n\r\n",
        b"POST / HTTP/9.9\r\n\r\n",
    ] {
        let answer = raw(&server().base, &[bytes, &[b'\n'; 8]].concat());
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400"), "{answer}");
    }
    benchmark().json(&sentiment_benchmark::body()).send().ok();
}

#[test]
fn the_root_is_the_console_for_a_browser_and_json_for_a_program() {
    let address = server().base.strip_prefix("http://").unwrap();
    let request =
        format!("GET / HTTP/1.1\r\nhost: {address}\r\naccept: text/html,*/*\r\nconnection: close\r\n\r\n");
    let answer = raw(&server().base, request.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 302 ") && answer.contains("location: /console\r\n"), "{answer}");
    let json = server().client().call("GET", "/").send().ok();
    assert_eq!(json["scenario"], "api");
    let document = server().client().call("GET", "/openapi.json").send().ok();
    assert_eq!(json["operations"].as_array().unwrap().len(), document["paths"].as_object().unwrap().len());
}
