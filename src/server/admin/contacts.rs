//! The contacts of a world, in the API's field names.

use serde_json::{Value, json};

use crate::dataset::records::{Contact, Preferences};
use crate::world::World;

/// `GET …/contacts`.
#[must_use]
pub fn all(world: &World) -> Vec<Value> {
    let snapshot = world.snapshot();
    let dataset = snapshot.dataset();
    let ledger = world.ledger();
    let numbers = snapshot.businesses().iter().map(|business| business.number);
    numbers
        .flat_map(|number| {
            let contacts = ledger.contacts.of(number, dataset.contacts.of(number));
            contacts.all().into_iter().map(contact).collect::<Vec<_>>()
        })
        .collect()
}

/// A contact in the API's field names; what was never told is left out.
fn contact(contact: &Contact) -> Value {
    let flags = |preferences: Preferences| {
        told(json!({
            "marketingOptin": preferences.marketing_optin,
            "feedbackOptin": preferences.feedback_optin,
            "serviceOptin": preferences.service_optin,
        }))
    };
    let fields: Vec<Value> = contact
        .custom_fields
        .iter()
        .map(|field| json!({ "fieldName": field.name, "type": field.kind, "fieldValue": field.value }))
        .collect();
    told(json!({
        "id": contact.id,
        "firstName": contact.first_name,
        "lastName": contact.last_name,
        "email": contact.email,
        "phone": contact.phone,
        "countryCode": contact.country_code,
        "smsOptin": contact.sms_optin,
        "blocked": contact.blocked,
        "businessIds": contact.business_ids,
        "tags": contact.tags,
        "customFields": fields,
        "externalId": contact.external_id,
        "emailPreferences": contact.email_preferences.map(flags),
        "smsPreferences": contact.sms_preferences.map(flags),
    }))
}

fn told(mut value: Value) -> Value {
    if let Value::Object(members) = &mut value {
        members.retain(|_, member| !member.is_null());
    }
    value
}
