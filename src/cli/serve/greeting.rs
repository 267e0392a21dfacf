//! What `serve` prints when it is ready: the base URLs, the keys, and a curl command to paste.

use std::fmt::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use serde_json::json;

use crate::auth::Key;
use crate::clock::Mode;
use crate::server::log::{Format, printable};
use crate::world::registry::Registry;
use crate::world::snapshot::Snapshot;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GREEN: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));

#[derive(Debug)]
pub(crate) struct Greeting<'a> {
    pub(crate) registry: &'a Registry,
    /// The address that the server listens on.
    pub(crate) address: SocketAddr,
    /// The scenario files and folders, as named on the command line.
    pub(crate) paths: &'a [PathBuf],
    /// Whether the scenarios are those that are part of the program.
    pub(crate) shipped: bool,
    /// Whether the admin API is on.
    pub(crate) admin: bool,
}

impl Greeting<'_> {
    pub(crate) fn format(&self, format: Format) -> String {
        match format {
            Format::Text => self.text(),
            Format::Json => self.json(),
        }
    }

    /// The base URL of the default scenario.
    fn base_url(&self) -> String {
        let host = match self.address.ip() {
            ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        format!("http://{host}:{}", self.address.port())
    }

    fn text(&self) -> String {
        let snapshot = self.registry.default_world().snapshot();
        let base = self.base_url();
        let mut text = format!("{BOLD}standin {}{BOLD:#}\n\n", env!("CARGO_PKG_VERSION"));
        let summary =
            snapshot.summary.as_ref().map(|summary| format!("  {DIM}{}{DIM:#}", printable(summary)));
        let _ = writeln!(text, "  Base URL  {BOLD}{GREEN}{base}{GREEN:#}{BOLD:#}");
        let _ = writeln!(text, "  Scenario  {}{}", snapshot.scenario, summary.unwrap_or_default());
        let others: Vec<String> = self
            .registry
            .standing()
            .iter()
            .filter(|world| world.name != snapshot.scenario)
            .map(|world| format!("/w/{}", world.name))
            .collect();
        if !others.is_empty() {
            let _ = writeln!(text, "  Also at   {}", wrap(&others));
        }
        if let Some(start) = snapshot.clock.start {
            let mode = match snapshot.clock.mode {
                Mode::Running => "running",
                Mode::Frozen => "frozen",
            };
            let _ = writeln!(text, "  Clock     starts at {}, {mode}", start.iso());
        }
        let _ = writeln!(text, "  Seed      {}", snapshot.seed.0);
        let _ = writeln!(text, "  Keys      {}", keys(&snapshot).join("\n            "));
        if self.admin {
            let _ = writeln!(text, "  Console   {base}/console");
            let _ = writeln!(text, "  Admin     {base}/__admin/health");
        } else {
            let _ = writeln!(text, "  Admin     off: set --admin-token to use it on {}", self.address.ip());
        }
        if self.address.ip().is_unspecified() {
            let port = self.address.port();
            let _ = writeln!(text, "  Network   port {port} is open on all networks of this machine");
        }
        if let Some(command) = curl(&snapshot, &base) {
            let _ = writeln!(text, "\nTry it:\n\n{command}");
        }
        if self.shipped {
            let scenario = printable(&snapshot.scenario);
            let _ = writeln!(
                text,
                "\n{DIM}What is served is part of the program itself. To change a scenario, write it out:\n\
                 standin new --from {scenario} NAME. Press Ctrl-C to stop.{DIM:#}"
            );
            return text;
        }
        let paths: Vec<String> = self.paths.iter().map(|path| path.display().to_string()).collect();
        let paths = paths.join(", ");
        let paths = printable(&paths);
        let _ = writeln!(text, "\n{DIM}Reloads {paths} when a file changes. Press Ctrl-C to stop.{DIM:#}");
        text
    }

    fn json(&self) -> String {
        let snapshot = self.registry.default_world().snapshot();
        let worlds: Vec<String> = self.registry.standing().iter().map(|world| world.name.clone()).collect();
        let keys: Vec<&str> = usable(&snapshot).map(|key| key.key.as_str()).collect();
        let mut line = json!({
            "event": "listening",
            "baseUrl": self.base_url(),
            "scenario": snapshot.scenario,
            "seed": snapshot.seed.0,
            "keys": keys,
            "worlds": worlds,
        });
        if let Some(start) = snapshot.clock.start {
            line["clockStart"] = start.iso().into();
        }
        line.to_string()
    }
}

/// Joins words into lines that fit a terminal, each line aligned under the first.
fn wrap(words: &[String]) -> String {
    let mut text = String::new();
    let mut width = 0;
    for word in words {
        if width > 0 && width + word.len() > 84 {
            text.push_str("\n            ");
            width = 0;
        } else if width > 0 {
            text.push_str("  ");
        }
        text.push_str(word);
        width += word.len() + 2;
    }
    text
}

/// The keys that are not revoked.
fn usable(snapshot: &Snapshot) -> impl Iterator<Item = &Key> {
    snapshot.keys.all().iter().filter(|key| !key.revoked)
}

/// The usable keys, each with what it covers.
fn keys(snapshot: &Snapshot) -> Vec<String> {
    if snapshot.keys.all().is_empty() {
        return vec!["any non-empty key".to_owned()];
    }
    usable(snapshot).map(|key| format!("{}  {DIM}({}){DIM:#}", printable(&key.key), coverage(key))).collect()
}

/// The accounts, the rate limit and the world of a key.
fn coverage(key: &Key) -> String {
    let mut parts = vec![match &key.accounts {
        None => "all accounts".to_owned(),
        Some(accounts) if accounts.is_empty() => "no account".to_owned(),
        Some(accounts) => {
            let numbers: Vec<String> = accounts.iter().map(u64::to_string).collect();
            format!("account {}", numbers.join(", "))
        }
    }];
    parts.extend(key.rate_limit.map(|limit| format!("{} per {:?}", limit.requests, limit.window)));
    let own = key.name.as_ref().filter(|_| key.own_world);
    parts.extend(own.map(|name| format!("in its own world /w/{name}")));
    parts.join(", ")
}

/// A curl command that is answered with 200: the sentiment benchmark of the first account that a usable key covers.
fn curl(snapshot: &Snapshot, base: &str) -> Option<String> {
    let key = if snapshot.keys.all().is_empty() { "any" } else { &usable(snapshot).next()?.key };
    let covered = snapshot.keys.find(key).and_then(|key| key.accounts.as_ref()?.first().copied());
    // The key stands in quotes of the shell.
    let key = printable(key).replace('\'', r"'\''");
    let account = covered.or_else(|| snapshot.businesses().first().map(|business| business.number))?;
    let (start, end) = snapshot.last_year();
    let body = format!(r#"{{"businessNumbers":[{account}],"startDate":"{start}","endDate":"{end}"}}"#);
    Some(format!(
        "curl -s {base}/v1/insight/sentiment/scoreBenchmark \\\n  -H 'content-type: application/json' -H 'x-api-key: {key}' -H 'x-business-number: {account}' \\\n  -d '{body}'"
    ))
}
