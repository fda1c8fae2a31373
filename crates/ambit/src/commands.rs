//! The commands: what a person may type, and who does it. Each command's arguments and its work are in its own file.

mod affected;
mod backup;
mod changes;
mod collections;
mod completion;
mod configuration;
mod demo;
mod doctor;
mod entity;
mod export;
mod graphs;
mod groups;
mod import;
mod init;
mod integrations;
mod invitations;
mod issue;
mod item;
mod keys;
mod ledger;
mod login;
mod man;
mod migrate;
mod notify;
mod packs;
mod projects;
mod quotas;
mod retest;
mod roles;
mod runs;
mod scan;
mod search;
mod serve;
mod status;
mod top;
mod users;
mod version;
mod work;
mod workflows;

use crate::config::Settings;
use crate::failure::Result;
use ambit_query::Noun;
use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// Ambit finds what an organisation exposes to the internet, keeps every fact with its source and time, and reports
/// what is wrong with it.
#[derive(Debug, Parser)]
#[command(name = "ambit", version, propagate_version = true, after_long_help = crate::failure::help_of_codes())]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print results only: no progress, no hints.
    #[arg(long, global = true)]
    pub(crate) silent: bool,
    /// Log more: -v what the program does (requests, runs), -vv its details.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Configuration file (default: ambit.toml in the working folder, if it is there).
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Discover and assess the organisation of the simulated internet, then serve the result.
    Demo(demo::Demo),
    /// Discover and assess what the targets expose; no server needed.
    Scan(scan::Scan),
    /// Run the API, the scheduler and the engine on a data folder.
    Serve(serve::Serve),
    /// Execute runs of a shared PostgreSQL database, without serving the API.
    Work(work::Work),
    /// Create a data folder; prints the owner's API key.
    Init(init::Init),
    /// Manage API keys: create, redeem, list, revoke.
    Key(keys::Key),
    /// Print a link that signs a browser in; it works once and for 15 minutes.
    Login(login::Login),
    /// Manage users: create, suspend, resume, list, grant, revoke, delete.
    User(users::User),
    /// Manage groups of users: create, list, add, remove, leave, delete.
    Group(groups::Group),
    /// Answer invitations to projects and groups: list, accept, decline.
    Invitation(invitations::Invitation),
    /// Set and list the quotas of users and groups: set, list.
    Quota(quotas::Quota),
    /// Load vulnerability feeds, product detection rules, and YARA rules and hash lists for files: add, update, bundle,
    /// list, remove.
    #[command(subcommand)]
    Packs(packs::Packs),
    /// Grant roles in projects and collections: project, collection, list.
    Role(roles::Role),
    /// Manage projects: list, create, users, leave, delete.
    Project(projects::Project),
    /// Show open issues, active runs, and when each collection was last refreshed.
    Status(status::Status),
    /// Show active runs and their speed.
    Top(top::Top),
    /// Search entities.
    Entities(search::Search),
    /// Show or change one entity: show, raw, path, deny, allow, reset, hide, unhide, history, note, tag.
    Entity(entity::Entity),
    /// Create a graph of an entity and its neighbours, or of the results of a search: entity, search.
    Graph(graphs::Graph),
    /// Search issues.
    Issues(search::Search),
    /// Show or change one issue: show, status, history, note, tag, assign, retest.
    Issue(issue::Issue),
    /// Search technologies.
    Technologies(search::Search),
    /// List what a vulnerability affects, and why.
    Affected(affected::Affected),
    /// Write issues or entities as a document: csv, jsonl, sarif, vex, defectdojo, ocsf, stix, or html (a report).
    Export(export::Export),
    /// Import output of other tools, API descriptions or Terraform states into a collection; --from lists the formats.
    Import(import::Import),
    /// List what changed, newest last.
    Changes(changes::Changes),
    /// Manage collections: list, create, show, posture, update, rename, schedule, seed, archive, unarchive, delete.
    Collection(collections::Collection),
    /// Manage integrations, the credentials for cloud accounts, code hosts and applications: list, add, change, use,
    /// unuse, remove.
    Integration(integrations::Integration),
    /// List workflows (the sets of tasks that collections run): list.
    Workflow(workflows::Workflow),
    /// Manage runs: list, plan, start, show, pause, resume, cancel, watch.
    Run(runs::Run),
    /// Send notifications by mail, webhook or chat: add, list, test, log, replay, remove.
    Notify(notify::Notify),
    /// Show what was sent to an address, and verify that this record is complete: find, verify.
    Ledger(ledger::LedgerCommand),
    /// Check a data folder for damage, or rebuild its search index.
    Doctor(doctor::Doctor),
    /// Back up a data folder, also while it is in use.
    Backup(backup::Backup),
    /// Restore a data folder from a backup.
    Restore(backup::Restore),
    /// Upgrade the schema of a data folder or database to this version; prints what was done.
    Migrate(migrate::Migrate),
    /// Print each setting and where its value comes from.
    Config(configuration::Config),
    /// Print the OpenAPI document.
    Openapi,
    /// Print a completion script for a shell.
    Completion(completion::Completion),
    /// Print the manual page of a command, or write the pages of all commands.
    Man(man::Manual),
    /// Print version and build.
    Version(version::Version),
}

