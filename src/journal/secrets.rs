//! Secrets of the process, which are masked in journals, streams and the log: the admin token, the keys of all scenarios, and
//! the keys minted with worlds.

use std::borrow::Cow;
use std::collections::BTreeMap;

use arc_swap::ArcSwap;

use crate::auth::{FirstBytes, KeyFinder, Keys};

/// A key minted with a world begins so, and 28 hexadecimal digits follow.
pub(crate) const MINTED_PREFIX: &str = "standin-";
const MINTED_DIGITS: usize = 28;

/// A secret from this length on is masked within a word, too. A shorter one may be part of one by chance.
const LONG: usize = 16;

/// The secrets of a process.
#[derive(Debug, Default)]
pub(crate) struct Secrets {
    admin_token: Option<String>,
    /// Read for each line of the log, replaced when a scenario is loaded.
    keys: ArcSwap<KnownKeys>,
}

/// The keys of all scenarios, with the names by which they are shown.
#[derive(Debug, Default)]
struct KnownKeys {
    labels: BTreeMap<String, String>,
    finder: KeyFinder,
}

impl Secrets {
    pub(crate) fn new(admin_token: Option<String>) -> Self {
        let admin_token = admin_token.map(|token| token.trim().to_owned()).filter(|token| !token.is_empty());
        Self { admin_token, keys: ArcSwap::default() }
    }

    /// Replaces the keys of the scenarios.
    pub(crate) fn set_keys<'a>(&self, scenarios: impl Iterator<Item = &'a Keys>) {
        let mut labels = BTreeMap::new();
        for keys in scenarios {
            for key in keys.all() {
                let label = || keys.label(keys.match_of(Some(&key.key))).unwrap_or_default();
                labels.entry(key.key.clone()).or_insert_with(label);
            }
        }
        let finder = KeyFinder::of(labels.keys().map(String::as_str));
        self.keys.store(KnownKeys { labels, finder }.into());
    }

    /// Masks the secrets in a text, percent-encoded ones too.
    pub(crate) fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        replace_encoded(text, &self.first_bytes(), &|rest, before| self.find(rest, before))
    }

    /// The bytes with which secrets begin.
    pub(super) fn first_bytes(&self) -> FirstBytes {
        let mut first = *self.keys.load().finder.first();
        first.add(MINTED_PREFIX);
        first.add(self.admin_token.as_deref().unwrap_or_default());
        first
    }

    /// The secret with which a text begins, if it stands there as a word: its length, and the name that is shown for it.
    /// `before` is the letter before the text.
    pub(super) fn find(&self, text: &str, before: Option<char>) -> Option<(usize, String)> {
        if let Some(token) = &self.admin_token
            && text.starts_with(token.as_str())
            && is_word(text, token.len(), before)
        {
            return Some((token.len(), "key:admin".to_owned()));
        }
        if let Some(length) = minted(text) {
            return Some((length, "key:minted".to_owned()));
        }
        let keys = self.keys.load();
        let mut candidates = keys.finder.candidates(text);
        candidates.find_map(|key| {
            let label = keys.labels.get(key).filter(|_| is_word(text, key.len(), before))?;
            Some((key.len(), label.clone()))
        })
    }
}

/// The length of a minted key with which a text begins.
pub(super) fn minted(text: &str) -> Option<usize> {
    let digits = text.strip_prefix(MINTED_PREFIX)?.as_bytes().get(..MINTED_DIGITS)?;
    digits.iter().all(u8::is_ascii_hexdigit).then_some(MINTED_PREFIX.len() + MINTED_DIGITS)
}

/// Whether the first bytes of a text are a word by themselves, or so long that they are no part of one by chance.
pub(super) fn is_word(text: &str, length: usize, before: Option<char>) -> bool {
    let joins = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
    // A full stop ends a sentence unless something follows it.
    let goes_on = |rest: &str| rest.strip_prefix('.').unwrap_or(rest).starts_with(joins);
    length >= LONG || !before.is_some_and(joins) && !text.get(length..).is_some_and(goes_on)
}

/// Finds a secret at the beginning of a text, whose letter before is given.
type Find<'a> = &'a dyn Fn(&str, Option<char>) -> Option<(usize, String)>;

/// Replaces what `find` finds in a text as it stands, else in the text that it encodes.
pub(super) fn replace_encoded<'a>(text: &'a str, first: &FirstBytes, find: Find<'_>) -> Cow<'a, str> {
    let plain = replace(text, first, find).map_or(Cow::Borrowed(text), Cow::Owned);
    if !plain.contains('%') {
        return plain;
    }
    let decoded = percent_encoding::percent_decode_str(&plain).decode_utf8_lossy();
    match replace(&decoded, first, find) {
        Some(replaced) => replaced.into(),
        None => plain,
    }
}

fn replace(text: &str, first: &FirstBytes, find: Find<'_>) -> Option<String> {
    let (mut out, mut kept, mut before) = (None::<String>, 0, None);
    for (at, letter) in text.char_indices() {
        if at >= kept
            && first.may_begin(&text[at..])
            && let Some((length, label)) = find(&text[at..], before)
        {
            let out = out.get_or_insert_default();
            out.push_str(&text[kept..at]);
            out.push_str(&label);
            kept = at + length;
        }
        before = Some(letter);
    }
    out.map(|out| out + &text[kept..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::Key;

    fn key(key: &str, name: &str) -> Key {
        Key {
            key: key.to_owned(),
            name: Some(name.to_owned()),
            accounts: None,
            rate_limit: None,
            revoked: false,
            own_world: false,
        }
    }

    #[test]
    fn tokens_and_keys_are_masked_wherever_they_stand_as_words() {
        let secrets = Secrets::new(Some(" admin/secret ".to_owned()));
        let keys = [Keys::new(vec![key("two", "a")]), Keys::new(vec![key("k=1/x", "b"), key("two", "c")])];
        secrets.set_keys(keys.iter());
        let minted = "standin-0123456789abcdef0123456789ab";
        for (text, masked) in [
            ("/v1/two/x", "/v1/key:a/x"),
            ("/v1/twofold/x.two.y/two_", "/v1/twofold/x.two.y/two_"),
            ("/v1/%74wo/%zz", "/v1/key:a/%zz"),
            ("/v1/%C3%A9", "/v1/%C3%A9"),
            ("a=k=1/x;two", "a=key:b;key:a"),
            ("Bearer admin/secret", "Bearer key:admin"),
            ("admin%2Fsecret", "key:admin"),
            (&format!("é{minted}é"), "ékey:mintedé"),
            (&format!("x{minted}0"), "xkey:minted0"),
            ("standin-0123", "standin-0123"),
            ("Nothing is at /two. See two.", "Nothing is at /key:a. See key:a."),
            ("", ""),
        ] {
            assert_eq!(secrets.mask(text), masked, "{text}");
        }
    }
}
