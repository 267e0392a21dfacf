//! The log of a serving process: what happens goes to standard output, problems go to standard error. Writing to either
//! never blocks the caller.

use std::borrow::Cow;
use std::io;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use serde_json::json;

use crate::clock::{self, Moment};
use crate::server::log_writer::LogWriter;

/// Format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people
    Text,
    /// One JSON object per line, for programs
    Json,
}

/// The log of a serving process.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    /// Format of standard output. Standard error is always text.
    pub(crate) format: Format,
    /// Whether requests are logged.
    pub(crate) requests: bool,
    output: LogWriter,
    errors: LogWriter,
}

/// One request in the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    /// None if the client gets no response.
    pub(crate) status: Option<u16>,
    /// The text of `x-standin-detail`.
    pub(crate) detail: Option<&'a str>,
    /// Name of the fault that took effect.
    pub(crate) fault: Option<&'a str>,
    pub(crate) duration: Duration,
}

impl Log {
    /// Starts the two threads that write.
    ///
    /// # Errors
    /// The system does not allow another thread.
    pub(crate) fn start(format: Format, requests: bool) -> io::Result<Self> {
        let notice = |stream: &'static str| {
            move |lines| {
                format!("standin: {lines} lines of the log were dropped because {stream} was not read")
            }
        };
        let output = LogWriter::start(anstream::stdout(), move |lines| match format {
            Format::Text => notice("standard output")(lines),
            Format::Json => json!({ "event": "dropped", "lines": lines }).to_string(),
        })?;
        let errors = LogWriter::start(anstream::stderr(), notice("standard error"))?;
        Ok(Self { format, requests, output, errors })
    }

    /// Writes a message to standard output.
    pub(crate) fn write(&self, message: String) {
        self.output.write(message);
    }

    /// Writes a message to standard error.
    pub(crate) fn write_error(&self, message: String) {
        self.errors.write(message);
    }

    /// Writes the line of a request.
    pub(crate) fn request(&self, line: &Line<'_>) {
        let now = clock::system_now();
        self.write(match self.format {
            Format::Text => text_line(now, line),
            Format::Json => json_line(now, line),
        });
    }

    /// Number of lines that were dropped because nobody read them.
    pub(crate) fn dropped(&self) -> u64 {
        self.output.dropped() + self.errors.dropped()
    }

    /// Waits until everything is written, but no longer than `limit` for each stream.
    pub(crate) fn flush(&self, limit: Duration) {
        self.errors.flush(limit);
        self.output.flush(limit);
    }
}

/// A text whose control characters are escaped, so that it cannot change the terminal on which it is shown.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    // The second range changes the direction of the text around it.
    let is_control =
        |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !text.contains(is_control) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_control(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown.into()
}

fn text_line(now: Moment, line: &Line<'_>) -> String {
    let colour = match line.status {
        Some(..300) => AnsiColor::Green,
        Some(300..500) => AnsiColor::Yellow,
        Some(500..) | None => AnsiColor::Red,
    };
    let (style, dim) = (Style::new().fg_color(Some(colour.into())), Style::new().dimmed());
    let stamp = now.iso();
    let time = stamp.get(11..19).unwrap_or_default();
    let detail = line.detail.map(|detail| format!("  {dim}{}{dim:#}", printable(detail))).unwrap_or_default();
    let (method, path, took) = (line.method, printable(line.path), line.duration.as_secs_f64() * 1000.0);
    let status = line.status.map_or_else(|| "---".to_owned(), |status| status.to_string());
    let fault =
        line.fault.map(|fault| format!("  {style}fault {}{style:#}", printable(fault))).unwrap_or_default();
    format!(
        "{dim}{time}{dim:#} {style}{status}{style:#} {method} {path} {dim}{took:.1} ms{dim:#}{fault}{detail}"
    )
}

fn json_line(now: Moment, line: &Line<'_>) -> String {
    json!({
        "event": "request",
        "at": now.iso(),
        "method": line.method,
        "path": line.path,
        "status": line.status,
        "detail": line.detail,
        "fault": line.fault,
        "durationUs": u64::try_from(line.duration.as_micros()).unwrap_or(u64::MAX),
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
            duration: Duration::from_micros(1_250),
        };
        let plain = anstream::adapter::strip_str(&text_line(Moment(43_200_000), &line)).to_string();
        assert_eq!(plain, "12:00:00 404 POST /v1/x 1.2 ms  fault slow  why");
        assert!(json_line(Moment(0), &line).contains(r#""status":404"#));
    }

    #[test]
    fn control_characters_are_escaped() {
        let path = "/v1/\u{9b}2J\u{1b}[31m\u{202e}é";
        let line = Line {
            method: "GET",
            path,
            status: None,
            detail: None,
            fault: Some("a\nb"),
            duration: Duration::ZERO,
        };
        let plain = anstream::adapter::strip_str(&text_line(Moment(0), &line)).to_string();
        assert_eq!(plain, r"00:00:00 --- GET /v1/\u{9b}2J\u{1b}[31m\u{202e}é 0.0 ms  fault a\nb");
    }
}
