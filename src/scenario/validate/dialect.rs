//! Validates `dialect`: the options of the API where its documentation leaves them open.

use std::collections::BTreeMap;

use crate::api::dialect::{self, Cors, Dialect, Names};
use crate::api::error::{CATALOGUE, Code};
use crate::api::operation::Operation;
use crate::api::sources::{self, Source};
use crate::operations;
use crate::operations::{contact, reviews};
use crate::scenario::collections::{Dictionary, Member};
use crate::scenario::diagnostic::{Findings, join_or};
use crate::scenario::fault::error::status_with_body;
use crate::scenario::loader::Loader;
use crate::scenario::raw::{self, ContactIdentity, List, Preset, QueryApiKey, Statuses, ToDate};
use crate::scenario::read::Spanned;
use crate::scenario::report::unknown_reference;
use crate::scenario::scalars::NonBlank;
use crate::scenario::source::Span;
use crate::scenario::validate::RecordContext;

/// Maximum number of sources in `dialect.sources`.
const MAX_SOURCES: usize = 1000;

pub(crate) fn validate(loader: &mut Loader, raw: raw::Dialect) -> Dialect {
    let findings = &mut loader.findings;
    let mut dialect = preset(raw.preset.map_or(Preset::Interface, |preset| preset.value));
    if let Some(raw) = raw.names {
        set_names(findings, raw.value, &mut dialect.names);
    }
    for member in raw.statuses.into_iter().flat_map(|statuses| statuses.value.0) {
        add_status(findings, member, &mut dialect.statuses);
    }
    if let Some(given) = raw.to_date {
        dialect.to_date = match given.value {
            ToDate::Inclusive => dialect::ToDate::Inclusive,
            ToDate::Exclusive => dialect::ToDate::Exclusive,
        };
    }
    if let Some(given) = raw.query_api_key {
        dialect.query_api_key = given.value == QueryApiKey::Accept;
    }
    dialect.contact_identity_in_request =
        raw.contact_identity.is_some_and(|it| it.value == ContactIdentity::Request);
    dialect.retry_after = raw.retry_after.is_none_or(|it| it.value);
    dialect.baggage = raw.baggage.is_none_or(|it| it.value);
    match raw.cors.map(|cors| cors.value) {
        Some(raw::Cors::None) => dialect.cors = Cors::None,
        Some(raw::Cors::Origins(list)) => dialect.cors = Cors::Origins(origins(findings, list)),
        Some(raw::Cors::Any) | None => {}
    }
    if let Some(raw) = raw.sources {
        add_sources(findings, raw, &mut dialect.sources);
    }
    dialect
}

/// The options of a preset. What it says of statuses holds for the six operations, not for routes.
fn preset(preset: Preset) -> Dialect {
    let mut dialect = Dialect::default();
    if preset == Preset::Interface {
        return dialect;
    }
    dialect.to_date = dialect::ToDate::ExclusiveForOwn;
    for spec in [&contact::SPEC, &reviews::SPEC] {
        dialect.statuses.insert((Code::KeyMissing, Some(spec.operation)), 400);
    }
    for spec in operations::ALL {
        for code in [Code::Count, Code::NotJson] {
            dialect.statuses.insert((code, Some(spec.operation)), 401);
        }
    }
    dialect.page_required = preset == Preset::Published;
    dialect.query_api_key = preset == Preset::Legacy;
    dialect
}

fn set_names(findings: &mut Findings, raw: raw::Names, names: &mut Names) {
    let given = [
        (raw.start_index, "start_index", &mut names.start_index),
        (raw.count, "count", &mut names.count),
        (raw.competitor, "competitor", &mut names.competitor),
    ];
    let mut spans = Vec::new();
    for (given, key, name) in given {
        spans.push((key, given.as_ref().map(|given| given.span)));
        if let Some(given) = given {
            *name = given.value.0;
        }
    }
    // All three are parameters of one query, so their names must differ.
    let all = [&names.start_index, &names.count, &names.competitor];
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        if let (true, Some(span)) = (all[one] == all[other], spans[other].1.or(spans[one].1)) {
            let message =
                format!("`{}` and `{}` are both named `{}`", spans[one].0, spans[other].0, all[one]);
            findings.error("duplicate-name", span, message);
        }
    }
    if let Some(given) = raw.business {
        names.business = given.value.0;
    }
}

