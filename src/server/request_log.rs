//! One line per request, for the person at the terminal or for a log collector.

use std::io::Write;
use std::time::Duration;

use anstyle::{AnsiColor, Style};

use crate::clock::{self, Moment};

/// How requests are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestLog {
    /// A line for people, in colour where the terminal has it.
    Terminal,
    /// A JSON object.
    Json,
}

/// What is told of a request.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "what the names say")]
pub struct Line<'a> {
    pub method: &'a str,
    pub path: &'a str,
    /// None where the client gets no answer.
    pub status: Option<u16>,
    pub detail: Option<&'a str>,
    /// The fault that struck.
    pub fault: Option<&'a str>,
    pub took: Duration,
}

impl RequestLog {
    /// Writes a line to standard output. A reader that went away is nobody's problem.
    pub fn tell(self, line: &Line<'_>) {
        let mut out = anstream::stdout().lock();
        let _ = match self {
            Self::Terminal => writeln!(out, "{}", shown(clock::system_now(), line)),
            Self::Json => writeln!(out, "{}", json(clock::system_now(), line)),
        };
    }
}

fn shown(now: Moment, line: &Line<'_>) -> String {
    let colour = match line.status {
        Some(..300) => AnsiColor::Green,
        Some(300..500) => AnsiColor::Yellow,
        Some(500..) | None => AnsiColor::Red,
    };
    let (style, dim) = (Style::new().fg_color(Some(colour.into())), Style::new().dimmed());
    let stamp = now.iso();
    let time = stamp.get(11..19).unwrap_or_default();
    let detail = line.detail.map(|detail| format!("  {dim}{detail}{dim:#}")).unwrap_or_default();
    let (method, path, took) = (line.method, line.path, line.took.as_secs_f64() * 1000.0);
    let status = line.status.map_or_else(|| "---".to_owned(), |status| status.to_string());
    let fault = line.fault.map(|fault| format!("  {style}fault {fault}{style:#}")).unwrap_or_default();
    format!(
        "{dim}{time}{dim:#} {style}{status}{style:#} {method} {path} {dim}{took:.1} ms{dim:#}{fault}{detail}"
    )
}

fn json(now: Moment, line: &Line<'_>) -> String {
    serde_json::json!({
        "event": "request",
        "at": now.iso(),
        "method": line.method,
        "path": line.path,
        "status": line.status,
        "detail": line.detail,
        "fault": line.fault,
        "durationUs": u64::try_from(line.took.as_micros()).unwrap_or(u64::MAX),
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_time_status_path_and_detail() {
        let line = Line {
            method: "POST",
            path: "/v1/x",
            status: Some(404),
            detail: Some("why"),
            fault: Some("slow"),
            took: Duration::from_micros(1_250),
        };
        let plain = anstream::adapter::strip_str(&shown(Moment(43_200_000), &line)).to_string();
        assert_eq!(plain, "12:00:00 404 POST /v1/x 1.2 ms  fault slow  why");
        assert!(json(Moment(0), &line).contains(r#""status":404"#));
    }
}
