//! The documents of a bundle, as they are written and read (`docs/replay.md`).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::fault::transmission::{SendPlan, Transmission};

/// What tells a bundle from other zip files.
pub(super) const FORMAT: &str = "standin bundle";
/// The version of the format. A change that a reader of this version would misunderstand gets another one.
pub(super) const VERSION: u32 = 1;

/// `manifest.json`: what the bundle holds, and how the run began.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest {
    pub(super) format: String,
    pub(super) version: u32,
    /// Version of the program that wrote it.
    pub(crate) program: String,
    /// Name of the scenario.
    pub(crate) scenario: String,
    /// Name of the world.
    pub(crate) world: String,
    /// World time at the start of the run.
    pub(crate) clock_start: String,
    /// The loads of the scenario, the first one at the start of the run. There is at least one.
    pub(super) loads: Vec<LoadLine>,
    /// The faults that the world had of its own at its start.
    pub(super) faults: Vec<FaultLine>,
    /// The files that contain API keys and other secrets of the scenario.
    pub(super) secret: Vec<String>,
    /// Number of calls in the bundle.
    pub(super) calls: usize,
    /// Number of actions in the bundle.
    pub(super) actions: usize,
    /// Number of calls that the journal had no room for.
    pub(crate) calls_dropped: u64,
    /// Number of actions that the action log had no room for.
    pub(crate) actions_dropped: u64,
    /// How often the world was reset before. The bundle holds nothing from before the last time.
    pub(crate) resets: u64,
}

/// A load of the scenario.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct LoadLine {
    pub(super) generation: u64,
    pub(super) seed: u64,
    /// The instant to which relative dates refer.
    pub(super) start: String,
    /// The present at the load.
    pub(super) now: String,
    /// The scenario's own file, by its path in the zip.
    pub(super) file: String,
    /// The folder that no path in it leaves, likewise.
    pub(super) root: String,
    /// Faults that the command line adds to the scenario or puts into the place of others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) faults: Vec<FaultLine>,
    /// Whether there is a further API key behind those of the scenario, since none of them could be used.
    #[serde(default, rename = "furtherKey", skip_serializing_if = "is_false")]
    pub(super) further_key: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FaultLine {
    pub(super) name: String,
    pub(super) fault: Text,
}

/// A line of `calls.jsonl`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallLine {
    pub(super) seq: u64,
    /// World time.
    pub(super) at: String,
    /// None where nothing is at the path.
    pub(super) operation: Option<String>,
    /// The key as the journal names it. None without a key.
    pub(super) key: Option<String>,
    pub(super) request: RequestLine,
    pub(super) answer: AnswerLine,
    /// Name of the fault that took effect, else of the last delay.
    pub(super) fault: Option<String>,
    pub(super) decision: Option<DecisionLine>,
}

/// A request as it was sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestLine {
    pub(super) method: Text,
    /// Without the world's name.
    pub(super) path: Text,
    pub(super) query: Text,
    pub(super) headers: Vec<(Text, Text)>,
    pub(super) body: Text,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) body_bytes_not_kept: usize,
    /// Whether the body was over the limit of the API, and was discarded.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) body_too_large: bool,
}

/// An answer as it was decided.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AnswerLine {
    pub(super) status: u16,
    pub(super) code: Option<u32>,
    pub(super) headers: Vec<(Text, Text)>,
    /// None where the fault left no answer.
    pub(super) body: Option<Text>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) body_bytes_not_kept: usize,
    pub(super) sent: Sent,
}

/// How an answer was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sent {
    pub(super) how: How,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) delay_ms: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(super) enum How {
    #[default]
    Whole,
    Reset,
    Close,
    /// Without a time, for as long as the client waits.
    Stall {
        ms: Option<u64>,
    },
    Garbage {
        base64: String,
    },
    /// The share of the body that is sent, in parts per million.
    Truncate {
        share: u32,
    },
    Drip {
        bytes: u32,
        every_ms: u64,
    },
}

/// Why a fault did or did not apply.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct DecisionLine {
    pub(super) fault: String,
    pub(super) applied: bool,
    pub(super) attempt: u32,
    pub(super) draw: Option<f64>,
    pub(super) threshold: Option<f64>,
    pub(super) generation: u64,
}

/// A line of `actions.jsonl`: what changed the world apart from calls.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ActionLine {
    /// Number of the last call that had arrived.
    pub(super) after: u64,
    /// World time.
    pub(super) at: String,
    #[serde(flatten)]
    pub(super) action: ActionKind,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case")]
pub(super) enum ActionKind {
    Clock,
    ClockMode {
        mode: ModeName,
    },
    Fault {
        name: String,
        fault: Text,
    },
    FaultEnabled {
        name: String,
        enabled: bool,
    },
    FaultRemoved {
        name: String,
    },
    Review {
        body: Text,
    },
    Question {
        body: Text,
    },
    ReviewChanged {
        id: String,
        business: Option<u64>,
        body: Text,
    },
    ReviewRemoved {
        id: String,
        business: Option<u64>,
    },
    /// The body has the members `event`, `conversation`, `text` and `data`.
    Event {
        business: u64,
        body: Text,
    },
    Timeline {
        count: u64,
    },
    Loaded {
        generation: u64,
    },
    JournalCleared,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ModeName {
    Frozen,
    Running,
}

/// A text in which API keys are by place. A text without one is a string.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Text {
    Plain(String),
    Parts(Vec<Part>),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Part {
    Plain(String),
    /// Bytes that are not UTF-8.
    Bytes {
        base64: String,
    },
    Key {
        key: KeyPlace,
        #[serde(default, skip_serializing_if = "Encoding::is_plain")]
        encoding: Encoding,
    },
}

/// Which key stands at a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum KeyPlace {
    /// The scenario's key of that name.
    Name(String),
    /// The scenario's key at that place, from 1.
    Place(usize),
    /// The key that was minted for the world.
    Minted,
    /// A key that was minted for another world. Different ones have different numbers.
    Foreign(usize),
    /// Any other key or credential, likewise.
    Unknown(usize),
}

/// How a key is written at its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Encoding {
    #[default]
    Plain,
    /// With percent signs, as in a URL.
    Percent,
    /// With backslashes, as in a JSON string.
    Json,
}

impl Encoding {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    fn is_plain(&self) -> bool {
        *self == Self::Plain
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

impl Sent {
    pub(super) fn of(plan: &SendPlan) -> Self {
        let ms = |span: std::time::Duration| u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        let how = match &plan.transmission {
            Transmission::Plain => How::Whole,
            Transmission::Reset => How::Reset,
            Transmission::Close => How::Close,
            Transmission::Stall(span) => How::Stall { ms: span.map(ms) },
            Transmission::Garbage(bytes) => How::Garbage { base64: STANDARD.encode(bytes) },
            Transmission::Truncate { share } => How::Truncate { share: *share },
            Transmission::Drip { bytes, every } => How::Drip { bytes: *bytes, every_ms: ms(*every) },
        };
        Self { how, delay_ms: plan.delay.map(ms) }
    }
}
