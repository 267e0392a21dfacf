//! A small webhook receiver, as a client of the API might have one: it verifies signatures (Standard Webhooks), answers
//! at once, and handles each event once, however often it is delivered.
//!
//! ```console
//! $ cargo run --example receiver            # listens on http://127.0.0.1:9000/hook
//! ```
//!
//! The environment variables `PORT` and `SECRET` set the port and the signing secret. By default the secret is the one of
//! `scenarios/live-conversation.yaml`.

#![expect(clippy::print_stdout, reason = "printing events is all it does")]

use std::collections::HashSet;
use std::sync::Mutex;

use actix_web::http::header::HeaderMap as Sent;
use actix_web::web::{Bytes, Data, post};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use serde_json::Value;
use standardwebhooks::Webhook;
use ureq::http::HeaderMap;

const SECRET: &str = "whsec_c3RhbmRpbi1zdGFuZGluLXN0YW5kaW4=";

struct Receiver {
    webhook: Webhook,
    /// Ids of the events that were handled. A real receiver keeps them in its database and deletes old ones.
    seen: Mutex<HashSet<String>>,
}

async fn hook(request: HttpRequest, body: Bytes, receiver: Data<Receiver>) -> HttpResponse {
    if let Err(error) = receiver.webhook.verify(&body, &headers(request.headers())) {
        println!("refused   {error}");
        return HttpResponse::Unauthorized().finish();
    }
    let Ok(event) = serde_json::from_slice::<Value>(&body) else {
        return HttpResponse::BadRequest().finish();
    };
    let id = event["eventId"].as_str().unwrap_or_default().to_owned();
    let new = receiver.seen.lock().is_ok_and(|mut seen| seen.insert(id.clone()));
    let data = &event["data"];
    let last = data["messages"].as_array().and_then(|messages| messages.last());
    let text =
        last.map(|message| format!("{}: {}", message["direction"], message["text"])).unwrap_or_default();
    let mark = if new { "new      " } else { "duplicate" };
    println!("{mark} {id} {} {} {} {text}", event["event"], data["id"], data["status"]);
    HttpResponse::Ok().finish()
}

/// The headers of a request in the type that the verifier takes.
fn headers(sent: &Sent) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        if let Some(value) = sent.get(name).and_then(|value| value.to_str().ok()?.parse().ok()) {
            headers.insert(name, value);
        }
    }
    headers
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let port = std::env::var("PORT").ok().and_then(|port| port.parse().ok()).unwrap_or(9000);
    let secret = std::env::var("SECRET").unwrap_or_else(|_| SECRET.to_owned());
    let webhook = Webhook::new(&secret).map_err(std::io::Error::other)?;
    let receiver = Data::new(Receiver { webhook, seen: Mutex::default() });
    println!("listening on http://127.0.0.1:{port}/hook");
    HttpServer::new(move || App::new().app_data(receiver.clone()).route("/hook", post().to(hook)))
        .workers(1)
        .bind(("127.0.0.1", port))?
        .run()
        .await
}
