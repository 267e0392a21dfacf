//! Readers for days and instants, fixed or relative to the start of the scenario's clock.

use serde_json::{Map, Value as Json, json};

use crate::clock::Moment;
use crate::dataset::when::{GivenDay, GivenMoment};
use crate::scenario::diagnostic::Findings;
use crate::scenario::node::Node;
use crate::scenario::read::Read;
use crate::scenario::report::must_be;

/// The instant at which a clock starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockStart {
    /// `now`: the instant at which the scenario is loaded.
    Now,
    At(Moment),
}

/// The pattern of a calendar day.
pub(crate) const DAY: &str = "[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}";
/// The pattern of a relative day.
pub(crate) const RELATIVE_DAY: &str = "today|-[0-9]{1,6}(d|w|mo|y)";

/// The pattern of an instant, or of a calendar day that stands for its midnight.
fn instant() -> String {
    let day = "(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}";
    let time = "[0-9]{2}(:?[0-9]{2}(:?[0-9]{2}([.,][0-9]{1,9})?)?)?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)";
    format!("{day}([Tt ]{time})?|[0-9]{{1,2}}/[0-9]{{1,2}}/(?!0000)[0-9]{{4}}")
}

impl Read for GivenDay {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let day = node.scalar().and_then(|scalar| Self::from_scenario(&scalar.text));
        if day.is_none() {
            must_be(findings, node, "a calendar day: `2026-06-30` or `06/30/2026`");
            findings.help_last(
                "or a day relative to the clock's start: `today`, `-2d`, `-3w`, `-6mo` or `-1y`, at most a thousand years before it",
            );
        }
        day
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "string", "pattern": format!("^({DAY}|{RELATIVE_DAY})$") })
    }
}

impl Read for GivenMoment {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let moment = node.scalar().and_then(|scalar| Self::from_scenario(&scalar.text));
        if moment.is_none() {
            must_be(
                findings,
                node,
                "an instant with its offset: `2026-06-30T09:00:00Z`, or a day: `2026-06-30`, from the year 1 to 9999",
            );
            findings.help_last(
                "or relative to the clock's start: `now`, `-5m`, `-3h`, `-2d`, or a time of a relative day: `today`, `-2d 09:30`, at most a thousand years before it",
            );
        }
        moment
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        let instant = instant();
        let time = "([01][0-9]|2[0-3]):[0-5][0-9]";
        json!({ "type": "string", "pattern": format!("^({instant}|now|-[0-9]{{1,9}}[mh]|({RELATIVE_DAY})( {time})?)$") })
    }
}

impl Read for ClockStart {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let text = node.scalar().map(|scalar| &*scalar.text);
        let start = match text {
            Some("now") => Some(Self::Now),
            _ => text.and_then(Moment::from_scenario).map(Self::At),
        };
        if start.is_none() {
            must_be(
                findings,
                node,
                "`now`, an instant with its offset: `2026-06-30T09:00:00Z`, or a day: `2026-06-30`, from the year 1 to 9999",
            );
        }
        start
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "string", "pattern": format!("^({}|now)$", instant()) })
    }
}
