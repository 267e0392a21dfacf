//! JSON Schemas of the values that the API takes in more than one spelling (`docs/api.md` 3). The request types of the
//! operations name them in their `schema` attributes, and the OpenAPI document is made from those.

use serde_json::{Value, json};
use utoipa::PartialSchema;
use utoipa::openapi::Schema;

/// Declares types that stand for nothing but their JSON Schema.
macro_rules! schemas {
    ($($(#[$doc:meta])* $name:ident $json:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) enum $name {}

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::RefOr::T($crate::api::schema::parse($json))
            }
        }

        impl utoipa::ToSchema for $name {}
    )+};
}
pub(crate) use schemas;

schemas! {
    /// An integer, also as a string of digits.
    Integer json!({ "type": ["integer", "string"], "pattern": "^[0-9]+$" });
    /// A boolean, also as the string `true` or `false` in any case.
    Boolean json!({ "type": ["boolean", "string"], "pattern": "^([tT][rR][uU][eE]|[fF][aA][lL][sS][eE])$" });
    /// A date of a request.
    RequestDate json!({
        "type": "string",
        "description": "MM/DD/YYYY, month and day also with one digit",
        "examples": ["06/30/2026"],
    });
    /// A rating from 0 to 5, also as a string. One enumeration of both breaks generators of clients.
    Rating json!({ "oneOf": [
        { "type": "integer", "minimum": 0, "maximum": 5 },
        { "type": "string", "enum": ["0", "1", "2", "3", "4", "5"] },
    ] });
    /// A date of an answer, for example `Aug 01, 2014`.
    ResponseDate json!({ "type": "string", "pattern": "^[A-Z][a-z]{2} [0-9]{2}, [0-9]{4}$" });
    /// A time of day in an answer, for example `12:05 AM`.
    ResponseTime json!({ "type": "string", "pattern": "^[0-9]{2}:[0-9]{2} [AP]M$" });
    /// A score from 0 to 100.
    Score json!({ "type": "number", "minimum": 0, "maximum": 100 });
}

#[expect(clippy::expect_used, reason = "the schemas are the constants above; a test reads each of them")]
pub(crate) fn parse(json: Value) -> Schema {
    serde_json::from_value(json).expect("a constant schema")
}

/// The schema of a type as JSON.
pub(crate) fn of<T: PartialSchema>() -> Value {
    serde_json::to_value(T::schema()).unwrap_or_default()
}

/// The same, where every object has the described members and no others: the schema of an answer.
pub(crate) fn closed<T: PartialSchema>() -> Value {
    let mut schema = of::<T>();
    close(&mut schema);
    schema
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.contains_key("properties") {
                members.insert("additionalProperties".to_owned(), false.into());
            }
            members.values_mut().for_each(close);
        }
        Value::Array(list) => list.iter_mut().for_each(close),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_schema_can_be_read() {
        for schema in [
            of::<Integer>(),
            of::<Boolean>(),
            of::<RequestDate>(),
            of::<Rating>(),
            of::<ResponseDate>(),
            of::<ResponseTime>(),
            of::<Score>(),
        ] {
            assert!(schema["type"] != Value::Null || schema["oneOf"] != Value::Null, "{schema}");
        }
    }
}
