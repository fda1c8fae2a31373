//! The repository's own commands: `cargo xtask tidy` checks what the compiler cannot, `cargo xtask measure` says how
//! large and how shaped the code is, `cargo xtask docs` writes the generated parts of the documents, `cargo xtask web`
//! builds the web interface and `cargo xtask browser` tries it, `cargo xtask sbom` lists what is in the program,
//! `cargo xtask test` runs tests and ends in any case, `cargo xtask with-postgres` runs a command beside a private
//! PostgreSQL, `cargo xtask with-python` with a private Python, `cargo xtask with-app` with a package of an app.
//! Nothing here is part of the product.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line program for developers")]

mod app;
mod debian;
mod docs;
mod postgres;
mod python;
mod sbom;
mod test;
mod tidy;
mod web;

use anyhow::Context as _;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask tidy
       cargo xtask measure [FOLDER]                     how large and how shaped this or another checkout is
       cargo xtask docs
       cargo xtask web                                  builds the web interface into web/dist
       cargo xtask browser                              tries it in a browser, with the program of the tests
       cargo xtask sbom FILE                            writes what is in the program (CycloneDX)
       cargo xtask test [ARGUMENT OF CARGO TEST]… [-- PART OF A TEST'S NAME…]
       cargo xtask with-postgres COMMAND [ARGUMENT]…    AMBIT_TEST_POSTGRES is set for COMMAND
       cargo xtask with-python COMMAND [ARGUMENT]…      AMBIT_TEST_PYTHON is set for COMMAND
       cargo xtask with-app COMMAND [ARGUMENT]…         AMBIT_TEST_APP is set for COMMAND";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["tidy"] => tidy::command(&root()),
        ["measure"] => tidy::measure::command(&root()),
        ["measure", folder] => tidy::measure::command(std::path::Path::new(folder)),
        ["docs"] => docs::command(&root()),
        ["web"] => web::build(&root()),
        ["browser"] => web::browser(&root()),
        ["sbom", target] => sbom::command(&root(), target),
        ["test", arguments @ ..] => test::command(arguments),
        ["with-postgres", "--", command @ ..] | ["with-postgres", command @ ..] if !command.is_empty() => {
            postgres::run_beside(command)
        }
        ["with-python", "--", command @ ..] | ["with-python", command @ ..] if !command.is_empty() => {
            python::run_beside(&root(), command)
        }
        ["with-app", "--", command @ ..] | ["with-app", command @ ..] if !command.is_empty() => {
            app::run_beside(&root(), command)
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("xtask: {error:#}");
        ExitCode::FAILURE
    })
}

/// Runs a command with one more variable in its environment, and answers with its exit code.
pub(crate) fn run(command: &[&str], variable: &str, value: &OsStr) -> anyhow::Result<ExitCode> {
    let mut child = Command::new(command[0]);
    child.args(&command[1..]).env(variable, value);
    forget_ourselves(&mut child);
    let status = child.status().with_context(|| format!("{} cannot be started", command[0]))?;
    Ok(status.code().map_or(ExitCode::FAILURE, |code| ExitCode::from(u8::try_from(code).unwrap_or(1))))
}

/// Takes away what `cargo run` says about this program; a cargo below would take it for a change and build again.
pub(crate) fn forget_ourselves(command: &mut Command) {
    let about_us = std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO_PKG_"));
    for (name, _) in about_us {
        command.env_remove(name);
    }
    for name in ["CARGO", "CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH"] {
        command.env_remove(name);
    }
}

/// The repository: the folder above this crate, as cargo says when it runs us. What it said when it built us can be
/// another checkout, where two of them share a target folder.
fn root() -> PathBuf {
    let here =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().expect("xtask is one folder below the root").to_path_buf()
}
