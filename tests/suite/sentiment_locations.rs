//! `POST /v1/insight/sentiment/locationInfo`.

use serde_json::{Value, json};

use crate::harness::Request;
use crate::stage::{client, server};

/// A valid body for account 100 that includes all its reviews.
pub fn body() -> Value {
    json!({
        "businessNumbers": [100],
        "startDate": "01/01/2026",
        "endDate": "06/30/2026",
        "userEmail": "ann@first.test",
    })
}

/// The valid body with some members replaced, or removed if null.
pub fn with(changes: Value) -> Value {
    changed(body(), changes)
}

/// A body with some members replaced, or removed if null.
pub fn changed(mut body: Value, changes: Value) -> Value {
    let Value::Object(changes) = changes else { panic!("changes are members") };
    let members = body.as_object_mut().unwrap();
    for (name, value) in changes {
        if value.is_null() {
            members.remove(&name);
        } else {
            members.insert(name, value);
        }
    }
    body
}

fn call() -> Request {
    client().locations(100)
}

/// The points as (name, score, mentions).
fn points(answer: &Value) -> Vec<(String, f64, u64)> {
    let points = answer["dataPoints"].as_array().unwrap().iter();
    points
        .map(|point| {
            let text = point["name"].as_str().unwrap().to_owned();
            (text, point["score"].as_f64().unwrap(), point["mentions"].as_u64().unwrap())
        })
        .collect()
}

fn names(answer: &Value) -> Vec<String> {
    points(answer).into_iter().map(|point| point.0).collect()
}

fn of(changes: Value) -> Value {
    call().json(&with(changes)).send().ok()
}

#[test]
fn an_accepted_call_returns_a_point_for_every_location() {
    let answer = call().json(&body()).send();
    // 95 + 10 + 90 + 15 + 50 + 55 over 6; (80 + 80 + 3 * 33.3) / 5.
    let expected = r#"{"totalCount":4,"dataPoints":[{"id":1001,"name":"alpha","score":52.5,"mentions":6},{"id":1003,"name":"ALPHA","score":0.0,"mentions":0},{"id":1002,"name":"Beta","score":52.0,"mentions":5},{"id":1004,"name":"gamma","score":55.0,"mentions":1}]}"#;
    assert_eq!(answer.text(), expected);
    answer.ok();
}

#[test]
fn names_sort_ignoring_case_and_ties_by_ascending_id_in_both_orders() {
    let ids = |order: &str| -> Vec<u64> {
        let answer = call().query("sort-by", "name").query("sort-order", order).json(&body()).send().ok();
        answer["dataPoints"].as_array().unwrap().iter().map(|point| point["id"].as_u64().unwrap()).collect()
    };
    assert_eq!(ids("0"), [1001, 1003, 1002, 1004]);
    assert_eq!(ids("1"), [1004, 1002, 1001, 1003]);
}

#[test]
fn scores_sort_and_ties_by_ascending_name_and_id_in_both_orders() {
    let ids = |order: &str, changes: Value| -> Vec<u64> {
        let request = call().query("sort-by", "sentiment-score").query("sort-order", order);
        let answer = request.json(&with(changes)).send().ok();
        answer["dataPoints"].as_array().unwrap().iter().map(|point| point["id"].as_u64().unwrap()).collect()
    };
    assert_eq!(ids("0", json!({})), [1003, 1002, 1001, 1004]);
    assert_eq!(ids("1", json!({})), [1004, 1001, 1002, 1003]);
    let nothing = json!({"startDate": "01/01/2020", "endDate": "01/01/2020"});
    assert_eq!(ids("0", nothing.clone()), [1001, 1003, 1002, 1004]);
    assert_eq!(ids("1", nothing), [1001, 1003, 1002, 1004]);
}

#[test]
fn the_date_range_includes_both_ends_and_single_digits_are_accepted() {
    let mentions = |start: &str, end: &str| {
        let answer = of(json!({"businessNumbers": [1001], "startDate": start, "endDate": end}));
        points(&answer)[0].2
    };
    assert_eq!(mentions("1/1/2026", "1/1/2026"), 1);
    assert_eq!(mentions("01/01/2026", "1/31/2026"), 2);
    assert_eq!(mentions("01/02/2026", "01/30/2026"), 0);
    assert_eq!(mentions("1/31/2026", "02/15/2026"), 3);
}

