//! A world's snapshot as text: all that it holds beyond its scenario, to move it to another process or to keep it over a restart.
//! The journal, finished deliveries and watchers stay behind. The scenario's keys are told by their place.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::auth::Key;
use crate::clock::{Mode, Moment, PartialSetting};
use crate::draw::Seed;
use crate::fault::counters::saved::SavedCounters;
use crate::journal::mask::Mask;
use crate::ledger::added::saved::SavedRecords;
use crate::ledger::saved::SavedLedger;
use crate::webhook::state::saved::SavedWebhooks;
use crate::world::create::CreateError;
use crate::world::fault_edits::saved::{SavedEdits, SavedFault};
use crate::world::hide::{fill, hide};
use crate::world::quota::SavedQuota;

/// The version that is written and read.
const VERSION: u32 = 2;
/// Most bytes of a snapshot.
pub(crate) const MOST_BYTES: usize = 32 << 20;

/// The text of a snapshot.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved<World> {
    /// What this is: `snapshot`.
    standin: Kind,
    version: u32,
    /// Of the world's text as it is written.
    digest: String,
    world: World,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Snapshot,
}

/// What tells a snapshot from other JSON objects.
#[derive(Deserialize)]
struct Head {
    standin: Option<Value>,
    version: Option<Value>,
}

/// A world.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SavedWorld {
    /// Name of its scenario.
    pub(super) scenario: String,
    /// A hash of what that was loaded from.
    pub(super) scenario_content: String,
    /// The key minted with it.
    pub(super) api_key: Option<String>,
    pub(super) seed: u64,
    /// The instant to which relative dates of its dataset refer.
    pub(super) dates: Moment,
    pub(super) clock: SavedClock,
    /// What a reset returns to.
    pub(super) start: SavedStart,
    pub(super) faults: SavedEdits,
    pub(super) counters: SavedCounters,
    pub(super) quotas: Vec<SavedQuota>,
    pub(super) ledger: SavedLedger,
    pub(super) records: SavedRecords,
    pub(super) webhooks: SavedWebhooks,
}

/// World time when it was taken. It does not pass until the world is there again.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedClock {
    pub(super) start: Moment,
    pub(super) now: Moment,
    pub(super) mode: Mode,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SavedStart {
    pub(super) seed: Option<u64>,
    pub(super) clock: Option<Moment>,
    pub(super) mode: Option<Mode>,
    pub(super) faults: Vec<SavedFault>,
}

/// Why a snapshot is not taken up. Nothing is changed then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotRestored {
    /// It is none, not whole, or does not fit its scenario.
    Mangled(String),
    NotCreated(CreateError),
}

impl From<CreateError> for NotRestored {
    fn from(reason: CreateError) -> Self {
        Self::NotCreated(reason)
    }
}

impl Display for NotRestored {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mangled(why) => write!(out, "The snapshot is not taken up: {why}."),
            Self::NotCreated(reason) => reason.fmt(out),
        }
    }
}

pub(super) fn mangled(why: impl Into<String>) -> NotRestored {
    NotRestored::Mangled(why.into())
}

impl SavedStart {
    pub(super) fn setting(&self) -> (Option<Seed>, PartialSetting) {
        (self.seed.map(Seed), PartialSetting { start: self.clock, mode: self.mode })
    }
}

impl SavedWorld {
    /// The snapshot's text, without the keys of the scenario.
    ///
    /// # Errors
    /// It cannot be written, or it is too large.
    pub(super) fn write(&self, keys: &[Key]) -> Result<String, String> {
        let text = hide(&serde_json::to_string(self).map_err(|error| error.to_string())?, keys);
        let world = serde_json::value::RawValue::from_string(text).map_err(|error| error.to_string())?;
        let digest = digest(world.get());
        let saved = Saved { standin: Kind::Snapshot, version: VERSION, digest, world };
        let text = serde_json::to_string(&saved).map_err(|error| error.to_string())?;
        if text.len() > MOST_BYTES {
            return Err(format!(
                "The snapshot would have {} MiB, more than {}: reset the world, or keep less in it.",
                text.len() >> 20,
                MOST_BYTES >> 20
            ));
        }
        Ok(text)
    }

