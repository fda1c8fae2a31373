//! The web interface: `cargo xtask web` builds it into `web/dist/`, from where cargo takes it into the program;
//! `cargo xtask browser` tries the built program in a browser.

use crate::debian;
use anyhow::{Context as _, ensure};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Says of which sources `dist` was built; written last.
const BUILT: &str = "node_modules/.built";
/// Says of which lock file the packages are; written last.
const INSTALLED: &str = "node_modules/.installed";
/// Folders of `web` that are made, not written.
const MADE: &[&str] = &["node_modules", "dist", "generated"];

/// Builds the interface where its sources, the API's description or the packages have changed since it was built.
pub(crate) fn build(root: &Path) -> anyhow::Result<ExitCode> {
    let web = root.join("web");
    install(&web)?;
    let sources = print_of(&[web.clone(), root.join("docs/openapi.json")])?;
    let built = web.join(BUILT);
    if fs::read_to_string(&built).is_ok_and(|of| of == sources) && web.join("dist/index.html").is_file() {
        return Ok(ExitCode::SUCCESS);
    }
    npm(&web, &["run", "--silent", "build"])?;
    fs::write(&built, sources)?;
    Ok(ExitCode::SUCCESS)
}

/// Tests the interface: its own units, then the program in a browser, over the world of the demo.
pub(crate) fn browser(root: &Path) -> anyhow::Result<ExitCode> {
    build(root)?;
    let web = root.join("web");
    npm(&web, &["run", "--silent", "test"])?;
    if debian::program("chromium").is_none() {
        debian::install(&["chromium"], "the tests of the interface need the browser Chromium")?;
    }
    let chromium = debian::program("chromium").context("the package chromium brought no chromium")?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let program = std::path::absolute(target)?.join("test-release/ambit");
    ensure!(program.is_file(), "{} is not there: build the workspace with the profile test-release", program.display());
    let mut node = Command::new("node");
    node.arg("tests/browser.mjs").current_dir(&web).env("AMBIT_PROGRAM", program).env("AMBIT_CHROMIUM", chromium);
    said_well(&mut node)?;
    Ok(ExitCode::SUCCESS)
}

/// The exact packages of the lock file, once.
fn install(web: &Path) -> anyhow::Result<()> {
    if debian::program("npm").is_none() {
        debian::install(&["nodejs", "npm"], "the web interface is built with Node.js 18 or newer and npm")?;
    }
    let lock = print_of(&[web.join("package-lock.json")])?;
    if fs::read_to_string(web.join(INSTALLED)).is_ok_and(|of| of == lock) {
        return Ok(());
    }
    npm(web, &["ci", "--no-audit", "--no-fund", "--loglevel=error"])?;
    fs::write(web.join(INSTALLED), lock)?;
    Ok(())
}

fn npm(web: &Path, arguments: &[&str]) -> anyhow::Result<()> {
    let mut npm = Command::new("npm");
    npm.args(arguments).current_dir(web);
    said_well(&mut npm)
}

fn said_well(command: &mut Command) -> anyhow::Result<()> {
    crate::forget_ourselves(command);
    let what = format!("{command:?}");
    let status = command.stdin(Stdio::null()).status().with_context(|| format!("{what} cannot be started"))?;
    ensure!(status.success(), "{what}: {status}");
    Ok(())
}

/// A number that changes with the names and contents of files.
fn print_of(places: &[PathBuf]) -> anyhow::Result<String> {
    let mut files = Vec::new();
    for place in places {
        collect(place, &mut files)?;
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.hash(&mut hasher);
        fs::read(&file).with_context(|| format!("{} cannot be read", file.display()))?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn collect(place: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if !place.is_dir() {
        files.push(place.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(place).with_context(|| format!("{} cannot be listed", place.display()))? {
        let path = entry?.path();
        let made = path.file_name().is_some_and(|name| MADE.iter().any(|made| name == *made));
        if !made {
            collect(&path, files)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_names_exact_packages_and_no_registry() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("web");
        let lock = fs::read_to_string(root.join("package-lock.json")).unwrap();
        assert!(!lock.contains("\"resolved\""), "a machine's registry stands in web/package-lock.json");
        let manifest = fs::read_to_string(root.join("package.json")).unwrap();
        assert!(!manifest.contains("\": \"^") && !manifest.contains("\": \"~"), "not an exact version: {manifest}");
    }
}
