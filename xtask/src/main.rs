//! The repository's own commands: `cargo xtask tidy` checks what the compiler cannot, `cargo xtask with-postgres` runs a
//! command beside a private PostgreSQL. Nothing here is part of the product.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line program for developers")]

mod postgres;
mod tidy;

use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask tidy
       cargo xtask with-postgres COMMAND [ARGUMENT]…    AMBIT_TEST_POSTGRES is set for COMMAND";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["tidy"] => tidy::command(&root()),
        ["with-postgres", "--", command @ ..] | ["with-postgres", command @ ..] if !command.is_empty() => postgres::run_beside(command),
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

/// The repository: the folder above this crate, as cargo says when it runs us. What it said when it built us can be another
/// checkout, where two of them share a target folder.
fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().expect("xtask is one folder below the root").to_path_buf()
}
