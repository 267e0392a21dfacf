//! The operations of an OpenAPI document of version 3.0, 3.1 or 3.2, with its references within the file.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::import::notes::Notes;
use crate::operations;
use crate::route::path::Path;

/// Longest chain of references to references.
const MAX_CHAIN: usize = 32;
/// Most operations of a document.
const MAX_OPERATIONS: usize = 5000;

/// The methods that routes can have.
const METHODS: [&str; 7] = ["get", "post", "put", "patch", "delete", "head", "options"];

/// What is imported. Of version 3.2, what 3.1 has too; the rest is told.
const VERSIONS: [&str; 3] = ["3.0", "3.1", "3.2"];

pub(super) struct Document<'a> {
    root: &'a Value,
    /// Keys beside a `$ref` mean nothing in version 3.0.
    pub(super) is_3_0: bool,
}

/// One operation of the document.
#[derive(Debug)]
pub(super) struct Operation<'a> {
    /// In capitals.
    pub(super) method: String,
    /// Without a trailing slash.
    pub(super) path: String,
    pub(super) value: &'a Value,
    /// The parameters of the path and of the operation, resolved.
    pub(super) parameters: Vec<&'a Value>,
}

/// The operations that are imported, and the names of all but those in whose place another is imported.
pub(super) struct Found<'a> {
    pub(super) operations: Vec<Operation<'a>>,
    pub(super) all: BTreeSet<String>,
}

/// An operation that is imported if no other of the same path is larger.
struct Candidate<'a> {
    method: String,
    path: Path,
    item: &'a Value,
    value: &'a Value,
}

impl Candidate<'_> {
    fn id(&self) -> String {
        format!("{} {}", self.method, self.path.text())
    }

    fn size(&self) -> usize {
        self.value.to_string().len()
    }
}

impl Operation<'_> {
    /// `GET /v1/business/{id}`.
    pub(super) fn id(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Concrete paths come before templated ones.
    pub(super) fn order(&self) -> (usize, String) {
        (self.path.matches('{').count(), format!("{} {}", self.path, self.method))
    }
}

/// Which operations are imported: `GET /v1/business/**`. In a path, `*` stands for one segment and `**` for any.
#[derive(Clone, Debug)]
pub(crate) struct Only {
    method: String,
    segments: Vec<String>,
}

impl Only {
    /// Reads a selection; without a method it selects all.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let (method, path) = text.trim().split_once(' ').unwrap_or(("*", text.trim()));
        if !path.trim().starts_with('/') {
            return Err("write a method and a path: 'GET /v1/business/**'".to_owned());
        }
        let segments: Vec<String> = path.trim().split('/').skip(1).map(str::to_owned).collect();
        if segments.iter().filter(|segment| *segment == "**").count() > 4 {
            return Err("a path has at most four `**`".to_owned());
        }
        Ok(Self { method: method.to_ascii_uppercase(), segments })
    }

    fn selects(&self, method: &str, path: &str) -> bool {
        fn agree(wanted: &[String], sent: &[&str]) -> bool {
            match wanted.split_first() {
                None => sent.is_empty(),
                Some((first, rest)) if first == "**" => (0..=sent.len()).any(|at| agree(rest, &sent[at..])),
                Some((first, rest)) => sent
                    .split_first()
                    .is_some_and(|(next, others)| (first == "*" || first == next) && agree(rest, others)),
            }
        }
        let sent: Vec<&str> = path.split('/').skip(1).collect();
        (self.method == "*" || self.method == method) && agree(&self.segments, &sent)
    }
}

