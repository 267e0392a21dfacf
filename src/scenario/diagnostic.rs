//! Diagnostics: what is wrong with a scenario, where, and how to fix it. A load collects all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;

use crate::scenario::allow::{self, Allow, MAX_ALLOWS, WARNINGS};
use crate::scenario::source::{FileId, Source, Sources, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    /// The scenario does not load.
    Error,
    /// It loads.
    Warning,
}

impl Severity {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// A finding with its place looked up in the source text, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    pub(crate) severity: Severity,
    /// The stable code of this kind of diagnostic.
    pub(crate) code: &'static str,
    pub(crate) message: String,
    /// How to fix it.
    pub(crate) help: Option<String>,
    pub(crate) location: SourceLocation,
    /// Other places that the message is about.
    pub(crate) related: Vec<SourceLocation>,
}

/// A place in a file, with the text of its line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SourceLocation {
    pub(crate) file: PathBuf,
    /// 1-based.
    pub(crate) line: usize,
    /// 1-based, in characters.
    pub(crate) column: usize,
    /// Byte range in the file.
    pub(crate) span: Range<usize>,
    /// The text of the line, or the part of a very long line around the place.
    pub(crate) text: String,
    /// Byte range in `text` to mark.
    pub(crate) marked: Range<usize>,
    /// The text beside the mark; may be empty.
    pub(crate) label: String,
}

/// A diagnostic as the loader reports it, with spans in place of locations.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
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
    /// False for a finding beyond the limit of its file, or silenced. It is not shown, so details are not worth computing.
    pub(crate) const fn is_shown(&self) -> bool {
        self.shown
    }

    /// Sets the text beside the mark.
    pub(crate) fn label(&mut self, label: impl Into<String>) -> &mut Self {
        self.label = shortened(label.into());
        self
    }

    pub(crate) fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(shortened(help.into()));
        self
    }

    /// Sets label and help for a word that is not one of `words`: the nearest of them, and the whole list.
    pub(crate) fn suggest<'a>(
        &mut self,
        word: &str,
        words: impl IntoIterator<Item = &'a str> + Clone,
    ) -> &mut Self {
        if !self.shown {
            return self;
        }
        if let Some(near) = nearest(word, words.clone()) {
            self.label = format!("did you mean `{near}`?");
        }
        self.help(format!("allowed: {}", join_or(words)))
    }

    /// Adds another place that the message is about.
    pub(crate) fn related(&mut self, span: Span, label: impl Into<String>) -> &mut Self {
        self.related.push((span, label.into()));
        self
    }
}

/// The code of the warning about a comment that silences nothing.
pub(crate) const UNUSED_ALLOW: &str = "unused-allow";

/// Maximum number of diagnostics that are shown for one file, and for all files of a scenario.
const SHOWN_PER_FILE: usize = 100;
const SHOWN: usize = 1000;
/// Maximum length of a message, a label or a help, in bytes.
const LONGEST_TEXT: usize = 4000;
/// Maximum number of words that a misspelling is compared with.
const COMPARED: usize = 2000;

/// The findings of a load.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
    /// The number of findings of each file, shown or not.
    by_file: BTreeMap<FileId, usize>,
    errors: usize,
    /// The last finding, if it is beyond the limit of its file, or silenced.
    hidden: Option<Finding>,
    /// The comments that silence warnings, of all files.
    allows: Vec<Allow>,
    /// The key whose value is being read, for the messages of scalars.
    pub(crate) key: &'static str,
}

impl Findings {
    pub(crate) fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Finding {
        self.errors += 1;
        self.add(Severity::Error, code, span, message.into())
    }

