//! The tools of a coding agent, by the Model Context Protocol: JSON-RPC 2.0, in the revisions 2026-07-28 (every request by itself)
//! and 2025-11-25 (after a handshake). Nothing is remembered between two messages, so both are answered on one connection.

/// The definitions of the tools.
mod definitions;
/// What the tools do.
mod tools;
/// What can be read: the schema, the documentation, the shipped scenarios.
mod resources;
/// The answers of tools, in pages.
mod page;
/// Calls of the admin API.
mod admin;
/// The HTTP transport.
pub(crate) mod http;

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::server::mcp::admin::Admin;
use crate::server::state::State;

/// The revision without a handshake, and the one before.
const PRESENT: &str = "2026-07-28";
const PREVIOUS: &str = "2025-11-25";
/// Members of `_meta`.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const SERVER: &str = "io.modelcontextprotocol/serverInfo";

const INSTRUCTIONS: &str = "Standin is a fake backend of a business-reputation API. `status` tells the base URL and keys. Make a world for each experiment with `world`, send calls to its base URL, read them with `calls` (`why` explains one), inject faults with `fault`, and judge the client with `report`. Write scenarios with `check` until it finds nothing, then `put_scenario`; resources have the schema and the documentation.";

/// Answers the messages of agents.
#[derive(Debug)]
pub(crate) struct Mcp {
    state: Arc<State>,
    admin: Admin,
}

/// A JSON-RPC error.
#[derive(Debug)]
struct RpcError {
    code: i32,
    message: String,
    data: Option<Value>,
}

impl RpcError {
    const PARSE: i32 = -32700;
    const REQUEST: i32 = -32600;
    const METHOD: i32 = -32601;
    const PARAMS: i32 = -32602;
    const HEADER: i32 = -32020;
    const VERSION: i32 = -32022;

    fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    fn params(message: impl Into<String>) -> Self {
        Self::new(Self::PARAMS, message)
    }

    fn unsupported(version: &Value) -> Self {
        let message = format!(
            "the protocol version {version} is not served: name {PRESENT} in params._meta, or begin with initialize, which settles on {PREVIOUS}"
        );
        let data = json!({ "supported": [PRESENT, PREVIOUS], "requested": version });
        Self { data: Some(data), ..Self::new(Self::VERSION, message) }
    }

    /// The answer to a request of that id; null if it has none that can be read.
    fn answer(self, id: &Value) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = self.data {
            error["data"] = data;
        }
        json!({ "jsonrpc": "2.0", "id": id, "error": error })
    }
}

/// A request or a notification.
#[derive(Debug)]
struct Message {
    /// None for a notification.
    id: Option<Value>,
    method: String,
    params: Map<String, Value>,
}

impl Message {
    /// Reads a message. None for an answer, since nothing is asked of the agent.
    ///
    /// # Errors
    /// It is none; with the id, if it has one.
    fn of(value: Value) -> Result<Option<Self>, (Value, RpcError)> {
        let Value::Object(mut members) = value else {
            return Err((Value::Null, RpcError::new(RpcError::REQUEST, "a message is a JSON object")));
        };
        let id = members.remove("id");
        let is_id = |id: &Value| id.is_string() || id.is_i64() || id.is_u64();
        let shown = id.clone().filter(is_id).unwrap_or_default();
        let wrong = |what: &str| Err((shown.clone(), RpcError::new(RpcError::REQUEST, what)));
        if members.get("jsonrpc") != Some(&Value::from("2.0")) {
            return wrong("jsonrpc must be \"2.0\"");
        }
        let method = match members.remove("method") {
            Some(Value::String(method)) => method,
            None if members.contains_key("result") || members.contains_key("error") => return Ok(None),
            Some(_) | None => return wrong("method must be a string"),
        };
        if id.as_ref().is_some_and(|id| !is_id(id)) {
            return wrong("id must be a string or an integer");
        }
        let params = match members.remove("params") {
            None => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => return Err((shown, RpcError::params("params must be an object"))),
        };
        Ok(Some(Self { id, method, params }))
    }

    /// The revision that the request names.
    fn version(&self) -> Option<&Value> {
        self.params.get("_meta")?.get(VERSION)
    }

    /// The name of the tool or resource that it asks for.
    fn name(&self) -> Option<&str> {
        ["name", "uri"].iter().find_map(|name| self.params.get(*name)?.as_str())
    }
}

impl Mcp {
    /// `host` is the host and port with which the agent reaches the server; None for the address it listens on.
    pub(crate) fn new(state: Arc<State>, host: Option<String>) -> Self {
        let admin = Admin::new(&state, host);
        Self { state, admin }
    }

