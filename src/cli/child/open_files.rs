//! The limit of open files. The server needs one for each connection, so this process raises its own limit; on Linux the
//! command gets the limit that it would have without that.

#[cfg(target_os = "linux")]
use rlimit::Resource;

/// The limit before it was raised.
#[cfg(target_os = "linux")]
static BEFORE: std::sync::OnceLock<u64> = std::sync::OnceLock::new();

/// Raises the limit as far as the system allows. If that fails, the server has fewer connections at a time.
pub(crate) fn raise() {
    #[cfg(target_os = "linux")]
    if let Ok((limit, _)) = Resource::NOFILE.get() {
        let _ = BEFORE.set(limit);
    }
    let _ = rlimit::increase_nofile_limit(u64::MAX);
}

/// The limit that the command gets, if it is not that of this process.
#[cfg(target_os = "linux")]
pub(super) fn before() -> Option<u64> {
    BEFORE.get().copied()
}

/// Sets the limit back.
#[cfg(target_os = "linux")]
pub(super) fn restore(limit: u64) {
    if let Ok((_, most)) = Resource::NOFILE.get() {
        let _ = Resource::NOFILE.set(limit, most);
    }
}
