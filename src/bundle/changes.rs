//! What changed in a scenario between two versions of its files, and which of that may have changed an answer.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use similar::{DiffTag, TextDiff};

use crate::bundle::compare::{Part, shortened};
use crate::scenario::places::fault_lines;
use crate::world::kept::ScenarioFiles;

/// Lines that differ, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    /// Paths from the roots. None where there is no such file.
    files: [Option<String>; 2],
    /// The first line of it before and after, from 1.
    lines: [usize; 2],
    removed: Vec<String>,
    added: Vec<String>,
}

/// Where a fault stands.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FaultPlace {
    file: String,
    line: usize,
    /// The line of the next fault in the file.
    end: usize,
}

type Faults = BTreeMap<String, FaultPlace>;

/// The changes between two versions of a scenario.
#[derive(Debug)]
pub(super) struct Changes {
    changes: Vec<Change>,
    /// The faults of both versions.
    faults: [Faults; 2],
}

/// What is known of an answer that differs: in the run and in the replay.
#[derive(Clone, Copy, Debug)]
pub(super) struct Differing<'a> {
    pub(super) faults: [Option<&'a str>; 2],
    /// Whether one of them has the code of rate limits.
    pub(super) is_rate_limited: bool,
    pub(super) parts: &'a [Part],
}

/// A file with more bytes is not compared line by line.
const LONGEST_FILE: usize = 4 << 20;
/// Most real time that comparing two files takes. Beyond it the changes are coarser.
const PATIENCE: Duration = Duration::from_secs(1);
/// Most changes that are shown for an answer.
const MOST_SHOWN: usize = 3;
/// Most lines of a change that are shown.
const MOST_LINES: usize = 6;

impl Changes {
    pub(super) fn between(before: &ScenarioFiles, after: &ScenarioFiles) -> Self {
        let texts = [texts(before), texts(after)];
        let mut changes = Vec::new();
        if texts[0] != texts[1] {
            let (mut left, mut right) = (texts[0].clone(), texts[1].clone());
            // The two scenarios are compared whatever their files are named.
            let own = [own_name(before), own_name(after)];
            let pair = [left.remove(&own[0]), right.remove(&own[1])];
            let [one, other] = pair.map(Option::unwrap_or_default);
            changes.extend(compare([Some(&own[0]), Some(&own[1])], [&one, &other]));
            let names: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
            for name in names {
                let texts = [left.get(name), right.get(name)];
                changes.extend(compare(
                    texts.map(|text| text.map(|_| name.as_str())),
                    texts.map(|text| text.map_or("", String::as_str)),
                ));
            }
        }
        Self { changes, faults: texts.map(|texts| faults(&texts)) }
    }

    /// What may have changed an answer, a line each.
    pub(super) fn causes(&self, differing: &Differing<'_>) -> Vec<String> {
        let mut causes = Vec::new();
        let place = |side: usize| {
            let name = differing.faults[side]?;
            let place = self.faults[side].get(name);
            Some(place.map_or_else(
                || format!("`{name}`"),
                |FaultPlace { file, line, .. }| format!("`{name}` ({file}:{line})"),
            ))
        };
        let cause = match (place(0), place(1)) {
            (Some(one), Some(other)) if one == other => Some(format!("both answers have the fault {one}")),
            (Some(one), Some(other)) => {
                Some(format!("the fault of the run was {one}, the fault now is {other}"))
            }
            (Some(one), None) => Some(format!("the fault of the run was {one}, now there is none")),
            (None, Some(other)) => Some(format!("now there is the fault {other}, in the run was none")),
            (None, None) => None,
        };
        causes.extend(cause);
        if differing.is_rate_limited {
            causes.push("only one of the two is refused with 89, the code of rate limits".to_owned());
        }
        let scores: Vec<usize> = self.changes.iter().map(|change| self.score(change, differing)).collect();
        let best = scores.iter().copied().max().unwrap_or_default();
        let mut chosen: Vec<&Change> = self.changes.iter().collect();
        if best > 0 {
            let all = self.changes.iter().zip(&scores);
            chosen = all.filter(|(_, score)| **score == best).map(|(change, _)| change).collect();
        }
        for change in chosen.iter().take(MOST_SHOWN) {
            causes.extend(change.show());
        }
        if chosen.len() > MOST_SHOWN {
            causes.push(format!("and {} more changes of the scenario", chosen.len() - MOST_SHOWN));
        }
        causes
    }

