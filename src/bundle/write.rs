//! Writes the bundle of a world's run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use crate::api::call::Body;
use crate::api::operation::Operation;
use crate::auth::Keys;
use crate::bundle::archive::{self, LIMIT};
use crate::bundle::format::{
    ActionKind, ActionLine, AnswerLine, CallLine, DecisionLine, FORMAT, FaultLine, LoadLine, Manifest,
    ModeName, RequestLine, Sent, Text, VERSION,
};
use crate::bundle::hide::{Hider, Others};
use crate::bundle::read::{ACTIONS, CALLS, MANIFEST};
use crate::clock::Mode;
use crate::dataset::arrival::Answered;
use crate::fault::Fault;
use crate::fault::effect::Kind;
use crate::journal::entry::Entry;
use crate::journal::mask::Mask;
use crate::journal::secrets::Secrets;
use crate::pipeline::run::FOREIGN_KEY;
use crate::webhook::settings::Emission;
use crate::world::World;
use crate::world::kept::{Action, Load, Logged, ScenarioFiles};

/// Why there is no bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotWritten {
    /// The process keeps no files of scenarios, or no journal.
    NotKept,
    TooLarge,
    Failed(String),
}

impl Display for NotWritten {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotKept => {
                write!(out, "this server keeps neither the files of its scenarios nor a journal")
            }
            Self::TooLarge => write!(out, "it would have more than {} MiB", LIMIT >> 20),
            Self::Failed(why) => out.write_str(why),
        }
    }
}

/// The bundle of the present run of a world, as the bytes of its file. The server must keep the files of its scenarios
/// (`Setup::keeps`) and a journal, best one that cuts no body of a request.
///
/// # Errors
/// It keeps neither, or the bundle would be too large.
pub(crate) fn write(world: &World) -> Result<Vec<u8>, NotWritten> {
    let run = world.run();
    let kept = run.kept.as_ref().filter(|_| run.journal.is_on()).ok_or(NotWritten::NotKept)?;
    let (journal, actions) = (run.journal.read(), kept.actions());
    let mut parts = BTreeMap::new();
    let mut bundle = Writer {
        minted: world.minted.as_ref().map(|minted| minted.key.as_str()),
        secrets: world.secrets(),
        keys: Arc::clone(&run.snapshot().keys),
        others: Others::default(),
    };
    let mut loads = vec![bundle.load(&kept.load, &mut parts)];
    let calls: Vec<CallLine> = journal.entries.iter().map(|entry| bundle.call(entry)).collect();
    let mut action_lines = Vec::with_capacity(actions.list.len());
    for Logged { after, at, action } in &actions.list {
        if let Action::Loaded(load) = action {
            loads.push(bundle.load(load, &mut parts));
        }
        action_lines.push(ActionLine { after: *after, at: at.iso(), action: bundle.action(action) });
    }
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        version: VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        scenario: run.snapshot().scenario.clone(),
        world: world.name.clone(),
        clock_start: run.clock.start().iso(),
        loads,
        faults: kept.faults.iter().map(|fault| bundle.fault(fault)).collect(),
        secret: parts.keys().cloned().collect(),
        calls: calls.len(),
        actions: action_lines.len(),
        calls_dropped: journal.dropped,
        actions_dropped: actions.missed,
        resets: world.resets(),
    };
    let failed = |error: &dyn Display| NotWritten::Failed(error.to_string());
    let manifest = serde_json::to_vec_pretty(&manifest).map_err(|error| failed(&error))?;
    parts.insert(MANIFEST.to_owned(), manifest);
    parts.insert(CALLS.to_owned(), lines(&calls).map_err(|error| failed(&error))?);
    parts.insert(ACTIONS.to_owned(), lines(&action_lines).map_err(|error| failed(&error))?);
    if parts.values().map(Vec::len).sum::<usize>() > LIMIT {
        return Err(NotWritten::TooLarge);
    }
    archive::pack(&parts).map_err(|error| failed(&error))
}

fn lines(list: &[impl Serialize]) -> serde_json::Result<Vec<u8>> {
    let mut out = Vec::new();
    for line in list {
        serde_json::to_writer(&mut out, line)?;
        out.push(b'\n');
    }
    Ok(out)
}

/// The folder that has all of these.
fn common(folders: &BTreeSet<&Path>) -> PathBuf {
    let mut folders = folders.iter();
    let first = folders.next().map(|first| first.to_path_buf()).unwrap_or_default();
    folders.fold(first, |common, folder| {
        let same = common.components().zip(folder.components()).take_while(|(one, other)| one == other);
        same.map(|(part, _)| part).collect()
    })
}

/// Writes calls and actions with keys by place.
struct Writer<'a> {
    /// The key that was minted for the world.
    minted: Option<&'a str>,
    secrets: &'a Secrets,
    /// The keys of the scenario at the end.
    keys: Arc<Keys>,
    others: Others,
}

