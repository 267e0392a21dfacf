//! Validates API keys.

use crate::auth::Key;
use crate::clock::Mode;
use crate::scenario::diagnostic::Findings;
use crate::scenario::raw::{self, List};
use crate::scenario::read::Spanned;
use crate::scenario::scalars::{NonBlank, is_world_name};
use crate::scenario::source::Span;
use crate::scenario::validate::businesses::Accounts;
use crate::scenario::validate::{Unique, warn_no_effect};

/// Maximum number of keys with a world of their own. Each of these worlds stands as long as the process.
const MAX_OWN_WORLDS: usize = 10_000;

/// Validates the API keys of the scenario named `scenario`.
pub(crate) fn validate(
    findings: &mut Findings,
    list: List<raw::Key>,
    accounts: &Accounts,
    mode: Mode,
    scenario: &str,
) -> Vec<Key> {
    let own = list.iter().filter(|key| key.value.world.is_some());
    if let Some(key) = own.clone().nth(MAX_OWN_WORLDS) {
        findings
            .error("limit", key.span, format!("more than {MAX_OWN_WORLDS} keys have a world of their own"))
            .help("worlds that the admin API makes on demand have their own keys too");
        return Vec::new();
    }
    let mut keys = Unique::new("duplicate-name", "key");
    let mut names = Unique::new("duplicate-name", "key name");
    let mut out = Vec::with_capacity(list.len());
    for Spanned { span, value: raw } in list {
        if let Some(name) = &raw.name {
            names.insert(findings, name.value.0.clone(), name.span);
        }
        if let (Some(limit), Mode::Frozen) = (&raw.rate_limit, mode) {
            findings
                .warning(
                    "frozen-clock",
                    limit.span,
                    "the clock is frozen, so the window of this rate limit does not end by itself",
                )
                .help("move the clock through the admin API, or let it run with `clock: {mode: running}`");
        }
        if let (Some(limit), Some(Spanned { value: true, .. })) = (&raw.rate_limit, raw.revoked) {
            warn_no_effect(findings, limit.span, "`rate_limit` has no effect on a revoked key")
                .help("the requests of a revoked key are refused before they are counted");
        }
        if raw.world.is_some() {
            check_world_name(findings, &raw, span, scenario);
        }
        let covered = raw.accounts.map(|list| {
            let numbers = list.value.into_iter();
            numbers.filter_map(|number| accounts.resolve(findings, "accounts", number)).collect::<Vec<u64>>()
        });
        let Some(key) = raw.key else { continue };
        keys.insert(findings, key.value.0.clone(), key.span);
        out.push(Key {
            key: key.value.0,
            name: raw.name.map(|name| name.value.0),
            accounts: covered,
            rate_limit: raw.rate_limit.map(|limit| limit.value),
            revoked: raw.revoked.is_some_and(|revoked| revoked.value),
            own_world: raw.world.is_some(),
        });
    }
    out
}

fn check_world_name(findings: &mut Findings, raw: &raw::Key, span: Span, scenario: &str) {
    let pattern =
        "1 to 64 letters, digits, `.`, `_` or `-`, beginning with a letter or digit, and not `default`";
    match &raw.name {
        None => {
            findings
                .error(
                    "world-name",
                    span,
                    "a key with `world: own` needs a `name`, which is also the name of its world",
                )
                .help(pattern);
        }
        Some(Spanned { span, value: NonBlank(name) }) if name == "default" || !is_world_name(name) => {
            findings.error("world-name", *span, format!("`{name}` cannot name a world")).help(pattern);
        }
        Some(Spanned { span, value: NonBlank(name) }) if name == scenario => {
            let message = format!("`{name}` is the name of this scenario and of its standing world");
            findings.error("world-name", *span, message).help("give the key another name");
        }
        Some(_) => {}
    }
}
