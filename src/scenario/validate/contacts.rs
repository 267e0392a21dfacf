//! Validates contacts.

use crate::dataset::custom_field::TEXT;
use crate::dataset::records::{Contact, ContactPlan, CustomField, Preferences};
use crate::scenario::diagnostic::Findings;
use crate::scenario::loader::Loader;
use crate::scenario::raw::List;
use crate::scenario::raw_records::{self as raw, ContactEntry, Records};
use crate::scenario::read::Spanned;
use crate::scenario::seed_data;
use crate::scenario::validate::businesses::Accounts;
use crate::scenario::validate::{Unique, plan, text};

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
    let mut business_ids = Vec::new();
    for id in raw.business_ids.into_iter().flat_map(|list| list.value) {
        business_ids.extend(accounts.resolve_within(findings, account, id));
    }
    let mut custom_fields = Vec::new();
    for Spanned { value: field, .. } in raw.custom_fields.into_iter().flat_map(|list| list.value) {
        let kind = field.kind.as_ref().map_or(TEXT, |kind| &*kind.value.0);
        let (Some(name), Some(value)) = (field.name, &field.value) else { continue };
        let is_relative = CustomField::relative_day(kind, &value.value.0).is_some();
        if let Some((_, allowed)) = CustomField::problem(kind, &value.value.0).filter(|_| !is_relative) {
            let message =
                format!("`fieldValue` must be {allowed}, because the type of this field is `{kind}`");
            findings.error("wrong-value", value.span, message);
        }
        custom_fields.push(CustomField {
            name: name.value.0,
            kind: kind.to_owned(),
            value: value.value.0.clone(),
        });
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
