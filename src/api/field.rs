//! Reading one field of a request body (`docs/api.md` 3): what counts as absent, which spellings are accepted, and the
//! error for anything else.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::api::dates::Day;
use crate::api::error::{ApiError, Code};

/// A member of a JSON object, not parsed yet. It is absent if the member is missing or null.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Field<'a>(Option<&'a str>);

impl<'de: 'a, 'a> Deserialize<'de> for Field<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?.get();
        Ok(Self((raw != "null").then_some(raw)))
    }
}

/// Parses a body that is not empty.
///
/// # Errors
/// 2466 if the bytes are not JSON, or not an object.
pub(crate) fn object<'a, T: serde::Deserialize<'a>>(body: &'a [u8]) -> Result<T, ApiError> {
    let body = without_bom(body);
    let not = |detail: String| ApiError::new(Code::NotJson, detail);
    let text = std::str::from_utf8(body).map_err(|error| not(format!("the body is not UTF-8: {error}")))?;
    if !text.trim_start_matches(JSON_SPACE).starts_with('{') {
        let shown: String = text.trim().chars().take(20).collect();
        return Err(not(format!("the body is not a JSON object: {shown}")));
    }
    serde_json::from_str(text).map_err(|error| not(format!("the body is not JSON: {error}")))
}

/// Parses an object within a body.
///
/// # Errors
/// 2003 if it is not an object, and 2466 if it repeats a member, as for the body itself.
pub(crate) fn nested<'a, T: serde::Deserialize<'a>>(
    place: &str,
    raw: &'a str,
    not_an_object: impl FnOnce() -> ApiError,
) -> Result<T, ApiError> {
    if !raw.starts_with('{') {
        return Err(not_an_object());
    }
    serde_json::from_str(raw).map_err(|error| {
        let error = error.to_string();
        // The line and the column are those within the object.
        let error = error.split(" at line ").next().unwrap_or_default();
        ApiError::new(Code::NotJson, format!("{place}: {error}"))
    })
}

/// Parses a body. An empty one has no fields.
///
/// # Errors
/// 2466 if the bytes are not JSON, or not an object.
pub(crate) fn object_or_default<'a, T: serde::Deserialize<'a> + Default>(
    body: &'a [u8],
) -> Result<T, ApiError> {
    if is_blank(body) { Ok(T::default()) } else { object(body) }
}

const JSON_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];
pub(crate) fn without_bom(body: &[u8]) -> &[u8] {
    body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body)
}

/// Whether the body is empty or only white space.
pub(crate) fn is_blank(body: &[u8]) -> bool {
    without_bom(body).iter().all(u8::is_ascii_whitespace)
}

/// The 2003 of a field: `<field> must be …`, with the value found as the detail.
pub(crate) fn must_be(field: &str, allowed: &str, found: &str) -> ApiError {
    ApiError::validation(
        format!("{field} must be {allowed}"),
        format!("{field}: {} is not {allowed}", short(found)),
    )
}

/// The 2003 of one element of a list.
pub(crate) fn element_must_be(field: &str, at: usize, allowed: &str, found: &str) -> ApiError {
    let element = match allowed {
        "a list of integers" => "an integer".to_owned(),
        "a list of strings" => "a string".to_owned(),
        "a list of objects" => "an object".to_owned(),
        names => names.replacen("a list of", "one of", 1),
    };
    ApiError::validation(
        format!("{field} must be {allowed}"),
        format!("{field}[{at}]: {} is not {element}", short(found)),
    )
}

/// A number or text without the quotes around it.
fn as_sent(raw: &str) -> String {
    short(raw.trim_matches('"'))
}

fn short(found: &str) -> String {
    if found.chars().count() <= 60 {
        found.to_owned()
    } else {
        found.chars().take(60).chain(['…']).collect()
    }
}

