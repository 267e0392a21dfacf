//! The memory of the C library: how much of it is kept, and when it is given back to the system.

/// Limits the number of arenas from which threads take memory. By default there are eight for each core, each is reserved with
/// 64 MiB of addresses, and what is free in one is of no use to another. Call this before other threads start.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "`mallopt` has no safe wrapper")]
pub(crate) fn limit_arenas(arenas: usize) {
    // SAFETY: it may be called at any time, from any thread.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, arenas.try_into().unwrap_or(libc::c_int::MAX));
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn limit_arenas(_: usize) {}

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
