//! Ambit: one program. Reads the command, runs it, and turns its failure into one line and an exit code.

// A handler of the server is a future within many others, and an optimised build lays all of them out here.
#![recursion_limit = "256"]

mod api;
mod args;
mod arguments;
mod clock;
mod commands;
mod config;
mod confirm;
mod contacts;
mod discover;
mod door;
mod engine_config;
mod estate;
mod failure;
mod folder;
mod interface;
mod ledger;
mod library;
mod local_store;
mod log;
mod notifications;
mod oidc;
mod output;
mod parse;
mod progress;
#[cfg(test)]
mod reference;
mod request_limits;
mod sample;
mod shortfall;
mod signals;
mod traces;
mod wire_log;
mod wires;
mod workspace;

use commands::Cli;
use config::Settings;
use failure::{Failure, Result};
use std::process::ExitCode;
use traces::Traces;

/// Many small allocations by many tasks: decision 0215 tells what was measured.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    arguments::hide_password();
    let ended = parse::parse(std::env::args_os()).and_then(|cli| cli.map_or(Ok(()), start));
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let message = failure.to_string();
            if !message.is_empty() {
                output::hint(&format!("ambit: {message}"));
            }
            failure.more.iter().for_each(|line| output::hint(line));
            ExitCode::from(failure.code)
        }
    }
}

fn start(cli: Cli) -> Result<()> {
    let environment: std::collections::BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let settings = Settings::load(cli.config.as_deref(), &environment)?;
    for name in config::unknown_variables(&environment) {
        output::hint(&format!("{name} is no setting and changes nothing; `ambit config` lists the settings"));
    }
    let format = log::Format::parse(settings.get("log_format").unwrap_or("text"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::run_time(format!("cannot start: {error}")))?;
    let traces = if cli.command.is_traced() { Traces::begin(&environment, &settings, runtime.handle())? } else { None };
    log::begin(cli.verbose, format, traces.as_ref());
    let ended = runtime.block_on(commands::run(cli, settings));
    if let Some(traces) = traces {
        traces.end();
    }
    // Blocking work (an index merge, a name look-up) must not hold the end up.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    ended
}
