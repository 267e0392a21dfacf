//! `standin serve [PATH…]`: serve scenarios, and follow their files as they change.

use std::io::{IsTerminal, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::cli::Exit;
use crate::cli::greeting::{self, Greeting};
use crate::cli::journal;
use crate::cli::progress;
use crate::cli::watch::Watch;
use crate::clock;
use crate::draw::Seed;
use crate::reload::status::{LoadEvent, LoadStatus};
use crate::reload::{self, Setup};
use crate::scenario::diagnostic::{Severity, nearest};
use crate::scenario::files::Disk;
use crate::scenario::render;
use crate::scenario::scalars::{DURATION_FORMAT, parse_duration};
use crate::server::bind::{self, Settings};
use crate::server::metrics::Metrics;
use crate::server::request_log::RequestLog;
use crate::server::state::State;
use crate::webhook::client::{Http, System};
use crate::world::registry::Registry;
use crate::world::shared::Shared;

/// Its flags.
#[derive(Debug, Args)]
pub struct Flags {
    /// Scenario files and folders
    #[arg(default_value = "scenarios/")]
    paths: Vec<PathBuf>,
    /// Port to listen on; 0 picks a free one
    #[arg(long, default_value_t = 8080, env = "STANDIN_PORT")]
    port: u16,
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1", env = "STANDIN_HOST")]
    host: String,
    /// Scenario that answers at `/`: else `demo`, else the first by name
    #[arg(long, value_name = "NAME", env = "STANDIN_DEFAULT")]
    default: Option<String>,
    /// The folder that no path of a scenario may leave
    #[arg(long, value_name = "FOLDER", env = "STANDIN_ROOT")]
    root: Option<PathBuf>,
    /// Compare the files' contents twice a second instead of waiting for events: for network folders
    #[arg(long, env = "STANDIN_POLL")]
    poll: bool,
    /// How to tell what happens
    #[arg(long, value_enum, default_value_t = Log::Text, env = "STANDIN_LOG")]
    log: Log,
    /// No line per request on a terminal
    #[arg(long, env = "STANDIN_QUIET")]
    quiet: bool,
    /// Secret of the admin side, needed on any address but a loopback one
    #[arg(long, value_name = "TOKEN", env = "STANDIN_ADMIN_TOKEN", hide_env_values = true)]
    admin_token: Option<String>,
    /// Threads that answer requests: else one per processor
    #[arg(long, env = "STANDIN_WORKERS")]
    workers: Option<usize>,
    /// Seconds that open requests may take to finish when it stops
    #[arg(long, default_value_t = 5, env = "STANDIN_GRACE")]
    grace: u64,
    #[command(flatten)]
    journal: journal::Flags,
    /// How long a world made on demand is kept while nobody uses it, or `never` to keep it
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = idle, env = "STANDIN_IDLE")]
    idle: Idle,
}

/// After how long an unused world goes; none means never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Idle(Option<Duration>);

fn idle(text: &str) -> Result<Idle, String> {
    if text == "never" {
        return Ok(Idle(None));
    }
    let span = parse_duration(text).filter(|span| !span.is_zero());
    span.map(|span| Idle(Some(span)))
        .ok_or_else(|| format!("it must be {DURATION_FORMAT}, more than nothing, or `never`"))
}

/// How to tell what happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Log {
    /// For people
    Text,
    /// JSON lines
    Json,
}

/// Serves until told to stop.
#[must_use]
pub fn run(flags: &Flags) -> Exit {
    match start(flags) {
        Ok(()) => Exit::Fine,
        Err((exit, why)) => {
            let _ = writeln!(anstream::stderr(), "standin: {why}");
            exit
        }
    }
}

