//! What `serve` tells the person who started it: where it is, with which keys, and a line to paste.

use std::fmt::Write;
use std::net::SocketAddr;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use serde_json::json;

use crate::api::dates::Day;
use crate::reload::status::LoadEvent;
use crate::scenario::render;
use crate::world::registry::Registry;
use crate::world::snapshot::Snapshot;

const STRONG: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GOOD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
const BAD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));

/// What is served, and where.
#[derive(Debug)]
pub struct Greeting<'a> {
    /// All worlds.
    pub registry: &'a Registry,
    /// Where the server listens.
    pub address: SocketAddr,
    /// Files and folders that are followed.
    pub paths: &'a [PathBuf],
    /// Whether the admin side answers.
    pub admin: bool,
}

impl Greeting<'_> {
    /// The base URL of the default scenario.
    #[must_use]
    pub fn base_url(&self) -> String {
        let host = match self.address.ip() {
            ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
            std::net::IpAddr::V4(ip) => ip.to_string(),
            std::net::IpAddr::V6(ip) => format!("[{ip}]"),
        };
        format!("http://{host}:{}", self.address.port())
    }

    /// For people.
    #[must_use]
    pub fn for_people(&self) -> String {
        let snapshot = self.registry.default_world().snapshot();
        let base = self.base_url();
        let mut text = format!("{STRONG}standin {}{STRONG:#}\n\n", env!("CARGO_PKG_VERSION"));
        let summary =
            snapshot.summary.as_ref().map(|summary| format!("  {DIM}{summary}{DIM:#}")).unwrap_or_default();
        let _ = writeln!(text, "  Base URL  {STRONG}{GOOD}{base}{GOOD:#}{STRONG:#}");
        let _ = writeln!(text, "  Scenario  {}{summary}", snapshot.scenario);
        let others: Vec<String> = self
            .registry
            .all()
            .iter()
            .filter(|world| world.name != snapshot.scenario)
            .map(|world| format!("/w/{}", world.name))
            .collect();
        if !others.is_empty() {
            let _ = writeln!(text, "  Also at   {}", wrapped(&others));
        }
        let _ = writeln!(text, "  Seed      {}", snapshot.seed.0);
        let _ = writeln!(text, "  Keys      {}", keys(&snapshot).join("\n            "));
        if self.admin {
            let _ = writeln!(text, "  Admin     {base}/__admin/health");
        } else {
            let _ =
                writeln!(text, "  Admin     off: it needs --admin-token on any address but a loopback one");
        }
        if self.address.ip().is_unspecified() {
            let _ =
                writeln!(text, "  Open to   every network of this machine, on port {}", self.address.port());
        }
        if let Some(line) = curl(&snapshot, &base) {
            let _ = writeln!(text, "\nTry it:\n\n{line}");
        }
        let paths: Vec<String> = self.paths.iter().map(|path| path.display().to_string()).collect();
        let _ = writeln!(
            text,
            "\n{DIM}Following {}: save a file, and it is served at once. Ctrl-C stops.{DIM:#}",
            paths.join(", ")
        );
        text
    }

    /// For programs: one JSON object.
    #[must_use]
    pub fn for_programs(&self) -> String {
        let snapshot = self.registry.default_world().snapshot();
        let worlds: Vec<String> = self.registry.all().iter().map(|world| world.name.clone()).collect();
        let keys: Vec<&str> =
            snapshot.keys.all().iter().filter(|key| !key.revoked).map(|key| key.key.as_str()).collect();
        json!({
            "event": "listening",
            "baseUrl": self.base_url(),
            "scenario": snapshot.scenario,
            "seed": snapshot.seed.0,
            "keys": keys,
            "worlds": worlds,
        })
        .to_string()
    }
}

/// Words in lines that fit a terminal, aligned under the first.
fn wrapped(words: &[String]) -> String {
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

/// The keys that can be used, each with what it covers.
fn keys(snapshot: &Snapshot) -> Vec<String> {
    if snapshot.keys.all().is_empty() {
        return vec!["any non-empty key".to_owned()];
    }
    let shown = |key: &crate::auth::Key| {
        let accounts = key.accounts.as_ref().map_or_else(
            || "all accounts".to_owned(),
            |accounts| {
                let numbers: Vec<String> = accounts.iter().map(u64::to_string).collect();
                if numbers.is_empty() {
                    "no account".to_owned()
                } else {
                    format!("account {}", numbers.join(", "))
                }
            },
        );
        let limit = key.rate_limit.map(|limit| format!(", {} per {:?}", limit.requests, limit.window));
        let own =
            key.name.as_ref().filter(|_| key.own_world).map(|name| format!(", in its own world /w/{name}"));
        format!(
            "{}  {DIM}({accounts}{}{}){DIM:#}",
            key.key,
            limit.unwrap_or_default(),
            own.unwrap_or_default()
        )
    };
    snapshot.keys.all().iter().filter(|key| !key.revoked).map(shown).collect()
}

/// A call that answers, to paste: the sentiment benchmark of the first account that a usable key covers.
fn curl(snapshot: &Snapshot, base: &str) -> Option<String> {
    let key = match snapshot.keys.all() {
        [] => "any",
        keys => &keys.iter().find(|key| !key.revoked)?.key,
    };
    let covered = snapshot.keys.find(key).and_then(|key| key.accounts.as_ref()?.first().copied());
    let account = covered.or_else(|| snapshot.businesses().first().map(|business| business.number))?;
    let end = snapshot.today();
    let american = |day: Day| {
        let iso = day.iso();
        format!(
            "{}/{}/{}",
            iso.get(5..7).unwrap_or_default(),
            iso.get(8..).unwrap_or_default(),
            iso.get(..4).unwrap_or_default()
        )
    };
    let body = format!(
        r#"{{"businessNumbers":[{account}],"startDate":"{}","endDate":"{}"}}"#,
        american(Day(end.0 - 364)),
        american(end)
    );
    Some(format!(
        "curl -s {base}/v1/insight/sentiment/scoreBenchmark \\\n  -H 'content-type: application/json' -H 'x-api-key: {key}' -H 'x-business-number: {account}' \\\n  -d '{body}'"
    ))
}

/// What a reload changed, for people.
#[must_use]
pub fn news_for_people(news: &LoadEvent) -> String {
    match news {
        LoadEvent::Loaded { name, generation, problems } => {
            let shown: String = problems.iter().map(|problem| render::human(problem, true) + "\n").collect();
            format!("{shown}{GOOD}served{GOOD:#} {name} {DIM}(generation {generation}){DIM:#}")
        }
        LoadEvent::Broken { name, problems, served } => {
            let shown: String = problems.iter().map(|problem| render::human(problem, true) + "\n").collect();
            let rest = if *served { "its last good version is served on" } else { "it is not served" };
            format!("{shown}{BAD}not loaded{BAD:#} {name}: {rest}")
        }
        LoadEvent::Mended { name } => format!("{GOOD}mended{GOOD:#} {name}: as it is served"),
    }
}

/// The same for programs.
#[must_use]
pub fn news_for_programs(news: &LoadEvent) -> String {
    match news {
        LoadEvent::Loaded { name, generation, problems } => {
            json!({ "event": "loaded", "scenario": name, "generation": generation, "diagnostics": render::json(problems) })
        }
        LoadEvent::Broken { name, problems, served } => {
            json!({ "event": "broken", "scenario": name, "served": served, "diagnostics": render::json(problems) })
        }
        LoadEvent::Mended { name } => json!({ "event": "mended", "scenario": name }),
    }
    .to_string()
}
