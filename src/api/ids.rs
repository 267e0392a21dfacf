//! Ids, and the order in which they break ties (`docs/api.md` 3).

use std::cmp::Ordering;

use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::draw::Draw;

/// Generated ids are below this limit: 2^53, up to which JavaScript keeps integers exact.
pub(crate) const ID_LIMIT: u64 = 1 << 53;

/// Draws an id. Where it is taken, the next free one follows.
pub(crate) fn draw_free(mut draw: Draw, taken: impl Fn(u64) -> bool) -> u64 {
    let mut id = 1 + draw.below(ID_LIMIT - 1);
    while taken(id) {
        id = id % (ID_LIMIT - 1) + 1;
    }
    id
}

/// Compares two ids: numerically if both are digits, else bytewise. Ids of digits sort before all others, otherwise the
/// comparison is not transitive (`10`, `1a` and `9` would form a circle).
pub(crate) fn compare(left: &str, right: &str) -> Ordering {
    let digits = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    match (digits(left), digits(right)) {
        (true, true) => {
            let (a, b) = (left.trim_start_matches('0'), right.trim_start_matches('0'));
            a.len().cmp(&b.len()).then_with(|| a.cmp(b)).then_with(|| left.cmp(right))
        }
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => left.cmp(right),
    }
}

/// A 64-bit hash. In JSON it is text, since many readers round numbers from 2^53 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Hex(pub(crate) u64);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{:016x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let number = u64::from_str_radix(&text, 16).ok().filter(|_| text.len() == 16);
        number.map(Self).ok_or_else(|| Error::invalid_value(Unexpected::Str(&text), &"16 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_compare_as_numbers_of_any_length() {
        assert_eq!(compare("9", "10"), Ordering::Less);
        assert_eq!(compare("007", "7"), Ordering::Less);
        assert_eq!(compare("99999999999999999999999", "100000000000000000000000"), Ordering::Less);
        assert_eq!(compare("r-2", "r-10"), Ordering::Greater);
    }

    #[test]
    fn the_order_is_total() {
        let ids = ["10", "1a", "9", "-1", "", "7", "007"];
        for a in ids {
            for b in ids {
                assert_eq!(compare(a, b), compare(b, a).reverse());
                for c in ids {
                    if compare(a, b).is_le() && compare(b, c).is_le() {
                        assert!(compare(a, c).is_le(), "{a} {b} {c}");
                    }
                }
            }
        }
    }
}
