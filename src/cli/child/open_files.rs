//! The limit of open files. The server needs one for each connection, so this process raises its own limit; the command gets
//! the limit that it would have without that.

use std::sync::OnceLock;

use rlimit::Resource;

/// The limit before it was raised.
static BEFORE: OnceLock<u64> = OnceLock::new();

/// Raises the limit as far as the system allows.
pub(crate) fn raise() {
    if let Ok((limit, most)) = Resource::NOFILE.get()
        && Resource::NOFILE.set(most, most).is_ok()
    {
        let _ = BEFORE.set(limit);
    }
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
