//! `standin health [URL]`: asks a server whether it is ready, for the checks of containers and balancers.

use std::time::Duration;

use bytes::Bytes;
use clap::Args;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::Request;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

use crate::cli::{Exit, print, print_error};
use crate::webhook::target::Target;

/// How long the whole check may take.
const LIMIT: Duration = Duration::from_secs(8);
/// Most bytes of the answer.
const ANSWER: usize = 8 << 20;

#[derive(Debug, Args)]
pub(crate) struct Flags {
    /// Base URL of the server. By default it is made of the variables `STANDIN_PORT` and `STANDIN_HOST`; without them it is
    /// <http://127.0.0.1:8080>.
    url: Option<String>,
}

/// Asks, and prints the status.
pub(crate) fn run(flags: &Flags) -> Exit {
    let target = match flags.url.clone().map_or_else(own_url, Ok).and_then(|url| target(&url)) {
        Ok(target) => target,
        Err(message) => {
            print_error(&message);
            return Exit::Usage;
        }
    };
    let status = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let status = status.map_err(|error| error.to_string()).and_then(|runtime| {
        let asked = runtime.block_on(async { tokio::time::timeout(LIMIT, ask(&target)).await });
        // A name that is still being resolved is not waited for.
        runtime.shutdown_background();
        asked.unwrap_or_else(|_| Err(format!("no answer within {LIMIT:?}")))
    });
    match status {
        Ok(status) => {
            print(&status);
            Exit::Success
        }
        Err(why) => {
            print_error(&format!("{}:{} is not ready: {why}", target.host, target.port));
            Exit::Findings
        }
    }
}

/// The URL of a server that has its port and address from the environment.
fn own_url() -> Result<String, String> {
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let port = variable("STANDIN_PORT").unwrap_or_else(|| "8080".to_owned());
    if port.parse::<u16>().map_or(true, |port| port == 0) {
        return Err(format!("STANDIN_PORT is `{port}`, which is no port: name the URL"));
    }
    let host = variable("STANDIN_HOST").unwrap_or_default();
    // A server that listens on all addresses is asked on loopback.
    let host = match host.trim_matches(['[', ']']) {
        "" | "0.0.0.0" | "::" => "127.0.0.1".to_owned(),
        address if address.contains(':') => format!("[{address}]"),
        name => name.to_owned(),
    };
    Ok(format!("http://{host}:{port}"))
}

/// Reads the base URL. Its path has no meaning, so that the base URL of a world may be given, too.
fn target(url: &str) -> Result<Target, String> {
    let bad = |why: String| format!("`{url}` is no base URL, such as http://127.0.0.1:8080: {why}");
    let target = Target::of(url).map_err(|why| bad(why.replace("the endpoint", "it")))?;
    if target.tls { Err(bad("it is https, and Standin serves http".to_owned())) } else { Ok(target) }
}

/// The status of a server that is ready.
///
/// # Errors
/// Why it is not.
async fn ask(target: &Target) -> Result<String, String> {
    let host = target.host.trim_matches(['[', ']']);
    let stream = TcpStream::connect((host, target.port)).await;
    let stream = stream.map_err(|error| format!("cannot connect: {error}"))?;
    let failed = |error: hyper::Error| format!("no answer: {error}");
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await.map_err(failed)?;
    let request = Request::get("/__admin/health")
        .header("host", format!("{}:{}", target.host, target.port))
        .header("connection", "close")
        .body(Empty::<Bytes>::new())
        .map_err(|error| error.to_string())?;
    let exchange = async {
        let response = sender.send_request(request).await.map_err(failed)?;
        let code = response.status().as_u16();
        let body = Limited::new(response.into_body(), ANSWER).collect().await;
        let body = body.map_err(|error| format!("no whole answer: {error}"))?.to_bytes();
        let health: Value = serde_json::from_slice(&body).unwrap_or_default();
        match health["status"].as_str() {
            Some(status @ ("ok" | "degraded")) if code == 200 => Ok(status.to_owned()),
            Some(status) if health["version"].is_string() => Err(format!("it is {status}")),
            _ => Err(format!("it answered {code}, not as Standin does")),
        }
    };
    // What the connection does is seen by the exchange.
    let connection = async {
        let _ = connection.await;
        std::future::pending().await
    };
    tokio::select! {
        answered = exchange => answered,
        never = connection => never,
    }
}

#[cfg(test)]
mod tests {
    use super::target;

    #[test]
    fn a_base_url_of_http_is_taken_with_any_path() {
        for url in ["http://127.0.0.1:8080", "http://localhost/w/demo", "http://[::1]:1/__admin/health"] {
            assert!(target(url).is_ok(), "{url}");
        }
        for (url, why) in [
            ("", "it is no URL"),
            ("127.0.0.1:8080", "it is no URL"),
            ("localhost:8080", "neither http nor https"),
            ("https://localhost", "it is https"),
            ("http://user@localhost", "user name"),
            ("http://localhost:99999", "it is no URL"),
        ] {
            assert!(target(url).unwrap_err().contains(why), "{url}: {:?}", target(url));
        }
    }
}
