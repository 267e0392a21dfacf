//! What a fault counts and which of the counted it strikes, from its text.

use serde_json::{Map, Value as Json, json};

use crate::fault::condition::During;
use crate::fault::count::{Count, Hit, Per, Share};
use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::raw;
use crate::scenario::node::Node;
use crate::scenario::read::{Read, Spanned};
use crate::scenario::report::must_be;
use crate::scenario::report::require_entries;
use crate::scenario::scalars::{parse_digits, parse_duration};

impl Read for Hit {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        const WHAT: &str = "`3`, `1-2`, `4-`, `every 5`, or a list of these";
        let text = node.scalar().map_or("", |scalar| scalar.text.trim());
        let hit = hit(text);
        match hit {
            None | Some(Self::Every(0) | Self::Between(0, _)) => {
                must_be(findings, node, WHAT);
                if hit.is_some() {
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
        json!({ "type": ["integer", "string"], "minimum": 1, "pattern": "^ *([0-9]+( *- *[0-9]*)?|every +[0-9]+) *$" })
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

/// `3 of 10`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exactly {
    /// How many.
    pub hits: u32,
    /// Of how many.
    pub of: u32,
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
            must_be(findings, node, "so many of each block: `3 of 10`");
            if let Some(exactly) = exactly {
                findings.help_last(&format!("a block of {} has no {} requests", exactly.of, exactly.hits));
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
        let lasting = during.filter(|during| during.until.is_none_or(|until| until > during.from));
        if lasting.is_none() {
            must_be(findings, node, "a stretch of the world's clock since its start: `10s-40s` or `10s-`");
            let text = node.scalar().map_or("", |scalar| &scalar.text);
            if during.is_some() {
                findings.help_last("this one ends before anything can happen in it");
            } else if text.split('-').any(|part| parse_digits(part.trim()).is_some()) {
                findings.help_last("a unit is missing: `ms`, `s`, `m` or `h`");
            }
        }
        lasting
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "string", "pattern": "^[0-9]+ *(ms|s|m|h) *- *([0-9]+ *(ms|s|m|h))?$" })
    }
}

/// The keys of a fault that say how often, as read.
#[derive(Clone, Copy, Debug)]
pub struct Often<'a> {
    /// `per`.
    pub per: Per,
    /// `hits`.
    pub hits: &'a Option<Spanned<OneOrMany<Hit>>>,
    /// `chance`.
    pub chance: &'a Option<Spanned<crate::scenario::scalars::Share>>,
    /// `exactly`.
    pub exactly: &'a Option<Spanned<Exactly>>,
}

/// How often, out of the keys that say so.
pub fn validate(findings: &mut Findings, often: &Often) -> Count {
    let hits = match often.hits {
        Some(hits) if require_entries(findings, ("hits", &hits.value), hits.span) => {
            hits.value.0.iter().map(|hit| hit.value).collect()
        }
        Some(_) | None => Vec::new(),
    };
    let share = match (often.chance, often.exactly) {
        (Some(chance), Some(exactly)) => {
            findings
                .error("mixed-entry", exactly.span, "`chance` and `exactly` do not go together")
                .label("this stands in place of a chance")
                .related(chance.span, "`chance`");
            Share::All
        }
        (Some(chance), None) => Share::Chance(chance.value.0),
        (None, Some(exactly)) => Share::Exactly { hits: exactly.value.hits, of: exactly.value.of },
        (None, None) => Share::All,
    };
    let span = often.chance.map(|chance| chance.span).or(often.exactly.map(|exactly| exactly.span));
    if let (true, Some(span)) = (share.is_none(), span) {
        findings
            .warning("never-matches", span, "this strikes none of the requests it counts")
            .help("`enabled: false` is the way to turn a fault off");
    }
    Count { per: often.per, hits, share }
}

/// What shares a counter.
#[must_use]
pub fn per(raw: Option<&Spanned<raw::Per>>) -> Per {
    match raw.map(|per| per.value) {
        None | Some(raw::Per::World) => Per::World,
        Some(raw::Per::Key) => Per::Key,
        Some(raw::Per::Request) => Per::Request,
    }
}

/// Notes a stretch of a clock that stands still.
pub fn frozen(findings: &mut Findings, during: Option<&Spanned<During>>, frozen: bool) {
    if let (Some(during), true) = (during, frozen) {
        findings
            .warning(
                "frozen-clock",
                during.span,
                "the clock is frozen, so that `during` neither begins nor ends by itself",
            )
            .help("the admin side can move the clock; `clock: {mode: running}` lets it go");
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
