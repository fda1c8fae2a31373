//! `ambit init`: a fresh data folder.

use super::Data;

#[derive(Debug, clap::Args)]
pub(crate) struct Init {
    #[command(flatten)]
    pub(crate) data: Data,
    /// E-mail address of the owner.
    #[arg(long, value_name = "E")]
    pub(crate) email: String,
    /// Name of the organisation.
    #[arg(long, value_name = "N", default_value = "My organization")]
    pub(crate) organization: String,
}
