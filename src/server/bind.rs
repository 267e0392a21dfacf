//! Starts and stops the server: the application over our own stream type, on actix's workers.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use actix_http::error::DispatchError;
use actix_http::{HttpService, Protocol};
use actix_server::{Server, ServerHandle};
use actix_service::{ServiceFactory, ServiceFactoryExt, fn_service, map_config};
use actix_web::dev::{AppConfig, ServiceRequest, ServiceResponse};
use actix_web::{App, Error, web};
use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::server::app::app;
use crate::server::state::State;
use crate::server::wire::answer::observe;
use crate::server::wire::shaped::Shaped;

/// How to serve.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// Threads that answer requests.
    pub(crate) workers: usize,
    /// How long calls are still answered after SIGTERM, while health says that the server is not ready.
    pub(crate) drain: Duration,
    /// How long open requests may take to finish when the server is stopped.
    pub(crate) grace: Duration,
    /// How long a request or an answer may stand still before its connection is closed.
    pub(crate) stall: Duration,
}

impl Settings {
    /// For how long a request or an answer may stand still unless the command line says otherwise.
    pub(crate) const STALL: Duration = Duration::from_secs(60);

    /// For a server that one program has for itself and stops when it is done.
    pub(crate) const fn local(workers: usize) -> Self {
        Self { workers, drain: Duration::ZERO, grace: Duration::ZERO, stall: Self::STALL }
    }
}

/// Signals within this time are one: a terminal and the script in which the server runs may both pass on one Ctrl-C.
const SAME: Duration = Duration::from_millis(300);
/// For how long the server goes on as before when it is asked to stop. A call that was sent before is read meanwhile, also
/// on a connection that was not accepted yet.
const LAST_CALLS: Duration = Duration::from_millis(100);
/// For how long a connection goes on after that, by the clock of its own thread, which may be behind. A connection that is
/// idle then is closed.
const LAST_READ: Duration = Duration::from_millis(20);

/// How the server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Open requests were finished, or had the grace time for it.
    Stopped,
    /// A second signal came meanwhile. Its threads still run.
    Interrupted,
}

/// Serves on a bound socket until SIGTERM, Ctrl-C, or the end of `stop`. Then open requests are finished within the
/// grace time, unless a second signal comes.
///
/// # Errors
/// The socket cannot be used.
pub(crate) fn run(
    listener: TcpListener,
    state: State,
    settings: Settings,
    stop: impl Future<Output = ()>,
) -> io::Result<Ended> {
    let engine = Arc::clone(&state.registry.shared.engine);
    actix_web::rt::System::new().block_on(async {
        let mut signals = Signals::start();
        let state = Arc::new(state);
        // Only where it is needed, since the socket is open as long as any of both is.
        let listening = if settings.drain.is_zero() { None } else { Some(listener.try_clone()?) };
        let server = serve(listener, Arc::clone(&state), settings)?;
        let handle = server.handle();
        let interrupted = async {
            let signal = tokio::select! {
                signal = signals.next() => Some(signal),
                () = stop => None,
            };
            let stopping = async {
                if signal == Some(Signal::Terminate) && !settings.drain.is_zero() {
                    state.is_draining.store(true, Ordering::Relaxed);
                    sleep(settings.drain).await;
                    // Those that were not accepted yet are accepted in the time that is left.
                    listening.iter().for_each(refuse_new);
                }
                sleep(LAST_CALLS).await;
                drop(listening);
                // The call itself sends the command; its future only waits for the end.
                drop(handle.stop(true));
                std::future::pending::<()>().await;
            };
            let again = async {
                sleep(SAME).await;
                Signals::start().next().await;
            };
            tokio::select! {
                () = stopping => {}
                () = again => {}
            }
        };
        let stopped = async {
            server.await?;
            engine.drain(settings.grace).await;
            Ok(Ended::Stopped)
        };
        tokio::select! {
            () = interrupted => Ok(Ended::Interrupted),
            ended = stopped => ended,
        }
    })
}

/// A server that runs on threads of its own. Dropping it cuts open requests and waits until the threads have ended.
#[derive(Debug)]
pub(crate) struct Running {
    address: SocketAddr,
    handle: ServerHandle,
    thread: Option<JoinHandle<()>>,
    state: Weak<State>,
}

