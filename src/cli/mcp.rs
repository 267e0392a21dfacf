//! `standin mcp [PATH…]`: serves scenarios on a free port, and answers a coding agent over stdin and stdout, a message a line.

use std::net::TcpListener;
use std::sync::Arc;

use clap::Args;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::cli::serve::Failure;
use crate::cli::sources::{Opened, Sources};
use crate::cli::{Exit, print_error};
use crate::clock::TimeSource;
use crate::draw::Seed;
use crate::journal::budget::Limits;
use crate::reload::status::LoadStatus;
use crate::reload::{Setup, read};
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

#[derive(Debug, Args)]
pub(crate) struct Flags {
    #[command(flatten)]
    sources: Sources,
    /// Port of the server to which clients send their calls; 0 picks a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
}

/// Answers until the end of the input.
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
    let Opened { files, paths, cwd, root, .. } = flags.sources.open(cwd);
    let time = TimeSource::new(flags.sources.now);
    let setup = Setup { files, paths, root, cwd, random, time: time.clone(), keeps: false };
    let (status, mut snapshots) = (LoadStatus::default(), Vec::new());
    let reading = read(&setup);
    let default = reading.folder.default_name().map(str::to_owned);
    status.apply(&setup, reading, |snapshot| snapshots.push(snapshot));
    let none = || Failure::cannot_start("there is no scenario that can be served: `standin check` tells why");
    let default = default.ok_or_else(none)?;
    let registry =
        Registry::new(&default, snapshots, Shared::new(Limits::default(), None, time)).map_err(|_| none())?;
    let registry = Arc::new(registry);
    let listener =
        TcpListener::bind(("127.0.0.1", flags.port)).map_err(failed("cannot listen on 127.0.0.1"))?;
    let address = listener.local_addr().map_err(failed("cannot listen on 127.0.0.1"))?;
    let client = Arc::new(Http::new(Box::new(System), Box::new(System)));
    let _webhooks = registry
        .shared
        .engine
        .start(client, address)
        .map_err(failed("cannot start a thread for webhooks"))?;
    let (board, setup) = (Arc::new(status), Arc::new(setup));
    // One for the server, one for the tools.
    let state = || State::local(Arc::clone(&registry), Arc::clone(&board), Arc::clone(&setup));
    let settings = Settings::local(WORKERS);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.map_err(failed("cannot start"))?.block_on(async {
        let _server =
            bind::start(listener, state(), settings).await.map_err(failed("cannot start the server"))?;
        answer(&Mcp::new(Arc::new(state()))).await;
        Ok(())
    })
}

/// Answers each line of the input.
async fn answer(mcp: &Mcp) {
    let (mut input, mut output) = (BufReader::new(tokio::io::stdin()), tokio::io::stdout());
    while let Some(line) = next_line(&mut input).await {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Some(answer) = mcp.answer(&line).await else { continue };
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

/// The next line. Of one that is too long, only so much is kept that it is no message. None at the end.
async fn next_line(input: &mut (impl AsyncBufRead + Unpin)) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    loop {
        let read = input.fill_buf().await.ok()?;
        if read.is_empty() {
            return (!line.is_empty()).then_some(line);
        }
        let end = read.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(read.len(), |end| end + 1);
        let room = MESSAGE.saturating_sub(line.len());
        line.extend_from_slice(&read[..end.unwrap_or(taken).min(room)]);
        input.consume(taken);
        if end.is_some() {
            return Some(line);
        }
    }
}
