//! Asking the person before something is lost.

use crate::failure::Failure;
use std::io::{IsTerminal as _, Write as _};

/// Goes on where `-y` was given or the person says yes; without a terminal nobody can.
pub(crate) fn confirm(what: &str, yes: bool) -> Result<(), Failure> {
    if yes {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage(format!("{what}: nobody can be asked here; give -y to do it")));
    }
    let mut err = std::io::stderr().lock();
    write!(err, "{what}. Do it? [y/N] ").and_then(|()| err.flush()).ok();
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Failure::run_time(format!("cannot read the answer: {error}")))?;
    if matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(Failure::scope("not done: the answer was no"))
}
