//! The body of a delivery: the simulator's own, or a scenario's template.

use std::collections::BTreeMap;

use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde_json::{Map, Value, json};

use crate::clock::Moment;
use crate::webhook::settings::Webhooks;

/// An event as it happened, before it is written for its receivers.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its id, which all its deliveries have.
    pub id: String,
    /// Its name.
    pub name: String,
    /// World time.
    pub at: Moment,
    /// Number of the account.
    pub business: u64,
    /// What it tells.
    pub data: Map<String, Value>,
}

/// The templates of a scenario, read.
#[derive(Debug, Default)]
pub struct Templates {
    environment: Option<Environment<'static>>,
}

/// What one rendering may cost: far more than any payload needs, and over in milliseconds.
const FUEL: u64 = 100_000;

/// Why a template is none, or fails: what, and in which of its lines (from 1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// In which line of the template.
    pub line: usize,
}

impl Templates {
    /// Reads the templates of a scenario, which have been checked.
    #[must_use]
    pub fn new(webhooks: &Webhooks) -> Self {
        let given: BTreeMap<_, _> =
            webhooks.events.iter().filter_map(|(name, text)| Some((name, text.as_ref()?))).collect();
        if given.is_empty() {
            return Self::default();
        }
        let mut environment = environment();
        for (name, text) in given {
            // One that was not checked fails where it is rendered.
            let _ = environment.add_template_owned(name.clone(), text.clone());
        }
        Self { environment: Some(environment) }
    }

    /// The payload of an event.
    ///
    /// # Errors
    /// Where its template fails on it.
    pub fn render(&self, event: &Event) -> Result<Vec<u8>, Problem> {
        let template =
            self.environment.as_ref().and_then(|environment| environment.get_template(&event.name).ok());
        match template {
            None => Ok(shown(event).to_string().into_bytes()),
            Some(template) => {
                let context = minijinja::value::Serde(shown(event));
                template
                    .render(minijinja::Value::from(context))
                    .map(String::into_bytes)
                    .map_err(|error| problem(&error))
            }
        }
    }
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment
}

fn problem(error: &minijinja::Error) -> Problem {
    let detail = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
    Problem { message: format!("{}{detail}", error.kind()), line: error.line().unwrap_or(1) }
}

/// The simulator's own payload; its members are what a template can use.
fn shown(event: &Event) -> Value {
    json!({
        "eventId": event.id,
        "event": event.name,
        "occurredAt": event.at.iso(),
        "businessId": event.business,
        "data": event.data,
    })
}

/// What a template can use.
pub const NAMES: [&str; 5] = ["eventId", "event", "occurredAt", "businessId", "data"];

/// What was found when a template was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// Whether what comes out is JSON.
    pub json: bool,
    /// Why it fails where `data` has the members of a conversation alone; an event may bring others.
    pub wants_more: Option<Problem>,
}

/// Tries a template on an event of a conversation with one message.
///
/// # Errors
/// Where it cannot be read, uses a name that there is not, or fails whatever members `data` has.
pub fn check(name: &str, text: &str) -> Result<Tried, Problem> {
    let mut environment = environment();
    environment.add_template("checked", text).map_err(|error| problem(&error))?;
    let template = environment.get_template("checked").map_err(|error| problem(&error))?;
    let mut unknown: Vec<String> = template.undeclared_variables(false).into_iter().collect();
    unknown.retain(|name| {
        !NAMES.contains(&name.as_str()) && name != "range" && name != "dict" && name != "debug"
    });
    unknown.sort();
    if let Some(name) = unknown.first() {
        let line = text.lines().position(|line| line.contains(name.as_str())).map_or(1, |before| before + 1);
        return Err(Problem { message: format!("there is no `{name}`"), line });
    }
    let data = json!({
        "id": "c1",
        "status": "OPEN",
        "contact": { "id": 1, "firstName": "Ann", "lastName": "Lee", "email": "ann@example.test", "phone": "2125550100" },
        "messages": [{
            "id": "c1-1", "text": "Hi!", "direction": "RECEIVE", "channel": "webchat", "sentAt": "2026-06-30T09:00:00Z",
        }],
        "createdAt": "2026-06-30T09:00:00Z",
        "updatedAt": "2026-06-30T09:00:00Z",
    });
    let data = if let Value::Object(members) = data { members } else { Map::new() };
    let event = Event { id: "evt_1".to_owned(), name: name.to_owned(), at: Moment(0), business: 100, data };
    let context = || minijinja::Value::from(minijinja::value::Serde(shown(&event)));
    let wants_more = template.render(context()).err().map(|error| problem(&error));
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    let template = environment.get_template("checked").map_err(|error| problem(&error))?;
    let rendered = template.render(context()).map_err(|error| problem(&error))?;
    Ok(Tried { json: serde_json::from_str::<Value>(&rendered).is_ok(), wants_more })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_sees_the_members_of_the_payload() {
        let text = r#"{"event": "{{ event }}", "post": {{ data | tojson }}}"#;
        let events = BTreeMap::from([("post".to_owned(), Some(text.to_owned()))]);
        let templates = Templates::new(&Webhooks { events, ..Webhooks::default() });
        let data =
            if let Value::Object(members) = json!({ "text": "a \"b\" <c>" }) { members } else { Map::new() };
        let event = |name: &str| Event {
            id: "e".to_owned(),
            name: name.to_owned(),
            at: Moment(0),
            business: 7,
            data: data.clone(),
        };
        let body: Value = serde_json::from_slice(&templates.render(&event("post")).unwrap()).unwrap();
        assert_eq!(body, json!({ "event": "post", "post": { "text": "a \"b\" <c>" } }));
        let plain: Value = serde_json::from_slice(&templates.render(&event("other")).unwrap()).unwrap();
        assert_eq!(plain["businessId"], 7);
        assert_eq!(plain["occurredAt"], "1970-01-01T00:00:00Z");
    }

    #[test]
    fn what_a_template_does_wrong_is_told_with_its_line() {
        let tried = |text: &str| check("e", text).map(|tried| (tried.json, tried.wants_more.is_some()));
        assert_eq!(tried("{\"a\": {{ data.id | tojson }}}"), Ok((true, false)));
        assert_eq!(tried("id={{ data.id }}"), Ok((false, false)));
        assert_eq!(tried("{\"post\": {{ data.post.id | tojson }}}"), Ok((true, true)));
        for (text, line, message) in [
            ("{\n{{ evnt }}}", 2, "there is no `evnt`"),
            ("{{ event", 1, "syntax error"),
            ("\n\n{% if %}", 3, "syntax error"),
            ("{{ event | nofilter }}", 1, "unknown filter"),
            ("{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}", 1, "fuel"),
        ] {
            let problem = check("e", text).unwrap_err();
            assert!(problem.line == line && problem.message.contains(message), "{text}: {problem:?}");
        }
    }
}
