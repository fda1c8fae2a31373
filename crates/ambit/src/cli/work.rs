//! `ambit work`: an engine without the server.

use super::Data;

#[derive(Debug, clap::Args)]
pub(crate) struct Work {
    #[command(flatten)]
    pub(crate) data: Data,
    /// The PostgreSQL database that the servers use (default: AMBIT_DATABASE).
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,
}
