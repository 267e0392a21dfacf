//! Validates the plans of generated records: their number, days, weights and languages.

use std::collections::BTreeMap;

use crate::dataset::records::{ContactPlan, Locale, QuestionPlan, ReviewPlan};
use crate::dataset::when::{DayRange, GivenDay};
use crate::scenario::diagnostic::Findings;
use crate::scenario::loader::Loader;
use crate::scenario::raw_records as raw;
use crate::scenario::read::Spanned;
use crate::scenario::scalars::{Count, Share};
use crate::scenario::source::Span;
use crate::scenario::validate::{RecordContext, Unique, dialect, warn_if_future_day};

/// Maximum number of records that a scenario generates in all.
const MAX_GENERATED: u64 = 20_000_000;

/// Default weights of 1 to 5 stars.
const RATINGS: [u32; 5] = [5, 5, 10, 25, 55];
/// Default weights of sources.
const SOURCES: [(&str, u32); 4] =
    [("google", 60), ("facebook", 25), ("our_website", 10), ("direct_feedback", 5)];
const PUBLISHED: Share = Share(900_000);
const RESPONDED: Share = Share(400_000);

pub(crate) fn reviews(
    loader: &mut Loader,
    context: &RecordContext,
    raw: raw::ReviewPlan,
) -> Option<ReviewPlan> {
    let count = count(loader, raw.generate);
    let findings = &mut loader.findings;
    let dates = days(findings, context, raw.dates);
    let sources = match raw.sources {
        Some(weights) => sources(findings, context, weights.value),
        None => default_sources(context),
    };
    let plan = ReviewPlan {
        count: count?,
        ratings: raw.ratings.map_or(RATINGS, |weights| ratings(findings, weights.value)),
        sources,
        dates,
        published: raw.published.map_or(PUBLISHED, |share| share.value).0,
        responded: raw.responded.map_or(RESPONDED, |share| share.value).0,
        locales: locales(raw.locale),
    };
    Some(plan)
}

pub(crate) fn questions(
    loader: &mut Loader,
    context: &RecordContext,
    raw: raw::QuestionPlan,
) -> Option<QuestionPlan> {
    let count = count(loader, raw.generate);
    let dates = days(&mut loader.findings, context, raw.dates);
    let locales = locales(raw.locale);
    Some(QuestionPlan { count: count?, dates, locales })
}

pub(crate) fn contacts(loader: &mut Loader, raw: raw::ContactPlan) -> Option<ContactPlan> {
    let count = count(loader, raw.generate);
    let locales = locales(raw.locale);
    Some(ContactPlan { count: count?, locales })
}

fn count(loader: &mut Loader, raw: Option<Spanned<Count>>) -> Option<u32> {
    let raw = raw?;
    let before = loader.generated;
    loader.generated = before.saturating_add(raw.value.0);
    if before <= MAX_GENERATED && loader.generated > MAX_GENERATED {
        let message = format!("the scenario generates more than {MAX_GENERATED} records in all");
        loader.findings.error("limit", raw.span, message).label(format!("{before} before this"));
    }
    u32::try_from(raw.value.0).ok()
}

/// The range of days given, by default the 365 days up to the clock's start.
fn days(findings: &mut Findings, context: &RecordContext, raw: Option<Spanned<raw::Dates>>) -> DayRange {
    let span = raw.as_ref().map_or_else(Span::default, |raw| raw.span);
    let (from, to) = raw.map_or((None, None), |raw| (raw.value.from, raw.value.to));
    if let Some(to) = to {
        warn_if_future_day(findings, context, "to", to);
    }
    let range = DayRange { from: from.map(|from| from.value), to: to.map_or(GivenDay::TODAY, |to| to.value) };
    let today = context.now.day();
    let last = range.to.resolve(today);
    if let Some(first) = range.from.map(|from| from.resolve(today)).filter(|first| *first > last) {
        let message = format!("these dates end before they begin: {} to {}", first.iso(), last.iso());
        let finding = findings.error("wrong-dates", span, message);
        if to.is_none() {
            finding.help("`to` is the clock's start by default");
        }
    }
    range
}

fn ratings(findings: &mut Findings, raw: raw::RatingWeights) -> [u32; 5] {
    let mut weights = [0; 5];
    for member in raw.0.0 {
        let Some(place) = raw::STARS.iter().position(|stars| **stars == *member.key) else {
            let message = format!("`{}` is not a number of stars, 1 to 5", member.key);
            findings.error("unknown-value", member.key_span, message).help(
                "for recommendations, 4 and 5 stars become 1 and fewer become 0; direct feedback is always 0",
            );
            continue;
        };
        weights[place] = member.value;
    }
    weights
}

fn sources(findings: &mut Findings, context: &RecordContext, raw: raw::Weights) -> Vec<(u16, u32)> {
    let mut aliases = Unique::new("duplicate-name", "source");
    let mut weights = BTreeMap::new();
    for member in raw.0 {
        if let Some(index) = dialect::source_index(findings, context, &member.key, member.key_span) {
            aliases.insert(findings, &context.sources[usize::from(index)].alias, member.key_span);
            weights.insert(index, member.value);
        }
    }
    weights.into_iter().filter(|(_, weight)| *weight > 0).collect()
}

fn default_sources(context: &RecordContext) -> Vec<(u16, u32)> {
    let known = SOURCES.iter().filter_map(|(alias, weight)| Some((context.source(alias)?, *weight)));
    known.collect::<BTreeMap<u16, u32>>().into_iter().collect()
}

fn locales(raw: Option<Spanned<raw::Locales>>) -> Vec<(Locale, u32)> {
    let Some(raw) = raw else { return vec![(Locale::En, 1)] };
    let weights: BTreeMap<Locale, u32> = raw.value.0.into_iter().collect();
    weights.into_iter().filter(|(_, weight)| *weight > 0).collect()
}
