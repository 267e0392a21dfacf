//! Validates `body`: a change to the body of a response.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use crate::fault::body::Body;
use crate::operations::spec::Spec;
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::{patch, raw};
use crate::scenario::node::Node;
use crate::scenario::read::{Read, Spanned};
use crate::scenario::report::{at_most_one, must_be};
use crate::scenario::scalars::parse_rate;

/// A number of bytes per interval: `64 per 100ms`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Drip {
    pub(crate) bytes: u32,
    pub(crate) every: Duration,
}

impl Read for Drip {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let drip = node.scalar().and_then(|scalar| {
            let (bytes, every) = parse_rate(&scalar.text)?;
            Some(Self { bytes, every })
        });
        if drip.is_none() {
            must_be(findings, node, "a number of bytes per interval: `64 per 100ms`");
        }
        drip
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "string", "pattern": "^ *[0-9]+ +per +[0-9]+ *(ms|s|m|h) *$" })
    }
}

/// Validates the change to a body; `node` is the tree that `raw` was read from.
pub(crate) fn validate(
    findings: &mut Findings,
    raw: &Spanned<raw::Body>,
    node: &Node,
    operations: &[&'static Spec],
) -> Option<Body> {
    let body = &raw.value;
    let given = [
        ("truncate", body.truncate.as_ref().map(|value| value.span)),
        ("drip", body.drip.as_ref().map(|value| value.span)),
        ("malformed", body.malformed.as_ref().map(|value| value.span)),
        ("patch", body.patch.as_ref().map(|value| value.span)),
    ];
    let Some(first) = at_most_one(findings, "a body can be changed in only one way", &given) else {
        // A key with an invalid value has been reported already.
        if node.entries().is_none_or(|entries| entries.iter().all(|entry| entry.value.is_null())) {
            findings
                .error("no-effect", raw.span, "`body` does not say how the body changes")
                .help("allowed: `truncate: 50%`, `drip: 64 per 100ms`, `malformed: true` or `patch: […]`");
        }
        return None;
    };
    match (&body.truncate, &body.drip, &body.malformed, &body.patch) {
        (Some(share), ..) => Some(Body::Truncate(share.value.0)),
        (_, Some(drip), ..) => Some(Body::Drip { bytes: drip.value.bytes, every: drip.value.every }),
        (_, _, Some(malformed), _) if malformed.value => Some(Body::Malformed),
        (_, _, Some(malformed), _) => {
            findings
                .error("wrong-value", malformed.span, format!("`{first}` can only be `true` here"))
                .help("to turn a fault off, use `enabled: false`");
            None
        }
        (.., Some(changes)) => {
            let list = node.get("patch").map_or(&[][..], patch::entries);
            patch::validate(findings, changes, list, operations).map(Body::Patch)
        }
        (None, None, None, None) => None,
    }
}
