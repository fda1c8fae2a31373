//! `ambit demo`: the simulated internet, discovered and assessed, then served.

use super::Output;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Demo {
    /// Data folder (default: ambit-demo in the user's data directory).
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Address to serve on (default: AMBIT_LISTEN, else 127.0.0.1:8080); port 0 picks a free one.
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Option<String>,
    /// A PostgreSQL database to fill (default: AMBIT_DATABASE, where it holds nothing real, else the one in the data folder).
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,
    /// End after the discovery instead of serving.
    #[arg(long)]
    pub(crate) once: bool,
    /// The state of the simulated internet (1, 2, 3 …; default: the one it is in).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=99))]
    pub(crate) state: Option<i64>,
    /// Write every contact with the simulated internet to this file, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    pub(crate) contacts: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: Output,
}