    /// How much speaks for a change as the cause.
    fn score(&self, change: &Change, differing: &Differing<'_>) -> usize {
        let in_fault = |side: usize| {
            let place = differing.faults[side].and_then(|name| self.faults[side].get(name));
            let length = [&change.removed, &change.added][side].len();
            place.is_some_and(|place| {
                change.files[side].as_ref() == Some(&place.file)
                    && change.lines[side] < place.end
                    && change.lines[side] + length > place.line
            })
        };
        let has = |lines: &[String], values: Vec<&String>| {
            let words = values.into_iter().flat_map(|value| words(value));
            let words: BTreeSet<&str> = words.collect();
            lines.iter().flat_map(|line| self::words(line)).any(|word| words.contains(word))
        };
        let only = |this: Value, other: Value| {
            differing.parts.iter().filter(|part| this(part) != other(part)).filter_map(this).collect()
        };
        let expected: Value = |part| part.expected.as_ref();
        let received: Value = |part| part.received.as_ref();
        let lines = || change.removed.iter().chain(&change.added);
        8 * usize::from(in_fault(0) || in_fault(1))
            + 4 * usize::from(differing.is_rate_limited && lines().any(|line| line.contains("rate_limit")))
            + usize::from(has(&change.removed, only(expected, received)))
            + usize::from(has(&change.added, only(received, expected)))
    }
}

/// One of the two values of a part that differs.
type Value = fn(&Part) -> Option<&String>;

/// The words of a text that are long enough to say something.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| word.chars().count() >= 4)
}

impl Change {
    fn show(&self) -> Vec<String> {
        let place = |side: usize| {
            let file = self.files[side].as_ref()?;
            Some(format!("{file}:{}", self.lines[side]))
        };
        let title = match (place(0), place(1)) {
            (Some(one), Some(other)) if one == other => format!("the scenario changed at {one}"),
            (Some(one), Some(other)) => format!("the scenario changed at {one}, now {other}"),
            (Some(one), None) => format!("the scenario has no {one} now"),
            (None, Some(other)) => format!("the scenario has {other} now"),
            (None, None) => String::new(),
        };
        let lines = |sign: &str, lines: &[String]| {
            let more = lines.len().saturating_sub(MOST_LINES);
            let shown =
                lines.iter().take(MOST_LINES).map(|line| format!("  {sign} {}", shortened(line.trim())));
            shown.chain((more > 0).then(|| format!("  {sign} and {more} more lines"))).collect::<Vec<_>>()
        };
        let mut shown = vec![title];
        shown.extend(lines("-", &self.removed));
        shown.extend(lines("+", &self.added));
        shown
    }
}

fn texts(files: &ScenarioFiles) -> BTreeMap<String, String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    files.files.iter().map(|(path, bytes)| (name(files, path), text(bytes))).collect()
}

/// The path of a file from the root.
fn name(files: &ScenarioFiles, path: &Path) -> String {
    let outside = || path.file_name().map_or(path, Path::new);
    path.strip_prefix(&files.root).unwrap_or_else(|_| outside()).to_string_lossy().replace('\\', "/")
}

fn own_name(files: &ScenarioFiles) -> String {
    name(files, &files.scenario)
}

fn compare(files: [Option<&str>; 2], texts: [&str; 2]) -> Vec<Change> {
    let change = |lines, removed, added| Change {
        files: files.map(|file| file.map(str::to_owned)),
        lines,
        removed,
        added,
    };
    if texts[0] == texts[1] {
        return Vec::new();
    }
    if texts.iter().any(|text| text.len() > LONGEST_FILE) {
        return vec![change([1, 1], Vec::new(), Vec::new())];
    }
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(texts[0], texts[1]);
    let own = |slices: &[&str]| slices.iter().map(|line| (*line).to_owned()).collect::<Vec<String>>();
    let differing = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal);
    differing
        .map(|op| {
            let (before, after) = (op.old_range(), op.new_range());
            let slices =
                |all: &[&str], range: std::ops::Range<usize>| own(all.get(range).unwrap_or_default());
            change(
                [before.start + 1, after.start + 1],
                slices(diff.old_slices(), before),
                slices(diff.new_slices(), after),
            )
        })
        .collect()
}

fn faults(texts: &BTreeMap<String, String>) -> Faults {
    let mut faults = Faults::new();
    for (file, text) in texts.iter().filter(|(_, text)| text.len() <= LONGEST_FILE) {
        let lines = fault_lines(text);
        let ends = lines.iter().skip(1).map(|(_, line)| *line).chain([usize::MAX]);
        let places = lines.iter().zip(ends);
        faults.extend(places.map(|((name, line), end)| {
            let end = if end == usize::MAX { line + 40 } else { end };
            (name.clone(), FaultPlace { file: file.clone(), line: *line, end })
        }));
    }
    faults
}
