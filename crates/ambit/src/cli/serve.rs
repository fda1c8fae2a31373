//! `ambit serve`: API, scheduler and engine in one process.

use super::Data;

#[derive(Debug, clap::Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) data: Data,
    /// Address to listen on; port 0 picks a free one.
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Option<String>,
    /// Answer requests and keep the index, but carry no runs.
    #[arg(long)]
    pub(crate) no_engine: bool,
}
