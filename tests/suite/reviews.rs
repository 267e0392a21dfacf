//! `POST /v1/review/businessId/{id}`.

use serde_json::{Value, json};

use crate::harness::{Answer, Request};
use crate::stage::client;

/// The filter for published and parked reviews.
fn all() -> Value {
    json!({"statuses": ["all"]})
}

fn own(business: impl ToString, body: &Value) -> Answer {
    client().reviews(business).json(body).send()
}

/// The ids of an answer.
pub fn ids(answer: &Value) -> Vec<String> {
    let ids = answer.as_array().unwrap().iter();
    ids.map(|review| review["reviewId"].as_str().unwrap().to_owned()).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "a literal reads better without a reference")]
fn listed(body: Value) -> Vec<String> {
    let mut members = all();
    members.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
    ids(&own(1001, &members).ok())
}

#[test]
fn an_accepted_call_lists_the_competitors_published_reviews() {
    let answer = client().reviews(200).query("isCompetitor", "true").send();
    assert_eq!(ids(&answer.clone().ok()), ["200", "202"]);
    let first = json!({
        "reviewId": "200", "rating": 5, "comments": "rival", "title": null,
        "reviewer": {"firstName": null, "lastName": null, "nickName": null, "thumbnailUrl": null,
            "emailId": null, "facebookId": null, "city": null, "state": null},
        "reviewUrl": answer.json[0]["reviewUrl"], "sourceType": "Tripadvisor", "reviewDate": "Jun 01, 2026",
        "response": null, "responseDate": null, "featured": 1, "businessId": "2001",
        "uniqueReviewUrl": answer.json[0]["uniqueReviewUrl"], "businessName": "Rival One",
        "businessType": "Location", "enableReply": false,
    });
    assert_eq!(answer.json[0], first);
    for url in ["reviewUrl", "uniqueReviewUrl"] {
        let url = answer.json[0][url].as_str().unwrap();
        assert!(url.starts_with("/__assets/review/2001/"), "{url}");
    }
}

