//! Webhooks, from their text.

use std::collections::BTreeMap;

use crate::fault::count::Per;
use crate::scenario::fault::count::{self, Often};
use crate::scenario::full::filled;
use crate::scenario::known::{Known, accounts};
use crate::scenario::node::Node;
use crate::scenario::problem::Findings;
use crate::scenario::read::{Marked, Read};
use crate::scenario::template;
use crate::scenario::webhook::raw::DeliveryThen;
use crate::webhook::settings::{CLOSED_ALIAS, DeliveryEffect, DeliveryFault, Retry, Signing, Webhooks};

/// Names of events.
pub mod event;
/// The mirror of `webhooks`.
pub mod raw;
/// Signatures and hosts.
pub mod signing;
/// What happens by itself.
pub mod timeline;

/// What a scenario says of webhooks, without what has an error. `known` has the names of its events (`event::names`).
pub fn lower(findings: &mut Findings, known: &Known, node: Option<&Node>) -> Webhooks {
    let Some(node) = node else { return Webhooks::default() };
    let Some(raw) = raw::Webhooks::read(findings, node) else { return Webhooks::default() };
    let signing = raw.signing.as_ref().map_or(Signing::None, |signing| signing::lower(findings, signing));
    let mut allow = Vec::new();
    for host in raw.allow.iter().flat_map(|list| &list.value) {
        allow.extend(signing::host(findings, host));
    }
    let mut timeline = Vec::new();
    for entry in raw.timeline.iter().flat_map(|list| &list.value) {
        timeline.extend(timeline::lower(findings, known, entry));
    }
    let mut faults = Vec::new();
    for entry in raw.faults.iter().flat_map(|list| &list.value) {
        faults.extend(delivery_fault(findings, known, &signing, &entry.value));
    }
    Webhooks {
        allow,
        signing,
        retry: raw.retry.as_ref().map_or_else(Retry::default, |retry| self::retry(findings, retry)),
        events: raw
            .events
            .as_ref()
            .map_or_else(BTreeMap::new, |events| self::events(findings, &events.value)),
        timeline,
        faults,
    }
}

fn retry(findings: &mut Findings, raw: &Marked<raw::Retry>) -> Retry {
    let (given, default) = (&raw.value, Retry::default());
    if let Some(timeout) = given.timeout.filter(|timeout| timeout.value.is_zero()) {
        findings.error("wrong-value", timeout.span, "`timeout` must be longer than nothing");
    }
    let attempts = given.attempts.and_then(|attempts| u32::try_from(attempts.value.0).ok());
    Retry {
        attempts: attempts.unwrap_or(default.attempts),
        first: given.first.map_or(default.first, |first| first.value),
        factor: given.factor.map_or(default.factor, |factor| factor.value.0),
        jitter: given.jitter.map_or(default.jitter, |jitter| jitter.value.0),
        timeout: given.timeout.map_or(default.timeout, |timeout| timeout.value),
    }
}

fn events(findings: &mut Findings, raw: &raw::Events) -> BTreeMap<String, Option<String>> {
    let mut events = BTreeMap::new();
    for event in &raw.0 {
        let letters = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if event.key == CLOSED_ALIAS.0 {
            findings
                .error(
                    "wrong-value",
                    event.key_span,
                    format!("`{}` is another name of `{}`", CLOSED_ALIAS.0, CLOSED_ALIAS.1),
                )
                .help(format!("give the payload to `{}`", CLOSED_ALIAS.1));
        } else if event.key.is_empty() || !event.key.bytes().all(letters) {
            findings
                .error(
                    "wrong-value",
                    event.key_span,
                    format!("`{}` cannot be the name of an event", event.key),
                )
                .help("names of events are letters, digits, `.`, `_` and `-`");
        }
        let payload = event.value.payload.as_ref();
        if let Some(payload) = payload {
            template::check(findings, &payload.value.0, payload.span);
        }
        events.insert(event.key.clone(), payload.map(|payload| payload.value.0.clone()));
    }
    events
}

fn delivery_fault(
    findings: &mut Findings,
    known: &Known,
    signing: &Signing,
    raw: &raw::DeliveryFault,
) -> Option<DeliveryFault> {
    let events = match &raw.event {
        Some(names) if filled(findings, ("event", &names.value), names.span) => {
            event::each(findings, known, &names.value)
        }
        Some(_) | None => Vec::new(),
    };
    let when = raw.when.as_ref().map(|when| &when.value);
    let businesses = match when.and_then(|when| when.business.as_ref()) {
        Some(list) if filled(findings, ("business", &list.value), list.span) => {
            accounts(findings, known, &list.value)
        }
        Some(_) | None => Vec::new(),
    };
    let conversations = match when.and_then(|when| when.conversation.as_ref()) {
        Some(list) if filled(findings, ("conversation", &list.value), list.span) => {
            list.value.0.iter().map(|name| name.value.0.clone()).collect()
        }
        Some(_) | None => Vec::new(),
    };
    let per = match raw.per.map(|per| per.value) {
        None | Some(raw::DeliveryPer::World) => Per::World,
        Some(raw::DeliveryPer::Delivery) => Per::Request,
    };
    let often = Often { per, hits: &raw.hits, chance: &raw.chance, exactly: &raw.exactly };
    let count = count::lower(findings, &often);
    count::frozen(findings, raw.during.as_ref(), known.frozen);
    let then = raw.then.as_ref()?;
    let effect = match &then.value {
        DeliveryThen::Delay(delay) => DeliveryEffect::Delay(delay.delay?.value),
        DeliveryThen::Word("duplicate") => DeliveryEffect::Duplicate,
        DeliveryThen::Word("drop") => DeliveryEffect::Drop,
        DeliveryThen::Word("reorder") => DeliveryEffect::Reorder,
        DeliveryThen::Word("truncate") => DeliveryEffect::Truncate,
        DeliveryThen::Word(_) => DeliveryEffect::BadSignature,
    };
    if effect == DeliveryEffect::BadSignature && *signing == Signing::None {
        findings
            .warning("never-matches", then.span, "there is no signature that could be bad")
            .help("deliveries are signed with `signing: {scheme: standard-webhooks, secret: …}`");
    }
    Some(DeliveryFault {
        events,
        businesses,
        conversations,
        count,
        during: raw.during.map(|during| during.value),
        enabled: raw.enabled.is_none_or(|enabled| enabled.value),
        effect,
    })
}
