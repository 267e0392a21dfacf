//! Reads latencies.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use crate::fault::delay::Delay;
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::raw::LogNormal;
use crate::scenario::node::Node;
use crate::scenario::read::Read;
use crate::scenario::report::must_be;
use crate::scenario::scalars::{hint_at_duration, parse_duration};

impl Read for Delay {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        if node.entries().is_some() {
            return log_normal(findings, node);
        }
        let text = node.scalar().map_or("", |scalar| scalar.text.trim());
        let delay = match text.split_once('-') {
            Some((least, most)) => uniform(least, most),
            None => parse_duration(text).map(Self::Fixed),
        };
        match delay {
            None => {
                must_be(findings, node, "a latency: `250ms`, `100ms-400ms` or `{median: 120ms, p99: 900ms}`");
                hint_at_duration(findings, text);
                None
            }
            Some(Self::Uniform(least, most)) if most < least => {
                let message = "this range ends before it begins";
                findings.error("wrong-value", node.span, message).help("write the shorter time first");
                None
            }
            Some(_) => delay,
        }
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        let span = "[0-9]+ *(ms|s|m|h)";
        let one = json!({ "type": "string", "pattern": format!("^ *{span}( *- *{span})? *$") });
        json!({ "anyOf": [one, LogNormal::schema(definitions)] })
    }
}

fn uniform(least: &str, most: &str) -> Option<Delay> {
    Some(Delay::Uniform(parse_duration(least.trim())?, parse_duration(most.trim())?))
}

fn log_normal(findings: &mut Findings, node: &Node) -> Option<Delay> {
    let raw = LogNormal::read(findings, node)?;
    let (median, p99) = (raw.median?, raw.p99?);
    if median.value == Duration::ZERO {
        findings.error("wrong-value", median.span, "`median` must be longer than zero");
        return None;
    }
    if p99.value <= median.value {
        findings
            .error("wrong-value", p99.span, "`p99` must be longer than `median`")
            .help("half of the requests are slower than `median`, one in a hundred is slower than `p99`");
        return None;
    }
    Some(Delay::LogNormal { median: median.value, p99: p99.value })
}
