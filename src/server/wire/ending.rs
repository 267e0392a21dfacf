//! The ways in which a fault ends a connection. Each works on the bare socket, in a task of its own, so that a stalled
//! connection costs no more than that.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::journal::entry::Entry;
use crate::server::wire::received::received;

/// How long a closed connection waits until its client closes it, too.
const LINGER: Duration = Duration::from_secs(1);

/// A way in which a connection ends.
pub(super) enum Ending {
    /// RST, once the peer has received what was sent.
    Reset,
    /// These bytes, then FIN.
    Close(Vec<u8>),
    /// Nothing until the client leaves or this time has passed, then FIN.
    Stall(Option<Duration>),
}

impl Ending {
    /// Ends the connection, and tells the journal entry when. If the future is dropped, as when the server stops, the connection
    /// closes at once.
    pub(super) async fn perform(self, mut stream: TcpStream, entry: Option<Arc<Entry>>) {
        let end = |client_hung_up| entry.iter().for_each(|entry| entry.end(client_hung_up));
        let is_open = match &self {
            Self::Reset => {
                received(&stream).await;
                // Makes the close send RST. A shutdown before it would send FIN.
                let _ = stream.set_zero_linger();
                false
            }
            Self::Close(bytes) => stream.write_all(bytes).await.is_ok() && stream.shutdown().await.is_ok(),
            Self::Stall(None) => {
                left(&stream).await;
                return end(true);
            }
            Self::Stall(Some(time)) => {
                if timeout(*time, left(&stream)).await.is_ok() {
                    return end(true);
                }
                stream.shutdown().await.is_ok()
            }
        };
        end(false);
        if is_open {
            // Closing a socket that has unread input would send RST, so what still comes is read.
            let _ = timeout(LINGER, left(&stream)).await;
        }
    }
}

/// Waits until the client leaves and discards what it sends.
async fn left(stream: &TcpStream) {
    while stream.readable().await.is_ok() {
        // The buffer does not live across an await, so that a waiting task does not hold it.
        let read = stream.try_read(&mut [0; 4096]);
        match read {
            Ok(0) => return,
            Ok(_) => tokio::task::yield_now().await,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}
