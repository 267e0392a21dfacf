//! Validates webhooks.

use std::collections::BTreeMap;

use crate::api::events::{CLOSED_ALIAS, KNOWN};
use crate::fault::count::Per;
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::count::{self, CountKeys};
use crate::scenario::fault::patch::entries;
use crate::scenario::node::Node;
use crate::scenario::read::{Read, Spanned};
use crate::scenario::references::{References, check_accounts};
use crate::scenario::report::given_entries;
use crate::scenario::scalars::NonBlank;
use crate::scenario::webhook::raw::{DeliveryThen, EffectName};
use crate::webhook::event::UNKNOWN;
use crate::webhook::payload::{self, Trial};
use crate::webhook::settings::{DeliveryEffect, DeliveryFault, Retry, Signing, Webhooks};

pub(crate) mod event;
pub(crate) mod raw;
/// Signatures and allowed hosts.
pub(crate) mod signing;
pub(crate) mod timeline;

/// Maximum number of events that a scenario adds. Their templates are rendered when they are checked.
const MAX_EVENTS: usize = 500;

/// Validates the webhooks of a scenario. Parts with an error are left out. `references` holds the names of its events
/// (`event::names`).
pub(crate) fn validate(findings: &mut Findings, references: &References, node: Option<&Node>) -> Webhooks {
    let Some(node) = node else { return Webhooks::default() };
    let Some(raw) = raw::Webhooks::read(findings, node) else { return Webhooks::default() };
    let signing = raw.signing.as_ref().map_or(Signing::None, |signing| signing::validate(findings, signing));
    let mut allow = Vec::new();
    for host in raw.allow.iter().flat_map(|list| &list.value) {
        allow.extend(signing::host(findings, host));
    }
    let mut timeline = Vec::new();
    // The entries in the order of the text, without those that could not be read.
    let mut texts = node.get("timeline").map_or(&[][..], entries).iter();
    for entry in raw.timeline.iter().flat_map(|list| &list.value) {
        if let Some(text) = texts.find(|text| text.span == entry.span) {
            timeline.extend(timeline::validate(findings, references, entry, text));
        }
    }
    let mut faults = Vec::new();
    for entry in raw.faults.iter().flat_map(|list| &list.value) {
        faults.extend(delivery_fault(findings, references, &signing, &entry.value));
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

fn retry(findings: &mut Findings, raw: &Spanned<raw::Retry>) -> Retry {
    let (given, default) = (&raw.value, Retry::default());
    if let Some(timeout) = given.timeout.filter(|timeout| timeout.value.is_zero()) {
        findings.error("wrong-value", timeout.span, "`timeout` must be longer than zero");
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
    if let Some(event) = raw.0.get(MAX_EVENTS) {
        findings.error("limit", event.key_span, format!("`events` has more than {MAX_EVENTS} entries"));
        return events;
    }
    for event in &raw.0 {
        let letters = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if event.key == CLOSED_ALIAS.0 {
            findings
                .error(
                    "wrong-value",
                    event.key_span,
                    format!("`{}` is an alias of `{}`", CLOSED_ALIAS.0, CLOSED_ALIAS.1),
                )
                .help(format!("set the payload on `{}` instead", CLOSED_ALIAS.1));
        } else if event.key == UNKNOWN {
            findings
                .error("wrong-value", event.key_span, format!("`{UNKNOWN}` must stay unknown"))
                .help("the delivery fault `unknown-event` sends it, and nobody subscribes to it");
        } else if event.key.is_empty() || !event.key.bytes().all(letters) {
            findings
                .error("wrong-value", event.key_span, format!("`{}` is not a valid event name", event.key))
                .help("an event name consists of letters, digits, `.`, `_` and `-`");
        }
        let payload = event.value.payload.as_ref();
        if let Some(payload) = payload {
            check_template(findings, &event.key, payload);
        }
        events.insert(event.key.clone(), payload.map(|payload| payload.value.0.clone()));
    }
    events
}

/// Renders a template with sample data, so that mistakes are found before the first event.
fn check_template(findings: &mut Findings, event: &str, template: &Spanned<NonBlank>) {
    match payload::check(event, &template.value.0) {
        Ok(Trial { wants_more: Some(problem), .. }) if KNOWN.contains(&event) => {
            findings
                .warning("template", template.span, format!("the payload of `{event}` may fail: {}", problem.message))
                .help("`data` has `id`, `status`, `contact`, `messages`, `createdAt`, `updatedAt`, and the members that the event adds; use `data.x | default(none)` for one that may be missing");
        }
        Ok(Trial { json: true, .. }) => {}
        Ok(Trial { json: false, .. }) => {
            findings
                .warning("template", template.span, format!("the payload of `{event}` is not JSON"))
                .help("`{{ data | tojson }}` writes a value as JSON");
        }
        Err(problem) => {
            let place = if template.value.0.contains('\n') {
                format!("line {} of ", problem.line)
            } else {
                String::new()
            };
            findings
                .error("template", template.span, format!("{place}the payload of `{event}`: {}", problem.message))
                .help("a template can use `eventId`, `event`, `occurredAt`, `businessId` and `data`, which has the members of the conversation or of the event itself; use `data.x | default(none)` for one that may be missing");
        }
    }
}

fn delivery_fault(
    findings: &mut Findings,
    references: &References,
    signing: &Signing,
    raw: &raw::DeliveryFault,
) -> Option<DeliveryFault> {
    let events = given_entries(findings, "event", raw.event.as_ref())
        .map_or_else(Vec::new, |list| event::validate_all(findings, references, list));
    let when = raw.when.as_ref().map(|when| &when.value);
    let businesses = given_entries(findings, "business", when.and_then(|when| when.business.as_ref()))
        .map_or_else(Vec::new, |list| check_accounts(findings, references, list));
    let conversations =
        given_entries(findings, "conversation", when.and_then(|when| when.conversation.as_ref()))
            .map_or_else(Vec::new, |list| list.0.iter().map(|name| name.value.0.clone()).collect());
    let per = match raw.per.map(|per| per.value) {
        None | Some(raw::DeliveryPer::World) => Per::World,
        Some(raw::DeliveryPer::Delivery) => Per::Request,
    };
    let keys = CountKeys {
        per,
        hits: raw.hits.as_ref(),
        chance: raw.chance.as_ref(),
        exactly: raw.exactly.as_ref(),
        during: raw.during.as_ref(),
    };
    let count = count::validate(findings, references, &keys);
    let then = raw.then.as_ref()?;
    let effect = match &then.value {
        DeliveryThen::Delay(delay) => DeliveryEffect::Delay(delay.delay?.value),
        DeliveryThen::Named(EffectName::Duplicate) => DeliveryEffect::Duplicate,
        DeliveryThen::Named(EffectName::Drop) => DeliveryEffect::Drop,
        DeliveryThen::Named(EffectName::Reorder) => DeliveryEffect::Reorder,
        DeliveryThen::Named(EffectName::Truncate) => DeliveryEffect::Truncate,
        DeliveryThen::Named(EffectName::BadSignature) => DeliveryEffect::BadSignature,
        DeliveryThen::Named(EffectName::UnknownEvent) => DeliveryEffect::UnknownEvent,
    };
    if effect == DeliveryEffect::BadSignature && *signing == Signing::None {
        findings
            .warning(
                "never-matches",
                then.span,
                "`bad-signature` has no effect, because deliveries are not signed",
            )
            .help("to sign them, add `signing: {scheme: standard-webhooks, secret: …}`");
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::operations::contact;
    use crate::scenario::references::fixtures::validate_yaml;
    use crate::webhook::settings::{Happening, Host, When};

    fn read(text: &str) -> (Webhooks, Vec<&'static str>) {
        validate_yaml(text, |findings, references, nodes| {
            validate(findings, references, nodes.first().copied())
        })
    }

    #[test]
    fn every_key_of_webhooks_is_read() {
        let (webhooks, codes) = read(
            "allow: [hooks.example.test]
signing: {scheme: standard-webhooks, secret: whsec_c3RhbmRpbg==, timestamp: world}
retry: {attempts: 3, first: 2s, factor: 1.5, jitter: 10%, timeout: 1s}
events:
  post.published: {payload: '{\"post\": {{ data | tojson }}}'}
timeline:
  - {at: 2s, event: conversation.created, business: 100, conversation: c1, text: Hi!}
  - {every: 30s, times: 10, event: message.added, business: 100, conversation: c1, data: {a: 1}}
  - {after: contact, event: message.closed}
faults:
  - {event: [message.closed, post.published], when: {business: 100, conversation: c1}, per: delivery, hits: 1, then: {delay: 5s}}
  - {chance: 10%, then: duplicate}",
        );
        assert_eq!(codes, [""; 0]);
        assert_eq!(webhooks.allow, [Host::Named("hooks.example.test".to_owned())]);
        assert_eq!(
            webhooks.signing,
            Signing::StandardWebhooks { secret: b"standin".to_vec(), world_time: true }
        );
        let retry = webhooks.retry;
        assert_eq!((retry.attempts, retry.factor, retry.jitter), (3, 1500, 100_000));
        assert_eq!(webhooks.events["post.published"].as_deref(), Some(r#"{"post": {{ data | tojson }}}"#));
        let when: Vec<When> = webhooks.timeline.iter().map(|happening| happening.when).collect();
        let second = Duration::from_secs;
        assert_eq!(
            when,
            [
                When::At(second(2)),
                When::Every { span: second(30), times: Some(10) },
                When::After(contact::SPEC.operation)
            ]
        );
        let Happening::Event(last) = &webhooks.timeline[2].what else { panic!("{webhooks:?}") };
        assert_eq!((last.event.as_str(), last.business), ("conversation.closed", None));
        let fault = &webhooks.faults[0];
        assert_eq!(fault.events, ["conversation.closed", "post.published"]);
        assert_eq!((fault.count.per, fault.effect), (Per::Request, DeliveryEffect::Delay(second(5))));
        assert_eq!(webhooks.faults[1].effect, DeliveryEffect::Duplicate);
    }

    #[test]
    fn keys_left_out_have_defaults() {
        assert_eq!(read("{}"), (Webhooks::default(), vec![]));
        assert_eq!(read("retry: {attempts: 5}"), (Webhooks::default(), vec![]));
    }

    #[test]
    fn an_event_can_be_declared_without_a_payload() {
        let (webhooks, codes) = read("events: {post.published: , post.failed: {}}");
        assert_eq!(codes, [""; 0]);
        assert_eq!(
            webhooks.events.into_iter().collect::<Vec<_>>(),
            [("post.failed".to_owned(), None), ("post.published".to_owned(), None)]
        );
    }
}
