//! The payload of a delivery: Standin's own, or a scenario's template.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::clock::Moment;
use crate::template::{self, LENIENT, Problem, STRICT};
use crate::webhook::settings::Webhooks;

/// What a payload says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Payload<'a> {
    pub(crate) event_id: &'a str,
    pub(crate) event: &'a str,
    /// World time.
    pub(crate) at: Moment,
    /// Number of the account.
    pub(crate) business: u64,
    pub(crate) data: &'a Map<String, Value>,
}

/// The templates of a scenario, which have been checked.
#[derive(Debug, Default)]
pub(crate) struct Templates {
    /// By event.
    texts: BTreeMap<String, String>,
}

impl Templates {
    pub(crate) fn new(webhooks: &Webhooks) -> Self {
        let given = webhooks.events.iter();
        let texts = given.filter_map(|(name, text)| Some((name.clone(), text.clone()?))).collect();
        Self { texts }
    }

    /// The bytes of a payload.
    ///
    /// # Errors
    /// The template fails on the event.
    pub(crate) fn render(&self, payload: &Payload<'_>) -> Result<Vec<u8>, Problem> {
        match self.texts.get(payload.event) {
            None => Ok(to_json(payload).to_string().into_bytes()),
            Some(text) => template::render(&STRICT, text, &to_json(payload)),
        }
    }
}

/// Standin's own payload. A template can use its members.
fn to_json(payload: &Payload<'_>) -> Value {
    json!({
        "eventId": payload.event_id,
        "event": payload.event,
        "occurredAt": payload.at.iso(),
        "businessId": payload.business,
        "data": payload.data,
    })
}

/// The names that a template can use.
pub(crate) const NAMES: [&str; 5] = ["eventId", "event", "occurredAt", "businessId", "data"];

/// The result of a trial rendering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trial {
    /// Whether the payload is JSON.
    pub(crate) json: bool,
    /// Why the template fails if `data` has only the members of a conversation. An event may bring others.
    pub(crate) wants_more: Option<Problem>,
}

/// Renders a template for an event of a conversation with one message.
///
/// # Errors
/// The template cannot be compiled, uses an unknown name, or fails whatever members `data` has.
pub(crate) fn check(name: &str, text: &str) -> Result<Trial, Problem> {
    let mut names = template::check(text)?;
    names.retain(|name| !NAMES.contains(&name.as_str()) && name != "range");
    if let Some(name) = names.first() {
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
    let payload = Payload { event_id: "evt_1", event: name, at: Moment(0), business: 100, data: &data };
    let context = to_json(&payload);
    let wants_more = template::render(&STRICT, text, &context).err();
    let rendered = template::render(&LENIENT, text, &context)?;
    Ok(Trial { json: serde_json::from_slice::<Value>(&rendered).is_ok(), wants_more })
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
        let render = |event: &str| -> Value {
            let payload = Payload { event_id: "e", event, at: Moment(0), business: 7, data: &data };
            serde_json::from_slice(&templates.render(&payload).unwrap()).unwrap()
        };
        let body = render("post");
        assert_eq!(body, json!({ "event": "post", "post": { "text": "a \"b\" <c>" } }));
        let plain = render("other");
        assert_eq!(plain["businessId"], 7);
        assert_eq!(plain["occurredAt"], "1970-01-01T00:00:00Z");
    }

    #[test]
    fn a_problem_of_a_template_has_its_line() {
        let tried = |text: &str| check("e", text).map(|trial| (trial.json, trial.wants_more.is_some()));
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