impl Running {
    /// The address that the server listens on.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether the simulated API has had a request, in any world and also before a reset.
    pub(crate) fn has_had_calls(&self) -> bool {
        self.state.upgrade().is_some_and(|state| state.metrics.has_any())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The call itself sends the command; its future only waits for the end.
        drop(self.handle.stop(false));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        // actix does not join its workers. Each of them holds the state until it ends.
        while self.state.strong_count() > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Starts a server on threads of its own.
///
/// # Errors
/// The socket cannot be used.
pub(crate) async fn start(listener: TcpListener, state: State, settings: Settings) -> io::Result<Running> {
    let address = listener.local_addr()?;
    let (started, starting) = tokio::sync::oneshot::channel();
    let state = Arc::new(state);
    let weak = Arc::downgrade(&state);
    let thread = std::thread::Builder::new().name("server".to_owned()).spawn(move || {
        actix_web::rt::System::new().block_on(async {
            match serve(listener, state, settings) {
                Ok(server) => {
                    let _ = started.send(Ok(server.handle()));
                    let _ = server.await;
                }
                Err(error) => {
                    let _ = started.send(Err(error));
                }
            }
        });
    })?;
    let handle = starting.await.map_err(io::Error::other)??;
    Ok(Running { address, handle, thread: Some(thread), state: weak })
}

/// Lets the system ignore whoever begins to connect from now on: they try again, and find the socket closed. Without this, a
/// connection that is complete and not accepted when the socket is closed is reset, and its call lost.
fn refuse_new(listener: &TcpListener) {
    #[cfg(target_os = "linux")]
    {
        // The flags of a TCP segment are its byte 13 (RFC 9293, 3.1). Of those with SYN and without ACK nothing is kept.
        let step = |code: u32, jt, jf, k| {
            socket2::SockFilter::new(u16::try_from(code).unwrap_or_default(), jt, jf, k)
        };
        let filter = [
            step(libc::BPF_LD | libc::BPF_B | libc::BPF_ABS, 0, 0, 13),
            step(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, 0, 0, 0x12),
            step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, 0x02),
            step(libc::BPF_RET | libc::BPF_K, 0, 0, 0),
            step(libc::BPF_RET | libc::BPF_K, 0, 0, u32::MAX),
        ];
        // Without the filter, a call may be lost.
        let _ = socket2::SockRef::from(listener).attach_filter(&filter);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = listener;
}

/// A signal that asks to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signal {
    Terminate,
    Interrupt,
}

/// Ends when SIGTERM or Ctrl-C asks to stop.
pub(crate) async fn asked_to_stop() {
    Signals::start().next().await;
}

/// The signals that ask to stop: SIGTERM and Ctrl-C.
struct Signals {
    #[cfg(unix)]
    terminate: Option<tokio::signal::unix::Signal>,
}

impl Signals {
    fn start() -> Self {
        Self {
            #[cfg(unix)]
            terminate: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).ok(),
        }
    }

    async fn next(&mut self) -> Signal {
        #[cfg(unix)]
        if let Some(terminate) = &mut self.terminate {
            return tokio::select! {
                _ = tokio::signal::ctrl_c() => Signal::Interrupt,
                _ = terminate.recv() => Signal::Terminate,
            };
        }
        let _ = tokio::signal::ctrl_c().await;
        Signal::Interrupt
    }
}

/// Starts serving on a bound socket, within actix's runtime. The server runs while it is awaited.
///
/// # Errors
/// The socket cannot be used.
pub(crate) fn serve(listener: TcpListener, state: Arc<State>, settings: Settings) -> io::Result<Server> {
    let state = web::Data::from(state);
    listen(listener, settings, move || app(state.clone()))
}

/// Serves an application, of which each worker thread makes its own instance.
pub(super) fn listen<Factory>(
    listener: TcpListener,
    settings: Settings,
    app: impl Fn() -> App<Factory> + Clone + Send + 'static,
) -> io::Result<Server>
where
    Factory: ServiceFactory<ServiceRequest, Config = (), Response = ServiceResponse, Error = Error, InitError = ()>
        + 'static,
{
    let address = listener.local_addr()?;
    listener.set_nonblocking(true)?;
    let builder = Server::build()
        .workers(settings.workers)
        .disable_signals()
        .shutdown_timeout(settings.grace.as_secs());
    let stopping = builder.graceful_shutdown_signal();
    let stall = settings.stall;
    let builder = builder.listen("standin", listener, move || {
        let signal = stopping.clone();
        let http = HttpService::build()
            .graceful_shutdown_signal(move || {
                let signal = signal.clone();
                async move {
                    signal.notified().await;
                    sleep(LAST_READ).await;
                }
            })
            .keep_alive(Duration::from_secs(75))
            // A client on a busy machine may be slow to send its first request.
            .client_request_timeout(stall.max(Settings::STALL))
            // Drops the handler of a delayed answer when its client leaves.
            .h1_allow_half_closed(false)
            .local_addr(address)
            .on_connect_ext(|stream: &Shaped, extensions| {
                extensions.insert(stream.control());
            })
            .finish(observe(map_config(app(), |()| AppConfig::default()), stopping.clone()));
        fn_service(move |stream: TcpStream| async move {
            let _ = stream.set_nodelay(true);
            let peer = stream.peer_addr().ok();
            Ok::<_, DispatchError>((Shaped::new(stream, stall), Protocol::Http1, peer))
        })
        .and_then(http)
    })?;
    Ok(builder.run())
}
