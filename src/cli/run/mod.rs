//! `standin run SCENARIO -- COMMAND…`: serves a scenario to a command, and ends with the command's exit code.

/// The flags.
pub(crate) mod flags;
/// Loads the scenario with what the flags change of it.
pub(in crate::cli) mod load;
/// The API key and the business number of the command.
pub(in crate::cli) mod access;
/// The environment of the command.
pub(in crate::cli) mod environment;
/// Judges the run.
pub(in crate::cli) mod judge;
/// What GitHub Actions shows.
mod github;
/// The files that are written.
mod outputs;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use crate::cli::child::{self, open_files};
use crate::cli::find;
use crate::cli::run::access::Access;
use crate::cli::run::flags::Flags;
use crate::cli::run::judge::{Finished, judge};
use crate::cli::run::load::{Changes, Loaded, load};
use crate::cli::run::outputs::Outputs;
use crate::cli::serve::{self, Failure};
use crate::cli::sources::Opened;
use crate::cli::{Exit, print_error};
use crate::clock::{Moment, TimeSource};
use crate::draw::Seed;
use crate::reload::Setup;
use crate::server::bind::{self, Settings};
use crate::server::state::State;
use crate::server::{long, memory};
use crate::webhook::client::{Http, System};

/// Most threads that answer requests: a run has one client.
const WORKERS: usize = 4;
/// How long the command may run after a signal or the timeout.
const GRACE: Duration = Duration::from_secs(5);

/// Runs the command.
pub(crate) fn run(flags: &Flags) -> Exit {
    attempt(flags).unwrap_or_else(|Failure { exit, message }| {
        print_error(&message);
        exit
    })
}

fn attempt(flags: &Flags) -> Result<Exit, Failure> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(WORKERS);
    memory::limit(workers + 2);
    open_files::raise();
    serve::open_files::require(workers)?;
    long::set_workers(workers);
    let setup = Setup { keeps: flags.bundle.is_some(), ..setup(&flags.common.scenario, flags.common.now)? };
    let changes = Changes {
        seed: flags.common.seed,
        freeze: flags.common.freeze,
        faults: &flags.faults,
        expectations: &flags.expectations,
    };
    let Loaded { registry, board, warnings, .. } = load(&setup, &changes)?;
    let registry = Arc::new(registry);
    let access = Access::of(&registry.default_world().snapshot(), flags.common.key.as_deref())?;
    let failed = |what: &str| {
        let what = what.to_owned();
        move |error: std::io::Error| Failure::cannot_start(format!("cannot {what}: {error}"))
    };
    let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(failed("listen on 127.0.0.1"))?;
    let address: SocketAddr = listener.local_addr().map_err(failed("listen on 127.0.0.1"))?;
    let env = environment::variables(address, "", &access, &flags.common.env)?;
    // After a mistake in the scenario or the command line, the files of an earlier run are left as they are.
    let outputs = Outputs::open(flags)?;
    let client = Arc::new(Http::new(Box::new(System), Box::new(System)));
    let _webhooks =
        registry.shared.engine.start(client, address).map_err(failed("start a thread for webhooks"))?;
    serve::build_first(&registry, false);
    let state = State::local(Arc::clone(&registry), Arc::new(board), Arc::new(setup));
    let settings = Settings::local(workers);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(failed("start"))?.block_on(async {
        let server = bind::start(listener, state, settings).await.map_err(failed("start the server"))?;
        let argv = flags.common.command.clone();
        let command = child::Command { argv, env, timeout: flags.timeout, grace: GRACE, capture: None };
        let ended = child::run(command).await.map_err(|error| Failure::cannot_start(error.to_string()))?;
        child::end_by_signals();
        load::show(&warnings);
        let world = registry.named(&access.world).unwrap_or_else(|| registry.default_world());
        let finished = Finished { flags, world: &world, name: &access.world, server: &server, ended: &ended };
        Ok(judge(&finished, outputs).await)
    })
}

/// How the scenario of that name is read.
pub(in crate::cli) fn setup(scenario: &str, now: Option<Moment>) -> Result<Setup, Failure> {
    let random = Seed::random().map_err(|error| {
        Failure::cannot_start(format!("cannot get a random number from the operating system: {error}"))
    })?;
    let cwd = std::env::current_dir()
        .map_err(|error| Failure::cannot_start(format!("cannot find the working directory: {error}")))?;
    let time = TimeSource::new(now);
    let Opened { files, paths, cwd, root, .. } = find::find(scenario, cwd, time.now())?;
    Ok(Setup { files, paths, root, cwd, random, time, keeps: false })
}
