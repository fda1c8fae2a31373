//! The command line: what a person may type. Parsing only; each command's work is in its own file.

pub(crate) mod parse;

pub(crate) mod backup;
pub(crate) mod changes;
pub(crate) mod collections;
pub(crate) mod completion;
pub(crate) mod configuration;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod entity;
pub(crate) mod graphs;
pub(crate) mod groups;
pub(crate) mod init;
pub(crate) mod invitations;
pub(crate) mod issue;
pub(crate) mod item;
pub(crate) mod keys;
pub(crate) mod migrate;
pub(crate) mod naming;
pub(crate) mod packs;
pub(crate) mod projects;
pub(crate) mod quotas;
pub(crate) mod roles;
pub(crate) mod runs;
pub(crate) mod scan;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod users;
pub(crate) mod version;
pub(crate) mod work;

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Ambit finds what an organisation exposes to the outside, keeps every fact with its source and time, and judges the facts.
#[derive(Debug, Parser)]
#[command(name = "ambit", version, propagate_version = true, disable_help_subcommand = true)]
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
    /// Run API, scheduler and engine over a data folder.
    Serve(serve::Serve),
    /// Carry runs of a shared PostgreSQL database, without a server.
    Work(work::Work),
    /// Make a fresh data folder; prints the owner's API key.
    Init(init::Init),
    /// API keys.
    Key(keys::Key),
    /// Users.
    User(users::User),
    /// Groups.
    Group(groups::Group),
    /// Invitations to projects and groups.
    Invitation(invitations::Invitation),
    /// How much users and groups may use.
    Quota(quotas::Quota),
    /// Rules and lists of hashes that files are judged by.
    #[command(subcommand)]
    Packs(packs::Packs),
    /// Roles in projects and collections.
    Role(roles::Role),
    /// Projects.
    Project(projects::Project),
    /// Search entities.
    Entities(search::Search),
    /// One entity: show, raw, path, deny, allow, reset, history, note, tag.
    Entity(entity::Entity),
    /// Graphs of an entity's surroundings, or of what a search finds.
    Graph(graphs::Graph),
    /// Search issues.
    Issues(search::Search),
    /// One issue: show, status, history, note, tag.
    Issue(issue::Issue),
    /// Search technologies.
    Technologies(search::Search),
    /// What changed, newest last.
    Changes(changes::Changes),
    /// Collections.
    Collection(collections::Collection),
    /// Runs.
    Run(runs::Run),
    /// Look whether a data folder is whole, and rebuild its search index.
    Doctor(doctor::Doctor),
    /// Copy a data folder while it is in use.
    Backup(backup::Backup),
    /// Make a data folder of a backup.
    Restore(backup::Restore),
    /// Bring the schema of a data folder or database up to this program; prints what was done.
    Migrate(migrate::Migrate),
    /// Print each setting with its origin.
    Config(configuration::Config),
    /// Print the OpenAPI document.
    Openapi,
    /// Print a completion script for a shell.
    Completion(completion::Completion),
    /// Print version and build.
    Version(version::Version),
}

/// Where the data folder is.
#[derive(Clone, Debug, Args)]
pub(crate) struct Data {
    /// Data folder (default: AMBIT_DATA, else ambit in the user's data directory).
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
}

/// Where a client command works: on a server, or on a data folder.
#[derive(Clone, Debug, Args)]
pub(crate) struct Place {
    /// Data folder (default: AMBIT_DATA, else ambit in the user's data directory); given here, it goes before a configured server.
    #[arg(long, value_name = "DIR", global = true, conflicts_with = "server")]
    pub(crate) data: Option<PathBuf>,
    /// Server, such as https://ambit.example.org (default: AMBIT_SERVER). Its key comes from AMBIT_API_KEY: other people see command lines.
    #[arg(long, value_name = "URL", global = true)]
    pub(crate) server: Option<String>,
    /// Project, by number, uuid or name (default: AMBIT_PROJECT, else your primary one).
    #[arg(long, value_name = "ID", global = true)]
    pub(crate) project: Option<String>,
    /// PEM file with authorities that the server's certificate may come from, beside those of browsers.
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) ca: Option<PathBuf>,
}

/// How results are printed.
#[derive(Clone, Debug, Args)]
pub(crate) struct Output {
    /// One JSON object per line.
    #[arg(long)]
    pub(crate) jsonl: bool,
    /// Write results to a file instead of standard output.
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