impl<'a> Field<'a> {
    /// The JSON text. Null and a blank string count as absent.
    pub(crate) fn raw(self) -> Option<&'a str> {
        let raw = self.0?;
        let inside = match raw.as_bytes() {
            [b'"', .., b'"'] => &raw[1..raw.len() - 1],
            _ => return Some(raw),
        };
        // The first letter of most values shows that they are not blank.
        if inside.starts_with(|first: char| first.is_ascii_graphic() && first != '\\') {
            return Some(raw);
        }
        let blank = inside.trim().is_empty() || string(raw).is_some_and(|text| text.trim().is_empty());
        (!blank).then_some(raw)
    }

    pub(crate) fn text(self, name: &str) -> Result<Option<Cow<'a, str>>, ApiError> {
        self.raw().map(|raw| string(raw).ok_or_else(|| must_be(name, "a string", raw))).transpose()
    }

    /// The value as it was sent, for the detail of an error.
    pub(crate) fn sent(self) -> String {
        as_sent(self.raw().unwrap_or_default())
    }

    /// An element of a list as it was sent, for the detail of an error.
    pub(crate) fn sent_element(self, at: usize) -> String {
        let inside = self.raw().and_then(|raw| raw.strip_prefix('[')?.strip_suffix(']'));
        as_sent(Elements(inside.unwrap_or_default().trim()).nth(at).unwrap_or_default())
    }

    /// An integer, or a string of digits. A number beyond 64 bits is read as the largest or smallest of them, which is no
    /// id.
    pub(crate) fn integer(self, name: &str) -> Result<Option<i64>, ApiError> {
        self.raw().map(|raw| integer(raw).ok_or_else(|| must_be(name, "an integer", raw))).transpose()
    }

    /// A boolean, or "true" or "false" as a string in any case.
    pub(crate) fn boolean(self, name: &str) -> Result<Option<bool>, ApiError> {
        let read = |raw: &str| match raw.trim_matches('"').to_ascii_lowercase().as_str() {
            "true" if raw.starts_with(['t', '"']) => Some(true),
            "false" if raw.starts_with(['f', '"']) => Some(false),
            _ => None,
        };
        self.raw().map(|raw| read(raw).ok_or_else(|| must_be(name, "true or false", raw))).transpose()
    }

    /// A list whose elements are not parsed yet, empty if absent. `allowed` says what it is a list of.
    pub(crate) fn list(self, name: &str, allowed: &str) -> Result<Elements<'a>, ApiError> {
        let Some(raw) = self.raw() else { return Ok(Elements("")) };
        let inside = raw.strip_prefix('[').and_then(|raw| raw.strip_suffix(']'));
        inside.map(|inside| Elements(inside.trim())).ok_or_else(|| must_be(name, allowed, raw))
    }

    /// A list of integers, each also as a string of digits.
    pub(crate) fn integers(self, name: &str) -> Result<Vec<i64>, ApiError> {
        let allowed = "a list of integers";
        self.list(name, allowed)?
            .enumerate()
            .map(|(at, raw)| integer(raw).ok_or_else(|| element_must_be(name, at, allowed, raw)))
            .collect()
    }

    pub(crate) fn texts(self, name: &str) -> Result<Vec<Cow<'a, str>>, ApiError> {
        let allowed = "a list of strings";
        self.list(name, allowed)?
            .enumerate()
            .map(|(at, raw)| string(raw).ok_or_else(|| element_must_be(name, at, allowed, raw)))
            .collect()
    }

    /// Whether the field is a list. An empty one still replaces a stored list.
    pub(crate) fn is_list(self) -> bool {
        self.0.is_some_and(|raw| raw.starts_with('['))
    }

    /// A mandatory date.
    pub(crate) fn day(self, name: &str) -> Result<Day, ApiError> {
        let Some(text) = self.text(name)? else { return Err(ApiError::mandatory(name)) };
        Day::from_request(&text).ok_or_else(|| must_be(name, "a date in the format MM/DD/YYYY", &text))
    }

    /// A filter by ratings: which of 0 to 5 are wanted, each an integer or a digit in a string.
    pub(crate) fn ratings(self, name: &str) -> Result<Option<[bool; 6]>, ApiError> {
        let allowed = "a list of ratings from 0 to 5";
        let (mut wanted, mut any) = ([false; 6], false);
        for (at, raw) in self.list(name, allowed)?.enumerate() {
            let rating = integer(raw).and_then(|rating| wanted.get_mut(usize::try_from(rating).ok()?));
            let Some(rating) = rating else {
                let detail = format!("{name}[{at}]: {} is not one of 0-5", short(raw));
                return Err(ApiError::validation(format!("{name} must be {allowed}"), detail));
            };
            (*rating, any) = (true, true);
        }
        Ok(any.then_some(wanted))
    }

    /// An index or a count.
    ///
    /// # Errors
    /// `code` if it is negative or not an integer.
    pub(crate) fn index(self, name: &str, code: Code) -> Result<Option<u64>, ApiError> {
        let Some(raw) = self.raw() else { return Ok(None) };
        let index = integer(raw).and_then(|index| u64::try_from(index).ok());
        index.map(Some).ok_or_else(|| {
            ApiError::new(code, format!("{name}: {} is not an integer of 0 or more", short(raw)))
        })
    }

    pub(crate) fn object<T: serde::Deserialize<'a>>(self, name: &str) -> Result<Option<T>, ApiError> {
        self.raw().map(|raw| nested(name, raw, || must_be(name, "an object", raw))).transpose()
    }
}

