//! `ambit graph`: graphs of what is known, saved like any other graph of the caller's.

use super::item::{self, ENTITY};
use crate::api::{Api, Needs, OURS};
use crate::args::Client;
use crate::config::Settings;
use crate::failure::Result;
use crate::output::table::text;
use crate::output::{Results, hint};
use serde_json::json;

pub(crate) type Graph = Client<Action>;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Create a graph of an entity and its neighbours.
    Entity {
        /// Uid (or its beginning), uuid or name of the entity.
        entity: String,
        #[command(flatten)]
        how: How,
    },
    /// Create a graph of the results of a search and their connections.
    Search {
        /// Search string, such as `type:uri technology:nginx`.
        query: Vec<String>,
        #[command(flatten)]
        how: How,
    },
}

/// How the graph is to be.
#[derive(Debug, clap::Args)]
pub(crate) struct How {
    /// Number of hops from the first entities, 0 to 3 (default: 1 from an entity, 0 from the results of a search).
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<u64>,
    /// Name of the graph (default: the entity's name, or the search string).
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
    /// Let every user of the installation see it; otherwise it is private.
    #[arg(long)]
    pub(crate) public: bool,
    /// One JSON object instead of the graph's id.
    #[arg(long)]
    pub(crate) jsonl: bool,
}

/// Runs the command.
pub(crate) async fn run(command: &Graph, settings: &Settings, silent: bool) -> Result<()> {
    let target = &command.target;
    let (api, mut body, how) = match &command.action {
        Action::Entity { entity, how } => {
            let (api, uid) = item::find(ENTITY, entity, target, settings).await?;
            (api, json!({"entity": uid}), how)
        }
        Action::Search { query, how } => {
            let api = Api::open(target, settings, Needs::Index).await?;
            (api, json!({"query": query.join(" ")}), how)
        }
    };
    body["private"] = json!(!how.public);
    if let Some(depth) = how.depth {
        body["depth"] = json!(depth);
    }
    if let Some(name) = &how.name {
        body["name"] = json!(name);
    }
    let made = api.post(&format!("{OURS}/graphs"), body).await?.result;
    if made["complete"] == false && !silent {
        hint(&format!("the graph is limited to {} entities; there are more", text(&made["entities"])));
    }
    let mut results = Results::open(None)?;
    results.row(&made, how.jsonl, |made| text(&made["id"]))?;
    results.finish()
}
