//! `POST /v1/contact/external/preferences/saveCustomer`: creates a contact of an enterprise, or updates it.
//!
//! The first of `id`, `externalId`, `email` and `phone` that finds a stored contact decides which one is updated
//! (`docs/api.md` 4).

use std::sync::{LazyLock, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::api::email;
use crate::api::error::{ApiError, Code};
use crate::api::field::{self, Field, element_must_be, must_be};
use crate::api::operation::Operation;
use crate::api::phone::COUNTRIES;
use crate::api::schema::{self, Boolean, Integer, schemas};
use crate::dataset::facts::{BusinessRef, Dataset};
use crate::dataset::records::{CustomField, Preferences};
use crate::ledger::contacts::Change;
use crate::operations::spec::{Authorized, Context, Done, KeyIn, Run, Spec, full};

pub(crate) static SPEC: Spec = Spec {
    operation: Operation::new("contact"),
    summary: "Create or update a contact",
    path: "/v1/contact/external/preferences/saveCustomer",
    key: KeyIn::Header,
    query: &[],
    request: LazyLock::new(schema::of::<Request<'_>>),
    needs_body: true,
    response: LazyLock::new(schema::closed::<Response>),
    own_codes: &[Code::BusinessMissing, Code::NoBody, Code::ContactUnknown, Code::TextCategorisation],
    injected_2003: "email or phone is mandatory",
    paging: None,
    searches: None,
    run: Run::ForAccount(Code::BusinessMissing, run),
};

schemas! {
    Country json!({ "type": "string", "enum": COUNTRIES, "default": COUNTRIES[0] });
    CustomFieldType json!({
        "type": "string",
        "enum": ["text", "number", "currency", "date", "yesno", "yes/no", "boolean"],
        "default": "text",
    });
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Request<'a> {
    #[serde(borrow, default)]
    #[schema(value_type = Integer, inline)]
    pub(crate) id: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = String)]
    pub(crate) first_name: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = String)]
    pub(crate) last_name: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = String)]
    pub(crate) email: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = String)]
    pub(crate) phone: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Country, inline)]
    pub(crate) country_code: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Boolean, inline)]
    pub(crate) sms_optin: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Boolean, inline)]
    pub(crate) blocked: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Vec<Integer>, inline)]
    pub(crate) business_ids: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Vec<String>)]
    pub(crate) tags: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Vec<RequestField<'_>>, inline)]
    pub(crate) custom_fields: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = String)]
    pub(crate) external_id: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = RequestPreferences<'_>, inline)]
    pub(crate) email_preferences: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = RequestPreferences<'_>, inline)]
    pub(crate) sms_preferences: Field<'a>,
}

/// An item of `customFields`.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestField<'a> {
    #[serde(borrow, default)]
    #[schema(value_type = String, required = true)]
    pub(crate) field_name: Field<'a>,
    #[serde(borrow, default, rename = "type")]
    #[schema(value_type = CustomFieldType, inline)]
    pub(crate) kind: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = String)]
    pub(crate) field_value: Field<'a>,
}

/// The flags of `emailPreferences` and `smsPreferences`.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestPreferences<'a> {
    #[serde(borrow, default)]
    #[schema(value_type = Boolean, inline)]
    pub(crate) marketing_optin: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Boolean, inline)]
    pub(crate) feedback_optin: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Boolean, inline)]
    pub(crate) service_optin: Field<'a>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Response {
    pub(crate) id: u64,
}

/// The lookup and the write happen under one lock of the ledger, so that concurrent upserts of one new identity make one
/// contact.
fn run(context: &Context<'_>, authorized: &Authorized<'_>, enterprise: u32) -> Result<Done, ApiError> {
    let (dataset, call) = (context.dataset, authorized.call);
    if field::is_blank(call.bytes()) {
        return Err(ApiError::new(Code::NoBody, ""));
    }
    let request: Request = field::object(call.bytes())?;
    let number = dataset.account(enterprise).number;
    let seeded = dataset.contacts.of(number);
    let mut ledger = context.ledger.lock().unwrap_or_else(PoisonError::into_inner);
    let contacts = ledger.contacts.of(number, seeded);

    let id = request.id.integer("id")?;
    let unknown = || {
        let detail = format!("id: {} is no contact of this enterprise", request.id.sent());
        ApiError::new(Code::ContactUnknown, detail)
    };
    if id.is_some_and(|id| u64::try_from(id).ok().and_then(|id| contacts.get(id)).is_none()) {
        return Err(unknown());
    }
    let change = change(dataset, enterprise, id, &request)?;

    let Some(mut upsert) = contacts.upsert(dataset.seed, number, &change) else {
        return Err(unknown());
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
    ledger.put_contact(number, upsert.contact).map_err(full)?;
    let note = upsert.other.map(|other| {
        format!("values of the call belong to contact {other} as well; contact {id} was updated, found first")
    });
    Ok(Done { note, contact: Some(id), ..Done::new(number, &Response { id }) })
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
            let sent = field.sent_element(at);
            let detail = format!("businessIds[{at}]: {sent} is not a business of this enterprise");
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
        let place = |member| format!("{name}[{at}].{member}");
        let sent: RequestField =
            field::nested(&format!("{name}[{at}]"), raw, || element_must_be(name, at, allowed, raw))?;
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
