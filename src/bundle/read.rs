//! Reads a bundle. No bytes make it fail otherwise than with a plain reason.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::bundle::archive::{self, Unreadable, is_inside};
use crate::bundle::format::{ActionKind, ActionLine, CallLine, FORMAT, LoadLine, Manifest, VERSION};
use crate::clock::Moment;

pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const CALLS: &str = "calls.jsonl";
pub(super) const ACTIONS: &str = "actions.jsonl";

/// A run of a world, as a bundle has it.
#[derive(Clone, Debug)]
pub(crate) struct Bundle {
    pub(crate) manifest: Manifest,
    pub(super) calls: Vec<CallLine>,
    pub(super) actions: Vec<ActionLine>,
    /// The files of the loads, by their paths in the zip.
    pub(super) files: BTreeMap<PathBuf, Vec<u8>>,
}

/// What tells whether the rest can be read.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

/// Reads the bytes of a bundle.
///
/// # Errors
/// They are no bundle of this version, or a part is missing or broken.
pub(crate) fn read(bytes: &[u8]) -> Result<Bundle, Unreadable> {
    let mut parts = archive::unpack(bytes)?;
    let manifest = part(&mut parts, MANIFEST)?;
    let head: Head = json(MANIFEST, &manifest)?;
    if head.format != FORMAT {
        return Err(Unreadable(format!("its {MANIFEST} is not that of a bundle")));
    }
    if head.version != VERSION {
        return Err(Unreadable(format!(
            "it has version {} of the format, and this program reads version {VERSION}",
            head.version
        )));
    }
    let manifest: Manifest = json(MANIFEST, &manifest)?;
    let calls: Vec<CallLine> = lines(CALLS, &part(&mut parts, CALLS)?)?;
    let actions: Vec<ActionLine> = lines(ACTIONS, &part(&mut parts, ACTIONS)?)?;
    for (what, found, expected) in
        [(CALLS, calls.len(), manifest.calls), (ACTIONS, actions.len(), manifest.actions)]
    {
        if found != expected {
            return Err(Unreadable(format!("its {what} has {found} lines instead of {expected}")));
        }
    }
    if manifest.loads.is_empty() {
        return Err(Unreadable(format!("its {MANIFEST} has no load of the scenario")));
    }
    for LoadLine { file, root, start, now, .. } in &manifest.loads {
        if !parts.contains_key(file) {
            return Err(Unreadable(format!("its part {file} is missing")));
        }
        if !is_inside(root) {
            return Err(Unreadable(format!("the root {root:?} of its scenario is no folder in it")));
        }
        moment(start)?;
        moment(now)?;
    }
    moment(&manifest.clock_start)?;
    for at in calls.iter().map(|call| &call.at).chain(actions.iter().map(|action| &action.at)) {
        moment(at)?;
    }
    let files = parts.into_iter().map(|(name, bytes)| (PathBuf::from(name), bytes)).collect();
    Ok(Bundle { manifest, calls, actions, files })
}

fn part(parts: &mut BTreeMap<String, Vec<u8>>, name: &str) -> Result<Vec<u8>, Unreadable> {
    parts.remove(name).ok_or_else(|| Unreadable(format!("its part {name} is missing")))
}

fn json<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T, Unreadable> {
    serde_json::from_slice(bytes).map_err(|error| Unreadable(format!("its {name} cannot be read: {error}")))
}

fn lines<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<Vec<T>, Unreadable> {
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let read = lines.zip(1..).map(|(line, number)| json(&format!("{name}, line {number},"), line));
    read.collect()
}

/// An instant of the bundle.
pub(super) fn moment(text: &str) -> Result<Moment, Unreadable> {
    Moment::from_scenario(text).ok_or_else(|| Unreadable(format!("{text:?} is no instant")))
}

impl Bundle {
    /// Number of calls.
    pub(crate) fn calls(&self) -> usize {
        self.calls.len()
    }

    /// Number of actions.
    pub(crate) fn actions(&self) -> usize {
        self.actions.len()
    }

    /// The seed at the start of the run.
    pub(crate) fn seed(&self) -> u64 {
        self.manifest.loads.first().map_or(0, |load| load.seed)
    }

    /// The present when the scenario was loaded for the run.
    pub(crate) fn now(&self) -> &str {
        self.manifest.loads.first().map_or("", |load| &load.now)
    }

    /// Why the bundle does not hold the whole run, a line for each reason.
    pub(crate) fn gaps(&self) -> Vec<String> {
        let Manifest { calls_dropped, actions_dropped, resets, .. } = &self.manifest;
        let mut gaps = Vec::new();
        if *calls_dropped > 0 {
            gaps.push(format!("the journal had no room for {calls_dropped} of the calls"));
        }
        if *actions_dropped > 0 {
            gaps.push(format!("the action log had no room for {actions_dropped} of the actions"));
        }
        let cleared = |line: &&ActionLine| matches!(line.action, ActionKind::JournalCleared);
        if let Some(line) = self.actions.iter().rev().find(cleared) {
            gaps.push(format!("the journal was emptied after call {}: calls before are missing", line.after));
        }
        if *resets > 0 {
            gaps.push(format!("the bundle begins at the last reset of the world, of {resets} in all"));
        }
        gaps
    }
}
