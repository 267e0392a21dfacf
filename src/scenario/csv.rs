//! Parses CSV (RFC 4180) into the document tree. The first line names the columns, and each further line is a record.

use std::collections::HashMap;

use crate::scenario::diagnostic::{Findings, join_or};
use crate::scenario::node::{Entry, Node, Scalar, Value};
use crate::scenario::report::too_many_values;
use crate::scenario::seed_data::MAX_VALUES;
use crate::scenario::source::{FileId, Span};

/// A column `extra.NAME` becomes the member `NAME` of the map `extraParams`.
const EXTRA_PREFIX: &str = "extra.";
const EXTRA_KEY: &str = "extraParams";
/// Keys whose values are lists. In a cell, `;` separates the elements.
const LISTS: [&str; 2] = ["businessIds", "tags"];
/// Keys whose values do not fit in a cell.
const NESTED: [&str; 5] = ["answers", "customFields", "emailPreferences", "smsPreferences", EXTRA_KEY];
/// Columns that are required for some kind of record.
const REQUIRED: [&str; 3] = ["rating", "date", "question"];

/// Parses records whose columns are among `keys` and passes each to `visit`. Stops at a syntax error and reports it.
pub(crate) fn records(
    findings: &mut Findings,
    (file, text): (FileId, &str),
    keys: &[&'static str],
    mut visit: impl FnMut(&mut Findings, &Node),
) {
    let mut reader = Reader { file, text, at: 0 };
    let mut cells = Vec::new();
    if !reader.row(findings, &mut cells) {
        if text.trim().is_empty() {
            let message = "the first line must name the columns, and this file is empty";
            findings.error("wrong-columns", Span::new(file, 0, 0), message).help(allowed_columns(keys));
        }
        return;
    }
    let Some(columns) = header(findings, &cells, keys) else { return };
    while reader.row(findings, &mut cells) {
        if cells.len() == columns.len() {
            if let Some(record) = record(findings, &columns, &cells) {
                visit(findings, &record);
            }
        } else {
            let message =
                format!("this record has {} cells, but there are {} columns", cells.len(), columns.len());
            findings
                .error("wrong-columns", span_of(&cells), message)
                .help("a cell with a comma or a line break must be in double quotes");
        }
    }
}

struct Cell {
    span: Span,
    /// The text without quotes.
    text: Box<str>,
}

fn span_of(cells: &[Cell]) -> Span {
    match cells {
        [first, .., last] => first.span.to(last.span),
        [only] => only.span,
        [] => Span::default(),
    }
}

enum Column {
    Scalar(Box<str>),
    List(Box<str>),
    /// A member of `extraParams`.
    Extra(Box<str>),
    /// A column that was reported as unknown.
    Unknown,
}

/// The keys that can be columns.
fn column_keys<'a>(keys: &'a [&'static str]) -> impl Iterator<Item = &'static str> + Clone + 'a {
    keys.iter().copied().filter(|key| !NESTED.contains(key))
}

fn allowed_columns(keys: &[&'static str]) -> String {
    let extra = if keys.contains(&EXTRA_KEY) { ", and `extra.NAME`" } else { "" };
    format!("allowed: {}{extra}", join_or(column_keys(keys)))
}

/// Reads the line of column names. Returns `None` if the records are not worth reading.
fn header(findings: &mut Findings, cells: &[Cell], keys: &[&'static str]) -> Option<Vec<Column>> {
    let mut columns: Vec<Column> = Vec::new();
    let mut seen: HashMap<&str, Span> = HashMap::new();
    for cell in cells {
        let name = cell.text.trim();
        let column = column(name, keys);
        if let Some(first) = seen.insert(name, cell.span) {
            findings
                .error("duplicate-key", cell.span, format!("the column `{name}` appears twice"))
                .label("the second")
                .related(first, "the first");
        } else if matches!(column, Column::Unknown) {
            let message = format!("there is no column `{name}`");
            let finding = findings.error("unknown-column", cell.span, message);
            if finding.is_shown() {
                finding.suggest(name, column_keys(keys)).help(allowed_columns(keys));
            }
        }
        columns.push(column);
    }
    let unknown = columns.iter().filter(|column| matches!(column, Column::Unknown)).count();
    if let ([cell], 1) = (cells, unknown)
        && cell.text.contains(';')
    {
        findings.help_last("columns are separated by commas, not by semicolons");
    }
    // If a required column is missing, probably the unknown column is a misspelling of it, and every record would repeat
    // the error.
    let has_required = REQUIRED.iter().filter(|key| keys.contains(key)).all(|key| seen.contains_key(key));
    (unknown == 0 || (unknown < columns.len() && has_required)).then_some(columns)
}

fn column(name: &str, keys: &[&'static str]) -> Column {
    let extra = name.strip_prefix(EXTRA_PREFIX).filter(|rest| !rest.is_empty() && keys.contains(&EXTRA_KEY));
    match extra {
        Some(member) => Column::Extra(member.into()),
        None if LISTS.contains(&name) && keys.contains(&name) => Column::List(name.into()),
        None if column_keys(keys).any(|key| key == name) => Column::Scalar(name.into()),
        None => Column::Unknown,
    }
}

/// Makes a map of one record. Blank cells are left out. Reports a list that is too long.
fn record(findings: &mut Findings, columns: &[Column], cells: &[Cell]) -> Option<Node> {
    let mut entries = Vec::with_capacity(columns.len());
    let mut extra: Vec<Entry> = Vec::new();
    for (column, cell) in columns.iter().zip(cells).filter(|(_, cell)| !cell.text.trim().is_empty()) {
        let scalar =
            |text: &str| Node::new(cell.span, Value::Scalar(Scalar { text: text.into(), plain: true }));
        let entry = |key: &str, value| Entry { key: key.into(), key_span: cell.span, value };
        match column {
            Column::Scalar(key) => entries.push(entry(key, scalar(&cell.text))),
            Column::List(key) => {
                if cell.text.split(';').take(MAX_VALUES + 1).count() > MAX_VALUES {
                    too_many_values(findings, cell.span, ("a record", MAX_VALUES));
                    return None;
                }
                let elements = cell.text.split(';').map(str::trim).filter(|element| !element.is_empty());
                let list = Value::List(elements.map(scalar).collect());
                entries.push(entry(key, Node::new(cell.span, list)));
            }
            Column::Extra(key) => extra.push(entry(key, scalar(&cell.text))),
            Column::Unknown => {}
        }
    }
    let span = span_of(cells);
    if !extra.is_empty() {
        let value = Node::new(span, Value::Map(extra));
        entries.push(Entry { key: EXTRA_KEY.into(), key_span: span, value });
    }
    Some(Node::new(span, Value::Map(entries)))
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

    /// Reads the cells of the next line that is not blank. Returns false at the end of the text and after a syntax error.
    fn row(&mut self, findings: &mut Findings, cells: &mut Vec<Cell>) -> bool {
        cells.clear();
        while matches!(self.peek(), Some(b'\r' | b'\n')) {
            self.at += 1;
        }
        if self.peek().is_none() {
            return false;
        }
        loop {
            let start = self.at;
            let text = if self.peek() == Some(b'"') { self.quoted(findings) } else { Some(self.plain()) };
            let Some(text) = text else { return false };
            let span = Span::new(self.file, start, self.at);
            cells.push(Cell { span, text });
            if cells.len() > MAX_VALUES {
                too_many_values(findings, span, ("a record", MAX_VALUES));
                return false;
            }
            match self.peek() {
                Some(b',') => self.at += 1,
                None | Some(b'\n' | b'\r') => return true,
                Some(_) => {
                    findings
                        .error(
                            "syntax",
                            span,
                            "this is not CSV: a comma or the end of the line must follow a quoted cell",
                        )
                        .help("inside quotes, write a double quote twice");
                    return false;
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
        let shown =
            diagnostics.iter().map(|it| format!("{}:{} {}", it.location.line, it.location.column, it.code));
        (found, shown.collect())
    }

    #[test]
    fn cells_may_be_quoted_and_blank() {
        let (found, diagnostics) = read("id,comments,extra.a b\r\n1,\"a, \"\"b\"\"\nc\",x\r\n\r\n2,,\r\n");
        assert_eq!(diagnostics, [""; 0]);
        assert_eq!(found, [r#"{"comments":"a, \"b\"\nc","extraParams":{"a b":"x"},"id":1}"#, r#"{"id":2}"#]);
        assert_eq!(read("id,tags\n1,a; b;\n").0, [r#"{"id":1,"tags":["a","b"]}"#]);
    }

    #[test]
    fn errors_are_reported_with_their_place() {
        for (text, expected) in [
            ("", "1:1 wrong-columns"),
            ("id,coments\n1,2", "1:4 unknown-column"),
            ("id,extraParams\n1,2", "1:4 unknown-column"),
            ("id,id\n1,2", "1:4 duplicate-key"),
            ("id,comments\n1\n", "2:1 wrong-columns"),
            ("id,comments\n1,\"a\n", "2:3 syntax"),
            ("id,comments\n1,\"a\"b\n", "2:3 syntax"),
        ] {
            assert_eq!(read(text).1, [expected], "{text}");
        }
    }
}
