//! How well the suppliers of a collection protect what everybody can see of them, as a list of domains or of
//! organisations.

use crate::api::{Api, OURS};
use crate::failure::Result;
use crate::output::table::{items, shown, text};
use crate::output::{Results, assessments, plain};
use ambit_model::Timestamp;
use ambit_model::entity::posture::Area;
use ambit_model::percent::escaped;
use serde::Deserialize as _;
use serde_json::Value;

#[derive(Debug, clap::Args)]
pub(crate) struct Asked {
    /// Score the organisations that registered the domains, each by its weakest domain.
    #[arg(long)]
    by_organization: bool,
    /// Show the state at that moment (a date means the end of that day, UTC).
    #[arg(long, value_name = "DATE", value_parser = crate::args::date)]
    as_of: Option<Timestamp>,
    /// One JSON object per line, with every reason and supplier, or the scores that an organisation had.
    #[arg(long)]
    jsonl: bool,
}

/// Prints the posture of each seed that has one, or of each organisation, the worst first: a line with its weightiest
/// reasons, or a JSON object.
pub(super) async fn show(api: &Api, target: &str, asked: &Asked, results: &mut Results) -> Result<()> {
    let found = api.get(target).await?.result;
    let moment = asked.as_of.map_or_else(String::new, |at| format!("?as_of={}", escaped(&at.to_string())));
    let (list, line): (_, fn(&Value) -> String) =
        if asked.by_organization { ("organization_postures", of_organization) } else { ("postures", of_domain) };
    let path = format!("{OURS}/user_collections/{}/{list}{moment}", escaped(&text(&found["uuid"])));
    let rows = api.list(&path).await?;
    if rows.is_empty() {
        let what = "no domain among its seeds has a posture: the workflow third_party_workflow gives one";
        crate::output::hint(&format!("ambit: {what}"));
    }
    rows.iter().try_for_each(|row| results.row(row, asked.jsonl, line))
}

/// ` 57 E  globex.test (Globex Ltd): has no encrypted site; …`
fn of_domain(row: &Value) -> String {
    let organization = row["organization"].as_str().map_or_else(String::new, |name| format!(" ({})", plain(name)));
    format!("{}{organization}: {}", head(row, &text(&row["name"])), worst(row))
}

/// ` 57 E  Globex Ltd (globex.test 57, globex.example 92): has no encrypted site; …`
fn of_organization(row: &Value) -> String {
    let domains: Vec<String> =
        items(&row["domains"]).map(|of| format!("{} {}", shown(of, "name"), text(&of["score"]))).collect();
    let name = row["organization"].as_str().unwrap_or("registrant not published");
    format!("{} ({}): {}", head(row, name), domains.join(", "), worst(row))
}

fn head(row: &Value, name: &str) -> String {
    format!("{:>3} {}  {}", row["score"], text(&row["grade"]), plain(name))
}

fn worst(row: &Value) -> String {
    let worst: Vec<String> =
        items(&row["findings"]).take(assessments::WORST).map(|finding| shown(finding, "text")).collect();
    let said = if worst.is_empty() { "no findings".to_owned() } else { worst.join("; ") };
    let unknown: Vec<&str> =
        items(&row["unknown"]).filter_map(|area| Area::deserialize(area).ok()).map(Area::words).collect();
    if unknown.is_empty() { said } else { format!("{said}; not known: {}", unknown.join(", ")) }
}
