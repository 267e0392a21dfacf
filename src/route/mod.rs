//! Routes: operations that a scenario defines. A route has a condition on requests, what it stores and removes, and responses
//! whose texts are templates over the data of the world. All of it is compiled when the scenario is loaded.

/// Paths with parameters.
pub(crate) mod path;
/// The routes of a scenario.
pub(crate) mod table;
/// The data that templates read.
pub(crate) mod facts;
/// Lists of records.
pub(crate) mod records;
/// The filters of templates.
pub(crate) mod filters;
/// Bodies with templates in them.
pub(crate) mod tree;
/// The names that templates see.
pub(crate) mod context;
/// Answering a request.
pub(crate) mod answer;
/// JSON Schemas that requests must fit.
pub(crate) mod schema;

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use serde_json::Value;

use crate::api::operation::Operation;
use crate::fault::condition::Condition;
use crate::fault::matching::Accept;
use crate::route::context::is_built_in;
use crate::route::path::Path;
use crate::route::schema::RequestSchema;
use crate::route::tree::{Text, Tree};

/// An operation that a scenario defines.
#[derive(Debug, PartialEq)]
pub(crate) struct Route {
    pub(crate) name: String,
    /// `route:NAME`, by which faults, the journal and the metrics know it.
    pub(crate) operation: Operation,
    pub(crate) methods: Vec<Method>,
    /// Without `/resources` and without a trailing slash.
    pub(crate) path: Path,
    /// Whether a request without a valid API key is refused.
    pub(crate) requires_key: bool,
    /// The condition on headers, query and body of the request.
    pub(crate) condition: Condition,
    pub(crate) schema: Option<RequestSchema>,
    pub(crate) writes: Vec<Write>,
    /// The first whose condition holds answers.
    pub(crate) responses: Vec<Response>,
    /// All names that its templates take from their context.
    pub(crate) names: BTreeSet<String>,
}

/// A change of what is stored, by name.
#[derive(Debug, PartialEq)]
pub(crate) enum Write {
    Store { name: String, key: Text, value: Tree },
    Remove { name: String, key: Text },
}

#[derive(Debug, PartialEq)]
pub(crate) struct Response {
    /// None if it always answers.
    pub(crate) when: Option<When>,
    pub(crate) status: u16,
    /// The headers, with names in lower case.
    pub(crate) headers: Vec<(String, Text)>,
    pub(crate) content: Content,
    /// JSON Schema of the body, for the OpenAPI document. Answers are not checked against it.
    pub(crate) schema: Option<Value>,
}

/// The condition of a response. All parts must hold.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct When {
    /// Values by path parameter.
    pub(crate) path: Vec<(String, Vec<Accept<String>>)>,
    pub(crate) condition: Condition,
    /// Keys that must be stored, by name.
    pub(crate) stored: Vec<(String, Text)>,
    /// A template whose value must be true.
    pub(crate) holds: Option<Text>,
    /// Whether the request must, or must not, fit the schema of the route.
    pub(crate) valid: Option<bool>,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Content {
    Empty,
    /// `application/json`.
    Json(Tree),
    /// `text/plain`.
    Text(Text),
}

/// An HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
    Head,
    Options,
}

impl Method {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
        }
    }
}

impl Display for Method {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl Route {
    /// Whether the route reads or writes what clients wrote to the world.
    pub(crate) fn has_state(&self) -> bool {
        let names_it =
            |name: &String| matches!(name.as_str(), "contacts" | "subscriptions") || !is_built_in(name);
        let asks_for_it =
            |response: &Response| response.when.as_ref().is_some_and(|when| !when.stored.is_empty());
        !self.writes.is_empty() || self.names.iter().any(names_it) || self.responses.iter().any(asks_for_it)
    }

    /// Whether a template of the route names one of these.
    pub(crate) fn uses(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.names.contains(*name))
    }
}

/// The names that every template sees, besides functions.
pub(crate) const VALUES: [&str; 11] =
    ["path", "query", "queries", "header", "body", "key", "now", "today", "method", "stored", "removed"];
