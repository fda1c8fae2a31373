//! A flaw of a file by which software is built, as readers of such files note it.

use ambit_model::entity::repository::Flaw;

/// Characters that are kept of a line.
const LINE_CHARS_MAX: usize = 160;

/// Returns a flaw of a file whose path its reader does not know.
pub(super) fn flaw(what: &str, line: usize, shown: &str) -> Flaw {
    let shown = shown.trim().chars().take(LINE_CHARS_MAX).collect();
    Flaw { what: what.to_owned(), path: String::new(), line, shown }
}
