//! CSV (RFC 4180) to the marked tree: the first line names the columns, each further one is a record. Every cell keeps
//! its place.

use std::collections::HashMap;

use crate::scenario::diagnostic::{Findings, join_or};
use crate::scenario::node::{Entry, Node, Scalar, Value};
use crate::scenario::source::{FileId, Span};

/// Columns `extra.NAME` are members of this key.
const EXTRA: (&str, &str) = ("extra.", "extraParams");
/// Keys whose values are lists: in a cell, parted by `;`.
const LISTS: [&str; 2] = ["businessIds", "tags"];
/// Keys whose values do not fit a cell.
const NESTED: [&str; 5] = ["answers", "customFields", "emailPreferences", "smsPreferences", EXTRA.1];

/// Reads records whose columns are among `keys`.
pub fn records(
    findings: &mut Findings,
    (file, text): (FileId, &str),
    keys: &[&'static str],
    mut act: impl FnMut(&mut Findings, &Node),
) {
    let mut reader = Reader { file, text, at: 0 };
    let mut cells = Vec::new();
    let Some(true) = reader.row(findings, &mut cells) else {
        if text.trim().is_empty() {
            let message = "the first line must name the columns, and there is none";
            findings.error("wrong-columns", Span::new(file, 0, 0), message).help(columns(keys));
        }
        return;
    };
    let Some(columns) = header(findings, &cells, keys) else { return };
    while let Some(whole) = reader.row(findings, &mut cells) {
        if !whole {
            return;
        }
        if cells.len() != columns.len() {
            let span = cells
                .first()
                .map_or(Span::new(file, 0, 0), |first| first.span.to(cells[cells.len() - 1].span));
            let message =
                format!("this record has {} cells, and there are {} columns", cells.len(), columns.len());
            findings
                .error("wrong-columns", span, message)
                .help("a cell that holds a comma or a line break stands in double quotes");
            continue;
        }
        act(findings, &record(&columns, &cells));
    }
}

/// A cell: its place, and its text with quotes undone.
struct Cell {
    span: Span,
    text: Box<str>,
}

struct Column {
    key: Box<str>,
    /// Whether it is a member of `extraParams`.
    extra: bool,
    list: bool,
}

fn taken<'a>(keys: &'a [&'static str]) -> impl Iterator<Item = &'static str> + Clone + 'a {
    keys.iter().copied().filter(|key| !NESTED.contains(key))
}

fn columns(keys: &[&'static str]) -> String {
    let extra = if keys.contains(&EXTRA.1) { ", and `extra.NAME`" } else { "" };
    format!("allowed: {}{extra}", join_or(taken(keys)))
}

/// The key of a column that there is not; its cells are passed over.
const IGNORED: &str = "";
/// Columns that records of some kind cannot do without.
const NEEDED: [&str; 3] = ["rating", "date", "question"];

fn header(findings: &mut Findings, cells: &[Cell], keys: &[&'static str]) -> Option<Vec<Column>> {
    let mut columns: Vec<Column> = Vec::new();
    let mut seen: HashMap<(&str, bool), Span> = HashMap::new();
    let mut known = 0;
    for cell in cells {
        let name = cell.text.trim();
        let extra = name.strip_prefix(EXTRA.0).filter(|rest| !rest.is_empty() && keys.contains(&EXTRA.1));
        if let Some(first) = seen.insert((extra.unwrap_or(name), extra.is_some()), cell.span) {
            findings
                .error("duplicate-key", cell.span, format!("the column `{name}` is there twice"))
                .label("the second")
                .related(first, "the first");
        } else if extra.is_none() && !taken(keys).any(|key| key == name) {
            let message = format!("there is no column `{name}`");
            let finding = findings.error("unknown-column", cell.span, message);
            if finding.is_shown() {
                finding.suggest(name, taken(keys)).help(self::columns(keys));
            }
        }
        let taken = extra.is_some() || taken(keys).any(|key| key == name);
        known += u32::from(taken);
        columns.push(Column {
            key: if taken { extra.unwrap_or(name) } else { IGNORED }.into(),
            extra: extra.is_some(),
            list: LISTS.contains(&name),
        });
    }
    if known == 0 && cells.len() == 1 && cells.iter().any(|cell| cell.text.contains(';')) {
        findings.help_last("columns are parted by commas, not by semicolons");
    }
    // Where what every record needs is likely the very column that is misspelt, each row would only say so again.
    let there = |key: &&&str| columns.iter().any(|column| *column.key == ***key);
    let needed = NEEDED.iter().filter(|key| keys.contains(key)).all(|key| there(&key));
    let all = known as usize == columns.len();
    (all || (known > 0 && needed)).then_some(columns)
}

fn record(columns: &[Column], cells: &[Cell]) -> Node {
    let mut entries = Vec::with_capacity(columns.len());
    let mut extra: Vec<Entry> = Vec::new();
    for (column, cell) in columns
        .iter()
        .zip(cells)
        .filter(|(column, cell)| *column.key != *IGNORED && !cell.text.trim().is_empty())
    {
        let scalar =
            |text: &str| Node::new(cell.span, Value::Scalar(Scalar { text: text.into(), plain: true }));
        let value = if column.list {
            let parts = cell.text.split(';').map(str::trim).filter(|part| !part.is_empty());
            Node::new(cell.span, Value::List(parts.map(scalar).collect()))
        } else {
            scalar(&cell.text)
        };
        let entry = Entry { key: column.key.clone(), key_span: cell.span, value };
        if column.extra { extra.push(entry) } else { entries.push(entry) }
    }
    let span = cells.first().map_or_else(Span::default, |first| first.span.to(cells[cells.len() - 1].span));
    if !extra.is_empty() {
        let value = Node::new(span, Value::Map(extra));
        entries.push(Entry { key: EXTRA.1.into(), key_span: span, value });
    }
    Node::new(span, Value::Map(entries))
}

struct Reader<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The cells of the next row that is not blank; nothing at the end, false where the text is broken.
    fn row(&mut self, findings: &mut Findings, cells: &mut Vec<Cell>) -> Option<bool> {
        cells.clear();
        while matches!(self.peek(), Some(b'\r' | b'\n')) {
            self.at += 1;
        }
        self.peek()?;
        loop {
            let start = self.at;
            let text = if self.peek() == Some(b'"') {
                let Some(text) = self.quoted(findings) else { return Some(false) };
                text
            } else {
                self.plain()
            };
            let span = Span::new(self.file, start, self.at);
            cells.push(Cell { span, text });
            match self.peek() {
                Some(b',') => self.at += 1,
                None | Some(b'\n' | b'\r') => return Some(true),
                Some(_) => {
                    findings
                        .error(
                            "syntax",
                            span,
                            "this is not CSV: after a quoted cell comes a comma or the line's end",
                        )
                        .help("a double quote within quotes is written twice");
                    return Some(false);
                }
            }
        }
    }

    fn plain(&mut self) -> Box<str> {
        let rest = &self.text[self.at..];
        let length = rest.find([',', '\n', '\r']).unwrap_or(rest.len());
        self.at += length;
        rest[..length].into()
    }

    fn quoted(&mut self, findings: &mut Findings) -> Option<Box<str>> {
        let start = self.at;
        let mut text = String::new();
        self.at += 1;
        loop {
            let rest = &self.text[self.at..];
            let Some(length) = rest.find('"') else {
                let span = Span::new(self.file, start, start + 1);
                findings.error("syntax", span, "this is not CSV: these quotes are never closed");
                return None;
            };
            text.push_str(&rest[..length]);
            self.at += length + 1;
            if self.peek() != Some(b'"') {
                return Some(text.into());
            }
            text.push('"');
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::source::Sources;

    const KEYS: [&str; 4] = ["id", "comments", "tags", "extraParams"];

    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let mut findings = Findings::default();
        let mut found = Vec::new();
        records(&mut findings, (FileId(0), text), &KEYS, |_, node| found.push(node.to_json().to_string()));
        let mut sources = Sources::default();
        sources.add("a.csv".as_ref(), text.to_owned());
        let diagnostics = findings.into_diagnostics(&sources);
        let told =
            diagnostics.iter().map(|it| format!("{}:{} {}", it.location.line, it.location.column, it.code));
        (found, told.collect())
    }

    #[test]
    fn cells_may_be_quoted_and_blank() {
        let (found, told) = read("id,comments,extra.a b\r\n1,\"a, \"\"b\"\"\nc\",x\r\n\r\n2,,\r\n");
        assert_eq!(told, [""; 0]);
        assert_eq!(found, [r#"{"comments":"a, \"b\"\nc","extraParams":{"a b":"x"},"id":1}"#, r#"{"id":2}"#]);
        assert_eq!(read("id,tags\n1,a; b;\n").0, [r#"{"id":1,"tags":["a","b"]}"#]);
    }

    #[test]
    fn broken_rows_are_told_with_their_place() {
        for (text, told) in [
            ("", "1:1 wrong-columns"),
            ("id,coments\n1,2", "1:4 unknown-column"),
            ("id,extraParams\n1,2", "1:4 unknown-column"),
            ("id,id\n1,2", "1:4 duplicate-key"),
            ("id,comments\n1\n", "2:1 wrong-columns"),
            ("id,comments\n1,\"a\n", "2:3 syntax"),
            ("id,comments\n1,\"a\"b\n", "2:3 syntax"),
        ] {
            assert_eq!(read(text).1, [told], "{text}");
        }
    }
}
