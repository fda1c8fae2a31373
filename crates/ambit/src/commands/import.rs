//! `ambit import`: what another tool saw, read from its file and brought into a collection, on a server or in a data
//! folder. The file is read whole before anything is sent; nothing is contacted.

use crate::api::{Api, Needs, OURS, naming};
use crate::args::Target;
use crate::clock::now;
use crate::config::Settings;
use crate::failure::Failure;
use crate::output::table::text;
use crate::output::{Results, plain};
use ambit_import::Account;
use ambit_model::Timestamp;
use ambit_model::entity::imported::{Sighted, Source, is_on_a_host};
use ambit_model::percent::escaped;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Bytes of a file at most: it is held in memory.
const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Things of one call, as many as the server takes.
const SIGHTED_MAX: usize = 1_000;
/// Things whose scope waits for a decision over the whole collection, after which it is asked for: it has to write all
/// of them within the time of one request.
const UNDECIDED_MAX: u64 = 10_000;
/// Things that are named where they were left out.
const NAMED_MAX: usize = 5;

#[derive(Debug, clap::Args)]
pub(crate) struct Import {
    #[command(flatten)]
    target: Target,
    /// The tool or format of the file: nmap (-oX), masscan, naabu (-json), httpx (-json), nuclei (-jsonl), bbot, amass,
    /// csv (a table), gti (answers of the hosted product's API), openapi, postman, graphql or terraform.
    #[arg(long, value_name = "TOOL", value_parser = source)]
    from: Source,
    /// The collection's name or uuid (default: the only one of the project).
    #[arg(long, value_name = "COLLECTION")]
    collection: Option<String>,
    /// When it was seen, if the file does not say so (default: when the file was last modified).
    #[arg(long, value_name = "DATE", value_parser = crate::args::date)]
    seen: Option<Timestamp>,
    /// URL of the service that a GraphQL schema describes; the file does not contain it.
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// The file; - is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

fn source(word: &str) -> Result<Source, String> {
    let known = || Source::ALL.iter().map(|source| source.name()).collect::<Vec<_>>().join(", ");
    Source::from_name(word).ok_or_else(|| format!("expected one of {}", known()))
}

/// Runs the command.
pub(crate) async fn run(command: &Import, settings: &Settings) -> Result<(), Failure> {
    let shown = plain(&command.file.display().to_string());
    let (content, written) = content(&command.file, &shown)?;
    let usual = command.seen.unwrap_or(written).min(now());
    let read = ambit_import::read(command.from, &content, usual, command.endpoint.as_deref())
        .map_err(|error| Failure::usage(format!("{shown}: {}", plain(&error.to_string()))))?;
    let api = Api::open(&command.target, settings, Needs::Rows).await?;
    let uuid = match &command.collection {
        Some(typed) => naming::collection(&api, typed).await?,
        None => only(&api).await?,
    };
    let target = format!("{OURS}/user_collections/{}/imports", escaped(&uuid));
    let mut account = match &read.account {
        Some(account) => Some(state(account, &command.file, usual)?),
        None => None,
    };
    let mut sums = Sums::default();
    // Owned entities come first, and entities on a host come after all hosts, because they are accepted with them.
    let mut ordered: Vec<&Sighted> = read.sighted.iter().collect();
    ordered.sort_by_key(|one| (!one.owned, is_on_a_host(one.kind)));
    // A state that holds nothing says so.
    let parts = ordered.len().div_ceil(SIGHTED_MAX).max(usize::from(account.is_some()));
    for number in 1..=parts {
        let part = ordered.iter().skip((number - 1) * SIGHTED_MAX).take(SIGHTED_MAX);
        let sightings: Vec<Value> = part.map(|one| sighting(one)).collect();
        let goes_on = number < parts && sums.undecided < UNDECIDED_MAX;
        let mut body = json!({"source": command.from.name(), "sightings": sightings, "goes_on": goes_on});
        if let Some(account) = &mut account {
            account["whole"] = json!(number == parts);
            body["account"] = account.clone();
        }
        let answered = api.post(&target, body).await;
        let answered = answered.map_err(|failure| stopped(failure, sums.accepted, ordered.len()))?.result;
        sums.add(&answered, goes_on);
        if let Some(account) = account.as_mut().filter(|account| account["since"].is_null()) {
            account["since"] = answered["at"].clone();
        }
    }
    let mut results = Results::open(None)?;
    sums.print(&read, &mut results)?;
    if let Some(account) = &account {
        let name = plain(&text(&account["name"]));
        results.line(&format!("what the state manages is yours while {name} is a seed of the collection"))?;
    }
    results.finish()
}

/// A state as the account of what it manages, by its lineage, or by the name of the file where it has none.
fn state(account: &Account, path: &Path, seen_at: Timestamp) -> Result<Value, Failure> {
    let file = path.file_name().filter(|_| path.as_os_str() != "-").map(|name| name.to_string_lossy().into_owned());
    let name = account.lineage.clone().or_else(|| file.clone()).ok_or_else(|| {
        Failure::usage("-: the state has no lineage: give it as a file, whose name then identifies it")
    })?;
    let said = [("file", file.map(|file| clipped(&file))), ("terraform_version", Some(clipped(&account.version)))];
    let said = said.into_iter().filter_map(|(word, text)| Some((word, text.filter(|text| !text.is_empty())?)));
    let says: BTreeMap<&str, String> = said.collect();
    let name = format!("terraform:{name}");
    Ok(json!({"name": name, "serial": account.serial, "seen_at": seen_at, "says": says}))
}

/// As much of a text as is kept of what a tool says.
fn clipped(text: &str) -> String {
    plain(text).chars().take(ambit_api::imports::SAYS_CHARS_MAX).collect()
}

/// The text of a file, and when it was written last; of standard input, now.
fn content(path: &Path, shown: &str) -> Result<(String, Timestamp), Failure> {
    let cannot = |error: std::io::Error| Failure::usage(format!("{shown}: {error}"));
    let mut bytes = Vec::new();
    let mut written = now();
    if path.as_os_str() == "-" {
        std::io::stdin().take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(cannot)?;
    } else {
        let file = std::fs::File::open(path).map_err(cannot)?;
        let modified = file.metadata().and_then(|data| data.modified()).map_err(cannot)?;
        if let Ok(since) = modified.duration_since(std::time::UNIX_EPOCH) {
            written = i64::try_from(since.as_millis()).map_or(written, Timestamp);
        }
        file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(cannot)?;
    }
    if bytes.len() as u64 > FILE_BYTES_MAX {
        let most = FILE_BYTES_MAX / 1024 / 1024;
        return Err(Failure::usage(format!("{shown}: it has more than {most} MiB; import it in parts")));
    }
    let text = ambit_import::text(bytes).map_err(|error| Failure::usage(format!("{shown}: {error}")))?;
    Ok((text, written))
}

/// The collection of a project that has one.
async fn only(api: &Api) -> Result<String, Failure> {
    match naming::collections(api).await?.as_slice() {
        [one] => Ok(text(&one["uuid"])),
        [] => Err(Failure::not_found("there is no collection; `ambit collection create` makes one")),
        _ => Err(Failure::usage("there are several collections: choose one with --collection")),
    }
}

/// What is imported stays: the same command again adds the rest.
fn stopped(failure: Failure, accepted: u64, of: usize) -> Failure {
    if accepted == 0 {
        return failure;
    }
    failure.beside(&format!("{accepted} of {of} are imported, and the same command adds the rest"))
}

fn sighting(one: &Sighted) -> Value {
    let Sighted { kind, name, seen_at, says, owned, resource_type, configuration } = one;
    let mut sighting = json!({"type": kind.name(), "name": name, "seen_at": seen_at, "says": says, "owned": owned});
    if let Some(what) = resource_type {
        sighting["resource_type"] = json!(what);
        sighting["configuration"] = json!(configuration);
    }
    sighting
}

#[derive(Default)]
struct Sums {
    accepted: u64,
    new_entities: u64,
    /// Since the last decision over the whole collection.
    undecided: u64,
    too_old: u64,
    outside: u64,
    first_outside: Vec<String>,
    closed: u64,
}

impl Sums {
    fn add(&mut self, part: &Value, goes_on: bool) {
        let count = |member: &str| part[member].as_u64().unwrap_or_default();
        self.accepted += count("accepted");
        self.new_entities += count("new_entities");
        self.undecided = if goes_on { self.undecided + count("undecided") } else { 0 };
        self.too_old += count("too_old");
        self.outside += count("outside");
        self.closed += count("closed");
        let first = part["first_outside"].as_array().into_iter().flatten().map(|one| text(&one["name"]));
        self.first_outside.extend(first);
        self.first_outside.truncate(NAMED_MAX);
    }

    fn print(&self, read: &ambit_import::Import, results: &mut Results) -> Result<(), Failure> {
        let of = read.sighted.len();
        results.line(&format!("{} of {of} imported, {} new entities", self.accepted, self.new_entities))?;
        if self.outside > 0 {
            let named = self.first_outside.iter().map(|name| plain(name)).collect::<Vec<_>>().join(", ");
            let more = if self.outside > NAMED_MAX as u64 { ", …" } else { "" };
            results.line(&format!(
                "{} left out: nothing in the collection leads to them ({named}{more}); add a seed if they are yours",
                self.outside
            ))?;
        }
        if self.closed > 0 {
            results.line(&format!("{} closed: an earlier state contained them, this one does not", self.closed))?;
        }
        if self.too_old > 0 {
            results.line(&format!("{} left out: seen more than 90 days ago", self.too_old))?;
        }
        if read.left_out > 0 {
            results.line(&format!("{} left out: not of a kind that is imported, or not a name", read.left_out))?;
        }
        for note in &read.notes {
            results.line(&plain(note))?;
        }
        Ok(())
    }
}
