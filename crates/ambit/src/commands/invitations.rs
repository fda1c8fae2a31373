//! `ambit invitation`: who asked you into a project or group; on a server, since on a data folder the commands act as
//! its owner.

use crate::api::{Api, Needs, OURS};
use crate::args::Client;
use crate::config::Settings;
use crate::failure::Result;
use crate::output::Results;
use crate::output::table::shown;
use serde_json::Value;

pub(crate) type Invitation = Client<Action>;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// List the invitations that you have not answered.
    List {
        /// List the invitations to projects that you own and groups that you administer instead.
        #[arg(long)]
        sent: bool,
        /// One JSON object per line.
        #[arg(long)]
        jsonl: bool,
    },
    /// Accept an invitation and join the project or group.
    Accept {
        /// Number of the invitation in the list.
        id: i64,
    },
    /// Decline an invitation, or withdraw one that was sent.
    Decline {
        /// Number of the invitation in the list.
        id: i64,
    },
}

/// Runs the command.
pub(crate) async fn run(command: &Invitation, settings: &Settings) -> Result<()> {
    let api = Api::open(&command.target, settings, Needs::Rows).await?;
    let invitations = format!("{OURS}/invitations");
    let mut results = Results::open(None)?;
    match &command.action {
        Action::List { sent, jsonl } => {
            let target = if *sent { format!("{invitations}?sent=true") } else { invitations };
            results.rows(&api.get(&target).await?.result, *jsonl, |row| line(row, *sent))?;
        }
        Action::Accept { id } => {
            api.ask("POST", &format!("{invitations}/{id}/accept"), None).await?;
            results.line(&format!("invitation {id} is accepted"))?;
        }
        Action::Decline { id } => {
            api.delete(&format!("{invitations}/{id}")).await?;
            results.line(&format!("invitation {id} is ended"))?;
        }
    }
    results.finish()
}

fn line(row: &Value, sent: bool) -> String {
    let shown = |name: &str| shown(row, name);
    let who = if sent { format!("to {}", shown("email")) } else { format!("by {}", shown("invited_by")) };
    format!("{}  {}  {}  as {}  {who}", row["id"], shown("kind"), shown("name"), shown("role"))
}
