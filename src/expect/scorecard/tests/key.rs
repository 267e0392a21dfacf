//! own-pace, key-in-header.

use super::script::{Script, client};
use super::{Case, case};
use crate::expect::report::Verdict::{Fail, NotExercised, Pass, Warn};

pub(super) fn cases() -> Vec<Case> {
    let read = || client().call("reviews").answered(1, 200);
    vec![
        case("own-pace", NotExercised, "no key came to its rate limit", read().rate_limit(5, 10_000)),
        case("own-pace", Pass, "key:demo came to its rate limit", windows(3, 5, &[])),
        case("own-pace", Pass, "key:demo", windows(3, 5, &[1])),
        case("own-pace", Pass, "key:demo", windows(3, 5, &[1, 2])),
        case(
            "own-pace",
            Warn,
            "2 of 32 calls of key:demo met its limit of 10 per 10 s (6.3%); calls 11 and 12 met it",
            windows(3, 10, &[1, 1]),
        ),
        case("own-pace", Fail, "2 of 17 calls of key:demo met its limit", windows(3, 5, &[1, 1])),
        case(
            "key-in-header",
            NotExercised,
            "no call had an API key",
            client().call("subscribe").answered(1, 200),
        ),
        case("key-in-header", Pass, "1 call with a key", read()),
        case("key-in-header", Fail, "call 1 sent the key in the query", read().key_in_query()),
    ]
    .into_iter()
    .map(
        |case| {
            if case.rule == "own-pace" {
                Case { script: case.script.off("retry-after"), ..case }
            } else {
                case
            }
        },
    )
    .collect()
}

/// Windows of ten seconds in which so many calls pass, and in the first of them refused ones, each on that connection.
fn windows(windows: u64, limit: u32, refused: &[u64]) -> Script {
    let mut script = client().rate_limit(limit, 10_000);
    for window in 0..windows {
        for call in 0..u64::from(limit) {
            script = script
                .call(&format!("reviews {window} {call}"))
                .at(window * 10_000 + call * 100)
                .answered(1, 200);
        }
        if window == 0 {
            for (connection, turn) in refused.iter().zip(0..) {
                script =
                    script.call(&format!("qna {turn}")).on(*connection).at(5_000 + turn * 100).limited(5);
            }
        }
    }
    script
}
