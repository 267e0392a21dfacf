//! What the admin handlers take from a request: the world of the path, the query, and the body.

use std::future::{Ready, ready};
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};
use bytes::Bytes;
use serde::de::{DeserializeOwned, Error, Unexpected};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use utoipa::IntoParams;

use crate::api::call::BODY_LIMIT;
use crate::api::ids::ID_LIMIT;
use crate::draw::Seed;
use crate::server::admin::error::AdminError;
use crate::server::admin::snapshot;
use crate::server::admin::worlds::unknown_world;
use crate::server::middleware::Received;
use crate::server::state::State;
use crate::world::World;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct WorldPath {
    /// Name of the world.
    world: String,
}

/// The world that the path names. To ask for it is to use it, so that it does not expire.
pub(crate) struct PathWorld(pub(crate) Arc<World>);

impl FromRequest for PathWorld {
    type Error = AdminError;
    type Future = Ready<Result<Self, AdminError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(path_world(request).map(Self))
    }
}

fn path_world(request: &HttpRequest) -> Result<Arc<World>, AdminError> {
    let path = web::Path::<WorldPath>::extract(request).into_inner();
    let name = path.map_err(|error| AdminError::bad_request(error.to_string()))?.into_inner().world;
    let state = request.app_data::<web::Data<State>>().ok_or_else(AdminError::internal)?;
    let world = state.registry.named(&name).ok_or_else(|| unknown_world(&name))?;
    world.touch();
    Ok(world)
}

/// The body as text.
pub(crate) struct Text(pub(crate) String);

impl FromRequest for Text {
    type Error = AdminError;
    type Future = Ready<Result<Self, AdminError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let text = bytes(request).and_then(|bytes| {
            String::from_utf8(bytes.into()).map_err(|_| AdminError::bad_request("The body must be UTF-8."))
        });
        ready(text.map(Self))
    }
}

/// The body as JSON, whatever its content type; an empty body is `{}`.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest for Body<T> {
    type Error = AdminError;
    type Future = Ready<Result<Self, AdminError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(bytes(request).and_then(|bytes| from_json(&bytes)).map(Self))
    }
}

/// The query. As in the API, the first of repeated parameters counts, and a blank value is none.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest for Query<T> {
    type Error = AdminError;
    type Future = Ready<Result<Self, AdminError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(from_query(request.query_string()).map(Self))
    }
}

/// The body that the middleware has read.
fn bytes(request: &HttpRequest) -> Result<Bytes, AdminError> {
    let received = request.extensions().get::<Received>().cloned();
    let Received(body) = received.ok_or_else(AdminError::internal)?;
    body.ok_or_else(|| {
        let limit = snapshot::body_limit(request.path()).unwrap_or(BODY_LIMIT) >> 20;
        AdminError::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("The body is too large; the limit is {limit} MiB."),
        )
    })
}

fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, AdminError> {
    let value = if bytes.trim_ascii().is_empty() {
        Value::Object(Map::new())
    } else {
        serde_json::from_slice(bytes)
            .map_err(|error| AdminError::bad_request(format!("The body is not JSON: {error}.")))?
    };
    if !value.is_object() {
        return Err(AdminError::bad_request(format!("The body must be a JSON object; it is {value}.")));
    }
    from_members(&value)
}

fn from_query<T: DeserializeOwned>(query: &str) -> Result<T, AdminError> {
    let mut members = Map::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| !name.is_empty()) {
        let value = if value.trim().is_empty() { Value::Null } else { value.into() };
        members.entry(name).or_insert(value);
    }
    from_members(&Value::Object(members))
}

fn from_members<T: DeserializeOwned>(members: &Value) -> Result<T, AdminError> {
    serde_path_to_error::deserialize(members).map_err(|error| {
        AdminError::bad_request(explain(members, &error.path().to_string(), &error.inner().to_string()))
    })
}

/// Puts the name of the member and its value into what serde says.
fn explain(members: &Value, name: &str, error: &str) -> String {
    if let Some(missing) = error.strip_prefix("missing field ") {
        return format!("{} is missing.", missing.trim_matches('`'));
    }
    let (Some(value), Some((wrong, expected))) = (members.get(name), error.rsplit_once(", expected ")) else {
        return format!("{error}.");
    };
    if wrong.starts_with("unknown field") {
        return format!("{name} is unknown here; expected {expected}.");
    }
    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    format!("{name} must be {}; it is {value}.", expected.replace("a map", "an object"))
}

/// Deserializes a number of a query.
pub(crate) fn number<'de, D: Deserializer<'de>, T: std::str::FromStr>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
    let wrong = |_| D::Error::invalid_value(Unexpected::Str(&text), &"a number");
    text.parse().map(Some).map_err(wrong)
}

/// Deserializes `true` or `false` of a query. Without it, the value is the default one.
pub(crate) fn flag<'de, D: Deserializer<'de>, T: From<bool> + Default>(from: D) -> Result<T, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else { return Ok(T::default()) };
    let wrong = |_| D::Error::invalid_value(Unexpected::Str(&text), &"true or false");
    text.parse::<bool>().map(T::from).map_err(wrong)
}

/// Deserializes a seed; `random` draws one.
pub(crate) fn seed<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Seed>, D::Error> {
    let value = Value::deserialize(from)?;
    if value == "random" {
        return Seed::random().map(Some).map_err(D::Error::custom);
    }
    match value.as_u64().filter(|seed| *seed < ID_LIMIT) {
        Some(seed) => Ok(Some(Seed(seed))),
        None if value.is_null() => Ok(None),
        None => {
            let expected = format!("an integer from 0 to {}, or \"random\"", ID_LIMIT - 1);
            Err(D::Error::invalid_value(Unexpected::Other("value"), &&*expected))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Members {
        #[expect(dead_code)]
        name: String,
        #[expect(dead_code)]
        data: Option<Map<String, Value>>,
        #[serde(default, deserialize_with = "number")]
        after: Option<u64>,
    }

    #[test]
    fn an_error_names_the_member_its_value_and_what_is_allowed() {
        for (body, message) in [
            (r#"{"nme": "x"}"#, "nme is unknown here; expected one of `name`, `data`, `after`."),
            ("", "name is missing."),
            (r#"{"name": 5}"#, "name must be a string; it is 5."),
            (r#"{"name": null}"#, "name must be a string; it is null."),
            (r#"{"name": "x", "data": [1]}"#, "data must be an object; it is [1]."),
            (r#"{"name": "x", "after": "soon"}"#, "after must be a number; it is soon."),
            ("[]", "The body must be a JSON object; it is []."),
            ("{", "The body is not JSON: EOF while parsing an object at line 1 column 1."),
        ] {
            assert_eq!(from_json::<Members>(body.as_bytes()).unwrap_err().to_string(), message, "{body}");
        }
    }

    #[test]
    fn of_a_query_the_first_of_repeated_parameters_counts_and_a_blank_one_is_none() {
        let after = |query: &str| from_query::<Members>(query).map(|members| members.after).ok();
        assert_eq!(after("name=x&after=1&after=2"), Some(Some(1)));
        assert_eq!(after("name=x&&after=+&after=2"), Some(None));
        assert_eq!(after("name=%78&after=%31"), Some(Some(1)));
        assert_eq!(after("name=x&afer="), None);
    }
}
