//! Validates the plans of generated records: their number, days, weights and languages.

use std::collections::BTreeMap;

use crate::dataset::phrases::has_bank;
use crate::dataset::records::{ContactPlan, Locale, NEUTRAL, QuestionPlan, ReviewPlan, Shape};
use crate::dataset::subjects::subjects;
use crate::dataset::when::{DayRange, GivenDay};
use crate::scenario::diagnostic::Findings;
use crate::scenario::loader::Loader;
use crate::scenario::raw as scenario_file;
use crate::scenario::raw_records as raw;
use crate::scenario::read::Spanned;
use crate::scenario::scalars::{Count, NonBlank, Share};
use crate::scenario::source::Span;
use crate::scenario::validate::{RecordContext, Unique, dialect, warn_if_future_day};

/// Maximum number of records that a scenario generates in all.
const MAX_GENERATED: u64 = 20_000_000;

/// Default weights of 1 to 5 stars.
const RATINGS: [u32; 5] = [10, 4, 8, 18, 60];
/// Those of a review bomb.
const BOMB_RATINGS: [u32; 5] = [84, 6, 2, 2, 6];
const LOCALS: Share = Share(900_000);

/// Default weights of sources in a category.
const fn usual_sources(category: &str) -> &'static [(&'static str, u32)] {
    match category.as_bytes() {
        b"dentist" | b"health" => &[
            ("google", 55),
            ("facebook", 15),
            ("healthgrades", 12),
            ("yelp", 6),
            ("our_website", 8),
            ("direct_feedback", 4),
        ],
        b"veterinarian" | b"home-services" => {
            &[("google", 60), ("facebook", 20), ("yelp", 9), ("our_website", 7), ("direct_feedback", 4)]
        }
        b"hotel" => &[
            ("google", 35),
            ("booking", 30),
            ("tripadvisor", 24),
            ("facebook", 5),
            ("our_website", 4),
            ("direct_feedback", 2),
        ],
        b"restaurant" => &[
            ("google", 55),
            ("yelp", 14),
            ("tripadvisor", 12),
            ("facebook", 10),
            ("opentable", 5),
            ("our_website", 2),
            ("direct_feedback", 2),
        ],
        b"automotive" => &[
            ("google", 55),
            ("facebook", 15),
            ("dealerrater", 10),
            ("cars", 8),
            ("yelp", 4),
            ("our_website", 5),
            ("direct_feedback", 3),
        ],
        b"retail" => {
            &[("google", 62), ("facebook", 22), ("trustpilot", 8), ("our_website", 5), ("direct_feedback", 3)]
        }
        _ => &[("google", 60), ("facebook", 25), ("our_website", 10), ("direct_feedback", 5)],
    }
}

/// What the plans of a location follow: the category of its account, and its country.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    pub(crate) category: &'a str,
    pub(crate) country: Option<&'a str>,
}
const PUBLISHED: Share = Share(900_000);
const RESPONDED: Share = Share(400_000);

pub(crate) fn reviews(
    loader: &mut Loader,
    context: &RecordContext,
    surroundings: Surroundings<'_>,
    raw: raw::ReviewPlan,
) -> Option<ReviewPlan> {
    let count = count(loader, raw.generate);
    let findings = &mut loader.findings;
    let dates = days(findings, context, raw.dates);
    let sources = match raw.sources {
        Some(weights) => sources(findings, context, weights.value),
        None => default_sources(context, surroundings.category),
    };
    let shape = raw.shape.map_or(Shape::Steady, |shape| match shape.value {
        scenario_file::Shape::Steady => Shape::Steady,
        scenario_file::Shape::Ramp => Shape::Ramp,
        scenario_file::Shape::Spike => Shape::Spike,
        scenario_file::Shape::Bomb => Shape::Bomb,
    });
    let usual_ratings = if shape == Shape::Bomb { BOMB_RATINGS } else { RATINGS };
    hint_at_neutral_phrases(findings, surroundings, raw.locale.as_ref());
    let plan = ReviewPlan {
        count: count?,
        ratings: raw.ratings.map_or(usual_ratings, |weights| ratings(findings, weights.value)),
        sources,
        dates,
        published: raw.published.map_or(PUBLISHED, |share| share.value).0,
        responded: raw.responded.map_or(RESPONDED, |share| share.value).0,
        locales: locales(raw.locale, surroundings.country),
        about: about(findings, surroundings.category, raw.about),
        shape,
        locals: raw.locals.map_or(LOCALS, |share| share.value).0,
        nasty: raw.nasty.map_or(0, |share| share.value.0),
    };
    Some(plan)
}

pub(crate) fn questions(
    loader: &mut Loader,
    context: &RecordContext,
    surroundings: Surroundings<'_>,
    raw: raw::QuestionPlan,
) -> Option<QuestionPlan> {
    let count = count(loader, raw.generate);
    let dates = days(&mut loader.findings, context, raw.dates);
    let locales = locales(raw.locale, surroundings.country);
    Some(QuestionPlan { count: count?, dates, locales })
}

pub(crate) fn contacts(loader: &mut Loader, raw: raw::ContactPlan) -> Option<ContactPlan> {
    let count = count(loader, raw.generate);
    let locales = locales(raw.locale, None);
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

fn default_sources(context: &RecordContext, category: &str) -> Vec<(u16, u32)> {
    let known =
        usual_sources(category).iter().filter_map(|(alias, weight)| Some((context.source(alias)?, *weight)));
    known.collect::<BTreeMap<u16, u32>>().into_iter().collect()
}

/// Says where a language has no phrases for the category.
fn hint_at_neutral_phrases(
    findings: &mut Findings,
    surroundings: Surroundings<'_>,
    raw: Option<&Spanned<raw::Locales>>,
) {
    let Surroundings { category, country } = surroundings;
    let written = raw.into_iter().flat_map(|raw| raw.value.0.iter().map(|(locale, _)| (*locale, raw.span)));
    let without = |locale: Locale| category != NEUTRAL && !has_bank(locale.of_country(country), category);
    for (locale, span) in written.filter(|(locale, _)| without(*locale)) {
        let name = locale.name();
        let message = format!("there are no phrases for the category `{category}` in `{name}`");
        findings
            .warning("neutral-phrases", span, message)
            .help("the neutral phrases of that language are used instead");
    }
}

/// The subjects of a block, as bits.
fn about(findings: &mut Findings, category: &str, raw: Option<Spanned<Vec<Spanned<NonBlank>>>>) -> u32 {
    let known = subjects(category);
    let mut bits = 0;
    for Spanned { span, value: NonBlank(subject) } in raw.into_iter().flat_map(|list| list.value) {
        if let Some(at) = known.iter().position(|known| **known == *subject) {
            bits |= 1 << at;
        } else {
            let message = format!("reviews of the category `{category}` have no subject `{subject}`");
            findings.error("unknown-value", span, message).suggest(&subject, known.iter().copied());
        }
    }
    bits
}

fn locales(raw: Option<Spanned<raw::Locales>>, country: Option<&str>) -> Vec<(Locale, u32)> {
    let Some(raw) = raw else { return vec![(Locale::En, 1)] };
    let locale = |(locale, weight): (Locale, u32)| (locale.of_country(country), weight);
    let weights: BTreeMap<Locale, u32> = raw.value.0.into_iter().map(locale).collect();
    weights.into_iter().filter(|(_, weight)| *weight > 0).collect()
}
