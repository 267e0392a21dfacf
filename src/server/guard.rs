//! Who may use the admin side: no foreign page, no foreign host name, and nobody without
//! the token where there is one.

use crate::api::call::Call;
use crate::api::reply::Reply;
use crate::server::state::State;
use crate::webhook::state::USER_AGENT;

/// Why a call of the admin side is not answered.
#[must_use]
pub fn refusal(state: &State, call: &Call<'_>) -> Option<Reply> {
    if !state.admin {
        return Some(error(
            404,
            "The admin side is off: it needs --admin-token on any address but a loopback one.",
        ));
    }
    if call.header("user-agent").is_some_and(|agent| agent == USER_AGENT) {
        return Some(error(403, "The admin side answers no deliveries of webhooks."));
    }
    let host = call.header("host").unwrap_or_default();
    if let Some(site) =
        call.header("sec-fetch-site").filter(|site| !matches!(site.as_ref(), "same-origin" | "none"))
    {
        return Some(error(
            403,
            &format!("Sec-Fetch-WorldHandle is {site}: the admin side answers no other site's page."),
        ));
    }
    let own =
        |origin: &str| origin.split_once("://").is_some_and(|(_, name)| name.eq_ignore_ascii_case(&host));
    if let Some(origin) = call.header("origin").filter(|origin| !own(origin)) {
        return Some(error(403, &format!("Origin is {origin}: the admin side answers its own pages alone.")));
    }
    match &state.admin_token {
        None if !is_loopback(&host) => {
            let message =
                format!("Host is {host}: without --admin-token the admin side answers to localhost alone.");
            Some(error(403, &message))
        }
        Some(token) if !bears(call, token) => Some(
            error(401, "Send the admin token: Authorization: Bearer …").with("www-authenticate", "Bearer"),
        ),
        None | Some(_) => None,
    }
}

/// Whether the call carries the token; compared in constant time.
fn bears(call: &Call<'_>, token: &str) -> bool {
    let header = call.header("authorization").unwrap_or_default();
    let sent = header.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let sent = sent.map_or("", |(_, sent)| sent.trim()).as_bytes();
    let wrong = sent.iter().zip(token.as_bytes()).fold(0, |wrong, (a, b)| wrong | (a ^ b));
    sent.len() == token.len() && wrong == 0
}

/// Whether a Host header names this machine itself.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.to_ascii_lowercase().ends_with(".localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// An error of the admin side: `{"error": what to do}`.
#[must_use]
pub fn error(status: u16, message: &str) -> Reply {
    Reply::json(status, serde_json::json!({ "error": message }).to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_names_are_told_from_others() {
        for own in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:80", "127.9.9.9", "x.localhost:1"] {
            assert!(is_loopback(own), "{own}");
        }
        for other in
            ["", "example.test", "localhost.example.test", "10.0.0.1:80", "127.0.0.1.example.test", "[::2]"]
        {
            assert!(!is_loopback(other), "{other}");
        }
    }
}
