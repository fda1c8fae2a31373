//! `cargo xtask test`: builds the tests, runs each test program, and ends in any case. A test that does not end in its
//! time is named and its program killed with everything that it started; the tests that had not ended then are run
//! again without it. Tests of one program share its process, as under `cargo test`. The last line says how many passed
//! and how many failed.

mod program;
mod progress;

use anyhow::{Context as _, ensure};
use program::{Program, QUIET_TIME_MAX, statements};
use serde_json::{Deserializer, Value};
use std::io::BufReader;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// What the names of tests begin with that look at what all others did: they are run last.
const AFTERWARDS: &str = "afterwards_";

/// The longest tests that are named at the end.
const SLOWEST_SHOWN: usize = 5;

/// What became of the tests of some programs.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    passed: usize,
    /// Tests that failed, each with the reason where the test itself gives none.
    failed: Vec<String>,
    /// How long tests took, in wall time.
    times: Vec<(Duration, String)>,
}

/// Runs the command. `arguments` are those of `cargo test`, such as `--workspace`; those behind `--` are parts of the
/// names of the tests to run. Tests whose names begin with `afterwards_` are run after all others.
pub(crate) fn command(arguments: &[&str]) -> anyhow::Result<ExitCode> {
    let at = arguments.iter().position(|argument| *argument == "--").unwrap_or(arguments.len());
    let (selection, filters) = (&arguments[..at], arguments.get(at + 1..).unwrap_or_default());
    let (mut outcome, mut last) = (Outcome::default(), Vec::new());
    for program in build(selection)? {
        let (after, tests): (Vec<String>, Vec<String>) =
            program.tests(filters)?.into_iter().partition(|test| is_afterwards(test));
        run(&program, &tests, &mut outcome)?;
        last.push((program, after));
    }
    for (program, tests) in &last {
        run(program, tests, &mut outcome)?;
    }
    std::fs::remove_file(statements()).ok();
    outcome.times.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    println!("\nthe slowest:");
    for (time, name) in outcome.times.iter().take(SLOWEST_SHOWN) {
        println!("{:>7.1} s  {name}", time.as_secs_f64());
    }
    for failed in &outcome.failed {
        println!("failed: {failed}");
    }
    println!("{} passed, {} failed", outcome.passed, outcome.failed.len());
    ensure!(outcome.passed > 0 || !outcome.failed.is_empty(), "there was no test to run");
    Ok(if outcome.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn is_afterwards(test: &str) -> bool {
    test.rsplit("::").next().is_some_and(|name| name.starts_with(AFTERWARDS))
}

/// Runs tests of a program, where there are any.
fn run(program: &Program, tests: &[String], outcome: &mut Outcome) -> anyhow::Result<()> {
    if tests.is_empty() {
        return Ok(());
    }
    println!("\n== {}, {} tests", program.name, tests.len());
    let begun = Instant::now();
    program.run(tests, QUIET_TIME_MAX, outcome)?;
    println!("{}: {:.1} s", program.name, begun.elapsed().as_secs_f64());
    Ok(())
}

/// Builds the test programs that arguments of `cargo test` select.
fn build(selection: &[&str]) -> anyhow::Result<Vec<Program>> {
    let mut cargo = Command::new("cargo");
    cargo.arg("test").args(selection).args(["--no-run", "--message-format=json-render-diagnostics"]);
    crate::forget_ourselves(&mut cargo);
    let mut building = cargo.stdout(Stdio::piped()).spawn().context("cargo cannot be started")?;
    let said = BufReader::new(building.stdout.take().expect("it is a pipe"));
    let mut programs = Vec::new();
    for message in Deserializer::from_reader(said).into_iter::<Value>() {
        programs.extend(program_of(&message.context("cargo said what is not JSON")?)?);
    }
    let status = building.wait()?;
    ensure!(status.success(), "cargo test --no-run: {status}");
    Ok(programs)
}

/// The test program that a message of cargo is about, if it is about one.
fn program_of(message: &Value) -> anyhow::Result<Option<Program>> {
    let text = |pointer: &str| message.pointer(pointer).and_then(Value::as_str);
    let Some(executable) = text("/executable").filter(|_| message["profile"]["test"] == true) else {
        return Ok(None);
    };
    let manifest = PathBuf::from(text("/manifest_path").context("cargo names no manifest")?);
    let folder = manifest.parent().context("a manifest is in a folder")?.to_path_buf();
    let package = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (target, kind) = (text("/target/name").unwrap_or_default(), text("/target/kind/0").unwrap_or_default());
    let name = if kind == "test" { format!("{package}/{target}") } else { package };
    Ok(Some(Program { path: executable.into(), folder, name }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_test_is_run_after_the_others_by_its_own_name() {
        assert!(is_afterwards("db::plan::afterwards_nothing_is_left"));
        assert!(!is_afterwards("afterwards_all::a_plan_is_made"));
    }

    #[test]
    fn programs_are_what_cargo_built_for_tests() {
        let message = |test: bool, kind: &str, executable: Value| {
            json!({"reason": "compiler-artifact", "manifest_path": "/w/crates/a/Cargo.toml",
            "target": {"kind": [kind], "name": "it"},
                   "profile": {"test": test}, "executable": executable})
        };
        let name = |message: &Value| program_of(message).unwrap().map(|program| program.name);
        assert_eq!(name(&message(true, "test", json!("/t/it-1"))), Some("a/it".to_owned()));
        assert_eq!(name(&message(true, "lib", json!("/t/a-1"))), Some("a".to_owned()));
        assert_eq!(name(&message(false, "bin", json!("/t/a"))), None);
        assert_eq!(name(&message(true, "lib", Value::Null)), None);
        assert_eq!(name(&json!({"reason": "build-finished", "success": true})), None);
    }
}
