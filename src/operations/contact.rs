//! `POST /v1/contact/external/preferences/saveCustomer`: creates a contact of an enterprise, or updates it.
//!
//! Which stored contact is meant, and what identifies one, is as `behaviour.md` 4 decides: the first of `id`,
//! `externalId`, `email`, `phone` that finds one.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::api::call::Call;
use crate::api::email;
use crate::api::error::{ApiError, Code};
use crate::api::field::{self, Field, element_must_be, must_be};
use crate::api::phone::COUNTRIES;
use crate::dataset::facts::{BusinessRef, Dataset};
use crate::dataset::records::{CustomField, Preferences};
use crate::ledger::Ledger;
use crate::ledger::contacts::Change;
use crate::operations::{Answer, Context};

/// The body.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the documented fields, in the documented order")]
pub struct Request<'a> {
    #[serde(borrow)]
    pub id: Field<'a>,
    #[serde(borrow)]
    pub first_name: Field<'a>,
    #[serde(borrow)]
    pub last_name: Field<'a>,
    #[serde(borrow)]
    pub email: Field<'a>,
    #[serde(borrow)]
    pub phone: Field<'a>,
    #[serde(borrow)]
    pub country_code: Field<'a>,
    #[serde(borrow)]
    pub sms_optin: Field<'a>,
    #[serde(borrow)]
    pub blocked: Field<'a>,
    #[serde(borrow)]
    pub business_ids: Field<'a>,
    #[serde(borrow)]
    pub tags: Field<'a>,
    #[serde(borrow)]
    pub custom_fields: Field<'a>,
    #[serde(borrow)]
    pub external_id: Field<'a>,
    #[serde(borrow)]
    pub email_preferences: Field<'a>,
    #[serde(borrow)]
    pub sms_preferences: Field<'a>,
}

/// One custom field.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the documented fields, in the documented order")]
pub struct RequestField<'a> {
    #[serde(borrow)]
    pub field_name: Field<'a>,
    #[serde(borrow, rename = "type")]
    pub kind: Field<'a>,
    #[serde(borrow)]
    pub field_value: Field<'a>,
}

/// Preference flags.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the documented fields, in the documented order")]
pub struct RequestPreferences<'a> {
    #[serde(borrow)]
    pub marketing_optin: Field<'a>,
    #[serde(borrow)]
    pub feedback_optin: Field<'a>,
    #[serde(borrow)]
    pub service_optin: Field<'a>,
}

/// The answer.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the documented field")]
pub struct Response {
    pub id: u64,
}

/// Answers the call. The look-up and the write are one under the ledger's lock, so that concurrent upserts of one new
/// identity make one contact.
///
/// # Errors
/// 5008 without a body, 5043 for an unknown `id`, 1532 for business ids, 20099 for SMS preferences that the account
/// does not take, 2003 for every other field.
pub fn answer(
    context: Context<'_>,
    dataset: &Dataset,
    ledger: &Mutex<Ledger>,
    call: &Call<'_>,
) -> Result<Answer, ApiError> {
    let enterprise = context.enterprise.unwrap_or_default();
    if field::is_blank(call.bytes()) {
        return Err(ApiError::new(Code::NoBody, ""));
    }
    let request: Request = field::object(call.bytes())?;
    let number = dataset.account(enterprise).number;
    let seeded = dataset.contacts.of(number);
    let mut ledger = ledger.lock().unwrap_or_else(PoisonError::into_inner);
    let contacts = ledger.contacts.of(number, seeded);

    let id = request.id.integer("id")?;
    let unknown =
        |id: i64| ApiError::new(Code::ContactUnknown, format!("id: {id} is no contact of this enterprise"));
    if let Some(id) = id.filter(|id| u64::try_from(*id).ok().and_then(|id| contacts.get(id)).is_none()) {
        return Err(unknown(id));
    }
    let change = change(dataset, enterprise, id, &request)?;

    let Some(mut upsert) = contacts.upsert(dataset.seed, number, &change) else {
        return Err(unknown(id.unwrap_or_default()));
    };
    let in_request = change.email.is_some() || change.phone.is_some();
    let stored = upsert.contact.email.is_some() || upsert.contact.phone.is_some();
    if !(in_request || stored && !context.dialect.contact_identity_in_request) {
        return Err(ApiError::validation("email or phone is mandatory", ""));
    }
    if upsert.created && change.business_ids.is_empty() {
        return Err(ApiError::new(Code::BusinessMissing, "businessIds: mandatory when a contact is created"));
    }
    if upsert.created {
        upsert.contact.country_code.get_or_insert_with(|| COUNTRIES[0].to_owned());
    }
    let id = upsert.contact.id;
    ledger.contacts.put(number, upsert.contact);
    let note = upsert.other.map(|other| {
        format!("values of the call belong to contact {other} as well; contact {id} was updated, found first")
    });
    Ok(Answer { note, ..Answer::of(&Response { id }) })
}

