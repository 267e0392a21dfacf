//! The HTTP client: one attempt of a delivery, over a connection of its own to an address that was checked. No proxy, no
//! redirect, no cookie.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

use crate::webhook::delivery::Answer;
use crate::webhook::target::{Policy, Target};

/// A future that can be sent.
pub(crate) type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What is sent.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    /// Where.
    pub(crate) endpoint: Arc<str>,
    /// Headers beside `host`, `content-length` and `connection`.
    pub(crate) headers: Vec<(&'static str, String)>,
    /// The body.
    pub(crate) body: Bytes,
    /// After how many bytes of it the connection is closed, if it is.
    pub(crate) cut: Option<usize>,
    /// How long all of it may take, by real time.
    pub(crate) timeout: Duration,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It may not go there, now or later.
    Closed(String),
    /// It did not come through.
    Failed(String),
}

/// Who sends.
pub(crate) trait Client: Send + Sync {
    /// Makes one attempt.
    fn send<'a>(&'a self, outgoing: &'a Outgoing, policy: Policy<'a>) -> Boxed<'a, Result<Answer, Failure>>;
}

/// Who knows the addresses of names.
pub(crate) trait Resolve: Send + Sync {
    /// The addresses of a name.
    fn resolve<'a>(&'a self, name: &'a str) -> Boxed<'a, io::Result<Vec<IpAddr>>>;
}

/// Who opens connections.
pub(crate) trait Connect: Send + Sync {
    /// Opens a connection.
    fn connect(&self, address: SocketAddr) -> Boxed<'_, io::Result<TcpStream>>;
}

/// The system's own.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct System;

impl Resolve for System {
    fn resolve<'a>(&'a self, name: &'a str) -> Boxed<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
        })
    }
}

impl Connect for System {
    fn connect(&self, address: SocketAddr) -> Boxed<'_, io::Result<TcpStream>> {
        Box::pin(TcpStream::connect(address))
    }
}

/// HTTP/1.1 (RFC 9112), with TLS where the endpoint is https.
pub(crate) struct Http {
    resolve: Box<dyn Resolve>,
    connect: Box<dyn Connect>,
    /// Made when first needed: reading the system's certificates takes a while.
    tls: OnceLock<Result<TlsConnector, String>>,
}

/// So much of an answer is kept.
const KEPT: usize = 64 << 10;
/// So much of it is read.
const READ: u64 = 1 << 20;

impl Http {
    /// A client that looks names up and connects so.
    pub(crate) fn new(resolve: Box<dyn Resolve>, connect: Box<dyn Connect>) -> Self {
        Self { resolve, connect, tls: OnceLock::new() }
    }

    async fn exchange(&self, outgoing: &Outgoing, policy: Policy<'_>) -> Result<Answer, Failure> {
        let target = Target::of(&outgoing.endpoint).map_err(Failure::Closed)?;
        let stream = self.connected(&target, policy).await?;
        let _ = stream.set_nodelay(true);
        if !target.tls {
            return spoken(stream, &target, outgoing).await;
        }
        let tls = self.tls.get_or_init(tls).as_ref().map_err(|why| Failure::Failed(why.clone()))?;
        let name = target.host.trim_matches(['[', ']']).to_owned();
        let name = ServerName::try_from(name).map_err(|error| Failure::Failed(error.to_string()))?;
        let stream = tls.connect(name, stream).await;
        spoken(stream.map_err(|error| failed("TLS", &error))?, &target, outgoing).await
    }

    /// A connection to the first address of a target that is open and answers.
    async fn connected(&self, target: &Target, policy: Policy<'_>) -> Result<TcpStream, Failure> {
        let addresses = if let Some(address) = target.address {
            vec![address]
        } else {
            let found = self.resolve.resolve(&target.host).await;
            found.map_err(|error| failed(&format!("no address of {}", target.host), &error))?
        };
        let mut why = Failure::Failed(format!("no address of {} is known", target.host));
        for address in addresses {
            match policy.check(target, address) {
                Err(closed) => why = Failure::Closed(closed),
                Ok(()) => match self.connect.connect((address, target.port).into()).await {
                    Ok(stream) => return Ok(stream),
                    Err(error) => why = failed("cannot connect", &error),
                },
            }
        }
        Err(why)
    }
}