impl Writer<'_> {
    /// The line of a load, whose files become parts.
    fn load(&mut self, load: &Load, parts: &mut BTreeMap<String, Vec<u8>>) -> LoadLine {
        let ScenarioFiles { root, scenario, now, files, overrides } = &*load.files;
        let folders: BTreeSet<&Path> =
            files.keys().filter_map(|file| file.parent()).chain([root.as_path()]).collect();
        let base = common(&folders);
        let name = |path: &Path| {
            let below = path.strip_prefix(&base).unwrap_or(path).components();
            let below = below.filter_map(|part| match part {
                Component::Normal(name) => Some(name.to_string_lossy()),
                Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
            });
            let top = ["scenario".into(), load.generation.to_string().into()];
            top.into_iter().chain(below).collect::<Vec<_>>().join("/")
        };
        parts.extend(files.iter().map(|(path, bytes)| (name(path), bytes.to_vec())));
        LoadLine {
            generation: load.generation,
            seed: load.seed.0,
            start: load.start.iso(),
            now: now.iso(),
            file: name(scenario),
            root: name(root),
            faults: overrides.faults.iter().map(|fault| self.fault(fault)).collect(),
            further_key: overrides.key.is_some(),
        }
    }

    fn call(&mut self, entry: &Entry) -> CallLine {
        let (facts, call) = (&entry.facts, entry.call());
        let foreign =
            |(name, value): (&str, &[u8])| name == "x-standin-detail" && value == FOREIGN_KEY.as_bytes();
        let mut hide = Hider {
            mask: Mask::new(&facts.keys, self.minted, self.secrets),
            keys: &facts.keys,
            has_foreign_key: entry.response_headers().any(foreign),
            others: &mut self.others,
        };
        let body_too_large = matches!(call.body, Body::TooLarge);
        let request = RequestLine {
            method: hide.text(call.method.as_bytes()),
            path: hide.text(call.path.as_bytes()),
            query: hide.query(call.query),
            headers: call
                .headers
                .iter()
                .map(|(name, value)| (hide.text(name.as_bytes()), hide.header(name, value)))
                .collect(),
            body: hide.body(call.bytes()),
            body_bytes_not_kept: entry.body_lost(),
            body_too_large,
        };
        let has_body = facts.answered || facts.effect == Some(Kind::Lost);
        let answer = AnswerLine {
            status: entry.decided_status(),
            code: facts.code,
            headers: entry
                .response_headers()
                .map(|(name, value)| (hide.text(name.as_bytes()), hide.header(name, value)))
                .collect(),
            body: has_body.then(|| hide.body(entry.decided_response())),
            body_bytes_not_kept: entry.decided_response_lost(),
            sent: facts.send_plan.as_deref().map(Sent::of).unwrap_or_default(),
        };
        CallLine {
            seq: facts.seq,
            at: facts.reading.now.iso(),
            operation: facts.operation().map(|operation| Operation::name(operation).to_owned()),
            key: facts.keys.label(facts.key_match),
            request,
            answer,
            fault: entry.fault().map(str::to_owned),
            decision: facts.decision.as_ref().map(|decision| DecisionLine {
                fault: decision.fault.clone(),
                applied: decision.applied,
                attempt: decision.attempt,
                draw: decision.draw,
                threshold: decision.threshold,
                generation: decision.generation,
            }),
        }
    }

    fn fault(&mut self, fault: &Fault) -> FaultLine {
        FaultLine { name: fault.name.clone(), fault: self.body(&fault.text) }
    }

    /// The text of an admin call.
    fn body(&mut self, text: &str) -> Text {
        let mut hide = Hider {
            mask: Mask::new(&self.keys, self.minted, self.secrets),
            keys: &self.keys,
            has_foreign_key: false,
            others: &mut self.others,
        };
        hide.body(text.as_bytes())
    }

    fn action(&mut self, action: &Action) -> ActionKind {
        let which = |which: &Answered| match which {
            // No admin call names a review so.
            Answered::Last => (String::new(), None),
            Answered::Id { id, business } => (id.clone(), *business),
        };
        match action {
            Action::ClockMoved => ActionKind::Clock,
            Action::ClockMode(mode) => ActionKind::ClockMode {
                mode: match mode {
                    Mode::Frozen => ModeName::Frozen,
                    Mode::Running => ModeName::Running,
                },
            },
            Action::FaultPut(fault) => {
                let FaultLine { name, fault } = self.fault(fault);
                ActionKind::Fault { name, fault }
            }
            Action::FaultEnabled { name, enabled } => {
                ActionKind::FaultEnabled { name: name.clone(), enabled: *enabled }
            }
            Action::FaultRemoved(name) => ActionKind::FaultRemoved { name: name.clone() },
            Action::Review(text) => ActionKind::Review { body: self.body(text) },
            Action::Question(text) => ActionKind::Question { body: self.body(text) },
            Action::ReviewChanged(review, text) => {
                let (id, business) = which(review);
                ActionKind::ReviewChanged { id, business, body: self.body(text) }
            }
            Action::ReviewRemoved(review) => {
                let (id, business) = which(review);
                ActionKind::ReviewRemoved { id, business }
            }
            Action::Event(emission, business) => {
                let Emission { event, conversation, text, data, .. } = &**emission;
                let body =
                    json!({ "event": event, "conversation": conversation, "text": text, "data": data });
                ActionKind::Event { business: *business, body: self.body(&body.to_string()) }
            }
            Action::Timeline(count) => ActionKind::Timeline { count: *count },
            Action::Loaded(load) => ActionKind::Loaded { generation: load.generation },
            Action::JournalCleared => ActionKind::JournalCleared,
        }
    }
}
