//! Admin handler for a world's contacts: list, in the API's field names.

use std::collections::VecDeque;
use std::sync::Arc;

use actix_web::HttpResponse;
use serde::Serialize;
use utoipa::ToSchema;

use crate::dataset::contacts::ContactIndex;
use crate::dataset::records;
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, Query, WorldPath};
use crate::server::admin::list::{self, Limit, Offset, Page};
use crate::server::api::build_dataset;
use crate::server::long;
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
pub(crate) async fn list(
    PathWorld(world): PathWorld,
    Query(page): Query<Page>,
) -> Result<HttpResponse, AdminError> {
    build_dataset(&world.snapshot()).await;
    let (contacts, total) = long::run(move || select(&world, &page)).await?;
    list::respond(total, contacts, |contact| list::json(&show(contact))).await
}

/// All contacts.
pub(crate) fn all(world: &World) -> Vec<Contact> {
    let page = Page { offset: Offset(0), limit: Limit(usize::MAX) };
    select(world, &page).0.iter().map(|contact| show(contact)).collect()
}

/// The contacts of a page, and how many there are. The ledger is locked only to copy what was written.
fn select(world: &World, page: &Page) -> (VecDeque<Arc<records::Contact>>, usize) {
    let snapshot = world.snapshot();
    let dataset = snapshot.dataset();
    let run = world.run();
    let (mut found, mut total) = (VecDeque::new(), 0);
    for business in snapshot.businesses() {
        let seeded = dataset.contacts.of(business.number);
        let written = run.ledger().contacts.written(business.number);
        let is_seeded =
            |contact: &&Arc<records::Contact>| seeded.is_some_and(|seeded| seeded.get(contact.id).is_some());
        let overridden = written.iter().filter(is_seeded).count();
        let length = seeded.map_or(0, ContactIndex::len) + written.len() - overridden;
        let rest = Page {
            offset: Offset(page.offset.0.saturating_sub(total)),
            limit: Limit(page.limit.0 - found.len()),
        };
        total += length;
        if rest.limit.0 > 0 && rest.offset.0 < length {
            let seeded = seeded.into_iter().flat_map(ContactIndex::all);
            found.append(&mut rest.of(merged(seeded, &written)));
        }
    }
    (found, total)
}

/// The contacts of an account by id: seeded ones, overridden by written ones.
fn merged<'a>(
    seeded: impl Iterator<Item = &'a Arc<records::Contact>>,
    written: &'a [Arc<records::Contact>],
) -> impl Iterator<Item = Arc<records::Contact>> {
    let (mut seeded, mut written) = (seeded.peekable(), written.iter().peekable());
    std::iter::from_fn(move || {
        let (left, right) = (seeded.peek().map(|one| one.id), written.peek().map(|one| one.id));
        if right.is_none_or(|right| left.is_some_and(|left| left < right)) {
            return seeded.next().cloned();
        }
        seeded.next_if(|_| left == right);
        written.next().cloned()
    })
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
