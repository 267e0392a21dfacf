//! Validates the keys that select requests by number or chance: `per`, `hits`, `chance`, `exactly` and `during`.

use serde_json::{Map, Value as Json, json};

use crate::fault::condition::During;
use crate::fault::count::{self, Count, Hit, Per};
use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::raw;
use crate::scenario::node::{Node, Value};
use crate::scenario::read::{Read, Spanned};
use crate::scenario::references::References;
use crate::scenario::report::{given_entries, must_be};
use crate::scenario::scalars::{Share, hint_at_duration, parse_digits, parse_duration, written};

impl Read for Hit {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        const WHAT: &str = "`3`, `1-2`, `4-`, `every 5`, or a list of these";
        let hit = hit(written(node).unwrap_or_default().trim());
        match hit {
            None | Some(Self::Every(0) | Self::Between(0, _)) => {
                must_be(findings, node, WHAT);
                if matches!(node.value, Value::List(_)) {
                    findings.help_last("a list has no list in it: `hits: [1, 3-4]`");
                } else if hit.is_some() {
                    findings.help_last("the first counted request is number 1");
                }
                None
            }
            Some(Self::Between(first, Some(last))) if last < first => {
                must_be(findings, node, WHAT);
                findings
                    .help_last(&format!("this range ends before it begins: did you mean `{last}-{first}`?"));
                None
            }
            Some(Self::Between(..) | Self::Every(_)) => hit,
        }
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": ["integer", "string"], "minimum": 1, "maximum": u64::MAX, "pattern": "^ *([0-9]+( *- *[0-9]*)?|every +[0-9]+) *$" })
    }
}

fn hit(text: &str) -> Option<Hit> {
    if let Some(step) = text.strip_prefix("every ") {
        return parse_digits(step.trim()).map(Hit::Every);
    }
    let Some((first, last)) = text.split_once('-') else {
        return parse_digits(text).map(|only| Hit::Between(only, Some(only)));
    };
    let first = parse_digits(first.trim_end())?;
    match last.trim_start() {
        "" => Some(Hit::Between(first, None)),
        last => parse_digits(last).map(|last| Hit::Between(first, Some(last))),
    }
}

/// An exact number of requests out of each block: `3 of 10`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exactly {
    pub(crate) hits: u32,
    pub(crate) of: u32,
}

impl Read for Exactly {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let exactly = node.scalar().and_then(|scalar| {
            let (hits, of) = scalar.text.split_once(" of ")?;
            let small = |text: &str| parse_digits(text.trim()).and_then(|number| u32::try_from(number).ok());
            Some(Self { hits: small(hits)?, of: small(of)? })
        });
        let fits = exactly.filter(|exactly| exactly.of > 0 && exactly.hits <= exactly.of);
        if fits.is_none() {
            must_be(findings, node, "a number of requests out of each block: `3 of 10`");
            match exactly {
                Some(Self { of: 0, .. }) => findings.help_last("a block has at least 1 request"),
                Some(Self { of, .. }) => {
                    findings.help_last(&format!("a block of {of} has only {of} requests"));
                }
                None => {}
            }
        }
        fits
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "string", "pattern": "^ *[0-9]+ +of +[0-9]+ *$" })
    }
}

impl Read for During {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let during = node.scalar().and_then(|scalar| {
            let (from, until) = scalar.text.split_once('-')?;
            let until = match until.trim() {
                "" => None,
                until => Some(parse_duration(until)?),
            };
            Some(Self { from: parse_duration(from.trim())?, until })
        });
        let ordered = during.filter(|during| during.until.is_none_or(|until| until > during.from));
        if ordered.is_none() {
            must_be(
                findings,
                node,
                "a time range on the world's clock, measured from its start: `10s-40s` or `10s-`",
            );
            let text = node.scalar().map_or("", |scalar| &scalar.text);
            if during.is_some() {
                findings.help_last("this range ends before it begins");
            } else {
                hint_at_duration(findings, text);
            }
        }
        ordered
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "string", "pattern": "^[0-9]+ *(ms|s|m|h) *- *([0-9]+ *(ms|s|m|h))?$" })
    }
}

/// The keys of a fault, or of a delivery fault, that say which of the matching requests it applies to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CountKeys<'a> {
    pub(crate) per: Per,
    pub(crate) hits: Option<&'a Spanned<OneOrMany<Hit>>>,
    pub(crate) chance: Option<&'a Spanned<Share>>,
    pub(crate) exactly: Option<&'a Spanned<Exactly>>,
    pub(crate) during: Option<&'a Spanned<During>>,
}

pub(crate) fn validate(findings: &mut Findings, references: &References, keys: &CountKeys) -> Count {
    if let (Some(during), true) = (keys.during, references.frozen) {
        findings
            .warning(
                "frozen-clock",
                during.span,
                "the clock is frozen, so `during` does not begin or end by itself",
            )
            .help("move the clock through the admin API, or let it run with `clock: {mode: running}`");
    }
    let hits = given_entries(findings, "hits", keys.hits)
        .map_or_else(Vec::new, |list| list.0.iter().map(|hit| hit.value).collect());
    Count { per: keys.per, hits, share: share(findings, keys) }
}

fn share(findings: &mut Findings, keys: &CountKeys) -> count::Share {
    let (share, span) = match (keys.chance, keys.exactly) {
        (Some(chance), Some(exactly)) => {
            findings
                .error("mixed-entry", exactly.span, "`chance` and `exactly` do not go together")
                .label("this replaces `chance`")
                .related(chance.span, "`chance`");
            return count::Share::All;
        }
        (Some(chance), None) => (count::Share::Chance(chance.value.0), chance.span),
        (None, Some(exactly)) => {
            let Exactly { hits, of } = exactly.value;
            (count::Share::Exactly { hits, of }, exactly.span)
        }
        (None, None) => return count::Share::All,
    };
    if share.is_none() {
        findings
            .warning("never-matches", span, "this fault never applies: it selects no requests")
            .help("to turn a fault off, use `enabled: false`");
    }
    share
}

pub(crate) fn per(raw: Option<&Spanned<raw::Per>>) -> Per {
    match raw.map(|per| per.value) {
        None | Some(raw::Per::World) => Per::World,
        Some(raw::Per::Key) => Per::Key,
        Some(raw::Per::Request) => Per::Request,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_read_in_all_their_forms() {
        assert_eq!(hit("3"), Some(Hit::Between(3, Some(3))));
        assert_eq!(hit("1-2"), Some(Hit::Between(1, Some(2))));
        assert_eq!(hit("1 - 2"), Some(Hit::Between(1, Some(2))));
        assert_eq!(hit("4-"), Some(Hit::Between(4, None)));
        assert_eq!(hit("every 5"), Some(Hit::Every(5)));
        for text in ["", "-", "-3", "every", "every x", "1-2-3", "1,2", "every -1", "1.5"] {
            assert_eq!(hit(text), None, "{text}");
        }
    }
}
