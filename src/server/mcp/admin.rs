//! Calls of our own admin API, so that a tool checks and answers as that does.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::Request;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

use crate::server::state::State;

/// Most bytes of an answer.
const ANSWER: usize = 8 << 20;

/// A client of the admin API.
#[derive(Clone, Debug)]
pub(super) struct Admin {
    address: Option<SocketAddr>,
    token: Option<String>,
}

impl Admin {
    pub(super) fn new(state: &Arc<State>) -> Self {
        let mut address = state.registry.shared.engine.own_address();
        if let Some(address) = address.as_mut().filter(|address| address.ip().is_unspecified()) {
            let loopback =
                if address.is_ipv4() { [127, 0, 0, 1].into() } else { std::net::Ipv6Addr::LOCALHOST.into() };
            address.set_ip(loopback);
        }
        Self { address, token: state.admin_token.clone() }
    }

    /// The base URL of the server.
    pub(super) fn base_url(&self) -> String {
        self.address.map_or_else(String::new, |address| format!("http://{address}"))
    }

    /// Sends a call, and gives its answer.
    ///
    /// # Errors
    /// What the admin API says is wrong.
    pub(super) async fn call(
        &self,
        method: &str,
        path: &str,
        body: impl Into<Bytes>,
    ) -> Result<Value, String> {
        let (status, bytes) = self.exchange(method, path, body.into()).await?;
        let value: Value = serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| String::from_utf8_lossy(&bytes).into_owned().into());
        if (200..300).contains(&status) {
            return Ok(value);
        }
        let why = value["error"].as_str().map_or_else(|| format!("status {status}: {value}"), str::to_owned);
        let texts: Vec<&str> = value["diagnostics"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one["text"].as_str())
            .collect();
        Err(if texts.is_empty() { why } else { format!("{why}\n\n{}", texts.join("\n\n")) })
    }

    async fn exchange(&self, method: &str, path: &str, body: Bytes) -> Result<(u16, Bytes), String> {
        let failed = |error: &dyn std::fmt::Display| format!("the admin side does not answer: {error}");
        let address = self.address.ok_or("the server does not listen yet")?;
        let stream = TcpStream::connect(address).await.map_err(|error| failed(&error))?;
        let (mut sender, connection) =
            handshake(TokioIo::new(stream)).await.map_err(|error| failed(&error))?;
        let mut request = Request::builder()
            .method(method)
            .uri(format!("/__admin/{path}"))
            .header("host", address.to_string())
            .header("connection", "close");
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let request = request.body(Full::new(body)).map_err(|error| failed(&error))?;
        let exchange = async {
            let response = sender.send_request(request).await.map_err(|error| failed(&error))?;
            let status = response.status().as_u16();
            let body = Limited::new(response.into_body(), ANSWER).collect().await;
            Ok((status, body.map_err(|error| failed(&error))?.to_bytes()))
        };
        let connection = async {
            let _ = connection.await;
            std::future::pending().await
        };
        tokio::select! {
            answered = exchange => answered,
            never = connection => never,
        }
    }
}
