//! Recognising email addresses, well enough to refuse what clearly is not one.

/// Whether the text has one `@`, something before it, a host with a dot after it, and no white space.
pub(crate) fn looks_like_one(text: &str) -> bool {
    let Some((name, host)) = text.split_once('@') else { return false };
    let plain = |part: &str| {
        !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c.is_control() || c == '@')
    };
    plain(name) && plain(host) && host.contains('.') && host.split('.').all(|label| !label.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_what_is_none() {
        for good in ["a@b.test", "first.last+tag@sub.example.test", "ü@ö.test"] {
            assert!(looks_like_one(good), "{good}");
        }
        for bad in ["", "a", "a@", "@b.test", "a@b", "a b@c.test", "a@b@c.test", "a@b..test", "a@.test"] {
            assert!(!looks_like_one(bad), "{bad}");
        }
    }
}
