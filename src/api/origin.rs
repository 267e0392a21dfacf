//! Where a call comes from, as a browser says: a page of another site, or a page of this machine.

use std::net::IpAddr;

use url::{Host, Url};

use crate::api::call::Call;

/// Whether a call comes from a foreign web page: its `Origin` is `null` or has a host that is not loopback, or it has no `Origin`
/// and `Sec-Fetch-Site` is `cross-site`. An app on `localhost:3000` is no foreign page, though its calls to `127.0.0.1` are
/// cross-site.
pub(crate) fn is_foreign_page(call: &Call<'_>) -> bool {
    let mut origins = call.headers.iter().filter(|(name, _)| *name == "origin").peekable();
    if origins.peek().is_some() {
        return !origins.all(|(_, origin)| std::str::from_utf8(origin).is_ok_and(is_loopback_origin));
    }
    call.header("sec-fetch-site").is_some_and(|site| site.eq_ignore_ascii_case("cross-site"))
}

fn is_loopback_origin(origin: &str) -> bool {
    Url::parse(origin).is_ok_and(|url| match url.host() {
        Some(Host::Domain(name)) => is_loopback_name(name),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.to_canonical().is_loopback(),
        None => false,
    })
}

/// Whether a `Host` header, which may have a port, names this machine itself.
pub(crate) fn is_loopback_host(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, rest)) => (name, rest.strip_prefix(':').unwrap_or(rest)),
        None => host.split_once(':').unwrap_or((host, "")),
    };
    let is_own = is_loopback_name(name) || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    is_own && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a host name is `localhost` or below it, which no public name is (RFC 6761, 6.3). Text with other characters than
/// those of names is none: the host in `example.test/.localhost` is another.
fn is_loopback_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte));
    is_name && (name == "localhost" || name.ends_with(".localhost"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::call::Body;

    fn is_foreign(headers: &[(&'static str, &'static str)]) -> bool {
        let headers = headers.iter().map(|(name, value)| (*name, value.as_bytes())).collect();
        is_foreign_page(&Call {
            method: "POST",
            path: "/",
            query: "",
            headers,
            body: Body::Whole(b""),
            connection: 0,
        })
    }

    #[test]
    fn a_page_of_this_machine_is_told_from_a_foreign_one() {
        for own in [
            &[][..],
            &[("origin", "http://localhost:3000"), ("sec-fetch-site", "cross-site")],
            &[("origin", "http://127.0.0.1:5173")],
            &[("origin", "https://[::1]:3000")],
            &[("origin", "http://app.localhost")],
            &[("origin", "tauri://localhost")],
            &[("sec-fetch-site", "same-origin")],
            &[("sec-fetch-site", "none")],
        ] {
            assert!(!is_foreign(own), "{own:?}");
        }
        for foreign in [
            &[("origin", "http://evil.test")][..],
            &[("origin", "null")],
            &[("origin", "")],
            &[("origin", "http://localhost.evil.test")],
            &[("origin", "http://127.0.0.1.evil.test")],
            &[("origin", "http://localhost@evil.test")],
            &[("origin", "http://10.0.0.1")],
            &[("origin", "http://evil.test"), ("sec-fetch-site", "same-origin")],
            &[("origin", "http://localhost"), ("origin", "http://evil.test")],
            &[("sec-fetch-site", "cross-site")],
            &[("sec-fetch-site", "Cross-Site")],
        ] {
            assert!(is_foreign(foreign), "{foreign:?}");
        }
    }

    #[test]
    fn loopback_names_are_told_from_others() {
        for own in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:80", "127.9.9.9", "x.localhost:1"] {
            assert!(is_loopback_host(own), "{own}");
        }
        for other in [
            "",
            "example.test",
            "localhost.example.test",
            "10.0.0.1:80",
            "127.0.0.1.example.test",
            "[::2]",
            "localhost:80@example.test",
            "example.test/.localhost",
            "example.test?.localhost:80",
            "example.test#.localhost",
            "localhost@example.test/a.localhost",
            "example.test\0.localhost",
            "[::1]example.test",
        ] {
            assert!(!is_loopback_host(other), "{other}");
        }
    }
}
