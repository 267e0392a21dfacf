//! Gives freed memory back to the system.

/// Gives back what is free. The C library keeps it otherwise, if anything behind it is in use. This takes a few milliseconds, in
/// which other threads may have to wait for memory.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "`malloc_trim` has no safe wrapper")]
pub(crate) fn give_back() {
    // SAFETY: it may be called at any time, from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() {}
