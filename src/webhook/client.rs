//! The HTTP client of webhooks. Each attempt of a delivery has its own connection, to an address that was checked. There are
//! no proxies, redirects or cookies.

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

pub(crate) type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One attempt of a delivery.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    pub(crate) endpoint: Arc<str>,
    /// Headers apart from `host`, `content-length` and `connection`.
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Bytes,
    /// Number of bytes of the body after which the connection is closed. None sends the whole body.
    pub(crate) cut: Option<usize>,
    /// Limit of the whole attempt, in real time.
    pub(crate) timeout: Duration,
}

/// How the reason begins of an attempt that was not answered in time.
pub(crate) const NO_ANSWER: &str = "no answer within";

/// Why an attempt got no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The endpoint is not allowed, and never will be.
    Closed(String),
    /// The connection or the exchange failed.
    Failed(String),
}

pub(crate) trait Client: Send + Sync {
    fn send<'a>(&'a self, outgoing: &'a Outgoing, policy: Policy<'a>) -> Boxed<'a, Result<Answer, Failure>>;
}

/// Resolves host names. Tests replace it.
pub(crate) trait Resolve: Send + Sync {
    fn resolve<'a>(&'a self, name: &'a str) -> Boxed<'a, io::Result<Vec<IpAddr>>>;
}

/// Opens TCP connections. Tests replace it.
pub(crate) trait Connect: Send + Sync {
    fn connect(&self, address: SocketAddr) -> Boxed<'_, io::Result<TcpStream>>;
}

/// The resolver and the connections of the operating system.
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

/// A client for HTTP/1.1 (RFC 9112), with TLS if the endpoint is https.
pub(crate) struct Http {
    resolve: Box<dyn Resolve>,
    connect: Box<dyn Connect>,
    /// Created when it is first needed, since reading the system's certificates takes a while.
    tls: OnceLock<Result<TlsConnector, String>>,
}

/// Number of bytes of an answer that are kept.
const KEPT: usize = 64 << 10;
/// Number of bytes of an answer that are read.
const READ: u64 = 1 << 20;

impl Http {
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

    /// Connects to the first address of a target that is allowed and accepts the connection.
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
                Err(_) => Err(Failure::Failed(format!("{NO_ANSWER} {:?}", outgoing.timeout))),
            }
        })
    }
}

/// The message of an error with those of its causes.
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
        // A certificate that cannot be parsed is left out.
        let _ = roots.add(certificate);
    }
    let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("no TLS: {error}"))?;
    Ok(TlsConnector::from(Arc::new(config.with_root_certificates(roots).with_no_client_auth())))
}

/// Sends the request over an open stream, and reads the answer.
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
        // The status has arrived and decides. It does not matter if the body breaks off, or if a TLS stream ends without a
        // closing message.
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
