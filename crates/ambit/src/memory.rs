//! Memory that a load took, given back when the load is over.

use std::os::unix::process::CommandExt;

/// How many milliseconds the allocator keeps pages that are free, as it reads it before the program begins. It gives
/// pages back only where a thread allocates, which threads at rest do not: what 2,000 clients took would stay with a
/// server that nobody asks any more.
const PURGE_DELAY: &str = "MIMALLOC_PURGE_DELAY";

/// Begins the program anew with an allocator that gives free pages back at once, unless a person set that otherwise.
/// Goes on where it cannot be done, and says so in the log. It costs 4 % of the time of a run, so that only what serves
/// for long does it.
pub(crate) fn give_back() {
    if std::env::var_os(PURGE_DELAY).is_some() {
        return;
    }
    let begun = std::env::current_exe().map(|program| {
        // Comes back only where it fails.
        std::process::Command::new(program).args(std::env::args_os().skip(1)).env(PURGE_DELAY, "0").exec()
    });
    let (Ok(error) | Err(error)) = begun;
    tracing::warn!(%error, "memory that a load takes may stay with this process");
}
