//! Arguments that several commands take: where they work, how results are printed, and the values that are read alike.

use crate::output::table::Form;
use ambit_model::ports::PortList;
use ambit_model::{Clearance, Timestamp};
use clap::Args;
use std::path::PathBuf;

/// Where the data folder is.
#[derive(Clone, Debug, Args)]
pub(crate) struct Data {
    /// Data folder (default: AMBIT_DATA, else ambit in the user's data directory).
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
}

/// Where a client command works: on a server, or on a data folder.
#[derive(Clone, Debug, Args)]
pub(crate) struct Target {
    /// Data folder (default: AMBIT_DATA, else ambit in the user's data directory); given here, it goes before a
    /// configured server.
    #[arg(long, value_name = "DIR", global = true, conflicts_with = "server")]
    pub(crate) data: Option<PathBuf>,
    /// Server, such as https://ambit.example.org (default: AMBIT_SERVER). Its key comes from AMBIT_API_KEY: other
    /// people see command lines.
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

/// How a list of records is printed.
#[derive(Clone, Debug, Args)]
pub(crate) struct Listing {
    #[command(flatten)]
    pub(crate) output: Output,
    /// Comma-separated values with a head line. Text that a spreadsheet would calculate gets an apostrophe in front.
    #[arg(long, conflicts_with = "jsonl")]
    csv: bool,
    /// Members to print, comma-separated; one inside another is dotted: name,summary.http.title
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) fields: Vec<String>,
    /// Print only how many there are.
    #[arg(long, conflicts_with_all = ["facet", "fields", "csv"])]
    pub(crate) count: bool,
    /// Most records.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
}

impl Listing {
    /// Returns the form that the flags ask for.
    pub(crate) fn form(&self) -> Form {
        match (self.output.jsonl, self.csv) {
            (true, _) => Form::Jsonl,
            (false, true) => Form::Csv,
            (false, false) => Form::Text,
        }
    }
}

/// Reads a moment, or a date, which means the end of that day.
pub(crate) fn date(text: &str) -> Result<Timestamp, String> {
    Timestamp::parse_end(text)
        .ok_or_else(|| "expected a date such as 2027-01-31 or a moment such as 2027-01-31T12:00:00Z".to_owned())
}

/// Which TCP ports are asked.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Ports {
    /// TCP ports to search on addresses and blocks in place of the usual ones: 80,443,8000-8100, or all.
    #[arg(long, value_name = "LIST", value_parser = ports, conflicts_with = "top_ports")]
    ports: Option<PortList>,
    /// Search the N most common TCP ports instead; all is 1 to 65535.
    #[arg(long, value_name = "N|all", value_parser = top_ports)]
    top_ports: Option<PortList>,
}

impl Ports {
    /// Returns the ports that the flags ask for.
    pub(crate) fn asked(&self) -> Option<&PortList> {
        self.ports.as_ref().or(self.top_ports.as_ref())
    }
}

/// Reads a list of ports.
fn ports(text: &str) -> Result<PortList, String> {
    text.parse()
}

/// Reads a number of most common ports.
fn top_ports(text: &str) -> Result<PortList, String> {
    if text == "all" {
        return Ok(PortList::all());
    }
    // What is no number at all is refused like one that is too large.
    PortList::top(text.parse().unwrap_or(0))
}

/// Reads a level of loudness.
pub(crate) fn level(word: &str) -> Result<Clearance, String> {
    Clearance::from_level(word).ok_or_else(|| "expected passive, polite, normal or intensive".to_owned())
}
