//! Admin handler for a world's contacts: list, in the API's field names.

use actix_web::HttpResponse;
use serde::Serialize;
use utoipa::ToSchema;

use crate::dataset::records;
use crate::server::admin::extract::{PathWorld, Query, WorldPath};
use crate::server::admin::list::{self, Page};
use crate::server::api::build_dataset;
use crate::world::World;

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

/// Lists the contacts of a world, account by account.
#[utoipa::path(get, path = "/__admin/worlds/{world}/contacts", params(WorldPath, Page),
    responses((status = 200, description = "The contacts", body = Vec<Contact>)))]
pub(crate) async fn list(PathWorld(world): PathWorld, Query(page): Query<Page>) -> HttpResponse {
    build_dataset(&world.snapshot()).await;
    list::respond(all(&world), &page)
}

pub(crate) fn all(world: &World) -> Vec<Contact> {
    let snapshot = world.snapshot();
    let dataset = snapshot.dataset();
    let run = world.run();
    let ledger = run.ledger();
    let numbers = snapshot.businesses().iter().map(|business| business.number);
    numbers
        .flat_map(|number| {
            let contacts = ledger.contacts.of(number, dataset.contacts.of(number));
            contacts.all().into_iter().map(show).collect::<Vec<_>>()
        })
        .collect()
}

fn show(contact: &records::Contact) -> Contact {
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
    Contact {
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
