//! A private Python environment for one command: the packages of `requirements.txt`, installed from the registry into
//! the target folder once. Nothing of the machine's own Python changes.

use crate::debian;
use anyhow::{Context as _, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// What tells a test where the programs of the environment are.
const VARIABLE: &str = "AMBIT_TEST_PYTHON";

/// The exact packages: the fuzzer, the clients, and what they need.
const REQUIREMENTS: &str = include_str!("../requirements.txt");

/// Written last: an environment without it was cut off and is made anew.
const COMPLETE: &str = "complete";

/// Runs `command` with the folder of the environment's programs in its own environment, and answers with its exit code.
pub(crate) fn run_beside(root: &Path, command: &[&str]) -> anyhow::Result<ExitCode> {
    let folder = environment(root)?;
    crate::run(command, VARIABLE, folder.join("bin").as_os_str())
}

/// The environment, made where it is missing or of other packages.
fn environment(root: &Path) -> anyhow::Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let folder = std::path::absolute(target)?.join("python");
    let complete = folder.join(COMPLETE);
    if fs::read_to_string(&complete).is_ok_and(|packages| packages == REQUIREMENTS) {
        return Ok(folder);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("{} cannot be removed", folder.display()))?;
    }
    make(&folder)?;
    let list = folder.join("requirements.txt");
    fs::write(&list, REQUIREMENTS)?;
    let pip = folder.join("bin").join("pip");
    let mut install = Command::new(&pip);
    install.args(["install", "--quiet", "--disable-pip-version-check", "--no-deps", "--requirement"]).arg(&list);
    said_well(&mut install, "pip install: is the package registry reachable?")?;
    fs::write(&complete, REQUIREMENTS)?;
    Ok(folder)
}

/// An empty environment; Debian keeps what makes them in a package of its own.
fn make(folder: &Path) -> anyhow::Result<()> {
    let venv = || {
        let mut venv = Command::new("python3");
        venv.args(["-m", "venv"]).arg(folder);
        venv
    };
    if said_well(&mut venv(), "python3 -m venv").is_ok() {
        return Ok(());
    }
    debian::install(&["python3-venv"], "the tests need Python 3 with its module venv")?;
    said_well(&mut venv(), "python3 -m venv")
}

fn said_well(command: &mut Command, what: &str) -> anyhow::Result<()> {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    let status = status.with_context(|| format!("{what}: cannot be started"))?;
    ensure!(status.success(), "{what}: {status}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_is_of_one_version() {
        let lines = REQUIREMENTS.lines().filter(|line| !line.starts_with('#'));
        assert!(lines.clone().all(|line| line.contains("==")), "{REQUIREMENTS}");
        for package in ["schemathesis==", "vt-graph-api==", "vt-py==", "gti-mcp==", "misp-modules==", "stix2=="] {
            assert!(lines.clone().any(|line| line.starts_with(package)), "{package}");
        }
    }
}
