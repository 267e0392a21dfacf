//! `POST /v1/contact/external/preferences/saveCustomer`.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;

use serde_json::{Value, json};

use crate::harness::{Answer, Client, Server};
use crate::sentiment_locations::changed;
use crate::stage::{API, client, server};

/// A program for one test, which alone sees the contacts that it writes.
fn fresh() -> (Server, Client) {
    let server = Server::of(&[("api.yaml", API)], &[]);
    let client = server.client().with_key("all");
    (server, client)
}

fn save(client: &Client, body: &Value) -> Answer {
    client.contact(100).json(body).send()
}

/// Upserts in the shared program: for refused calls, and for contacts that no other test uses.
fn shared(body: &Value) -> Answer {
    save(&client(), body)
}

fn id(answer: Answer) -> u64 {
    answer.ok()["id"].as_u64().unwrap()
}

/// All stored contacts of the default world.
fn stored(server: &Server) -> Vec<Value> {
    server.admin("GET", "worlds/default/contacts").send().ok().as_array().unwrap().clone()
}

fn of_id(server: &Server, id: u64) -> Value {
    stored(server).into_iter().find(|contact| contact["id"] == id).unwrap()
}

/// A new contact's body.
fn new(email: &str) -> Value {
    json!({"email": email, "businessIds": [1001]})
}

