//! API keys: which accounts they cover, and who sent a call (`docs/api.md` 1, steps 4 and 6).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::api::call::{Call, KeyMatch};
use crate::api::dialect::Dialect;
use crate::api::error::{ApiError, Code};
use crate::dataset::facts::{BusinessRef, Dataset};
use crate::dataset::records::Kind;

/// A key of the scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) key: String,
    /// The key's name in logs and the journal. For a key with a world of its own, also the name of that world.
    pub(crate) name: Option<String>,
    /// The accounts that it covers; none means all.
    pub(crate) accounts: Option<Vec<u64>>,
    pub(crate) rate_limit: Option<RateLimit>,
    pub(crate) revoked: bool,
    /// Whether its requests go to a world that belongs to this key alone.
    pub(crate) own_world: bool,
}

/// A limit on the number of requests in each window of world time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RateLimit {
    pub(crate) requests: u32,
    /// At least a millisecond.
    pub(crate) window: Duration,
}

/// The keys of a scenario.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    keys: Vec<Key>,
    /// Index of each key.
    indexes: BTreeMap<String, usize>,
    finder: KeyFinder,
}

/// Tells quickly where in a text a key of a set may stand.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyFinder {
    /// Descending.
    lengths: Vec<usize>,
    first: FirstBytes,
}

/// The bytes with which some texts begin. Most places of a text are no beginning of any.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FirstBytes([bool; 256]);

impl Default for FirstBytes {
    fn default() -> Self {
        Self([false; 256])
    }
}

impl FirstBytes {
    pub(crate) fn add(&mut self, text: &str) {
        if let Some(byte) = text.bytes().next() {
            self.0[usize::from(byte)] = true;
        }
    }

    pub(crate) fn add_all(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own |= other;
        }
    }

    /// Whether a text may begin with one of them.
    pub(crate) fn may_begin(&self, text: &str) -> bool {
        text.bytes().next().is_some_and(|byte| self.0[usize::from(byte)])
    }
}

impl KeyFinder {
    pub(crate) fn of<'a>(keys: impl Iterator<Item = &'a str>) -> Self {
        let (mut lengths, mut first) = (BTreeSet::new(), FirstBytes::default());
        for key in keys {
            lengths.insert(key.len());
            first.add(key);
        }
        Self { lengths: lengths.into_iter().rev().collect(), first }
    }

    pub(crate) const fn first(&self) -> &FirstBytes {
        &self.first
    }

    /// The beginnings of a text that have the length of a key, the longest first.
    pub(crate) fn candidates<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a str> {
        let may_begin = self.first.may_begin(text);
        self.lengths.iter().filter(move |_| may_begin).filter_map(|length| text.get(..*length))
    }
}

/// The sender of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller<'a> {
    /// The scenario's key; none if the scenario accepts any key.
    pub(crate) key: Option<&'a Key>,
}

impl Keys {
    pub(crate) fn new(keys: Vec<Key>) -> Self {
        let indexes = keys.iter().enumerate().map(|(index, key)| (key.key.clone(), index)).collect();
        let finder = KeyFinder::of(keys.iter().map(|key| key.key.as_str()));
        Self { keys, indexes, finder }
    }

    /// All keys, in the order of the scenario.
    pub(crate) fn all(&self) -> &[Key] {
        &self.keys
    }

    /// Where in a text one of the keys may stand.
    pub(crate) const fn finder(&self) -> &KeyFinder {
        &self.finder
    }

    pub(crate) fn find(&self, key: &str) -> Option<&Key> {
        self.indexes.get(key).map(|index| &self.keys[*index])
    }

    /// How a sent key relates to the keys of the scenario.
    pub(crate) fn match_of(&self, sent: Option<&str>) -> KeyMatch {
        match sent {
            None => KeyMatch::None,
            Some(_) if self.keys.is_empty() => KeyMatch::Any,
            Some(key) => self.indexes.get(key).map_or(KeyMatch::Unknown, |index| KeyMatch::Listed(*index)),
        }
    }

    /// The name of a key in logs and the journal: `key:NAME`, else `key:2` by its position in the scenario, or what kind of
    /// key it is. None if there is no key.
    pub(crate) fn label(&self, key_match: KeyMatch) -> Option<String> {
        Some(match key_match {
            KeyMatch::Listed(index) => match self.keys.get(index).and_then(|key| key.name.as_ref()) {
                Some(name) => format!("key:{name}"),
                None => format!("key:{}", index + 1),
            },
            KeyMatch::Any => "key:any".to_owned(),
            KeyMatch::Minted => "key:minted".to_owned(),
            KeyMatch::Unknown => "key:unknown".to_owned(),
            KeyMatch::None => return None,
        })
    }

