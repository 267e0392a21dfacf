//! `standin mcp [PATH…]`: serves scenarios on a free port, and answers a coding agent over stdin and stdout, a message a line.

use std::net::TcpListener;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;

use clap::Args;
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::cli::serve::first_load::require_paths;
use crate::cli::serve::flags::port;
use crate::cli::serve::{Failure, watch};
use crate::cli::sources::{Opened, Sources};
use crate::cli::{Exit, print_error};
use crate::clock::TimeSource;
use crate::draw::Seed;
use crate::journal::budget::Limits;
use crate::reload::status::LoadStatus;
use crate::reload::{Setup, read};
use crate::scenario::diagnostic::Severity;
use crate::scenario::{render, shipped};
use crate::server::bind::{self, Settings};
use crate::server::mcp::Mcp;
use crate::server::state::State;
use crate::webhook::client::{Http, System};
use crate::world::registry::Registry;
use crate::world::shared::Shared;

/// Most bytes of a message.
const MESSAGE: usize = 4 << 20;
/// Threads that answer requests.
const WORKERS: usize = 2;
/// The scenario of the program that is served as long as no other can be.
const FALLBACK: &str = "demo";

#[derive(Debug, Args)]
#[command(override_usage = "standin mcp [--port <PORT>] [OPTIONS] [PATHS]...")]
pub(crate) struct Flags {
    #[command(flatten)]
    sources: Sources,
    /// Port of the server to which clients send their calls; 0 picks a free one
    #[arg(long, default_value_t = 0, value_parser = port)]
    port: u16,
}

/// Answers until the end of the input, SIGTERM or Ctrl-C.
pub(crate) fn run(flags: &Flags) -> Exit {
    serve(flags).map_or_else(
        |Failure { exit, message }| {
            print_error(&message);
            exit
        },
        |()| Exit::Success,
    )
}

fn serve(flags: &Flags) -> Result<(), Failure> {
    let failed =
        |what: &'static str| move |error: std::io::Error| Failure::cannot_start(format!("{what}: {error}"));
    let random =
        Seed::random().map_err(|error| Failure::cannot_start(format!("no random number: {error}")))?;
    let cwd = std::env::current_dir().map_err(failed("cannot find the working directory"))?;
    let Opened { files, paths, cwd, root, shipped } = flags.sources.open(cwd);
    let time = TimeSource::new(flags.sources.now);
    let setup = Setup { files, paths, root, cwd, random, time, keeps: false };
    let (registry, board) = load(&setup)?;
    let (registry, board, setup) = (Arc::new(registry), Arc::new(board), Arc::new(setup));
    let listener =
        TcpListener::bind(("127.0.0.1", flags.port)).map_err(failed("cannot listen on 127.0.0.1"))?;
    let address = listener.local_addr().map_err(failed("cannot listen on 127.0.0.1"))?;
    let client = Arc::new(Http::new(Box::new(System), Box::new(System)));
    let _webhooks = registry
        .shared
        .engine
        .start(client, address)
        .map_err(failed("cannot start a thread for webhooks"))?;
    if !shipped {
        // The agent asks for `status`.
        watch::start(false, Arc::clone(&setup), Arc::clone(&registry), Arc::clone(&board), |_| {})?;
    }
    // One for the server, one for the tools.
    let state = || State::local(Arc::clone(&registry), Arc::clone(&board), Arc::clone(&setup));
    let settings = Settings::local(WORKERS);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(failed("cannot start"))?;
    let served = runtime.block_on(async {
        let _server =
            bind::start(listener, state(), settings).await.map_err(failed("cannot start the server"))?;
        answer(&Mcp::new(Arc::new(state()), None)).await;
        Ok(())
    });
    // A read of standard input that waits is not waited for.
    runtime.shutdown_background();
    served
}

/// Loads the scenarios. Unlike `serve`, it goes on where none of them can be served, since the agent is there to mend them.
/// Their errors are printed, and `status` tells them.
///
/// # Errors
/// A path does not exist, or what is there cannot be read.
fn load(setup: &Setup) -> Result<(Registry, LoadStatus), Failure> {
    require_paths(setup)?;
    let reading = read(setup);
    for problem in reading.folder.all_diagnostics() {
        print_error(&render::human(problem, false));
    }
    let mut of_folders = reading.folder.diagnostics.iter();
    if let Some(problem) = of_folders.find(|problem| problem.severity == Severity::Error) {
        return Err(Failure::cannot_start(problem.message.clone()));
    }
    let default = reading.folder.default_name().map(str::to_owned);
    let (board, mut snapshots) = (LoadStatus::default(), Vec::new());
    board.apply(setup, reading, |snapshot| snapshots.push(snapshot));
    let default = default.unwrap_or_else(|| {
        let paths: Vec<String> = setup.paths.iter().map(|path| path.display().to_string()).collect();
        print_error(&format!(
            "no scenario in {} can be served: the default world is that of the program's scenario {FALLBACK}",
            paths.join(", ")
        ));
        let program = Setup {
            files: Box::new(shipped::files()),
            paths: vec![PathBuf::from(format!("scenarios/{FALLBACK}.yaml"))],
            root: None,
            cwd: shipped::FOLDER.into(),
            random: setup.random,
            time: setup.time.clone(),
            keeps: false,
        };
        LoadStatus::default().apply(&program, read(&program), |snapshot| snapshots.push(snapshot));
        FALLBACK.to_owned()
    });
    let shared = Shared::new(Limits::default(), None, setup.time.clone());
    let registry = Registry::new(&default, snapshots, shared);
    let registry = registry.map_err(|_| Failure::cannot_start("there is no scenario that can be served"))?;
    Ok((registry, board))
}

/// Answers each line of the input. A signal is heeded between two of them.
async fn answer(mcp: &Mcp) {
    let (mut input, mut output) = (BufReader::new(tokio::io::stdin()), tokio::io::stdout());
    let mut stop = pin!(bind::asked_to_stop());
    loop {
        let line = tokio::select! {
            line = next_line(&mut input) => line,
            () = &mut stop => None,
        };
        let Some(line) = line else { return };
        let Some(answer) = answer_line(mcp, &line).await else { continue };
        let written = async {
            output.write_all(format!("{answer}\n").as_bytes()).await?;
            output.flush().await
        };
        if written.await.is_err() {
            // Nobody reads any more.
            return;
        }
    }
}

/// None if the line asks for no answer.
async fn answer_line(mcp: &Mcp, line: &[u8]) -> Option<Value> {
    if line.len() > MESSAGE {
        return Some(Mcp::too_large(MESSAGE));
    }
    if line.trim_ascii().is_empty() { None } else { mcp.answer(line).await }
}

/// The next line. Of one that is too long, one byte more than a message may have is kept. None at the end.
async fn next_line(input: &mut (impl AsyncBufRead + Unpin)) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    loop {
        let read = input.fill_buf().await.ok()?;
        if read.is_empty() {
            return (!line.is_empty()).then_some(line);
        }
        let end = read.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(read.len(), |end| end + 1);
        let room = (MESSAGE + 1).saturating_sub(line.len());
        line.extend_from_slice(&read[..end.unwrap_or(taken).min(room)]);
        input.consume(taken);
        if end.is_some() {
            return Some(line);
        }
    }
}
