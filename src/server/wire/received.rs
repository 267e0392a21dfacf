//! Waits until the peer has received everything, since a reset discards what it has not.

use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::sleep;

/// How long to wait for a peer that receives nothing more.
const PATIENCE: Duration = Duration::from_secs(10);
/// The shortest and the longest pause between two checks.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(32));
/// How long to wait on systems that do not report it.
const BLIND: Duration = Duration::from_millis(50);

/// Waits until the peer has acknowledged every byte written.
pub(super) async fn received(stream: &TcpStream) {
    let (mut pause, mut waited, mut least) = (PAUSES.0, Duration::ZERO, u32::MAX);
    while waited < PATIENCE {
        let Some(queued) = queued(stream) else { return sleep(BLIND).await };
        if queued == 0 {
            return;
        }
        if queued < least {
            (least, waited) = (queued, Duration::ZERO);
        }
        sleep(pause).await;
        waited += pause;
        pause = (pause * 2).min(PAUSES.1);
    }
}

/// Memory held by bytes that are written and not acknowledged: SIOCOUTQ would count the bytes, but no safe wrapper of it
/// exists, and nothing is held exactly when no byte is left.
#[cfg(target_os = "linux")]
fn queued(stream: &TcpStream) -> Option<u32> {
    use nix::sys::socket::GetSockOpt;
    let meminfo = Meminfo.get(stream).ok()?;
    meminfo.get(usize::try_from(libc::SK_MEMINFO_WMEM_QUEUED).ok()?).copied()
}

#[cfg(not(target_os = "linux"))]
fn queued(_: &TcpStream) -> Option<u32> {
    None
}

/// The socket option `SO_MEMINFO`: nine counters of a socket's memory (Linux 4.12 and later).
#[cfg(target_os = "linux")]
#[derive(Clone, Copy)]
struct Meminfo;

#[cfg(target_os = "linux")]
nix::getsockopt_impl!(
    Meminfo,
    libc::SOL_SOCKET,
    libc::SO_MEMINFO,
    [u32; 9],
    nix::sys::socket::sockopt::GetStruct<[u32; 9]>
);
