//! Delays and wire faults: performs what `fault::transmission` says of a reply.
//!
//! Effects that leave the connection open are bodies that take their time: actix's order of answers holds. Effects that
//! end it take the socket away from actix (`shaped`), once everything written before is out, and go on in a task of
//! their own (`ending`); actix drops the connection, its buffers and the handler.

use actix_web::{HttpRequest, HttpResponse};
use tokio::time::sleep;

use crate::fault::transmission::{SendPlan, Transmission};
use crate::server::wire::ending::Ending;
use crate::server::wire::shaped::Control;

/// The stream under actix.
pub mod shaped;
/// Bodies that come bit by bit, or not whole.
mod body;
/// How a connection ends that a fault takes.
mod ending;
/// What the peer has received.
mod received;
#[cfg(test)]
mod tests;

/// Makes a response go out as decided, and is done when actix shall send what is returned. Where the client gets no
/// answer this never returns: it is dropped with the connection.
pub async fn perform(request: &HttpRequest, sending: SendPlan, response: HttpResponse) -> HttpResponse {
    if sending.is_plain() {
        return response;
    }
    // Boxed, so that a plain reply pays nothing for it.
    Box::pin(shape(request, sending, response)).await
}

async fn shape(request: &HttpRequest, sending: SendPlan, response: HttpResponse) -> HttpResponse {
    if let Some(delay) = sending.delay {
        sleep(delay).await;
    }
    let control = request.conn_data::<Control>().cloned().unwrap_or_default();
    let ending = match sending.manner {
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
