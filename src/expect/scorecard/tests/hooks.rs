//! Rules on receiving webhooks.

use serde_json::json;

use super::script::{Script, client};
use super::{Case, case, rule};
use crate::expect::report::Verdict::{Fail, NotExercised, Pass, Warn};
use crate::webhook::event::UNKNOWN;
use crate::webhook::settings::DeliveryEffect;

pub(super) fn cases() -> Vec<Case> {
    let hook = || client().delivery("message.added", "c");
    let forged =
        |status: u16| hook().attempt(0, 5, status).signed(0).attempt_fault(DeliveryEffect::BadSignature);
    let old = |age: i64, status: u16| hook().attempt(0, 5, status).signed(age);
    let twice = |status: u16| hook().attempt(0, 5, 200).attempt(5, 5, status);
    let unknown = |status: u16| client().delivery(UNKNOWN, "c").attempt(0, 5, status);
    vec![
        case("hook-acknowledged", NotExercised, "no delivery was acknowledged", hook().attempt(0, 5, 500)),
        case(
            "hook-acknowledged",
            Pass,
            "95 of 100 acknowledgements took at most 1 s",
            hook().attempt(0, 1_000, 200),
        ),
        case("hook-acknowledged", Warn, "took at most 1.5 s", hook().attempt(0, 1_500, 200)),
        case("hook-acknowledged", Fail, "took at most 16 s", hook().attempt(0, 16_000, 200)),
        case(
            "hook-acknowledged",
            Warn,
            "took at most 5 s",
            hook().attempt(0, 5_000, 200).failed("no answer within 5s"),
        ),
        case("hook-signature", NotExercised, "no delivery", old(299, 200)),
        case("hook-signature", Pass, "1 attempt", forged(401)),
        case(
            "hook-signature",
            Warn,
            "attempt 1 of delivery dlv_1 had a wrong signature and was answered 500",
            forged(500),
        ),
        case("hook-signature", Fail, "had a wrong signature and was answered 204", forged(204)),
        case("hook-signature", Pass, "1 attempt", old(301, 400)),
        case("hook-signature", Fail, "had a timestamp 301 s old and was answered 200", old(301, 200)),
        case(
            "hook-twice",
            NotExercised,
            "no delivery came twice",
            hook().attempt(0, 5, 500).attempt(1_000, 5, 200),
        ),
        case("hook-twice", Pass, "1 delivery twice", twice(200)),
        case(
            "hook-twice",
            Fail,
            "came twice with the id evt_1 and was answered 409 the second time",
            twice(409),
        ),
        case("hook-twice", Pass, "1 delivery twice", caused(twice(200), 1)),
        case(
            "hook-twice",
            Fail,
            "delivery dlv_1 came twice with the id evt_1, and calls 1 and 2 are alike",
            caused(twice(200), 2),
        ),
        case("hook-out-of-order", NotExercised, "no delivery came out of order", order(0, 10, 200)),
        case("hook-out-of-order", Pass, "2 deliveries came out of order", order(10, 0, 200)),
        case("hook-out-of-order", Warn, "was answered 404", order(10, 0, 404)),
        case(
            "hook-out-of-order",
            Fail,
            "delivery dlv_2 came out of order and was answered 500",
            order(10, 0, 500),
        ),
        case("hook-unknown-event", NotExercised, "no delivery", hook().attempt(0, 5, 500)),
        case("hook-unknown-event", Pass, "1 delivery had an event", unknown(204)),
        case("hook-unknown-event", Warn, "was answered 400", unknown(400)),
        case(
            "hook-unknown-event",
            Fail,
            "delivery dlv_1 had an event that nobody subscribed to and was answered 500",
            unknown(500),
        ),
    ]
}

/// So many calls alike, after the deliveries.
fn caused(script: Script, calls: u64) -> Script {
    (0..calls).fold(script, |script, call| script.call("contact").at(20 + call * 30).answered(1, 200))
}

/// Two deliveries of a conversation at these times; the second is answered so.
fn order(first: u64, second: u64, status: u16) -> Script {
    let script = client().delivery("message.added", "c").attempt(first, 5, 200);
    script.delivery("message.added", "c").attempt(second, 5, status)
}

#[test]
fn calls_that_were_made_before_or_that_another_delivery_explains_are_not_doubled_unless_they_name_the_event()
{
    let twice = || client().delivery("message.added", "c").attempt(1_000, 5, 200).attempt(1_005, 5, 200);
    let polled = (0..5).fold(twice(), |script, turn| script.call("contact").at(turn * 500).answered(1, 200));
    assert_eq!(rule(&polled, "hook-twice").verdict, Pass, "a call that is made all the time");
    let two = twice().delivery("message.added", "d").attempt(1_010, 5, 200);
    let two = two.call("contact").at(1_020).answered(1, 200).call("contact").at(1_050).answered(1, 200);
    assert_eq!(rule(&two, "hook-twice").verdict, Pass, "two deliveries, two calls");
    let named = |script: Script, event: &str| {
        (0..2).fold(script, |script, turn| {
            let contact = script.call("contact").body(json!({"firstName": event}));
            contact.at(1_020 + turn * 30).answered(1, 200)
        })
    };
    let two = || twice().delivery("message.added", "d").attempt(1_010, 5, 200);
    assert_eq!(rule(&named(two(), "evt_9"), "hook-twice").verdict, Pass, "they name neither event");
    assert_eq!(
        rule(&named(two(), "evt_1"), "hook-twice").verdict,
        Fail,
        "they name the event that came twice"
    );
    let late = twice().call("contact").at(1_020).answered(1, 200).call("contact").at(9_000).answered(1, 200);
    assert_eq!(rule(&late, "hook-twice").verdict, Pass, "long after");
}

#[test]
fn a_receiver_may_refuse_a_late_delivery_with_a_wrong_signature() {
    let script = order(10, 0, 401).attempt_fault(DeliveryEffect::BadSignature);
    assert_eq!(rule(&script, "hook-out-of-order").verdict, Pass);
}
