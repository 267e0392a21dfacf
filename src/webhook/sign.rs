//! Signatures of deliveries: Standard Webhooks (<https://www.standardwebhooks.com>, 1.0), and a plain HMAC-SHA256.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::webhook::settings::Signing;

/// The header of a plain signature: `sha256=` and the HMAC-SHA256 of the body, in lower-case hexadecimal digits.
pub(crate) const PLAIN: &str = "x-standin-signature";

/// The headers that sign a body. `seconds` is the timestamp (since 1970). A bad signature does not fit the body.
pub(crate) fn headers(
    signing: &Signing,
    id: &str,
    seconds: i64,
    body: &[u8],
    is_bad: bool,
) -> Vec<(&'static str, String)> {
    match signing {
        Signing::None => Vec::new(),
        Signing::StandardWebhooks { secret, .. } => {
            let stamp = seconds.to_string();
            let mut sum = code(secret, &[id.as_bytes(), b".", stamp.as_bytes(), b".", body]);
            spoil(&mut sum, is_bad);
            let signature = format!("v1,{}", STANDARD.encode(sum));
            vec![
                ("webhook-id", id.to_owned()),
                ("webhook-timestamp", stamp),
                ("webhook-signature", signature),
            ]
        }
        Signing::HmacSha256 { secret } => {
            let mut sum = code(secret, &[body]);
            spoil(&mut sum, is_bad);
            let mut digits = "sha256=".to_owned();
            for byte in sum {
                let _ = write!(digits, "{byte:02x}");
            }
            vec![(PLAIN, digits)]
        }
    }
}

fn code(secret: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    // A key of any length is one of HMAC's (RFC 2104, 2).
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) else { return [0; 32] };
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

fn spoil(sum: &mut [u8; 32], is_bad: bool) {
    sum[0] ^= u8::from(is_bad);
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_c3RhbmRpbi1zdGFuZGluLXN0YW5kaW4=";

    #[test]
    fn another_implementation_makes_the_same_signature() {
        let secret = STANDARD.decode(&SECRET["whsec_".len()..]).unwrap();
        let signing = Signing::StandardWebhooks { secret, world_time: true };
        let body = br#"{"event":"message.added"}"#;
        let headers = headers(&signing, "evt_1", 1_751_274_000, body, false);
        let theirs =
            standardwebhooks::Webhook::new(SECRET).unwrap().sign("evt_1", 1_751_274_000, body).unwrap();
        assert_eq!(headers[1], ("webhook-timestamp", "1751274000".to_owned()));
        assert_eq!(headers[2], ("webhook-signature", theirs));
    }

    #[test]
    fn a_plain_signature_is_that_of_rfc_4231_test_case_2() {
        let signing = Signing::HmacSha256 { secret: b"Jefe".to_vec() };
        let [(name, value)] = &headers(&signing, "", 0, b"what do ya want for nothing?", false)[..] else {
            panic!()
        };
        let sum = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!((*name, value.as_str()), (PLAIN, sum));
        let spoilt = headers(&signing, "", 0, b"what do ya want for nothing?", true);
        assert!(spoilt[0].1 != sum && spoilt[0].1.len() == sum.len());
    }
}
