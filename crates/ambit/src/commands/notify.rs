//! `ambit notify`: who is told what happens, on a server or in a data folder. A server sends; a folder alone keeps the
//! receivers until one runs on it.

use crate::api::{Api, Needs, OURS, naming};
use crate::args::{Client, Lines, word};
use crate::config::Settings;
use crate::engine_config;
use crate::failure::{Failure, Result};
use crate::output::table::{shown, text};
use crate::output::{Results, hint, plain};
use ambit_model::notification::{Channel, Digest, EventKind};
use ambit_model::reserved::Reserved;
use serde_json::{Value, json};
use std::net::IpAddr;

pub(crate) type Notify = Client<Action>;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Add a receiver; prints its uuid, and once, on stderr, the secret or public key that verifies its signatures.
    Add(Box<Add>),
    /// List the receivers of the project.
    List(Lines),
    /// Send a receiver a test message.
    Test {
        /// Name or uuid of the receiver, or the beginning of its uuid.
        receiver: String,
    },
    /// List sent and waiting messages of a receiver, newest first, with the last answer to each.
    Log {
        /// Name or uuid of the receiver, or the beginning of its uuid.
        receiver: String,
        /// Print at most this many rows.
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: u64,
    },
    /// Send failed deliveries again and waiting ones at once, or send one delivery again. A stopped receiver becomes
    /// active again.
    Replay {
        /// Name or uuid of the receiver, or the beginning of its uuid.
        receiver: String,
        /// One delivery, by its uuid in the log.
        delivery: Option<String>,
    },
    /// Remove a receiver with its waiting messages and its log.
    Remove {
        /// Name or uuid of the receiver, or the beginning of its uuid.
        receiver: String,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Add {
    /// webhook, email, slack, teams, discord, mattermost, pagerduty, splunk or syslog.
    #[arg(value_parser = word::<Channel>)]
    channel: Channel,
    /// A URL, an e-mail address, host:port for syslog, or the integration key of PagerDuty.
    #[arg(value_name = "TARGET")]
    place: String,
    /// Name of the receiver (default: its channel).
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Notify only about entities and issues that this search finds.
    #[arg(long, value_name = "QUERY")]
    query: Option<String>,
    /// Notify only about this collection: its name or uuid.
    #[arg(long, value_name = "COLLECTION")]
    collection: Option<String>,
    /// Events, such as issue.opened,run.short (default: new and gone entities, issues, incomplete runs, quotas with
    /// less than a tenth left).
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = word::<EventKind>)]
    events: Vec<EventKind>,
    /// When messages are sent: at_once, hourly, daily or weekly.
    #[arg(long, value_name = "WHEN", value_parser = word::<Digest>)]
    digest: Option<Digest>,
    /// Hours in which nothing is sent, such as 22:00-07:00.
    #[arg(long, value_name = "HOURS")]
    quiet: Option<String>,
    /// Time zone of digests and quiet hours, such as Europe/Berlin (default: UTC).
    #[arg(long, value_name = "ZONE")]
    zone: Option<String>,
    /// Send a message also when there is nothing new.
    #[arg(long)]
    heartbeat: bool,
    /// File with the token of Splunk's event collector.
    #[arg(long, value_name = "FILE")]
    token_file: Option<std::path::PathBuf>,
    /// Format of syslog messages: json, cef or ocsf.
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// Sign a webhook with a private key (Ed25519) instead of a shared secret.
    #[arg(long)]
    asymmetric: bool,
}

