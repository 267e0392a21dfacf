//! The effect `body: {malformed: true}`: JSON cut at a token.

use crate::draw::Draw;

/// Cuts a JSON text before a token that is drawn, so that it is no longer JSON. Nothing is left of a text without tokens.
pub(crate) fn cut(body: &[u8], draw: &mut Draw) -> Vec<u8> {
    let (mut quoted, mut escaped) = (false, false);
    let mut ends = Vec::new();
    for (at, byte) in body.iter().enumerate() {
        match byte {
            b'\\' if quoted => escaped = !escaped,
            b'"' if !escaped => quoted = !quoted,
            b'{' | b'[' | b':' | b',' if !quoted => ends.push(at + 1),
            _ => escaped = false,
        }
        if *byte != b'\\' {
            escaped = false;
        }
    }
    let end = draw.pick(&ends).copied().unwrap_or_default();
    body[..end].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Seed;

    #[test]
    fn what_is_left_is_never_json_and_ends_with_a_token() {
        let body = br#"{"a":"x, \\\" [y","b":[1,{"c":null}]}"#;
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..200 {
            let left = cut(body, &mut Draw::new(Seed(seed), "t"));
            assert!(body.starts_with(&left) && serde_json::from_slice::<serde_json::Value>(&left).is_err());
            assert!(matches!(left.last(), Some(b'{' | b'[' | b':' | b',')));
            seen.insert(left);
        }
        assert_eq!(seen.len(), 8);
    }
}
