//! `ambit entities`, `ambit issues`, `ambit technologies`: searches, on a server or a data folder.

use crate::api::{ASM, Api, Needs};
use crate::args::{Listing, Target};
use crate::config::Settings;
use crate::failure::{Failure, Result};
use crate::output::lines;
use crate::output::table::{self, Rows};
use crate::output::{Results, hint, plain};
use ambit_api::entities::EntityHit;
use ambit_api::issues::IssueHit;
use ambit_api::search::{COMPLETED, neutral_name};
use ambit_api::technologies::TechnologyHit;
use ambit_api::{Contract, Shape};
use ambit_model::Timestamp;
use ambit_model::percent::escaped;
use ambit_query::{Noun, parse_search};
use serde_json::{Value, json};

/// Rows asked for at once.
const PAGE_SIZE: u64 = 500;

#[derive(Debug, clap::Args)]
pub(crate) struct Search {
    /// Search string, such as `type:uri technology:nginx last_seen_after:last_refresh`.
    #[arg(value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    #[command(flatten)]
    pub(crate) target: Target,
    #[command(flatten)]
    pub(crate) listing: Listing,
    /// Print how often each value of an aggregation occurs, instead of the records: entity_type, technology, severity …
    #[arg(long, value_name = "NAME", conflicts_with = "fields")]
    pub(crate) facet: Vec<String>,
    /// Sort by a field, such as first_seen, name or summary.severity (default: issues worst first, others by
    /// last_seen).
    #[arg(long, value_name = "FIELD")]
    pub(crate) sort: Option<String>,
    /// Sort in descending order.
    #[arg(long)]
    pub(crate) descending: bool,
    /// Show the state at that moment (a date means the end of that day, UTC).
    #[arg(long, value_name = "DATE", value_parser = crate::args::date)]
    pub(crate) as_of: Option<Timestamp>,
    /// What changed between two moments; the query narrows it by `change:appeared`, `change:changed` or
    /// `change:disappeared`.
    #[arg(long, value_name = "DATE,DATE", conflicts_with = "as_of")]
    pub(crate) between: Option<String>,
}

/// What differs between the nouns.
struct Shown {
    noun: Noun,
    record: &'static str,
    hit: &'static Shape,
    usual: &'static [&'static str],
    line: fn(&Value) -> String,
}

fn shown(noun: Noun) -> Shown {
    match noun {
        Noun::Entities => Shown {
            noun,
            record: "entity",
            hit: EntityHit::SHAPE,
            usual: &[
                "type",
                "name",
                "summary.scoped",
                "summary.resolutions",
                "summary.http.code",
                "summary.http.title",
                "summary.technology.technologies",
                "summary.issues.current_count",
                "tags",
                "first_seen",
                "last_seen",
                "collection",
                "id",
            ],
            line: lines::entity,
        },
        Noun::Issues => Shown {
            noun,
            record: "issue",
            hit: IssueHit::SHAPE,
            usual: &[
                "summary.severity",
                "name",
                "pretty_name",
                "entity_type",
                "entity_name",
                "summary.confidence",
                "summary.status",
                "tags",
                "first_seen",
                "last_seen",
                "collection",
                "id",
            ],
            line: lines::issue,
        },
        Noun::Technologies => Shown {
            noun,
            record: "technology",
            hit: TechnologyHit::SHAPE,
            usual: &[
                "name",
                "vendor",
                "product",
                "version",
                "cpe",
                "entity_count",
                "vulns",
                "first_seen",
                "last_seen",
                "collection",
                "id",
            ],
            line: lines::technology,
        },
    }
}

/// Runs the search.
pub(crate) async fn run(command: &Search, noun: Noun, settings: &Settings) -> Result<()> {
    let shown = shown(noun);
    table::check(&command.listing.fields, shown.hit)?;
    let query = query(&command.query.join(" "), noun, command.between.is_some())?;
    let api = Api::open(&command.target, settings, Needs::Index).await?;
    let mut results = Results::open(command.listing.output.output.as_deref())?;
    let target = target(command, &shown, &query);
    if command.listing.count {
        let reply = page(&api, &format!("{target}page_size=0")).await?;
        results.line(&reply["total_hits"].to_string())?;
    } else if command.facet.is_empty() {
        records(&api, command, &shown, &target, &mut results).await?;
    } else {
        let reply = page(&api, &format!("{target}page_size=0")).await?;
        for name in &command.facet {
            facet(command, name, &reply["aggregations"], &mut results)?;
        }
    }
    results.finish()
}

/// What a person typed. The contract answers an unknown keyword with no hits: whoever counts them, or reads a document
/// without rows, would take that for good news.
pub(crate) fn parsed(text: &str, noun: Noun) -> Result<ambit_query::Search> {
    let search = parse_search(text, noun).map_err(|error| Failure::usage(format!("query: {error}")))?;
    match search.unknown.first() {
        Some(unknown) => Err(Failure::usage(format!("query: {unknown}; docs/search.md has all of them"))),
        None => Ok(search),
    }
}

