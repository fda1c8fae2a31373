//! A real package of an Android app for one command, as its makers built and signed it: it comes from the registry of
//! npm into the target folder once. What the tools of Android say of it is recorded beside the test that reads it.

use crate::debian;
use anyhow::{Context as _, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// What tells a test where the package is.
const VARIABLE: &str = "AMBIT_TEST_APP";
/// The exact version: another one has other members.
const PACKAGE: &str = "io.appium.settings@8.0.10";
/// Where the package stands in what npm brings.
const INSIDE: &str = "package/apks/settings_apk-debug.apk";

/// Runs `command` with the path of the package in its environment, and answers with its exit code.
pub(crate) fn run_beside(root: &Path, command: &[&str]) -> anyhow::Result<ExitCode> {
    let package = package(root)?;
    crate::run(command, VARIABLE, package.as_os_str())
}

fn package(root: &Path) -> anyhow::Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let folder = std::path::absolute(target)?.join("app").join(PACKAGE);
    let package = folder.join(INSIDE);
    if package.is_file() {
        return Ok(package);
    }
    std::fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    if debian::program("npm").is_none() {
        debian::install(&["nodejs", "npm"], "the tests read a package of an app that npm brings")?;
    }
    let mut npm = Command::new("npm");
    npm.args(["pack", "--silent", PACKAGE]).current_dir(&folder).stdin(Stdio::null());
    let packed = npm.output().context("npm cannot be started")?;
    let said = String::from_utf8_lossy(&packed.stderr);
    ensure!(packed.status.success(), "npm pack {PACKAGE}: is the package registry reachable? {}", said.trim());
    let archive = String::from_utf8_lossy(&packed.stdout).trim().to_owned();
    let mut tar = Command::new("tar");
    tar.args(["-xzf", &archive, INSIDE]).current_dir(&folder).stdin(Stdio::null());
    let status = tar.status().context("tar cannot be started")?;
    ensure!(status.success() && package.is_file(), "{PACKAGE} holds no {INSIDE}");
    Ok(package)
}
