//! The preference by which a request asks for a fault: `Prefer: fault=<name>` (RFC 7240).

use std::borrow::Cow;

/// Whether a header `Prefer` asks for that fault. It is a list, its parts may have parameters, and a quoted value may
/// hold what else would end it.
#[must_use]
pub fn names(value: &str, fault: &str) -> bool {
    split(value, ',').any(|preference| {
        let preference = split(preference, ';').next().unwrap_or_default();
        preference.split_once('=').is_some_and(|(name, value)| {
            name.trim().eq_ignore_ascii_case("fault") && unquoted(value.trim()) == fault
        })
    })
}

/// The preference for that fault, for `Preference-Applied`.
#[must_use]
pub fn applied(fault: &str) -> String {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if fault.bytes().all(token) {
        return format!("fault={fault}");
    }
    let escaped = fault.replace('\\', "\\\\").replace('"', "\\\"");
    format!("fault=\"{escaped}\"")
}

/// The parts between separators that stand in no quotes.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |letter| {
        let ends = letter == separator && !quoted;
        quoted ^= letter == '"' && !escaped;
        escaped = quoted && letter == '\\' && !escaped;
        ends
    })
}

/// A value without its quotes, if it has some.
fn unquoted(value: &str) -> Cow<'_, str> {
    let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let Some(inner) = inner else { return value.into() };
    let mut escaped = false;
    let kept = |letter: &char| {
        escaped = *letter == '\\' && !escaped;
        !escaped
    };
    inner.chars().filter(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_named_in_every_way_that_the_header_has() {
        for value in
            ["fault=a", " Fault = \"a\" ; x=1", "wait=\"1, fault=b\", fault=a", r#"x="\",", fault=a"#]
        {
            assert!(names(value, "a") && !names(value, "b"), "{value}");
        }
        for value in ["fault", "a", "xfault=a", "fault=A", "wait=\"x, fault=a\"", "x; fault=a", ""] {
            assert!(!names(value, "a"), "{value}");
        }
    }

    #[test]
    fn what_is_applied_can_be_asked_for_again() {
        for name in ["a", "on-demand", "a b", "a, b; c=\"d\"", r"back\slash", "Störung"] {
            assert!(names(&applied(name), name), "{}", applied(name));
        }
        assert_eq!(applied("on-demand"), "fault=on-demand");
    }
}
