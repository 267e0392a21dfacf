//! Does once more what happened to a world apart from calls.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::bundle::format::{ActionKind, ActionLine};
use crate::bundle::hide::Keyring;
use crate::clock::{Mode, Moment, Reading};
use crate::dataset::arrival::{Answered, Arrival};
use crate::scenario::diagnostic::Diagnostic;
use crate::scenario::{admin_input, arrival};
use crate::webhook::handle::WorldHandle;
use crate::webhook::settings::Emission;
use crate::world::World;
use crate::world::run::Run;

/// Most entries of the timeline that happen in a replay.
pub(super) const MOST_EVENTS: usize = 1_000_000;

/// The body of the action `event`.
#[derive(Deserialize)]
struct Event {
    event: String,
    conversation: Option<String>,
    text: Option<String>,
    data: Option<Map<String, Value>>,
}

/// Does an action once more; a load of the scenario and the timeline are not done here. The clock shows the time of the action.
///
/// # Errors
/// Why it cannot be done in this scenario.
pub(super) fn perform(world: &World, keys: &Keyring<'_>, line: &ActionLine) -> Result<(), String> {
    let (run, snapshot) = (world.run(), world.snapshot());
    let first = |problems: Vec<Diagnostic>| {
        problems.into_iter().next().map_or_else(|| "it is not valid".to_owned(), |problem| problem.message)
    };
    match &line.action {
        // Each call and each action has its own time.
        ActionKind::Clock
        | ActionKind::ClockMode { .. }
        | ActionKind::JournalCleared
        | ActionKind::Loaded { .. }
        | ActionKind::Timeline { .. } => Ok(()),
        ActionKind::Fault { name, fault } => {
            let references = snapshot.references(Mode::Frozen);
            let (fault, _) =
                admin_input::parse_fault(&references, name, &keys.fill_text(fault)).map_err(first)?;
            world.put_fault(fault).map(drop).map_err(|_| "there is no room for it".to_owned())
        }
        ActionKind::FaultEnabled { name, enabled } => match world.enable_fault(name, *enabled) {
            Ok(true) => Ok(()),
            Ok(false) => Err(format!("there is no fault {name}")),
            Err(_) => Err("there is no room for it".to_owned()),
        },
        ActionKind::FaultRemoved { name } => {
            world.remove_fault(name).then_some(()).ok_or_else(|| format!("there is no fault {name}"))
        }
        ActionKind::Review { body } => {
            let text = keys.fill_text(body);
            let review = arrival::parse_review(&text, snapshot.dataset()).map_err(first)?;
            let recorded = run.arrive(&snapshot, &Arrival::Review(Box::new(review)), (None, &text));
            recorded.map(drop).map_err(|reason| reason.to_string())
        }
        ActionKind::Question { body } => {
            let text = keys.fill_text(body);
            let question = arrival::parse_question(&text, snapshot.dataset()).map_err(first)?;
            let recorded = run.arrive(&snapshot, &Arrival::Question(Box::new(question)), (None, &text));
            recorded.map(drop).map_err(|reason| reason.to_string())
        }
        ActionKind::ReviewChanged { id, business, body } => {
            let text = keys.fill_text(body);
            let change = arrival::parse_change(&text).map_err(first)?;
            let which = Answered::Id { id: id.clone(), business: *business };
            let recorded = run.change_review(&snapshot, &which, (&change, &text));
            recorded.map(drop).map_err(|reason| reason.to_string())
        }
        ActionKind::ReviewRemoved { id, business } => {
            let which = Answered::Id { id: id.clone(), business: *business };
            run.remove_review(&snapshot, &which).map_err(|reason| reason.to_string())
        }
        ActionKind::Event { business, body } => {
            let Event { event, conversation, text, data } =
                serde_json::from_slice(&keys.fill(body)).map_err(|error| error.to_string())?;
            let emission = Emission { event, business: Some(*business), conversation, text, data };
            run.emit(&emission, *business).map(drop).ok_or_else(|| "its conversation is closed".to_owned())
        }
    }
}

/// Lets entries of the timeline happen: so many, or all that are due by a time. Returns how many that were, at most
/// `MOST_EVENTS`.
pub(super) fn happen(run: &Run, count: usize, by: Moment) -> usize {
    let start = run.clock.start();
    let reading = Reading { now: by, start, elapsed: std::time::Duration::ZERO };
    let due = run.webhooks().count_due(reading.since_start());
    let count = count.min(usize::try_from(due).unwrap_or(usize::MAX)).min(MOST_EVENTS);
    run.webhooks().emit_due(run, reading, count);
    count
}
