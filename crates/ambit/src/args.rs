//! Arguments that several commands take: where they work, how results are printed, and the values that are read alike.

use crate::output::table::Form;
use ambit_api::Words;
use ambit_model::moment::{DAY_MS, HOUR_MS, MINUTE_MS};
use ambit_model::ports::PortList;
use ambit_model::{Clearance, DueDays, SkippedTasks, Timestamp};
use clap::Args;
use std::path::PathBuf;

/// Where the data folder is.
#[derive(Clone, Debug, Args)]
pub(crate) struct Data {
    /// Data folder (default: AMBIT_DATA, else ambit in the user's data directory).
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
}

/// Where a client command works: on a server, or on a data folder.
#[derive(Clone, Debug, Args)]
pub(crate) struct Target {
    /// Data folder (default: AMBIT_DATA, else ambit in the user's data directory); overrides a configured server.
    #[arg(long, value_name = "DIR", global = true, conflicts_with = "server")]
    pub(crate) data: Option<PathBuf>,
    /// Server, such as https://ambit.example.org (default: AMBIT_SERVER). The API key is read from AMBIT_API_KEY, since
    /// other users can see command lines.
    #[arg(long, value_name = "URL", global = true)]
    pub(crate) server: Option<String>,
    /// Project, by number, uuid or name (default: AMBIT_PROJECT, else your primary project).
    #[arg(long, value_name = "ID", global = true)]
    pub(crate) project: Option<String>,
    /// PEM file with certificate authorities to trust for the server, beside the built-in ones.
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) ca: Option<PathBuf>,
}

/// How the rows of a short list are printed.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Lines {
    /// One JSON object per line.
    #[arg(long)]
    pub(crate) jsonl: bool,
}

/// A client command of several actions.
#[derive(Debug, Args)]
pub(crate) struct Client<A: clap::Subcommand> {
    #[command(flatten)]
    pub(crate) target: Target,
    #[command(subcommand)]
    pub(crate) action: A,
}

/// How results are printed.
#[derive(Clone, Debug, Args)]
pub(crate) struct Output {
    /// One JSON object per line.
    #[arg(long)]
    pub(crate) jsonl: bool,
    /// Write results to a file instead of standard output.
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// How a list of records is printed.
#[derive(Clone, Debug, Args)]
pub(crate) struct Listing {
    #[command(flatten)]
    pub(crate) output: Output,
    /// Comma-separated values with a header line. Text that a spreadsheet would evaluate is prefixed with an
    /// apostrophe.
    #[arg(long, conflicts_with = "jsonl")]
    csv: bool,
    /// Fields to print, comma-separated; nested fields with dots: name,summary.http.title
    #[arg(long, visible_alias = "columns", value_name = "LIST", value_delimiter = ',')]
    pub(crate) fields: Vec<String>,
    /// Print only the number of records.
    #[arg(long, conflicts_with_all = ["facet", "fields", "csv"])]
    pub(crate) count: bool,
    /// Print at most this many records, or values of a facet.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
}

impl Listing {
    /// Returns how many lines are printed at most.
    pub(crate) fn most(&self) -> usize {
        self.limit.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX))
    }

    /// Returns the form that the flags ask for.
    pub(crate) fn form(&self) -> Form {
        match (self.output.jsonl, self.csv) {
            (true, _) => Form::Jsonl,
            (false, true) => Form::Csv,
            (false, false) => Form::Text,
        }
    }
}

/// Reads a moment, or a date, which means the end of that day.
pub(crate) fn date(text: &str) -> Result<Timestamp, String> {
    Timestamp::parse_end(text)
        .ok_or_else(|| "expected a date such as 2027-01-31 or a moment such as 2027-01-31T12:00:00Z".to_owned())
}

/// Reads the moment from which something is told: a date means its midnight, `today` and `yesterday` the midnight of
/// that day (UTC), and `24h`, `7d` or `2w` that long ago.
pub(crate) fn since(text: &str) -> Result<Timestamp, String> {
    since_at(text, crate::clock::now()).ok_or_else(|| {
        "expected a date such as 2027-01-31, a moment, today, yesterday, or a time such as 24h, 7d".to_owned()
    })
}