    pub(crate) fn warning(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Finding {
        self.add(Severity::Warning, code, span, message.into())
    }

    /// Takes up the comments of a YAML text that silence warnings.
    pub(crate) fn read_allows(&mut self, file: FileId, text: &str) {
        let mut found = allow::find(file, text);
        let room = MAX_ALLOWS - self.allows.len();
        if let Some(beyond) = found.get(room) {
            let message = format!("more than {MAX_ALLOWS} warnings are silenced by comments");
            self.error("limit", beyond.span, message);
            found.truncate(room);
        }
        self.allows.append(&mut found);
    }

    /// Whether a comment silences a warning.
    fn is_allowed(&mut self, code: &str, span: Span) -> bool {
        let mut silencing = self.allows.iter_mut().filter(|allow| allow.silences(code, span)).peekable();
        let found = silencing.peek().is_some();
        silencing.for_each(|allow| allow.used = true);
        found
    }

    fn add(&mut self, severity: Severity, code: &'static str, span: Span, message: String) -> &mut Finding {
        let silenced = severity == Severity::Warning && self.is_allowed(code, span);
        let count = self.by_file.entry(span.file).or_default();
        *count += usize::from(!silenced);
        let shown = !silenced && *count <= SHOWN_PER_FILE && self.list.len() < SHOWN;
        let message = shortened(message);
        let (help, label, related) = (None, String::new(), Vec::new());
        let finding = Finding { severity, code, message, help, span, label, related, shown };
        if !shown {
            return self.hidden.insert(finding);
        }
        self.hidden = None;
        let index = self.list.len();
        self.list.push(finding);
        &mut self.list[index]
    }

    /// Sets the help of the last finding.
    pub(crate) fn help_last(&mut self, help: &str) {
        if let Some(last) = self.hidden.as_mut().or(self.list.last_mut()) {
            last.help(help);
        }
    }

    /// Whether one more finding in the file of that span would be shown.
    pub(crate) fn has_room(&self, span: Span) -> bool {
        self.list.len() < SHOWN && self.by_file.get(&span.file).is_none_or(|count| *count < SHOWN_PER_FILE)
    }

    /// The number of errors.
    pub(crate) const fn errors(&self) -> usize {
        self.errors
    }

    /// The places of the comments that have silenced a warning: their file, and the offset of the code.
    pub(crate) fn used_allows(&self, sources: &Sources) -> BTreeSet<(PathBuf, usize)> {
        let used = self.allows.iter().filter(|allow| allow.used);
        used.filter_map(|allow| Some((sources.get(allow.span.file)?.path.clone(), allow.span.start as usize)))
            .collect()
    }

    /// Warns about comments that silence nothing, and about codes that no warning has.
    fn check_allows(&mut self, sources: &Sources) {
        // A file that is included twice is read twice.
        let used = self.used_allows(sources);
        let errors = self.errors;
        for Allow { code, span, .. } in std::mem::take(&mut self.allows) {
            let path = sources.get(span.file).map_or_else(PathBuf::new, |source| source.path.clone());
            if !WARNINGS.contains(&code.as_str()) {
                let message = match code.as_str() {
                    "" => "this comment does not say which warning it silences".to_owned(),
                    _ => format!("there is no warning `{code}`"),
                };
                self.warning("unknown-allow", span, message).suggest(&code, WARNINGS);
            } else if errors == 0 && !used.contains(&(path, span.start as usize)) {
                // After an error, not all warnings are looked for.
                self.warning(UNUSED_ALLOW, span, "this comment silences nothing")
                    .help(format!("there is no warning `{code}` on its line or the next: remove it"));
            }
        }
    }

    /// The diagnostics, sorted by file in the order of reading and then by place.
    pub(crate) fn into_diagnostics(mut self, sources: &Sources) -> Vec<Diagnostic> {
        self.check_allows(sources);
        self.list.sort_by_key(|finding| (finding.span.file, finding.span.start));
        let mut shown: Vec<Diagnostic> = Vec::with_capacity(self.list.len());
        let mut list = self.list.into_iter().peekable();
        let mut of_file = 0;
        while let Some(finding) = list.next() {
            let file = finding.span.file;
            of_file += 1;
            let diagnostic = diagnostic(finding, sources);
            if !shown.contains(&diagnostic) {
                shown.push(diagnostic);
            }
            let last_of_file = list.peek().is_none_or(|next| next.span.file != file);
            let hidden = self.by_file.get(&file).map_or(0, |count| count.saturating_sub(of_file));
            if let (true, true, Some(before)) = (last_of_file, hidden > 0, shown.last()) {
                let message = format!("{hidden} more problems in this file are not shown");
                let location = SourceLocation { label: String::new(), ..before.location.clone() };
                let (severity, code) = (before.severity, "too-many");
                shown.push(Diagnostic { severity, code, message, help: None, location, related: Vec::new() });
            }
            if last_of_file {
                of_file = 0;
            }
        }
        shown
    }
}

fn diagnostic(finding: Finding, sources: &Sources) -> Diagnostic {
    Diagnostic {
        severity: finding.severity,
        code: finding.code,
        message: finding.message,
        help: finding.help,
        location: location(finding.span, finding.label, sources),
        related: finding.related.into_iter().map(|(span, label)| location(span, label, sources)).collect(),
    }
}

/// A text without its end, if it is very long.
fn shortened(mut text: String) -> String {
    if text.len() > LONGEST_TEXT {
        text.truncate(floor(&text, LONGEST_TEXT));
        text.push('…');
    }
    text
}

/// Maximum number of bytes of a line that are shown on either side of a place.
const CONTEXT: usize = 1000;

/// Looks up a span in its source text.
pub(crate) fn location(span: Span, label: String, sources: &Sources) -> SourceLocation {
    let none = Source { path: PathBuf::new(), text: String::new() };
    let source = sources.get(span.file).unwrap_or(&none);
    let text = source.text.as_str();
    let start = floor(text, span.start as usize);
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
    let line_end = if text[line_start..line_end].ends_with('\r') { line_end - 1 } else { line_end };
    // If the span covers several lines, only its part of the first line is marked.
    let end = floor(text, span.end as usize).clamp(start, line_end.max(start));
    let end = start + text[start..end].trim_end().len();
    let end = floor(text, end.min(start + CONTEXT * 2));
    let shown_from = floor(text, start.saturating_sub(CONTEXT).max(line_start));
    let shown_to = floor(text, (end + CONTEXT).min(line_end)).max(end);
    SourceLocation {
        file: source.path.clone(),
        line: text[..start].bytes().filter(|byte| *byte == b'\n').count() + 1,
        column: text[line_start..start].chars().count() + 1,
        span: start..(span.end as usize).max(start).min(text.len()),
        text: text[shown_from..shown_to].to_owned(),
        marked: start - shown_from..end - shown_from,
        label,
    }
}

/// The nearest character boundary at or before an offset.
fn floor(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|offset| text.is_char_boundary(*offset)).unwrap_or(0)
}

