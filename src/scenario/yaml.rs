//! YAML to the marked tree. YAML 1.2; no tags, no merge keys, no duplicate keys, one document, and limits on what a
//! small text can blow itself up to.

use std::collections::{BTreeMap, HashMap};

use serde_yaml::granit_parser::{
    ErrorKind, Event, Parser, ScalarStyle, Span as Mark, StrInput, StructureStyle,
};

use crate::scenario::diagnostic::Findings;
use crate::scenario::node::{Entry, Node, Scalar, Value};
use crate::scenario::source::{FileId, Span};

/// Lists and maps may be nested so deep.
pub const DEPTH: usize = 64;
/// Aliases may copy so many values in all.
pub const COPIES: usize = 100_000;

/// Reads a file of one document; nothing where its syntax is broken. An empty file is a null.
#[must_use]
pub fn parse(findings: &mut Findings, file: FileId, text: &str) -> Option<Node> {
    let limits = serde_yaml::granit_parser::options! {
        flow_nesting_limit: DEPTH,
        block_nesting_limit: DEPTH,
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
    /// Anchored values by the parser's number, with their sizes.
    anchors: BTreeMap<usize, (Node, usize)>,
    /// How many values aliases have copied.
    copies: usize,
}

impl<'a> Builder<'a> {
    /// The next event; nothing, and a finding, where there is none to be had.
    fn next(&mut self) -> Option<(Event<'a>, Span)> {
        match self.parser.next_event() {
            Some(Ok((event, mark))) => Some((event, self.span(mark))),
            Some(Err(error)) => {
                let at = error.marker().byte_offset().unwrap_or(self.text.len());
                let span = Span::new(self.file, at, at);
                let info = error.info();
                if *error.kind() == ErrorKind::RecursionLimitExceeded {
                    let message = format!("lists and maps are nested deeper than {DEPTH}");
                    self.findings.error("too-deep", span, message);
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
                    .help("one file is one document: leave out the `---`");
                return root;
            }
            let first = self.next()?;
            root = Some(self.node(first, 0)?);
        }
    }

    fn node(&mut self, (event, span): (Event<'a>, Span), depth: usize) -> Option<Node> {
        if depth > DEPTH {
            self.findings.error("too-deep", span, format!("lists and maps are nested deeper than {DEPTH}"));
            return None;
        }
        if let Some(anchor) = event.alias_id() {
            return self.alias(anchor, span);
        }
        if event.tag().is_some() {
            self.findings
                .error("tag", span, "tags (`!…`) are not taken")
                .help("leave the tag out: each key knows what kind of value it takes");
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
            self.count(size, span)?;
            self.anchors.insert(anchor, (node.clone(), size));
        }
        Some(node)
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Option<Node> {
        let Some((node, size)) = self.anchors.get(&anchor) else {
            self.findings.error("alias", span, "this alias stands inside of what it names");
            return None;
        };
        let (node, size) = (node.value.clone(), *size);
        self.count(size, span)?;
        Some(Node::new(span, node))
    }

    fn count(&mut self, size: usize, span: Span) -> Option<()> {
        self.copies += size;
        if self.copies > COPIES {
            let message = format!("anchors and aliases make more than {COPIES} values");
            self.findings
                .error("alias-bomb", span, message)
                .help("write the values into a seed-data file, and name it with `file:`");
            return None;
        }
        Some(())
    }

    fn list(&mut self, start: Span, style: StructureStyle, depth: usize) -> Option<Node> {
        let mut list = Vec::new();
        let mut span = start;
        loop {
            let (event, here) = self.next()?;
            if event == Event::SequenceEnd {
                let span = if style == StructureStyle::Flow { start.to(here) } else { span };
                return Some(Node::new(span, Value::List(list)));
            }
            let node = self.node((event, here), depth + 1)?;
            span = span.to(node.span);
            list.push(node);
        }
    }

    fn map(&mut self, start: Span, style: StructureStyle, depth: usize) -> Option<Node> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut seen: HashMap<Box<str>, Span> = HashMap::new();
        let mut span = start;
        loop {
            let (event, here) = self.next()?;
            if event == Event::MappingEnd {
                let span = if style == StructureStyle::Flow { start.to(here) } else { span };
                return Some(Node::new(span, Value::Map(entries)));
            }
            let merge = matches!(&event, Event::Scalar(text, ScalarStyle::Plain, ..) if text == "<<");
            let key = self.node((event, here), depth + 1)?;
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
                        .help("quote it where it is text that begins with `[`, `{` or `?`");
                    continue;
                }
            };
            if merge {
                self.findings
                    .error("merge-key", key.span, "merge keys (`<<`) are not taken")
                    .help("repeat the keys, or put what is shared into a file and `include` it");
            } else if let Some(first) = seen.get(&text) {
                self.findings
                    .error("duplicate-key", key.span, format!("the key `{text}` stands twice in this map"))
                    .label("the second")
                    .related(*first, "the first");
            } else {
                seen.insert(text.clone(), key.span);
                entries.push(Entry { key: text, key_span: key.span, value });
            }
        }
    }
}

/// What is behind the commonest of the parser's messages.
fn help(kind: &ErrorKind) -> Option<&'static str> {
    const HELP: [(ErrorKind, &str); 8] = [
        (
            ErrorKind::MappingValueNotAllowed,
            "text with `: ` in it needs quotes; keys of one map begin in one column",
        ),
        (ErrorKind::InvalidColonPlacement, "is a `]` or `}` missing before this?"),
        (ErrorKind::TabInBlockIndentation, "YAML indents with spaces, never with tabs"),
        (ErrorKind::TabInIndentation, "YAML indents with spaces, never with tabs"),
        (ErrorKind::TabNotAllowed, "YAML indents with spaces, never with tabs"),
        (ErrorKind::UnclosedQuotedScalar, "a quotation is not closed"),
        (ErrorKind::InvalidQuotedScalarIndent, "is a quotation not closed before this?"),
        (ErrorKind::UnknownAnchor, "text that begins with `*` needs quotes"),
    ];
    HELP.iter().find(|(one, _)| one == kind).map(|(_, help)| *help)
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    let plain = style == ScalarStyle::Plain;
    if plain && matches!(text, "" | "~" | "null" | "Null" | "NULL") {
        return Value::Null;
    }
    Value::Scalar(Scalar { text: text.into(), plain })
}

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
        let node = parse(&mut findings, file, sources.text(file));
        (node, findings.into_diagnostics(&sources).iter().map(|diagnostic| diagnostic.code).collect())
    }

    #[test]
    fn values_keep_their_text_and_place() {
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
        assert!(
            read("a: {b: [1, 2]}")
                .0
                .unwrap()
                .same_value(&read("a:\r\n  b:\r\n  - 1\r\n  - 2\r\n").0.unwrap())
        );
    }

    #[test]
    fn what_is_not_taken_is_told() {
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
    fn an_alias_bomb_is_cut_short() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..40 {
            let before = level - 1;
            let line = vec![format!("*a{before}"); 10].join(", ");
            text.extend([format!("a{level}: &a{level} [{line}]\n")]);
        }
        assert_eq!(read(&text).1, ["alias-bomb"]);
    }

    #[test]
    fn aliases_copy_and_stand_where_they_are_used() {
        let (node, codes) = read("a: &a {b: 1}\nc: *a");
        assert_eq!(codes, [""; 0]);
        let node = node.unwrap();
        assert!(node.get("c").unwrap().same_value(node.get("a").unwrap()));
        assert_eq!(node.get("c").unwrap().span.start, 16);
    }

    #[test]
    fn nothing_at_all_is_a_null() {
        assert!(read("").0.unwrap().is_null());
        assert!(read("# a comment\n").0.unwrap().is_null());
    }
}