#[test]
fn members_have_the_documented_order() {
    let text = own(1001, &all()).text();
    let names = [
        "reviewId",
        "rating",
        "comments",
        "title",
        "reviewer",
        "firstName",
        "lastName",
        "nickName",
        "thumbnailUrl",
        "emailId",
        "facebookId",
        "city",
        "state",
        "reviewUrl",
        "sourceType",
        "reviewDate",
        "\"response\"",
        "responseDate",
        "featured",
        "\"businessId\"",
        "uniqueReviewUrl",
        "businessName",
        "businessType",
        "enableReply",
    ];
    let places: Vec<usize> = names.iter().map(|name| text.find(name).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn given_records_are_returned_as_the_scenario_has_them() {
    let answer = own(1001, &all()).ok();
    let of = |id: &str| answer.as_array().unwrap().iter().find(|one| one["reviewId"] == id).unwrap().clone();
    let ten = of("10");
    assert_eq!((&ten["title"], &ten["comments"]), (&json!("Gut"), &json!("Schöne STRASSE & more")));
    assert_eq!((&ten["response"], &ten["responseDate"]), (&json!("Danke"), &json!("Mar 01, 2026")));
    assert_eq!((&ten["reviewDate"], &ten["enableReply"]), (&json!("Jan 01, 2026"), &json!(true)));
    let eleven = of("11");
    assert_eq!((&eleven["featured"], &eleven["reviewer"]["firstName"]), (&json!(0), &json!("Bo")));
    let thirteen = of("13");
    assert_eq!((&thirteen["rating"], &thirteen["sourceType"]), (&json!(0), &json!("Facebook")));
    assert_eq!((&thirteen["customerId"], &thirteen["extraParams"]), (&json!(7001), &json!({"Plan": "gold"})));
    let (fourteen, fifteen) = (of("14"), of("15"));
    assert!(fourteen.get("customerId").is_none() && fourteen.get("extraParams").is_none());
    assert_eq!((&fourteen["rating"], &fourteen["sourceType"]), (&json!(0), &json!("Direct Feedback")));
    assert_eq!((&fifteen["sourceType"], &fifteen["enableReply"]), (&json!("Our Website"), &json!(false)));
}

#[test]
fn the_newest_comes_first_and_ties_sort_by_descending_numeric_id() {
    assert_eq!(listed(json!({})), ["15", "14", "13", "12", "11", "10"]);
    assert_eq!(ids(&own(1002, &all()).ok()), ["20", "100", "9"]);
}

#[test]
fn an_account_lists_all_its_locations_and_sub_business_ids_filter_them() {
    let of = |ids_sent: Value| ids(&own(100, &json!({"statuses": ["all"], "subBusinessIds": ids_sent})).ok());
    assert_eq!(of(json!([])), ["40", "20", "15", "14", "13", "12", "11", "100", "9", "10"]);
    assert_eq!(of(json!([1002])), ["20", "100", "9"]);
    assert_eq!(of(json!(["1002", 1004, 999])), ["40", "20", "100", "9"]);
    assert!(of(json!([999])).is_empty());
    assert!(of(json!([2001])).is_empty(), "of another account");
    assert_eq!(of(json!([100])).len(), 10);
    for wrong in [json!(1002), json!(["x"]), json!([null]), json!([""])] {
        let answer = own(100, &json!({"subBusinessIds": wrong}));
        answer.invalid("subBusinessIds must be a list of integers");
    }
}

#[test]
fn statuses_select_published_parked_or_both_and_the_default_is_published() {
    let of = |statuses: Value| ids(&own(1001, &json!({"statuses": statuses})).ok()).len();
    assert_eq!(of(Value::Null), 5);
    assert_eq!(of(json!([])), 5);
    assert_eq!(of(json!(["published"])), 5);
    assert_eq!(of(json!(["parked"])), 1);
    assert_eq!(of(json!(["all"])), 6);
    assert_eq!(of(json!(["parked", "published"])), 6);
    for wrong in [json!(["Published"]), json!(["x"]), json!([""])] {
        own(1001, &json!({"statuses": wrong})).invalid("statuses must be a list of published, parked, all");
    }
    own(1001, &json!({"statuses": "all"})).invalid("statuses must be a list of strings");
    own(1001, &json!({"statuses": [1]})).invalid("statuses must be a list of strings");
}

#[test]
fn ratings_filter_and_only_0_to_5_are_accepted() {
    assert_eq!(listed(json!({"ratings": [0]})), ["14", "13"]);
    assert_eq!(listed(json!({"ratings": ["1", 5]})), ["12", "11", "10"]);
    assert_eq!(listed(json!({"ratings": []})).len(), 6);
    for wrong in [json!([6]), json!([-1]), json!([1.5]), json!(5), json!([null])] {
        own(1001, &json!({"ratings": wrong})).invalid("ratings must be a list of ratings from 0 to 5");
    }
}

#[test]
fn sources_filter_by_alias_or_display_name_ignoring_case() {
    assert_eq!(listed(json!({"sources": ["FACEBOOK"]})), ["13", "12"]);
    assert_eq!(listed(json!({"sources": ["direct feedback", "our_website"]})), ["15", "14"]);
    assert!(listed(json!({"sources": ["nowhere"]})).is_empty());
    own(1001, &json!({"sources": "google"})).invalid("sources must be a list of strings");
    own(1001, &json!({"sources": [1]})).invalid("sources must be a list of strings");
}

#[test]
fn search_finds_a_substring_of_comments_or_title_ignoring_case() {
    assert_eq!(listed(json!({"searchStr": "strasse"})), ["10"]);
    assert_eq!(listed(json!({"searchStr": "straße &"})), ["10"]);
    assert_eq!(listed(json!({"searchStr": "GUT"})), ["10"]);
    assert_eq!(listed(json!({"searchStr": "o"})), ["14", "13", "10"]);
    assert!(listed(json!({"searchStr": "Danke"})).is_empty(), "the response is not looked at");
    assert_eq!(listed(json!({"searchStr": " "})).len(), 6);
    own(1001, &json!({"searchStr": ["x"]})).invalid("searchStr must be a string");
}

#[test]
fn date_ranges_include_both_ends() {
    assert_eq!(listed(json!({"fromDate": "2/15/2026", "toDate": "03/01/2026"})), ["14", "13", "12"]);
    assert_eq!(listed(json!({"fromDate": "03/02/2026"})), ["15"]);
    assert_eq!(listed(json!({"toDate": "1/1/2026"})), ["10"]);
    assert!(listed(json!({"fromDate": "03/02/2026", "toDate": "03/01/2026"})).is_empty());
    assert_eq!(listed(json!({"fromDate": "", "toDate": null})).len(), 6);
}

#[test]
fn update_dates_filter_by_the_later_of_review_and_response() {
    assert_eq!(listed(json!({"updateFromDate": "03/01/2026"})), ["15", "14", "10"]);
    assert_eq!(listed(json!({"updateToDate": "02/28/2026"})), ["13", "12", "11"]);
    assert_eq!(listed(json!({"updateFromDate": "3/1/2026", "updateToDate": "3/1/2026"})), ["14", "10"]);
}

#[test]
fn each_invalid_date_has_its_own_code() {
    for (name, code, message) in [
        ("fromDate", 1186, r#"Invalid from date. Allowed format is "MM/dd/yyyy"."#),
        ("toDate", 1187, r#"Invalid to date. Allowed format is "MM/dd/yyyy"."#),
        ("updateFromDate", 1227, "Invalid updated from date. Allowed format is MM/dd/yyyy"),
        ("updateToDate", 1228, "Invalid updated to date. Allowed format is MM/dd/yyyy"),
    ] {
        for wrong in [
            json!("13/01/2026"),
            json!("02/30/2026"),
            json!("2026-01-01"),
            json!("1/1/26"),
            json!(5),
            json!(["1/1/2026"]),
            json!(true),
        ] {
            let answer = own(1001, &json!({name: wrong})).refused(400, code, message);
            assert!(answer.detail().starts_with(name), "{}", answer.detail());
        }
    }
}

#[test]
fn filters_combine_with_and() {
    let of = json!({"ratings": [1], "sources": ["facebook", "yelp"], "toDate": "02/01/2026"});
    assert_eq!(listed(of), ["11"]);
}

#[test]
fn a_page_has_25_reviews_by_default() {
    let page = |query: &str| ids(&client().reviews(1001).raw_query(query).json(&all()).send().ok());
    assert_eq!(page("sindex=0&count=2"), ["15", "14"]);
    assert_eq!(page("sindex=2&count=2"), ["13", "12"]);
    assert_eq!(page("sindex=5&count=2"), ["10"]);
    assert!(page("sindex=6").is_empty());
    assert!(page("count=0").is_empty());
    assert_eq!(page("sindex=&count="), page(""));
    assert_eq!(page("count=2&count=x"), ["15", "14"], "of repeated ones the first counts");
}

#[test]
fn start_index_and_count_are_validated_and_the_window_ends_at_100000() {
    let of = |query: &str| client().reviews(1001).raw_query(query).send();
    for wrong in ["-1", "x", "1.5", "1e3"] {
        of(&format!("sindex={wrong}")).refused(400, 1163, "Invalid start index value");
        of(&format!("count={wrong}")).refused(400, 1164, "Invalid result count value");
    }
    of("sindex=x&count=x").refused(400, 1163, "Invalid start index value");
    of("count=100000").ok();
    of("sindex=99975").ok();
    of("sindex=100000&count=0").ok();
    for over in [
        "count=100001",
        "sindex=99976",
        "sindex=100001&count=0",
        "sindex=99999999999999999999",
        "count=99999999999999999999",
    ] {
        of(over).refused(400, 1163, "Invalid start index value");
    }
}

#[test]
fn the_competitor_flag_is_true_or_false() {
    let of = |flag: &str| client().reviews(100).query("isCompetitor", flag).send();
    of("false").ok();
    of("FALSE").ok();
    of("").ok();
    for wrong in ["1", "yes", "maybe"] {
        of(wrong).invalid("isCompetitor must be true or false");
    }
}

#[test]
fn a_competitor_is_an_account_that_competes_with_one_the_key_covers() {
    let of =
        |key: &str, business: &str| client().reviews(business).key(key).query("isCompetitor", "True").send();
    let refused = |key: &str, business: &str| of(key, business).refused(404, 1011, "Business id is invalid");
    of("all", "200").ok();
    of("first", "200").ok();
    of("second", "210").ok();
    of("reseller", "210").ok();
    refused("first", "210");
    refused("foreign", "200");
    refused("all", "100");
    refused("all", "2001");
    refused("all", "999");
    refused("all", "50");
}

#[test]
fn an_own_business_is_an_account_or_location_that_the_key_covers() {
    let of = |key: &str, business: &str| client().reviews(business).key(key).send();
    let refused = |key: &str, business: &str| of(key, business).refused(404, 1011, "Business id is invalid");
    of("first", "100").ok();
    of("first", "1003").ok();
    of("reseller", "1101").ok();
    of("reseller", "50").ok();
    refused("first", "200");
    refused("first", "2001");
    refused("first", "1101");
    refused("first", "50");
    for wrong in ["abc", "-100", "1.0", "999", "99999999999999999999999", "%20", "%00"] {
        refused("all", wrong);
    }
    of("all", "%3100").ok();
    assert_eq!(ids(&of("reseller", "50").ok()).len(), 10, "a reseller lists its enterprises'");
}

#[test]
fn a_location_of_a_competitor_is_not_a_competitor_but_can_be_selected_by_sub_business_ids() {
    let request = |body: Value| client().reviews(200).key("first").query("isCompetitor", "true").json(&body);
    let of = |body: Value| ids(&request(body).send().ok());
    assert_eq!(of(json!({"subBusinessIds": [2002]})), ["202"]);
    assert_eq!(of(json!({"statuses": ["parked"]})), ["201"]);
}

#[test]
fn the_first_failing_check_answers_in_the_order_path_query_body() {
    let mut body = json!({
        "fromDate": "x", "toDate": "x", "updateFromDate": "x", "updateToDate": "x", "sources": 1,
        "ratings": 1, "searchStr": 1, "subBusinessIds": 1, "statuses": 1,
    });
    let call = |business: u64, query: &str, body: &Value| {
        let request: Request = client().reviews(business).raw_query(query);
        request.json(body).send()
    };
    let message = "Business id is invalid";
    call(999, "sindex=x&count=x&isCompetitor=x", &body).refused(404, 1011, message);
    call(100, "sindex=x&count=x&isCompetitor=x", &body).refused(400, 1163, "Invalid start index value");
    call(100, "count=x&isCompetitor=x", &body).refused(400, 1164, "Invalid result count value");
    call(100, "isCompetitor=x", &body).invalid("isCompetitor must be true or false");
    for (name, code, message) in [
        ("fromDate", 1186, r#"Invalid from date. Allowed format is "MM/dd/yyyy"."#),
        ("toDate", 1187, r#"Invalid to date. Allowed format is "MM/dd/yyyy"."#),
        ("updateFromDate", 1227, "Invalid updated from date. Allowed format is MM/dd/yyyy"),
        ("updateToDate", 1228, "Invalid updated to date. Allowed format is MM/dd/yyyy"),
        ("sources", 2003, "sources must be a list of strings"),
        ("ratings", 2003, "ratings must be a list of ratings from 0 to 5"),
        ("searchStr", 2003, "searchStr must be a string"),
        ("subBusinessIds", 2003, "subBusinessIds must be a list of integers"),
        ("statuses", 2003, "statuses must be a list of strings"),
    ] {
        call(100, "count=100001", &body).refused(400, code, message);
        body.as_object_mut().unwrap().remove(name);
    }
    call(100, "count=100001", &body).refused(400, 1163, "Invalid start index value");
}

#[test]
fn an_empty_body_filters_nothing() {
    for empty in ["", "  ", "{}", "\u{feff}{}"] {
        assert_eq!(ids(&client().reviews(1001).bytes(empty).send().ok()).len(), 5);
    }
    assert_eq!(ids(&own(1001, &json!({"unknown": [1], "sindex": "x"})).ok()).len(), 5);
}
