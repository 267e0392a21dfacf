//! Deviations that are wanted, as `--write-accept` writes them and `--accept` reads them.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

/// One deviation: what a client does about one fault, or two together, at the calls of one class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Accepted {
    /// The point and its fault, such as `contact-3f2a9c 1 1 transient 503`: it does not depend on other classes.
    pub(crate) at: String,
    /// `exit`, `hang`, `storm`, `state`, or a rule of the scorecard.
    pub(crate) deviation: String,
}

/// The text of the file.
pub(crate) fn write(accepted: &BTreeSet<Accepted>) -> String {
    let mut text =
        "# What the client does about these faults is wanted (`standin explore --accept`).\n".to_owned();
    if accepted.is_empty() {
        return text + "accept: []\n";
    }
    text += "accept:\n";
    for Accepted { at, deviation } in accepted {
        let (at, deviation) = (Value::from(at.as_str()), Value::from(deviation.as_str()));
        let _ = writeln!(text, "  - {{at: {at}, deviation: {deviation}}}");
    }
    text
}
