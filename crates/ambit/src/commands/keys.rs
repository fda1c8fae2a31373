//! `ambit key`: API keys, on a server or in a data folder; works beside a running server.

use crate::api::{Api, Needs, OURS, naming};
use crate::args::{Client, Lines};
use crate::config::Settings;
use crate::failure::{Failure, Result};
use crate::folder;
use crate::output::Results;
use crate::output::table::{shown, text};
use ambit_model::Timestamp;
use serde_json::{Value, json};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Bytes of a token at most, with what an editor may have put behind it.
const TOKEN_BYTES_MAX: u64 = 1_024;

pub(crate) type Key = Client<Action>;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Create a key and print it; it cannot be shown again. With --project it is valid for that project only.
    Create {
        /// E-mail address or username (default: your own; on a data folder the owner's).
        #[arg(long, value_name = "EMAIL|USERNAME")]
        user: Option<String>,
        /// What the key is for, shown in lists.
        #[arg(long, value_name = "L", default_value = "")]
        label: String,
        /// Last day on which it is valid (until the end of that day, UTC).
        #[arg(long, value_name = "DATE", value_parser = crate::args::date)]
        expires: Option<Timestamp>,
        /// The key can read, but change nothing.
        #[arg(long)]
        read_only: bool,
    },
    /// Exchange the one-time token that `serve` wrote for the first key of a new installation; prints the key, once.
    Redeem {
        /// File with the token; - reads standard input (default: the file in the data folder).
        #[arg(value_name = "FILE")]
        token: Option<PathBuf>,
    },
    /// List keys, without their secrets.
    List(Lines),
    /// Revoke a key and the keys of the same user that were created with it.
    Revoke {
        /// Number of the key in the list.
        id: i64,
    },
}

/// Runs the command.
pub(crate) async fn run(command: &Key, settings: &Settings) -> Result<()> {
    if let Action::Redeem { token } = &command.action {
        return redeem(command, token.as_deref(), settings).await;
    }
    let api = Api::open(&command.target, settings, Needs::Rows).await?;
    let keys = format!("{OURS}/keys");
    let mut results = Results::open(None)?;
    match &command.action {
        Action::Create { user, label, expires, read_only } => {
            let mut body = json!({"label": label});
            if *read_only {
                body["read_only"] = json!(true);
            }
            if let Some(project) = &command.target.project {
                body["project"] = json!(naming::project(&api, project).await?);
            }
            if let Some(user) = user {
                body["user"] = json!(user);
            }
            if let Some(expires) = expires {
                body["expires_at"] = json!(expires);
            }
            let issued = api.post(&keys, body).await?.result;
            results.line(&text(&issued["key"]))?;
        }
        Action::List(Lines { jsonl }) => results.rows(&api.get(&keys).await?.result, *jsonl, line)?,
        Action::Redeem { .. } => {}
        Action::Revoke { id } => {
            let said = api.delete(&format!("{keys}/{id}")).await?.message;
            let more = said.strip_prefix("Key revoked").unwrap_or_default();
            results.line(&format!("key {id} is revoked{more}"))?;
        }
    }
    results.finish()
}

/// On a server, or in a folder, which may have one beside.
async fn redeem(command: &Key, file: Option<&Path>, settings: &Settings) -> Result<()> {
    let place = match file {
        Some(path) => path.to_owned(),
        None => folder::data(command.target.data.as_deref(), settings)?.join(folder::KEY_TOKEN),
    };
    let token = if place == Path::new("-") {
        std::io::read_to_string(std::io::stdin().take(TOKEN_BYTES_MAX)).map_err(|error| error.to_string())
    } else {
        let read = std::fs::File::open(&place).and_then(|file| std::io::read_to_string(file.take(TOKEN_BYTES_MAX)));
        read.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                "there is no such file: the token was exchanged, or never made; `ambit key create` makes a key"
                    .to_owned()
            }
            _ => error.to_string(),
        })
    };
    let token =
        token.map_err(|why| Failure::usage(format!("cannot read the token from {}: {why}", place.display())))?;
    let api = Api::open(&command.target, settings, Needs::NoKey).await?;
    let issued = api.post("/first_key", json!({"token": token.trim()})).await?.result;
    let mut results = Results::open(None)?;
    results.line(&text(&issued["key"]))?;
    results.finish()?;
    if place != Path::new("-") {
        // It is worth nothing any more.
        std::fs::remove_file(&place).ok();
    }
    Ok(())
}

fn line(key: &Value) -> String {
    let state = if key["revoked_at"].is_null() { "active" } else { "revoked" };
    let expires = key["expires_at"].as_str().and_then(|at| at.get(..10)).unwrap_or("never");
    let (visible, user, label) = (text(&key["visible"]), shown(key, "user"), shown(key, "label"));
    let mut scope = String::new();
    if key["read_only"] == true {
        scope.push_str("read only  ");
    }
    if !key["project"].is_null() {
        scope.push_str(&format!("project {}  ", shown(key, "project_name")));
    }
    format!("{}  {visible}…  {user}  {state}  expires {expires}  {scope}{label}", key["id"])
}
