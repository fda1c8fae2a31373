//! Programs of Debian that tests and builds need beside Rust: installed where that is possible, else named.

use anyhow::{Context as _, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Installs packages. Fails where this is not Debian or not its administrator; `needed` begins the sentence that says
/// what to do by hand.
pub(crate) fn install(packages: &[&str], needed: &str) -> anyhow::Result<()> {
    let list = packages.join(" ");
    if !Path::new("/etc/debian_version").exists() || !is_administrator() {
        bail!("{needed}: install it (Debian: `apt-get install {list}`), then run this again");
    }
    let install = [&["install", "-q", "-y", "--no-install-recommends"], packages].concat();
    for arguments in [&["update", "-q"][..], &install] {
        let mut apt = Command::new("apt-get");
        apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null()).stdout(Stdio::null());
        let status = apt.status().context("apt-get cannot be started")?;
        ensure!(status.success(), "apt-get {}: {status}; install {list} by hand", arguments.join(" "));
    }
    Ok(())
}

fn is_administrator() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

/// Where a program is on the search path.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}
