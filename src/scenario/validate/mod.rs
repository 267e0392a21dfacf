//! Turns the raw scenario into a validated one: checks references, duplicates and dependent ranges, and fills in defaults.

pub(crate) mod businesses;
pub(crate) mod contacts;
pub(crate) mod dialect;
pub(crate) mod keys;
/// Plans of generated records.
pub(crate) mod plan;
pub(crate) mod questions;
pub(crate) mod reviews;

use std::collections::HashMap;
use std::fmt::Display;
use std::hash::Hash;

use crate::api::fold::fold;
use crate::api::sources::Source;
use crate::clock::{self, Moment};
use crate::dataset::when::{GivenDay, GivenMoment};
use crate::draw::Seed;
use crate::scenario::diagnostic::{Finding, Findings};
use crate::scenario::loader::Loader;
use crate::scenario::model::{Scenario, SeedSetting};
use crate::scenario::node::Node;
use crate::scenario::raw::{self, List, ScenarioFile};
use crate::scenario::read::Spanned;
use crate::scenario::references::References;
use crate::scenario::source::Span;
use crate::scenario::times::ClockStart;
use crate::scenario::{demo, expect, fault, route, webhook};

/// What records are checked against: the clock's start and the sources.
#[derive(Debug)]
pub(crate) struct RecordContext {
    /// The clock's start, if the scenario gives one.
    pub(crate) start: Option<Moment>,
    /// The clock's start, or the instant at which the scenario is loaded.
    pub(crate) now: Moment,
    pub(crate) sources: Vec<Source>,
    /// Indexes into `sources` by alias and by shown name, case folded.
    indexes: HashMap<String, u16>,
}

impl RecordContext {
    pub(crate) fn new(start: Option<Moment>, now: Moment, sources: Vec<Source>) -> Self {
        let mut indexes = HashMap::new();
        for (source, index) in sources.iter().zip(0..=u16::MAX) {
            for name in [&source.alias, &source.name] {
                indexes.entry(fold(name)).or_insert(index);
            }
        }
        Self { start, now, sources, indexes }
    }

    /// Index of the source with this alias or shown name.
    pub(crate) fn source(&self, name: &str) -> Option<u16> {
        self.indexes.get(name).or_else(|| self.indexes.get(&fold(name))).copied()
    }
}

/// Validates a merged scenario. The result may be used only if no error was reported.
pub(crate) fn scenario(loader: &mut Loader, root: ScenarioFile, name: String) -> Scenario {
    let now = loader.context.now;
    let clock = root.clock.as_ref().map(|given| self::clock(&given.value, now)).unwrap_or_default();
    let clock = clock.apply_to(clock::Setting::default());
    let given_start = root.clock.as_ref().and_then(|given| given.value.start);
    let follows_day = given_start.is_none_or(|start| start.value == ClockStart::Now);
    let dialect = root.dialect.map(|dialect| dialect::validate(loader, dialect.value)).unwrap_or_default();
    let now = clock.start.unwrap_or(now);
    let context = RecordContext::new(clock.start, now, dialect.sources.clone());
    let businesses = root.businesses.map_or_else(Vec::new, |list| list.value);
    let accounts = businesses::Accounts::collect(&mut loader.findings, &businesses);
    let keys = root.keys.map_or_else(Vec::new, |list| list.value);
    let keys = keys::validate(&mut loader.findings, keys, &accounts, clock.mode, &name);
    let seed = match root.seed.map(|seed| seed.value) {
        Some(raw::Seed::Fixed(number)) => SeedSetting::Fixed(Seed(number)),
        Some(raw::Seed::Random) => SeedSetting::Random,
        None => SeedSetting::Fixed(Seed(1)),
    };
    let businesses = businesses::validate(loader, &context, businesses, &accounts);
    let scorecard = root.scorecard.map(|scorecard| scorecard.value).unwrap_or_default();
    let summary = root.summary.map(|summary| summary.value.0);
    let (faults, expect, routes) =
        (nodes(root.faults.as_ref()), nodes(root.expect.as_ref()), nodes(root.routes.as_ref()));
    let demo_nodes = nodes(root.demo.as_ref());
    let webhooks = root.webhooks.as_ref().map(|map| &map.value);
    let findings = &mut loader.findings;
    let mut references = References {
        numbers: accounts.numbers(),
        faults: fault::names(&faults),
        routes: route::operations(findings, &routes),
        events: webhook::event::names(webhooks),
        ..References::new(&keys, &[], &dialect, clock.mode == clock::Mode::Frozen)
    };
    let faults = fault::validate(findings, &references, &faults);
    let webhooks = webhook::validate(findings, &references, webhooks);
    references.custom_codes = fault::custom_codes(&faults);
    let expectations = expect::validate(findings, &references, &expect);
    let routes = route::validate(findings, &references, &routes);
    let demo = demo::validate(findings, &references, &demo_nodes);
    Scenario {
        name,
        summary,
        seed,
        clock,
        now,
        follows_day,
        keys,
        businesses,
        dialect,
        faults,
        webhooks,
        expectations,
        scorecard,
        routes,
        demo,
    }
}

