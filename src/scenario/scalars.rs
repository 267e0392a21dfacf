//! Readers for scalars: texts, numbers, booleans, durations, shares, dates and names.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use crate::api::ids::ID_LIMIT;
use crate::api::operation::{Operation, ROUTE};
use crate::auth::RateLimit;
use crate::operations;
use crate::operations::spec::Spec;
use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::Findings;
use crate::scenario::node::{Node, Scalar};
use crate::scenario::read::{Read, Spanned, read_word};
use crate::scenario::references::References;
use crate::scenario::report::{must_be, unknown_reference};

/// A text as it was written: `00123` keeps its zeros.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Text(pub(crate) String);

impl Read for Text {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let Some(scalar) = node.scalar() else {
            must_be(findings, node, "text");
            return None;
        };
        Some(Self(scalar.text.to_string()))
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": ["string", "number", "boolean"] })
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.0
    }
}

/// A text with at least one character that is not white space.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NonBlank(pub(crate) String);

impl Read for NonBlank {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let Some(scalar) = node.scalar().filter(|scalar| !scalar.text.trim().is_empty()) else {
            if node.scalar().is_some() {
                let message = format!("`{}` must not be blank", findings.key);
                findings.error("wrong-value", node.span, message);
            } else {
                must_be(findings, node, "text");
            }
            return None;
        };
        Some(Self(scalar.text.to_string()))
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": ["string", "number", "boolean"], "pattern": "\\S" })
    }
}

impl From<NonBlank> for String {
    fn from(text: NonBlank) -> Self {
        text.0
    }
}

/// An email address.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Email(pub(crate) String);

impl Read for Email {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let text = node.scalar().map(|scalar| &*scalar.text).filter(|text| is_email(text));
        if text.is_none() {
            must_be(findings, node, "an email address: `name@example.test`");
        }
        text.map(|text| Self(text.to_owned()))
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "string", "pattern": "^[^\\s@]+@[^\\s@]+$" })
    }
}

/// Whether a text looks like an email address.
pub(crate) fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && !host.is_empty() && !host.contains('@') && !text.contains(char::is_whitespace)
    })
}

impl From<Email> for String {
    fn from(Email(address): Email) -> Self {
        address
    }
}

/// An API key: what a client can send in a header, without blanks and control characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ApiKey(pub(crate) String);

impl Read for ApiKey {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let NonBlank(key) = NonBlank::read(findings, node)?;
        if key.contains(|c: char| c.is_whitespace() || c.is_control()) {
            findings
                .error("wrong-value", node.span, "`key` must not have blanks or control characters in it")
                .help("a client could not send such a key in the header `x-api-key`");
            return None;
        }
        Some(Self(key))
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": ["string", "number", "boolean"], "pattern": "^[^\\s\\u0000-\\u001f\\u007f-\\u009f]+$" })
    }
}

impl Read for bool {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        match plain(node).map(|scalar| &*scalar.text) {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => {
                must_be(findings, node, "`true` or `false`");
                match plain(node).map(|scalar| scalar.text.to_ascii_lowercase()).as_deref() {
                    Some("yes" | "on" | "y" | "true") => findings.help_last("write `true`"),
                    Some("no" | "off" | "n" | "false") => findings.help_last("write `false`"),
                    _ => {}
                }
                None
            }
        }
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "boolean" })
    }
}

fn plain(node: &Node) -> Option<&Scalar> {
    node.scalar().filter(|scalar| scalar.plain)
}

/// Parses a number that is written in digits only.
pub(crate) fn parse_digits(text: &str) -> Option<u64> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// The number of an unquoted scalar, as JSON writes it: `1e3` and `1.0` are whole numbers too, as in the JSON Schema.
pub(crate) fn number(scalar: &Scalar) -> Option<String> {
    let written = scalar.to_json().as_number()?.to_string();
    Some(written.strip_suffix(".0").map(str::to_owned).unwrap_or(written))
}

/// The text of a scalar; of a number, as JSON writes it.
pub(crate) fn written(node: &Node) -> Option<String> {
    node.scalar().map(|scalar| number(scalar).unwrap_or_else(|| scalar.text.to_string()))
}

/// A whole number from 0 on that is written without quotes.
pub(crate) fn whole_number(node: &Node) -> Option<u64> {
    parse_digits(&number(node.scalar()?)?)
}

