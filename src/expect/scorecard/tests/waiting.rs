//! retry-after, backs-off, grows, jitter.

use super::script::{Script, client};
use super::{Case, case, messages, rule};
use crate::draw::{Draw, Seed};
use crate::expect::chain::Chains;
use crate::expect::report::Verdict::{self, Fail, NotExercised, Pass, Warn};
use crate::fault::effect::Kind;

pub(super) fn cases() -> Vec<Case> {
    let asked = |gap: u64| {
        let first = client().call("reviews").at(0).answered(3, 429).code(89).asks(2).struck(3, Kind::Error);
        first.call("reviews").at(3 + gap).answered(3, 200)
    };
    let of_key =
        |gap: u64| client().call("reviews a").at(0).limited(2).call("qna b").at(1 + gap).answered(3, 200);
    let once = |status: u16, gap: u64| {
        client().call("reviews").at(0).answered(3, status).call("reviews").at(3 + gap).answered(3, 200)
    };
    vec![
        case("retry-after", NotExercised, "no answer asked", client().call("reviews").answered(3, 200)),
        case("retry-after", Pass, "1 answer asked to wait", asked(2_000)),
        case("retry-after", Pass, "1 answer", asked(1_985)),
        case("retry-after", Pass, "1 answer", asked(16_000)),
        case("retry-after", Warn, "call 2 came 16.1 s after an 89 that asked for 2 s", asked(16_100)),
        case("retry-after", Fail, "call 2 came 212 ms after an 89 that asked for 2 s", asked(212)),
        case("retry-after", Pass, "1 answer", of_key(2_000)),
        case("retry-after", Fail, "call 2 came 212 ms after an 89 that asked for 2 s", of_key(212)),
        // The world's clock was advanced.
        case("retry-after", Pass, "1 answer", asked(30).in_world(2_010)),
        case("backs-off", NotExercised, "no call was sent again", client().call("reviews").answered(3, 503)),
        case("backs-off", Pass, "1 wait", once(503, 50)),
        case("backs-off", Pass, "1 wait", once(503, 31)),
        case("backs-off", Warn, "is 20 ms; call 2 came 20 ms after a 503", once(503, 20)),
        case("backs-off", Pass, "1 wait", once(429, 500)),
        case("backs-off", Warn, "after a 429 is 400 ms", once(429, 400)),
        case("backs-off", Warn, "is 1 ms", once(503, 1)),
        case(
            "backs-off",
            Fail,
            "the median of 2 waits after a 5xx or a broken connection is 1.5 ms",
            gaps("reviews", 0, &[1, 2], 503),
        ),
        case("backs-off", Fail, "the median of 2 waits", gaps("reviews", 0, &[9, 9], 500)),
        // A first retry at once, and longer waits from then on.
        case("backs-off", Pass, "1 wait without a hint", gaps("reviews", 0, &[1, 200], 503)),
        case("backs-off", Pass, "1 wait", {
            let lost = client().call("reviews").at(0).struck(3, Kind::Reset);
            lost.call("reviews").at(203).answered(3, 200)
        }),
        case("grows", NotExercised, "7 chains", lenient(many(7, &[100, 100, 100]))),
        case(
            "grows",
            Pass,
            "over 8 chains the median of the first waits is 100 ms, of the last waits 400 ms",
            lenient(many(8, &[100, 200, 400])),
        ),
        case("grows", Fail, "the waits do not grow: over 8 chains", lenient(many(8, &[100, 100, 119]))),
        case("jitter", NotExercised, "no 8 chains", together(7, 0)),
        case("jitter", Pass, "groups of 8 chains", together(8, 25)),
        case(
            "jitter",
            Warn,
            "8 chains failed within 7 ms, and the first retries of 8 of them came within 20 ms",
            together(8, 0),
        ),
    ]
}

/// One request that fails and is tried again after each of these waits. The last try succeeds.
fn gaps(what: &str, from: u64, waits: &[u64], status: u16) -> Script {
    add(client(), what, (from, 1), waits, status)
}