fn start(flags: &Flags) -> Result<(), (Exit, String)> {
    if flags.admin_token.as_ref().is_some_and(|token| token.trim().is_empty()) {
        return Err((Exit::Usage, "--admin-token is empty: give a secret, or leave it out".to_owned()));
    }
    if flags.workers == Some(0) {
        return Err((Exit::Usage, "--workers must be at least 1".to_owned()));
    }
    // Where the limit cannot be raised, fewer connections are held at once; that is no reason not to start.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    let cannot = |why: String| (Exit::CannotStart, why);
    let random =
        Seed::random().map_err(|error| cannot(format!("the system gives no random seed: {error}")))?;
    let cwd = std::env::current_dir().map_err(|error| cannot(format!("no working directory: {error}")))?;
    let setup =
        Setup { files: Box::new(Disk), paths: flags.paths.clone(), root: flags.root.clone(), cwd, random };
    let setup = Arc::new(setup);
    let (registry, board) = load(flags, &setup)?;
    let listener = listen(flags)?;
    let address = listener.local_addr().map_err(|error| cannot(error.to_string()))?;
    let admin = address.ip().is_loopback() || flags.admin_token.is_some();
    let log = match flags.log {
        Log::Json => Some(RequestLog::Json),
        Log::Text => (std::io::stdout().is_terminal() && !flags.quiet).then_some(RequestLog::Terminal),
    };
    let state = State {
        registry: Arc::clone(&registry),
        board: Arc::clone(&board),
        setup: Arc::clone(&setup),
        admin_token: flags.admin_token.clone(),
        admin,
        metrics: Metrics::default(),
        log: log.filter(|_| !flags.quiet),
    };
    let client = Arc::new(Http::new(Box::new(System), Box::new(System)));
    registry
        .shared
        .engine
        .start(client, address)
        .map_err(|error| cannot(format!("no thread for webhooks: {error}")))?;
    let greeting = Greeting { registry: &registry, address, paths: &flags.paths, admin };
    tell(flags.log, &greeting.for_people(), &greeting.for_programs());
    follow(flags, setup, Arc::clone(&registry), board)?;
    if let Idle(Some(idle)) = flags.idle {
        expire(idle, Arc::clone(&registry));
    }
    let first = registry.default_world().snapshot();
    let building = Arc::clone(&first);
    std::thread::spawn(move || {
        building.dataset();
    });
    if flags.log == Log::Text && !flags.quiet {
        std::thread::spawn(move || progress::show(&first));
    }
    let workers =
        flags.workers.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let settings = Settings { workers, grace: Duration::from_secs(flags.grace) };
    bind::run(listener, state, settings).map_err(|error| cannot(error.to_string()))
}

fn tell(log: Log, people: &str, programs: &str) {
    // A reader that went away is no reason to stop serving.
    let mut out = anstream::stdout().lock();
    let _ = match log {
        Log::Text => writeln!(out, "{people}"),
        Log::Json => writeln!(out, "{programs}"),
    };
    let _ = out.flush();
}

/// The first load. What is named must be good, and so must one scenario at least.
fn load(flags: &Flags, setup: &Setup) -> Result<(Arc<Registry>, Arc<LoadStatus>), (Exit, String)> {
    missing(flags, setup)?;
    let reading = reload::read(setup);
    let folder = &reading.folder;
    let shown: String =
        folder.all_diagnostics().map(|problem| render::human(problem, true) + "\n\n").collect();
    let _ = write!(anstream::stderr(), "{shown}");
    let cannot = |why: String| (Exit::CannotStart, why);
    let named =
        |path: &PathBuf| flags.paths.iter().any(|named| setup.cwd.join(named) == setup.cwd.join(path));
    if let Some(broken) =
        folder.scenarios.iter().find(|loaded| loaded.scenario.is_none() && named(&loaded.path))
    {
        return Err(cannot(format!("{} cannot be served: mend what is told above", broken.path.display())));
    }
    if let Some(problem) = folder.diagnostics.iter().find(|problem| problem.severity == Severity::Error) {
        return Err(cannot(problem.message.clone()));
    }
    let good: Vec<String> =
        folder.scenarios.iter().filter_map(|loaded| Some(loaded.scenario.as_ref()?.name.clone())).collect();
    let paths: Vec<String> = flags.paths.iter().map(|path| path.display().to_string()).collect();
    let Some(first) = good.first() else {
        let what = if folder.has_errors() {
            "mend what is told above"
        } else {
            "`standin new NAME` writes one to scenarios/"
        };
        return Err(cannot(format!("no good scenario in {}: {what}", paths.join(", "))));
    };
    let demo = || good.iter().find(|name| *name == "demo").unwrap_or(first).clone();
    let default = flags.default.clone().unwrap_or_else(demo);
    if !good.contains(&default) {
        return Err((
            Exit::CannotStart,
            format!("no good scenario is named `{default}`: there is {}", good.join(", ")),
        ));
    }
    let board = LoadStatus::default();
    let mut snapshots = Vec::new();
    board.apply(setup, reading, |snapshot| snapshots.push(snapshot));
    let registry = Registry::new(&default, snapshots, Shared::new(flags.journal.into()))
        .map_err(|_| cannot(format!("no good scenario is named `{default}`")))?;
    Ok((Arc::new(registry), Arc::new(board)))
}