fn since_at(text: &str, now: Timestamp) -> Option<Timestamp> {
    match text {
        "today" => return Some(now.day_start()),
        "yesterday" => return Some(now.day_start().plus_ms(-DAY_MS)),
        _ => {}
    }
    let unit = match text.chars().last()? {
        'm' => MINUTE_MS,
        'h' => HOUR_MS,
        'd' => DAY_MS,
        'w' => 7 * DAY_MS,
        _ => return Timestamp::parse(text),
    };
    let count: i64 = text[..text.len() - 1].parse().ok().filter(|count| *count >= 0)?;
    Some(now.plus_ms(-count.checked_mul(unit)?))
}

/// Which TCP ports are asked.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Ports {
    /// TCP ports to probe on addresses and blocks instead of the default ones: 80,443,8000-8100, or all.
    #[arg(long, value_name = "LIST", value_parser = ports, conflicts_with = "top_ports")]
    ports: Option<PortList>,
    /// Probe the N most common TCP ports instead; all means 1 to 65535.
    #[arg(long, value_name = "N|all", value_parser = top_ports)]
    top_ports: Option<PortList>,
}

impl Ports {
    /// Returns the ports that the flags ask for.
    pub(crate) fn asked(&self) -> Option<&PortList> {
        self.ports.as_ref().or(self.top_ports.as_ref())
    }
}

/// Which tasks take part.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Tasks {
    /// Skip these tasks, by name: udp_sweep,content_focus. What they would find stays unknown.
    #[arg(long, value_name = "TASKS", value_parser = tasks, conflicts_with = "only")]
    skip: Option<SkippedTasks>,
    /// Skip all tasks except these.
    #[arg(long, value_name = "TASKS", value_parser = tasks)]
    only: Option<SkippedTasks>,
}

impl Tasks {
    /// Returns the tasks that the flags leave out.
    pub(crate) fn skipped(&self) -> SkippedTasks {
        let kept = self.only.as_ref().map(SkippedTasks::all_but);
        self.skip.clone().or(kept).unwrap_or_default()
    }
}

/// Reads names of tasks.
pub(crate) fn tasks(text: &str) -> Result<SkippedTasks, String> {
    let tasks: SkippedTasks = text.parse()?;
    if tasks.is_empty() { Err("expected names of tasks such as udp_sweep,content_focus".to_owned()) } else { Ok(tasks) }
}

/// Reads a list of ports.
fn ports(text: &str) -> Result<PortList, String> {
    text.parse()
}

/// Reads a number of most common ports.
fn top_ports(text: &str) -> Result<PortList, String> {
    if text == "all" {
        return Ok(PortList::all());
    }
    // What is no number at all is refused like one that is too large.
    PortList::top(text.parse().unwrap_or(0))
}

/// Reads one of the words of a closed list.
pub(crate) fn word<T: Words>(text: &str) -> Result<T, String> {
    T::from_word(text).ok_or_else(|| T::refusal(text).replacen("must be", "expected", 1))
}

/// Reads a level of loudness.
pub(crate) fn level(word: &str) -> Result<Clearance, String> {
    Clearance::from_level(word).ok_or_else(|| "expected passive, polite, normal or intensive".to_owned())
}

/// Days until issues are due, by severity, in their one spelling; or the word for those of the installation.
pub(crate) fn due_days(text: &str) -> Result<String, String> {
    match text {
        "default" => Ok(text.to_owned()),
        _ => text.parse::<DueDays>().map(|days| days.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_past_is_named_as_people_name_it() {
        let now = Timestamp::parse("2026-11-23T10:30:00Z").expect("a moment");
        for (text, expected) in [
            ("today", "2026-11-23T00:00:00.000Z"),
            ("yesterday", "2026-11-22T00:00:00.000Z"),
            ("90m", "2026-11-23T09:00:00.000Z"),
            ("24h", "2026-11-22T10:30:00.000Z"),
            ("7d", "2026-11-16T10:30:00.000Z"),
            ("2w", "2026-11-09T10:30:00.000Z"),
            ("2026-11-01", "2026-11-01T00:00:00.000Z"),
            ("2026-11-01T05:00:00Z", "2026-11-01T05:00:00.000Z"),
        ] {
            assert_eq!(since_at(text, now).map(|moment| moment.to_string()).as_deref(), Some(expected), "{text}");
        }
        for wrong in ["", "h", "-1h", "1.5d", "99999999999999999999d", "9223372036854775807w", "last week", "é"] {
            assert_eq!(since_at(wrong, now), None, "{wrong}");
        }
    }
}
