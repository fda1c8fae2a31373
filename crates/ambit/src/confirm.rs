//! Asking the person before something is lost.

use crate::failure::{Failure, Result};
use crate::output::lines::grouped;
use crate::output::table::{items, shown};
use serde_json::Value;
use std::io::{IsTerminal as _, Write as _};

/// Goes on where `-y` was given or the person says yes; without a terminal nobody can.
pub(crate) fn confirm(what: &str, yes: bool) -> Result<()> {
    ask(what, yes, "-y")
}

/// Asks for each block of a plan that is swept only after an explicit confirmation.
pub(crate) fn large(plan: &Value, yes: bool) -> Result<()> {
    for block in items(&plan["large_blocks"]).filter(|block| block["confirmed"] != true) {
        let (name, addresses) = (shown(block, "name"), grouped(block["addresses"].as_u64().unwrap_or_default()));
        ask(&format!("all {addresses} addresses of {name} will be probed"), yes, "--yes-large")?;
    }
    Ok(())
}

fn ask(what: &str, yes: bool, flag: &str) -> Result<()> {
    if yes {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage(format!("{what}: no terminal to ask on; give {flag} to confirm")));
    }
    let mut err = std::io::stderr().lock();
    write!(err, "{what}. Continue? [y/N] ").and_then(|()| err.flush()).ok();
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Failure::run_time(format!("cannot read the answer: {error}")))?;
    if matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(Failure::scope("not done: the answer was no"))
}
