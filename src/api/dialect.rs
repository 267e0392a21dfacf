//! Options of the API that a scenario can change (`docs/scenarios.md`, `dialect`).

use std::collections::BTreeMap;

use crate::api::error::Code;
use crate::api::operation::Operation;
use crate::api::sources::{self, Source};

/// The dialect options of one scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one option of the scenario, with the name that it has there"
)]
pub(crate) struct Dialect {
    pub(crate) names: Names,
    /// Statuses that differ from the catalogue's, by code, for one operation or (none) for all.
    pub(crate) statuses: BTreeMap<(Code, Option<Operation>), u16>,
    /// Whether the range of the review list includes `toDate`.
    pub(crate) to_date: ToDate,
    /// Whether the review list asks for a start index and a count.
    pub(crate) page_required: bool,
    /// Whether the query parameter `api_key` is accepted if there is no header.
    pub(crate) query_api_key: bool,
    /// Whether a contact update must itself carry email or phone.
    pub(crate) contact_identity_in_request: bool,
    /// Whether a 429 of the rate limit has `Retry-After`.
    pub(crate) retry_after: bool,
    /// Whether the header `baggage` can name the world of a request.
    pub(crate) baggage: bool,
    pub(crate) cors: Cors,
    /// All sources: the built-in ones, then the scenario's.
    pub(crate) sources: Vec<Source>,
}

/// Names of the query parameters that a scenario can rename.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    /// Index of the first review, from 0.
    pub(crate) start_index: String,
    /// Number of reviews.
    pub(crate) count: String,
    /// True asks for a competitor's reviews.
    pub(crate) competitor: String,
    /// The business of the Q&A list.
    pub(crate) business: String,
}

/// Whether a range of days includes its last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToDate {
    Inclusive,
    Exclusive,
    /// Exclusive for the reviews of own businesses, inclusive for those of competitors.
    ExclusiveForOwn,
}

/// Which origins a page may call from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cors {
    Any,
    /// No CORS header is ever sent, and a preflight is an ordinary request.
    None,
    /// Only these, compared as sent.
    Origins(Vec<String>),
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            names: Names {
                start_index: "sindex".to_owned(),
                count: "count".to_owned(),
                competitor: "isCompetitor".to_owned(),
                business: "businessId".to_owned(),
            },
            statuses: BTreeMap::new(),
            to_date: ToDate::Inclusive,
            page_required: false,
            query_api_key: false,
            contact_identity_in_request: false,
            retry_after: true,
            baggage: true,
            cors: Cors::Any,
            sources: sources::built_in(),
        }
    }
}

impl Dialect {
    /// The HTTP status of a code for an operation.
    pub(crate) fn status(&self, code: Code, operation: Option<Operation>) -> u16 {
        let changed = |operation| self.statuses.get(&(code, operation)).copied();
        operation
            .and_then(|operation| changed(Some(operation)))
            .or_else(|| changed(None))
            .unwrap_or(code.row().status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operations_own_status_beats_that_for_all() {
        let mut dialect = Dialect::default();
        assert_eq!(dialect.status(Code::NumberInvalid, None), 429);
        dialect.statuses.insert((Code::KeyMissing, None), 403);
        dialect.statuses.insert((Code::KeyMissing, Some(Operation::new("contact"))), 400);
        assert_eq!(dialect.status(Code::KeyMissing, Some(Operation::new("contact"))), 400);
        assert_eq!(dialect.status(Code::KeyMissing, Some(Operation::new("qna"))), 403);
    }
}