    /// Looks up the sender of a key.
    ///
    /// # Errors
    /// 1167 if there is no key, 1161 if it is unknown or revoked.
    pub(crate) fn authenticate(&self, sent: Option<&str>) -> Result<Caller<'_>, ApiError> {
        let Some(sent) = sent.map(str::trim).filter(|sent| !sent.is_empty()) else {
            return Err(ApiError::new(
                Code::KeyMissing,
                "no key in the header x-api-key (for the webhook subscription: in the body's apiKey)",
            ));
        };
        if self.keys.is_empty() {
            return Ok(Caller { key: None });
        }
        match self.find(sent) {
            None => Err(ApiError::new(Code::KeyInvalid, "the key is not one of the scenario's")),
            Some(key) if key.revoked => Err(ApiError::new(Code::KeyInvalid, "the key is revoked")),
            Some(key) => Ok(Caller { key: Some(key) }),
        }
    }
}

/// The key in a call's header, or in the retired query parameter if the dialect accepts it.
pub(crate) fn sent_key<'a>(call: &Call<'a>, dialect: &Dialect) -> Option<Cow<'a, str>> {
    let header = call.header("x-api-key").filter(|key| !key.is_empty());
    header.or_else(|| dialect.query_api_key.then(|| call.parameter("api_key"))?)
}

impl Caller<'_> {
    /// Whether the key covers an account: the account is one of the key's, or stands below one of them.
    pub(crate) fn covers(self, dataset: &Dataset, account: u32) -> bool {
        let Some(accounts) = self.key.and_then(|key| key.accounts.as_ref()) else { return true };
        accounts.iter().any(|number| match number_at(dataset, *number) {
            Some(BusinessRef::Account(above)) => dataset.is_under(account, above),
            Some(BusinessRef::Location(_)) | None => false,
        })
    }

    /// The account that `x-business-number` names, for sentiment operations (an enterprise or a reseller) and the
    /// contact upsert (an enterprise).
    ///
    /// # Errors
    /// The given code if the header is missing, not a number, unknown, a location, not covered, or of the wrong kind.
    pub(crate) fn enterprise(self, dataset: &Dataset, call: &Call<'_>, code: Code) -> Result<u32, ApiError> {
        let refuse = |why: &str| Err(ApiError::new(code, format!("x-business-number: {why}")));
        let Some(sent) = call.header("x-business-number").filter(|sent| !sent.is_empty()) else {
            return refuse("the header is missing");
        };
        let Some(number) = whole_number(&sent) else { return refuse("it is not a number") };
        match dataset.find(number) {
            None => refuse("no business has this number"),
            Some(BusinessRef::Location(_)) => refuse("this is a location, not an enterprise"),
            Some(BusinessRef::Account(account)) if !self.covers(dataset, account) => {
                refuse("the API key does not cover this account")
            }
            Some(BusinessRef::Account(account))
                if code == Code::BusinessMissing && dataset.account(account).kind == Kind::Reseller =>
            {
                refuse("this is a reseller; contacts belong to an enterprise")
            }
            Some(BusinessRef::Account(account)) => Ok(account),
        }
    }

    /// The account or location with a number.
    ///
    /// # Errors
    /// 1011 if it is not a number, unknown, or not covered by the key.
    pub(crate) fn business(
        self,
        dataset: &Dataset,
        field: &str,
        sent: &str,
    ) -> Result<BusinessRef, ApiError> {
        let refuse = |why: &str| Err(ApiError::new(Code::BusinessInvalid, format!("{field}: {why}")));
        let Some(number) = whole_number(sent) else { return refuse("it is not a number") };
        match dataset.find(number) {
            None => refuse("no business has this number"),
            Some(place) if !self.covers(dataset, dataset.account_at(place)) => {
                refuse("the API key does not cover this business")
            }
            Some(place) => Ok(place),
        }
    }
}

/// Parses a number written in digits. A number of more than 63 bits becomes the largest of 63 bits, which no business has.
pub(crate) fn whole_number(text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(i64::MAX))
}

fn number_at(dataset: &Dataset, number: u64) -> Option<BusinessRef> {
    dataset.find(i64::try_from(number).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str, revoked: bool) -> Key {
        Key { key: text.to_owned(), name: None, accounts: None, rate_limit: None, revoked, own_world: false }
    }

    #[test]
    fn a_missing_key_and_a_bad_key_have_different_codes() {
        let keys = Keys::new(vec![key("good", false), key("old", true)]);
        let code = |sent| keys.authenticate(sent).map_err(|refusal| refusal.code).err();
        assert_eq!(code(Some("good")), None);
        assert_eq!(code(None), Some(Code::KeyMissing));
        assert_eq!(code(Some("  ")), Some(Code::KeyMissing));
        assert_eq!(code(Some("old")), Some(Code::KeyInvalid));
        assert_eq!(code(Some("GOOD")), Some(Code::KeyInvalid));
    }

    #[test]
    fn without_keys_any_key_is_accepted() {
        assert!(Keys::default().authenticate(Some("anything")).is_ok());
        assert!(Keys::default().authenticate(Some("")).is_err());
    }
}
