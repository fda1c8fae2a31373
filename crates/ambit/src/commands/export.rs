//! `ambit export`: what a search finds as a document that other programs and people read, from a server or a data
//! folder. Rows come page by page and go out as they come.

use crate::api::{Api, Needs, OURS};
use crate::args::Target;
use crate::clock::now;
use crate::commands::search::parsed;
use crate::config::Settings;
use crate::failure::{Failure, Result};
use crate::output::{Results, hint};
use ambit_api::exports::{ExportRows, PROBED_MAX};
use ambit_export::{Document, FORMATS, Format, Head};
use ambit_model::Timestamp;
use ambit_model::percent::escaped;
use ambit_query::Noun;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Export {
    /// Search string (default: open issues; for html all issues; for entities those that are present).
    #[arg(value_name = "QUERY")]
    query: Vec<String>,
    #[command(flatten)]
    target: Target,
    /// csv, jsonl, sarif, vex, defectdojo, ocsf, stix or html.
    #[arg(short, long, value_parser = format)]
    format: &'static Format,
    /// What to write: issues, or entities (csv, jsonl and stix only).
    #[arg(long, value_name = "NOUN", default_value = "issues")]
    of: Of,
    /// Mark what appeared or disappeared since then, in formats that can show it: a date, a moment, yesterday, 24h.
    #[arg(long, value_name = "DATE", value_parser = crate::args::since)]
    since: Option<Timestamp>,
    /// Show the state at that moment (a date means the end of that day, UTC).
    #[arg(long, value_name = "DATE", value_parser = crate::args::date)]
    as_of: Option<Timestamp>,
    /// Write to a file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Of {
    Issues,
    Entities,
}

fn format(word: &str) -> Result<&'static Format, String> {
    let known = || FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ");
    ambit_export::format(word).ok_or_else(|| format!("expected one of {}", known()))
}

/// Runs the command.
pub(crate) async fn run(export: &Export, settings: &Settings) -> Result<()> {
    if export.of == Of::Entities && !export.format.takes_assets() {
        let can = FORMATS.iter().filter(|format| format.takes_assets()).map(|format| format.name);
        let can: Vec<&str> = can.collect();
        let name = export.format.name;
        return Err(Failure::usage(format!(
            "--format {name} supports only issues; for entities use {}",
            can.join(", ")
        )));
    }
    let query = query(export)?;
    let api = Api::open(&export.target, settings, Needs::Index).await?;
    let mut results = Results::open(export.output.as_deref())?;
    let head = Head {
        made_at: now(),
        query: query.clone(),
        of_entities: export.of == Of::Entities,
        since: export.since,
        as_of: export.as_of,
        version: env!("CARGO_PKG_VERSION"),
    };
    let mut document = Document::new(export.format, head);
    let of = if export.of == Of::Entities { "entities" } else { "issues" };
    let mut target = format!("{OURS}/export_rows?of={of}&search_string={}", escaped(query.trim()));
    if let Some(moment) = export.as_of {
        target.push_str(&format!("&as_of={}", escaped(&moment.to_string())));
    }
    if let Some(moment) = export.since {
        target.push_str(&format!("&since={}", escaped(&moment.to_string())));
    }
    let mut token = String::new();
    let mut probed = if export.format.takes_probes { PROBED_MAX } else { 0 };
    loop {
        let reply = api.get(&format!("{target}&probed={probed}{token}")).await?;
        if reply.message != "Rows" && token.is_empty() {
            hint(&reply.message);
        }
        let rows: ExportRows = serde_json::from_value(reply.result)
            .map_err(|error| Failure::run_time(format!("the answer cannot be read: {error}")))?;
        let with_probes = rows.findings.iter().filter(|finding| finding.probes.0.is_some()).count();
        probed = probed.saturating_sub(u64::try_from(with_probes).unwrap_or(u64::MAX));
        write(&rows, &mut document, &mut results)?;
        match rows.next_page_token {
            Some(next) => token = format!("&page_token={}", escaped(&next)),
            None => break,
        }
    }
    results.text(&document.end())?;
    results.finish()
}

fn write(rows: &ExportRows, document: &mut Document, results: &mut Results) -> Result<()> {
    for finding in &rows.findings {
        document.finding(finding).map_err(|error| Failure::run_time(error.to_string()))?;
    }
    for asset in &rows.assets {
        document.asset(asset).map_err(|error| Failure::run_time(error.to_string()))?;
    }
    results.text(&document.take())
}

/// The search that was typed, or the one that the format means where none was.
fn query(export: &Export) -> Result<String> {
    let noun = if export.of == Of::Entities { Noun::Entities } else { Noun::Issues };
    let typed = export.query.join(" ");
    let search = parsed(&typed, noun)?;
    Ok(match noun {
        Noun::Entities if search.clauses.iter().any(|clause| clause.keyword.name == "present") => typed,
        Noun::Entities => format!("{typed} present:true"),
        _ if typed.trim().is_empty() => export.format.usual_query.to_owned(),
        _ => typed,
    })
}
