//! `ambit init`: a fresh data folder.

use crate::args::Data;
use crate::clock::now;
use crate::config::Settings;
use crate::failure::{Failure, Result};
use crate::folder;
use crate::local_store::options;
use crate::output::Results;
use ambit_store::{NewOwner, Store};

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

/// Runs the command.
pub(crate) async fn run(init: &Init, settings: &Settings) -> Result<()> {
    let folder = folder::data(init.data.data.as_deref(), settings)?;
    let owner = NewOwner { email: init.email.clone(), organization: init.organization.clone(), username: None };
    let (_, issued) = Store::init(&options(&folder, settings), &owner, now()).await?;
    let issued = issued.ok_or_else(|| {
        Failure::run_time(format!(
            "{} holds an installation already; `ambit key create` makes another key",
            folder.display()
        ))
    })?;
    let mut results = Results::open(None)?;
    results.line(&issued.key)?;
    results.finish()
}
