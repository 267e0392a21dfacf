//! Answers a request to a route: decides which response it is, stores and removes, and renders.

use std::borrow::Cow;
use std::sync::PoisonError;

use bytes::Bytes;
use minijinja::Value;
use minijinja::value::Serde;

use crate::api::error::{ApiError, Code};
use crate::api::reply::Reply;
use crate::auth::Caller;
use crate::fault::matching::accepts_text;
use crate::ledger::Full;
use crate::ledger::shown;
use crate::ledger::undo::Undo;
use crate::route::context::{Asked, Context};
use crate::route::schema::Misfit;
use crate::route::tree::Text;
use crate::route::{Content, Response, When, Write};
use crate::template::Problem;
use crate::template::compiled::Budget;
use crate::template::compiled::serialized;

/// The answer of a route.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) reply: Reply,
    /// What the request lacks to fit the schema of the route.
    pub(crate) misfit: Option<Misfit>,
    /// Remarks for the journal.
    pub(crate) notes: Vec<String>,
}

/// Answers a request.
///
/// # Errors
/// The body says that it is JSON and is not (2466), unless a response is for requests that do not fit. No response has a condition
/// that holds (404), a template fails (500), or the world has no room (413). Then nothing is written.
pub(crate) fn answer(asked: &Asked<'_>) -> Result<Answered, ApiError> {
    let route = asked.route;
    let is_malformed = asked.request.is_malformed();
    let is_for_misfits =
        |response: &Response| response.when.as_ref().is_some_and(|when| when.valid == Some(false));
    if is_malformed && !route.responses.iter().any(is_for_misfits) {
        return Err(not_json());
    }
    // Most routes of an imported document have one response without templates.
    if let [Response { when: None, status, headers, content: Content::Json(tree), .. }] =
        route.responses.as_slice()
        && let (true, true, Some(text)) = (route.writes.is_empty(), headers.is_empty(), tree.literal())
    {
        let reply = Reply::json(*status, Bytes::copy_from_slice(text));
        return Ok(Answered { reply, misfit: None, notes: Vec::new() });
    }
    let misfit = route.schema.as_ref().and_then(|schema| schema.misfit(asked));
    let misfit = misfit.or_else(|| is_malformed.then(Misfit::not_json));
    let context = Context::new(asked);
    let mut budget = Budget::default();
    let root = context.root();
    let mut chosen = None;
    for response in &route.responses {
        let holds = match &response.when {
            Some(when) => holds(when, asked, (&root, misfit.is_none()), &mut budget)?,
            None => true,
        };
        if holds {
            chosen = Some(response);
            break;
        }
    }
    let response = chosen.ok_or_else(|| {
        ApiError::new(Code::NotFound, format!("no condition held of the responses of route:{}", route.name))
    })?;
    if is_malformed && !is_for_misfits(response) {
        return Err(not_json());
    }
    let mut done = Done::default();
    let reply =
        write_and_render(asked, (context, root), response, &mut budget, &mut done).inspect_err(|_| {
            let mut ledger = asked.facts.ledger().lock().unwrap_or_else(PoisonError::into_inner);
            ledger.undo(std::mem::take(&mut done.writes));
        })?;
    Ok(Answered { reply, misfit: misfit.filter(|_| response.status >= 400), notes: done.notes })
}

/// What was done on the way to a response.
#[derive(Debug, Default)]
struct Done {
    /// What takes back what was written, if the response fails.
    writes: Vec<Undo>,
    notes: Vec<String>,
}

fn write_and_render(
    asked: &Asked<'_>,
    (mut context, mut root): (Context, Value),
    response: &Response,
    budget: &mut Budget,
    done: &mut Done,
) -> Result<Reply, ApiError> {
    let route = asked.route;
    // A refusal changes nothing.
    if response.status < 400 && !route.writes.is_empty() {
        write(asked, &mut context, &root, budget, done)?;
        context.read_shelves(asked);
        root = context.root();
    }
    let failed = |problem: Problem| failed(&route.name, "its response", &problem);
    let mut reply = match &response.content {
        Content::Empty => Reply { status: response.status, headers: Vec::new(), body: Bytes::new() },
        Content::Json(tree) => Reply::json(response.status, tree.render(&root, budget).map_err(failed)?),
        Content::Text(text) => {
            let text = text.text(&root, budget).map_err(failed)?;
            Reply::typed(response.status, "text/plain; charset=utf-8", text.into_bytes())
        }
    };
    for (name, value) in &response.headers {
        let value = value.text(&root, budget).map_err(failed)?;
        if value.chars().any(|letter| letter.is_control() && letter != '\t') {
            done.notes.push(format!(
                "the header {name} had a line break or another control character, and was left out"
            ));
            continue;
        }
        reply.headers.retain(|(known, _)| known != name);
        reply.headers.push((Cow::Owned(name.clone()), Cow::Owned(value)));
    }
    Ok(reply)
}

fn not_json() -> ApiError {
    ApiError::new(Code::NotJson, Misfit::not_json().0)
}

fn failed(route: &str, what: &str, problem: &Problem) -> ApiError {
    let detail = format!("route:{route}: {what}: line {} of the template: {}", problem.line, problem.message);
    ApiError::new(Code::Internal, detail)
}

