//! Problems: what is wrong with a scenario, where, and what would be right. They are collected all together.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use crate::scenario::source::{FileId, Source, Sources, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The scenario does not load.
    Error,
    /// It loads.
    Warning,
}

impl Severity {
    /// Its name in every rendering.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// A finding in a scenario, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable name of this kind of problem.
    pub code: &'static str,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What is allowed, or the nearest valid word.
    pub help: Option<String>,
    /// Where.
    pub location: SourceLocation,
    /// Further places that it is about.
    pub related: Vec<SourceLocation>,
}

/// A place in a file, with the line that stands there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLocation {
    /// The file's name.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Bytes of the file.
    pub span: Range<usize>,
    /// The line's text, or a part of a very long line around the place.
    pub text: String,
    /// Bytes of `text`.
    pub marked: Range<usize>,
    /// What is said at the place; may be empty.
    pub label: String,
}

/// A finding as it is made: places are still bytes.
#[derive(Clone, Debug)]
pub struct Finding {
    severity: Severity,
    code: &'static str,
    message: String,
    help: Option<String>,
    span: Span,
    label: String,
    related: Vec<(Span, String)>,
    shown: bool,
}

impl Finding {
    /// Whether it will be shown, and words on it are not lost; the first hundred of a file are.
    #[must_use]
    pub const fn is_shown(&self) -> bool {
        self.shown
    }

    /// What is said at the place.
    pub fn label(&mut self, label: impl Into<String>) -> &mut Self {
        self.label = label.into();
        self
    }

    /// What is allowed.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }

    /// For a word that is none of those allowed: the nearest at the place, and all of them.
    pub fn suggest<'a>(&mut self, word: &str, words: impl IntoIterator<Item = &'a str> + Clone) -> &mut Self {
        if !self.shown {
            return self;
        }
        if let Some(near) = nearest(word, words.clone()) {
            self.label = format!("did you mean `{near}`?");
        }
        self.help(format!("allowed: {}", join_or(words)))
    }

    /// A further place that it is about.
    pub fn related(&mut self, span: Span, label: impl Into<String>) -> &mut Self {
        self.related.push((span, label.into()));
        self
    }
}

/// So many problems of one file are shown.
const SHOWN_PER_FILE: usize = 100;

/// All findings of a load.
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<Finding>,
    by_file: BTreeMap<FileId, usize>,
    errors: usize,
    /// The last finding, where it is beyond the limit.
    beyond: Option<Finding>,
    /// The key whose value is being read, for the messages of leaves.
    pub key: &'static str,
}

impl Findings {
    /// Notes an error.
    pub fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> &mut Finding {
        self.errors += 1;
        self.note(Severity::Error, code, span, message.into())
    }

    /// Notes a warning.
    pub fn warning(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> &mut Finding {
        self.note(Severity::Warning, code, span, message.into())
    }

    fn note(&mut self, severity: Severity, code: &'static str, span: Span, message: String) -> &mut Finding {
        let count = self.by_file.entry(span.file).or_default();
        *count += 1;
        let shown = *count <= SHOWN_PER_FILE;
        let (help, label, related) = (None, String::new(), Vec::new());
        let finding = Finding { severity, code, message, help, span, label, related, shown };
        if !shown {
            return self.beyond.insert(finding);
        }
        self.beyond = None;
        let place = self.list.len();
        self.list.push(finding);
        &mut self.list[place]
    }

    /// Adds help to the last finding.
    pub fn help_last(&mut self, help: &str) {
        if let Some(last) = self.beyond.as_mut().or(self.list.last_mut()) {
            last.help(help);
        }
    }

    /// How many errors there are.
    #[must_use]
    pub const fn errors(&self) -> usize {
        self.errors
    }

    /// The problems, by file in the order read, then by place.
    #[must_use]
    pub fn into_diagnostics(mut self, sources: &Sources) -> Vec<Diagnostic> {
        self.list.sort_by_key(|finding| (finding.span.file, finding.span.start));
        let mut shown: Vec<Diagnostic> = Vec::with_capacity(self.list.len());
        let mut list = self.list.into_iter().peekable();
        while let Some(finding) = list.next() {
            let file = finding.span.file;
            let finding = show(finding, sources);
            if !shown.contains(&finding) {
                shown.push(finding);
            }
            let ends = list.peek().is_none_or(|next| next.span.file != file);
            let hidden = self.by_file.get(&file).map_or(0, |count| count.saturating_sub(SHOWN_PER_FILE));
            if let (true, true, Some(before)) = (ends, hidden > 0, shown.last()) {
                let message = format!("{hidden} more problems in this file are not shown");
                let location = SourceLocation { label: String::new(), ..before.location.clone() };
                let (severity, code) = (before.severity, "too-many");
                shown.push(Diagnostic { severity, code, message, help: None, location, related: Vec::new() });
            }
        }
        shown
    }
}

fn show(finding: Finding, sources: &Sources) -> Diagnostic {
    Diagnostic {
        severity: finding.severity,
        code: finding.code,
        message: finding.message,
        help: finding.help,
        location: location(finding.span, finding.label, sources),
        related: finding.related.into_iter().map(|(span, label)| location(span, label, sources)).collect(),
    }
}

/// At most so many bytes of a line are shown on either side of a place.
const AROUND: usize = 1000;

/// The place of a stretch of text.
#[must_use]
pub fn location(span: Span, label: String, sources: &Sources) -> SourceLocation {
    let none = Source { path: PathBuf::new(), text: String::new() };
    let source = sources.get(span.file).unwrap_or(&none);
    let text = source.text.as_str();
    let start = floor(text, span.start as usize);
    let before = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let after = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
    let after = if text[before..after].ends_with('\r') { after - 1 } else { after };
    // Of a stretch over several lines, the first line is marked.
    let end = floor(text, span.end as usize).clamp(start, after.max(start));
    let end = start + text[start..end].trim_end().len();
    let first = floor(text, start.saturating_sub(AROUND).max(before));
    let last = floor(text, end.saturating_add(AROUND).min(after).max(start));
    let end = end.min(start + AROUND * 2);
    let last = last.min(floor(text, end + AROUND)).max(floor(text, end));
    SourceLocation {
        file: source.path.clone(),
        line: text[..start].bytes().filter(|byte| *byte == b'\n').count() + 1,
        column: text[before..start].chars().count() + 1,
        span: start..(span.end as usize).max(start).min(text.len()),
        text: text[first..last].to_owned(),
        marked: start - first..floor(text, end) - first,
        label,
    }
}

fn floor(text: &str, place: usize) -> usize {
    (0..=place.min(text.len())).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0)
}

