//! `ambit scan`: the same discovery on the real network, or on a simulated internet of one's own.

use super::Output;
use ambit_model::Clearance;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Scan {
    /// Domains, host names, addresses, blocks, URLs.
    #[arg(value_name = "TARGET")]
    pub(crate) targets: Vec<String>,
    /// Read targets from a file, one per line; - is standard input.
    #[arg(short = 'l', long = "list", value_name = "FILE")]
    pub(crate) list: Option<PathBuf>,
    /// Do not ask before starting.
    #[arg(short = 'y', long)]
    pub(crate) yes: bool,
    /// Do not ask before a block of more than 65,536 addresses is swept either; -y alone does not cover that.
    #[arg(long)]
    pub(crate) yes_large: bool,
    /// How loud it may be: passive, polite, normal, intensive.
    #[arg(long, default_value = "normal", value_parser = level)]
    pub(crate) level: Clearance,
    /// Workflow of the collection (default: the one that it has; of a new one external_discovery_and_assessment).
    #[arg(long, value_name = "W", value_parser = workflow)]
    pub(crate) workflow: Option<String>,
    /// Never touch this name, *.name, address or block; repeatable.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) exclude: Vec<String>,
    /// Recursive resolver to ask; repeatable (default: the system's).
    #[arg(long, value_name = "IP[:PORT]")]
    pub(crate) resolver: Vec<String>,
    /// Requests per second, over all.
    #[arg(long, value_name = "N", value_parser = rate)]
    pub(crate) rate: Option<u32>,
    /// Trust the certificate authorities of this PEM file too.
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Data folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Show what would be touched, and stop.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Run on the simulated internet of this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) world: Option<PathBuf>,
    /// The state of the simulated internet (default: the one it is in).
    #[arg(long, value_name = "N", requires = "world", value_parser = clap::value_parser!(i64).range(1..=99))]
    pub(crate) state: Option<i64>,
    /// Write every contact with the simulated internet to this file, one JSON object a line.
    #[arg(long, value_name = "FILE", requires = "world")]
    pub(crate) contacts: Option<PathBuf>,
    /// Exit with code 10 if an open issue is at least this severe: critical, high, medium, low, info.
    #[arg(long, value_name = "SEVERITY", value_parser = severity)]
    pub(crate) fail_on: Option<i64>,
    #[command(flatten)]
    pub(crate) output: Output,
}

pub(crate) fn level(word: &str) -> Result<Clearance, String> {
    Clearance::from_level(word).ok_or_else(|| "expected passive, polite, normal or intensive".to_owned())
}

fn workflow(name: &str) -> Result<String, String> {
    let known = || {
        ambit_model::workflow::ALL
            .iter()
            .map(|workflow| workflow.name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    ambit_model::workflow::find(name)
        .map(|workflow| workflow.name.to_owned())
        .ok_or_else(|| format!("expected one of {}", known()))
}

fn rate(text: &str) -> Result<u32, String> {
    let number = text.strip_suffix("/s").unwrap_or(text);
    number
        .parse()
        .ok()
        .filter(|rate| *rate > 0)
        .ok_or_else(|| "expected a number of requests per second, such as 50 or 50/s".to_owned())
}

/// A severity's number of its word.
pub(crate) fn severity(word: &str) -> Result<i64, String> {
    let words = ["critical", "high", "medium", "low", "info"];
    let at = words
        .iter()
        .position(|known| *known == word)
        .ok_or_else(|| format!("expected one of {}", words.join(", ")))?;
    Ok(i64::try_from(at).unwrap_or(4) + 1)
}
