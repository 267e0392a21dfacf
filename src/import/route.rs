//! The text of one imported route.

use std::collections::BTreeSet;

use serde_json::Map;

use crate::import::answers::{Answer, Answers, Content};
use crate::import::convert::without_examples;
use crate::import::document::{Document, Operation};
use crate::import::notes::Notes;
use crate::import::request::{MAX_SCHEMA, schemas};
use crate::import::security::requires_key;
use crate::import::write::{escape, escaped, flow, is_writable, quoted};

/// The names that routes have.
pub(super) struct Names {
    /// Those of routes that stay in the file.
    staying: BTreeSet<String>,
    given: BTreeSet<String>,
}

impl Names {
    pub(super) fn new(staying: BTreeSet<String>) -> Self {
        Self { staying, given: BTreeSet::new() }
    }

    /// The name, or else with the first number that no other route has.
    fn give(&mut self, id: &str, plain: &str, notes: &mut Notes) -> String {
        let mut name = plain.to_owned();
        let mut count = 1;
        while self.staying.contains(&name) || !self.given.insert(name.clone()) {
            count += 1;
            name = format!("{plain}-{count}");
        }
        if self.staying.contains(plain) {
            notes
                .tell(id, format!("named `{name}`, since a route that stays in the file is named `{plain}`"));
        }
        name
    }
}

/// The lines of a route.
pub(super) fn text(
    document: &Document<'_>,
    operation: &Operation<'_>,
    names: &mut Names,
    notes: &mut Notes,
) -> Vec<String> {
    let id = operation.id();
    let mut lines = vec![format!("  - name: {}", quoted(&names.give(&id, &name(operation), notes)))];
    let mut request =
        vec![format!("method: {}", operation.method), format!("path: {}", quoted(&operation.path))];
    let requires_key = requires_key(document, operation, notes);
    if !requires_key {
        request.push("key: optional".to_owned());
    }
    let answers = Answers::of(document, operation, notes);
    if requires_key && !answers.has(401) && !answers.has(403) {
        notes.tell(&id, "without a valid key it answers 401, which is not documented");
    }
    let refusal = answers.refusal();
    let schema = if refusal.is_some() { schemas(document, operation, notes) } else { Map::new() };
    if refusal.is_none() {
        notes.tell(&id, "no 4xx is documented, so that its requests are not validated");
    }
    if schema.is_empty() {
        lines.push(format!("    request: {{{}}}", request.join(", ")));
    } else {
        lines.push("    request:".to_owned());
        lines.extend(request.iter().map(|entry| format!("      {entry}")));
        lines.push("      schema:".to_owned());
        lines.extend(schema.iter().map(|(part, schema)| format!("        {part}: {}", flow(schema))));
    }
    lines.push("    response:".to_owned());
    for answer in &answers.others {
        // A client asks for a documented answer as with other mock servers.
        let when = format!("{{header: {{prefer: {{matches: '(^|[ ,;])code={}($|[ ,;])'}}}}}}", answer.status);
        lines.extend(response(Some(&when), answer));
    }
    if let Some(refusal) = refusal.filter(|_| !schema.is_empty()) {
        lines.extend(response(Some("{valid: false}"), refusal));
    }
    lines.extend(response(None, &answers.success));
    lines
}

/// The name of a route by what the document calls the operation.
fn name(operation: &Operation<'_>) -> String {
    let given = operation.value["operationId"].as_str().unwrap_or_default();
    let given = if given.trim().is_empty() {
        format!("{}{}", operation.method.to_lowercase(), operation.path)
    } else {
        given.to_owned()
    };
    let mut plain = String::new();
    for letter in given.chars().take(80) {
        let kept = if letter.is_ascii_alphanumeric() || "._-".contains(letter) { letter } else { '-' };
        if !(kept == '-' && plain.ends_with('-')) {
            plain.push(kept);
        }
    }
    let plain = plain.trim_matches('-').to_owned();
    if plain.is_empty() { "route".to_owned() } else { plain }
}

fn response(when: Option<&str>, answer: &Answer) -> Vec<String> {
    let mut entries = Vec::new();
    if let Some(when) = when {
        entries.push(format!("when: {when}"));
    }
    if answer.status != 200 || matches!(answer.content, Content::Empty(_)) {
        entries.push(format!("status: {}", answer.status));
    }
    let media_type = match &answer.content {
        Content::Empty(media_type) | Content::Json { media_type, .. } => media_type.clone(),
        Content::Text { media_type, .. } => (media_type != "text/plain").then(|| media_type.clone()),
    };
    let own = media_type.map(|media_type| ("content-type".to_owned(), escape(&media_type)));
    let headers: Vec<String> = own
        .iter()
        .chain(&answer.headers)
        .map(|(name, value)| format!("{}: {}", quoted_name(name), quoted(value)))
        .collect();
    if !headers.is_empty() {
        entries.push(format!("headers: {{{}}}", headers.join(", ")));
    }
    match &answer.content {
        Content::Empty(_) => {}
        Content::Json { body, schema, .. } => {
            let schema = schema.as_ref().map(without_examples).filter(is_writable);
            let schema = schema.as_ref().map(flow).filter(|schema| schema.len() <= MAX_SCHEMA);
            entries.extend(schema.map(|schema| format!("schema: {schema}")));
            entries.push(format!("json: {}", flow(&escaped(body))));
        }
        Content::Text { body, .. } => entries.push(format!("text: {}", quoted(&escape(body)))),
    }
    let mut entries = entries.into_iter();
    let first = entries.next().unwrap_or_default();
    let rest = entries.map(|entry| format!("        {entry}"));
    std::iter::once(format!("      - {first}")).chain(rest).collect()
}

/// A header name as a key of YAML.
fn quoted_name(name: &str) -> String {
    let is_plain = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    if is_plain { name.to_owned() } else { quoted(name) }
}
