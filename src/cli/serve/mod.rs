//! `standin serve [PATH…]`: serves scenarios, and reloads them when their files change.

/// The flags.
pub(crate) mod flags;
/// The first load of the scenarios.
pub(crate) mod first_load;
/// What `serve` prints when it is ready.
pub(crate) mod greeting;
/// The limit of open files.
pub(crate) mod open_files;
/// The file of the default world's snapshot.
pub(crate) mod snapshot;
/// A progress bar while a large dataset is built.
pub(crate) mod progress;
/// Reloading when files change.
pub(crate) mod watch;

use std::io::{ErrorKind, IsTerminal};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use socket2::SockRef;

use crate::cli::serve::first_load::first_load;
use crate::cli::serve::flags::{Flags, Idle};
use crate::cli::serve::greeting::Greeting;
use crate::cli::sources::{Opened, Sources};
use crate::cli::{Exit, find, print_error};
use crate::clock::{self, Moment, TimeSource};
use crate::draw::Seed;
use crate::reload::Setup;
use crate::scenario::scalars::is_world_name;
use crate::server::bind::{self, Ended, Settings};
use crate::server::log::{Format, Log};
use crate::server::long;
use crate::server::memory;
use crate::server::metrics::Metrics;
use crate::server::state::State;
use crate::webhook::client::{Http, System};
use crate::world::registry::Registry;

/// Why the server does not start: the exit code, and a message that says what to do.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn cannot_start(message: impl Into<String>) -> Self {
        Self { exit: Exit::CannotStart, message: message.into() }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into() }
    }
}

/// How long the log may take to write its last lines before the process exits.
const AT_EXIT: Duration = Duration::from_secs(1);
/// How long a thread that panics waits until the log has written it.
const AFTER_PANIC: Duration = Duration::from_millis(100);

/// Serves until Ctrl-C or SIGTERM.
pub(crate) fn run(flags: &Flags) -> Exit {
    memory::limit(workers(flags) + 2);
    let requests = !flags.quiet && (flags.log == Format::Json || std::io::stdout().is_terminal());
    let log = match Log::start(flags.log, requests) {
        Ok(log) => log,
        Err(error) => {
            print_error(&format!("cannot start a thread for the log: {error}"));
            return Exit::CannotStart;
        }
    };
    log_panics(&log);
    let exit = match serve(flags, &log) {
        Ok(()) => Exit::Success,
        Err(Failure { exit, message }) => {
            log.write_error(format!("standin: {message}"));
            exit
        }
    };
    log.flush(AT_EXIT);
    exit
}

/// Writes panics to the log. By default a thread writes its panic to standard error itself, and never returns if nobody
/// reads that.
fn log_panics(log: &Log) {
    let log = log.clone();
    std::panic::set_hook(Box::new(move |panic| {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("without a name").to_owned();
        let backtrace = std::backtrace::Backtrace::capture();
        log.write_error(format!("thread {name} {panic}\nbacktrace: {backtrace}"));
        // The panic may end the process.
        log.flush(AFTER_PANIC);
    }));
}

/// The number of threads that answer requests.
fn workers(flags: &Flags) -> usize {
    flags.workers.or_else(|| std::thread::available_parallelism().ok()).map_or(1, usize::from)
}

fn serve(flags: &Flags, log: &Log) -> Result<(), Failure> {
    if flags.admin_token.as_ref().is_some_and(|token| token.trim().is_empty()) {
        return Err(Failure::usage("--admin-token is empty: set a token, or leave the flag out"));
    }
    let workers = workers(flags);
    // If the limit cannot be raised, the server still works, with fewer connections at a time.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    open_files::require(workers)?;
    let (setup, shipped) = setup(flags)?;
    let setup = Arc::new(setup);
    long::set_workers(workers);
    let (registry, board) = first_load(flags, &setup, log)?;
    let board = Arc::new(board);
    let registry = Arc::new(registry);
    if let Some(file) = &flags.snapshot {
        snapshot::load(file, &registry)?;
    }
    let listener = listen(flags)?;
    let address = listener.local_addr().map_err(|error| Failure::cannot_start(error.to_string()))?;
    let admin = address.ip().is_loopback() || flags.admin_token.is_some();
    let state = State {
        registry: Arc::clone(&registry),
        board: Arc::clone(&board),
        setup: Arc::clone(&setup),
        admin_token: flags.admin_token.clone(),
        admin,
        is_draining: AtomicBool::new(false),
        metrics: Metrics::default(),
        log: Some(log.clone()),
    };
    let client = Arc::new(Http::new(Box::new(System), Box::new(System)));
    let _webhooks = registry
        .shared
        .engine
        .start(client, address)
        .map_err(|error| Failure::cannot_start(format!("cannot start a thread for webhooks: {error}")))?;
    let greeting = Greeting { registry: &registry, address, paths: &setup.paths, shipped, admin };
    log.write(greeting.format(log.format));
    if !shipped {
        let log = log.clone();
        watch::start(flags.poll, setup, Arc::clone(&registry), board, move |events| {
            watch::log(&log, events);
        })?;
    }
    if let Idle(Some(idle)) = flags.idle {
        expire(idle, Arc::clone(&registry));
    }
    build_first(&registry, log.format == Format::Text && !flags.quiet);
    let settings = Settings {
        workers,
        drain: flags.drain,
        grace: Duration::from_secs(flags.grace),
        stall: Duration::from_secs(flags.stall),
    };
    let stop = end_of_input(flags.until_eof)?;
    match bind::run(listener, state, settings, stop) {
        Ok(Ended::Stopped) => flags.snapshot.as_ref().map_or(Ok(()), |file| snapshot::write(file, &registry)),
        // Nothing is waited for: no thread, and no reader of the log.
        Ok(Ended::Interrupted) => std::process::exit(Exit::Interrupted.code().into()),
        Err(error) => Err(Failure::cannot_start(error.to_string())),
    }
}

