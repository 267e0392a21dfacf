//! Asking for a fault: the header `Prefer: fault=<name>` (RFC 7240).

use std::borrow::Cow;

/// The fault that the value of a `Prefer` header asks for, the first if it names several (RFC 7240, 2). The value is a list
/// whose items can have parameters, and a quoted value can contain separators.
pub(crate) fn preferred(value: &str) -> Option<Cow<'_, str>> {
    split(value, ',').find_map(|preference| {
        let preference = split(preference, ';').next().unwrap_or_default();
        let (name, value) = preference.split_once('=').unwrap_or((preference, ""));
        name.trim().eq_ignore_ascii_case("fault").then(|| unquote(value.trim()))
    })
}

/// The value of `Preference-Applied` for a fault.
pub(crate) fn preference_applied(fault: &str) -> String {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if fault.bytes().all(token) {
        return format!("fault={fault}");
    }
    let escaped = fault.replace('\\', "\\\\").replace('"', "\\\"");
    format!("fault=\"{escaped}\"")
}

/// The parts of a text between separators outside quotes.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |letter| {
        let ends = letter == separator && !quoted;
        quoted ^= letter == '"' && !escaped;
        escaped = quoted && letter == '\\' && !escaped;
        ends
    })
}

/// The value without quotes around it.
fn unquote(value: &str) -> Cow<'_, str> {
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
            assert_eq!(preferred(value).as_deref(), Some("a"), "{value}");
        }
        for value in ["fault", "a", "xfault=a", "fault=A", "wait=\"x, fault=a\"", "x; fault=a", ""] {
            assert_ne!(preferred(value).as_deref(), Some("a"), "{value}");
        }
    }

    #[test]
    fn of_several_preferences_the_first_counts() {
        assert_eq!(preferred("x, Fault=a; y=1, fault=b").as_deref(), Some("a"));
        assert_eq!(preferred("fault, fault=b").as_deref(), Some(""));
    }

    #[test]
    fn what_is_applied_can_be_asked_for_again() {
        for name in ["a", "on-demand", "a b", "a, b; c=\"d\"", r"back\slash", "Störung"] {
            assert_eq!(preferred(&preference_applied(name)).as_deref(), Some(name));
        }
        assert_eq!(preference_applied("on-demand"), "fault=on-demand");
    }
}