fn holds(
    when: &When,
    asked: &Asked<'_>,
    (root, is_valid): (&Value, bool),
    budget: &mut Budget,
) -> Result<bool, ApiError> {
    let When { path, condition, stored, holds, valid } = when;
    if valid.is_some_and(|valid| valid != is_valid) || !asked.request.meets(condition) {
        return Ok(false);
    }
    if !path.is_empty() {
        let plain = crate::route::path::plain(asked.request.call.path);
        let values = asked.route.path.values(plain);
        let agrees = path.iter().all(|(name, accepted)| {
            let value = values.iter().find(|(known, _)| known == name);
            accepts_text(accepted, value.map(|(_, value)| &**value))
        });
        if !agrees {
            return Ok(false);
        }
    }
    let failed = |problem: Problem| failed(&asked.route.name, "its `when`", &problem);
    for (name, key) in stored {
        let key = key.text(root, budget).map_err(failed)?;
        let ledger = asked.facts.ledger().lock().unwrap_or_else(PoisonError::into_inner);
        if ledger.shelves.of(name).get(&key).is_none() {
            return Ok(false);
        }
    }
    match holds {
        Some(template) => {
            let value = template.value(root, budget).map_err(failed)?;
            // The text of a template that is more than one expression.
            Ok(value.is_true()
                && !matches!(
                    value.as_str().map(str::trim),
                    Some("" | "0" | "false" | "False" | "none" | "None")
                ))
        }
        None => Ok(true),
    }
}

fn write(
    asked: &Asked<'_>,
    context: &mut Context,
    root: &Value,
    budget: &mut Budget,
    done: &mut Done,
) -> Result<(), ApiError> {
    let route = asked.route;
    let (mut stored, mut removed) = (Vec::new(), Vec::new());
    for write in &route.writes {
        match write {
            Write::Store { name, key, value } => {
                let problem = |problem: Problem| failed(&route.name, "its `store`", &problem);
                let key = text_key(key, root, budget).map_err(problem)?;
                let rendered = value.render(root, budget).map_err(problem)?;
                let value: serde_json::Value = serde_json::from_slice(&rendered).map_err(|error| {
                    ApiError::new(Code::Internal, format!("route:{}: {error}", route.name))
                })?;
                stored.extend([
                    ("key".to_owned(), Value::from(key.as_str())),
                    ("value".to_owned(), serialized(&value)),
                ]);
                stored.push((name.clone(), Value::from_pairs(stored.iter().rev().take(2).cloned())));
                let mut ledger = asked.facts.ledger().lock().unwrap_or_else(PoisonError::into_inner);
                done.writes.push(ledger.store(name, key, value).map_err(|error| full(&error))?);
            }
            Write::Remove { name, key } => {
                let problem = |problem: Problem| failed(&route.name, "its `remove`", &problem);
                let key = text_key(key, root, budget).map_err(problem)?;
                match remove(asked, name, &key) {
                    Some((value, undo)) => {
                        removed.push(("value".to_owned(), value));
                        done.writes.push(undo);
                    }
                    None => done.notes.push(format!("nothing was stored in {name} under {key}")),
                }
                removed.push(("key".to_owned(), Value::from(key)));
            }
        }
    }
    context.set("stored", Value::from_pairs(stored));
    context.set("removed", Value::from_pairs(removed));
    Ok(())
}

fn text_key(key: &Text, root: &Value, budget: &mut Budget) -> Result<String, Problem> {
    let key = key.text(root, budget)?;
    if key.len() > MAX_KEY {
        return Err(Problem { message: format!("a key has at most {MAX_KEY} bytes"), line: 1 });
    }
    Ok(key)
}

/// Maximum length of a key in bytes.
const MAX_KEY: usize = 1024;

/// Takes a value out, and returns it. Contacts and subscriptions are those of the operations.
fn remove(asked: &Asked<'_>, name: &str, key: &str) -> Option<(Value, Undo)> {
    let (dataset, caller) = (asked.facts.dataset(), Caller { key: asked.facts.key() });
    let mut ledger = asked.facts.ledger().lock().unwrap_or_else(PoisonError::into_inner);
    match name {
        "contacts" => {
            let id: u64 = key.trim().parse().ok()?;
            let covered = dataset.accounts().filter(|account| caller.covers(dataset, *account));
            let (enterprise, contact) = covered.into_iter().find_map(|account| {
                let number = dataset.account(account).number;
                let view = ledger.contacts.of(number, dataset.contacts.of(number));
                Some((number, serialized(&shown::Contact::of(view.get(id)?))))
            })?;
            Some((contact, ledger.remove_contact(enterprise, id)))
        }
        "subscriptions" => {
            let id: u64 = key.trim().parse().ok()?;
            let known = ledger.subscriptions.all().iter().find(|known| known.id == id)?;
            let place = dataset.find(i64::try_from(known.business).ok()?)?;
            if !caller.covers(dataset, dataset.account_at(place)) {
                return None;
            }
            Some((serialized(&shown::Subscription::of(known)), ledger.unsubscribe(id)?))
        }
        _ => ledger.unstore(name, key).map(|(value, undo)| (Value::from(Serde(&*value)), undo)),
    }
}

fn full(full: &Full) -> ApiError {
    ApiError { message: "The world is full".into(), ..ApiError::new(Code::TooLarge, full.to_string()) }
}