impl<'a> Document<'a> {
    /// # Errors
    /// It is no OpenAPI document of version 3.
    pub(super) fn new(root: &'a Value) -> Result<Self, String> {
        if let Some(version) = root["swagger"].as_str() {
            return Err(format!(
                "this is a Swagger {version} document; convert it to OpenAPI 3 first, for example with swagger2openapi"
            ));
        }
        let version = match &root["openapi"] {
            Value::String(version) => version.trim().to_owned(),
            // As YAML without quotation marks.
            Value::Number(version) => version.to_string(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                return Err("this is no OpenAPI document: it has no `openapi` at its top".to_owned());
            }
        };
        let of = |supported: &str| {
            version.strip_prefix(supported).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        match VERSIONS.iter().position(|supported| of(supported)) {
            Some(at) => Ok(Self { root, is_3_0: at == 0 }),
            None => Err(format!("OpenAPI {version} is not supported; {} are", VERSIONS.join(", "))),
        }
    }

    /// Follows the references of a value. None if they lead out of the file, to nothing, or in a circle.
    pub(super) fn resolve(&self, value: &'a Value) -> Option<&'a Value> {
        let mut at = value;
        for _ in 0..MAX_CHAIN {
            let Some(reference) = at.get("$ref").and_then(Value::as_str) else { return Some(at) };
            at = self.root.pointer(&pointer_of(reference)?)?;
        }
        None
    }

    /// Follows the references of a value that is no part of the document.
    pub(super) fn resolve_any(&self, value: &Value) -> Option<&'a Value> {
        let reference = value.get("$ref")?.as_str()?;
        self.resolve(self.root.pointer(&pointer_of(reference)?)?)
    }

    /// The value at a pointer.
    pub(super) fn at(&self, pointer: &str) -> Option<&'a Value> {
        self.root.pointer(pointer)
    }

    /// The operations, concrete paths first, and the names of all.
    pub(super) fn operations(&self, only: &[Only], notes: &mut Notes) -> Found<'a> {
        let mut found = Found { operations: Vec::new(), all: BTreeSet::new() };
        let mut candidates: Vec<Candidate<'_>> = Vec::new();
        let mut losers: Vec<String> = Vec::new();
        for (key, item) in self.root["paths"].as_object().into_iter().flatten() {
            let Some(item) = self.resolve(item) else {
                notes.tell(key, "its `$ref` leads to nothing in this file");
                continue;
            };
            for method in METHODS {
                let Some(value) = item.get(method).filter(|value| value.is_object()) else { continue };
                let method = method.to_ascii_uppercase();
                let path = match route_path(key) {
                    Ok(path) => path,
                    Err(why) => {
                        notes.tell(format!("{method} {key}"), format!("not imported: {why}"));
                        continue;
                    }
                };
                let id = format!("{method} {}", path.text());
                if !found.all.insert(id.clone()) {
                    let what = "not imported: the document has this operation twice";
                    notes.tell(format!("{method} {key}"), what);
                    continue;
                }
                if !only.is_empty() && !only.iter().any(|only| only.selects(&method, path.text())) {
                    continue;
                }
                if let Some((spec, _)) = operations::at(path.text()) {
                    let name = spec.operation.name();
                    let what =
                        format!("not imported: the operation `{name}` of Standin answers at this path");
                    notes.tell(id, what);
                    continue;
                }
                let mut candidate = Candidate { method, path, item, value };
                let same = candidates
                    .iter_mut()
                    .find(|it| it.method == candidate.method && it.path.is_same_shape(&candidate.path));
                if let Some(known) = same {
                    // The order of the document is not known here.
                    if candidate.size() > known.size() {
                        std::mem::swap(known, &mut candidate);
                    }
                    let winner = known.path.text();
                    let what = format!(
                        "not imported: {winner} has the same path but for the names of its parameters, and no less text"
                    );
                    notes.tell(candidate.id(), what);
                    losers.push(candidate.id());
                    continue;
                }
                if candidates.len() >= MAX_OPERATIONS {
                    let what = format!("not imported: there are more than {MAX_OPERATIONS} operations");
                    notes.tell(id, what);
                    continue;
                }
                candidates.push(candidate);
            }
            Self::tell_other_methods(key, item, only, notes);
        }
        for loser in losers {
            found.all.remove(&loser);
        }
        for candidate in candidates {
            let id = candidate.id();
            let Candidate { method, path, item, value } = candidate;
            let parameters = self.parameters(&id, item, value, notes);
            tell_left_out(&id, item, value, notes);
            found.operations.push(Operation { method, path: path.text().to_owned(), value, parameters });
        }
        if let Some(webhooks) = self.root["webhooks"].as_object().filter(|webhooks| !webhooks.is_empty()) {
            let names: Vec<&str> = webhooks.keys().take(5).map(String::as_str).collect();
            let more = if webhooks.len() > names.len() { ", …" } else { "" };
            let what = format!(
                "not imported: {} ({}{more}); a scenario sends webhooks by its key `webhooks`",
                webhooks.len(),
                names.join(", ")
            );
            notes.tell("webhooks", what);
        }
        found.operations.sort_by_key(Operation::order);
        found
    }

    /// Tells the operations with methods that routes cannot have.
    fn tell_other_methods(key: &str, item: &Value, only: &[Only], notes: &mut Notes) {
        let additional = item["additionalOperations"].as_object().into_iter().flatten();
        let others = ["trace", "query"].iter().filter(|method| item[**method].is_object());
        let others = others.map(|method| method.to_ascii_uppercase());
        for method in others.chain(additional.map(|(method, _)| method.clone())) {
            let path = key.strip_suffix('/').unwrap_or(key);
            if only.is_empty() || only.iter().any(|only| only.selects(&method, path)) {
                let what = format!("not imported: a route cannot have the method {method}");
                notes.tell(format!("{method} {key}"), what);
            }
        }
    }

    /// The parameters of the path item and of the operation, which win.
    fn parameters(
        &self,
        id: &str,
        item: &'a Value,
        operation: &'a Value,
        notes: &mut Notes,
    ) -> Vec<&'a Value> {
        let mut parameters: Vec<&Value> = Vec::new();
        let lists = [&operation["parameters"], &item["parameters"]];
        for parameter in lists.into_iter().filter_map(Value::as_array).flatten() {
            let Some(parameter) = self.resolve(parameter).filter(|it| it["name"].is_string()) else {
                notes.tell(id, "a parameter without a name, or with a `$ref` to nothing, is left out");
                continue;
            };
            let same = |known: &&Value| known["name"] == parameter["name"] && known["in"] == parameter["in"];
            if !parameters.iter().any(same) {
                parameters.push(parameter);
            }
        }
        parameters
    }
}

