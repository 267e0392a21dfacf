//! Whether the client tried again as often as expected. Tries are counted up to the first success.

use crate::expect::call::Call;
use crate::expect::expectation::CountRange;
use crate::expect::report::{Member, Nearest};
use crate::expect::verify::Outcome;
use crate::expect::verify::chain::{Struck, StruckChain};
use crate::expect::verify::text;
use crate::expect::words;

pub(super) fn verify(struck: &Struck<'_>, count: CountRange) -> Outcome {
    let tries = |chain: &StruckChain<'_>| chain.tries.retries() as u64;
    let mut failed = struck.chains.iter().filter(|chain| !count.contains(tries(chain)));
    let Some(chain) = failed.next() else {
        let least = struck.chains.iter().map(tries).min().unwrap_or_default();
        let most = struck.chains.iter().map(tries).max().unwrap_or_default();
        let range = CountRange { min: least, max: Some(most) };
        let unit = if most == 1 { "retry" } else { "retries" };
        return Outcome::pass(format!(
            "{range} {unit} after {}",
            words::count(struck.calls.len(), "such answer")
        ));
    };
    let retries: Vec<&Call> = chain.tries.links.iter().skip(1).map(|link| link.call).collect();
    let times = match retries.len() {
        0 => "did not try again".to_owned(),
        1 => format!("tried again once ({})", text::calls(&retries)),
        times => format!("tried again {times} times ({})", text::calls(&retries)),
    };
    let more = match failed.count() {
        0 => String::new(),
        more => format!(" ({more} more like this)"),
    };
    let answer = text::answer(&struck.after.answer, chain.first);
    let message = format!("after {answer}, the client {times}; expected: {count}{more}");
    let member = Member {
        member: "retries".to_owned(),
        expected: count.to_string().into(),
        received: retries.len().to_string().into(),
        agrees: false,
    };
    Outcome::fail(message, Some(Nearest { call: chain.first.seq, members: vec![member] }))
}
