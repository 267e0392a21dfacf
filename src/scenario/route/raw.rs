//! The raw mirror of a route: its maps and keys as written. The doc lines are the descriptions in the JSON Schema.

use serde_json::{Map, Value as Json};

use crate::fault::matching::Accept;
use crate::route::Method;
use crate::scenario::collections::{NonNullMap, OneOrMany};
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::raw::FinalStatus;
use crate::scenario::node::Node;
use crate::scenario::read::{Read, choice, raw, read_word};
use crate::scenario::scalars::{NonBlank, Text};

raw! {
    /// An operation that the simulated API does not have by itself.
    pub(crate) struct RouteMap "a route" {
        /// Name of the route: its operation is `route:NAME` in faults, the journal and the metrics.
        required "name" name: NonBlank,
        /// The requests that the route answers.
        required "request" request: RouteRequest,
        /// What the route stores in the world, by name.
        optional "store" store: NonNullMap<StoreMap>,
        /// What the route takes out of the world: by name, the key, which is a template. `contacts` and `subscriptions` are those of the operations.
        optional "remove" remove: NonNullMap<Text>,
        /// The response, or a list of responses, of which the first whose `when` holds answers.
        required "response" response: OneOrMany<ResponseNode>,
    }

    /// The requests that a route answers. All given conditions must hold.
    pub(crate) struct RouteRequest "`request`" {
        /// The HTTP method, or a list of methods.
        required "method" method: OneOrMany<Method>,
        /// The path under the base URL, such as `/v1/business/{id}`.
        required "path" path: NonBlank,
        /// Request headers and the values they must have.
        optional "header" header: NonNullMap<OneOrMany<Accept<String>>>,
        /// Query parameters and the values they must have.
        optional "query" query: NonNullMap<OneOrMany<Accept<String>>>,
        /// JSON Pointers into the request body and the values they must have.
        optional "body" body: Node,
        /// Whether a request without a valid API key is refused. Default: `required`.
        optional "key" key: KeyUse,
        /// JSON Schemas of the parts of the request, for `when: {valid: true}` of a response.
        optional "schema" schema: SchemaMap,
    }

    /// JSON Schemas of the parts of a request. Parameters are the members of an object.
    pub(crate) struct SchemaMap "`schema`" {
        /// Schema of the path parameters.
        optional "path" path: Node,
        /// Schema of the query parameters.
        optional "query" query: Node,
        /// Schema of the headers, with names in lower case.
        optional "header" header: Node,
        /// Schema of the JSON body. With `x-optional: true` the body may be left out.
        optional "body" body: Node,
    }

    /// A value that a route stores.
    pub(crate) struct StoreMap "`store`" {
        /// The key under which the value is stored, which is a template.
        required "key" key: Text,
        /// The value, whose texts are templates.
        required "value" value: Node,
    }

    /// A response of a route.
    pub(crate) struct RouteResponse "`response`" {
        /// Condition on the request and on what is stored. Default: it always answers.
        optional "when" when: ResponseWhen,
        /// The HTTP status. Default: 200.
        optional "status" status: FinalStatus,
        /// Headers of the response, whose values are templates.
        optional "headers" headers: NonNullMap<Text>,
        /// The body as JSON. The texts in it are templates.
        optional "json" json: Node,
        /// The body as text, which is a template.
        optional "text" text: Text,
    }

    /// The condition of a response. All given parts must hold.
    pub(crate) struct ResponseWhen "`when`" {
        /// Path parameters and the values they must have.
        optional "path" path: NonNullMap<OneOrMany<Accept<String>>>,
        /// Query parameters and the values they must have.
        optional "query" query: NonNullMap<OneOrMany<Accept<String>>>,
        /// Request headers and the values they must have.
        optional "header" header: NonNullMap<OneOrMany<Accept<String>>>,
        /// JSON Pointers into the request body and the values they must have.
        optional "body" body: Node,
        /// Keys that must be stored, by name. A key is a template.
        optional "stored" stored: NonNullMap<Text>,
        /// A template whose value must be true: `{{ reviews(business=path.id) | length > 10 }}`.
        optional "holds" holds: Text,
        /// Whether the request must fit the `schema` of the route, or must not.
        optional "valid" valid: bool,
    }
}

choice! {
    /// Whether a route needs an API key.
    pub(crate) enum KeyUse { "required" Required, "optional" Optional }
}

/// The methods, by name.
const METHODS: [Method; 7] =
    [Method::Get, Method::Post, Method::Put, Method::Patch, Method::Delete, Method::Head, Method::Options];

impl Read for Method {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let name = read_word(findings, node, &METHODS.map(Self::name))?;
        METHODS.into_iter().find(|method| method.name() == name)
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        serde_json::json!({ "enum": METHODS.map(Self::name) })
    }
}

/// A response with its `json`, which may be null: the raw value does not distinguish that from an absent one.
#[derive(Debug, Default)]
pub(crate) struct ResponseNode {
    pub(crate) raw: RouteResponse,
    pub(crate) json: Option<Node>,
}

impl Read for ResponseNode {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let raw = RouteResponse::read(findings, node)?;
        let json = node.entries().and_then(|entries| entries.iter().find(|entry| &*entry.key == "json"));
        Some(Self { raw, json: json.map(|entry| entry.value.clone()) })
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        RouteResponse::schema(definitions)
    }
}
