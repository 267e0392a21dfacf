//! The command line that repeats a finding.

use std::time::Duration;

/// What `explore` was called with, as far as `run` needs it too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Given {
    /// The scenario as it was named.
    pub(crate) scenario: String,
    pub(crate) command: Vec<String>,
    /// Flags that both commands have, each with its value if it takes one.
    pub(crate) flags: Vec<String>,
}

/// The line of `standin run` with some faults, each a name and its text.
pub(crate) fn line(
    given: &Given,
    faults: &[(String, String)],
    timeout: Option<Duration>,
    expect: Option<(&str, &str)>,
) -> String {
    let mut words = vec!["standin".to_owned(), "run".to_owned(), given.scenario.clone()];
    words.extend(given.flags.iter().cloned());
    for (name, text) in faults {
        words.extend(["--fault".to_owned(), format!("{name}={text}")]);
    }
    if let Some(timeout) = timeout {
        words.extend(["--timeout".to_owned(), format!("{}s", timeout.as_secs())]);
    }
    if let Some((name, text)) = expect {
        words.extend(["--expect".to_owned(), format!("{name}={text}")]);
    }
    words.push("--".to_owned());
    words.extend(given.command.iter().cloned());
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// Time limits are written in such steps.
const STEP: u64 = 5;

/// The time limit of a line, for a command that was still running after `limit`: in coarse steps, so that it does not depend on
/// how fast the machine was, and never above the limit.
pub(crate) fn timeout(limit: Duration) -> Duration {
    let seconds = limit.as_secs();
    Duration::from_secs((seconds - seconds % STEP).max(1))
}

/// A word as a POSIX shell reads it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=,+@%".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_limit_of_a_line_is_coarse_and_not_above_that_of_the_run() {
        let of = |millis| timeout(Duration::from_millis(millis)).as_secs();
        assert_eq!([of(10_050), of(14_900), of(15_000), of(61_000), of(400)], [10, 10, 15, 60, 1]);
    }

    #[test]
    fn a_line_can_be_pasted_into_a_shell() {
        let given = Given {
            scenario: "demo".to_owned(),
            command: ["python3", "it's.py", ""].map(str::to_owned).into(),
            flags: ["--seed", "7"].map(str::to_owned).into(),
        };
        let faults = [("contact-lost".to_owned(), "{operation: contact, then: {lost: reset}}".to_owned())];
        let expect = Some(("contacts", "{contacts: {}, count: 1}"));
        assert_eq!(
            line(&given, &faults, Some(Duration::from_secs(11)), expect),
            r"standin run demo --seed 7 --fault 'contact-lost={operation: contact, then: {lost: reset}}' --timeout 11s --expect 'contacts={contacts: {}, count: 1}' -- python3 'it'\''s.py' ''"
        );
    }
}
