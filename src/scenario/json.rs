//! JSON to the marked tree: seed data that is read several times faster than YAML.

use std::collections::HashMap;

use crate::scenario::diagnostic::Findings;
use crate::scenario::node::{Entry, Node, Scalar, Value};
use crate::scenario::source::{FileId, Span};
use crate::scenario::yaml::DEPTH;

/// Reads a list, element by element, so that no more than one of them is held. Not a list, or broken: among the
/// findings, what was read before stands.
pub fn elements(
    findings: &mut Findings,
    (file, text): (FileId, &str),
    mut act: impl FnMut(&mut Findings, &Node),
) {
    let mut reader = Reader { file, text, at: 0 };
    if let Err(broken) = reader.list(0, &mut |node| act(findings, &node)) {
        broken.tell(findings, file);
        return;
    }
    reader.space();
    if reader.at < text.len() {
        reader.broken("nothing more: the list has ended").tell(findings, file);
    }
}

/// Reads one value on each line that is not blank.
pub fn lines(
    findings: &mut Findings,
    (file, text): (FileId, &str),
    mut act: impl FnMut(&mut Findings, &Node),
) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end().len();
        let mut reader = Reader { file, text: &text[..end.max(start)], at: start };
        reader.space();
        if reader.at < end {
            let value = reader.value(0);
            reader.space();
            match value {
                Ok(node) if reader.at == end => act(findings, &node),
                Ok(_) => reader.broken("nothing more: one line is one record").tell(findings, file),
                Err(broken) => broken.tell(findings, file),
            }
        }
        start += line.len();
    }
}

/// Reads a text of one value; nothing where it is not JSON.
#[must_use]
pub fn value(file: FileId, text: &str) -> Option<Node> {
    let mut reader = Reader { file, text, at: 0 };
    let node = reader.value(0).ok()?;
    reader.space();
    (reader.at == text.len()).then_some(node)
}

/// Reads one value; where it is broken or more follows, that is among the findings.
pub fn one(findings: &mut Findings, (file, text): (FileId, &str)) -> Option<Node> {
    let mut reader = Reader { file, text, at: 0 };
    let node = reader.value(0);
    reader.space();
    match node {
        Ok(node) if reader.at == text.len() => return Some(node),
        Ok(_) => reader.broken("nothing more: the value has ended").tell(findings, file),
        Err(broken) => broken.tell(findings, file),
    }
    None
}

/// Where JSON ends to be JSON.
enum Broken {
    Syntax(usize, &'static str),
    TooDeep(usize),
    Duplicate(Box<(Box<str>, Span, Span)>),
}

impl Broken {
    fn tell(self, findings: &mut Findings, file: FileId) {
        match self {
            Self::Syntax(at, expected) => {
                let span = Span::new(file, at, at + 1);
                findings.error("syntax", span, format!("this is not JSON: expected {expected}"));
            }
            Self::TooDeep(at) => {
                let message = format!("lists and maps are nested deeper than {DEPTH}");
                findings.error("too-deep", Span::new(file, at, at + 1), message);
            }
            Self::Duplicate(found) => {
                let (key, first, second) = *found;
                findings
                    .error("duplicate-key", second, format!("the key `{key}` stands twice in this map"))
                    .label("the second")
                    .related(first, "the first");
            }
        }
    }
}

struct Reader<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
}

