//! API keys: what they cover, and who a call is from (`docs/api.md` 1, steps 4 and 6).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use crate::api::call::{Call, KeyMatch};
use crate::api::dialect::Dialect;
use crate::api::error::{ApiError, Code};
use crate::dataset::facts::{BusinessRef, Dataset};
use crate::dataset::records::Kind;

/// A key of the scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The key itself.
    pub key: String,
    /// Its name in logs and the journal; the world's name for a key with a world of its own.
    pub name: Option<String>,
    /// Accounts it covers; none means all.
    pub accounts: Option<Vec<u64>>,
    /// How many requests it may make.
    pub rate_limit: Option<RateLimit>,
    /// Whether it is refused.
    pub revoked: bool,
    /// Whether its requests go to a world of its own.
    pub own_world: bool,
}

/// So many requests in each window of world time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// How many pass in a window.
    pub requests: u32,
    /// Length of a window, at least a millisecond.
    pub window: Duration,
}

/// The keys of a scenario.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    keys: Vec<Key>,
    /// Places by key.
    places: BTreeMap<String, usize>,
}

/// Who a call is from.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// The scenario's key; none where any key is taken.
    pub key: Option<&'a Key>,
}

impl Keys {
    /// Those keys.
    #[must_use]
    pub fn new(keys: Vec<Key>) -> Self {
        let places = keys.iter().enumerate().map(|(place, key)| (key.key.clone(), place)).collect();
        Self { keys, places }
    }

    /// All of them, in the scenario's order.
    #[must_use]
    pub fn all(&self) -> &[Key] {
        &self.keys
    }

    /// The key that reads so.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<&Key> {
        self.places.get(key).map(|place| &self.keys[*place])
    }

    /// Where a key stands among them, for the fingerprint of its requests.
    #[must_use]
    pub fn place(&self, sent: Option<&str>) -> KeyMatch {
        match sent {
            None => KeyMatch::None,
            Some(_) if self.keys.is_empty() => KeyMatch::Any,
            Some(key) => self.places.get(key).map_or(KeyMatch::Unknown, |place| KeyMatch::Listed(*place)),
        }
    }

    /// How logs and the journal call the key at a place: by its name, else by its number in the scenario's list.
    #[must_use]
    pub fn label(&self, place: KeyMatch) -> Option<String> {
        Some(match place {
            KeyMatch::Listed(place) => match self.keys.get(place).and_then(|key| key.name.as_ref()) {
                Some(name) => format!("key:{name}"),
                None => format!("key:{}", place + 1),
            },
            KeyMatch::Any => "key:any".to_owned(),
            KeyMatch::Minted => "key:minted".to_owned(),
            KeyMatch::Unknown => "key:unknown".to_owned(),
            KeyMatch::None => return None,
        })
    }

    /// Who sent that key.
    ///
    /// # Errors
    /// 1167 where there is none, 1161 where it is unknown or revoked.
    pub fn authenticate(&self, sent: Option<&str>) -> Result<Caller<'_>, ApiError> {
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

/// The key in a call's header, or in the retired query parameter where the dialect takes it.
#[must_use]
pub fn sent_key<'a>(call: &Call<'a>, dialect: &Dialect) -> Option<Cow<'a, str>> {
    let header = call.header("x-api-key").filter(|key| !key.is_empty());
    header.or_else(|| dialect.query_api_key.then(|| call.parameter("api_key"))?)
}

impl Caller<'_> {
    /// Whether the key covers an account: it is one of the key's, or stands below a reseller that is.
    #[must_use]
    pub fn covers(&self, dataset: &Dataset, account: u32) -> bool {
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
    /// The code given, where it is missing, not a number, unknown, a location, not covered, or of the wrong kind.
    pub fn enterprise(&self, dataset: &Dataset, call: &Call<'_>, code: Code) -> Result<u32, ApiError> {
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

    /// The account or location of that number, if the key covers it.
    ///
    /// # Errors
    /// 1011 where it is no number, unknown or not covered.
    pub fn business(&self, dataset: &Dataset, field: &str, sent: &str) -> Result<BusinessRef, ApiError> {
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

/// A number written in digits; beyond 63 bits it is the largest, which no business has.
#[must_use]
pub fn whole_number(text: &str) -> Option<i64> {
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
    fn a_missing_key_is_told_from_a_bad_one() {
        let keys = Keys::new(vec![key("good", false), key("old", true)]);
        let code = |sent| keys.authenticate(sent).map_err(|refusal| refusal.code).err();
        assert_eq!(code(Some("good")), None);
        assert_eq!(code(None), Some(Code::KeyMissing));
        assert_eq!(code(Some("  ")), Some(Code::KeyMissing));
        assert_eq!(code(Some("old")), Some(Code::KeyInvalid));
        assert_eq!(code(Some("GOOD")), Some(Code::KeyInvalid));
    }

    #[test]
    fn without_keys_any_key_is_taken() {
        assert!(Keys::default().authenticate(Some("anything")).is_ok());
        assert!(Keys::default().authenticate(Some("")).is_err());
    }
}
