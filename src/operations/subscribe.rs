//! `POST /v1/messenger/subscribe/webhook/event`: registers an endpoint for events of an account.
//!
//! The API key is in the body (`apiKey`). The alias `message.closed` is stored and answered as `conversation.closed`
//! (`docs/api.md` 4).

use std::sync::{LazyLock, PoisonError};

use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use crate::api::call::Call;
use crate::api::error::{ApiError, Code};
use crate::api::events;
use crate::api::field::{self, Field, element_must_be, must_be};
use crate::api::operation::Operation;
use crate::api::origin::is_foreign_page;
use crate::api::schema::{self, Integer};
use crate::dataset::facts::BusinessRef;
use crate::ledger::subscriptions::Subscription;
use crate::operations::spec::{Authorized, Context, Done, KeyIn, Run, Spec, full};

pub(crate) static SPEC: Spec = Spec {
    operation: Operation::new("subscribe"),
    summary: "Subscribe an endpoint to events of an account",
    path: "/v1/messenger/subscribe/webhook/event",
    key: KeyIn::Body(api_key),
    query: &[],
    request: LazyLock::new(schema::of::<Request<'_>>),
    needs_body: true,
    response: LazyLock::new(schema::closed::<Response<'_>>),
    own_codes: &[Code::BusinessInvalid],
    injected_2003: "events is mandatory",
    paging: None,
    searches: None,
    run: Run::ForKey(run),
};

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Request<'a> {
    #[serde(borrow, default)]
    #[schema(value_type = Integer, inline, required = true)]
    pub(crate) business_number: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = String, required = true)]
    pub(crate) api_key: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Vec<String>, required = true, min_items = 1)]
    pub(crate) events: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = String, required = true, format = "uri")]
    pub(crate) endpoint: Field<'a>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response<'a> {
    pub(crate) subscription_id: u64,
    pub(crate) business_id: u64,
    pub(crate) events: &'a [String],
}

/// The key in the body. An empty body has none.
fn api_key(call: &Call<'_>) -> Result<Option<String>, ApiError> {
    if field::is_blank(call.bytes()) {
        return Ok(None);
    }
    let request: Request = field::object(call.bytes())?;
    // A value that is not a string is a key that nobody has.
    let sent = request.api_key.raw();
    Ok(sent.map(|raw| field::string(raw).map_or_else(|| raw.to_owned(), std::borrow::Cow::into_owned)))
}

fn run(context: &Context<'_>, authorized: &Authorized<'_>) -> Result<Done, ApiError> {
    let call = authorized.call;
    let request: Request = field::object(call.bytes())?;
    let account = account(context, authorized, request.business_number)?;
    let events = events_of(context, request.events)?;
    let endpoint = endpoint(request.endpoint)?;

    let business_id = context.dataset.account(account).number;
    let by_page = is_foreign_page(call);
    let (business, created) = (business_id, context.now);
    let new = Subscription { id: 0, business, events: events.clone(), endpoint, by_page, created };
    let mut ledger = context.ledger.lock().unwrap_or_else(PoisonError::into_inner);
    let subscription_id = ledger.subscribe(new).map_err(full)?;
    drop(ledger);
    Ok(Done::new(business_id, &Response { subscription_id, business_id, events: &events }))
}

fn account(context: &Context<'_>, authorized: &Authorized<'_>, field: Field<'_>) -> Result<u32, ApiError> {
    let name = "businessNumber";
    let refuse = |why: &str| ApiError::new(Code::BusinessInvalid, format!("{name}: {why}"));
    let raw = field.raw().ok_or_else(|| refuse("it is missing"))?;
    let number = field::integer(raw).ok_or_else(|| refuse("it is not a number"))?;
    match authorized.caller.business(context.dataset, name, &number.to_string())? {
        BusinessRef::Account(account) => Ok(account),
        BusinessRef::Location(_) => Err(refuse("this is a location; events belong to an account")),
    }
}

/// The events asked for, each once, with aliases replaced by the names they stand for.
fn events_of(context: &Context<'_>, field: Field<'_>) -> Result<Vec<String>, ApiError> {
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
