//! Parses YAML 1.2 into the document tree. Tags, merge keys, duplicate keys and a second document are errors, and limits
//! keep a small text from expanding into a huge tree.

use std::collections::{BTreeMap, HashMap};

use serde_yaml::granit_parser::{
    ErrorKind, Event, Parser, ScalarStyle, Span as Mark, StrInput, StructureStyle,
};

use crate::scenario::diagnostic::Findings;
use crate::scenario::node::{Entry, MAX_DEPTH, Node, Scalar, Value};
use crate::scenario::report::{duplicate_key, too_deep};
use crate::scenario::source::{FileId, Span};

/// Maximum number of values that aliases may copy in total.
const MAX_COPIES: usize = 100_000;

/// Parses a file. Returns `None` after a syntax error; an empty file is null.
pub(crate) fn parse(findings: &mut Findings, file: FileId, text: &str) -> Option<Node> {
    let limits = serde_yaml::granit_parser::options! {
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let parser = Parser::new_from_str_with_options(text, limits);
    let mut builder = Builder { findings, file, text, parser, anchors: BTreeMap::new(), copies: 0 };
    builder.document()
}

struct Builder<'a> {
    findings: &'a mut Findings,
    file: FileId,
    text: &'a str,
    parser: Parser<'a, StrInput<'a>>,
    /// The anchored nodes by the parser's anchor id, with their sizes.
    anchors: BTreeMap<usize, (Node, usize)>,
    /// The number of values that aliases have copied so far.
    copies: usize,
}

impl<'a> Builder<'a> {
    /// The next event. Reports a syntax error and then returns `None`.
    fn next(&mut self) -> Option<(Event<'a>, Span)> {
        match self.parser.next_event() {
            Some(Ok((event, mark))) => Some((event, self.span(mark))),
            Some(Err(error)) => {
                let at = error.marker().byte_offset().unwrap_or(self.text.len());
                let span = Span::new(self.file, at, at);
                let info = error.info();
                if *error.kind() == ErrorKind::RecursionLimitExceeded {
                    too_deep(self.findings, span);
                } else {
                    let finding = self.findings.error("syntax", span, format!("this is not YAML: {info}"));
                    if let Some(help) = help(error.kind()) {
                        finding.help(help);
                    }
                }
                None
            }
            None => None,
        }
    }

    fn span(&self, mark: Mark) -> Span {
        let range = mark.byte_range().unwrap_or(0..0);
        Span::new(self.file, range.start, range.end)
    }

    fn document(&mut self) -> Option<Node> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            if event == Event::StreamEnd {
                return Some(root.unwrap_or_else(|| Node::new(span, Value::Null)));
            }
            if !matches!(event, Event::DocumentStart(..)) {
                continue;
            }
            if root.is_some() {
                self.findings
                    .error("several-documents", span, "there is a second document in this file")
                    .label("it starts here")
                    .help("a file holds one document: remove the `---`");
                return root;
            }
            let first = self.next()?;
            root = Some(self.node(first, 0)?);
        }
    }

    fn node(&mut self, (event, span): (Event<'a>, Span), depth: usize) -> Option<Node> {
        if depth > MAX_DEPTH {
            too_deep(self.findings, span);
            return None;
        }
        if let Some(anchor) = event.alias_id() {
            return self.alias(anchor, span);
        }
        if event.tag().is_some() {
            self.findings
                .error("tag", span, "tags (`!…`) are not supported")
                .help("leave the tag out: each key determines the type of its value");
        }
        let node = if let Some((text, style)) = event.scalar() {
            Node::new(span, scalar(text, style))
        } else if let Event::SequenceStart(style, ..) = event {
            self.list(span, style, depth)?
        } else if let Event::MappingStart(style, ..) = event {
            self.map(span, style, depth)?
        } else {
            return None;
        };
        if let Some(anchor) = event.anchor_id() {
            let size = size(&node);
            self.count_copies(size, span)?;
            self.anchors.insert(anchor, (node.clone(), size));
        }
        Some(node)
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Option<Node> {
        let Some((node, size)) = self.anchors.get(&anchor) else {
            self.findings.error("alias", span, "this alias is inside the value that it refers to");
            return None;
        };
        let (node, size) = (node.value.clone(), *size);
        self.count_copies(size, span)?;
        Some(Node::new(span, node))
    }

    /// Counts copied values. Returns `None` if there are too many.
    fn count_copies(&mut self, size: usize, span: Span) -> Option<()> {
        self.copies += size;
        if self.copies > MAX_COPIES {
            let message = format!("anchors and aliases expand to more than {MAX_COPIES} values");
            self.findings
                .error("alias-bomb", span, message)
                .help("move the values to a seed-data file and use `file:`");
            return None;
        }
        Some(())
    }

    fn list(&mut self, start: Span, style: StructureStyle, depth: usize) -> Option<Node> {
        let mut list = Vec::new();
        let mut span = start;
        loop {
            let (event, event_span) = self.next()?;
            if event == Event::SequenceEnd {
                let span = if style == StructureStyle::Flow { start.to(event_span) } else { span };
                return Some(Node::new(span, Value::List(list)));
            }
            let node = self.node((event, event_span), depth + 1)?;
            span = span.to(node.span);
            list.push(node);
        }
    }

    fn map(&mut self, start: Span, style: StructureStyle, depth: usize) -> Option<Node> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut seen: HashMap<Box<str>, Span> = HashMap::new();
        let mut span = start;
        loop {
            let (event, event_span) = self.next()?;
            if event == Event::MappingEnd {
                let span = if style == StructureStyle::Flow { start.to(event_span) } else { span };
                return Some(Node::new(span, Value::Map(entries)));
            }
            let merge = matches!(&event, Event::Scalar(text, ScalarStyle::Plain, ..) if text == "<<");
            let key = self.node((event, event_span), depth + 1)?;
            let next = self.next()?;
            let value = self.node(next, depth + 1)?;
            span = span.to(value.span);
            let text: Box<str> = match key.value {
                Value::Scalar(scalar) => scalar.text,
                Value::Null => "~".into(),
                Value::List(_) | Value::Map(_) => {
                    self.findings
                        .error(
                            "complex-key",
                            key.span,
                            format!("a key must be a single value, not {}", key.kind()),
                        )
                        .help("put it in quotes if it is text that begins with `[`, `{` or `?`");
                    continue;
                }
            };
            if merge {
                self.findings
                    .error("merge-key", key.span, "merge keys (`<<`) are not supported")
                    .help("repeat the keys, or move the shared part to a file and `include` it");
            } else if let Some(first) = seen.get(&text) {
                duplicate_key(self.findings, &text, *first, key.span);
            } else {
                seen.insert(text.clone(), key.span);
                entries.push(Entry { key: text, key_span: key.span, value });
            }
        }
    }
}