/// A whole number from `MIN` to `MAX`, both included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Integer<const MIN: u64, const MAX: u64>(pub(crate) u64);

/// The largest integer that every JSON reader represents exactly.
pub(crate) const MAX_SAFE_INTEGER: u64 = ID_LIMIT - 1;
/// An id or a business number.
pub(crate) type Id = Integer<1, MAX_SAFE_INTEGER>;
pub(crate) type Count = Integer<0, MAX_COUNT>;
const MAX_COUNT: u64 = u32::MAX as u64;

impl<const MIN: u64, const MAX: u64> Read for Integer<MIN, MAX> {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let value = whole_number(node).filter(|value| (MIN..=MAX).contains(value));
        if value.is_none() {
            let what = match (MIN, MAX) {
                (_, MAX_SAFE_INTEGER) => format!("a whole number from {MIN}, below 2^53"),
                (_, MAX_COUNT) => format!("a whole number from {MIN}, below 2^32"),
                _ => format!("a whole number from {MIN} to {MAX}"),
            };
            must_be(findings, node, &what);
        }
        value.map(Self)
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

/// A number from 0 to 100 with at most one decimal place, stored in tenths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tenths(pub(crate) u16);

impl Read for Tenths {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let tenths = node.scalar().and_then(number);
        let tenths = tenths.and_then(|text| parse_decimal(&text, 1)).filter(|tenths| *tenths <= 1000);
        if tenths.is_none() {
            must_be(findings, node, "a number from 0 to 100 with at most one decimal");
        }
        tenths.and_then(|tenths| u16::try_from(tenths).ok()).map(Self)
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "number", "minimum": 0, "maximum": 100, "multipleOf": 0.1 })
    }
}

/// Parses a decimal number with at most `places` decimal places and returns it times 10^`places`.
pub(crate) fn parse_decimal(text: &str, places: u32) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let decimals = u32::try_from(fraction.len()).ok().filter(|decimals| *decimals <= places)?;
    let scale = |power| 10_u64.checked_pow(power);
    parse_digits(whole)?
        .checked_mul(scale(places)?)?
        .checked_add(parse_digits(fraction)? * scale(places - decimals)?)
}

/// A share, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Share(pub(crate) u32);

impl Share {
    /// Parses `10%`, `12.5%` or `0.1`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let parts = match text.strip_suffix('%') {
            Some(percent) => parse_decimal(percent.trim_end(), 4),
            // A whole 1 could mean 1% or all.
            None => parse_decimal(text, 6).filter(|parts| *parts < 1_000_000),
        };
        parts.filter(|parts| *parts <= 1_000_000).and_then(|parts| u32::try_from(parts).ok()).map(Self)
    }
}

impl Read for Share {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let written = written(node);
        let share = written.as_deref().and_then(Self::parse);
        if share.is_none() {
            must_be(findings, node, "a share: `10%` or `0.1`");
            if written.as_deref() == Some("1") {
                findings.help_last("a bare 1 could mean 1% or all: write `1%` or `100%`");
            }
        }
        share
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "anyOf": [
            { "type": "string", "pattern": "^([0-9]{1,2}(\\.[0-9]{1,4})?|100(\\.0{1,4})?) *%$" },
            { "type": "number", "minimum": 0, "exclusiveMaximum": 1 },
        ] })
    }
}

/// Parses a duration: a whole number and a unit, such as `250ms`, `10s`, `1m` or `2h`.
pub(crate) fn parse_duration(text: &str) -> Option<Duration> {
    let (digits, unit) = duration_parts(text)?;
    let millis = parse_digits(digits)?.checked_mul(unit)?;
    // Clocks count in i64 milliseconds. A limit of a thousand years keeps their sums from overflowing.
    (millis <= 31_557_600_000_000).then(|| Duration::from_millis(millis))
}

/// The digits of a duration, and its unit in milliseconds.
fn duration_parts(text: &str) -> Option<(&str, u64)> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).filter(|digits| *digits > 0)?;
    let unit = match text[digits..].trim_start() {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    Some((&text[..digits], unit))
}

