//! `POST /v1/qna/unanswered/get`.

use serde_json::{Value, json};

use crate::harness::Answer;
use crate::stage::{client, server};

fn of(business: impl ToString, body: &Value) -> Answer {
    client().qna(business).json(body).send()
}

fn ids(answer: &Value) -> Vec<u64> {
    let questions = answer["questionsAndAnswers"].as_array().unwrap().iter();
    questions.map(|question| question["questionId"].as_u64().unwrap()).collect()
}

#[test]
fn an_accepted_call_lists_a_locations_unanswered_questions() {
    let answer = of(1001, &json!({})).ok();
    assert_eq!(answer["totalCount"], 2);
    assert_eq!(ids(&answer), [61, 65], "63 is answered by the owner");
    let question = &answer["questionsAndAnswers"][0];
    let expected = json!({
        "questionId": 61, "answeredByOwner": false, "askedByOwner": true, "question": "Open late?",
        "updatedBy": "Jo", "time": "12:05 AM", "updatedOn": "May 01, 2026",
        "userProfileLogoUrl": question["userProfileLogoUrl"], "userCategory": "REGULAR_USER",
        "locationName": "alpha", "noOfAnswers": 1,
        "answers": [{
            "answerId": 62, "answer": "Until ten.", "updatedBy": "Kim", "updatedOn": "May 02, 2026",
            "answeredByOwner": false, "userCategory": "LOCAL_GUIDE", "time": "12:00 PM",
            "userProfileLogoUrl": question["answers"][0]["userProfileLogoUrl"],
        }],
    });
    assert_eq!(*question, expected);
    for logo in [&question["userProfileLogoUrl"], &question["answers"][0]["userProfileLogoUrl"]] {
        assert!(logo.as_str().unwrap().starts_with("/__assets/avatar/"), "{logo}");
    }
    assert_eq!(answer["questionsAndAnswers"][1]["time"], "11:59 PM");
}

#[test]
fn members_have_the_documented_order() {
    let text = of(1001, &json!({})).text();
    let names = [
        "totalCount",
        "questionsAndAnswers",
        "questionId",
        "answeredByOwner",
        "askedByOwner",
        "\"question\"",
        "updatedBy",
        "time",
        "updatedOn",
        "userProfileLogoUrl",
        "userCategory",
        "locationName",
        "noOfAnswers",
        "\"answers\"",
    ];
    let places: Vec<usize> = names.iter().map(|name| text.find(name).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn an_account_lists_all_its_locations_newest_first_and_ties_by_descending_id() {
    let answer = of(100, &json!({})).ok();
    assert_eq!(ids(&answer), [70, 61, 7, 65]);
    assert_eq!(ids(&client().qna(50).key("reseller").send().ok()).len(), 4);
}

#[test]
fn pages_start_at_start_index_and_the_total_ignores_paging() {
    let page = |start: Value, size: Value| {
        let answer = of(100, &json!({"startIndex": start, "pageSize": size})).ok();
        assert_eq!(answer["totalCount"], 4);
        ids(&answer)
    };
    assert_eq!(page(json!(0), json!(2)), [70, 61]);
    assert_eq!(page(json!("2"), json!("2")), [7, 65]);
    assert_eq!(page(json!(3), Value::Null), [65]);
    assert!(page(json!(4), json!(5)).is_empty());
    assert!(page(json!(0), json!(0)).is_empty());
    assert_eq!(page(json!(""), json!(" ")).len(), 4);
}

#[test]
fn page_parameters_are_validated_and_the_window_ends_at_100000() {
    let page = |start: Value, size: Value| of(100, &json!({"startIndex": start, "pageSize": size}));
    for wrong in [json!(-1), json!("x"), json!(1.5), json!([1]), json!(true), json!({})] {
        page(wrong.clone(), json!("x")).refused(400, 1163, "Invalid start index value");
        page(json!(0), wrong).refused(400, 1164, "Invalid result count value");
    }
    page(json!(99_975), Value::Null).ok();
    page(json!(0), json!(100_000)).ok();
    page(json!(99_976), Value::Null).refused(400, 1163, "Invalid start index value");
    page(json!(0), json!(100_001)).refused(400, 1163, "Invalid start index value");
    page(json!(u64::MAX), json!(u64::MAX)).refused(400, 1163, "Invalid start index value");
}

#[test]
fn the_business_must_be_covered_by_the_key() {
    let refused = |key: &str, query: &str| {
        let answer = client().call("POST", "/v1/qna/unanswered/get").raw_query(query).key(key).send();
        answer.refused(404, 1011, "Business id is invalid");
    };
    for query in [
        "",
        "businessId=",
        "businessId=%20",
        "businessId=x",
        "businessId=-1",
        "businessId=999",
        "business=100",
        "businessId=1.0",
    ] {
        refused("all", query);
    }
    refused("first", "businessId=110");
    refused("first", "businessId=1101");
    refused("first", "businessId=200");
    refused("first", "businessId=50");
    client().qna(1001).key("reseller").send().ok();
    let repeated = client().qna(1001).query("businessId", "999").send().ok();
    assert_eq!(repeated["totalCount"], 2, "the first of repeated ones counts");
}

#[test]
fn the_business_is_checked_before_the_body() {
    let answer = client().qna(999).json(&json!({"startIndex": "x"})).send();
    answer.refused(404, 1011, "Business id is invalid");
}

#[test]
fn an_empty_body_requests_the_first_page() {
    for empty in ["", "\n", "{}"] {
        assert_eq!(client().qna(100).bytes(empty).send().ok()["totalCount"], 4);
    }
    of(100, &json!({"unknown": 1})).ok();
}

#[test]
fn a_business_without_questions_returns_an_empty_list() {
    let answer = of(1003, &json!({})).text();
    assert_eq!(answer, r#"{"totalCount":0,"questionsAndAnswers":[]}"#);
    assert_eq!(server().world("keyless").qna(2).key("x").send().ok()["totalCount"], 0);
}