type Result<T> = std::result::Result<T, Broken>;

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.at)
    }

    const fn broken(&self, expected: &'static str) -> Broken {
        Broken::Syntax(self.at, expected)
    }

    /// Goes over a byte, white space before it set aside.
    fn eat(&mut self, byte: u8) -> bool {
        self.space();
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn value(&mut self, depth: usize) -> Result<Node> {
        self.space();
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => Value::Map(self.map(depth)?),
            Some(b'[') => {
                let mut list = Vec::new();
                self.list(depth, &mut |node| list.push(node))?;
                Value::List(list)
            }
            Some(b'"') => Value::Scalar(Scalar { text: self.string()?, plain: false }),
            Some(b't') => self.literal("true")?,
            Some(b'f') => self.literal("false")?,
            Some(b'n') => self.literal("null")?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => return Err(self.broken("a value")),
        };
        Ok(Node::new(self.span(start), value))
    }

    fn deeper(&self, depth: usize) -> Result<usize> {
        if depth < DEPTH { Ok(depth + 1) } else { Err(Broken::TooDeep(self.at)) }
    }

    fn list(&mut self, depth: usize, act: &mut dyn FnMut(Node)) -> Result<()> {
        let depth = self.deeper(depth)?;
        if !self.eat(b'[') {
            return Err(self.broken("a list of records (`[`)"));
        }
        if self.eat(b']') {
            return Ok(());
        }
        loop {
            act(self.value(depth)?);
            if self.eat(b']') {
                return Ok(());
            }
            if !self.eat(b',') {
                return Err(self.broken("`,` or `]`"));
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
            self.space();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.broken("a key in double quotes"));
            }
            let key = self.string()?;
            let key_span = self.span(start);
            // Few keys are compared one by one, many by their hashes.
            let first = if entries.len() < 32 {
                entries.iter().position(|entry| entry.key == key)
            } else {
                if seen.is_empty() {
                    seen.extend(entries.iter().enumerate().map(|(place, entry)| (entry.key.clone(), place)));
                }
                seen.insert(key.clone(), entries.len())
            };
            if let Some(first) = first {
                return Err(Broken::Duplicate(Box::new((key, entries[first].key_span, key_span))));
            }
            if !self.eat(b':') {
                return Err(self.broken("`:`"));
            }
            let value = self.value(depth)?;
            entries.push(Entry { key, key_span, value });
            if self.eat(b'}') {
                return Ok(entries);
            }
            if !self.eat(b',') {
                return Err(self.broken("`,` or `}`"));
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
                _ => return Err(self.broken("`\"` before the line or the file ends")),
            }
        }
        self.at += 1;
        let written = &self.text[start..self.at];
        if !escaped {
            return Ok(written[1..written.len() - 1].into());
        }
        serde_json::from_str::<Box<str>>(written)
            .map_err(|_| Broken::Syntax(start, "text with valid escapes"))
    }

    fn literal(&mut self, word: &'static str) -> Result<Value> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.broken("a value"));
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
        // Digits alone, the usual case, need no second look.
        let simple =
            text.len() < 16 && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
        if !simple && serde_json::from_str::<&serde_json::value::RawValue>(text).is_err() {
            return Err(Broken::Syntax(start, "a number"));
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
        let act = |_: &mut Findings, node: &Node| found.push(node.to_json());
        if by_line {
            lines(&mut findings, (FileId(0), text), act);
        } else {
            elements(&mut findings, (FileId(0), text), act);
        }
        let mut sources = Sources::default();
        sources.add("a.json".as_ref(), text.to_owned());
        let told = |diagnostic: &crate::scenario::diagnostic::Diagnostic| {
            format!("{}:{} {}", diagnostic.location.line, diagnostic.location.column, diagnostic.code)
        };
        (found, findings.into_diagnostics(&sources).iter().map(told).collect())
    }

    #[test]
    fn what_serde_reads_is_read_the_same() {
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
    fn what_is_not_json_is_told_with_its_place() {
        for (text, told) in [
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
            assert_eq!(read(text, false).1, [told], "{text}");
        }
        assert!(read(&"[".repeat(100_000), false).1[0].ends_with("too-deep"));
    }

    #[test]
    fn many_keys_are_still_told_apart() {
        let keys: Vec<String> = (0..100).map(|key| format!("\"k{key}\":1")).collect();
        let text = format!("[{{{},\"k40\":2}}]", keys.join(","));
        assert!(read(&text, false).1[0].ends_with("duplicate-key"));
    }

    #[test]
    fn a_line_is_a_record_and_a_broken_one_spares_the_others() {
        let (found, diagnostics) = read("{\"a\":1}\r\n\n{\"a\":\n{\"a\":3} x\n{\"a\":2}", true);
        assert_eq!(found.len(), 2);
        assert_eq!(diagnostics, ["3:6 syntax", "4:9 syntax"]);
    }
}
