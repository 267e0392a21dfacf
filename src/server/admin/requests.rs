//! The journal of a world: searched, emptied, exported.

use std::sync::Arc;

use serde_json::Value;

use crate::api::call::Call;
use crate::api::reply::Reply;
use crate::journal::entry::Entry;
use crate::journal::filter::Filter;
use crate::journal::shown::Origin;
use crate::journal::{har, notes, shown};
use crate::operations;
use crate::server::admin::listing::Page;
use crate::server::guard::error;
use crate::world::World;

/// Names a parameter of the query can have.
const PARAMETERS: [&str; 7] = ["operation", "status", "code", "key", "fault", "after", "limit"];

/// What is asked for, of the newest so many; with the count of all that match, and of those given up.
struct Found {
    entries: Vec<(Arc<Entry>, Vec<String>)>,
    total: usize,
    dropped: u64,
}

/// `GET …/requests`.
///
/// # Errors
/// The answer to a filter that is none.
pub fn all(world: &World, call: &Call<'_>) -> Result<Reply, Reply> {
    let found = found(world, call)?;
    let shown: Vec<Value> =
        found.entries.iter().map(|(entry, notes)| shown::json(entry, notes, origin(world))).collect();
    Ok(Page::reply(found.total, shown).with("x-standin-dropped", found.dropped.to_string()))
}

/// `GET …/requests.har`.
///
/// # Errors
/// The answer to a filter that is none.
pub fn archive(world: &World, call: &Call<'_>) -> Result<Reply, Reply> {
    let found = found(world, call)?;
    let archive = har::archive(&found.entries, origin(world)).to_string();
    let reply = Reply::json(200, archive.into_bytes())
        .with("content-disposition", format!("attachment; filename=\"{}.har\"", world.name))
        .with("x-standin-dropped", found.dropped.to_string());
    Ok(reply)
}

/// `DELETE …/requests`.
#[must_use]
pub fn emptied(world: &World) -> Reply {
    world.journal.clear();
    Reply { headers: Vec::new(), ..Reply::json(204, Vec::new()) }
}

fn origin(world: &World) -> Origin<'_> {
    Origin { world: &world.name, minted: world.minted.as_ref().map(|key| key.key.as_str()) }
}

fn found(world: &World, call: &Call<'_>) -> Result<Found, Reply> {
    let filter = filter(call)?;
    let Page { offset: _, limit } = Page::of(call)?;
    let minted = origin(world).minted;
    let read = world.journal.read();
    let notes = notes::of(&read.entries);
    let matching = read.entries.into_iter().zip(notes);
    let mut entries: Vec<_> = matching.filter(|(entry, _)| filter.takes(entry, minted)).collect();
    let total = entries.len();
    entries.drain(..total.saturating_sub(limit));
    Ok(Found { entries, total, dropped: read.dropped })
}

fn filter(call: &Call<'_>) -> Result<Filter, Reply> {
    let names =
        call.query.split('&').filter_map(|pair| pair.split('=').next()).filter(|name| !name.is_empty());
    if let Some(name) = names.clone().find(|name| !PARAMETERS.contains(name)) {
        return Err(error(400, &format!("{name} is no filter; these are: {}.", PARAMETERS.join(", "))));
    }
    let text = |name| call.parameter(name).map(std::borrow::Cow::into_owned);
    let operation = match text("operation") {
        None => None,
        Some(name) => Some(operations::named(&name).map(|spec| spec.operation).ok_or_else(|| {
            let names = operations::ALL.map(|spec| spec.operation.name()).join(", ");
            error(400, &format!("operation must be one of {names}; it is {name}."))
        })?),
    };
    Ok(Filter {
        operation,
        status: number(call, "status")?,
        code: number(call, "code")?,
        key: text("key"),
        fault: text("fault"),
        after: number(call, "after")?,
    })
}

fn number<T: std::str::FromStr>(call: &Call<'_>, name: &str) -> Result<Option<T>, Reply> {
    let read = |text: std::borrow::Cow<'_, str>| {
        text.parse().map_err(|_| error(400, &format!("{name} must be a number; it is {text}.")))
    };
    call.parameter(name).map(read).transpose()
}
