//! The limit of open files, which counts connections too. If too few are left, threads of the server would panic.

use crate::cli::serve::Failure;

/// Open files of a server without connections, and some for those, without what each worker thread needs.
const BASE: usize = 40;
/// Open files of a worker thread.
const PER_WORKER: usize = 4;

/// Fails if the system lets this process open too few files.
///
/// # Errors
/// It does.
pub(crate) fn require(workers: usize) -> Result<(), Failure> {
    let needed = BASE + PER_WORKER * workers;
    if has(needed) {
        return Ok(());
    }
    Err(Failure::cannot_start(format!(
        "this process may open too few files: it needs {needed}, and one more for each connection: raise the limit, for \
         example with `ulimit -n 1024`"
    )))
}

/// Whether this many files can be opened now.
#[cfg(unix)]
fn has(needed: usize) -> bool {
    use std::os::fd::AsFd;
    let stream = std::io::stderr();
    let copies: Vec<_> = (0..needed).map_while(|_| stream.as_fd().try_clone_to_owned().ok()).collect();
    copies.len() == needed
}

#[cfg(not(unix))]
fn has(_: usize) -> bool {
    true
}
