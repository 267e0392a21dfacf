//! `POST /v1/messenger/subscribe/webhook/event`: registers an endpoint for events of an account.
//!
//! The key travels in the body (`apiKey`) and is settled before this. `message.closed`, which the document's request
//! example has, comes back as `conversation.closed`, as in its response example (`behaviour.md` 4).

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use url::Url;

use crate::api::call::Call;
use crate::api::error::{ApiError, Code};
use crate::api::events;
use crate::api::field::{self, Field, element_must_be, must_be};
use crate::dataset::facts::{BusinessRef, Dataset};
use crate::ledger::Ledger;
use crate::operations::{Answer, Context};

/// The body.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the documented fields, in the documented order")]
pub struct Request<'a> {
    #[serde(borrow)]
    pub business_number: Field<'a>,
    #[serde(borrow)]
    pub api_key: Field<'a>,
    #[serde(borrow)]
    pub events: Field<'a>,
    #[serde(borrow)]
    pub endpoint: Field<'a>,
}

/// The answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the documented fields, in the documented order")]
pub struct Response<'a> {
    pub subscription_id: u64,
    pub business_id: u64,
    pub events: &'a [String],
}

/// The key in the body, for authentication. An empty body has none.
///
/// # Errors
/// 2466 where the body is no JSON object.
pub fn sent_key(call: &Call<'_>) -> Result<Option<String>, ApiError> {
    if field::is_blank(call.bytes()) {
        return Ok(None);
    }
    let request: Request = field::object(call.bytes())?;
    // What is no string is no key of anybody.
    let sent = request.api_key.raw();
    Ok(sent.map(|raw| field::string(raw).map_or_else(|| raw.to_owned(), std::borrow::Cow::into_owned)))
}

/// Answers the call.
///
/// # Errors
/// 1011 for the business, 2003 for events and endpoint.
pub fn answer(
    context: Context<'_>,
    dataset: &Dataset,
    ledger: &Mutex<Ledger>,
    call: &Call<'_>,
) -> Result<Answer, ApiError> {
    let request: Request = field::object(call.bytes())?;
    let account = account(context, dataset, request.business_number)?;
    let events = events_of(context, request.events)?;
    let endpoint = endpoint(request.endpoint)?;

    let business_id = dataset.account(account).number;
    let from_page = ["origin", "sec-fetch-site"].iter().any(|name| call.header(name).is_some());
    let by_page = from_page && context.caller.key.is_none();
    let mut ledger = ledger.lock().unwrap_or_else(PoisonError::into_inner);
    let subscription_id = ledger.subscriptions.add(business_id, events.clone(), endpoint, by_page);
    drop(ledger);
    Ok(Answer::of(&Response { subscription_id, business_id, events: &events }))
}

fn account(context: Context<'_>, dataset: &Dataset, field: Field<'_>) -> Result<u32, ApiError> {
    let name = "businessNumber";
    let refuse = |why: &str| ApiError::new(Code::BusinessInvalid, format!("{name}: {why}"));
    let raw = field.raw().ok_or_else(|| refuse("it is missing"))?;
    let number = field::integer(raw).ok_or_else(|| refuse("it is not a number"))?;
    match context.caller.business(dataset, name, &number.to_string())? {
        BusinessRef::Account(account) => Ok(account),
        BusinessRef::Location(_) => Err(refuse("this is a location; events belong to an account")),
    }
}

/// The events asked for, each once, by their own names.
fn events_of(context: Context<'_>, field: Field<'_>) -> Result<Vec<String>, ApiError> {
    let asked = field.texts("events")?;
    if asked.is_empty() {
        return Err(ApiError::mandatory("events"));
    }
    let mut names: Vec<String> = Vec::with_capacity(asked.len());
    for (at, event) in asked.iter().enumerate() {
        let name = events::canonical(event);
        if !events::KNOWN.contains(&name) && !context.events.iter().any(|known| known == name) {
            let added = context.events.iter().map(String::as_str);
            let known: Vec<&str> = events::KNOWN.into_iter().chain(added).collect();
            return Err(element_must_be("events", at, &format!("a list of {}", known.join(", ")), event));
        }
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

fn endpoint(field: Field<'_>) -> Result<String, ApiError> {
    let Some(sent) = field.text("endpoint")? else { return Err(ApiError::mandatory("endpoint")) };
    let good = Url::parse(&sent).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if good { Ok(sent.into_owned()) } else { Err(must_be("endpoint", "an http or https URL", &sent)) }
}