fn nodes(list: Option<&Spanned<List<Node>>>) -> Vec<&Node> {
    list.iter().flat_map(|list| &list.value).map(|entry| &entry.value).collect()
}

/// The given parts of a clock's setting, at the given instant.
pub(crate) fn clock(raw: &raw::Clock, now: Moment) -> clock::PartialSetting {
    clock::PartialSetting {
        start: raw.start.map(|start| match start.value {
            ClockStart::Now => now,
            ClockStart::At(start) => start,
        }),
        mode: raw.mode.map(|mode| match mode.value {
            raw::Mode::Frozen => clock::Mode::Frozen,
            raw::Mode::Running => clock::Mode::Running,
        }),
    }
}

/// Keys that must be unique, each with the span where it first appeared.
#[derive(Debug)]
pub(crate) struct Unique<K> {
    /// Code of the diagnostic about a key that appears twice.
    code: &'static str,
    /// What the keys are, for that diagnostic (`contact id`).
    what: &'static str,
    first: HashMap<K, Span>,
}

impl<K: Eq + Hash + Display> Unique<K> {
    pub(crate) fn new(code: &'static str, what: &'static str) -> Self {
        Self { code, what, first: HashMap::new() }
    }

    /// Inserts a key. If it is already present, reports an error and returns false.
    pub(crate) fn insert(&mut self, findings: &mut Findings, key: K, span: Span) -> bool {
        if let Some(first) = self.first.get(&key) {
            findings
                .error(self.code, span, format!("the {} `{key}` appears twice", self.what))
                .label("the second")
                .related(*first, "the first");
            return false;
        }
        self.first.insert(key, span);
        true
    }
}

/// Warns about a key that is read, but changes nothing where it stands.
pub(crate) fn warn_no_effect<'a>(findings: &'a mut Findings, span: Span, message: &str) -> &'a mut Finding {
    findings.warning("without-effect", span, message)
}

/// Warns about a day after the clock's start.
pub(crate) fn warn_if_future_day(
    findings: &mut Findings,
    context: &RecordContext,
    key: &str,
    day: Spanned<GivenDay>,
) {
    if let GivenDay::Fixed(fixed) = day.value {
        warn_if_late(findings, context, key, (day.span, fixed.start()));
    }
}

/// Warns about an instant after the clock's start. A relative one may be later on the day of the load, but a warning must not
/// depend on the time at which `check` is run.
pub(crate) fn warn_if_future(
    findings: &mut Findings,
    context: &RecordContext,
    key: &str,
    at: Spanned<GivenMoment>,
) {
    if let GivenMoment::Fixed(fixed) = at.value {
        warn_if_late(findings, context, key, (at.span, fixed));
    }
}

fn warn_if_late(findings: &mut Findings, context: &RecordContext, key: &str, (span, at): (Span, Moment)) {
    let late = match context.start {
        Some(start) if at != at.day().start() => at > start,
        Some(_) | None => at.day() > context.now.day(),
    };
    if late {
        let than = match context.start {
            Some(start) => format!("the clock's start, {}", start.iso()),
            None => format!("today, {}", context.now.day().iso()),
        };
        findings.warning("future-date", span, format!("`{key}` is after {than}"));
    }
}

/// The text of an optional value.
pub(crate) fn text<T: Into<String>>(field: Option<Spanned<T>>) -> Option<String> {
    field.map(|marked| marked.value.into())
}