    /// Reads a snapshot's text. The keys of its scenario are not put back yet.
    ///
    /// # Errors
    /// It is of another version, or mangled.
    pub(crate) fn read(text: &str) -> Result<Hidden, NotRestored> {
        let no_json = |error: serde_json::Error| mangled(format!("it is no JSON: {error}"));
        let none =
            |what: &str| mangled(format!("{what}. A snapshot is what `GET …/snapshot` gives, unchanged"));
        if !text.trim_start().starts_with('{') {
            serde_json::from_str::<IgnoredAny>(text).map_err(no_json)?;
            return Err(none("it is no JSON object"));
        }
        let Head { standin, version } = serde_json::from_str(text).map_err(no_json)?;
        if standin.is_none_or(|kind| kind != "snapshot") {
            return Err(none("it is no snapshot: its member `standin` must be \"snapshot\""));
        }
        match version {
            Some(version) if version == VERSION => {}
            Some(other) => {
                return Err(mangled(format!("its version is {other}; this program has {VERSION}")));
            }
            None => return Err(none("it has no `version`")),
        }
        let saved: Saved<Self> = members(text)?;
        let text = serde_json::to_string(&saved.world).map_err(|error| mangled(error.to_string()))?;
        if digest(&text) != saved.digest {
            return Err(mangled("it was changed after it was taken"));
        }
        let Self { scenario, scenario_content, api_key, .. } = saved.world;
        if api_key.as_ref().is_some_and(|key| !Mask::is_minted(key)) {
            return Err(mangled("its key is none that a world has"));
        }
        Ok(Hidden { scenario, scenario_content, api_key, text })
    }
}

/// A snapshot that was read.
#[derive(Debug)]
pub(crate) struct Hidden {
    /// Name of its scenario.
    pub(crate) scenario: String,
    pub(super) scenario_content: String,
    pub(super) api_key: Option<String>,
    text: String,
}

impl Hidden {
    /// The world, with the keys of its scenario.
    pub(super) fn fill(&self, keys: &[Key]) -> Result<SavedWorld, NotRestored> {
        let text =
            fill(&self.text, keys).ok_or_else(|| mangled("the scenario has fewer keys than it had"))?;
        members(&text)
    }
}

/// Reads JSON whose members are known. What is wrong is told by the path of the member, without names of our types.
fn members<T: DeserializeOwned>(text: &str) -> Result<T, NotRestored> {
    let mut json = serde_json::Deserializer::from_str(text);
    let read = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        mangled(wrong_member(&path, &error.inner().to_string()))
    })?;
    json.end().map_err(|error| mangled(format!("it is no JSON: {error}")))?;
    Ok(read)
}

/// What serde says of a member, in plain words.
fn wrong_member(path: &str, error: &str) -> String {
    let at = if path == "." { "it".to_owned() } else { format!("`{path}`") };
    let error = error.split_once(" at line ").map_or(error, |(error, _)| error);
    let name = |after: &str| after.split('`').nth(1).unwrap_or_default().to_owned();
    let (kind, expected) = error.split_once(", expected ").unwrap_or((error, ""));
    if kind.starts_with("missing field") {
        format!("{at} has no member `{}`", name(kind))
    } else if kind.starts_with("unknown field") {
        format!("no snapshot has the member {at}")
    } else if expected.is_empty() {
        format!("{at} cannot be: {error}")
    } else {
        format!("{at} is not what a snapshot has there")
    }
}

fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

pub(super) fn faults(faults: &[Arc<crate::fault::Fault>]) -> Vec<SavedFault> {
    faults.iter().map(|fault| SavedFault::of(fault)).collect()
}
