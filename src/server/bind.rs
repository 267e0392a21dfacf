//! Binding, running, stopping: actix's HTTP service over its server builder.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_http::{Error, HttpService, Request};
use actix_server::Server;
use actix_service::fn_service;

use crate::server::exchange::handle;
use crate::server::state::State;

/// How to serve.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Threads that answer requests.
    pub workers: usize,
    /// How long open requests may take to finish when the server stops.
    pub grace: Duration,
}

/// Serves on a bound socket until the process is told to stop (SIGTERM, Ctrl-C); open requests are finished within the
/// grace time.
///
/// # Errors
/// Where the socket cannot be used.
pub fn run(listener: TcpListener, state: State, settings: Settings) -> io::Result<()> {
    actix_web::rt::System::new().block_on(async {
        let server = serve(listener, state, settings)?;
        let handle = server.handle();
        actix_web::rt::spawn(async move {
            told_to_stop().await;
            handle.stop(true).await;
        });
        server.await
    })
}

/// Waits for a signal that asks to stop.
async fn told_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// Starts serving on a bound socket; the server runs while it is awaited. To be called within actix's runtime.
///
/// # Errors
/// Where the socket cannot be used.
pub fn serve(listener: TcpListener, state: State, settings: Settings) -> io::Result<Server> {
    let address = listener.local_addr()?;
    listener.set_nonblocking(true)?;
    let state = Arc::new(state);
    let builder = Server::build()
        .workers(settings.workers)
        .disable_signals()
        .shutdown_timeout(settings.grace.as_secs());
    let stopping = builder.graceful_shutdown_signal();
    let builder = builder.listen("standin", listener, move || {
        let state = Arc::clone(&state);
        let stopping = stopping.clone();
        HttpService::build()
            .graceful_shutdown_signal(move || {
                let signal = stopping.clone();
                async move { signal.notified().await }
            })
            .keep_alive(Duration::from_secs(75))
            // A client that goes away while its answer is held back is let go of.
            .h1_allow_half_closed(false)
            .tcp_nodelay(true)
            .local_addr(address)
            .finish(fn_service(move |request: Request| {
                let state = Arc::clone(&state);
                async move { Ok::<_, Error>(handle(request, &state).await) }
            }))
            .tcp()
    })?;
    Ok(builder.run())
}
