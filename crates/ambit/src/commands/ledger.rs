//! `ambit ledger`: was it us? What was sent to an address, from the ledger of contacts of a data folder, and whether
//! anybody changed that.

use crate::api::{Api, Needs, OURS};
use crate::args::{Data, Target};
use crate::config::Settings;
use crate::failure::{Failure, Result};
use crate::folder;
use crate::ledger::{Ledger, Range, contact};
use crate::output::table::{items, text};
use crate::output::{Results, hint};
use ambit_model::Timestamp;
use ambit_model::moment::MINUTE_MS;
use ambit_model::percent::escaped;
use ipnet::IpNet;
use serde_json::{Value, json};
use std::net::IpAddr;
use std::path::Path;

/// Minutes before and after a moment that are looked at where nobody says otherwise: clocks differ.
const AROUND_MINUTES: u32 = 5;

#[derive(Debug, clap::Args)]
pub(crate) struct LedgerCommand {
    #[command(subcommand)]
    pub(crate) action: Action,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Print what was sent to an address, and by which run; exits with 4 if nothing was. A server answers only for
    /// collections that you can see.
    Find {
        #[command(flatten)]
        target: Target,
        /// An address, or a block such as 192.0.2.0/24.
        #[arg(long, value_name = "ADDRESS", value_parser = network)]
        address: IpNet,
        /// When, in UTC, such as 2027-01-31T12:00:00Z (default: any time).
        #[arg(long, value_name = "TIME", value_parser = moment)]
        time: Option<Timestamp>,
        /// Minutes before and after that time to search.
        #[arg(long, value_name = "N", default_value_t = AROUND_MINUTES, requires = "time")]
        around: u32,
        /// One JSON object per line.
        #[arg(long)]
        jsonl: bool,
    },
    /// Verify the hash chain of the ledger; prints the last hash.
    Verify {
        #[command(flatten)]
        data: Data,
        /// A hash that was printed earlier and noted elsewhere; it must still be in the chain.
        #[arg(long, value_name = "HASH")]
        head: Option<String>,
    },
}

fn network(text: &str) -> Result<IpNet, String> {
    let address = text.parse::<IpAddr>().map(|address| IpNet::from(address.to_canonical()));
    address.or_else(|_| text.parse::<IpNet>()).map_err(|_| "expected an address or a block of addresses".to_owned())
}

fn moment(text: &str) -> Result<Timestamp, String> {
    Timestamp::parse(text).ok_or_else(|| "expected a moment such as 2027-01-31T12:00:00Z".to_owned())
}

/// Runs the command.
pub(crate) async fn run(command: &LedgerCommand, settings: &Settings) -> Result<()> {
    let ledger = |data: Option<&Path>| folder::data(data, settings).map(|folder| Ledger::of(&folder));
    match &command.action {
        Action::Find { target, address, time, around, jsonl } => {
            let minutes = i64::from(*around) * MINUTE_MS;
            let range = time.map_or(Range { from: Timestamp(i64::MIN), to: Timestamp(i64::MAX) }, |time| Range {
                from: time.plus_ms(-minutes),
                to: time.plus_ms(minutes),
            });
            let server = target.server.as_deref().or_else(|| settings.get("server")).filter(|_| target.data.is_none());
            let (found, since) = match server {
                Some(_) => ask(target, settings, *address, (*time, *around)).await?,
                None => {
                    let (found, since) = ledger(target.data.as_deref())?.find(*address, range).map_err(unreadable)?;
                    (found.iter().map(|entry| json!(contact(entry))).collect(), since)
                }
            };
            tell(&found, since, *address, range, *jsonl)
        }
        Action::Verify { data, head } => verify(&ledger(data.data.as_deref())?, head.as_deref()),
    }
}

/// Returns the contacts that a server reports, and the beginning of its ledger.
async fn ask(
    target: &Target,
    settings: &Settings,
    network: IpNet,
    (time, around): (Option<Timestamp>, u32),
) -> Result<(Vec<Value>, Option<Timestamp>)> {
    let api = Api::open(target, settings, Needs::Rows).await?;
    let time = time.map(|time| format!("&time={}", escaped(&time.to_string()))).unwrap_or_default();
    let path = format!("{OURS}/contacts?address={}&around={around}{time}", escaped(&network.to_string()));
    let mut told = api.get(&path).await?.result;
    if told["more"] == true {
        hint("there are more: ask for a narrower time or block");
    }
    let since = told["since"].as_str().and_then(Timestamp::parse);
    Ok((told["contacts"].as_array_mut().map(std::mem::take).unwrap_or_default(), since))
}

fn tell(found: &[Value], since: Option<Timestamp>, network: IpNet, range: Range, jsonl: bool) -> Result<()> {
    let Some(since) = since else {
        return Err(Failure::not_found("the ledger is empty: nothing was sent to the internet"));
    };
    let mut results = Results::open(None)?;
    found.iter().try_for_each(|contact| results.row(contact, jsonl, said))?;
    results.finish()?;
    if range.from < since && range.to != Timestamp(i64::MAX) {
        hint(&format!("the ledger begins at {since}: nothing is known about the time before"));
    }
    if found.is_empty() {
        return Err(match range.to < since {
            true => Failure::partial(format!("unknown: the ledger begins at {since}")),
            false => Failure::not_found(format!("not us: nothing was sent to {network} at that time")),
        });
    }
    Ok(())
}

fn said(contact: &Value) -> String {
    let ports = |name: &str| {
        let ports: Vec<String> = items(&contact[name]).map(Value::to_string).collect();
        if ports.is_empty() { String::new() } else { format!("  {name} {}", ports.join(",")) }
    };
    format!(
        "{}  {}  {}{}{}  {} contacts  run {}  collection {}",
        text(&contact["from"]),
        text(&contact["to"]),
        text(&contact["address"]),
        ports("tcp"),
        ports("udp"),
        contact["contacts"],
        contact["run"],
        text(&contact["collection_uuid"])
    )
}

fn verify(ledger: &Ledger, noted: Option<&str>) -> Result<()> {
    let head = ledger.verify(noted).map_err(unreadable)?;
    let head = head.map_err(|why| Failure::partial(format!("the ledger is not intact: {why}")))?;
    if noted.is_some() && !head.has_asked {
        return Err(Failure::partial(
            "the ledger is consistent but does not contain that hash: its end was removed, or it was rewritten",
        ));
    }
    let mut results = Results::open(None)?;
    results.line(&format!("intact: {} lines; the last one has the hash {}", head.lines, head.chain))?;
    results.finish()
}

fn unreadable(error: std::io::Error) -> Failure {
    Failure::run_time(format!("the ledger cannot be read: {error}"))
}
