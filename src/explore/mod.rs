//! Exploring a client: the faults that each of its calls can meet, and what runs with these faults show of it
//! (`standin explore`). All of it is a pure function of what was observed; `cli/explore` runs the command.

/// Values that differ from run to run.
pub(crate) mod mask;
/// Whether calls tell the time.
pub(crate) mod times;
/// Classes of calls, and points at which a fault can strike.
pub(crate) mod class;
/// The faults that a point can meet, and their order.
pub(crate) mod plan;
/// What is not wanted in a run.
pub(crate) mod oracle;
/// The result of each run, and findings made of them.
pub(crate) mod finding;
/// Deviations that are wanted.
pub(crate) mod accept;
/// The command line that repeats a finding.
pub(crate) mod line;
/// All of an exploration, as JSON.
pub(crate) mod report;
/// As a text for terminals.
pub(crate) mod text;
/// As JUnit XML.
pub(crate) mod junit;
/// As a page.
pub(crate) mod html;
