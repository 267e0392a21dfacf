//! Parses YAML 1.2 into the document tree. Tags, merge keys, duplicate keys and a second document are errors, and limits
//! keep a small text from expanding into a huge tree.

use std::collections::{BTreeMap, HashMap};

use serde_yaml::granit_parser::{
    ErrorKind, Event, Parser, ScalarStyle, Span as Mark, StrInput, StructureStyle,
};

use crate::scenario::diagnostic::Findings;
use crate::scenario::node::{Entry, MAX_DEPTH, Node, Scalar, Value};
use crate::scenario::report::{duplicate_key, too_deep, too_many_values};
use crate::scenario::seed_data;
use crate::scenario::source::{FileId, Span};

/// Maximum number of values, and of bytes, that aliases may copy in total.
const MAX_COPIES: usize = 100_000;
const MAX_COPIED_BYTES: usize = 16 << 20;
/// Maximum number of values in a file that is read whole.
const MAX_VALUES: usize = 1_000_000;

/// Parses a file. Returns `None` after a syntax error; an empty file is null.
pub(crate) fn parse(findings: &mut Findings, file: FileId, text: &str) -> Option<Node> {
    Builder::new(findings, file, text, ("a file", MAX_VALUES)).document(&mut None)
}

/// Parses a list and passes each element to `visit`, so that only one element is in memory at a time. Stops at a syntax
/// error and reports it. Returns the value if it is not a list.
pub(crate) fn elements(
    findings: &mut Findings,
    (file, text): (FileId, &str),
    visit: &mut dyn FnMut(&mut Findings, &Node),
) -> Option<Node> {
    let node =
        Builder::new(findings, file, text, ("a record", seed_data::MAX_VALUES)).document(&mut Some(visit))?;
    (!matches!(node.value, Value::List(_))).then_some(node)
}

/// What gets the elements of a list, if they are not kept.
type Visitor<'a> = Option<&'a mut dyn FnMut(&mut Findings, &Node)>;

struct Builder<'a> {
    findings: &'a mut Findings,
    file: FileId,
    text: &'a str,
    parser: Parser<'a, StrInput<'a>>,
    /// The anchored nodes by the parser's anchor id, with their sizes.
    anchors: BTreeMap<usize, (Node, Size)>,
    /// What anchors and aliases have copied so far.
    copies: Size,
    /// Number of values that were read, what they belong to, and how many there may be.
    values: usize,
    most: (&'static str, usize),
}

/// The size of a node.
#[derive(Clone, Copy, Default)]
struct Size {
    /// The number of values, itself included.
    values: usize,
    /// Length of all texts in it.
    bytes: usize,
}

impl Size {
    fn of(node: &Node) -> Self {
        let mut size = Self { values: 1, bytes: 0 };
        match &node.value {
            Value::Null => {}
            Value::Scalar(scalar) => size.bytes = scalar.text.len(),
            Value::List(list) => list.iter().for_each(|node| size.add(Self::of(node))),
            Value::Map(entries) => {
                for entry in entries {
                    size.add(Self { values: 1, bytes: entry.key.len() });
                    size.add(Self::of(&entry.value));
                }
            }
        }
        size
    }

    const fn add(&mut self, other: Self) {
        self.values += other.values;
        self.bytes += other.bytes;
    }
}

impl<'a> Builder<'a> {
    fn new(findings: &'a mut Findings, file: FileId, text: &'a str, most: (&'static str, usize)) -> Self {
        let limits = serde_yaml::granit_parser::options! {
            flow_nesting_limit: MAX_DEPTH,
            block_nesting_limit: MAX_DEPTH,
        };
        let parser = Parser::new_from_str_with_options(text, limits);
        let (anchors, copies) = (BTreeMap::new(), Size::default());
        Self { findings, file, text, parser, anchors, copies, values: 0, most }
    }

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

    /// The document. If there is a visitor, it gets the elements of a list, which is then empty.
    fn document(&mut self, visit: &mut Visitor<'_>) -> Option<Node> {
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
            let (event, span) = self.next()?;
            root = Some(match (&event, &mut *visit) {
                (Event::SequenceStart(..), Some(visit)) if event.tag().is_none() => {
                    self.visit_elements(*visit)?;
                    Node::new(span, Value::List(Vec::new()))
                }
                _ => self.node((event, span), 0)?,
            });
        }
    }

    fn visit_elements(&mut self, visit: &mut dyn FnMut(&mut Findings, &Node)) -> Option<()> {
        loop {
            let (event, span) = self.next()?;
            if event == Event::SequenceEnd {
                return Some(());
            }
            self.values = 0;
            let node = self.node((event, span), 1)?;
            visit(self.findings, &node);
        }
    }

    fn node(&mut self, (event, span): (Event<'a>, Span), depth: usize) -> Option<Node> {
        if depth > MAX_DEPTH {
            too_deep(self.findings, span);
            return None;
        }
        self.values += 1;
        if self.values > self.most.1 {
            too_many_values(self.findings, span, self.most);
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
            let size = Size::of(&node);
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
        self.values += size.values;
        self.count_copies(size, span)?;
        Some(Node::new(span, node))
    }

    /// Counts what is copied. Returns `None` if it is too much.
    fn count_copies(&mut self, size: Size, span: Span) -> Option<()> {
        self.copies.add(size);
        if self.copies.values > MAX_COPIES || self.copies.bytes > MAX_COPIED_BYTES {
            let mebibytes = MAX_COPIED_BYTES >> 20;
            let message =
                format!("anchors and aliases expand to more than {MAX_COPIES} values or {mebibytes} MiB");
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
    fn aliases_of_a_long_text_are_an_error() {
        let text = format!("a: &x {}\nb: [{}]", "y".repeat(500_000), vec!["*x"; 1000].join(", "));
        assert_eq!(read(&text).1, ["alias-bomb"]);
    }

    #[test]
    fn a_record_of_too_many_values_ends_the_list() {
        let mut findings = Findings::default();
        let text = format!("- [a]\n- [{}]\n- [b]\n", "a,".repeat(20_000));
        let mut visited = 0;
        let node = elements(&mut findings, (FileId(0), &text), &mut |_, _| visited += 1);
        assert_eq!((node, visited, findings.errors()), (None, 1, 1));
        let many = "- [a]\n".repeat(20_000);
        assert_eq!(elements(&mut findings, (FileId(0), &many), &mut |_, _| visited += 1), None);
        assert_eq!((visited, findings.errors()), (20_001, 1));
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