fn add_status(
    findings: &mut Findings,
    member: Member<Statuses>,
    out: &mut BTreeMap<(Code, Option<Operation>), u16>,
) {
    let Some(row) = CATALOGUE.iter().find(|row| row.number.to_string() == member.key) else {
        let numbers: Vec<String> = CATALOGUE.iter().map(|row| row.number.to_string()).collect();
        let all = numbers.iter().map(String::as_str);
        unknown_reference(findings, member.key_span, ("code of the catalogue", &member.key), all);
        return;
    };
    let with_body = |findings: &mut Findings, value: raw::Status, span| {
        status_with_body(findings, &Spanned { span, value })
    };
    match member.value {
        Statuses::All(status) => {
            if let Some(number) = with_body(findings, status, member.span) {
                // It overrides what a preset says of single operations.
                out.retain(|(code, _), _| *code != row.code);
                out.insert((row.code, None), number);
            }
        }
        Statuses::By(Dictionary(members)) => {
            for member in members {
                let Some(spec) = operations::named(&member.key) else {
                    let names = operations::ALL.map(|spec| spec.operation.name());
                    unknown_reference(findings, member.key_span, ("operation", &member.key), names);
                    continue;
                };
                if let Some(number) = with_body(findings, member.value, member.span) {
                    out.insert((row.code, Some(spec.operation)), number);
                }
            }
        }
    }
}

fn origins(findings: &mut Findings, list: List<NonBlank>) -> Vec<String> {
    let is_origin = |text: &str| {
        text.split_once("://").is_some_and(|(scheme, host)| {
            !scheme.is_empty() && !host.is_empty() && !host.contains(['/', '?', '#', ' '])
        })
    };
    let mut out = Vec::with_capacity(list.len());
    for Spanned { span, value: NonBlank(origin) } in list {
        if is_origin(&origin) || origin == "null" {
            out.push(origin);
        } else {
            findings
                .error(
                    "wrong-value",
                    span,
                    "an origin must be a scheme and a host: `https://app.example.test`",
                )
                .help("leave out the path and the `/` at the end; to allow every origin, use `cors: any`");
        }
    }
    out
}

fn add_sources(findings: &mut Findings, raw: Spanned<Dictionary<raw::Source>>, sources: &mut Vec<Source>) {
    if raw.value.0.len() > MAX_SOURCES {
        findings.error("limit", raw.span, format!("there are more than {MAX_SOURCES} sources"));
        return;
    }
    let mut members = raw.value.0;
    // Sorted, because the order of keys in the file has no meaning.
    members.sort_by(|a, b| a.key.cmp(&b.key));
    for member in members {
        let raw = member.value;
        let name = raw.name.map_or_else(|| member.key.clone(), |name| name.value.0);
        let recommendation = raw.recommendation.is_some_and(|it| it.value);
        let source =
            Source { alias: member.key, name, recommendation, reply: raw.reply.is_some_and(|it| it.value) };
        let own = sources.iter().position(|known| known.alias == source.alias);
        let clash = [&source.alias, &source.name].into_iter().find_map(|name| {
            let at = sources::find(sources, name)?;
            (Some(at) != own).then_some(at)
        });
        match (clash, own) {
            (Some(at), _) => {
                let (alias, name) = (&sources[at].alias, &sources[at].name);
                let message =
                    format!("this name is already taken by the source `{alias}`, shown as `{name}`");
                findings.error("duplicate-name", member.key_span, message);
            }
            (None, Some(own)) => sources[own] = source,
            (None, None) => sources.push(source),
        }
    }
}

/// Index of the source with this alias or shown name. Reports an unknown one.
pub(crate) fn source_index(
    findings: &mut Findings,
    context: &RecordContext,
    name: &str,
    span: Span,
) -> Option<u16> {
    if let Some(place) = context.source(name) {
        return Some(place);
    }
    let aliases = context.sources.iter().map(|source| source.alias.as_str());
    let finding = findings.error("unknown-source", span, format!("there is no source `{name}`"));
    if finding.is_shown() {
        finding
            .suggest(name, aliases.clone())
            .help(format!("allowed: {}; `dialect.sources` adds others", join_or(aliases)));
    }
    None
}
