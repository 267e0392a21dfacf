//! gives-up-waiting, notices-broken-body, pages-whole, same-read.

use super::script::{Script, client};
use super::{Case, case, messages, rule};
use crate::expect::report::Verdict::{Fail, NotExercised, Pass, Warn};
use crate::fault::effect::Kind;

pub(super) fn cases() -> Vec<Case> {
    let stall = |waited: u64| client().call("reviews").hung_up(waited).struck(0, Kind::Stall);
    let cut = || client().call("reviews").at(0).answered(1, 200).struck(1, Kind::Truncate);
    let malformed = || client().call("reviews").at(0).answered(1, 200).struck(1, Kind::Malformed);
    let read = |at: u64| client().call("qna").at(0).answered(1, 200).call("qna").at(at).answered(1, 200);
    vec![
        case(
            "gives-up-waiting",
            NotExercised,
            "no call was left",
            client().call("reviews").struck(10_000, Kind::Stall),
        ),
        case("gives-up-waiting", NotExercised, "no call", stall(10_000).timed_out()),
        case("gives-up-waiting", Pass, "1 call got no answer", stall(1_000)),
        case("gives-up-waiting", Pass, "1 call", stall(30_000)),
        case("gives-up-waiting", Warn, "call 1 hung up already after 500 ms", stall(500)),
        case("gives-up-waiting", Warn, "call 1 hung up only after 45 s", stall(45_000)),
        case("gives-up-waiting", Fail, "call 1 waited for 61 s", stall(61_000)),
        case(
            "gives-up-waiting",
            Fail,
            "call 1 waited for 90 s",
            client().call("reviews").struck(90_000, Kind::Stall),
        ),
        case("notices-broken-body", NotExercised, "no body was cut", cut()),
        case("notices-broken-body", Pass, "1 body", cut().exit(1)),
        case("notices-broken-body", Pass, "1 body", cut().call("reviews").at(200).answered(1, 200).exit(0)),
        case(
            "notices-broken-body",
            Fail,
            "call 1 got a cut body and was not sent again, and the command ended with 0",
            cut().exit(0),
        ),
        case("notices-broken-body", Fail, "call 1 got a body that is no JSON", malformed().exit(0)),
        case("pages-whole", NotExercised, "no list", pages(&[(0, 10)])),
        case("pages-whole", Pass, "1 list read in pages", pages(&[(0, 10), (10, 10), (20, 4)])),
        case("pages-whole", Pass, "1 list", pages(&[(0, 10), (10, 10), (20, 0)])),
        case(
            "pages-whole",
            Warn,
            "call 2 read records 8 to 9 again, which call 1 had read",
            pages(&[(0, 10), (8, 10)]),
        ),
        case(
            "pages-whole",
            Warn,
            "calls 2 and 3 asked for pages behind the end",
            pages(&[(0, 10), (10, 0), (20, 0)]),
        ),
        case(
            "pages-whole",
            Fail,
            "records 10 to 19 were never read, and call 2 read on behind them",
            pages(&[(0, 10), (20, 10)]),
        ),
        case("pages-whole", Fail, "records 0 to 9 were never read", pages(&[(10, 10), (20, 10)])),
        case(
            "pages-whole",
            Fail,
            "record 10 was never read, and call 2 read on behind it",
            pages(&[(0, 10), (11, 10)]),
        ),
        case(
            "pages-whole",
            Fail,
            "call 3 asked for the records from 20 on and got a 503, nothing read them",
            unread(20).exit(0),
        ),
        case("pages-whole", Pass, "1 list", unread(20).exit(1)),
        case("pages-whole", Pass, "1 list", unread(20)),
        case("same-read", NotExercised, "no read", client().call("contact").answered(1, 200)),
        case("same-read", Pass, "2 reads answered", read(5_001)),
        case("same-read", Warn, "call 2 got the same answer as call 1, 5 s after it", read(5_000)),
    ]
}

fn page(script: Script, at: u64, start: u64, received: u64) -> Script {
    script.call(&format!("reviews {start}")).at(at).page(start, 10, received).answered(1, 200)
}

/// Pages of ten, by start and number of records received.
fn pages(pages: &[(u64, u64)]) -> Script {
    let pages = pages.iter().zip(0..);
    pages.fold(client(), |script, ((start, received), turn)| page(script, turn * 100, *start, *received))
}

/// Two pages that are read, and a third that is struck.
fn unread(start: u64) -> Script {
    let read = page(page(client(), 0, 0, 10), 100, 10, 10);
    read.call(&format!("reviews {start}")).at(200).page(start, 10, 0).answered(1, 503).struck(1, Kind::Status)
}

#[test]
fn a_page_that_failed_and_was_read_again_is_no_hole() {
    let script = page(client(), 0, 0, 10).call("reviews 10").at(100).page(10, 10, 0).answered(1, 503);
    let script = page(page(script.struck(1, Kind::Status), 700, 10, 10), 800, 20, 3);
    assert_eq!(rule(&script, "pages-whole").verdict, Pass);
}

#[test]
fn a_page_that_failed_and_was_left_out_is_a_hole() {
    let script = page(client(), 0, 0, 10).call("reviews 10").at(100).page(10, 10, 0).answered(1, 503);
    let script = page(script.struck(1, Kind::Status), 700, 20, 10);
    let report = rule(&script, "pages-whole");
    assert_eq!(
        messages(&report.findings),
        ["records 10 to 19 were never read (call 2 got a 503), and call 3 read on behind them"]
    );
    assert_eq!(report.findings[0].calls, [2, 3]);
}

#[test]
fn the_end_of_the_window_is_no_failure_and_neither_is_a_page_behind_the_end() {
    let refused = page(page(client(), 0, 0, 10), 100, 10, 10);
    let refused = refused.call("reviews 20").at(200).page(20, 10, 0).answered(1, 400).code(1163).exit(0);
    assert_eq!(rule(&refused, "pages-whole").verdict, Pass, "1163 says that there is no more to get");
    let behind = page(page(client(), 0, 0, 10), 100, 10, 3);
    let behind = behind.call("reviews 20").at(200).page(20, 10, 0).answered(1, 503).struck(1, Kind::Status);
    assert_eq!(rule(&behind.exit(0), "pages-whole").verdict, Pass, "the list had ended");
}

#[test]
fn the_same_pages_may_be_read_again() {
    let script = pages(&[(0, 10), (10, 3)]);
    let script = page(page(script, 60_000, 0, 10), 60_100, 10, 3);
    assert_eq!(rule(&script, "pages-whole").verdict, Pass);
}
