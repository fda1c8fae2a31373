//! `ambit login`: a link that signs a browser in, once and soon.

use crate::api::{Api, Needs, OURS};
use crate::args::Target;
use crate::config::Settings;
use crate::door;
use crate::failure::{Failure, Result};
use crate::interface;
use crate::output::Results;
use crate::output::table::text;
use serde_json::json;

#[derive(Debug, clap::Args)]
pub(crate) struct Login {
    #[command(flatten)]
    pub(crate) target: Target,
    /// URL at which the browser reaches the server (default: the configured server; for a data folder AMBIT_PUBLIC_URL,
    /// else AMBIT_LISTEN).
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
}

/// Runs the command.
pub(crate) async fn run(login: &Login, settings: &Settings) -> Result<()> {
    let root = match &login.url {
        Some(url) => ambit_server::public_url(url).map_err(|why| Failure::usage(format!("--url {why}")))?,
        None => found(login, settings)?,
    };
    let api = Api::open(&login.target, settings, Needs::Rows).await?;
    let made = api.post(&format!("{OURS}/sign_in_links"), json!({})).await?.result;
    let mut results = Results::open(None)?;
    results.line(&interface::link(&root, &text(&made["token"])))?;
    results.finish()
}

fn found(login: &Login, settings: &Settings) -> Result<String> {
    let server = login.target.server.as_deref().or_else(|| settings.get("server"));
    match server.filter(|_| login.target.data.is_none()) {
        Some(server) => Ok(server.to_owned()),
        None => {
            let secure = settings.get("tls_certificate").is_some();
            let listen = door::address(settings.get("listen").unwrap_or_default())?;
            interface::root(settings, secure, listen)
        }
    }
}