/// Commands print what is there now, unless the query says otherwise (docs/architecture.md §1.3).
fn query(text: &str, noun: Noun, between: bool) -> Result<String> {
    let search = parsed(text, noun)?;
    let says = search.clauses.iter().any(|clause| matches!(clause.keyword.name, "present" | "change"));
    Ok(match noun {
        Noun::Entities | Noun::Technologies if !says && !between => format!("{text} present:true"),
        Noun::Entities | Noun::Issues | Noun::Technologies => text.to_owned(),
    })
}

fn target(command: &Search, shown: &Shown, query: &str) -> String {
    let mut target = format!("{ASM}/search/{}/{}?", shown.noun.as_str(), escaped(query.trim()));
    if let Some(moment) = command.as_of {
        target.push_str(&format!("as_of={}&", escaped(&moment.to_string())));
    }
    let sort = command.sort.as_deref().or((shown.noun == Noun::Issues).then_some("summary.severity"));
    if let Some(sort) = sort {
        target.push_str(&format!("sort_field={}&", escaped(sort)));
    }
    if command.descending {
        target.push_str("sort_direction=desc&");
    }
    if let Some(between) = &command.between {
        target.push_str(&format!("between={}&", escaped(between)));
    }
    target
}

/// Fetches one page, and prints the notes of the server.
async fn page(api: &Api, target: &str) -> Result<Value> {
    let reply = api.get(target).await?;
    if reply.result["timed_out"] == true {
        return Err(Failure::run_time(format!("{}; narrow the query", reply.message)));
    }
    // Values that the index alone knows.
    if let Some(unknown) = reply.message.strip_prefix("no hits: ").filter(|why| why.starts_with("unknown ")) {
        return Err(Failure::usage(format!("query: {unknown}")));
    }
    if reply.message != COMPLETED {
        hint(&reply.message);
    }
    Ok(reply.result)
}

async fn records(api: &Api, command: &Search, shown: &Shown, target: &str, results: &mut Results) -> Result<()> {
    let rows = Rows {
        form: command.listing.form(),
        fields: &command.listing.fields,
        usual: shown.usual,
        line: shown.line,
        record: shown.record,
    };
    rows.begin(results)?;
    let mut left = command.listing.limit.unwrap_or(u64::MAX);
    let mut token = String::new();
    while left > 0 {
        let size = left.min(PAGE_SIZE);
        let more = if token.is_empty() { String::new() } else { format!("&page_token={token}") };
        let reply = page(api, &format!("{target}page_size={size}&aggregations=false{more}")).await?;
        for hit in table::items(&reply["hits"]) {
            rows.row(hit, results)?;
            left -= 1;
        }
        match reply["next_page_token"].as_str() {
            Some(next) => token = escaped(next),
            None => break,
        }
    }
    Ok(())
}

/// The values of one aggregation, the most frequent first.
fn facet(command: &Search, wanted: &str, aggregations: &Value, results: &mut Results) -> Result<()> {
    let all: Vec<(&str, &Value)> = aggregations
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| (neutral_name(name).trim_end_matches("_bucket"), value))
        .collect();
    let asked = wanted.trim_end_matches("_bucket");
    let found = all.iter().find(|(name, _)| *name == asked);
    let (name, value) = found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        Failure::usage(format!("--facet {:?}: there are {}", plain(wanted), names.join(", ")))
    })?;
    let rows = Rows {
        form: command.listing.form(),
        fields: &[],
        usual: &["facet", "key", "count"],
        line: |row| format!("{}\t{}", table::text(&row["count"]), table::shown(row, "key")),
        record: "facet",
    };
    rows.begin(results)?;
    if let Some(sum) = value.get("value") {
        return rows.row(&json!({"facet": name, "key": name, "count": sum}), results);
    }
    let buckets = value["buckets"].as_array().map(Vec::as_slice).unwrap_or_default();
    let (shown, cut) = buckets.split_at(command.listing.most().min(buckets.len()));
    for bucket in shown {
        rows.row(&json!({"facet": name, "key": bucket["key"], "count": bucket["doc_count"]}), results)?;
    }
    let count = |bucket: &Value| bucket["doc_count"].as_u64().unwrap_or_default();
    let others = value["sum_other_doc_count"].as_u64().unwrap_or_default() + cut.iter().map(count).sum::<u64>();
    if others > 0 {
        hint(&format!("{name}: {others} more in values that are not listed"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gone_entities_are_left_out_unless_asked_for() {
        for (text, noun, expected) in [
            ("type:uri", Noun::Entities, "type:uri present:true"),
            ("present:false", Noun::Entities, "present:false"),
            ("severity:1", Noun::Issues, "severity:1"),
        ] {
            assert_eq!(query(text, noun, false).expect("parses"), expected);
        }
        assert_eq!(query("hidden:perhaps", Noun::Entities, false).expect_err("is refused").code, crate::failure::USAGE);
    }
}
