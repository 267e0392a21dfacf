//! Contacts and subscriptions in the API's field names, as the admin API and routes show them.

use serde::Serialize;
use utoipa::ToSchema;

use crate::dataset::records;
use crate::ledger::subscriptions;

/// A contact. What it does not have is left out.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Contact {
    id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    country_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sms_optin: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked: Option<bool>,
    business_ids: Vec<u64>,
    tags: Vec<String>,
    custom_fields: Vec<CustomField>,
    #[serde(skip_serializing_if = "Option::is_none")]
    external_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email_preferences: Option<Preferences>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sms_preferences: Option<Preferences>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CustomField {
    field_name: String,
    r#type: String,
    field_value: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the documented names")]
struct Preferences {
    #[serde(skip_serializing_if = "Option::is_none")]
    marketing_optin: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feedback_optin: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_optin: Option<bool>,
}

impl Contact {
    pub(crate) fn of(contact: &records::Contact) -> Self {
        let contact = contact.clone();
        let field = |field: records::CustomField| CustomField {
            field_name: field.name,
            r#type: field.kind,
            field_value: field.value,
        };
        let preferences = |preferences: records::Preferences| Preferences {
            marketing_optin: preferences.marketing_optin,
            feedback_optin: preferences.feedback_optin,
            service_optin: preferences.service_optin,
        };
        Self {
            custom_fields: contact.custom_fields.into_iter().map(field).collect(),
            email_preferences: contact.email_preferences.map(preferences),
            sms_preferences: contact.sms_preferences.map(preferences),
            id: contact.id,
            first_name: contact.first_name,
            last_name: contact.last_name,
            email: contact.email,
            phone: contact.phone,
            country_code: contact.country_code,
            sms_optin: contact.sms_optin,
            blocked: contact.blocked,
            business_ids: contact.business_ids,
            tags: contact.tags,
            external_id: contact.external_id,
        }
    }
}

/// A webhook subscription.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Subscription {
    #[serde(rename = "subscriptionId")]
    pub(crate) id: u64,
    pub(crate) business_id: u64,
    pub(crate) events: Vec<String>,
    pub(crate) endpoint: String,
    /// When it was created, by the world's clock: an instant in ISO 8601.
    pub(crate) created: String,
}

impl Subscription {
    pub(crate) fn of(stored: &subscriptions::Subscription) -> Self {
        Self {
            id: stored.id,
            business_id: stored.business,
            events: stored.events.clone(),
            endpoint: stored.endpoint.clone(),
            created: stored.created.iso(),
        }
    }
}