#[test]
fn reviews_of_every_status_count() {
    let answer = of(json!({"businessNumbers": [1001], "startDate": "1/31/2026", "endDate": "1/31/2026"}));
    assert_eq!(points(&answer), [("alpha".to_owned(), 10.0, 1)]);
}

#[test]
fn sources_filter_by_alias_or_display_name_ignoring_case() {
    let mentions =
        |sources: Value| points(&of(json!({"businessNumbers": [1001], "reviewSources": sources})))[0].2;
    assert_eq!(mentions(json!(["google"])), 1);
    assert_eq!(mentions(json!(["GOOGLE", "Direct Feedback", "our_website"])), 3);
    assert_eq!(mentions(json!(["myspace"])), 0);
    assert_eq!(mentions(json!(["myspace", "facebook"])), 2);
    assert_eq!(mentions(json!([])), 6);
    assert_eq!(mentions(Value::Null), 6);
    assert_eq!(mentions(json!([""])), 0);
}

#[test]
fn ratings_are_accepted_as_numbers_and_as_strings() {
    let mentions = |ratings: Value| points(&of(json!({"businessNumbers": [1001], "ratings": ratings})))[0].2;
    assert_eq!(mentions(json!(["0"])), 2);
    assert_eq!(mentions(json!(["0", "1"])), 4);
    assert_eq!(mentions(json!([0, 5])), 3);
    assert_eq!(mentions(json!(["2", "2"])), 0);
    assert_eq!(mentions(json!([])), 6);
}

#[test]
fn ratings_outside_0_to_5_are_refused_with_their_index() {
    for wrong in [
        json!(["6"]),
        json!(["-1"]),
        json!(["x"]),
        json!([""]),
        json!([null]),
        json!([1.5]),
        json!("5"),
        json!(5),
    ] {
        call()
            .json(&with(json!({"ratings": wrong})))
            .send()
            .invalid("ratings must be a list of ratings from 0 to 5");
    }
    let answer = call().json(&with(json!({"ratings": ["1", "2", 7]}))).send();
    assert_eq!(answer.detail(), "ratings[2]: 7 is not one of 0-5");
}

#[test]
fn hierarchy_items_combine_with_and_and_their_names_with_or() {
    let all = |items: Value| names(&of(json!({"hierarchyNodeData": items})));
    assert_eq!(all(json!([{"levelId": "Region", "levelNames": ["West"]}])), ["alpha", "Beta"]);
    assert_eq!(
        all(json!([{"levelId": "Region", "levelNames": ["West", "East"]}])),
        ["alpha", "ALPHA", "Beta"]
    );
    let both = json!([{"levelId": "Region", "levelNames": ["West"]}, {"levelId": "Market", "levelNames": ["Valley", "x"]}]);
    assert_eq!(all(both), ["Beta"]);
    assert!(all(json!([{"levelId": "Region", "levelNames": ["west"]}])).is_empty());
    assert!(all(json!([{"levelId": "Planet", "levelNames": ["Earth"]}])).is_empty());
    assert_eq!(all(json!([])).len(), 4);
    assert_eq!(all(json!([{"levelId": "Region", "levelNames": []}])).len(), 4);
}

#[test]
fn hierarchy_items_of_a_wrong_shape_are_refused() {
    for (items, message) in [
        (json!("West"), "hierarchyNodeData must be a list of objects"),
        (json!({"levelId": "Region"}), "hierarchyNodeData must be a list of objects"),
        (json!(["West"]), "hierarchyNodeData must be a list of objects"),
        (json!([null]), "hierarchyNodeData must be a list of objects"),
        (json!([{"levelNames": ["West"]}]), "hierarchyNodeData[0].levelId is mandatory"),
        (json!([{"levelId": 1, "levelNames": ["West"]}]), "hierarchyNodeData[0].levelId must be a string"),
        (
            json!([{"levelId": "Region", "levelNames": "West"}]),
            "hierarchyNodeData[0].levelNames must be a list of strings",
        ),
        (
            json!([{"levelId": "Region", "levelNames": ["West", 1]}]),
            "hierarchyNodeData[0].levelNames must be a list of strings",
        ),
    ] {
        call().json(&with(json!({"hierarchyNodeData": items}))).send().invalid(message);
    }
}

