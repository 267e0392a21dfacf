//! Parses JSON into the document tree, several times faster than YAML. Seed data and the admin API use it.

use std::collections::HashMap;

use crate::scenario::diagnostic::Findings;
use crate::scenario::node::{Entry, MAX_DEPTH, Node, Scalar, Value};
use crate::scenario::report::{duplicate_key, too_deep, too_many_values};
use crate::scenario::seed_data::MAX_VALUES;
use crate::scenario::source::{FileId, Span};

/// Parses a list and passes each element to `visit`, so that only one element is in memory at a time. Stops at a syntax
/// error and reports it.
pub(crate) fn elements(
    findings: &mut Findings,
    (file, text): (FileId, &str),
    mut visit: impl FnMut(&mut Findings, &Node),
) {
    let mut reader = Reader { file, text, at: 0, values: 0, most: MAX_VALUES };
    let parsed = reader.list(0, &mut |reader, node| {
        reader.values = 0;
        visit(findings, &node);
    });
    if let Err(error) = parsed.and_then(|()| reader.end("nothing more: the list has ended")) {
        error.report(findings, file);
    }
}

/// Parses one value on each line that is not blank and passes it to `visit`. A line with an error is reported and skipped.
pub(crate) fn lines(
    findings: &mut Findings,
    (file, text): (FileId, &str),
    mut visit: impl FnMut(&mut Findings, &Node),
) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end().len();
        let mut reader = Reader { file, text: &text[..end], at: start, values: 0, most: MAX_VALUES };
        reader.skip_space();
        if reader.at < end {
            match reader.only_value("nothing more: one line is one record") {
                Ok(node) => visit(findings, &node),
                Err(error) => error.report(findings, file),
            }
        }
        start += line.len();
    }
}

/// Parses a text of one value. Returns `None` if it is not JSON, without a finding.
pub(crate) fn try_value(file: FileId, text: &str) -> Option<Node> {
    Reader { file, text, at: 0, values: 0, most: usize::MAX }.only_value("the end").ok()
}

/// Parses a text of one value and reports a syntax error.
pub(crate) fn value(findings: &mut Findings, (file, text): (FileId, &str)) -> Option<Node> {
    match (Reader { file, text, at: 0, values: 0, most: usize::MAX })
        .only_value("nothing more: the value has ended")
    {
        Ok(node) => Some(node),
        Err(error) => {
            error.report(findings, file);
            None
        }
    }
}

enum ParseError {
    /// The offset, and what was expected there.
    Syntax(usize, &'static str),
    TooDeep(usize),
    TooMany(usize),
    DuplicateKey(Box<(Box<str>, Span, Span)>),
}

impl ParseError {
    fn report(self, findings: &mut Findings, file: FileId) {
        match self {
            Self::Syntax(at, expected) => {
                let span = Span::new(file, at, at + 1);
                findings.error("syntax", span, format!("this is not JSON: expected {expected}"));
            }
            Self::TooDeep(at) => too_deep(findings, Span::new(file, at, at + 1)),
            Self::TooMany(at) => {
                too_many_values(findings, Span::new(file, at, at + 1), ("a record", MAX_VALUES));
            }
            Self::DuplicateKey(found) => {
                let (key, first, second) = *found;
                duplicate_key(findings, &key, first, second);
            }
        }
    }
}

struct Reader<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    /// Number of values that were read, and how many there may be.
    values: usize,
    most: usize,
}