/// Longer words are not compared: they are unlikely to be typing errors, and the comparison would be slow.
const LONGEST_WORD: usize = 80;

/// The word that was probably meant, by edit distance. Case, `_`, `-` and spaces do not count.
pub(crate) fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |word: &str| -> String {
        word.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
    };
    if word.len() > LONGEST_WORD {
        return None;
    }
    let wanted = plain(word);
    let allowed = 1 + wanted.chars().count() / 4;
    words
        .into_iter()
        .take(COMPARED)
        .filter(|candidate| (1..=LONGEST_WORD).contains(&candidate.len()))
        .map(|candidate| (strsim::osa_distance(&wanted, &plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Joins words in backquotes: "`a`, `b` or `c`". A very long list is cut off.
pub(crate) fn join_or<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    let shown = |word: &str| word[..floor(word, LONGEST_TEXT / 40)].to_owned();
    let quoted: Vec<String> = words.iter().take(40).map(|word| format!("`{}`", shown(word))).collect();
    match quoted.as_slice() {
        [] => "nothing else".to_owned(),
        _ if words.len() > quoted.len() => {
            format!("{} and {} more", quoted.join(", "), words.len() - quoted.len())
        }
        [one] => one.clone(),
        [front @ .., last] => format!("{} or {last}", front.join(", ")),
    }
}

/// The help for a word that is not one of `words`: the nearest of them, and the whole list.
pub(crate) fn did_you_mean<'a>(word: &str, words: impl IntoIterator<Item = &'a str> + Clone) -> String {
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
    fn locations_count_characters_and_cut_long_lines() {
        let mut sources = Sources::default();
        let file = sources.add("a.yaml".as_ref(), format!("x\r\näö: {}\r\nz", "y".repeat(50_000)));
        let shown = location(Span::new(file, 9, 50_009), String::new(), &sources);
        assert_eq!((shown.line, shown.column), (2, 5));
        assert!(shown.text.starts_with("äö: y") && shown.text.len() < 5000, "{}", shown.text);
        let beyond_the_end = location(Span::new(file, 90_000, 90_001), String::new(), &sources);
        assert_eq!(beyond_the_end.line, 3);
    }

    #[test]
    fn only_the_first_findings_of_a_file_are_shown() {
        let mut findings = Findings::default();
        for start in 0..5000 {
            findings.error("wrong-value", Span::new(FileId(0), start, start), "no").help("yes");
        }
        let diagnostics = findings.into_diagnostics(&Sources::default());
        assert!(diagnostics.len() <= SHOWN_PER_FILE + 1);
        assert_eq!(diagnostics.last().map(|last| last.code), Some("too-many"));
    }
}