#[test]
fn groups_have_a_point_per_name_and_omit_locations_without_the_level() {
    let answer = of(json!({"groupByLevel": "Region"}));
    assert_eq!(answer["totalCount"], 2);
    // (95 + 10 + 90 + 15 + 50 + 55 + 80 + 80 + 99.9) / 11.
    assert_eq!(points(&answer), [("East".to_owned(), 0.0, 0), ("West".to_owned(), 52.3, 11)]);
    let again = of(json!({"groupByLevel": "Region", "businessNumbers": [1002]}));
    assert_eq!(again["dataPoints"][0]["id"], answer["dataPoints"][1]["id"], "a stable number");
    assert_eq!(points(&again), [("West".to_owned(), 52.0, 5)]);
}

#[test]
fn an_unknown_level_to_group_by_is_refused() {
    for wrong in ["Planet", "region"] {
        call()
            .json(&with(json!({"groupByLevel": wrong})))
            .send()
            .invalid("groupByLevel must be one of Region, Market");
    }
    let answer = call().json(&with(json!({"groupByLevel": 5}))).send();
    answer.invalid("groupByLevel must be a string");
    assert_eq!(of(json!({"groupByLevel": " "}))["totalCount"], 4);
}

#[test]
fn an_account_means_its_locations_and_a_reseller_those_of_its_enterprises() {
    let boss = json!({"userEmail": "boss@above.test"});
    let reseller = |numbers: Value| {
        let body = changed(with(boss.clone()), json!({"businessNumbers": numbers}));
        names(&client().locations(50).json(&body).send().ok())
    };
    assert_eq!(reseller(json!([50])), ["alpha", "ALPHA", "Beta", "delta", "gamma"]);
    assert_eq!(reseller(json!([110])), ["delta"]);
    assert_eq!(reseller(json!([110, 1002, "1002", 1101])), ["Beta", "delta"]);
}

#[test]
fn a_hundred_entries_are_accepted_counting_duplicates_and_one_more_is_refused() {
    let answer = of(json!({"businessNumbers": vec![1001; 100]}));
    assert_eq!(answer["totalCount"], 1);
    let answer = call().json(&with(json!({"businessNumbers": vec![1001; 101]}))).send();
    answer.invalid("Only 100 businessNumbers are allowed");
    let many = server().world("many").with_key("any");
    let body = |to: u64| {
        with(json!({"businessNumbers": (10_001..=to).collect::<Vec<u64>>(), "userEmail": "a@b.test"}))
    };
    assert_eq!(many.locations(100).json(&body(10_100)).send().ok()["totalCount"], 100);
    many.locations(100).json(&body(10_101)).send().invalid("Only 100 businessNumbers are allowed");
    let unknown = with(json!({"businessNumbers": (1..=101).collect::<Vec<u64>>()}));
    call().json(&unknown).send().invalid("Only 100 businessNumbers are allowed");
}

#[test]
fn business_numbers_are_mandatory_and_an_empty_list_null_or_blank_counts_as_missing() {
    for absent in [json!([]), json!(""), json!("  ")] {
        call()
            .json(&with(json!({"businessNumbers": absent})))
            .send()
            .invalid("businessNumbers are mandatory");
    }
    let mut null = body();
    null["businessNumbers"] = Value::Null;
    call().json(&null).send().invalid("businessNumbers are mandatory");
    call().json(&with(json!({"businessNumbers": null}))).send().invalid("businessNumbers are mandatory");
}

#[test]
fn business_numbers_of_a_wrong_shape_are_refused() {
    for wrong in [
        json!(100),
        json!("100"),
        json!([1.5]),
        json!(["a"]),
        json!([""]),
        json!([null]),
        json!([[100]]),
        json!({"a": 1}),
        json!([true]),
    ] {
        call()
            .json(&with(json!({"businessNumbers": wrong})))
            .send()
            .invalid("businessNumbers must be a list of integers");
    }
    assert_eq!(of(json!({"businessNumbers": ["1001", "1002"]}))["totalCount"], 2);
}

#[test]
fn a_business_number_outside_the_enterprise_is_1027() {
    for outside in [999, 200, 110, 50, 3001, 0, -1] {
        let answer = call().json(&with(json!({"businessNumbers": [1001, outside]}))).send();
        let answer = answer.refused(429, 1027, "Invalid business number.");
        assert!(answer.detail().contains(&format!("businessNumbers[1]: {outside}")), "{}", answer.detail());
        assert_eq!(answer.header("retry-after"), None);
    }
}

