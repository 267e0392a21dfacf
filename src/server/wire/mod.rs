//! Delays and wire faults: sends a response as its `SendPlan` says.
//!
//! A fault that leaves the connection open is a response body that is sent slowly, so pipelined responses keep their
//! order. A fault that ends the connection takes the socket away from actix (`shaped`) once everything written before has
//! been sent, and goes on in a task of its own (`ending`); actix then drops the connection, its buffers and the handler.

use actix_web::{HttpRequest, HttpResponse};
use tokio::time::sleep;

use crate::fault::transmission::{SendPlan, Transmission};
use crate::server::wire::ending::Ending;
use crate::server::wire::shaped::Control;

/// The stream under actix.
pub(crate) mod shaped;
/// One request at a time, and time limits.
mod connection;
/// Where requests begin and end.
mod framing;
/// When answers end.
pub(crate) mod answer;
/// Response bodies that are sent slowly or in part.
mod body;
/// The ways in which a fault ends a connection.
mod ending;
/// Waits until the peer has received everything.
mod received;
#[cfg(test)]
mod tests;

/// Waits for the delay and gives actix the response to send. If the client gets no response, this never returns: the
/// future is dropped with the connection.
pub(crate) async fn perform(
    request: &HttpRequest,
    sending: SendPlan,
    response: HttpResponse,
) -> HttpResponse {
    if sending.is_plain() {
        return response;
    }
    // Boxed, so that the future of a plain response stays small.
    Box::pin(shape(request, sending, response)).await
}

async fn shape(request: &HttpRequest, sending: SendPlan, response: HttpResponse) -> HttpResponse {
    if let Some(delay) = sending.delay {
        sleep(delay).await;
    }
    let control = request.conn_data::<Control>().cloned().unwrap_or_default();
    let ending = match sending.transmission {
        Transmission::Plain => return response,
        Transmission::Drip { bytes, every } => return body::drip(response, bytes, every),
        Transmission::Truncate { share } => return body::truncate(response, share, control),
        Transmission::Reset => Ending::Reset,
        Transmission::Close => Ending::Close(Vec::new()),
        Transmission::Garbage(bytes) => Ending::Close(bytes),
        Transmission::Stall(time) => Ending::Stall(time),
    };
    control.end(ending);
    std::future::pending().await
}
