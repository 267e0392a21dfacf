//! Which credentials the operations of a document ask for. Standin checks an API key in the header `x-api-key`, and no others.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::import::document::{Document, Operation};
use crate::import::notes::Notes;

/// Whether an operation is refused without an API key. Other credentials that it asks for are told.
pub(super) fn requires_key(document: &Document<'_>, operation: &Operation<'_>, notes: &mut Notes) -> bool {
    let is_key = |name: &Value| name.as_str().is_some_and(|name| name.eq_ignore_ascii_case("x-api-key"));
    let by_parameter = operation.parameters.iter().any(|parameter| {
        parameter["in"] == "header" && is_key(&parameter["name"]) && parameter["required"] == true
    });
    let requirements = operation.value.get("security").or_else(|| document.at("/security"));
    let alternatives: Vec<_> =
        requirements.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object).collect();
    let schemes = document.at("/components/securitySchemes");
    let scheme = |name: &str| schemes.and_then(|schemes| document.resolve(schemes.get(name)?));
    let is_key_scheme = |name: &str| {
        scheme(name).is_some_and(|scheme| {
            scheme["type"] == "apiKey" && scheme["in"] == "header" && is_key(&scheme["name"])
        })
    };
    let has_key = |names: &&serde_json::Map<String, Value>| names.keys().any(|name| is_key_scheme(name));
    let with_key = alternatives.iter().filter(|names| has_key(names)).count();
    let others: BTreeSet<String> = alternatives
        .iter()
        .flat_map(|names| names.keys())
        .filter(|name| !is_key_scheme(name))
        .map(|name| described(name, scheme(name)))
        .collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let others = others.join(", ");
    let by_scheme = with_key > 0 && with_key == alternatives.len();
    if !others.is_empty() && with_key > 0 && !by_scheme && !by_parameter {
        notes.tell(
            operation.id(),
            format!("its API key is optional: {others} may stand in its place, and is not checked"),
        );
    } else if !others.is_empty() {
        notes.tell(
            operation.id(),
            format!(
                "its security {others} is no API key in the header x-api-key, and is not checked; {}",
                if by_scheme || by_parameter { "the API key is" } else { "it answers without credentials" }
            ),
        );
    }
    by_parameter || by_scheme
}

/// `token (http bearer)`.
fn described(name: &str, scheme: Option<&Value>) -> String {
    let Some(scheme) = scheme else { return format!("`{name}` (not defined)") };
    let text = |key: &str| scheme[key].as_str().unwrap_or_default();
    let kind = match text("type") {
        "http" => format!("http {}", text("scheme")),
        "apiKey" => format!("{} {}", text("in"), text("name")),
        other => other.to_owned(),
    };
    format!("`{name}` ({})", kind.trim())
}
