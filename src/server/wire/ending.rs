//! How a connection ends that a fault takes: on the bare socket, in a task of its own, which is all that a stalled
//! connection costs.

use std::io::ErrorKind;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::server::wire::received::received;

/// How long a closed connection waits for its client to close too.
const LINGER: Duration = Duration::from_secs(1);

/// How a connection ends.
pub(super) enum Ending {
    /// RST, once the peer has received what was sent.
    Reset,
    /// These bytes, then FIN.
    Close(Vec<u8>),
    /// Nothing until the client leaves or this time is over, then FIN.
    Stall(Option<Duration>),
}

impl Ending {
    /// Ends the connection. Dropped half-way, as when the server stops, it closes at once.
    pub(super) async fn perform(self, stream: TcpStream) {
        match self {
            Self::Reset => {
                received(&stream).await;
                // With this, closing sends RST; a shutdown before would send FIN.
                let _ = stream.set_zero_linger();
            }
            Self::Close(bytes) => close(stream, &bytes).await,
            Self::Stall(None) => left(&stream).await,
            Self::Stall(Some(time)) => {
                if timeout(time, left(&stream)).await.is_err() {
                    close(stream, &[]).await;
                }
            }
        }
    }
}

/// Sends FIN after these bytes. To close a socket with input unread would send RST: what still comes is read.
async fn close(mut stream: TcpStream, bytes: &[u8]) {
    if stream.write_all(bytes).await.is_ok() && stream.shutdown().await.is_ok() {
        let _ = timeout(LINGER, left(&stream)).await;
    }
}

/// Waits until the client leaves; what it sends is thrown away.
async fn left(stream: &TcpStream) {
    while stream.readable().await.is_ok() {
        // The buffer stands only where nothing is awaited, so that a waiting task has no room for it.
        let read = stream.try_read(&mut [0; 4096]);
        match read {
            Ok(0) => return,
            Ok(_) => tokio::task::yield_now().await,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}
