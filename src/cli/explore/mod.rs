//! `standin explore SCENARIO -- COMMAND…`: runs a command again and again, each time with one fault at one of its calls, and
//! reports which failures it survives.

/// The flags.
pub(crate) mod flags;
/// The files that are read and written.
mod files;
/// Runs the command once, in a world of its own.
mod once;
/// Baselines.
mod baseline;
/// Runs what is planned.
mod drive;
/// Repeats findings.
mod confirm;
/// The progress bar.
mod progress;

use std::net::TcpListener;
use std::sync::Arc;

use crate::cli::child::open_files;
use crate::cli::explore::files::Files;
use crate::cli::explore::flags::Flags;
use crate::cli::explore::once::Explorer;
use crate::cli::run;
use crate::cli::run::access::Access;
use crate::cli::run::load::{Changes, Loaded};
use crate::cli::serve::{self, Failure};
use crate::cli::{Exit, print, print_error};
use crate::explore::line::Given;
use crate::explore::report::Exploration;
use crate::explore::{accept, text};
use crate::server::bind::{self, Settings};
use crate::server::state::State;
use crate::server::{long, memory};
use crate::webhook::client::{Http, System};

/// Most threads that answer requests.
const WORKERS: usize = 4;

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
    let setup = run::setup(&flags.common.scenario, flags.common.now)?;
    let changes = Changes { seed: flags.common.seed, freeze: flags.common.freeze, ..Changes::default() };
    let Loaded { registry, board, warnings, print: scenario, has_random_seed } =
        run::load::load(&setup, &changes)?;
    run::load::show(&warnings);
    let registry = Arc::new(registry);
    let snapshot = registry.default_world().snapshot();
    let access = Access::of(&snapshot, flags.common.key.as_deref())?;
    let given = given(flags, has_random_seed.then_some(snapshot.seed.0));
    let (mut files, known) = Files::open(flags, &given, scenario)?;
    let failed = |what: &str| {
        let what = what.to_owned();
        move |error: std::io::Error| Failure::cannot_start(format!("cannot {what}: {error}"))
    };
    let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(failed("listen on 127.0.0.1"))?;
    let address = listener.local_addr().map_err(failed("listen on 127.0.0.1"))?;
    let client = Arc::new(Http::new(Box::new(System), Box::new(System)));
    let _webhooks =
        registry.shared.engine.start(client, address).map_err(failed("start a thread for webhooks"))?;
    // No run waits for it.
    snapshot.dataset();
    let state = State::local(Arc::clone(&registry), Arc::new(board), Arc::new(setup));
    let settings = Settings::local(workers);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let exploration = runtime.map_err(failed("start"))?.block_on(async {
        let _server = bind::start(listener, state, settings).await.map_err(failed("start the server"))?;
        let explorer = Explorer::new(flags, registry, snapshot, address, access, given);
        tokio::select! {
            result = drive::explore(&explorer, &mut files, known) => result,
            signal = explorer.interruption() => Err(Failure { exit: Exit::Command(128), message: signal }),
        }
    })?;
    finish(flags, &files, &exploration)
}

/// Prints the report and writes the files.
fn finish(flags: &Flags, files: &Files, exploration: &Exploration) -> Result<Exit, Failure> {
    if flags.plan && exploration.refused.is_none() {
        print(&text::plan(exploration));
    } else {
        print(&text::text(exploration));
    }
    files.write(exploration)?;
    if flags.write_accept.is_some() && exploration.refused.is_none() {
        files.write_accepted(&accept::write(&drive::accepted(exploration)))?;
    }
    Ok(Exit::Command(u8::try_from(exploration.exit()).unwrap_or(1)))
}

/// The flags that `run` needs too.
fn given(flags: &Flags, seed: Option<u64>) -> Given {
    let mut words = Vec::new();
    if let Some(seed) = flags.common.seed.or(seed) {
        words.extend(["--seed".to_owned(), seed.to_string()]);
    }
    if flags.common.freeze {
        words.push("--freeze".to_owned());
    }
    if let Some(now) = &flags.common.now {
        words.extend(["--now".to_owned(), now.iso()]);
    }
    if let Some(key) = &flags.common.key {
        words.extend(["--key".to_owned(), key.clone()]);
    }
    for (name, template) in &flags.common.env {
        words.extend(["--env".to_owned(), format!("{name}={template}")]);
    }
    let command = flags.common.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    Given { scenario: flags.common.scenario.clone(), command, flags: words }
}
