//! Lists of the admin side: JSON arrays, a page at a time. The length of the whole list stands in `x-total-count`.

use actix_web::HttpResponse;
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Which part of a list is asked for.
#[derive(Deserialize, IntoParams)]
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

/// The page of a list.
pub(crate) fn respond<T: Serialize>(list: Vec<T>, page: &Page) -> HttpResponse {
    let total = list.len();
    let page: Vec<T> = list.into_iter().skip(page.offset.0).take(page.limit.0).collect();
    respond_page(total, &page)
}

/// A page of a list of that length.
pub(crate) fn respond_page<T: Serialize>(total: usize, page: &[T]) -> HttpResponse {
    HttpResponse::Ok().insert_header(("x-total-count", total)).json(page)
}
