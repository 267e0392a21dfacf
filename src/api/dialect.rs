//! What a scenario may change in the API's manners where `interface.md` is silent (`scenarios.md`, `dialect`).

use std::collections::BTreeMap;

use crate::api::error::Code;
use crate::api::operation::Operation;
use crate::api::sources::{self, Source};

/// The manners of one scenario's API.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the scenario's, by the name it has there"
)]
pub struct Dialect {
    /// Names of the query parameters that the interface document does not show.
    pub names: Names,
    /// Statuses that differ from the catalogue's: by code, for one operation or (with none) for all.
    pub statuses: BTreeMap<(Code, Option<Operation>), u16>,
    /// Whether `toDate` of the review list is outside its range.
    pub to_date_exclusive: bool,
    /// Whether the retired query parameter `api_key` is taken where there is no header.
    pub query_api_key: bool,
    /// Whether a contact update must itself carry email or phone.
    pub contact_identity_in_request: bool,
    /// Whether a rate-limit refusal carries `Retry-After`.
    pub retry_after: bool,
    /// Who may call from a browser.
    pub cors: Cors,
    /// All sources, the scenario's own behind the known ones.
    pub sources: Vec<Source>,
}

/// Names of query parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// First review of the list, zero-based.
    pub start_index: String,
    /// Number of reviews.
    pub count: String,
    /// True for a competitor's reviews.
    pub competitor: String,
    /// The business of the Q&A list.
    pub business: String,
}

/// Which origins a browser may call from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cors {
    /// Every one.
    Any,
    /// None: no CORS header is ever sent, and a preflight is an ordinary request.
    None,
    /// These alone, compared as sent.
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
            to_date_exclusive: false,
            query_api_key: false,
            contact_identity_in_request: false,
            retry_after: true,
            cors: Cors::Any,
            sources: sources::known(),
        }
    }
}

impl Dialect {
    /// The HTTP status of a code for an operation.
    #[must_use]
    pub fn status(&self, code: Code, operation: Option<Operation>) -> u16 {
        let told = |operation| self.statuses.get(&(code, operation)).copied();
        operation
            .and_then(|operation| told(Some(operation)))
            .or_else(|| told(None))
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