/// Adds help to the last finding, about a duration that cannot be read, or about a range of which a part cannot be read.
pub(crate) fn hint_at_duration(findings: &mut Findings, text: &str) {
    let parts = || text.split('-').map(str::trim);
    if parts().any(|part| parse_digits(part).is_some()) {
        findings.help_last("a unit is missing: `ms`, `s`, `m` or `h`");
    } else if parts().any(|part| duration_parts(part).is_some() && parse_duration(part).is_none()) {
        findings.help_last("a span of time is at most a thousand years: `8766000h`");
    }
}

/// The format of durations, for messages.
pub(crate) const DURATION_FORMAT: &str = "a span of time: `250ms`, `10s`, `1m` or `2h`";

impl Read for Duration {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let span = node.scalar().and_then(|scalar| parse_duration(&scalar.text));
        if span.is_none() {
            must_be(findings, node, DURATION_FORMAT);
            hint_at_duration(findings, node.scalar().map_or("", |scalar| &scalar.text));
        }
        span
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "string", "pattern": "^[0-9]+ *(ms|s|m|h)$" })
    }
}

/// Parses a positive number per positive duration: `600 per 1m`.
pub(crate) fn parse_rate(text: &str) -> Option<(u32, Duration)> {
    let (number, duration) = text.split_once(" per ")?;
    let number = u32::try_from(parse_digits(number.trim())?).ok().filter(|number| *number > 0)?;
    let duration = parse_duration(duration.trim()).filter(|duration| !duration.is_zero())?;
    Some((number, duration))
}

impl Read for RateLimit {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let limit = node.scalar().and_then(|scalar| {
            let (requests, window) = parse_rate(&scalar.text)?;
            Some(Self { requests, window })
        });
        if limit.is_none() {
            must_be(findings, node, "a number of requests and a span of time: `600 per 1m`");
        }
        limit
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "string", "pattern": "^ *[0-9]+ +per +[0-9]+ *(ms|s|m|h)$" })
    }
}

/// Whether a text is a valid name of a world or a scenario.
pub(crate) fn is_world_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

/// The name of a world or a scenario. `default` is reserved.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WorldName(pub(crate) String);

impl Read for WorldName {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let name = node.scalar().map(|scalar| &*scalar.text);
        if name == Some("default") {
            let message =
                format!("`{}` cannot be `default`, which stands for the default scenario", findings.key);
            findings.error("reserved-name", node.span, message);
            return None;
        }
        let name = name.filter(|name| is_world_name(name));
        if name.is_none() {
            must_be(
                findings,
                node,
                "1 to 64 letters, digits, `.`, `_` or `-`, beginning with a letter or digit",
            );
        }
        name.map(|name| Self(name.to_owned()))
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        let pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";
        json!({ "type": ["string", "number", "boolean"], "pattern": pattern, "not": { "const": "default" }, "minimum": 0, "maximum": MAX_SAFE_INTEGER })
    }
}

impl Read for &'static Spec {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        operations::named(read_word(findings, node, &operations::ALL.map(|spec| spec.operation.name()))?)
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "enum": operations::ALL.map(|spec| spec.operation.name()) })
    }
}

/// An operation as scenarios name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OperationName {
    Known(&'static Spec),
    /// The full name, `route:NAME`. Whether there is such a route is checked later.
    Route(String),
}

