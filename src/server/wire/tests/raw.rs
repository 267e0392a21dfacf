//! A server whose answers are shaped by the path, and a client on a raw socket.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use actix_server::ServerHandle;
use actix_web::{App, HttpRequest, HttpResponse, web};

use crate::fault::transmission::{SendPlan, Transmission};
use crate::server::bind::{Settings, listen};
use crate::server::wire::perform;

pub(super) const SPAN: Duration = Duration::from_millis(30);
const FOREVER: Duration = Duration::from_secs(3600);
const LARGE: usize = 6_000_001;

/// By the path, the body that would be sent and how it is.
pub(super) fn decide(path: &str) -> (Vec<u8>, SendPlan) {
    let small = || path.as_bytes().repeat(10);
    let large = || (b'a'..=b'w').cycle().take(LARGE).collect();
    let (body, transmission) = match path {
        "/large" => (large(), Transmission::Plain),
        "/reset" => (small(), Transmission::Reset),
        "/close" => (small(), Transmission::Close),
        "/garbage" => (small(), Transmission::Garbage(b"\x00\xffgarbage".to_vec())),
        "/stall" => (small(), Transmission::Stall(None)),
        "/pause" => (small(), Transmission::Stall(Some(SPAN))),
        "/truncate" => (small(), Transmission::Truncate { share: 333_333 }),
        "/truncate/none" => (small(), Transmission::Truncate { share: 0 }),
        "/truncate/all" => (small(), Transmission::Truncate { share: 1_000_000 }),
        "/truncate/empty" => (Vec::new(), Transmission::Truncate { share: 500_000 }),
        "/truncate/large" => (large(), Transmission::Truncate { share: 700_000 }),
        "/drip" => (small(), Transmission::Drip { bytes: 16, every: SPAN }),
        "/drip/empty" => (Vec::new(), Transmission::Drip { bytes: 16, every: SPAN }),
        "/forever/drip" => (small(), Transmission::Drip { bytes: 1, every: FOREVER }),
        _ => (small(), Transmission::Plain),
    };
    let delay = match path {
        "/delay" => Some(SPAN),
        "/forever/delay" => Some(FOREVER),
        _ => None,
    };
    (body, SendPlan { delay, transmission })
}

/// Tells when the handler of a request is gone.
struct Gone(String, Sender<String>);

impl Drop for Gone {
    fn drop(&mut self) {
        let _ = self.1.send(std::mem::take(&mut self.0));
    }
}

async fn answer(request: HttpRequest, gone: web::Data<Sender<String>>) -> HttpResponse {
    let _gone = Gone(request.path().to_owned(), Sender::clone(&gone));
    let (body, sending) = decide(request.path());
    perform(&request, sending, HttpResponse::Ok().body(body)).await
}

/// A server with one thread for its requests.
pub(super) struct Server {
    address: SocketAddr,
    /// The path of each request, once its handler is gone.
    pub(super) gone: Receiver<String>,
    handle: ServerHandle,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let ((told, gone), (started, handle)) = (channel(), channel());
        let thread = thread::spawn(move || {
            actix_web::rt::System::new().block_on(async {
                let settings = Settings {
                    workers: 1,
                    drain: Duration::ZERO,
                    grace: Duration::from_secs(600),
                    stall: Settings::STALL,
                };
                let told = web::Data::new(told);
                let app = move || App::new().app_data(told.clone()).default_service(web::to(answer));
                let server = listen(listener, settings, app).unwrap();
                started.send(server.handle()).unwrap();
                server.await.unwrap();
            });
        });
        Self { address, gone, handle: handle.recv().unwrap(), thread: Some(thread) }
    }

    pub(super) fn connect(&self) -> Client {
        let stream = TcpStream::connect(self.address).unwrap();
        // A safety net: nothing waits for it.
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Client(stream)
    }

    /// A new connection that is stalled by now.
    pub(super) fn stall(&self) -> Client {
        let mut client = self.connect();
        client.ask(&["/stall"]);
        assert_eq!(self.gone.recv().unwrap(), "/stall");
        client
    }

    /// What a new connection sees that asks for these, all at once.
    pub(super) fn ask(&self, paths: &[&str]) -> Seen {
        let mut client = self.connect();
        client.ask(paths);
        client.rest()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Told to stop at once; the future only waits for that.
        drop(self.handle.stop(true));
        self.thread.take().unwrap().join().unwrap();
    }
}

#[derive(Debug, PartialEq)]
pub(super) enum End {
    Fin,
    Rst,
}

#[derive(Debug, PartialEq)]
pub(super) struct Seen(pub(super) Vec<u8>, pub(super) End);

pub(super) struct Client(pub(super) TcpStream);

impl Client {
    pub(super) fn ask(&mut self, paths: &[&str]) {
        let asked: String =
            paths.iter().flat_map(|path| ["GET ", path, " HTTP/1.1\r\nhost: x\r\n\r\n"]).collect();
        self.0.write_all(asked.as_bytes()).unwrap();
    }

    pub(super) fn rest(&mut self) -> Seen {
        let (mut seen, mut buffer) = (Vec::new(), vec![0; 1 << 16]);
        loop {
            match self.0.read(&mut buffer) {
                Ok(0) => return Seen(seen, End::Fin),
                Ok(read) => seen.extend_from_slice(&buffer[..read]),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return Seen(seen, End::Rst),
                Err(error) => panic!("{error} after {} bytes", seen.len()),
            }
        }
    }

    /// Reads the head of an answer; gives the length it tells.
    pub(super) fn head(&mut self) -> usize {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            self.0.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        told_length(&head)
    }

    /// Reads the whole answer to this path.
    pub(super) fn answered(&mut self, path: &str) {
        let mut body = vec![0; self.head()];
        self.0.read_exact(&mut body).unwrap();
        assert!(body == decide(path).0, "{path}");
    }
}

fn told_length(head: &[u8]) -> usize {
    let head = str::from_utf8(head).unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    let mut lengths = head.lines().filter_map(|line| line.strip_prefix("content-length: "));
    let length = lengths.next().unwrap().parse().unwrap();
    assert_eq!(lengths.next(), None);
    length
}

/// Takes one answer off the front: the length that its head tells, and what is left.
pub(super) fn split(seen: &[u8]) -> (usize, &[u8]) {
    let end = seen.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    (told_length(&seen[..end]), &seen[end..])
}