impl Client for Http {
    fn send<'a>(&'a self, outgoing: &'a Outgoing, policy: Policy<'a>) -> Boxed<'a, Result<Answer, Failure>> {
        Box::pin(async move {
            let exchange = self.exchange(outgoing, policy);
            match tokio::time::timeout(outgoing.timeout, exchange).await {
                Ok(result) => result,
                Err(_) => Err(Failure::Failed(format!("no answer within {:?}", outgoing.timeout))),
            }
        })
    }
}

/// What failed, and all that is said about why.
fn failed(what: &str, error: &dyn std::error::Error) -> Failure {
    let mut told = format!("{what}: {error}");
    let mut source = error.source();
    while let Some(error) = source {
        told = format!("{told}: {error}");
        source = error.source();
    }
    Failure::Failed(told)
}

fn tls() -> Result<TlsConnector, String> {
    let mut roots = RootCertStore::empty();
    for certificate in rustls_native_certs::load_native_certs().certs {
        // One that is not understood vouches for nobody.
        let _ = roots.add(certificate);
    }
    let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("no TLS: {error}"))?;
    Ok(TlsConnector::from(Arc::new(config.with_root_certificates(roots).with_no_client_auth())))
}

/// Sends over an open stream, and reads the answer.
async fn spoken<S>(mut stream: S, target: &Target, outgoing: &Outgoing) -> Result<Answer, Failure>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let host = format!("{}:{}", target.host, target.port);
    if let Some(cut) = outgoing.cut {
        let mut sent = format!("POST {} HTTP/1.1\r\nhost: {host}\r\n", target.path).into_bytes();
        for (name, value) in &outgoing.headers {
            sent.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        sent.extend_from_slice(format!("content-length: {}\r\n\r\n", outgoing.body.len()).as_bytes());
        sent.extend_from_slice(&outgoing.body[..cut.min(outgoing.body.len())]);
        let written = async {
            stream.write_all(&sent).await?;
            stream.shutdown().await
        };
        written.await.map_err(|error| failed("cannot send", &error))?;
        return Err(Failure::Failed("fault: truncate".to_owned()));
    }
    let mut request = Request::post(&target.path).header("host", host).header("connection", "close");
    for (name, value) in &outgoing.headers {
        request = request.header(*name, value);
    }
    let request = request.body(Full::new(outgoing.body.clone()));
    let request = request.map_err(|error| failed("no request", &error))?;
    let (mut sender, connection) =
        handshake(TokioIo::new(stream)).await.map_err(|error| failed("cannot send", &error))?;
    let speaking = async {
        let answer = sender.send_request(request).await.map_err(|error| failed("no answer", &error))?;
        Ok(read(answer).await)
    };
    tokio::pin!(speaking, connection);
    let mut over = false;
    loop {
        tokio::select! {
            answer = &mut speaking => return answer,
            _ = &mut connection, if !over => over = true,
        }
    }
}

async fn read(answer: hyper::Response<hyper::body::Incoming>) -> Answer {
    let (head, mut body) = answer.into_parts();
    let text = |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = head.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let (mut kept, mut lost) = (BytesMut::new(), 0_u64);
    while let Some(frame) = body.frame().await {
        // The status has come, which decides: a body that breaks off, or a TLS stream that ends without saying so, is the
        // receiver's business.
        let Ok(frame) = frame else { break };
        let Some(bytes) = frame.data_ref() else { continue };
        let room = (KEPT - kept.len()).min(bytes.len());
        kept.extend_from_slice(&bytes[..room]);
        lost += (bytes.len() - room) as u64;
        if lost > READ {
            break;
        }
    }
    Answer { status: head.status.as_u16(), headers, body: kept.freeze(), lost }
}