#[test]
fn dates_are_mandatory_must_exist_and_be_in_order() {
    for name in ["startDate", "endDate"] {
        for absent in [Value::Null, json!(""), json!(" ")] {
            let mut body = body();
            body[name] = absent;
            call().json(&body).send().invalid(&format!("{name} is mandatory"));
        }
        for wrong in
            ["13/01/2026", "02/29/2026", "2026-01-01", "01/01/26", "1/1/2026 ", "00/10/2026", "tomorrow"]
        {
            let answer = call().json(&with(json!({name: wrong}))).send();
            let answer = answer.invalid(&format!("{name} must be a date in the format MM/DD/YYYY"));
            assert!(answer.detail().starts_with(name), "{}", answer.detail());
        }
        let answer = call().json(&with(json!({name: 20_260_101}))).send();
        answer.invalid(&format!("{name} must be a string"));
    }
    let turned = with(json!({"startDate": "01/02/2026", "endDate": "01/01/2026"}));
    call().json(&turned).send().invalid("startDate must be on or before endDate");
}

#[test]
fn the_user_must_be_known() {
    for absent in [Value::Null, json!(""), json!("   ")] {
        let mut body = body();
        body["userEmail"] = absent;
        call().json(&body).send().invalid("userEmail is mandatory");
    }
    let of = |email: &str| call().json(&with(json!({"userEmail": email}))).send();
    of("who@first.test").invalid("No user found for userEmail: who@first.test");
    of("bob@second.test").invalid("No user found for userEmail: bob@second.test");
    of("ANN@FIRST.TEST").ok();
    of("boss@above.test").ok();
    call().json(&with(json!({"userEmail": 5}))).send().invalid("userEmail must be a string");
}

#[test]
fn a_resellers_user_may_be_one_of_its_enterprises() {
    let of = |email: &str| client().locations(50).json(&with(json!({"userEmail": email}))).send();
    of("boss@above.test").ok();
    of("bob@second.test").ok();
    of("ann@first.test").ok();
    of("eve@rival.test").invalid("No user found for userEmail: eve@rival.test");
}

#[test]
fn an_account_without_users_accepts_any_well_formed_address() {
    let of = |email: &str| {
        let body = with(json!({"businessNumbers": [300], "userEmail": email}));
        client().locations(300).json(&body).send()
    };
    of("anybody@anywhere.test").ok();
    of("nobody").invalid("userEmail must be an email address");
}

#[test]
fn page_size_is_between_1_and_100() {
    let of = |size: &str| call().query("page-size", size).json(&body()).send();
    assert_eq!(of("1").ok()["dataPoints"].as_array().unwrap().len(), 1);
    of("100").ok();
    for wrong in ["0", "101", "abc", "-1", "1.5", "99999999999999999999"] {
        let answer = of(wrong).invalid("page-size must be between 1 and 100");
        assert!(answer.detail().contains(wrong), "{}", answer.detail());
    }
}

#[test]
fn a_page_has_ten_points_by_default_and_the_total_ignores_paging() {
    let many = server().world("many").with_key("any");
    let body = with(json!({"businessNumbers": [100], "userEmail": "a@b.test"}));
    let page = |query: &str| many.locations(100).raw_query(query).json(&body).send().ok();
    let count = |answer: &Value| answer["dataPoints"].as_array().unwrap().len();
    assert_eq!(count(&page("")), 10);
    assert_eq!(count(&page("page-size=")), 10);
    let full = page("page-size=100");
    assert_eq!((count(&full), &full["totalCount"]), (100, &json!(120)));
    let rest = page("page-size=100&start-index=100");
    assert_eq!((count(&rest), &rest["totalCount"]), (20, &json!(120)));
    assert_eq!(names(&rest)[0], "L101");
    let past = page("page-size=100&start-index=120");
    assert_eq!((count(&past), &past["totalCount"]), (0, &json!(120)));
}

#[test]
fn the_window_of_100000_is_served_to_its_end_and_no_further() {
    let of = |query: &str| call().raw_query(query).json(&body()).send();
    assert_eq!(of("start-index=99990").ok()["dataPoints"], json!([]));
    of("start-index=99900&page-size=100").ok();
    let message = "start-index + page-size must be at most 100000";
    of("start-index=99991").invalid(message);
    of("start-index=99901&page-size=100").invalid(message);
    of("start-index=99999999999999999999999").invalid(message);
    for wrong in ["-1", "a", "1.0"] {
        of(&format!("start-index={wrong}")).invalid("start-index must be an integer of 0 or more");
    }
}

