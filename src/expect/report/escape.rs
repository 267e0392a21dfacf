//! Text within XML and HTML, as element content or within double quotes.

/// Escapes markup. Characters that XML 1.0 does not allow become U+FFFD.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\r' => escaped.push_str("&#13;"),
            '\n' | '\t' => escaped.push(c),
            _ => escaped.push(if is_allowed(c) { c } else { '\u{fffd}' }),
        }
    }
    escaped
}

/// Whether a character may stand in XML 1.0. The controls from U+007F on may, but show as nothing anywhere.
const fn is_allowed(c: char) -> bool {
    !matches!(c, '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_controls_lose_their_meaning() {
        assert_eq!(escape("<a b=\"c\">'&\r\n\t"), "&lt;a b=&quot;c&quot;&gt;&#39;&amp;&#13;\n\t");
        assert_eq!(
            escape("\u{0}\u{1b}[31m\u{7f}\u{85}\u{fffe}é"),
            "\u{fffd}\u{fffd}[31m\u{fffd}\u{fffd}\u{fffd}é"
        );
    }
}
