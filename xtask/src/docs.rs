//! `cargo xtask docs`: writes the generated parts of the documents. The tables of docs/reference.md come from the
//! program's own, through the test that compares them; those of docs/performance.md from the measured figures.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, ensure};

/// Tells the test of the reference page to write what it would compare.
const WRITE: &str = "AMBIT_WRITE_DOCS";

/// Writes docs/reference.md and docs/performance.md; fails where a part of them cannot be made.
pub(crate) fn command(root: &Path) -> anyhow::Result<ExitCode> {
    let mut test = Command::new("cargo");
    test.args([
        "test",
        "--locked",
        "--quiet",
        "--profile",
        "test-release",
        "--package",
        "ambit",
        "--bin",
        "ambit",
        "reference",
    ]);
    crate::forget_ourselves(&mut test);
    run(test.env(WRITE, "1").stdout(Stdio::null()), root, "the table of the reference")?;
    run(&mut Command::new(root.join("bench").join("report")), root, "the table of figures")?;
    Ok(ExitCode::SUCCESS)
}

fn run(command: &mut Command, root: &Path, what: &str) -> anyhow::Result<()> {
    let status = command.current_dir(root).status().with_context(|| format!("{what}: cannot be started"))?;
    ensure!(status.success(), "{what}: {status}");
    Ok(())
}
