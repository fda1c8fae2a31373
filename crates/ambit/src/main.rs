//! Ambit: one program. Reads the command, runs it, and turns its failure into one line and an exit code.

mod api;
mod arguments;
mod cli;
mod client;
mod config;
mod confirm;
mod contacts;
mod demo;
mod discover;
mod door;
mod failure;
mod folder;
mod lines;
mod log;
mod outfit;
mod output;
mod progress;
mod records;
#[cfg(test)]
mod reference;
mod report;
mod scan;
mod serve;
mod shortfall;
mod signals;
mod table;
mod truth;
mod wires;
mod work;

use ambit_query::Noun;
use cli::{Cli, Command};
use config::Settings;
use failure::Failure;
use std::process::ExitCode;

/// Many small allocations by many tasks: measured a third faster than the system's allocator on whole runs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    arguments::hide_password();
    let ended = cli::parse::parse(std::env::args_os()).and_then(|cli| cli.map_or(Ok(()), start));
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

fn start(cli: Cli) -> Result<(), Failure> {
    log::begin(cli.verbose);
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let settings = Settings::load(cli.config.as_deref(), &environment)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::run_time(format!("cannot start: {error}")))?;
    let ended = runtime.block_on(run(cli, settings));
    // Blocking work (an index merge, a name look-up) must not hold the end up.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    ended
}

async fn run(cli: Cli, mut settings: Settings) -> Result<(), Failure> {
    match &cli.command {
        Command::Demo(demo) => demo::run(demo, cli.silent, &mut settings).await,
        Command::Scan(scan) => scan::run(scan, cli.silent, &settings).await,
        Command::Serve(serve) => serve::run(serve, cli.silent, &mut settings).await,
        Command::Work(work) => work::run(work, cli.silent, &mut settings).await,
        Command::Init(init) => serve::init(init, &settings).await,
        Command::Key(key) => cli::keys::run(key, &settings).await,
        Command::User(user) => cli::users::run(user, &settings).await,
        Command::Group(group) => cli::groups::run(group, &settings).await,
        Command::Graph(graph) => cli::graphs::run(graph, &settings, cli.silent).await,
        Command::Invitation(invitation) => cli::invitations::run(invitation, &settings).await,
        Command::Quota(quota) => cli::quotas::run(quota, &settings).await,
        Command::Packs(packs) => cli::packs::run(packs, &settings).await,
        Command::Role(role) => cli::roles::run(role, &settings).await,
        Command::Project(project) => cli::projects::run(project, &settings).await,
        Command::Entities(search) => cli::search::run(search, Noun::Entities, &settings).await,
        Command::Entity(entity) => cli::entity::run(entity, &settings).await,
        Command::Issues(search) => cli::search::run(search, Noun::Issues, &settings).await,
        Command::Issue(issue) => cli::issue::run(issue, &settings).await,
        Command::Technologies(search) => cli::search::run(search, Noun::Technologies, &settings).await,
        Command::Changes(changes) => cli::changes::run(changes, &settings).await,
        Command::Collection(collection) => cli::collections::run(collection, &settings, cli.silent).await,
        Command::Run(run) => cli::runs::run(run, &settings, cli.silent).await,
        Command::Doctor(doctor) => cli::doctor::run(doctor, &settings).await,
        Command::Backup(backup) => cli::backup::back_up(backup, &settings).await,
        Command::Restore(restore) => cli::backup::restore(restore, &settings).await,
        Command::Migrate(migrate) => cli::migrate::run(migrate, &mut settings).await,
        Command::Config(config) => cli::configuration::run(config, &settings),
        Command::Openapi => output::write_all(ambit_server::openapi_text().as_bytes()),
        Command::Completion(completion) => cli::completion::run(completion),
        Command::Version(_) => cli::version::run(),
    }
}

impl From<ambit_store::StoreError> for Failure {
    fn from(error: ambit_store::StoreError) -> Self {
        use ambit_store::StoreError;
        let message = error.to_string();
        match error {
            StoreError::NotFound => Self::not_found(message),
            StoreError::Forbidden(_) => Self::access(message),
            StoreError::Invalid(_) => Self::usage(message),
            StoreError::Damaged { .. } => Self::partial(message),
            _ => Self::run_time(message),
        }
    }
}
