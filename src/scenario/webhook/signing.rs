//! How deliveries are signed and where they may go, from its text.

use std::net::IpAddr;

use crate::scenario::diagnostic::Findings;
use crate::scenario::read::Spanned;
use crate::scenario::report::stray_key;
use crate::scenario::scalars::NonBlank;
use crate::scenario::webhook::raw;
use crate::webhook::settings::{Host, Signing};

const PREFIX: &str = "whsec_";

/// How deliveries are signed.
pub fn validate(findings: &mut Findings, raw: &Spanned<raw::Signing>) -> Signing {
    let signing = &raw.value;
    let Some(scheme) = signing.scheme else { return Signing::None };
    if let Some(timestamp) = signing.timestamp.filter(|_| scheme.value != raw::Scheme::StandardWebhooks) {
        stray_key(findings, timestamp.span, ("timestamp", "`scheme: standard-webhooks`"));
    }
    let secret = signing.secret.as_ref();
    if scheme.value != raw::Scheme::None && secret.is_none() {
        findings
            .error("missing-key", raw.span, "a signature needs a `secret`")
            .label("`secret` is missing")
            .help("for tests, any will do: `secret: whsec_c3RhbmRpbi1zdGFuZGluLXN0YW5kaW4=`");
    }
    match (scheme.value, secret) {
        (raw::Scheme::None, _) | (_, None) => Signing::None,
        (raw::Scheme::HmacSha256, Some(secret)) => {
            Signing::HmacSha256 { secret: secret.value.0.as_bytes().to_vec() }
        }
        (raw::Scheme::StandardWebhooks, Some(secret)) => {
            let bytes =
                secret.value.0.strip_prefix(PREFIX).and_then(base64).filter(|bytes| !bytes.is_empty());
            if bytes.is_none() {
                findings
                    .error("wrong-value", secret.span, "`secret` must be `whsec_` and base64")
                    .help("so Standard Webhooks has it: `whsec_c3RhbmRpbi1zdGFuZGluLXN0YW5kaW4=`");
            }
            let world_time =
                signing.timestamp.map(|timestamp| timestamp.value) == Some(raw::Timestamp::World);
            Signing::StandardWebhooks { secret: bytes.unwrap_or_default(), world_time }
        }
    }
}

/// Bytes from base64 (RFC 4648, 4); the padding may be left out.
fn base64(text: &str) -> Option<Vec<u8>> {
    let text = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for group in text.as_bytes().chunks(4) {
        let mut word = 0_u32;
        for byte in group {
            let six = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            word = word << 6 | u32::from(six);
        }
        match group.len() {
            4 => bytes.extend_from_slice(&word.to_be_bytes()[1..]),
            3 => bytes.extend_from_slice(&(word << 6).to_be_bytes()[1..3]),
            2 => bytes.extend_from_slice(&(word << 12).to_be_bytes()[1..2]),
            _ => return None,
        }
    }
    Some(bytes)
}

/// A host that deliveries may go to.
pub fn host(findings: &mut Findings, given: &Spanned<NonBlank>) -> Option<Host> {
    let text = given.value.0.trim().to_ascii_lowercase();
    let address = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(&text);
    if let Ok(address) = address.parse::<IpAddr>() {
        return Some(Host::Address(address));
    }
    let name = |name: &str| {
        let label = |label: &str| {
            !label.is_empty()
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        };
        name.split('.').all(label)
    };
    match text.strip_prefix('*') {
        Some("") => return Some(Host::Any),
        Some(under) if under.strip_prefix('.').is_some_and(name) => {
            return Some(Host::Under(under.to_owned()));
        }
        None if name(&text) => return Some(Host::Named(text)),
        Some(_) | None => {}
    }
    findings
        .error("wrong-host", given.span, format!("`{}` is not a host", given.value.0))
        .help("allowed: a name (`hooks.example.test`), all names under one (`*.example.test`), an address, or `*`; without scheme, port and path");
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::source::Span;

    #[test]
    fn base64_is_read_with_and_without_padding() {
        assert_eq!(base64("aGk="), Some(b"hi".to_vec()));
        assert_eq!(base64("aGk"), Some(b"hi".to_vec()));
        assert_eq!(base64("aGkh"), Some(b"hi!".to_vec()));
        assert_eq!(base64("aA=="), Some(b"h".to_vec()));
        assert_eq!(base64("+/+/"), Some(vec![0xfb, 0xff, 0xbf]));
        for text in ["a", "a b=", "aGk-", "aGk=aGk="] {
            assert_eq!(base64(text), None, "{text}");
        }
    }

    #[test]
    fn hosts_are_names_addresses_and_wildcards() {
        let read = |text: &str| {
            host(
                &mut Findings::default(),
                &Spanned { span: Span::default(), value: NonBlank(text.to_owned()) },
            )
        };
        assert_eq!(read("Hooks.Example.test"), Some(Host::Named("hooks.example.test".to_owned())));
        assert_eq!(read("*.example.test"), Some(Host::Under(".example.test".to_owned())));
        assert_eq!(read("*"), Some(Host::Any));
        assert!(matches!(read("[::1]"), Some(Host::Address(_))));
        assert!(matches!(read("10.0.0.1"), Some(Host::Address(_))));
        for text in ["http://a.test", "a.test:80", "a.test/x", "a..test", "*a.test", "*."] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