type Result<T> = std::result::Result<T, ParseError>;

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.at)
    }

    const fn expected(&self, what: &'static str) -> ParseError {
        ParseError::Syntax(self.at, what)
    }

    /// Fails unless only white space is left.
    fn end(&mut self, expected: &'static str) -> Result<()> {
        self.skip_space();
        if self.at == self.text.len() { Ok(()) } else { Err(self.expected(expected)) }
    }

    /// Parses the rest of the text as one value.
    fn only_value(&mut self, expected_end: &'static str) -> Result<Node> {
        let node = self.value(0)?;
        self.end(expected_end)?;
        Ok(node)
    }

    /// Skips white space and then the given byte, if it follows. Returns whether it did.
    fn eat(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Result<Node> {
        self.skip_space();
        let start = self.at;
        self.values += 1;
        if self.values > self.most {
            return Err(ParseError::TooMany(start));
        }
        let value = match self.peek() {
            Some(b'{') => Value::Map(self.map(depth)?),
            Some(b'[') => {
                let mut list = Vec::new();
                self.list(depth, &mut |_, node| list.push(node))?;
                Value::List(list)
            }
            Some(b'"') => Value::Scalar(Scalar { text: self.string()?, plain: false }),
            Some(b't') => self.literal("true")?,
            Some(b'f') => self.literal("false")?,
            Some(b'n') => self.literal("null")?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => return Err(self.expected("a value")),
        };
        Ok(Node::new(self.span(start), value))
    }

    fn deeper(&self, depth: usize) -> Result<usize> {
        if depth < MAX_DEPTH { Ok(depth + 1) } else { Err(ParseError::TooDeep(self.at)) }
    }

    fn list(&mut self, depth: usize, visit: &mut dyn FnMut(&mut Self, Node)) -> Result<()> {
        let depth = self.deeper(depth)?;
        if !self.eat(b'[') {
            return Err(self.expected("a list of records (`[`)"));
        }
        if self.eat(b']') {
            return Ok(());
        }
        loop {
            let node = self.value(depth)?;
            visit(self, node);
            if self.eat(b']') {
                return Ok(());
            }
            if !self.eat(b',') {
                return Err(self.expected("`,` or `]`"));
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Vec<Entry>> {
        let depth = self.deeper(depth)?;
        self.at += 1;
        let mut entries: Vec<Entry> = Vec::new();
        let mut seen: HashMap<Box<str>, usize> = HashMap::new();
        if self.eat(b'}') {
            return Ok(entries);
        }
        loop {
            self.skip_space();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.expected("a key in double quotes"));
            }
            let key = self.string()?;
            let key_span = self.span(start);
            // Comparing a few keys one by one is faster than hashing them.
            let first = if entries.len() < 32 {
                entries.iter().position(|entry| entry.key == key)
            } else {
                if seen.is_empty() {
                    seen.extend(entries.iter().enumerate().map(|(index, entry)| (entry.key.clone(), index)));
                }
                seen.insert(key.clone(), entries.len())
            };
            if let Some(first) = first {
                return Err(ParseError::DuplicateKey(Box::new((key, entries[first].key_span, key_span))));
            }
            if !self.eat(b':') {
                return Err(self.expected("`:`"));
            }
            let value = self.value(depth)?;
            entries.push(Entry { key, key_span, value });
            if self.eat(b'}') {
                return Ok(entries);
            }
            if !self.eat(b',') {
                return Err(self.expected("`,` or `}`"));
            }
        }
    }

    fn string(&mut self) -> Result<Box<str>> {
        let start = self.at;
        let mut escaped = false;
        loop {
            self.at += 1;
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.at += 1;
                }
                Some(byte) if byte >= b' ' => {}
                _ => return Err(self.expected("`\"` before the line or the file ends")),
            }
        }
        self.at += 1;
        let written = &self.text[start..self.at];
        if !escaped {
            return Ok(written[1..written.len() - 1].into());
        }
        serde_json::from_str::<Box<str>>(written)
            .map_err(|_| ParseError::Syntax(start, "text with valid escapes"))
    }

    fn literal(&mut self, word: &'static str) -> Result<Value> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.expected("a value"));
        }
        self.at += word.len();
        let null = word == "null";
        Ok(if null { Value::Null } else { Value::Scalar(Scalar { text: word.into(), plain: true }) })
    }

    fn number(&mut self) -> Result<Value> {
        let start = self.at;
        while matches!(self.peek(), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        // Most numbers are a few digits, which need no further check.
        let simple =
            text.len() < 16 && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
        if !simple && serde_json::from_str::<&serde_json::value::RawValue>(text).is_err() {
            return Err(ParseError::Syntax(start, "a number"));
        }
        Ok(Value::Scalar(Scalar { text: text.into(), plain: true }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::source::Sources;

    fn read(text: &str, by_line: bool) -> (Vec<serde_json::Value>, Vec<String>) {
        let mut findings = Findings::default();
        let mut found = Vec::new();
        let visit = |_: &mut Findings, node: &Node| found.push(node.to_json());
        if by_line {
            lines(&mut findings, (FileId(0), text), visit);
        } else {
            elements(&mut findings, (FileId(0), text), visit);
        }
        let mut sources = Sources::default();
        sources.add("a.json".as_ref(), text.to_owned());
        let shown = |diagnostic: &crate::scenario::diagnostic::Diagnostic| {
            format!("{}:{} {}", diagnostic.location.line, diagnostic.location.column, diagnostic.code)
        };
        (found, findings.into_diagnostics(&sources).iter().map(shown).collect())
    }

    #[test]
    fn values_are_the_same_as_serde_json_reads() {
        for text in [
            r#"[1, -2, 0.5, 1e3, "a", "\ud83d\ude00 \n\"", true, false, null, [], {}, {"a": [{"b": {}}]}]"#,
            " [\r\n]\t",
            "[\"\"]",
        ] {
            let whole: serde_json::Value = serde_json::from_str(text).unwrap();
            assert_eq!(read(text, false), (whole.as_array().unwrap().clone(), vec![]), "{text}");
        }
    }

    #[test]
    fn syntax_errors_are_reported_with_their_place() {
        for (text, expected) in [
            ("", "1:1 syntax"),
            ("{}", "1:1 syntax"),
            ("[1,\n 2,]", "2:4 syntax"),
            ("[1 2]", "1:4 syntax"),
            ("[01]", "1:2 syntax"),
            ("[1]x", "1:4 syntax"),
            (r#"[{"a":1,"a":2}]"#, "1:9 duplicate-key"),
            ("[\"a\n\"]", "1:4 syntax"),
            (r#"["\ud83d"]"#, "1:2 syntax"),
            (r#"["\"#, "1:4 syntax"),
            ("[tru]", "1:2 syntax"),
            ("[{a: 1}]", "1:3 syntax"),
        ] {
            assert_eq!(read(text, false).1, [expected], "{text}");
        }
        assert!(read(&"[".repeat(100_000), false).1[0].ends_with("too-deep"));
    }

    #[test]
    fn a_duplicate_among_many_keys_is_reported() {
        let keys: Vec<String> = (0..100).map(|key| format!("\"k{key}\":1")).collect();
        let text = format!("[{{{},\"k40\":2}}]", keys.join(","));
        assert!(read(&text, false).1[0].ends_with("duplicate-key"));
    }

    #[test]
    fn a_line_with_an_error_does_not_affect_the_other_lines() {
        let (found, diagnostics) = read("{\"a\":1}\r\n\n{\"a\":\n{\"a\":3} x\n{\"a\":2}", true);
        assert_eq!(found.len(), 2);
        assert_eq!(diagnostics, ["3:6 syntax", "4:9 syntax"]);
    }
}
