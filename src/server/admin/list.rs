//! Lists of the admin side: JSON arrays, a page at a time. The length of the whole list stands in `x-total-count`.

use std::collections::VecDeque;

use actix_web::{HttpResponse, HttpResponseBuilder};
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::server::admin::error::AdminError;
use crate::server::long::{self, JsonList};

/// Which part of a list is asked for.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Page {
    #[serde(default)]
    #[param(inline)]
    pub(crate) offset: Offset,
    #[serde(default)]
    #[param(inline)]
    pub(crate) limit: Limit,
}

/// How many elements of the list are skipped.
#[derive(Clone, Copy, Default, ToSchema)]
pub(crate) struct Offset(pub(crate) usize);

/// The most elements that are answered: 1000, unless told otherwise.
#[derive(Clone, Copy, ToSchema)]
#[schema(maximum = 10000)]
pub(crate) struct Limit(pub(crate) usize);

const LARGEST_LIMIT: usize = 10_000;

impl Default for Limit {
    fn default() -> Self {
        Self(1_000)
    }
}

impl<'de> Deserialize<'de> for Offset {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        integer(from).map(|offset| offset.map(Self).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let limit = integer(from)?.map(Self).unwrap_or_default();
        if limit.0 > LARGEST_LIMIT {
            let expected = format!("at most {LARGEST_LIMIT}");
            return Err(D::Error::invalid_value(Unexpected::Unsigned(limit.0 as u64), &expected.as_str()));
        }
        Ok(limit)
    }
}

fn integer<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
    let wrong = |_| D::Error::invalid_value(Unexpected::Str(&text), &"an integer of 0 or more");
    text.parse().map(Some).map_err(wrong)
}

impl Page {
    /// The elements of a list that belong to the page.
    pub(crate) fn of<T>(&self, list: impl Iterator<Item = T>) -> VecDeque<T> {
        list.skip(self.offset.0).take(self.limit.0).collect()
    }
}

/// A page of a list of that length, whose elements are written as the client reads them.
pub(crate) async fn respond<T: Send + 'static>(
    total: usize,
    values: VecDeque<T>,
    write: impl Fn(&T) -> String + Send + 'static,
) -> Result<HttpResponse, AdminError> {
    long::respond(response(total), JsonList { around: ("[", "]"), values }, write).await
}

/// The beginning of the answer with a page of a list of that length.
pub(crate) fn response(total: usize) -> HttpResponseBuilder {
    let mut response = HttpResponse::Ok();
    response.insert_header(("x-total-count", total));
    response
}

/// The JSON of a value.
pub(crate) fn json(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value);
    debug_assert!(json.is_ok(), "a response type that is not JSON: {json:?}");
    json.unwrap_or_default()
}