/// Reads the fields, in the documented order.
fn change(
    dataset: &Dataset,
    enterprise: u32,
    id: Option<i64>,
    request: &Request<'_>,
) -> Result<Change, ApiError> {
    let text = |field: Field<'_>, name| field.text(name).map(|text| text.map(std::borrow::Cow::into_owned));
    Ok(Change {
        id,
        first_name: text(request.first_name, "firstName")?,
        last_name: text(request.last_name, "lastName")?,
        email: match text(request.email, "email")? {
            Some(sent) if !email::looks_like_one(sent.trim()) => {
                return Err(must_be("email", "an email address", &sent));
            }
            email => email,
        },
        phone: text(request.phone, "phone")?,
        country_code: match text(request.country_code, "countryCode")? {
            Some(sent) if !COUNTRIES.contains(&sent.as_str()) => {
                return Err(must_be("countryCode", &format!("one of {}", COUNTRIES.join(", ")), &sent));
            }
            country => country,
        },
        sms_optin: request.sms_optin.boolean("smsOptin")?,
        blocked: request.blocked.boolean("blocked")?,
        business_ids: business_ids(dataset, enterprise, request.business_ids)?,
        tags: match request.tags.texts("tags")? {
            tags if tags.is_empty() && !request.tags.is_list() => None,
            tags => Some(tags.into_iter().map(std::borrow::Cow::into_owned).collect()),
        },
        custom_fields: custom_fields(request.custom_fields)?,
        external_id: text(request.external_id, "externalId")?,
        email_preferences: preferences(request.email_preferences, "emailPreferences")?,
        sms_preferences: match preferences(request.sms_preferences, "smsPreferences")? {
            Some(_) if !dataset.account(enterprise).text_categorisation => {
                return Err(ApiError::new(Code::TextCategorisation, ""));
            }
            preferences => preferences,
        },
    })
}

/// Ids of locations of the enterprise, or of the account itself.
fn business_ids(dataset: &Dataset, enterprise: u32, field: Field<'_>) -> Result<Vec<u64>, ApiError> {
    let ids = field.integers("businessIds")?;
    let check = |(at, id): (usize, i64)| match dataset.find(id) {
        Some(BusinessRef::Account(account)) if account == enterprise => Ok(id.unsigned_abs()),
        Some(BusinessRef::Location(place)) if dataset.account_of(place) == enterprise => {
            Ok(id.unsigned_abs())
        }
        Some(_) | None => {
            let detail = format!("businessIds[{at}]: {id} is not a business of this enterprise");
            Err(ApiError::new(Code::BusinessMissing, detail))
        }
    };
    ids.into_iter().enumerate().map(check).collect()
}

fn preferences(field: Field<'_>, name: &str) -> Result<Option<Preferences>, ApiError> {
    let Some(sent) = field.object::<RequestPreferences>(name)? else { return Ok(None) };
    Ok(Some(Preferences {
        marketing_optin: sent.marketing_optin.boolean(&format!("{name}.marketingOptin"))?,
        feedback_optin: sent.feedback_optin.boolean(&format!("{name}.feedbackOptin"))?,
        service_optin: sent.service_optin.boolean(&format!("{name}.serviceOptin"))?,
    }))
}

fn custom_fields(field: Field<'_>) -> Result<Option<Vec<CustomField>>, ApiError> {
    let (name, allowed) = ("customFields", "a list of objects");
    let read = |(at, raw): (usize, &str)| {
        let sent: RequestField = raw
            .starts_with('{')
            .then(|| serde_json::from_str(raw).ok())
            .flatten()
            .ok_or_else(|| element_must_be(name, at, allowed, raw))?;
        let place = |member| format!("{name}[{at}].{member}");
        let (name, kind) = (place("fieldName"), place("type"));
        let Some(name) = sent.field_name.text(&name)? else { return Err(ApiError::mandatory(&name)) };
        let kind = sent.kind.text(&kind)?.map_or_else(|| "text".to_owned(), std::borrow::Cow::into_owned);
        let value = sent.field_value.text(&place("fieldValue"))?.unwrap_or_default().into_owned();
        match CustomField::problem(&kind, &value) {
            Some((member, allowed)) => {
                Err(must_be(&place(member), allowed, if member == "type" { &kind } else { &value }))
            }
            None => Ok(CustomField { name: name.into_owned(), kind, value }),
        }
    };
    let fields = field.list(name, allowed)?.enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    Ok((!fields.is_empty() || field.is_list()).then_some(fields))
}
