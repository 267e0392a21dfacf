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
    /// Host and port with which the agent reaches the server, if it is not the address.
    host: Option<String>,
    token: Option<String>,
}

impl Admin {
    pub(super) fn new(state: &Arc<State>, host: Option<String>) -> Self {
        let mut address = state.registry.shared.engine.own_address();
        if let Some(address) = address.as_mut().filter(|address| address.ip().is_unspecified()) {
            let loopback =
                if address.is_ipv4() { [127, 0, 0, 1].into() } else { std::net::Ipv6Addr::LOCALHOST.into() };
            address.set_ip(loopback);
        }
        Self { address, host, token: state.admin_token.clone() }
    }

    /// The base URL of the server, as the agent reaches it.
    pub(super) fn base_url(&self) -> String {
        format!("http://{}", self.host())
    }

    fn host(&self) -> String {
        let address = || self.address.map(|address| address.to_string());
        self.host.clone().or_else(address).unwrap_or_default()
    }

    /// Sends a call, and gives its answer.
    ///
    /// # Errors
    /// What the admin API says is wrong, with the tools in place of its paths.
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
        let why = value["error"]
            .as_str()
            .map_or_else(|| format!("the server answered {status}: {value}"), in_tools);
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
            .header("host", self.host())
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

/// What the admin API advises, and what a tool does instead. What is between a beginning and its end goes, too.
const ADVICE: [(&str, &str, &str); 8] = [
    ("POST /__admin/worlds {", "} makes one", "The tool `world` makes one"),
    ("POST /__admin/worlds/", "/reset takes", "`reset` of the tool `world` takes"),
    ("DELETE /__admin/worlds/", " removes one", "`remove` of the tool `world` removes one"),
    ("see /__admin/scenarios", "", "the tool `status` lists them"),
    ("GET /__admin/scenarios", " lists them", "the tool `status` lists them"),
    ("The body must be a JSON", "", "`with` must be a JSON"),
    ("The body is too large", "", "The argument is too large"),
    ("sent over HTTP", "", "put so far"),
];

/// A message of the admin API in the words of the tools.
fn in_tools(message: &str) -> String {
    let mut told = message.to_owned();
    for (start, end, tool) in ADVICE {
        if let Some((before, rest)) = told.split_once(start)
            && let Some((_, after)) = rest.split_once(end)
        {
            told = format!("{before}{tool}{after}");
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::in_tools;
    use crate::world::create::CreateError;

    #[test]
    fn advice_names_tools_and_no_paths() {
        assert_eq!(
            in_tools("No world is named a. POST /__admin/worlds {\"name\":\"a\"} makes one."),
            "No world is named a. The tool `world` makes one."
        );
        for reason in [CreateError::NoScenario("x".to_owned()), CreateError::TooMany, CreateError::NoRoom] {
            let told = in_tools(&reason.to_string());
            assert!(told.contains("tool `") && !told.contains("/__admin"), "{told}");
        }
        assert_eq!(in_tools("event is missing."), "event is missing.");
    }
}