/// The JSON texts of the elements of a list. It holds what is between the brackets of a list that is valid JSON.
#[derive(Clone, Debug)]
pub(crate) struct Elements<'a>(&'a str);

impl<'a> Iterator for Elements<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.0.is_empty() {
            return None;
        }
        let (mut depth, mut quoted, mut escaped) = (0_u32, false, false);
        let ends = |byte| {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => quoted = !quoted,
                _ if quoted => {}
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth -= 1,
                b',' => return depth == 0,
                _ => {}
            }
            false
        };
        let end = self.0.bytes().position(ends).unwrap_or(self.0.len());
        let (element, rest) = self.0.split_at(end);
        self.0 = rest.strip_prefix(',').unwrap_or_default();
        Some(element.trim_ascii())
    }
}

/// The value of a JSON string.
pub(crate) fn string(raw: &str) -> Option<Cow<'_, str>> {
    if !raw.starts_with('"') {
        return None;
    }
    if raw.as_bytes().contains(&b'\\') {
        return serde_json::from_str(raw).ok().map(Cow::Owned);
    }
    raw.get(1..raw.len().checked_sub(1)?).map(Cow::Borrowed)
}

/// The value of a JSON integer, or of a string of digits.
pub(crate) fn integer(raw: &str) -> Option<i64> {
    let (negative, digits) = match raw.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, raw.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(raw)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value = digits.parse().unwrap_or(i64::MAX);
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Mirror<'a> {
        #[serde(borrow, default)]
        x: Field<'a>,
    }

    fn field(json: &'static str) -> Field<'static> {
        object::<Mirror>(json.as_bytes()).unwrap().x
    }

    #[test]
    fn null_blank_and_empty_are_absent() {
        for absent in ["{}", r#"{"x":null}"#, r#"{"x":"  "}"#, r#"{"x":"\n"}"#] {
            assert!(field(absent).raw().is_none(), "{absent}");
        }
        assert!(field(r#"{"x":[ ]}"#).integers("x").unwrap().is_empty());
        assert!(field(r#"{"x":[ ]}"#).integer("x").is_err());
        assert!(field(r#"{"x":[null]}"#).raw().is_some());
    }

    #[test]
    fn half_of_a_surrogate_pair_is_no_string_and_not_absent() {
        let error = field(r#"{"x":"\ud800"}"#).text("x").unwrap_err();
        assert_eq!(error.message, "x must be a string");
        assert_eq!(error.detail, r#"x: "\ud800" is not a string"#);
        assert_eq!(
            field(r#"{"x":["\udc00"]}"#).texts("x").unwrap_err().message,
            "x must be a list of strings"
        );
        assert_eq!(field(r#"{"x":"\ud83d\ude00"}"#).text("x").unwrap().as_deref(), Some("\u{1f600}"));
    }

    #[test]
    fn a_repeated_member_is_2466_at_every_depth() {
        let repeated = r#"{"x":1,"x":2}"#;
        let error = object::<Mirror>(repeated.as_bytes()).err().unwrap();
        assert_eq!(error.detail, "the body is not JSON: duplicate field `x` at line 1 column 10");
        let error = field(r#"{"x":{"x":1,"x":2}}"#).object::<Mirror>("x").err().unwrap();
        assert_eq!((error.code, &*error.detail), (Code::NotJson, "x: duplicate field `x`"));
        let error = field(r#"{"x":[]}"#).object::<Mirror>("x").err().unwrap();
        assert_eq!((error.code, &*error.detail), (Code::Validation, "x: [] is not an object"));
    }

    #[test]
    fn a_value_is_shown_as_it_was_sent() {
        assert_eq!(field(r#"{"x":123456789012345678901234}"#).sent(), "123456789012345678901234");
        assert_eq!(field(r#"{"x":[1, "-99999999999999999999"]}"#).sent_element(1), "-99999999999999999999");
        assert_eq!(field("{}").sent_element(1), "");
    }

    #[test]
    fn integers_come_as_strings_of_digits_too() {
        assert_eq!(field(r#"{"x":"012"}"#).integer("x").unwrap(), Some(12));
        assert_eq!(field(r#"{"x":-3}"#).integer("x").unwrap(), Some(-3));
        assert_eq!(field(r#"{"x":123456789012345678901234}"#).integer("x").unwrap(), Some(i64::MAX));
        for bad in [r#"{"x":1.5}"#, r#"{"x":"1a"}"#, r#"{"x":true}"#, r#"{"x":"-1"}"#, r#"{"x":1e3}"#] {
            let error = field(bad).integer("x").unwrap_err();
            assert_eq!(error.message, "x must be an integer", "{bad}");
        }
    }

    #[test]
    fn booleans_come_as_strings_in_any_case_too() {
        assert_eq!(field(r#"{"x":"TRUE"}"#).boolean("x").unwrap(), Some(true));
        assert_eq!(field(r#"{"x":false}"#).boolean("x").unwrap(), Some(false));
        for bad in [r#"{"x":1}"#, r#"{"x":"yes"}"#, r#"{"x":"\"true"}"#] {
            assert!(field(bad).boolean("x").is_err(), "{bad}");
        }
    }

    #[test]
    fn a_bad_element_is_named_by_its_place() {
        let error = field(r#"{"x":[1,null]}"#).integers("x").unwrap_err();
        assert_eq!(error.message, "x must be a list of integers");
        assert_eq!(error.detail, "x[1]: null is not an integer");
        assert!(field(r#"{"x":5}"#).integers("x").is_err());
    }

    #[test]
    fn a_list_falls_into_its_elements_and_they_into_theirs() {
        let list = field(r#"{"x": [ "a,\"]", [1, 2] ,{"b":"\\","c":[]},-3,"é" ]}"#).list("x", "").unwrap();
        let elements: Vec<&str> = list.collect();
        assert_eq!(elements, [r#""a,\"]""#, "[1, 2]", r#"{"b":"\\","c":[]}"#, "-3", "\"é\""]);
        assert_eq!(field(r#"{"x":[ ]}"#).list("x", "").unwrap().count(), 0);
        assert_eq!(field("{}").list("x", "").unwrap().count(), 0);
    }

    #[test]
    fn a_body_that_is_no_object_is_2466() {
        for bad in ["[]", "1", "{", "{} x", "\u{feff}[]", "nul", "{\"x\":01}"] {
            let error = object::<Mirror>(bad.as_bytes()).err().unwrap();
            assert_eq!(error.code, Code::NotJson, "{bad}");
        }
        assert!(object::<Mirror>(b"\xef\xbb\xbf {}").is_ok());
        assert!(object::<Mirror>(b"{\"y\":\"\xff\"}").is_err());
    }
}
