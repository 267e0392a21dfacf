//! lost-contact, lost-subscription.

use serde_json::{Value, json};

use super::script::{Script, client};
use super::{Case, case, rule};
use crate::expect::report::Verdict::{Fail, NotExercised, Pass};
use crate::fault::effect::Kind;

pub(super) fn cases() -> Vec<Case> {
    let stored = || client().call("contact a").at(0).answered(1, 200).answer(json!({"id": 7}));
    vec![
        case("lost-contact", NotExercised, "no answer to a contact was lost", stored()),
        case("lost-contact", Pass, "1 answer to a contact was lost", lost_contact("a@x.test", 7)),
        case(
            "lost-contact",
            Fail,
            "call 1 stored contact 7 and its answer was lost; call 2, 500 ms later",
            lost_contact("b@x.test", 8),
        ),
        case("lost-subscription", NotExercised, "no answer to a subscription was lost", stored()),
        case("lost-subscription", Pass, "1 answer", lost_subscription()),
        case(
            "lost-subscription",
            Fail,
            "made subscription 1 and its answer was lost; call 2, 500 ms later, made subscription 2",
            {
                lost_subscription()
                    .call("subscribe")
                    .body(hook("http://a.test"))
                    .at(501)
                    .answered(1, 200)
                    .answer(json!({"subscriptionId": 2}))
            },
        ),
    ]
}

fn ann(email: &str) -> Value {
    json!({"firstName": "Ann", "email": email, "businessIds": [1001]})
}

/// A contact whose answer is lost, and another upsert that stores the contact of that id.
fn lost_contact(email: &str, id: u64) -> Script {
    let lost = client().call("contact a@x.test").at(0).body(ann("a@x.test")).struck(1, Kind::Lost);
    let lost = lost.answer(json!({"id": 7}));
    lost.call(&format!("contact {email}")).at(501).body(ann(email)).answered(1, 200).answer(json!({"id": id}))
}

fn hook(endpoint: &str) -> Value {
    json!({"businessNumber": "100", "apiKey": "k", "events": ["message.added", "conversation.created"], "endpoint": endpoint})
}

fn lost_subscription() -> Script {
    let lost = client().call("subscribe").at(0).body(hook("http://a.test")).struck(1, Kind::Lost);
    lost.answer(json!({"subscriptionId": 1}))
}

#[test]
fn another_person_is_no_second_contact() {
    let other = |body: Value| {
        let script = client().call("contact a").at(0).body(ann("a@x.test")).struck(1, Kind::Lost);
        let script = script.answer(json!({"id": 7}));
        script.call("contact b").at(501).body(body).answered(1, 200).answer(json!({"id": 8}))
    };
    let verdict = |script: Script| rule(&script, "lost-contact").verdict;
    assert_eq!(verdict(other(ann("b@x.test"))), Fail);
    assert_eq!(verdict(other(json!({"firstName": "Bob", "email": "b@x.test", "businessIds": [1001]}))), Pass);
    // Of the same import, with nothing but addresses.
    let bare = |email: &str| json!({"email": email, "businessIds": [1001], "smsOptin": true});
    let import = client()
        .call("contact a")
        .at(0)
        .body(bare("a@x.test"))
        .struck(1, Kind::Lost)
        .answer(json!({"id": 7}));
    let import =
        import.call("contact b").at(501).body(bare("b@x.test")).answered(1, 200).answer(json!({"id": 8}));
    assert_eq!(verdict(import), Pass);
    // The lost one was repeated, so that the next is another.
    let healed = lost_contact("a@x.test", 7)
        .call("contact c")
        .at(900)
        .body(ann("c@x.test"))
        .answered(1, 200)
        .answer(json!({"id": 9}));
    assert_eq!(verdict(healed), Pass);
}

#[test]
fn a_subscription_that_the_http_stack_repeats_is_not_judged() {
    let script =
        lost_subscription().call("subscribe").on(2).at(3).body(hook("http://a.test")).answered(1, 200);
    let script = script.answer(json!({"subscriptionId": 2}));
    assert_eq!(rule(&script, "lost-subscription").verdict, Pass);
    let elsewhere =
        lost_subscription().call("subscribe b").at(501).body(hook("http://b.test")).answered(1, 200);
    assert_eq!(rule(&elsewhere.answer(json!({"subscriptionId": 2})), "lost-subscription").verdict, Pass);
}