fn add(mut script: Script, what: &str, (from, connection): (u64, u64), waits: &[u64], status: u16) -> Script {
    let mut at = from;
    for wait in waits {
        script = script.call(what).at(at).on(connection).answered(1, status);
        at += 1 + wait;
    }
    script.call(what).at(at).on(connection).answered(1, 200)
}

/// Requests with these waits, one after the other.
fn many(chains: u64, waits: &[u64]) -> Script {
    (0..chains).fold(client(), |script, chain| {
        add(script, &format!("reviews {chain}"), (chain * 10_000, 1), waits, 503)
    })
}

/// Without the rules that judge the number of attempts.
fn lenient(script: Script) -> Script {
    script.off("attempts").off("retry-budget")
}

/// Requests that fail a millisecond apart, of which each is tried again after 100 ms and so much more than the one before.
fn together(chains: u64, apart: u64) -> Script {
    (0..chains).fold(client(), |script, chain| {
        add(script, &format!("reviews {chain}"), (chain, chain), &[100 + chain * apart], 503)
    })
}

#[test]
fn calls_of_a_key_that_were_on_their_way_when_it_was_refused_are_not_judged() {
    let refused = || client().call("reviews a").at(10).limited(2);
    let on_its_way = refused().call("reviews b").on(2).at(20).limited(2);
    assert_eq!(rule(&on_its_way, "retry-after").verdict, Pass, "20 ms later, on another connection");
    let late = refused().call("reviews b").on(2).at(100).limited(2);
    assert_eq!(rule(&late, "retry-after").verdict, Fail);
    let same = refused().call("reviews b").at(20).limited(2);
    assert_eq!(rule(&same, "retry-after").verdict, Fail, "on the same connection");
}

#[test]
fn an_injected_89_holds_back_its_own_request_alone() {
    let script = client().call("reviews a").at(0).answered(1, 429).code(89).asks(2).struck(1, Kind::Error);
    let script =
        script.call("reviews b").at(100).answered(1, 200).call("reviews a").at(2_100).answered(1, 200);
    assert_eq!(rule(&script, "retry-after").verdict, Pass);
}

#[test]
fn a_wait_is_kept_by_the_world_clock_that_is_frozen_or_advanced() {
    let script = |first: u64, second: u64| {
        let script = client().call("reviews").at(1_000).in_world(first).answered(500, 503).asks(30);
        script.call("reviews").at(1_600).in_world(second).answered(1, 200)
    };
    assert_eq!(rule(&script(0, 30_000), "retry-after").verdict, Pass, "frozen, and advanced by 30 s");
    assert_eq!(rule(&script(1_000, 31_600), "retry-after").verdict, Pass, "running, and advanced by 30 s");
    assert_eq!(rule(&script(0, 0), "retry-after").verdict, Fail, "frozen");
    assert_eq!(
        messages(&rule(&script(1_000, 1_600), "retry-after").findings),
        ["call 2 came 100 ms after a 503 that asked for 30 s"],
        "running with real time: the time of the answer does not count"
    );
}

#[test]
fn one_immediate_retry_of_each_request_warns_and_two_fail() {
    let single = (0..5).fold(client(), |script, chain| {
        add(script, &format!("reviews {chain}"), (chain * 100, 1), &[1], 503)
    });
    assert_eq!(rule(&single, "backs-off").verdict, Warn);
    let double = (0..5).fold(client(), |script, chain| {
        add(script, &format!("reviews {chain}"), (chain * 100, 1), &[1, 1], 503)
    });
    assert_eq!(rule(&double, "backs-off").verdict, Fail);
}

#[test]
fn chains_that_were_told_how_long_to_wait_need_not_grow() {
    let script = (0..8).fold(client(), |mut script, chain| {
        for attempt in 0..4 {
            let at = chain * 10_000 + attempt * 1_001;
            script = script.call(&format!("reviews {chain}")).at(at).answered(1, 503).asks(1);
        }
        script
    });
    assert_eq!(rule(&script, "grows").verdict, NotExercised);
}