    /// The answer to a message that is too large to be read.
    pub(crate) fn too_large(most: usize) -> Value {
        let why = format!("the message has more than {} MiB, the most that one may have", most >> 20);
        RpcError::new(RpcError::PARSE, why).answer(&Value::Null)
    }

    /// Answers a message. None if it asks for no answer.
    pub(crate) async fn answer(&self, text: &[u8]) -> Option<Value> {
        let (answer, _) = self.exchange(text, |_| Ok(())).await;
        answer
    }

    /// Answers a message that `check` accepts. Returns the code of the error, too.
    async fn exchange(
        &self,
        text: &[u8],
        check: impl FnOnce(&Message) -> Result<(), RpcError>,
    ) -> (Option<Value>, Option<i32>) {
        let failed = |id: &Value, error: RpcError| {
            let code = error.code;
            (Some(error.answer(id)), Some(code))
        };
        let value = match serde_json::from_slice(text) {
            Ok(value) => value,
            Err(error) => return failed(&Value::Null, RpcError::new(RpcError::PARSE, error.to_string())),
        };
        let message = match Message::of(value) {
            Ok(Some(message)) => message,
            Ok(None) => return (None, None),
            Err((id, error)) => return failed(&id, error),
        };
        if let Err(error) = check(&message) {
            return failed(&message.id.unwrap_or_default(), error);
        }
        let Some(id) = message.id.clone() else { return (None, None) };
        match self.result(&message).await {
            Ok(result) => (Some(json!({ "jsonrpc": "2.0", "id": id, "result": result })), None),
            Err(error) => failed(&id, error),
        }
    }

    async fn result(&self, message: &Message) -> Result<Value, RpcError> {
        let is_present = match message.version() {
            None => message.method == "server/discover",
            Some(version) if version == PRESENT => true,
            Some(version) if version == PREVIOUS => message.method == "server/discover",
            Some(version) if version.is_string() => return Err(RpcError::unsupported(version)),
            Some(_) => return Err(RpcError::params(format!("{VERSION} must be a string"))),
        };
        let information =
            json!({ "name": "standin", "title": "Standin", "version": env!("CARGO_PKG_VERSION") });
        let capabilities = json!({ "tools": {}, "resources": {} });
        let (mut result, is_list) = match message.method.as_str() {
            "server/discover" => (
                json!({
                    "supportedVersions": [PRESENT, PREVIOUS],
                    "capabilities": capabilities,
                    "instructions": INSTRUCTIONS,
                }),
                true,
            ),
            "initialize" if !is_present => {
                return Ok(json!({
                    "protocolVersion": PREVIOUS,
                    "capabilities": capabilities,
                    "serverInfo": information,
                    "instructions": INSTRUCTIONS,
                }));
            }
            "ping" if !is_present => return Ok(json!({})),
            "tools/list" => (json!({ "tools": definitions::list() }), true),
            "tools/call" => (self.call(&message.params).await?, false),
            "resources/list" => (json!({ "resources": resources::list() }), true),
            "resources/templates/list" => (json!({ "resourceTemplates": [] }), true),
            "resources/read" => {
                let uri = message.params.get("uri").and_then(Value::as_str);
                let uri = uri.ok_or_else(|| RpcError::params("uri must be a string"))?;
                let read = resources::read(uri);
                let contents = read.ok_or_else(|| RpcError::params(format!("there is no resource {uri}")))?;
                (json!({ "contents": [contents] }), true)
            }
            other => return Err(RpcError::new(RpcError::METHOD, format!("there is no method {other}"))),
        };
        if is_present {
            result["resultType"] = "complete".into();
            result["_meta"] = json!({ SERVER: information });
            if is_list {
                result["ttlMs"] = 3_600_000.into();
                result["cacheScope"] = "public".into();
            }
        }
        Ok(result)
    }

    /// The result of a tool. That it failed is a result, too, which the agent reads.
    async fn call(&self, params: &Map<String, Value>) -> Result<Value, RpcError> {
        let name = params.get("name").and_then(Value::as_str);
        let name = name.ok_or_else(|| RpcError::params("name must be a string"))?;
        let arguments = match params.get("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments.clone(),
            Some(_) => return Err(RpcError::params("arguments must be an object")),
        };
        let called = tools::call(self, name, &arguments).await;
        let called = called.ok_or_else(|| RpcError::params(format!("there is no tool {name}")))?;
        let (text, is_error) = match called {
            Ok(text) => (text, false),
            Err(text) => (text, true),
        };
        Ok(json!({ "content": [{ "type": "text", "text": text }], "isError": is_error }))
    }
}