impl Read for OperationName {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        if let Some(scalar) = node.scalar().filter(|scalar| scalar.text.starts_with(ROUTE)) {
            return Some(Self::Route(scalar.text.to_string()));
        }
        <&'static Spec>::read(findings, node).map(Self::Known)
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        json!({ "anyOf": [<&'static Spec>::schema(definitions), { "type": "string", "pattern": "^route:." }] })
    }
}

/// The listed operations without repetitions, in the order of `operations::ALL`, and the listed routes.
pub(crate) fn distinct_operations(
    findings: &mut Findings,
    references: &References,
    listed: &OneOrMany<OperationName>,
) -> (Vec<&'static Spec>, Vec<Operation>) {
    let is_listed = |spec: &&'static Spec| listed.0.iter().any(|it| it.value == OperationName::Known(spec));
    let specs = operations::ALL.into_iter().filter(is_listed).collect();
    let mut routes = Vec::new();
    for Spanned { span, value } in &listed.0 {
        let OperationName::Route(name) = value else { continue };
        match references.routes.iter().find(|route| route.name() == name) {
            Some(route) if routes.contains(route) => {}
            Some(route) => routes.push(*route),
            None => {
                let names = references.routes.iter().map(|route| route.name());
                unknown_reference(findings, *span, ("route", name), names);
            }
        }
    }
    (specs, routes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::diagnostic::Findings;
    use crate::scenario::source::{FileId, Span};
    use crate::scenario::{node::Value, yaml};

    fn read<T: Read>(yaml: &str) -> Option<T> {
        let mut findings = Findings::default();
        let node = yaml::parse(&mut findings, FileId(0), yaml)?;
        let read = T::read(&mut findings, &node);
        assert_eq!(read.is_none(), findings.errors() > 0, "{yaml}");
        read
    }

    #[test]
    fn text_is_kept_as_written() {
        for text in ["12e4567", "00123", "+1212", "true", "2026-01-01", "1_000"] {
            assert_eq!(read::<Text>(text), Some(Text(text.to_owned())));
        }
        assert_eq!(read::<Text>("[a]"), None);
        assert_eq!(read::<NonBlank>("' '"), None);
    }

    #[test]
    fn only_true_and_false_are_booleans() {
        assert_eq!((read::<bool>("true"), read::<bool>("false")), (Some(true), Some(false)));
        for text in ["yes", "True", "on", "1", "'true'", "{a: 1}"] {
            assert_eq!(read::<bool>(text), None, "{text}");
        }
    }

    #[test]
    fn shares_need_a_sign_or_a_point() {
        for (text, parts) in
            [("10%", 100_000), ("0.1", 100_000), ("100%", 1_000_000), ("0", 0), ("12.5%", 125_000)]
        {
            assert_eq!(read::<Share>(text), Some(Share(parts)), "{text}");
        }
        for text in ["1", "1.0", "101%", "1.1", "10", "-5%", "a%", "%", "0.1234567", "99999999999999999999%"]
        {
            assert_eq!(read::<Share>(text), None, "{text}");
        }
    }

    #[test]
    fn durations_need_a_unit() {
        for (text, ms) in [("250ms", 250), ("10s", 10_000), ("1m", 60_000), ("2h", 7_200_000), ("0s", 0)] {
            assert_eq!(read::<Duration>(text), Some(Duration::from_millis(ms)), "{text}");
        }
        for text in ["10", "1.5s", "-1s", "s", "1d", "99999999999999999999h", "9999999999999h"] {
            assert_eq!(read::<Duration>(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_whole_and_in_range() {
        assert_eq!(read::<Integer<0, 5>>("5"), Some(Integer(5)));
        for text in ["1.0", "1e0", "0x1", "01", "+1"] {
            assert_eq!(read::<Integer<0, 5>>(text), Some(Integer(1)), "{text}");
        }
        for text in ["6", "-1", "1.5", "five", "'5'", "1_0", "99999999999999999999999"] {
            assert_eq!(read::<Integer<0, 5>>(text), None, "{text}");
        }
        assert_eq!(read::<Id>("9007199254740992"), None);
    }

    #[test]
    fn sentiments_have_at_most_one_decimal() {
        assert_eq!(read::<Tenths>("66.3"), Some(Tenths(663)));
        assert_eq!(read::<Tenths>("100"), Some(Tenths(1000)));
        for text in ["100.1", "66.25", "-1", "x"] {
            assert_eq!(read::<Tenths>(text), None, "{text}");
        }
    }

    #[test]
    fn rate_limits_have_a_window() {
        let limit = read::<RateLimit>("600 per 1m").map(|limit| (limit.requests, limit.window.as_secs()));
        assert_eq!(limit, Some((600, 60)));
        for text in ["600", "600/m", "0 per 1m", "5 per 0s", "5 per m"] {
            assert!(read::<RateLimit>(text).is_none(), "{text}");
        }
    }

    #[test]
    fn world_names_follow_their_pattern() {
        assert!(read::<WorldName>("a.b_c-9").is_some());
        for text in ["default", "-a", "a b", "ä", "a/b", "''"] {
            assert_eq!(read::<WorldName>(text), None, "{text}");
        }
        let null = Node::new(Span::default(), Value::Null);
        assert_eq!(WorldName::read(&mut Findings::default(), &null), None);
    }
}
