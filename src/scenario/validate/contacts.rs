//! Validates contacts.

use crate::dataset::records::{Contact, ContactPlan, CustomField, Preferences};
use crate::scenario::diagnostic::Findings;
use crate::scenario::loader::Loader;
use crate::scenario::raw::List;
use crate::scenario::raw_records::{self as raw, ContactEntry, Records};
use crate::scenario::read::Spanned;
use crate::scenario::report::unknown_word;
use crate::scenario::seed_data;
use crate::scenario::source::Span;
use crate::scenario::validate::businesses::Accounts;
use crate::scenario::validate::{Unique, plan, text};

const COUNTRIES: [&str; 6] = ["US", "AU", "CA", "MX", "PR", "VI"];
const FIELD_TYPES: [&str; 7] = ["text", "number", "currency", "date", "yesno", "yes/no", "boolean"];

/// Validates the contacts of an account: given ones and plans of generated ones.
pub(crate) fn validate(
    loader: &mut Loader,
    accounts: &Accounts,
    account: u64,
    list: List<ContactEntry>,
) -> (Vec<Contact>, Vec<ContactPlan>) {
    let mut ids = Unique::new("duplicate-id", "contact id");
    let (mut given, mut plans) = (Vec::new(), Vec::new());
    for entry in list {
        match entry.value {
            Records::Given(raw) => {
                given.extend(contact(&mut loader.findings, accounts, account, raw, &mut ids));
            }
            Records::File(file) => seed_data::read(loader, file, |findings, raw| {
                given.extend(contact(findings, accounts, account, raw, &mut ids));
            }),
            Records::Generated(raw) => plans.extend(plan::contacts(loader, raw)),
        }
    }
    (given, plans)
}

/// Whether a text looks like an email address.
pub(crate) fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && !host.is_empty() && !host.contains('@') && !text.contains(char::is_whitespace)
    })
}

fn contact(
    findings: &mut Findings,
    accounts: &Accounts,
    account: u64,
    raw: raw::Contact,
    ids: &mut Unique<u64>,
) -> Option<Contact> {
    if let Some(id) = raw.id {
        ids.insert(findings, id.value.0, id.span);
    }
    if let Some(email) = raw.email.as_ref().filter(|email| !is_email(&email.value.0)) {
        findings.error("wrong-value", email.span, "`email` must be an email address: `name@example.test`");
    }
    if let Some(code) = &raw.country_code {
        check_word(findings, "countryCode", code.span, &code.value.0, &COUNTRIES);
    }
    let mut business_ids = Vec::new();
    for id in raw.business_ids.into_iter().flat_map(|list| list.value) {
        business_ids.extend(accounts.resolve_within(findings, account, id));
    }
    let mut custom_fields = Vec::new();
    for Spanned { value: field, .. } in raw.custom_fields.into_iter().flat_map(|list| list.value) {
        if let Some(kind) = &field.kind {
            check_word(findings, "type", kind.span, &kind.value.0, &FIELD_TYPES);
        }
        let (Some(name), Some(value)) = (field.name, field.value) else { continue };
        let kind = text(field.kind).unwrap_or_else(|| FIELD_TYPES[0].to_owned());
        custom_fields.push(CustomField { name: name.value.0, kind, value: value.value.0 });
    }
    let tags = raw.tags.into_iter().flat_map(|list| list.value).map(|tag| tag.value.0);
    Some(Contact {
        id: raw.id?.value.0,
        first_name: text(raw.first_name),
        last_name: text(raw.last_name),
        email: text(raw.email),
        phone: text(raw.phone),
        country_code: text(raw.country_code),
        sms_optin: raw.sms_optin.map(|it| it.value),
        blocked: raw.blocked.map(|it| it.value),
        business_ids,
        tags: tags.collect(),
        custom_fields,
        external_id: text(raw.external_id),
        email_preferences: raw.email_preferences.map(|it| preferences(&it.value)),
        sms_preferences: raw.sms_preferences.map(|it| preferences(&it.value)),
    })
}

fn preferences(raw: &raw::Preferences) -> Preferences {
    Preferences {
        marketing_optin: raw.marketing_optin.map(|it| it.value),
        feedback_optin: raw.feedback_optin.map(|it| it.value),
        service_optin: raw.service_optin.map(|it| it.value),
    }
}

fn check_word(findings: &mut Findings, key: &'static str, span: Span, word: &str, words: &[&str]) {
    if !words.contains(&word) {
        findings.key = key;
        unknown_word(findings, span, word, words);
    }
}
