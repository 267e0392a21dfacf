//! From raw values to the validated scenario: references, duplicates, ranges that depend on one another, defaults.

/// Accounts, their locations and how they refer to each other.
pub mod businesses;
/// Contacts.
pub mod contacts;
/// The API's manners.
pub mod dialect;
/// API keys.
pub mod keys;
/// Days, weights and languages of generated records.
pub mod plan;
/// Questions and their answers.
pub mod questions;
/// Reviews.
pub mod reviews;

use std::collections::HashMap;
use std::hash::Hash;

use crate::api::dates::Day;
use crate::api::fold::fold;
use crate::api::sources::Source;
use crate::clock::{self, Moment};
use crate::draw::Seed;
use crate::scenario::diagnostic::Findings;
use crate::scenario::loader::Loader;
use crate::scenario::model::{Scenario, SeedSetting};
use crate::scenario::node::Node;
use crate::scenario::raw::{self, List, ScenarioFile};
use crate::scenario::read::Spanned;
use crate::scenario::references::References;
use crate::scenario::source::Span;
use crate::scenario::{expect, fault, route, webhook};

/// What records are checked against.
#[derive(Debug)]
pub struct RecordContext {
    /// The clock's start, if the scenario says one.
    pub start: Option<Moment>,
    /// The day of the clock's start, or that of the load.
    pub today: Day,
    /// The sources there are.
    pub sources: Vec<Source>,
    /// Their places by alias and by shown name, case folded.
    places: HashMap<String, u16>,
}

impl RecordContext {
    /// Terms of a clock's start, the day of the load, and sources.
    #[must_use]
    pub fn new(start: Option<Moment>, today: Day, sources: Vec<Source>) -> Self {
        let mut places = HashMap::new();
        for (source, place) in sources.iter().zip(0..=u16::MAX) {
            for name in [&source.alias, &source.name] {
                places.entry(fold(name)).or_insert(place);
            }
        }
        Self { start, today, sources, places }
    }

    /// Place of the source of that alias or shown name.
    #[must_use]
    pub fn source(&self, name: &str) -> Option<u16> {
        self.places.get(name).or_else(|| self.places.get(&fold(name))).copied()
    }
}

/// Checks a merged scenario; what comes out counts only if no error was found.
pub fn scenario(loader: &mut Loader, root: ScenarioFile, name: String) -> Scenario {
    let clock = root.clock.as_ref().map(|given| self::clock(&given.value)).unwrap_or_default();
    let clock = clock.over(clock::Setting::default());
    let dialect = root.dialect.map(|dialect| dialect::validate(loader, dialect.value)).unwrap_or_default();
    let today = clock.start.map_or(loader.context.today, Moment::day);
    let context = RecordContext::new(clock.start, today, dialect.sources.clone());
    let businesses = root.businesses.map_or_else(Vec::new, |list| list.value);
    let accounts = businesses::Accounts::of(&mut loader.findings, &businesses);
    let keys = root.keys.map_or_else(Vec::new, |list| list.value);
    let keys = keys::validate(&mut loader.findings, keys, &accounts, clock.mode, &name);
    let sections = [
        ("expect", root.expect.as_ref().filter(|list| !list.value.is_empty()).map(|list| list.span)),
        ("routes", root.routes.as_ref().filter(|list| !list.value.is_empty()).map(|list| list.span)),
    ];
    for (section, span) in sections {
        if let Some(span) = span {
            loader.findings.warning("not-acted-on", span, format!("`{section}` are not acted on yet"));
        }
    }
    let seed = match root.seed.map(|seed| seed.value) {
        Some(raw::Seed::Fixed(number)) => SeedSetting::Fixed(Seed(number)),
        Some(raw::Seed::Random) => SeedSetting::Random,
        None => SeedSetting::Fixed(Seed(1)),
    };
    let businesses = businesses::validate(loader, &context, businesses, &accounts);
    let summary = root.summary.map(|summary| summary.value.0);
    let (faults, expect, routes) =
        (nodes(root.faults.as_ref()), nodes(root.expect.as_ref()), nodes(root.routes.as_ref()));
    let webhooks = root.webhooks.as_ref().map(|map| &map.value);
    let findings = &mut loader.findings;
    let mut references = References {
        numbers: accounts.numbers(),
        faults: fault::names(&faults),
        events: webhook::event::names(webhooks),
        ..References::new(&keys, &[], &dialect, clock.mode == clock::Mode::Frozen)
    };
    let faults = fault::validate(findings, &references, &faults);
    let webhooks = webhook::validate(findings, &references, webhooks);
    references.custom_codes = fault::custom_codes(&faults);
    let expectations = expect::validate(findings, &references, &expect);
    let routes = route::validate(findings, &references, &routes);
    Scenario {
        name,
        summary,
        seed,
        clock,
        today,
        keys,
        businesses,
        dialect,
        faults,
        webhooks,
        expectations,
        routes,
    }
}

fn nodes(list: Option<&Spanned<List<Node>>>) -> Vec<&Node> {
    list.iter().flat_map(|list| &list.value).map(|entry| &entry.value).collect()
}

/// As much of a clock's setting as is written.
#[must_use]
pub fn clock(raw: &raw::Clock) -> clock::Given {
    clock::Given {
        start: raw.start.map(|start| start.value),
        mode: raw.mode.map(|mode| match mode.value {
            raw::Mode::Frozen => clock::Mode::Frozen,
            raw::Mode::Running => clock::Mode::Running,
        }),
    }
}

/// Things of which there may be one each, and where the first of each stands.
#[derive(Debug)]
pub struct Unique<K>(HashMap<K, Span>);

impl<K> Default for Unique<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Eq + Hash> Unique<K> {
    /// Whether this is the first of its kind; if not, that is among the findings: `what` is there twice.
    pub fn insert(
        &mut self,
        findings: &mut Findings,
        key: K,
        span: Span,
        what: (&'static str, &str),
    ) -> bool {
        if let Some(first) = self.0.get(&key) {
            let (code, what) = what;
            findings
                .error(code, span, format!("{what} is there twice"))
                .label("the second")
                .related(*first, "the first");
            return false;
        }
        self.0.insert(key, span);
        true
    }
}

/// Notes a day after the clock's start.
pub fn not_later(findings: &mut Findings, context: &RecordContext, key: &str, span: Span, at: Moment) {
    let late = match context.start {
        Some(start) if at != at.day().start() => at > start,
        Some(_) | None => at.day() > context.today,
    };
    if late {
        let than = match context.start {
            Some(start) => format!("the clock's start, {}", start.iso()),
            None => format!("today, {}", context.today.iso()),
        };
        findings.warning("future-date", span, format!("`{key}` lies after {than}"));
    }
}

/// The text of a leaf.
pub fn text<T: Into<String>>(field: Option<Spanned<T>>) -> Option<String> {
    field.map(|marked| marked.value.into())
}