impl Command {
    /// Returns true for what answers requests or carries runs.
    pub(crate) fn is_traced(&self) -> bool {
        matches!(self, Self::Demo(_) | Self::Scan(_) | Self::Serve(_) | Self::Work(_))
    }
}

/// Runs the command.
pub(crate) async fn run(cli: Cli, mut settings: Settings) -> Result<()> {
    match &cli.command {
        Command::Demo(demo) => demo::run(demo, cli.silent, &mut settings).await,
        Command::Scan(scan) => scan::run(scan, cli.silent, &settings).await,
        Command::Serve(serve) => serve::run(serve, cli.silent, &mut settings).await,
        Command::Work(work) => work::run(work, cli.silent, &mut settings).await,
        Command::Init(init) => init::run(init, &settings).await,
        Command::Key(key) => keys::run(key, &settings).await,
        Command::Login(login) => login::run(login, &settings).await,
        Command::User(user) => users::run(user, &settings).await,
        Command::Group(group) => groups::run(group, &settings).await,
        Command::Graph(graph) => graphs::run(graph, &settings, cli.silent).await,
        Command::Invitation(invitation) => invitations::run(invitation, &settings).await,
        Command::Quota(quota) => quotas::run(quota, &settings).await,
        Command::Packs(packs) => packs::run(packs, &settings).await,
        Command::Role(role) => roles::run(role, &settings).await,
        Command::Project(project) => projects::run(project, &settings).await,
        Command::Status(status) => status::run(status, &settings).await,
        Command::Top(top) => top::run(top, &settings).await,
        Command::Entities(search) => search::run(search, Noun::Entities, &settings).await,
        Command::Entity(entity) => entity::run(entity, &settings).await,
        Command::Issues(search) => search::run(search, Noun::Issues, &settings).await,
        Command::Issue(issue) => issue::run(issue, &settings).await,
        Command::Technologies(search) => search::run(search, Noun::Technologies, &settings).await,
        Command::Affected(affected) => affected::run(affected, &settings).await,
        Command::Export(export) => export::run(export, &settings).await,
        Command::Import(import) => import::run(import, &settings).await,
        Command::Changes(changes) => changes::run(changes, &settings).await,
        Command::Collection(collection) => collections::run(collection, &settings, cli.silent).await,
        Command::Integration(integration) => integrations::run(integration, &settings).await,
        Command::Workflow(workflow) => workflows::run(workflow, &settings).await,
        Command::Run(run) => runs::run(run, &settings, cli.silent).await,
        Command::Notify(notify) => notify::run(notify, &settings).await,
        Command::Ledger(ledger) => ledger::run(ledger, &settings).await,
        Command::Doctor(doctor) => doctor::run(doctor, &settings).await,
        Command::Backup(backup) => backup::back_up(backup, &settings).await,
        Command::Restore(restore) => backup::restore(restore, &settings).await,
        Command::Migrate(migrate) => migrate::run(migrate, &mut settings).await,
        Command::Config(config) => configuration::run(config, &settings),
        Command::Openapi => crate::output::write_all(ambit_server::openapi_text().as_bytes()),
        Command::Completion(completion) => completion::run(completion),
        Command::Man(manual) => man::run(manual),
        Command::Version(_) => version::run(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    /// The words behind the last colon of what a command says of itself.
    fn listed(command: &clap::Command) -> Vec<String> {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        about.rsplit_once(": ").map_or(Vec::new(), |(_, words)| words.split(", ").map(str::to_owned).collect())
    }

    #[test]
    fn every_argument_has_a_help_text_and_commands_list_all_their_actions() {
        let mut wrong = Vec::new();
        let mut commands: Vec<clap::Command> = Cli::command().get_subcommands().cloned().collect();
        for command in &commands {
            let actions: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
            if !actions.is_empty() && listed(command) != actions {
                wrong.push(format!("{} lists {:?}, not {actions:?}", command.get_name(), listed(command)));
            }
        }
        while let Some(command) = commands.pop() {
            let silent = command.get_arguments().filter(|argument| argument.get_help().is_none());
            wrong.extend(silent.map(|argument| format!("{} {}", command.get_name(), argument.get_id())));
            commands.extend(command.get_subcommands().cloned());
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
