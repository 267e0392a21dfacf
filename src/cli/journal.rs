//! The flags of `serve` that say how much of the calls is written down.

use clap::Args;

use crate::journal::budget::Limits;

/// Its flags.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Journal")]
#[group(skip)]
pub struct Flags {
    /// How much a world's journal holds, as in 512KiB or 8MiB; 0 writes nothing down
    #[arg(long = "journal", value_name = "SIZE", default_value = "8MiB", value_parser = size, env = "STANDIN_JOURNAL")]
    world: usize,
    /// How much all journals hold together
    #[arg(long = "journal-total", value_name = "SIZE", default_value = "64MiB", value_parser = size, env = "STANDIN_JOURNAL_TOTAL")]
    total: usize,
    /// How much of one body is held
    #[arg(long = "journal-body", value_name = "SIZE", default_value = "64KiB", value_parser = size, env = "STANDIN_JOURNAL_BODY")]
    body: usize,
}

impl From<Flags> for Limits {
    fn from(Flags { world, total, body }: Flags) -> Self {
        Self { world, total, body }
    }
}

/// A number of bytes, `KiB`, `MiB` or `GiB`.
fn size(text: &str) -> Result<usize, String> {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("", 0)];
    let read = units.iter().find_map(|(unit, shift)| {
        let digits = text.strip_suffix(unit)?.trim_end();
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| digits.parse::<usize>().ok()?.checked_mul(1 << shift))?
    });
    read.ok_or_else(|| "a size is a whole number of bytes, KiB, MiB or GiB, as in 8MiB".to_owned())
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