/// Refuses what is neither there nor meant to be: a command misspelt, or no scenarios yet.
fn missing(flags: &Flags, setup: &Setup) -> Result<(), (Exit, String)> {
    let there =
        |path: &PathBuf| setup.files.is_folder(&setup.cwd.join(path)) || setup.cwd.join(path).exists();
    let Some(path) = flags.paths.iter().find(|path| !there(path)) else { return Ok(()) };
    let shown = path.display().to_string();
    let commands = ["serve", "check", "new", "schema", "openapi", "completions"];
    if !shown.contains(['/', '.'])
        && let Some(command) = nearest(&shown, commands)
    {
        let why = format!("there is no command, file or folder `{shown}`: did you mean `standin {command}`?");
        return Err((Exit::Usage, why));
    }
    let why =
        format!("there is no file or folder {shown}: `standin new NAME` writes a scenario to scenarios/");
    Err((Exit::CannotStart, why))
}

fn listen(flags: &Flags) -> Result<TcpListener, (Exit, String)> {
    let Flags { host, port, .. } = flags;
    TcpListener::bind((host.trim_matches(['[', ']']), *port)).map_err(|error| {
        let why = if error.kind() == std::io::ErrorKind::AddrInUse {
            format!("port {port} of {host} is in use: choose another with --port, or 0 for a free one")
        } else {
            format!("cannot listen on {host}:{port}: {error}")
        };
        (Exit::CannotStart, why)
    })
}

/// Follows the files on a thread of its own, for as long as the process lives.
fn follow(
    flags: &Flags,
    setup: Arc<Setup>,
    registry: Arc<Registry>,
    board: Arc<LoadStatus>,
) -> Result<(), (Exit, String)> {
    let (sender, changes) = sync_channel(64);
    let watch = Watch::new(sender, flags.poll)
        .map_err(|error| (Exit::CannotStart, format!("cannot watch files: {error}: try --poll")))?;
    let watch = Mutex::new(watch);
    let log = flags.log;
    std::thread::spawn(move || {
        let arm = |folders: &[PathBuf]| watch.lock().unwrap_or_else(PoisonError::into_inner).watch(folders);
        let told = |news: &[LoadEvent]| {
            for news in news {
                tell(log, &greeting::news_for_people(news), &greeting::news_for_programs(news));
            }
        };
        reload::follow(&setup, &registry, &board, &changes, arm, told);
    });
    Ok(())
}

/// Removes worlds that nobody uses any more, on a thread of its own: within a tenth of that time, and at the latest
/// after five seconds.
fn expire(idle: Duration, registry: Arc<Registry>) {
    let pause = (idle / 10).clamp(Duration::from_millis(50), Duration::from_secs(5));
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(pause);
            registry.expire(clock::uptime(), idle);
        }
    });
}