const LONGEST_WORD: usize = 80;

/// The word that was probably meant: nearest by edit distance, case, `_`, `-` and spaces set aside.
#[must_use]
pub fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |word: &str| -> String {
        word.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
    };
    // What is so long was not mistyped, and would take its time.
    if word.len() > LONGEST_WORD {
        return None;
    }
    let wanted = plain(word);
    let allowed = 1 + wanted.chars().count() / 4;
    words
        .into_iter()
        .filter(|candidate| (1..=LONGEST_WORD).contains(&candidate.len()))
        .map(|candidate| (strsim::osa_distance(&wanted, &plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// A list of words in backquotes: `a`, `b` or `c`; cut off where it would fill the screen.
#[must_use]
pub fn join_or<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    let quoted: Vec<String> = words.iter().take(40).map(|word| format!("`{word}`")).collect();
    match quoted.as_slice() {
        [] => "nothing else".to_owned(),
        _ if words.len() > quoted.len() => {
            format!("{} and {} more", quoted.join(", "), words.len() - quoted.len())
        }
        [one] => one.clone(),
        [front @ .., last] => format!("{} or {last}", front.join(", ")),
    }
}

/// Help for a word that is none of those allowed.
#[must_use]
pub fn did_you_mean<'a>(word: &str, words: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let allowed = join_or(words.clone());
    match nearest(word, words) {
        Some(near) => format!("did you mean `{near}`? Allowed: {allowed}"),
        None => format!("allowed: {allowed}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_near() {
        let words = ["rate_limit", "revoked", "key", "name"];
        assert_eq!(nearest("rateLimit", words), Some("rate_limit"));
        assert_eq!(nearest("revokd", words), Some("revoked"));
        assert_eq!(nearest("naem", words), Some("name"));
        assert_eq!(nearest("wednesday", words), None);
    }

    #[test]
    fn places_count_characters_and_cut_long_lines() {
        let mut sources = Sources::default();
        let file = sources.add("a.yaml".as_ref(), format!("x\r\näö: {}\r\nz", "y".repeat(50_000)));
        let shown = location(Span::new(file, 9, 50_009), String::new(), &sources);
        assert_eq!((shown.line, shown.column), (2, 5));
        assert!(shown.text.starts_with("äö: y") && shown.text.len() < 5000, "{}", shown.text);
        let nowhere = location(Span::new(file, 90_000, 90_001), String::new(), &sources);
        assert_eq!(nowhere.line, 3);
    }

    #[test]
    fn a_flood_of_findings_is_cut() {
        let mut findings = Findings::default();
        for start in 0..5000 {
            findings.error("wrong-value", Span::new(FileId(0), start, start), "no").help("yes");
        }
        let diagnostics = findings.into_diagnostics(&Sources::default());
        assert!(diagnostics.len() <= SHOWN_PER_FILE + 1);
        assert_eq!(diagnostics.last().map(|last| last.code), Some("too-many"));
    }
}
