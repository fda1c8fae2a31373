//! `cargo xtask docs`: writes the generated parts of the documents. Those that the program knows come from the tests
//! that compare them; the tables of docs/performance.md come from the measured figures.

use anyhow::{Context as _, ensure};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// Tells the tests that compare a file to write it instead (`ambit-testkit/src/expected.rs`).
const UPDATE: &str = "AMBIT_UPDATE";

/// What is written: whose tests write it, their targets, and the part that their names share. The selection of packages
/// is that of `make test`: another one would compile the dependencies with other features.
const WRITERS: &[(&str, &[&str], &str)] =
    &[("ambit-server", &["--lib"], "the_document_is"), ("ambit", &["--bin", "ambit"], "reference")];

/// Writes docs/openapi.json, reference.md, commands.md, performance.md and the table of search.md; fails where one of
/// them cannot be made.
pub(crate) fn command(root: &Path) -> anyhow::Result<ExitCode> {
    for (package, target, filter) in WRITERS {
        let mut test = Command::new("cargo");
        test.args(["test", "--locked", "--quiet", "--profile", "test-release", "--workspace"]);
        test.args(*target).arg(filter);
        crate::forget_ourselves(&mut test);
        run(test.env(UPDATE, "1").stdout(Stdio::null()), root, &format!("what {package} writes"))?;
    }
    run(&mut Command::new(root.join("bench").join("report")), root, "the table of figures")?;
    Ok(ExitCode::SUCCESS)
}

fn run(command: &mut Command, root: &Path, what: &str) -> anyhow::Result<()> {
    let status = command.current_dir(root).status().with_context(|| format!("{what}: cannot be started"))?;
    ensure!(status.success(), "{what}: {status}");
    Ok(())
}
