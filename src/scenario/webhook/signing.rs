//! Validates the signing of deliveries and the hosts they may be sent to.

use std::net::IpAddr;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::scenario::diagnostic::Findings;
use crate::scenario::read::Spanned;
use crate::scenario::report::stray_key;
use crate::scenario::scalars::NonBlank;
use crate::scenario::webhook::raw;
use crate::webhook::settings::{Host, Signing};

const PREFIX: &str = "whsec_";

pub(crate) fn validate(findings: &mut Findings, raw: &Spanned<raw::Signing>) -> Signing {
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
            .help("any secret will do for tests: `secret: whsec_c3RhbmRpbi1zdGFuZGluLXN0YW5kaW4=`");
    }
    match (scheme.value, secret) {
        (raw::Scheme::None, _) | (_, None) => Signing::None,
        (raw::Scheme::HmacSha256, Some(secret)) => {
            Signing::HmacSha256 { secret: secret.value.0.as_bytes().to_vec() }
        }
        (raw::Scheme::StandardWebhooks, Some(secret)) => {
            let bytes =
                secret.value.0.strip_prefix(PREFIX).and_then(decode).filter(|bytes| !bytes.is_empty());
            if bytes.is_none() {
                findings
                    .error("wrong-value", secret.span, "`secret` must be `whsec_` followed by base64")
                    .help("Standard Webhooks secrets look like `whsec_c3RhbmRpbi1zdGFuZGluLXN0YW5kaW4=`");
            }
            let world_time =
                signing.timestamp.map(|timestamp| timestamp.value) == Some(raw::Timestamp::World);
            Signing::StandardWebhooks { secret: bytes.unwrap_or_default(), world_time }
        }
    }
}

/// Standard base64 with or without padding. Bits that are left over at the end are ignored.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

fn decode(base64: &str) -> Option<Vec<u8>> {
    BASE64.decode(base64).ok()
}

/// Validates a host that deliveries may be sent to.
pub(crate) fn host(findings: &mut Findings, given: &Spanned<NonBlank>) -> Option<Host> {
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
        .help("allowed: a host name (`hooks.example.test`), a wildcard (`*.example.test`), an IP address, or `*`; without scheme, port or path");
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::source::Span;

    #[test]
    fn base64_is_read_with_and_without_padding() {
        assert_eq!(decode("aGk="), Some(b"hi".to_vec()));
        assert_eq!(decode("aGk"), Some(b"hi".to_vec()));
        assert_eq!(decode("aGkh"), Some(b"hi!".to_vec()));
        assert_eq!(decode("aA=="), Some(b"h".to_vec()));
        assert_eq!(decode("+/+/"), Some(vec![0xfb, 0xff, 0xbf]));
        for text in ["a", "a b=", "aGk-", "aGk=aGk="] {
            assert_eq!(decode(text), None, "{text}");
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
