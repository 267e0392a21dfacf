//! The flags of `serve`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::sources::Sources;
use crate::journal::budget::Limits;
use crate::scenario::scalars::{DURATION_FORMAT, parse_duration};
use crate::server::log::Format;

/// The longest time for which a server goes on after SIGTERM.
const LONGEST_DRAIN: Duration = Duration::from_secs(3600);

/// Reads a port.
pub(crate) fn port(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_| "a port is a number from 0 to 65535".to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct Flags {
    #[command(flatten)]
    pub(crate) sources: Sources,
    /// Port to listen on; 0 picks a free one
    #[arg(long, default_value_t = 8080, value_parser = port, env = "STANDIN_PORT")]
    pub(crate) port: u16,
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1", env = "STANDIN_HOST")]
    pub(crate) host: String,
    /// Scenario that answers at `/` [default: `demo`, or else the first by name]
    #[arg(long, value_name = "NAME", env = "STANDIN_DEFAULT")]
    pub(crate) default: Option<String>,
    /// Look for changed files twice a second, for network folders that report no changes
    #[arg(long, env = "STANDIN_POLL")]
    pub(crate) poll: bool,
    /// Format of the log
    #[arg(long, value_enum, default_value_t = Format::Text, env = "STANDIN_LOG")]
    pub(crate) log: Format,
    /// Do not log requests
    #[arg(long, env = "STANDIN_QUIET")]
    pub(crate) quiet: bool,
    /// Token of the admin API; without one, the admin API is off unless the address is a loopback address
    #[arg(long, value_name = "TOKEN", env = "STANDIN_ADMIN_TOKEN", hide_env_values = true)]
    pub(crate) admin_token: Option<String>,
    /// Number of worker threads [default: one per processor]
    #[arg(long, env = "STANDIN_WORKERS")]
    pub(crate) workers: Option<NonZeroUsize>,
    /// Seconds that open requests and deliveries may take to finish after Ctrl-C or SIGTERM
    #[arg(long, value_name = "SECONDS", default_value_t = 5, env = "STANDIN_GRACE")]
    pub(crate) grace: u64,
    /// How long calls are still answered after SIGTERM, while health answers 503, so that a balancer takes the server out
    /// before it stops
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = drain, env = "STANDIN_DRAIN")]
    pub(crate) drain: Duration,
    /// Seconds after which a connection is closed whose request or answer stands still
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..), env = "STANDIN_STALL")]
    pub(crate) stall: u64,
    /// Delete a world that was created on demand after it was unused for this long; `never` keeps it
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = idle, env = "STANDIN_IDLE")]
    pub(crate) idle: Idle,
    /// Stop when standard input ends: for a program that starts the server through a pipe, so that the server ends with it
    #[arg(long, env = "STANDIN_UNTIL_EOF")]
    pub(crate) until_eof: bool,
    /// Snapshot of the default world: taken up at the start if the file is there, and written when the server stops
    #[arg(long, value_name = "FILE", env = "STANDIN_SNAPSHOT")]
    pub(crate) snapshot: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) journal: Journal,
}

/// How much of the requests and responses the journals keep.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Journal")]
pub(crate) struct Journal {
    /// Most bytes that the journal of a world keeps, such as 512KiB or 8MiB; 0 keeps nothing
    #[arg(long = "journal", value_name = "SIZE", default_value = "8MiB", value_parser = size, env = "STANDIN_JOURNAL")]
    world: usize,
    /// Most bytes that all journals keep together
    #[arg(long = "journal-total", value_name = "SIZE", default_value = "64MiB", value_parser = size, env = "STANDIN_JOURNAL_TOTAL")]
    total: usize,
    /// Most bytes that a journal keeps of one body
    #[arg(long = "journal-body", value_name = "SIZE", default_value = "64KiB", value_parser = size, env = "STANDIN_JOURNAL_BODY")]
    body: usize,
}

impl From<Journal> for Limits {
    fn from(Journal { world, total, body }: Journal) -> Self {
        Self { world, total, body }
    }
}

/// After how long an unused world is deleted; `None` is never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Idle(pub(crate) Option<Duration>);

fn idle(text: &str) -> Result<Idle, String> {
    if text == "never" {
        return Ok(Idle(None));
    }
    let span = parse_duration(text).filter(|span| !span.is_zero());
    span.map(|span| Idle(Some(span)))
        .ok_or_else(|| format!("it must be {DURATION_FORMAT}, more than 0, or `never`"))
}

fn drain(text: &str) -> Result<Duration, String> {
    let span = parse_duration(text).filter(|span| *span <= LONGEST_DRAIN);
    span.ok_or_else(|| format!("it must be {DURATION_FORMAT}, at most 1h"))
}

/// Reads a number of bytes, KiB, MiB or GiB.
fn size(text: &str) -> Result<usize, String> {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("", 0)];
    let bytes = units.iter().find_map(|(unit, shift)| {
        let digits = text.strip_suffix(unit)?.trim_end();
        let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit());
        is_whole.then(|| digits.parse::<usize>().ok()?.checked_mul(1 << shift))?
    });
    bytes.ok_or_else(|| "it must be a whole number of bytes, KiB, MiB or GiB, such as 8MiB".to_owned())
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_read_with_their_units() {
        assert_eq!(size("0"), Ok(0));
        assert_eq!(size("512"), Ok(512));
        assert_eq!(size("8MiB"), Ok(8 << 20));
        assert_eq!(size("2 GiB"), Ok(2 << 30));
        for wrong in ["", "MiB", "1.5MiB", "-1", "8MB", "99999999999GiB"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
