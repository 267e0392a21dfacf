//! Loads the scenario of a run, with what the flags change of it. The changes become part of the scenario, so that a reset of the
//! world keeps them.

use crate::cli::run::access::is_usable;
use crate::cli::serve::Failure;
use crate::clock::Mode;
use crate::draw::Seed;
use crate::journal::budget::Limits;
use crate::reload::status::LoadStatus;
use crate::reload::{self, Setup};
use crate::scenario::admin_input::{parse_expectation, parse_fault};
use crate::scenario::diagnostic::{Diagnostic, Severity};
use crate::scenario::fault::{MAX_FAULTS, custom_codes};
use crate::scenario::model::{Scenario, SeedSetting};
use crate::scenario::overrides::Overrides;
use crate::scenario::references::References;
use crate::scenario::{LoadedScenario, render};
use crate::world::registry::{Registry, mint};
use crate::world::shared::Shared;

/// The journal of a run is larger than that of a server, since nothing passes if some of it was dropped. No body of a request is cut,
/// so that a bundle can send it again.
const JOURNAL: Limits = Limits { world: 256 << 20, total: 256 << 20, body: 1 << 20 };

/// What flags change of a scenario.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::cli) struct Changes<'a> {
    pub(in crate::cli) seed: Option<u64>,
    pub(in crate::cli) freeze: bool,
    /// Faults by name.
    pub(in crate::cli) faults: &'a [(String, String)],
    /// Expectations by name.
    pub(in crate::cli) expectations: &'a [(String, String)],
}

/// The scenario of a run, loaded and not served yet.
pub(in crate::cli) struct Loaded {
    pub(in crate::cli) registry: Registry,
    pub(in crate::cli) board: LoadStatus,
    pub(in crate::cli) warnings: Vec<Diagnostic>,
    /// A fingerprint of the scenario's files.
    pub(in crate::cli) print: u64,
    /// Whether each process would pick another seed.
    pub(in crate::cli) has_random_seed: bool,
}

/// Loads the scenario.
///
/// # Errors
/// It has errors, or a flag does not suit it.
pub(in crate::cli) fn load(setup: &Setup, flags: &Changes<'_>) -> Result<Loaded, Failure> {
    let mut reading = reload::read(setup);
    let (errors, mut warnings): (Vec<_>, Vec<_>) =
        reading.folder.all_diagnostics().cloned().partition(|problem| problem.severity == Severity::Error);
    let path = setup.paths.first().map(|path| path.display().to_string()).unwrap_or_default();
    let loaded = reading.folder.scenarios.first_mut().filter(|_| errors.is_empty());
    let Some(LoadedScenario { scenario: Some(scenario), overrides, .. }) = loaded else {
        show(&errors);
        return Err(Failure::cannot_start(format!("cannot serve {path}: fix the errors above")));
    };
    let has_random_seed = flags.seed.is_none() && matches!(scenario.seed, SeedSetting::Random);
    *overrides = change(scenario, flags, &mut warnings)?;
    let default = scenario.name.clone();
    let print = reading.print_of_all();
    let (board, mut snapshots) = (LoadStatus::default(), Vec::new());
    board.apply(setup, reading, |snapshot| snapshots.push(snapshot));
    let shared = Shared::new(JOURNAL, None, setup.time.clone());
    let registry = Registry::new(&default, snapshots, shared);
    let registry = registry.map_err(|_| Failure::cannot_start(format!("cannot serve {path}")))?;
    Ok(Loaded { registry, board, warnings, print, has_random_seed })
}

/// Prints diagnostics.
pub(in crate::cli) fn show(problems: &[Diagnostic]) {
    for problem in problems {
        let _ = std::io::Write::write_all(
            &mut anstream::stderr(),
            format!("{}\n\n", render::human(problem, true)).as_bytes(),
        );
    }
}

fn change(
    scenario: &mut Scenario,
    flags: &Changes<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Overrides, Failure> {
    if let Some(seed) = flags.seed {
        scenario.seed = SeedSetting::Fixed(Seed(seed));
    }
    if flags.freeze {
        scenario.clock.mode = Mode::Frozen;
    }
    let (mut overrides, frozen) = (Overrides::default(), scenario.clock.mode == Mode::Frozen);
    for (name, text) in flags.faults {
        let references = References::new(&scenario.keys, &scenario.businesses, &scenario.dialect, frozen);
        let flag = format!("--fault {name}");
        let fault = match parse_fault(&references, name, text) {
            Ok((fault, problems)) => {
                warnings.extend(problems.into_iter().map(|problem| at_flag(problem, &flag)));
                fault
            }
            Err(problems) => {
                show(&problems.into_iter().map(|problem| at_flag(problem, &flag)).collect::<Vec<_>>());
                return Err(Failure::usage(format!("{flag}: fix the errors above")));
            }
        };
        overrides.faults.push(fault);
    }
    if !scenario.keys.is_empty() && !scenario.keys.iter().any(is_usable) {
        let key = mint().ok_or_else(|| {
            Failure::cannot_start("cannot get a random number from the operating system".to_owned())
        })?;
        overrides.key = Some(key);
    }
    overrides.apply(scenario);
    if !flags.faults.is_empty() && scenario.faults.len() > MAX_FAULTS {
        return Err(Failure::usage(format!("with those of --fault there are more than {MAX_FAULTS} faults")));
    }
    expect(scenario, flags, warnings)?;
    Ok(overrides)
}

/// Adds the expectations of the flags.
fn expect(
    scenario: &mut Scenario,
    flags: &Changes<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<(), Failure> {
    let frozen = scenario.clock.mode == Mode::Frozen;
    for (name, text) in flags.expectations {
        let references = References {
            faults: scenario.faults.iter().map(|fault| fault.name.clone()).collect(),
            custom_codes: custom_codes(scenario.faults.iter()),
            events: scenario.webhooks.events.keys().cloned().collect(),
            ..References::new(&scenario.keys, &scenario.businesses, &scenario.dialect, frozen)
        };
        let flag = format!("--expect {name}");
        let (expectation, problems) = parse_expectation(&references, name, text).map_err(|problems| {
            show(&problems.into_iter().map(|problem| at_flag(problem, &flag)).collect::<Vec<_>>());
            Failure::usage(format!("{flag}: fix the errors above"))
        })?;
        warnings.extend(problems.into_iter().map(|problem| at_flag(problem, &flag)));
        scenario.expectations.retain(|known| known.name != expectation.name);
        scenario.expectations.push(expectation);
    }
    Ok(())
}

/// A diagnostic shows the flag in the place of a file.
fn at_flag(mut problem: Diagnostic, flag: &str) -> Diagnostic {
    for location in std::iter::once(&mut problem.location).chain(&mut problem.related) {
        location.file = flag.to_owned().into();
    }
    problem
}
