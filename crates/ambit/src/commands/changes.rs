//! `ambit changes`: what happened in a project, in the order of commits, on a server or in a data folder.

use crate::api::{Api, Needs, OURS};
use crate::args::{Listing, Target};
use crate::config::Settings;
use crate::failure::{Failure, Result};
use crate::output::lines;
use crate::output::table::{self, Rows, text};
use crate::output::{Results, plain};
use ambit_api::Contract;
use ambit_api::changes::Change;
use ambit_model::Timestamp;
use ambit_model::feed::{Noun, What};
use serde_json::Value;

/// Rows read at once.
const PAGE: usize = 1_000;
/// Members that a term may name.
const MEMBERS: &[&str] = &["record", "what", "kind", "name", "status", "id", "collection_uuid"];

#[derive(Debug, clap::Args)]
pub(crate) struct Changes {
    /// Filter, such as `record:entity what:appeared kind:uri acme`; a repeated field means "or", `!` before a value
    /// excludes it.
    #[arg(value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    #[command(flatten)]
    pub(crate) target: Target,
    #[command(flatten)]
    pub(crate) listing: Listing,
    /// Print how often each value of a field occurs: record, what, kind …
    #[arg(long, value_name = "NAME", conflicts_with = "fields")]
    pub(crate) facet: Option<String>,
    /// List only changes after this revision.
    #[arg(long, value_name = "REVISION", default_value_t = 0)]
    pub(crate) after: i64,
    /// List only changes up to that moment (a date means the end of that day, UTC).
    #[arg(long, value_name = "DATE", value_parser = crate::args::date)]
    pub(crate) as_of: Option<Timestamp>,
    /// List only changes since then: a date, a moment, today, yesterday, 24h, 7d.
    #[arg(long, value_name = "DATE", value_parser = crate::args::since)]
    pub(crate) since: Option<Timestamp>,
    /// Also list records that were only seen again.
    #[arg(long)]
    pub(crate) seen: bool,
}

/// Runs the command.
pub(crate) async fn run(command: &Changes, settings: &Settings) -> Result<()> {
    table::check(&command.listing.fields, Change::SHAPE)?;
    let terms = terms(&command.query)?;
    if let Some(facet) = command.facet.as_deref().filter(|facet| !MEMBERS.contains(facet)) {
        return Err(Failure::usage(format!("--facet {:?}: there are {}", plain(facet), MEMBERS.join(", "))));
    }
    let api = Api::open(&command.target, settings, Needs::Rows).await?;
    let mut results = Results::open(command.listing.output.output.as_deref())?;
    let rows = Rows {
        form: command.listing.form(),
        fields: &command.listing.fields,
        usual: &["revision", "at", "record", "what", "kind", "name", "status", "person", "id", "collection_uuid"],
        line: lines::change,
        record: "change",
    };
    let mut counts: Vec<(String, u64)> = Vec::new();
    let mut count = 0_u64;
    let counting = command.listing.count || command.facet.is_some();
    if !counting {
        rows.begin(&mut results)?;
    }
    let mut after = command.after;
    'pages: loop {
        let page = api.get(&format!("{OURS}/changes?after={after}&limit={PAGE}")).await?.result;
        let changes = page["changes"].as_array().map(Vec::as_slice).unwrap_or_default();
        if changes.is_empty() {
            break;
        }
        after = page["after"].as_i64().unwrap_or(i64::MAX);
        for change in changes {
            if command.as_of.is_some_and(|end| is_after(change, end)) {
                break 'pages;
            }
            if command.since.is_some_and(|start| !is_after(change, start)) {
                continue;
            }
            if !matches(&terms, change) || (change["what"] == "seen" && !command.seen) {
                continue;
            }
            if !counting && command.listing.limit == Some(count) {
                break 'pages;
            }
            count += 1;
            match &command.facet {
                Some(member) => add(&mut counts, text(&change[member])),
                None if command.listing.count => {}
                None => rows.row(&named(change), &mut results)?,
            }
        }
    }
    if command.listing.count {
        results.line(&count.to_string())?;
    }
    counts.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    for (value, count) in counts.into_iter().take(command.listing.most()) {
        results.line(&format!("{count}\t{}", plain(&value)))?;
    }
    results.finish()
}

/// In JSON lines, `record` says that this is a change; its noun is in `noun`.
fn named(change: &Value) -> Value {
    let mut named = change.clone();
    named["noun"] = change["record"].clone();
    named
}

fn is_after(change: &Value, end: Timestamp) -> bool {
    change["at"].as_str().and_then(Timestamp::parse).is_some_and(|at| at > end)
}

fn add(counts: &mut Vec<(String, u64)>, value: String) {
    match counts.iter_mut().find(|(known, _)| *known == value) {
        Some((_, count)) => *count += 1,
        None => counts.push((value, 1)),
    }
}

/// What one member must and must not be.
#[derive(Debug, Default, PartialEq, Eq)]
struct Term {
    member: &'static str,
    any: Vec<String>,
    none: Vec<String>,
}

fn terms(query: &[String]) -> Result<Vec<Term>> {
    let mut terms: Vec<Term> = Vec::new();
    for word in query.iter().flat_map(|text| text.split_whitespace()) {
        let (name, value) = word.split_once(':').unwrap_or(("name", word));
        let member = MEMBERS.iter().find(|member| **member == name).copied();
        let member = member.ok_or_else(|| {
            let known = MEMBERS.join(", ");
            Failure::usage(format!("query: no field {:?}; there are {known}", plain(name)))
        })?;
        let index = terms.iter().position(|term| term.member == member).unwrap_or_else(|| {
            terms.push(Term { member, ..Term::default() });
            terms.len() - 1
        });
        let (list, value) = match value.strip_prefix('!') {
            Some(not) => (&mut terms[index].none, not.to_lowercase()),
            None => (&mut terms[index].any, value.to_lowercase()),
        };
        let known = values(member);
        if !known.is_empty() && !known.contains(&value.as_str()) {
            let known = known.join(", ");
            return Err(Failure::usage(format!("query: {member}:{:?}: there are {known}", plain(&value))));
        }
        list.push(value);
    }
    Ok(terms)
}

/// All values of a member; none where any text may be one.
fn values(member: &str) -> Vec<&'static str> {
    match member {
        "record" => Noun::ALL.iter().map(|noun| noun.name()).collect(),
        "what" => What::ALL.iter().map(|what| what.name()).collect(),
        _ => Vec::new(),
    }
}

/// Names contain what is asked for; everything else is equal to it. Case never matters.
fn matches(terms: &[Term], change: &Value) -> bool {
    terms.iter().all(|term| {
        let value = text(&change[term.member]).to_lowercase();
        let is = |wanted: &String| {
            if term.member == "name" { value.contains(wanted.as_str()) } else { value == *wanted }
        };
        (term.any.is_empty() || term.any.iter().any(is)) && !term.none.iter().any(is)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn terms_choose_changes() {
        let change = json!({"record": "entity", "what": "appeared", "kind": "Uri", "name": "https://www.acme.test"});
        for (query, expected) in [
            ("", true),
            ("record:entity what:appeared", true),
            ("what:changed what:appeared", true),
            ("what:!appeared", false),
            ("kind:uri acme", true),
            ("kind:domain", false),
            ("name:other", false),
        ] {
            let terms = terms(&[query.to_owned()]).expect("parses");
            assert_eq!(matches(&terms, &change), expected, "{query}");
        }
        for refused in ["noun:entity", "what:new", "record:!site"] {
            assert!(terms(&[refused.to_owned()]).is_err(), "{refused}");
        }
    }
}