#[test]
fn the_repetition_of_an_http_stack_is_not_judged() {
    // A kept connection is reset, the stack repeats the call on a new one, and then the client itself waits.
    let script = client().call("reviews").on(1).at(0).struck(1, Kind::Reset);
    let script = script.call("reviews").on(2).at(3).struck(1, Kind::Reset);
    let script = script.call("reviews").on(3).at(300).struck(1, Kind::Reset);
    let script = script.call("reviews").on(4).at(900).answered(1, 200);
    for report in super::rules(&script) {
        assert!(report.verdict <= Pass, "{}: {:?}", report.id, messages(&report.findings));
    }
    assert_eq!(rule(&script, "attempts").message, "1 request failed; at most 3 attempts were made");
    assert_eq!(Chains::new(&script.record().calls).transport_retries(), 1);
}

#[test]
fn only_one_repetition_of_a_chain_is_that_of_the_http_stack() {
    let script = (0..6)
        .fold(client(), |script, turn| script.call("reviews").on(turn).at(turn * 2).struck(1, Kind::Close));
    let record = script.record();
    let chains = Chains::new(&record.calls);
    assert_eq!((chains.all[0].links.len(), chains.transport_retries()), (5, 1));
    assert_eq!(rule(&script, "backs-off").verdict, Fail, "the others are a loop without a wait");
}

#[test]
fn a_second_call_is_the_clients_own_if_it_is_later_or_on_the_same_connection_or_after_an_answer() {
    let count = |script: Script| Chains::new(&script.record().calls).transport_retries();
    let reset = || client().call("reviews").at(0).struck(1, Kind::Reset).call("reviews");
    assert_eq!(count(reset().on(2).at(6).answered(1, 200)), 1);
    assert_eq!(count(reset().on(2).at(7).answered(1, 200)), 0, "6 ms later");
    assert_eq!(count(reset().at(2).answered(1, 200)), 0, "the same connection");
    let failed = client().call("reviews").at(0).answered(1, 503);
    assert_eq!(count(failed.call("reviews").on(2).at(2).answered(1, 200)), 0, "an answer");
}

#[test]
fn calls_at_the_same_time_are_no_retries_of_each_other() {
    let script =
        (0..8).fold(client(), |script, turn| script.call("reviews").on(turn).at(turn).answered(50, 503));
    let script = (0..8)
        .fold(script, |script, turn| script.call("reviews").on(turn).at(200 + turn * 40).answered(1, 200));
    let record = script.record();
    let chains = Chains::new(&record.calls);
    assert_eq!(chains.all.iter().map(|chain| chain.links.len()).collect::<Vec<_>>(), [2; 8]);
    assert_eq!(rule(&script, "attempts").verdict, Pass);
}

#[test]
fn requests_one_after_the_other_do_not_come_back_together() {
    let in_turn = (0..8).fold(client(), |script, turn| {
        let failed = script.call(&format!("reviews {turn}")).at(turn * 2).answered(1, 503);
        failed.call(&format!("reviews {turn}")).at(turn * 2 + 1).answered(1, 200)
    });
    assert_eq!(rule(&in_turn, "jitter").verdict, NotExercised);
}

/// A client with full jitter: 8 requests that fail together, each wait a random part of a maximum that doubles.
fn full_jitter(run: u64, base: u64, attempts: u64) -> Script {
    let mut draw = Draw::new(Seed(run), "full jitter").with(base).with(attempts);
    let micros = |millis: u64| millis * 1000;
    (0..8).fold(client(), |mut script, chain| {
        let mut at = draw.below(10);
        for attempt in 0..attempts {
            let status = if attempt + 1 < attempts { 503 } else { 200 };
            script = script.call(&format!("reviews {chain}")).on(chain).at(at).answered(1, status);
            at += 1 + draw.below(micros(base) << attempt) / 1000;
        }
        script
    })
}

#[test]
fn a_client_with_full_jitter_hardly_ever_raises_an_alarm() {
    for (base, attempts) in [(100, 4), (100, 5), (200, 4), (1000, 6)] {
        let mut alarms = 0;
        for run in 0..200 {
            let script = full_jitter(run, base, attempts);
            let raised = |id| rule(&script, id).verdict > Verdict::Pass;
            alarms += u32::from(raised("grows") || raised("jitter"));
            assert!(!raised("backs-off"));
        }
        assert!(alarms < 2, "{alarms} of 200 runs with {base} ms and {attempts} attempts");
    }
}
