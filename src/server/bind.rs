//! Binding, running, stopping: actix's HTTP service over its server builder.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use actix_http::HttpService;
use actix_server::{Server, ServerHandle};
use actix_service::{IntoServiceFactory, map_config};
use actix_web::dev::AppConfig;
use actix_web::web::{self, Data};
use actix_web::App;

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

/// A server that has its socket, and runs once it is awaited.
pub struct Running {
    /// The future to await; it ends when the server has stopped.
    pub server: Server,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Running {
    /// What stops it from elsewhere.
    #[must_use]
    pub fn handle(&self) -> ServerHandle {
        self.server.handle()
    }
}

/// Starts serving on a bound socket. To be called within an actix or tokio runtime.
///
/// # Errors
/// Where the socket cannot be used.
pub fn serve(listener: TcpListener, state: State, settings: Settings) -> io::Result<Running> {
    let address = listener.local_addr()?;
    let state = Data::new(state);
    let builder = Server::build()
        .workers(settings.workers)
        .disable_signals()
        .shutdown_timeout(settings.grace.as_secs());
    let stopping = builder.graceful_shutdown_signal();
    let server = builder
        .listen("standin", listener, move || {
            let state = state.clone();
            let stopping = stopping.clone();
            let app = App::new().app_data(state).default_service(web::to(handle));
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
                .finish(map_config(app.into_factory(), move |()| AppConfig::default()))
                .tcp()
        })?
        .run();
    Ok(Running { server, address })
}