/// Ends when standard input does, if that is wanted. A process that is killed closes its end of a pipe, too.
fn end_of_input(wanted: bool) -> Result<impl Future<Output = ()>, Failure> {
    let (ended, end) = tokio::sync::oneshot::channel();
    if wanted {
        let read = move || {
            let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
            let _ = ended.send(());
        };
        std::thread::Builder::new().name("input".to_owned()).spawn(read).map_err(|error| {
            Failure::cannot_start(format!("cannot start a thread that reads standard input: {error}"))
        })?;
    } else {
        drop(ended);
    }
    Ok(async move {
        if end.await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}

/// What is served, and whether it is what is part of the program.
fn setup(flags: &Flags) -> Result<(Setup, bool), Failure> {
    let random = Seed::random().map_err(|error| {
        Failure::cannot_start(format!("cannot get a random number from the operating system: {error}"))
    })?;
    let cwd = std::env::current_dir()
        .map_err(|error| Failure::cannot_start(format!("cannot find the working directory: {error}")))?;
    let time = TimeSource::new(flags.sources.now);
    let Opened { files, paths, cwd, root, shipped } = open(&flags.sources, cwd, time.now());
    Ok((Setup { files, paths, root, cwd, random, time, keeps: false }, shipped))
}

/// What is named. A single name that is no file or folder is the name of a scenario, as for `run`.
fn open(sources: &Sources, cwd: PathBuf, now: Moment) -> Opened {
    if let [only] = &*sources.paths
        && let Some(name) = only.to_str().filter(|name| is_world_name(name) && !cwd.join(name).exists())
        && let Ok(found) = find::find(name, cwd.clone(), now)
    {
        return Opened { root: sources.root.clone().filter(|_| !found.shipped), ..found };
    }
    sources.open(cwd)
}

/// Connections that wait to be accepted. The system may allow fewer.
const BACKLOG: i32 = 4096;

fn listen(flags: &Flags) -> Result<TcpListener, Failure> {
    let Flags { host, port, .. } = flags;
    let listening = TcpListener::bind((host.trim_matches(['[', ']']), *port)).and_then(|listener| {
        // Until here 128 may wait. To listen again changes that.
        SockRef::from(&listener).listen(BACKLOG)?;
        Ok(listener)
    });
    listening.map_err(|error| {
        Failure::cannot_start(if error.kind() == ErrorKind::AddrInUse {
            format!("port {port} of {host} is in use: choose another with --port, or 0 for a free one")
        } else {
            format!("cannot listen on {host}:{port}: {error}")
        })
    })
}

/// Builds the dataset of the default scenario on a thread of its own, so the first request need not wait for it.
pub(crate) fn build_first(registry: &Registry, with_progress: bool) {
    let snapshot = registry.default_world().snapshot();
    if with_progress {
        let snapshot = Arc::clone(&snapshot);
        std::thread::spawn(move || progress::show(&snapshot));
    }
    std::thread::spawn(move || {
        snapshot.dataset();
    });
}

/// Deletes unused worlds on a thread of its own. It looks for them every tenth of the idle time, but at least every five
/// seconds.
fn expire(idle: Duration, registry: Arc<Registry>) {
    let pause = (idle / 10).clamp(Duration::from_millis(50), Duration::from_secs(5));
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(pause);
            registry.expire(clock::uptime(), idle);
        }
    });
}
