//! Lists of the admin side: bare arrays, a page at a time.

use serde_json::Value;

use crate::api::call::Call;
use crate::api::reply::Reply;
use crate::server::guard::error;

/// How many elements a list has at the most, unless told and if told.
const PAGE: usize = 1_000;
const LARGEST_PAGE: usize = 10_000;

/// Which part of a list a call asks for.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// How many elements stand before it.
    pub offset: usize,
    /// How many it has at the most.
    pub limit: usize,
}

impl Page {
    /// What the query says.
    ///
    /// # Errors
    /// The answer, where that is none.
    pub fn of(call: &Call<'_>) -> Result<Self, Reply> {
        let asked = |name, default| match call.parameter(name) {
            None => Ok(default),
            Some(text) => text
                .parse::<usize>()
                .map_err(|_| error(400, &format!("{name} must be an integer of 0 or more; it is {text}."))),
        };
        let page = Self { offset: asked("offset", 0)?, limit: asked("limit", PAGE)? };
        if page.limit > LARGEST_PAGE {
            let message = format!("limit must be at most {LARGEST_PAGE}; it is {}.", page.limit);
            return Err(error(400, &message));
        }
        Ok(page)
    }

    /// That page as an answer; the length of the whole list stands in a header.
    #[must_use]
    pub fn reply(total: usize, values: Vec<Value>) -> Reply {
        Self::written(total, Value::Array(values).to_string().into_bytes())
    }

    /// The same of a page that is written already.
    #[must_use]
    pub fn written(total: usize, body: impl Into<bytes::Bytes>) -> Reply {
        Reply::json(200, body).with("x-total-count", total.to_string())
    }
}

/// A page of a list that is at hand.
///
/// # Errors
/// The answer, where the query asks for none.
pub fn list(call: &Call<'_>, values: Vec<Value>) -> Result<Reply, Reply> {
    let Page { offset, limit } = Page::of(call)?;
    let total = values.len();
    Ok(Page::reply(total, values.into_iter().skip(offset).take(limit).collect()))
}
