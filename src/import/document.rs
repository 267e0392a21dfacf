//! The operations of an OpenAPI document of version 3.0 or 3.1, with its references within the file.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::operations;
use crate::route::path::Path;

/// Longest chain of references to references.
const MAX_CHAIN: usize = 32;
/// Most operations of a document.
const MAX_OPERATIONS: usize = 5000;

/// The methods that routes can have.
const METHODS: [&str; 7] = ["get", "post", "put", "patch", "delete", "head", "options"];

pub(super) struct Document<'a> {
    root: &'a Value,
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

/// The operations that are imported, and the names of all.
pub(super) struct Found<'a> {
    pub(super) operations: Vec<Operation<'a>>,
    pub(super) all: BTreeSet<String>,
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
        match root["openapi"].as_str().or_else(|| root["openapi"].is_number().then_some("3.0")) {
            Some(version) if version.starts_with("3.") => Ok(Self { root }),
            Some(version) => Err(format!("OpenAPI {version} is not supported; 3.0 and 3.1 are")),
            None => Err("this is no OpenAPI document: it has no `openapi` at its top".to_owned()),
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

    /// The value at a pointer.
    pub(super) fn at(&self, pointer: &str) -> Option<&'a Value> {
        self.root.pointer(pointer)
    }

    /// The security requirements of an operation: its own, else the document's.
    fn security(&self, operation: &'a Value) -> &'a Value {
        operation.get("security").unwrap_or(&self.root["security"])
    }

    /// Whether an operation takes the API key in the header `x-api-key`.
    pub(super) fn takes_key(&self, operation: &Operation<'a>) -> bool {
        let is_key = |name: &Value| name.as_str().is_some_and(|name| name.eq_ignore_ascii_case("x-api-key"));
        let by_parameter = operation.parameters.iter().any(|parameter| {
            parameter["in"] == "header" && is_key(&parameter["name"]) && parameter["required"] == true
        });
        let requirements = self.security(operation.value).as_array();
        let alternatives = requirements.into_iter().flatten().filter_map(Value::as_object);
        let mut by_scheme = false;
        for alternative in alternatives {
            if alternative.is_empty() {
                return by_parameter;
            }
            by_scheme |= alternative.keys().any(|name| {
                let scheme = self.root["components"]["securitySchemes"].get(name);
                let scheme = scheme.and_then(|scheme| self.resolve(scheme));
                scheme.is_some_and(|scheme| {
                    scheme["type"] == "apiKey" && scheme["in"] == "header" && is_key(&scheme["name"])
                })
            });
        }
        by_parameter || by_scheme
    }

    /// The operations, concrete paths first, and the names of all.
    pub(super) fn operations(&self, only: &[Only], told: &mut Vec<String>) -> Found<'a> {
        let mut found = Found { operations: Vec::new(), all: BTreeSet::new() };
        let mut shapes: Vec<(String, Path)> = Vec::new();
        for (key, item) in self.root["paths"].as_object().into_iter().flatten() {
            let Some(item) = self.resolve(item) else {
                told.push(format!("{key}: its `$ref` leads to nothing in this file"));
                continue;
            };
            for method in METHODS {
                let Some(value) = item.get(method).filter(|value| value.is_object()) else { continue };
                let method = method.to_ascii_uppercase();
                let path = match route_path(key) {
                    Ok(path) => path,
                    Err(why) => {
                        told.push(format!("{method} {key}: not imported: {why}"));
                        continue;
                    }
                };
                let id = format!("{method} {}", path.text());
                if !found.all.insert(id.clone()) {
                    told.push(format!("{method} {key}: not imported: the document has this operation twice"));
                    continue;
                }
                if !only.is_empty() && !only.iter().any(|only| only.selects(&method, path.text())) {
                    continue;
                }
                let clash =
                    shapes.iter().find(|(known, shape)| *known == method && shape.is_same_shape(&path));
                if let Some((_, shape)) = clash {
                    told.push(format!(
                        "{id}: not imported: {} has the same path but for the names of its parameters",
                        shape.text()
                    ));
                    continue;
                }
                if let Some((spec, _)) = operations::at(path.text()) {
                    told.push(format!(
                        "{id}: not imported: the operation `{}` of Standin answers at this path",
                        spec.operation.name()
                    ));
                    continue;
                }
                if found.operations.len() >= MAX_OPERATIONS {
                    told.push(format!("{id}: not imported: there are more than {MAX_OPERATIONS} operations"));
                    continue;
                }
                let parameters = self.parameters(&id, item, value, told);
                shapes.push((method.clone(), path.clone()));
                found.operations.push(Operation { method, path: path.text().to_owned(), value, parameters });
            }
        }
        found.operations.sort_by_key(Operation::order);
        found
    }

    /// The parameters of the path item and of the operation, which win.
    fn parameters(
        &self,
        id: &str,
        item: &'a Value,
        operation: &'a Value,
        told: &mut Vec<String>,
    ) -> Vec<&'a Value> {
        let mut parameters: Vec<&Value> = Vec::new();
        let lists = [&operation["parameters"], &item["parameters"]];
        for parameter in lists.into_iter().filter_map(Value::as_array).flatten() {
            let Some(parameter) = self.resolve(parameter).filter(|it| it["name"].is_string()) else {
                told.push(format!(
                    "{id}: a parameter without a name, or with a `$ref` to nothing, is left out"
                ));
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
