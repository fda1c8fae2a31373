//! `ambit ledger`: was it us? What was sent to an address, from the ledger of contacts of a data folder, and whether
//! anybody changed that.

use crate::args::Data;
use crate::config::Settings;
use crate::failure::Failure;
use crate::folder;
use crate::ledger::{Entry, Ledger, Range};
use crate::output::{Results, hint};
use ambit_model::Timestamp;
use ipnet::IpNet;
use serde_json::json;
use std::net::IpAddr;

/// Minutes before and after a moment that are looked at where nobody says otherwise: clocks differ.
const AROUND_MINUTES: u32 = 5;
const MINUTE_MS: i64 = 60_000;

#[derive(Debug, clap::Args)]
pub(crate) struct LedgerCommand {
    #[command(subcommand)]
    pub(crate) action: Action,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Print what was sent to an address, and by which run; ends with 4 if nothing was.
    Find {
        #[command(flatten)]
        data: Data,
        /// An address, or a block such as 192.0.2.0/24.
        #[arg(long, value_name = "ADDRESS", value_parser = network)]
        address: IpNet,
        /// When, in UTC, such as 2027-01-31T12:00:00Z (default: ever).
        #[arg(long, value_name = "TIME", value_parser = moment)]
        time: Option<Timestamp>,
        /// Minutes before and after that time that are looked at.
        #[arg(long, value_name = "N", default_value_t = AROUND_MINUTES, requires = "time")]
        around: u32,
        /// One JSON object per line.
        #[arg(long)]
        jsonl: bool,
    },
    /// Follow the chain of hashes from the first line to the last; prints the hash of the last one.
    Verify {
        #[command(flatten)]
        data: Data,
        /// A hash that was printed before and noted elsewhere: it must still be in the chain.
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
pub(crate) fn run(command: &LedgerCommand, settings: &Settings) -> Result<(), Failure> {
    let ledger = |data: &Data| folder::data(data.data.as_deref(), settings).map(|folder| Ledger::of(&folder));
    match &command.action {
        Action::Find { data, address, time, around, jsonl } => {
            let around = i64::from(*around) * MINUTE_MS;
            let range = time.map_or(Range { from: Timestamp(i64::MIN), to: Timestamp(i64::MAX) }, |time| Range {
                from: time.plus_ms(-around),
                to: time.plus_ms(around),
            });
            find(&ledger(data)?, *address, range, *jsonl)
        }
        Action::Verify { data, head } => verify(&ledger(data)?, head.as_deref()),
    }
}

fn find(ledger: &Ledger, network: IpNet, range: Range, jsonl: bool) -> Result<(), Failure> {
    let (found, since) = ledger.find(network, range).map_err(unreadable)?;
    let Some(since) = since else {
        return Err(Failure::not_found("the ledger is empty: this data folder has contacted nobody on the internet"));
    };
    let mut results = Results::open(None)?;
    for entry in &found {
        if jsonl {
            results.json(&json!(entry))?;
        } else {
            results.line(&said(entry))?;
        }
    }
    results.finish()?;
    if range.from < since && range.to != Timestamp(i64::MAX) {
        hint(&format!("the ledger begins at {since}: what was before that is not known"));
    }
    if found.is_empty() {
        return Err(match range.to < since {
            true => Failure::partial(format!("nobody knows: the ledger begins at {since}")),
            false => Failure::not_found(format!("not us: nothing was sent to {network} then")),
        });
    }
    Ok(())
}

fn said(entry: &Entry) -> String {
    let ports = |name: &str, ports: &[u16]| match ports {
        [] => String::new(),
        ports => format!("  {name} {}", ports.iter().map(u16::to_string).collect::<Vec<_>>().join(",")),
    };
    format!(
        "{}  {}  {}{}{}  {} contacts  run {}  collection {}",
        entry.from,
        entry.to,
        entry.address,
        ports("tcp", &entry.tcp),
        ports("udp", &entry.udp),
        entry.contacts,
        entry.run,
        entry.collection
    )
}

fn verify(ledger: &Ledger, noted: Option<&str>) -> Result<(), Failure> {
    let head = ledger.verify(noted).map_err(unreadable)?;
    let head = head.map_err(|why| Failure::partial(format!("the ledger is not whole: {why}")))?;
    if noted.is_some() && !head.has_asked {
        return Err(Failure::partial(
            "the ledger is whole in itself, but does not have that hash: its end was cut off, or it was written anew",
        ));
    }
    let mut results = Results::open(None)?;
    results.line(&format!("whole: {} lines; the last one has the hash {}", head.lines, head.chain))?;
    results.finish()
}

fn unreadable(error: std::io::Error) -> Failure {
    Failure::run_time(format!("the ledger cannot be read: {error}"))
}