#[test]
fn sort_parameters_accept_only_their_documented_values() {
    let of = |query: &str| call().raw_query(query).json(&body()).send();
    of("sort-by=score").invalid("sort-by must be name or sentiment-score");
    of("sort-by=Name").invalid("sort-by must be name or sentiment-score");
    of("sort-order=2").invalid("sort-order must be 0 or 1");
    of("sort-order=asc").invalid("sort-order must be 0 or 1");
    assert_eq!(names(&of("sort-by=&sort-order=").ok())[0], "alpha");
}

#[test]
fn the_first_of_repeated_parameters_is_used() {
    let of = |query: &str| call().raw_query(query).json(&body()).send();
    assert_eq!(of("page-size=2&page-size=0").ok()["dataPoints"].as_array().unwrap().len(), 2);
    of("page-size=0&page-size=2").invalid("page-size must be between 1 and 100");
    assert_eq!(of("page-size=&page-size=1").ok()["dataPoints"].as_array().unwrap().len(), 4);
}

#[test]
fn unknown_parameters_and_fields_are_ignored() {
    let answer = call().raw_query("colour=red&&=").json(&with(json!({"colour": {"deep": [1]}}))).send().ok();
    assert_eq!(answer["totalCount"], 4);
}

#[test]
fn the_first_failing_check_answers_with_the_query_before_the_body() {
    let mut body = json!({
        "businessNumbers": "x", "startDate": "x", "endDate": "x", "userEmail": "x@y.test",
        "reviewSources": 1, "ratings": 1, "hierarchyNodeData": 1, "groupByLevel": 1,
    });
    let query = ["start-index=x", "page-size=x", "sort-by=x", "sort-order=x"];
    let messages = [
        "start-index must be an integer of 0 or more",
        "page-size must be between 1 and 100",
        "sort-by must be name or sentiment-score",
        "sort-order must be 0 or 1",
    ];
    for (at, message) in messages.iter().enumerate() {
        call().raw_query(&query[at..].join("&")).json(&body).send().invalid(message);
    }
    for (name, good, message) in [
        ("businessNumbers", json!([100]), "businessNumbers must be a list of integers"),
        ("startDate", json!("02/01/2026"), "startDate must be a date in the format MM/DD/YYYY"),
        ("endDate", json!("01/01/2026"), "endDate must be a date in the format MM/DD/YYYY"),
        ("userEmail", json!("ann@first.test"), "No user found for userEmail: x@y.test"),
        ("reviewSources", json!([]), "reviewSources must be a list of strings"),
        ("ratings", json!([]), "ratings must be a list of ratings from 0 to 5"),
        ("hierarchyNodeData", json!([]), "hierarchyNodeData must be a list of objects"),
        ("groupByLevel", Value::Null, "groupByLevel must be a string"),
    ] {
        call().query("start-index", "100000").json(&body).send().invalid(message);
        body[name] = good;
    }
    call()
        .query("start-index", "100000")
        .json(&body)
        .send()
        .invalid("startDate must be on or before endDate");
}

#[test]
fn an_empty_body_fails_on_the_mandatory_fields() {
    for empty in ["", "  \n", "{}"] {
        call().bytes(empty).send().invalid("businessNumbers are mandatory");
    }
}

/// Checks wrong values of `x-business-number`, for either sentiment operation.
pub fn check_enterprises(of: impl Fn(&str, &str) -> crate::harness::Answer) {
    let refused = |key: &str, number: &str, why: &str| {
        let answer = of(key, number).refused(404, 2151, "Not a valid reseller/enterprise id.");
        assert!(answer.detail().contains(why), "{}", answer.detail());
    };
    refused("all", "", "missing");
    for wrong in ["abc", "1e2", "-100", "100.0", "+100"] {
        refused("all", wrong, "not a number");
    }
    refused("all", "999", "no business");
    refused("all", "99999999999999999999999", "no business");
    refused("all", "1001", "location");
    refused("first", "200", "does not cover");
    refused("first", "50", "does not cover");
    refused("first", "110", "does not cover");
    refused("foreign", "100", "does not cover");
    of("first", " 100 ").ok();
    of("reseller", "100").ok();
    of("reseller", "50").ok();
}

#[test]
fn the_enterprise_must_be_covered_by_the_key() {
    check_enterprises(|key, number| {
        let body = with(json!({"businessNumbers": [1001], "userEmail": "boss@above.test"}));
        client().locations(number).key(key).json(&body).send()
    });
    let answer = call().without("x-business-number").json(&body()).send();
    answer.refused(404, 2151, "Not a valid reseller/enterprise id.");
}
