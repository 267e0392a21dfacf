//! Validates `contacts` and `subscriptions`: what is stored in the end.

use crate::expect::expectation::{CountRange, StoredValue};
use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::Findings;
use crate::scenario::expect::raw::{ContactsMap, CustomFieldMap, PreferencesMap, SubscriptionsMap};
use crate::scenario::node::Node;
use crate::scenario::read::Spanned;
use crate::scenario::references::{BusinessKind, References, check_accounts};
use crate::scenario::report::given_entries;
use crate::scenario::scalars::{Id, NonBlank, Text};
use crate::scenario::webhook;

/// The members of a record with their values, without those that are not given.
type Members = Vec<(&'static str, Vec<StoredValue>)>;

/// The `count`, which stands within the map of members or beside it.
pub(super) fn count(
    findings: &mut Findings,
    (kind, node): (&str, &Node),
    inside: Option<Spanned<CountRange>>,
    beside: Option<Spanned<CountRange>>,
) -> Option<CountRange> {
    if let (Some(inside), Some(beside)) = (inside, beside) {
        findings
            .error("mixed-entry", beside.span, format!("`count` stands within `{kind}` and beside it"))
            .related(inside.span, "the other");
    }
    let is_given = |node: Option<&Node>| node.is_some_and(|node| node.get("count").is_some());
    if !is_given(Some(node)) && !is_given(node.get(kind)) {
        let message = format!("this expectation needs `count`, beside `{kind}`");
        findings.error("missing-key", node.span, message).label("it does not say what is expected");
    }
    inside.or(beside).map(|count| count.value)
}

/// The numbers of an account and of its locations. None if it is unknown, which is reported.
pub(super) fn businesses(
    findings: &mut Findings,
    references: &References,
    business: Option<Spanned<Id>>,
) -> Option<Vec<u64>> {
    let Some(business) = business else { return Some(Vec::new()) };
    let account = check_accounts(findings, references, &OneOrMany(vec![business])).pop()?;
    let belongs = |(number, kind): (&u64, &BusinessKind)| {
        (*number == account || *kind == BusinessKind::Location(account)).then_some(*number)
    };
    Some(references.numbers.iter().filter_map(belongs).collect())
}

pub(super) fn contact(findings: &mut Findings, contact: &ContactsMap) -> Members {
    let field = contact.custom_fields.as_ref().map(|field| vec![custom_field(findings, &field.value)]);
    present([
        ("id", each(findings, ("id", contact.id.as_ref()), number)),
        ("firstName", each(findings, ("firstName", contact.first_name.as_ref()), text)),
        ("lastName", each(findings, ("lastName", contact.last_name.as_ref()), text)),
        ("email", each(findings, ("email", contact.email.as_ref()), word)),
        ("phone", each(findings, ("phone", contact.phone.as_ref()), word)),
        ("countryCode", each(findings, ("countryCode", contact.country_code.as_ref()), text)),
        ("smsOptin", flag(contact.sms_optin)),
        ("blocked", flag(contact.blocked)),
        ("businessIds", each(findings, ("businessIds", contact.business_ids.as_ref()), number)),
        ("tags", each(findings, ("tags", contact.tags.as_ref()), text)),
        ("customFields", field),
        ("externalId", each(findings, ("externalId", contact.external_id.as_ref()), word)),
        ("emailPreferences", contact.email_preferences.as_ref().map(|given| vec![preferences(&given.value)])),
        ("smsPreferences", contact.sms_preferences.as_ref().map(|given| vec![preferences(&given.value)])),
    ])
}

pub(super) fn subscription(
    findings: &mut Findings,
    references: &References,
    subscription: &SubscriptionsMap,
) -> Members {
    let events = given_entries(findings, "events", subscription.events.as_ref())
        .map(|names| webhook::event::validate_all(findings, references, names));
    let events = events.map(|names| names.into_iter().map(|name| StoredValue::Is(name.into())).collect());
    present([
        ("subscriptionId", each(findings, ("subscriptionId", subscription.id.as_ref()), number)),
        ("businessId", each(findings, ("businessId", subscription.business_id.as_ref()), number)),
        ("events", events),
        ("endpoint", each(findings, ("endpoint", subscription.endpoint.as_ref()), word)),
    ])
}

fn custom_field(findings: &mut Findings, field: &CustomFieldMap) -> StoredValue {
    members([
        ("fieldName", each(findings, ("fieldName", field.field_name.as_ref()), text)),
        ("type", each(findings, ("type", field.kind.as_ref()), text)),
        ("fieldValue", each(findings, ("fieldValue", field.field_value.as_ref()), text)),
    ])
}

fn preferences(given: &PreferencesMap) -> StoredValue {
    members([
        ("marketingOptin", flag(given.marketing)),
        ("feedbackOptin", flag(given.feedback)),
        ("serviceOptin", flag(given.service)),
    ])
}

fn members<const N: usize>(members: [(&'static str, Option<Vec<StoredValue>>); N]) -> StoredValue {
    StoredValue::Members(present(members))
}

fn present<const N: usize>(members: [(&'static str, Option<Vec<StoredValue>>); N]) -> Members {
    members.into_iter().filter_map(|(name, values)| Some((name, values?))).collect()
}

fn each<T>(
    findings: &mut Findings,
    (key, list): (&str, Option<&Spanned<OneOrMany<T>>>),
    value: impl Fn(&T) -> StoredValue,
) -> Option<Vec<StoredValue>> {
    given_entries(findings, key, list).map(|list| list.0.iter().map(|entry| value(&entry.value)).collect())
}

fn text(Text(text): &Text) -> StoredValue {
    StoredValue::Is(text.as_str().into())
}

fn word(NonBlank(text): &NonBlank) -> StoredValue {
    StoredValue::Is(text.as_str().into())
}

fn number(number: &Id) -> StoredValue {
    StoredValue::Is(number.0.into())
}

fn flag(flag: Option<Spanned<bool>>) -> Option<Vec<StoredValue>> {
    flag.map(|flag| vec![StoredValue::Is(flag.value.into())])
}