/// Explains the most common errors of the parser.
fn help(kind: &ErrorKind) -> Option<&'static str> {
    const HELP: [(ErrorKind, &str); 8] = [
        (
            ErrorKind::MappingValueNotAllowed,
            "text with `: ` in it needs quotes; the keys of a map must begin in the same column",
        ),
        (ErrorKind::InvalidColonPlacement, "is a `]` or `}` missing before this?"),
        (ErrorKind::TabInBlockIndentation, "YAML indents with spaces, never with tabs"),
        (ErrorKind::TabInIndentation, "YAML indents with spaces, never with tabs"),
        (ErrorKind::TabNotAllowed, "YAML indents with spaces, never with tabs"),
        (ErrorKind::UnclosedQuotedScalar, "a quotation is not closed"),
        (ErrorKind::InvalidQuotedScalarIndent, "is a quotation not closed before this?"),
        (ErrorKind::UnknownAnchor, "text that begins with `*` needs quotes"),
    ];
    HELP.iter().find(|(explained, _)| explained == kind).map(|(_, help)| *help)
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    let plain = style == ScalarStyle::Plain;
    if plain && matches!(text, "" | "~" | "null" | "Null" | "NULL") {
        return Value::Null;
    }
    Value::Scalar(Scalar { text: text.into(), plain })
}

/// The number of values in a node, itself included.
fn size(node: &Node) -> usize {
    match &node.value {
        Value::Null | Value::Scalar(_) => 1,
        Value::List(list) => 1 + list.iter().map(size).sum::<usize>(),
        Value::Map(entries) => 1 + entries.iter().map(|entry| 1 + size(&entry.value)).sum::<usize>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::source::Sources;

    fn read(text: &str) -> (Option<Node>, Vec<&'static str>) {
        let mut sources = Sources::default();
        let file = sources.add("a.yaml".as_ref(), text.to_owned());
        let mut findings = Findings::default();
        let node = parse(&mut findings, file, &sources.get(file).unwrap().text);
        (node, findings.into_diagnostics(&sources).iter().map(|diagnostic| diagnostic.code).collect())
    }

    #[test]
    fn values_keep_their_text_and_span() {
        let text = "a: [1, 'x', ~]\nb:\n  - {c: 12e4567}\n  -\n";
        let (node, codes) = read(text);
        let node = node.unwrap();
        assert_eq!(codes, [""; 0]);
        assert_eq!(node.to_json().to_string(), r#"{"a":[1,"x",null],"b":[{"c":"12e4567"},null]}"#);
        let list = node.get("a").unwrap();
        assert_eq!(&text[list.span.start as usize..list.span.end as usize], "[1, 'x', ~]");
    }

    #[test]
    fn flow_and_block_are_alike() {
        let json = |text: &str| read(text).0.unwrap().to_json();
        assert_eq!(json("a: {b: [1, 2]}"), json("a:\r\n  b:\r\n  - 1\r\n  - 2\r\n"));
    }

    #[test]
    fn unsupported_yaml_is_reported() {
        for (text, code) in [
            ("a: 1\na: 2", "duplicate-key"),
            ("x: &x {a: 1}\ny: {<<: *x}", "merge-key"),
            ("a: !!str 1", "tag"),
            ("a: !x 1", "tag"),
            ("a: 1\n---\nb: 2", "several-documents"),
            ("? [a]\n: 1", "complex-key"),
            ("a: [1", "syntax"),
            ("a: *x", "syntax"),
            ("a: &a [*a]", "alias"),
            (&"[".repeat(70), "too-deep"),
            (&"[".repeat(100_000), "too-deep"),
            (&"- ".repeat(300), "too-deep"),
        ] {
            assert_eq!(read(text).1, [code], "{text:.40}");
        }
    }

    #[test]
    fn an_alias_bomb_is_an_error() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..40 {
            let before = level - 1;
            let line = vec![format!("*a{before}"); 10].join(", ");
            text.extend([format!("a{level}: &a{level} [{line}]\n")]);
        }
        assert_eq!(read(&text).1, ["alias-bomb"]);
    }

    #[test]
    fn an_alias_copies_the_value_and_has_its_own_span() {
        let (node, codes) = read("a: &a {b: 1}\nc: *a");
        assert_eq!(codes, [""; 0]);
        let node = node.unwrap();
        assert_eq!(node.get("c").unwrap().to_json(), node.get("a").unwrap().to_json());
        assert_eq!(node.get("c").unwrap().span.start, 16);
    }

    #[test]
    fn an_empty_file_is_null() {
        assert!(read("").0.unwrap().is_null());
        assert!(read("# a comment\n").0.unwrap().is_null());
    }
}