#[test]
fn an_accepted_call_answers_with_only_the_id_and_stores_everything_sent() {
    let (server, client) = fresh();
    let body = json!({
        "firstName": "Pam", "lastName": "Beesly", "email": "pam@x.test", "phone": "+1 212 555 0199",
        "countryCode": "CA", "smsOptin": true, "blocked": false, "businessIds": [1001, "100"],
        "tags": ["a", "b"], "externalId": "CRM-9",
        "customFields": [{"fieldName": "Since", "type": "date", "fieldValue": "02/28/2026"}],
        "emailPreferences": {"marketingOptin": false, "feedbackOptin": true, "serviceOptin": true},
    });
    let answer = save(&client, &body);
    let new = id(answer.clone());
    assert_eq!(answer.text(), format!(r#"{{"id":{new}}}"#));
    assert!(new < 1 << 53);
    let mut expected = changed(body, json!({"id": new}));
    expected["businessIds"] = json!([1001, 100]);
    assert_eq!(of_id(&server, new), expected);
}

#[test]
fn an_update_replaces_the_fields_sent_and_keeps_the_others() {
    let (server, client) = fresh();
    let before = of_id(&server, 7001);
    let sent = json!({"id": 7001, "lastName": "Scarn", "tags": [], "smsOptin": false, "businessIds": []});
    assert_eq!(id(save(&client, &sent)), 7001);
    let after = changed(before, json!({"lastName": "Scarn", "tags": [], "smsOptin": false}));
    assert_eq!(of_id(&server, 7001), after);
    save(&client, &json!({"id": "7001", "businessIds": [1002], "tags": ["x"], "firstName": null})).ok();
    assert_eq!(of_id(&server, 7001), changed(after, json!({"businessIds": [1002], "tags": ["x"]})));
}

#[test]
fn preference_flags_sent_are_replaced_and_the_others_kept() {
    let (server, client) = fresh();
    save(&client, &json!({"id": 7001, "emailPreferences": {"marketingOptin": "FALSE"}})).ok();
    let expected = json!({"marketingOptin": false, "serviceOptin": true});
    assert_eq!(of_id(&server, 7001)["emailPreferences"], expected);
}

#[test]
fn the_first_identifier_that_matches_a_contact_wins() {
    let (server, client) = fresh();
    let by = |body: Value| id(save(&client, &body));
    let (michael, dwight) = ("michael@first.test", "dwight@first.test");
    assert_eq!(by(json!({"id": 7001, "email": michael})), 7001);
    assert_eq!(by(json!({"externalId": "CRM-1", "phone": "+12125550100"})), 7001);
    assert_eq!(by(json!({"email": dwight})), 7002, "email");
    assert_eq!(by(json!({"email": "DWIGHT@First.test", "phone": "2125550100"})), 7002, "email before phone");
    assert_eq!(by(json!({"id": 7001, "phone": "+12125550177"})), 7001);
    assert_eq!(by(json!({"email": "new@first.test", "phone": "12125550177"})), 7001, "email falls through");
    assert_eq!(by(json!({"externalId": "none", "email": dwight})), 7002, "externalId falls through");
    assert_eq!(by(json!({"id": 7001, "externalId": "none"})), 7001, "id before externalId");
    assert_eq!(of_id(&server, 7001)["email"], "new@first.test");
    assert_eq!(stored(&server).len(), 3);
}

#[test]
fn values_of_a_second_contact_update_the_first_match() {
    let (server, client) = fresh();
    let sent = json!({"externalId": "CRM-2", "email": "michael@first.test", "firstName": "Both"});
    assert_eq!(id(save(&client, &sent)), 7002);
    assert_eq!(of_id(&server, 7002)["email"], "michael@first.test");
    assert_eq!(of_id(&server, 7001)["firstName"], "Michael");
}

#[test]
fn external_ids_compare_exactly_and_emails_ignore_case() {
    let (server, client) = fresh();
    let one = id(save(&client, &json!({"externalId": "crm-1", "email": "ß@x.test", "businessIds": [1001]})));
    assert!(![7001, 7002, 7003].contains(&one), "crm-1 is not CRM-1");
    assert_eq!(id(save(&client, &json!({"email": "SS@X.TEST"}))), one);
    assert_eq!(stored(&server).len(), 4);
}

#[test]
fn phones_compare_across_formats_and_are_stored_as_sent() {
    let (server, client) = fresh();
    for phone in ["+1 212 555 0100", "212.555.0100", "1-212-555-0100"] {
        assert_eq!(id(save(&client, &json!({"phone": phone}))), 7001, "{phone}");
        assert_eq!(of_id(&server, 7001)["phone"], phone);
    }
    let mexican = json!({"phone": "2125550100", "countryCode": "MX", "businessIds": [1001]});
    assert_ne!(id(save(&client, &mexican)), 7001);
    let odd = id(save(&client, &json!({"phone": "call me", "businessIds": [1001]})));
    assert_eq!(id(save(&client, &json!({"phone": "call me"}))), odd);
}

#[test]
fn an_unknown_id_is_5043_even_if_another_identifier_matches() {
    for unknown in [json!(1), json!("999"), json!(-5), json!(0), json!("99999999999999999999")] {
        let answer = shared(&json!({"id": unknown, "externalId": "CRM-1"}));
        answer.refused(400, 5043, "Contact not found for the given request");
    }
    shared(&json!({"id": "x"})).invalid("id must be an integer");
    shared(&json!({"id": 1.5})).invalid("id must be an integer");
}

#[test]
fn an_email_or_phone_is_required_in_the_request_or_the_stored_contact() {
    let message = "email or phone is mandatory";
    shared(&json!({"firstName": "X", "businessIds": [1001]})).invalid(message);
    shared(&json!({"externalId": "nobody", "businessIds": [1001]})).invalid(message);
    shared(&json!({"email": "", "phone": " ", "businessIds": [1001]})).invalid(message);
    shared(&json!({})).invalid(message);
    shared(&json!({"id": 7003})).invalid(message);
    shared(&json!({"externalId": "CRM-3"})).invalid(message);
    assert_eq!(id(shared(&json!({"id": 7002}))), 7002);
}

#[test]
fn an_email_must_look_like_one() {
    for wrong in ["x", "x@", "@y.test", "x@y", "a b@c.test", "a@b@c.test"] {
        shared(&new(wrong)).invalid("email must be an email address");
    }
    shared(&json!({"email": 5})).invalid("email must be a string");
    shared(&json!({"phone": 2_125_550_100_u64})).invalid("phone must be a string");
}

#[test]
fn creating_requires_business_ids_of_the_enterprise() {
    let message = "Business id is missing or invalid.";
    for absent in [Value::Null, json!([]), json!("")] {
        shared(&json!({"email": "none@x.test", "businessIds": absent})).refused(404, 1532, message);
    }
    for outside in [999, 200, 2001, 1101, 110, 50, 0, -1] {
        let answer = shared(&json!({"email": "none@x.test", "businessIds": [1001, outside]}));
        assert!(answer.clone().refused(404, 1532, message).detail().contains("businessIds[1]"));
        shared(&json!({"id": 7001, "businessIds": [outside]})).refused(404, 1532, message);
    }
    for wrong in [json!(1001), json!(["x"]), json!([null]), json!([1.5])] {
        let answer = shared(&json!({"email": "none@x.test", "businessIds": wrong}));
        answer.invalid("businessIds must be a list of integers");
    }
    id(shared(&json!({"email": "account@x.test", "businessIds": [100]})));
}

#[test]
fn the_country_is_one_of_six_and_us_by_default() {
    let (server, client) = fresh();
    for country in ["US", "AU", "CA", "MX", "PR", "VI"] {
        let email = format!("{country}@x.test");
        let sent = changed(new(&email), json!({"countryCode": country}));
        assert_eq!(of_id(&server, id(save(&client, &sent)))["countryCode"], country);
    }
    for wrong in ["us", "DE", "USA"] {
        let answer = save(&client, &changed(new("c@x.test"), json!({"countryCode": wrong})));
        answer.invalid("countryCode must be one of US, AU, CA, MX, PR, VI");
    }
    save(&client, &changed(new("c@x.test"), json!({"countryCode": 1})))
        .invalid("countryCode must be a string");
    assert_eq!(of_id(&server, id(save(&client, &new("c@x.test"))))["countryCode"], "US");
}

#[test]
fn booleans_are_accepted_as_strings_in_any_case() {
    let (server, client) = fresh();
    let sent = changed(new("b@x.test"), json!({"smsOptin": "True", "blocked": "FALSE"}));
    let stored = of_id(&server, id(save(&client, &sent)));
    assert_eq!((&stored["smsOptin"], &stored["blocked"]), (&json!(true), &json!(false)));
    for name in ["smsOptin", "blocked"] {
        for wrong in [json!(1), json!("yes"), json!([true])] {
            let answer = save(&client, &changed(new("b@x.test"), json!({name: wrong})));
            answer.invalid(&format!("{name} must be true or false"));
        }
    }
}

#[test]
fn tags_are_a_list_of_strings() {
    for wrong in [json!("vip"), json!([1]), json!([null]), json!({"a": 1})] {
        shared(&changed(new("t@x.test"), json!({"tags": wrong}))).invalid("tags must be a list of strings");
    }
}

#[test]
fn custom_field_values_must_match_their_type() {
    let (server, client) = fresh();
    let of = |kind: Value, value: Value| {
        let field = changed(json!({"fieldName": "F", "fieldValue": value}), json!({"type": kind}));
        save(&client, &changed(new("f@x.test"), json!({"customFields": [field]})))
    };
    for (kind, good, wrong, allowed) in [
        ("number", &["1", "-2.5"][..], &["x", "1,000", ""][..], "a number"),
        ("currency", &["12.50", "$1,234.50"][..], &["12 USD"][..], "an amount of money"),
        (
            "date",
            &["02/28/2026", "02-28-2026"][..],
            &["2/28/2026", "02/30/2026", "2026-02-28", "02-28/2026"][..],
            "a date in the format MM/dd/yyyy or MM-dd-yyyy",
        ),
        ("yesno", &["1", "0"][..], &["yes", "true", "2"][..], "1 or 0"),
        ("yes/no", &["1"][..], &["no"][..], "1 or 0"),
        ("boolean", &["0"][..], &["false"][..], "1 or 0"),
    ] {
        for value in good {
            of(json!(kind), json!(value)).ok();
        }
        for value in wrong {
            let answer = of(json!(kind), json!(value));
            answer.invalid(&format!("customFields[0].fieldValue must be {allowed}"));
        }
    }
    let new = id(of(Value::Null, json!("anything")));
    let expected = json!([{"fieldName": "F", "type": "text", "fieldValue": "anything"}]);
    assert_eq!(of_id(&server, new)["customFields"], expected);
    of(json!("colour"), json!("red"))
        .invalid("customFields[0].type must be one of text, number, currency, date, yes/no");
    of(json!("text"), json!(5)).invalid("customFields[0].fieldValue must be a string");
    save(&client, &json!({"id": 7001, "customFields": [{"fieldName": "A"}, {"fieldValue": "x"}]}))
        .invalid("customFields[1].fieldName is mandatory");
    for wrong in [json!("x"), json!({"fieldName": "F"}), json!(["F"]), json!([null])] {
        let answer = save(&client, &json!({"id": 7001, "customFields": wrong}));
        answer.invalid("customFields must be a list of objects");
    }
}

#[test]
fn preferences_are_objects_of_booleans() {
    for wrong in [json!(true), json!([]), json!("x"), json!([1])] {
        let answer = shared(&json!({"id": 7001, "emailPreferences": wrong}));
        answer.invalid("emailPreferences must be an object");
    }
    shared(&json!({"id": 7001, "emailPreferences": {"marketingOptin": 1}}))
        .invalid("emailPreferences.marketingOptin must be true or false");
    shared(&json!({"id": 7001, "smsPreferences": {"serviceOptin": "maybe"}}))
        .invalid("smsPreferences.serviceOptin must be true or false");
}

#[test]
fn sms_preferences_require_text_categorisation() {
    let message = "Text Communication categorisation is not enabled please use smsOptin flag";
    let flags = json!({"smsPreferences": {"marketingOptin": true}});
    shared(&changed(new("sms@x.test"), flags.clone())).refused(400, 20099, message);
    shared(&json!({"id": 7001, "smsPreferences": {}})).refused(400, 20099, message);
    shared(&json!({"id": 7002, "smsPreferences": null})).ok();
    let body = changed(json!({"email": "sms@second.test", "businessIds": [1101]}), flags);
    client().contact(110).json(&body).send().ok();
    let stored = stored(server());
    let stored = stored.iter().find(|contact| contact["email"] == "sms@second.test").unwrap();
    assert_eq!(stored["smsPreferences"], json!({"marketingOptin": true}));
}

#[test]
fn fields_are_checked_in_the_documented_order_and_rules_across_fields_last() {
    let mut body = json!({
        "id": 1, "firstName": 1, "lastName": 1, "email": "x", "phone": 1, "countryCode": "XX", "smsOptin": 1,
        "blocked": 1, "businessIds": [999], "tags": 1, "customFields": 1, "externalId": 1,
        "emailPreferences": 1, "smsPreferences": {},
    });
    for (name, code, message) in [
        ("id", 5043, "Contact not found for the given request"),
        ("firstName", 2003, "firstName must be a string"),
        ("lastName", 2003, "lastName must be a string"),
        ("email", 2003, "email must be an email address"),
        ("phone", 2003, "phone must be a string"),
        ("countryCode", 2003, "countryCode must be one of US, AU, CA, MX, PR, VI"),
        ("smsOptin", 2003, "smsOptin must be true or false"),
        ("blocked", 2003, "blocked must be true or false"),
        ("businessIds", 1532, "Business id is missing or invalid."),
        ("tags", 2003, "tags must be a list of strings"),
        ("customFields", 2003, "customFields must be a list of objects"),
        ("externalId", 2003, "externalId must be a string"),
        ("emailPreferences", 2003, "emailPreferences must be an object"),
        (
            "smsPreferences",
            20099,
            "Text Communication categorisation is not enabled please use smsOptin flag",
        ),
    ] {
        shared(&body).refused(if code == 1532 { 404 } else { 400 }, code, message);
        body.as_object_mut().unwrap().remove(name);
    }
    shared(&body).invalid("email or phone is mandatory");
}

#[test]
fn the_enterprise_must_be_covered_by_the_key_and_not_be_a_reseller() {
    let of = |key: &str, number: &str| {
        client().contact(number).key(key).json(&json!({"externalId": "CRM-2"})).send()
    };
    for (key, number) in [
        ("all", ""),
        ("all", "x"),
        ("all", "-100"),
        ("all", "999"),
        ("all", "1001"),
        ("all", "50"),
        ("reseller", "50"),
        ("first", "110"),
        ("foreign", "100"),
    ] {
        of(key, number).refused(404, 1532, "Business id is missing or invalid.");
    }
    of("reseller", "100").ok();
    of("first", "100").ok();
    let answer = client().contact(100).without("x-business-number").json(&json!({"id": 7001})).send();
    answer.refused(404, 1532, "Business id is missing or invalid.");
}

#[test]
fn an_empty_body_is_5008() {
    for empty in ["", " \r\n ", "\u{feff}"] {
        let answer = client().contact(100).bytes(empty).send();
        answer.refused(400, 5008, "RequestBody not found");
    }
}

#[test]
fn contacts_belong_to_one_enterprise() {
    let answer = client().contact(110).json(&json!({"id": 7001})).send();
    answer.refused(400, 5043, "Contact not found for the given request");
    let second = client()
        .contact(110)
        .json(&json!({"externalId": "CRM-1", "email": "own@second.test", "businessIds": [1101]}));
    assert_ne!(id(second.send()), 7001);
}

#[test]
fn a_refused_call_changes_nothing() {
    let (server, client) = fresh();
    let before = stored(&server);
    save(&client, &json!({"id": 7001, "firstName": "No", "smsPreferences": {}})).refused(
        400,
        20099,
        "Text Communication categorisation is not enabled please use smsOptin flag",
    );
    save(&client, &json!({"id": 7003, "firstName": "No"})).invalid("email or phone is mandatory");
    assert_eq!(stored(&server), before);
}

#[test]
fn a_new_id_depends_only_on_seed_enterprise_and_identity() {
    let (_one, one) = fresh();
    let (_two, two) = fresh();
    save(&two, &new("before@x.test")).ok();
    let ids = |client: &Client| -> Vec<u64> {
        let bodies = [
            json!({"externalId": "E", "email": "e@x.test", "businessIds": [1001]}),
            new("f@x.test"),
            json!({"phone": "2125550123", "businessIds": [1001]}),
        ];
        bodies.iter().map(|body| id(save(client, body))).collect()
    };
    let first = ids(&one);
    assert_eq!(first, ids(&two));
    assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), 3);
}

#[test]
fn concurrent_upserts_of_one_new_identity_create_one_contact() {
    let (server, client) = fresh();
    let start = Barrier::new(16);
    let ids: BTreeSet<u64> = thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|at| {
                let (client, start) = (client.clone(), &start);
                scope.spawn(move || {
                    start.wait();
                    let body = changed(new("RACE@x.test"), json!({"firstName": format!("F{at}")}));
                    id(save(&client, &body))
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(ids.len(), 1);
    assert_eq!(stored(&server).len(), 4);
}
