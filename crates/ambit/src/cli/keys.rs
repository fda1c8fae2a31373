//! `ambit key`: API keys of a data folder; works beside a running server.

use super::Data;
use crate::config::Settings;
use crate::failure::Failure;
use crate::output::Results;
use ambit_model::Timestamp;
use ambit_store::NewKey;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Key {
    /// Make a key; prints it, alone, once.
    Create {
        #[command(flatten)]
        data: Data,
        /// E-mail address or username (default: the owner).
        #[arg(long, value_name = "EMAIL|USERNAME")]
        user: Option<String>,
        /// What it is for.
        #[arg(long, value_name = "L", default_value = "")]
        label: String,
        /// Last day that it works (end of that day, UTC).
        #[arg(long, value_name = "DATE", value_parser = date)]
        expires: Option<Timestamp>,
    },
    /// List keys, without their secrets.
    List {
        #[command(flatten)]
        data: Data,
    },
    /// Make a key useless.
    Revoke {
        #[command(flatten)]
        data: Data,
        /// Its number in the list.
        id: i64,
    },
}

/// The end of a day, or a moment.
pub(crate) fn date(text: &str) -> Result<Timestamp, String> {
    let moment = Timestamp::parse(text).ok_or_else(|| "expected a date such as 2027-01-31 or a moment such as 2027-01-31T12:00:00Z".to_owned())?;
    let day = text.len() == 10;
    Ok(if day { moment.plus_ms(ambit_model::moment::DAY_MS - 1) } else { moment })
}

/// Runs the command.
pub(crate) async fn run(key: &Key, settings: &Settings) -> Result<(), Failure> {
    let mut results = Results::open(None)?;
    match key {
        Key::Create { data, user, label, expires } => {
            let (store, principal) = crate::client::folder(data, settings).await?;
            let new = NewKey {
                user: user.clone(),
                label: label.clone(),
                expires_at: *expires,
            };
            let issued = store.create_key(&principal, &new, crate::discover::now()).await?;
            results.line(&issued.key)?;
        }
        Key::List { data } => {
            let (store, principal) = crate::client::folder(data, settings).await?;
            for key in store.list_keys(&principal).await? {
                let state = if key.revoked_at.is_some() { "revoked" } else { "active" };
                let expires = key.expires_at.map_or_else(|| "never".to_owned(), |at| at.date());
                results.line(&format!(
                    "{}  {}…  {}  {state}  expires {expires}  {}",
                    key.id, key.visible, key.user, key.label
                ))?;
            }
        }
        Key::Revoke { data, id } => {
            let (store, principal) = crate::client::folder(data, settings).await?;
            store.revoke_key(&principal, *id, crate::discover::now()).await?;
            results.line(&format!("key {id} is revoked"))?;
        }
    }
    results.finish()
}