/// Runs the command.
pub(crate) async fn run(command: &Notify, settings: &Settings) -> Result<()> {
    let api = Api::open(&command.target, settings, Needs::Rows).await?;
    let receivers = format!("{OURS}/receivers");
    let mut results = Results::open(None)?;
    match &command.action {
        Action::Add(add) => {
            let closed = closed(&add.place, settings)?;
            let made = api.post(&receivers, body(&api, add).await?).await?.result;
            results.line(&text(&made["receiver"]["uuid"]))?;
            for (member, says) in [("signing_secret", "secret"), ("public_key", "public key")] {
                if let Some(key) = made[member].as_str() {
                    hint(&format!("its messages are verified with this {says}, shown once: {}", plain(key)));
                }
            }
            if add.channel == Channel::Email && settings.get("smtp").is_none() {
                hint("mail goes out where the server has the settings smtp and mail_from; they are not set here");
            }
            if let Some(why) = closed {
                hint(&why);
            }
        }
        Action::List(Lines { jsonl }) => results.rows(&api.get(&receivers).await?.result, *jsonl, line)?,
        Action::Test { receiver } => {
            let uuid = naming::receiver(&api, receiver).await?;
            let asked = api.ask("POST", &format!("{receivers}/{uuid}/test"), None).await?.result;
            results.line(&text(&asked["delivery_uuid"]))?;
            hint("`ambit serve` sends it; `ambit notify log` with the receiver says what became of it");
        }
        Action::Log { receiver, limit } => {
            let uuid = naming::receiver(&api, receiver).await?;
            let log = api.get(&format!("{receivers}/{uuid}/deliveries?limit={limit}")).await?.result;
            results.rows(&log, false, logged)?;
        }
        Action::Replay { receiver, delivery } => {
            let uuid = naming::receiver(&api, receiver).await?;
            let body = delivery.as_ref().map_or_else(|| json!({}), |delivery| json!({"delivery_uuid": delivery}));
            let sent = api.post(&format!("{receivers}/{uuid}/replay"), body).await?.result;
            results.line(&format!("{} deliveries are sent again", sent["deliveries"]))?;
        }
        Action::Remove { receiver } => {
            let uuid = naming::receiver(&api, receiver).await?;
            api.delete(&format!("{receivers}/{uuid}")).await?;
            results.line(&format!("receiver {uuid} is removed"))?;
        }
    }
    results.finish()
}

async fn body(api: &Api, add: &Add) -> Result<Value> {
    let token = match &add.token_file {
        Some(path) => Some(
            std::fs::read_to_string(path)
                .map_err(|error| Failure::usage(format!("cannot read the token from {}: {error}", path.display())))?,
        ),
        None => None,
    };
    let mut body = json!({"channel": add.channel.name(), "target": add.place, "heartbeat": add.heartbeat});
    let collection = match &add.collection {
        Some(name) => Some(naming::collection(api, name).await?),
        None => None,
    };
    let given = [
        ("name", add.name.clone()),
        ("query", add.query.clone()),
        ("collection_uuid", collection),
        ("digest", add.digest.map(|digest| digest.name().to_owned())),
        ("quiet_hours", add.quiet.clone()),
        ("time_zone", add.zone.clone()),
        ("token", token.map(|token| token.trim().to_owned())),
        ("format", add.format.clone()),
    ];
    for (member, value) in given {
        if let Some(value) = value {
            body[member] = json!(value);
        }
    }
    if !add.events.is_empty() {
        body["events"] = json!(add.events.iter().map(|kind| kind.name()).collect::<Vec<_>>());
    }
    if add.asymmetric {
        body["asymmetric"] = json!(true);
    }
    Ok(body)
}

/// What the address of a receiver needs that is reserved, such as one on this machine; `None` where it is none, or
/// opened.
fn closed(place: &str, settings: &Settings) -> Result<Option<String>> {
    let reserved = Reserved::internal(engine_config::ranges(settings, "notify_ranges")?);
    let host = place.parse::<http::Uri>().ok().and_then(|uri| uri.host().map(str::to_owned));
    let Some(host) = host else { return Ok(None) };
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>().ok();
    Ok(address.and_then(|address| reserved.closes(address)).map(|range| {
        format!(
            "{} is in the reserved range {range}: nothing goes there unless the server's setting notify_ranges opens \
             it, which is not so here",
            plain(&host)
        )
    }))
}

fn line(row: &Value) -> String {
    let shown = |name: &str| shown(row, name);
    let query = row["query"].as_str().map(|query| format!("  {}", plain(query))).unwrap_or_default();
    let quiet = row["quiet_hours"].as_str().map(|hours| format!("  quiet {} {}", plain(hours), shown("time_zone")));
    let heartbeat = if row["heartbeat"] == true { "  heartbeat" } else { "" };
    let quiet = quiet.unwrap_or_default();
    let state = match (row["ended"].as_str(), row["failing_since"].as_str()) {
        (Some(why), _) => format!("  ended: {}", plain(why)),
        (None, Some(since)) => format!("  failing since {}", plain(since)),
        (None, None) => String::new(),
    };
    format!(
        "{}  {}  {}  {}  {}{heartbeat}{quiet}{query}{state}",
        shown("uuid"),
        shown("name"),
        shown("channel"),
        shown("target"),
        shown("digest")
    )
}

fn logged(row: &Value) -> String {
    let shown = |name: &str| shown(row, name);
    let title = row["titles"][0].as_str().map(plain).unwrap_or_default();
    let answer = row["answer"].as_str().map(|answer| format!("  {}", plain(answer))).unwrap_or_default();
    format!(
        "{}  {}  {}  {}  {} tries{answer}  {title}",
        shown("created_at"),
        shown("uuid"),
        shown("state"),
        shown("type"),
        row["attempts"]
    )
}
