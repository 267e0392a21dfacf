//! The memory of the C library: how much of it is kept, and when it is given back to the system.

/// From this size on, in bytes, a piece of memory is mapped by itself and given back when it is free.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED: libc::c_int = 128 << 10;

/// Limits what the C library keeps. Call this before other threads start.
///
/// By default there are eight arenas for each core, each is reserved with 64 MiB of addresses, and what is free in one is of no
/// use to another. And by default the size from which memory is mapped grows up to 32 MiB, so that datasets and long answers
/// leave holes in the arenas: a soak of an hour held 57 MiB in the end, with a fixed size 46.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "`mallopt` has no safe wrapper")]
pub(crate) fn limit(arenas: usize) {
    let arenas = arenas.try_into().unwrap_or(libc::c_int::MAX);
    // SAFETY: it may be called at any time, from any thread.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, arenas);
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn limit(_: usize) {}

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
