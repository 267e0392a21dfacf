//! Comments that silence warnings where they stand: `# standin: allow CODE`.

use crate::scenario::source::{FileId, Span};

/// The codes of all warnings but those about such comments. A test compares them with the code.
pub(crate) const WARNINGS: [&str; 12] = [
    "frozen-clock",
    "future-date",
    "neutral-phrases",
    "never-answered",
    "never-matches",
    "shadowed",
    "stars",
    "template",
    "unknown-category",
    "unused-file",
    "unusual-name",
    "without-effect",
];

/// Most of these comments that a scenario may have.
pub(crate) const MAX_ALLOWS: usize = 1000;

/// A comment that silences the warnings of one code on its own line and on the next line that is more than a comment.
#[derive(Clone, Debug)]
pub(crate) struct Allow {
    pub(crate) code: String,
    /// Where the code stands.
    pub(crate) span: Span,
    /// Byte offsets of the start of the first line and of the end of the last line that it applies to.
    reach: (u32, u32),
    /// Whether it has silenced a warning.
    pub(crate) used: bool,
}

impl Allow {
    /// Whether it silences a warning of this code at this place.
    pub(crate) fn silences(&self, code: &str, at: Span) -> bool {
        let (from, to) = self.reach;
        (from..=to).contains(&at.start) && self.span.file == at.file && self.code == code
    }
}

/// Finds these comments in a YAML text.
pub(crate) fn find(file: FileId, text: &str) -> Vec<Allow> {
    let mut allows: Vec<Allow> = Vec::new();
    // The first of those whose last line is not known yet.
    let mut open = 0;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let before = allows.len();
        for (code, at) in codes(line) {
            let span = Span::new(file, start + at, start + at + code.len());
            let reach = (Span::new(file, start, start).start, u32::MAX);
            allows.push(Allow { code: code.to_owned(), span, reach, used: false });
        }
        if !line.trim_start().starts_with('#') {
            let last = Span::new(file, end, end).start.saturating_sub(1);
            allows[open..before].iter_mut().for_each(|allow| allow.reach.1 = last);
            open = before;
        }
        start = end;
    }
    allows
}

/// The codes that a line allows, with their offsets in it. One empty code if there is none after `allow`.
fn codes(line: &str) -> Vec<(&str, usize)> {
    let line = line.trim_end();
    let comment = line.match_indices('#').find_map(|(at, _)| {
        let rest =
            line[at + 1..].trim_start().strip_prefix("standin:")?.trim_start().strip_prefix("allow")?;
        let is_comment = at == 0 || line[..at].ends_with([' ', '\t']);
        (is_comment && !rest.starts_with(|c: char| !c.is_whitespace())).then_some(rest)
    });
    let Some(comment) = comment else { return Vec::new() };
    let mut codes = Vec::new();
    let mut rest = comment;
    loop {
        rest = rest.trim_start();
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '-' && c != '_').unwrap_or(rest.len());
        codes.push((&rest[..length], line.len() - rest.len()));
        // Codes are separated by commas; what follows the last of them is the reason.
        match rest[length..].trim_start().strip_prefix(',') {
            Some(more) => rest = more,
            None => return codes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, &str)> {
        let reach = |allow: &Allow| &text[allow.reach.0 as usize..(allow.reach.1 as usize).min(text.len())];
        let allows = find(FileId(0), text);
        for allow in &allows {
            assert_eq!(&text[allow.span.start as usize..allow.span.end as usize], allow.code);
        }
        allows.iter().map(|allow| (allow.code.clone(), reach(allow))).collect()
    }

    #[test]
    fn a_comment_silences_its_line_and_the_next() {
        let pair = |code: &str, reach| (code.to_owned(), reach);
        assert_eq!(
            found("a: 1 # standin: allow x-y\nb: 2\nc: 3\n"),
            [pair("x-y", "a: 1 # standin: allow x-y\nb: 2")]
        );
        assert_eq!(
            found("  #standin: allow x, y the reason\n# standin: allow z\n\nb: 2\n")
                .iter()
                .map(|(code, reach)| (code.as_str(), reach.lines().count()))
                .collect::<Vec<_>>(),
            [("x", 2), ("y", 2), ("z", 1)]
        );
        assert_eq!(found("# standin: allow\nb: 2"), [pair("", "# standin: allow\nb: ")]);
    }

    #[test]
    fn other_comments_and_texts_silence_nothing() {
        for text in [
            "a: b#standin: allow x",
            "# standin: allows x",
            "# standin allow x",
            "standin: allow x",
            "# allow x",
        ] {
            assert!(found(text).is_empty(), "{text}");
        }
    }
}
