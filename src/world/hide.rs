//! Hides the keys of a scenario in the strings of a JSON text, and puts them back. A key is told by its place in the scenario,
//! between two marks.

use crate::auth::Key;

/// Stands before and after a place. It is a character for private use; where a text has it, it is doubled.
const MARK: char = '\u{f8ff}';
/// A shorter key is hidden only if it is a whole string: it may be a word of a language.
const SHORTEST_WORD: usize = 6;

/// The text without the keys. Names of members are left as they are.
pub(super) fn hide(json: &str, keys: &[Key]) -> String {
    let forms = forms(keys);
    strings(json, |inner, out| {
        let mut rest = inner;
        let mut before = None;
        while let Some(next) = rest.chars().next() {
            let found = forms.iter().find(|(_, form)| stands(rest, before, form));
            if let Some((place, form)) = found {
                out.extend([MARK]);
                out.push_str(&place.to_string());
                out.extend([MARK]);
                before = form.chars().last();
                rest = &rest[form.len()..];
                continue;
            }
            out.push(next);
            if next == MARK {
                out.push(MARK);
            }
            before = Some(next);
            rest = &rest[next.len_utf8()..];
        }
    })
}

/// The text with the keys that stand at those places now. None if there is no key at a place.
pub(super) fn fill(json: &str, keys: &[Key]) -> Option<String> {
    let mut is_whole = true;
    let filled = strings(json, |inner, out| {
        let mut rest = inner;
        while let Some((text, marked)) = rest.split_once(MARK) {
            out.push_str(text);
            if let Some(after) = marked.strip_prefix(MARK) {
                out.push(MARK);
                rest = after;
                continue;
            }
            let Some((place, after)) = marked.split_once(MARK) else {
                is_whole = false;
                return;
            };
            match place.parse().ok().and_then(|place: usize| keys.get(place)) {
                // Within a string of a text that is itself in a string, quotes are escaped twice.
                Some(key) => out.push_str(&escaped(&key.key)),
                None => is_whole = false,
            }
            rest = after;
        }
        out.push_str(rest);
    });
    is_whole.then_some(filled)
}

/// The keys as strings have them, the longest first, with their places. A key that JSON escapes is shown as it is.
fn forms(keys: &[Key]) -> Vec<(usize, String)> {
    let mut forms: Vec<(usize, String)> =
        keys.iter().enumerate().map(|(place, key)| (place, escaped(&key.key))).collect();
    forms.retain(|(_, form)| !form.is_empty());
    forms.sort_by_key(|(_, form)| std::cmp::Reverse(form.len()));
    forms
}

fn escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted.trim_start_matches('"').strip_suffix('"').unwrap_or_default().to_owned()
}

/// Whether a key stands at the beginning of a text, as a word or as the whole string.
fn stands(text: &str, before: Option<char>, form: &str) -> bool {
    let Some(after) = text.strip_prefix(form) else { return false };
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
    if form.len() >= SHORTEST_WORD {
        return !before.is_some_and(is_word) && !after.chars().next().is_some_and(is_word);
    }
    let begins = before.is_none() || before == Some('"');
    begins && (after.is_empty() || after.starts_with("\\\""))
}

/// Copies a JSON text, its strings that name no member as `change` writes them, without their quotes.
fn strings(json: &str, mut change: impl FnMut(&str, &mut String)) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(start) = rest.find('"') {
        let (head, string) = rest.split_at(start + 1);
        out.push_str(head);
        let (mut end, mut is_escaped) = (string.len(), false);
        for (place, byte) in string.bytes().enumerate() {
            if byte == b'"' && !is_escaped {
                end = place;
                break;
            }
            is_escaped = byte == b'\\' && !is_escaped;
        }
        let (inner, after) = string.split_at(end);
        if after.strip_prefix('"').is_some_and(|after| after.trim_start().starts_with(':')) {
            out.push_str(inner);
        } else {
            change(inner, &mut out);
        }
        let quote = after.len().min(1);
        out.push_str(&after[..quote]);
        rest = &after[quote..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(keys: &[&str]) -> Vec<Key> {
        let key = |key: &&str| Key {
            key: (*key).to_owned(),
            name: None,
            accounts: None,
            rate_limit: None,
            revoked: false,
            own_world: false,
        };
        keys.iter().map(key).collect()
    }

    #[test]
    fn no_key_is_left_in_strings_and_all_come_back() {
        let keys = keys(&["demo-key", "all", "demo-key-2", "a\"b"]);
        for (text, hidden) in [
            (r#"{"all":"all","x":"all of it"}"#, "{\"all\":\"\u{f8ff}1\u{f8ff}\",\"x\":\"all of it\"}"),
            (
                r#"["http://h/?key=demo-key&x","demo-key-2","xdemo-key"]"#,
                "[\"http://h/?key=\u{f8ff}0\u{f8ff}&x\",\"\u{f8ff}2\u{f8ff}\",\"xdemo-key\"]",
            ),
            (r#"["{\"key\":\"all\"}"]"#, "[\"{\\\"key\\\":\\\"\u{f8ff}1\u{f8ff}\\\"}\"]"),
            ("[\"\u{f8ff}0\u{f8ff}\"]", "[\"\u{f8ff}\u{f8ff}0\u{f8ff}\u{f8ff}\"]"),
            (r#"["a\"b"]"#, "[\"\u{f8ff}3\u{f8ff}\"]"),
        ] {
            assert_eq!(hide(text, &keys), hidden);
            assert_eq!(fill(hidden, &keys).as_deref(), Some(text));
        }
        assert_eq!(fill("[\"\u{f8ff}9\u{f8ff}\"]", &keys), None);
        assert_eq!(fill("[\"\u{f8ff}9\"]", &keys), None);
    }
}