/// Tells what routes have nothing for.
fn tell_left_out(id: &str, item: &Value, operation: &Value, notes: &mut Notes) {
    if [item, operation].iter().any(|it| it["servers"].as_array().is_some_and(|list| !list.is_empty())) {
        notes.tell(id, "its own `servers` are left out: it answers under the base URL like all routes");
    }
    if operation["callbacks"].as_object().is_some_and(|callbacks| !callbacks.is_empty()) {
        notes.tell(id, "its callbacks are not sent");
    }
}

/// The JSON Pointer of a reference within the file.
pub(super) fn pointer_of(reference: &str) -> Option<String> {
    let fragment = reference.strip_prefix('#')?;
    let decoded = percent_encoding::percent_decode_str(fragment).decode_utf8().ok()?;
    (decoded.is_empty() || decoded.starts_with('/')).then(|| decoded.into_owned())
}

/// The path of a route for a path of the document.
fn route_path(key: &str) -> Result<Path, String> {
    if !key.starts_with('/') {
        return Err("its path does not begin with a slash".to_owned());
    }
    if key.contains(['?', '#']) || key.chars().any(|letter| letter.is_whitespace() || letter.is_control()) {
        return Err("its path has a query, a fragment or white space".to_owned());
    }
    let plain = key.strip_suffix('/').unwrap_or(key);
    if plain.is_empty()
        || ["/__admin", "/w", "/metrics", "/docs", "/console", "/openapi.json"].iter().any(|reserved| {
            plain == *reserved || plain.strip_prefix(reserved).is_some_and(|rest| rest.starts_with('/'))
        })
    {
        return Err("its path is reserved for Standin".to_owned());
    }
    Path::new(plain)
}
