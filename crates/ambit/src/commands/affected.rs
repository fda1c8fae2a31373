//! `ambit affected`: who is concerned by a vulnerability, and why; also whoever shows the product in a version that
//! nobody knows, and repositories whose lock files name a package that it concerns. Asks a server or a data folder for
//! technologies and entities; what is known of the vulnerability comes from the packs of the data folder, else from our
//! own list.

use crate::api::{ASM, Api, Needs};
use crate::args::{Output, Target};
use crate::config::Settings;
use crate::failure::{Failure, Result};
use crate::output::lines::kind;
use crate::output::table::{items, shown, text};
use crate::output::{Results, hint};
use crate::workspace::{self, PACKS_FOLDER};
use crate::{api, folder};
use ambit_model::Kind;
use ambit_model::entity::repository::{PACKAGES, Package};
use ambit_model::percent::escaped;
use ambit_vulns::vulnerability::{Id, Vulnerability};
use ambit_vulns::{Concern, concern};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Rows asked for at once.
const PAGE_SIZE: u64 = 500;
/// The state of a product in a version that is affected, on an entity that the vulnerability does not affect: it is
/// patched, or other conditions of the record are not met there.
const PATCHED_OR_NOT_MET: &str = "patched or not met";

#[derive(Debug, clap::Args)]
pub(crate) struct Affected {
    /// The id of the vulnerability, such as CVE-2024-6387; of one without a CVE id that of its database, such as
    /// GHSA-jfh8-c2jp-5v3q, MAL-2024-1 or GO-2024-2687.
    #[arg(value_name = "VULNERABILITY")]
    pub(crate) id: Id,
    #[command(flatten)]
    pub(crate) target: Target,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// A product that the vulnerability concerns, as entities show it.
struct Concerned {
    product: String,
    version: String,
    concern: Concern,
}

/// Runs the command.
pub(crate) async fn run(command: &Affected, settings: &Settings) -> Result<()> {
    let known = known(command, settings)?;
    let api = Api::open(&command.target, settings, Needs::Index).await?;
    let mut products: BTreeMap<String, Concerned> = BTreeMap::new();
    for technology in hits(&api, "technologies", "present:true").await? {
        let concern = concern(command.id, &known, &technology);
        if concern != Concern::None {
            let (product, version) = (text(&technology["product"]), text(&technology["version"]));
            products.insert(text(&technology["cpe"]), Concerned { product, version, concern });
        }
    }
    let mut rows = Vec::new();
    let names: BTreeSet<&String> = products.values().map(|concerned| &concerned.product).collect();
    for name in names {
        let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
        for entity in hits(&api, "entities", &format!("technology:\"{quoted}\" present:true")).await? {
            rows.extend(rows_of(command.id, &entity, &products).filter(|row| row["product"] == **name));
        }
    }
    rows.extend(rows_of_repositories(&api, command.id, &known).await?);
    rows.sort_by_key(|row| (text(&row["state"]), text(&row["name"]), text(&row["cpe"])));
    print(command, &rows)
}

/// What is known of the vulnerability.
fn known(command: &Affected, settings: &Settings) -> Result<Vulnerability> {
    let packs = folder::data(command.target.data.as_deref(), settings)?.join(PACKS_FOLDER);
    let knowledge = workspace::knowledge(Some(&packs), settings)?;
    let unreadable = |error| Failure::run_time(format!("{}: {error}", packs.display()));
    knowledge.find(command.id).map_err(unreadable)?.ok_or_else(|| {
        Failure::not_found(format!(
            "{} is in no loaded feed: `ambit packs add FILE` loads one that contains it, such as a record of CVE 5 \
             or OSV; a vulnerability with a CVE id is known by that id",
            command.id
        ))
    })
}

/// Every hit of a search.
async fn hits(api: &Api, noun: &str, query: &str) -> Result<Vec<Value>> {
    let target = format!("{ASM}/search/{noun}/{}?page_size={PAGE_SIZE}&aggregations=false", escaped(query));
    let (mut found, mut token) = (Vec::new(), String::new());
    loop {
        let more = if token.is_empty() { String::new() } else { format!("&page_token={token}") };
        let api::Reply { result, message } = api.get(&format!("{target}{more}")).await?;
        if result["timed_out"] == true {
            return Err(Failure::run_time(message));
        }
        found.extend(items(&result["hits"]).cloned());
        match result["next_page_token"].as_str() {
            Some(next) => token = escaped(next),
            None => return Ok(found),
        }
    }
}

/// A row for each concerned product that an entity shows.
fn rows_of<'e>(
    id: Id,
    entity: &'e Value,
    products: &'e BTreeMap<String, Concerned>,
) -> impl Iterator<Item = Value> + use<'e> {
    let id = id.to_string();
    let is_named = items(&entity["summary"]["vulns"]["vulns"]).any(|named| *named == *id);
    items(&entity["summary"]["technology"]["cpes"]).filter_map(move |item| {
        let cpe = item["cpe"].as_str()?;
        let Concerned { product, version, concern } = products.get(cpe)?;
        let (state, range, criterion) = match concern {
            Concern::None => return None,
            Concern::VersionUnknown { ranges } => ("version unknown", ranges.join("; "), None),
            Concern::Affected(found) if is_named => ("affected", found.range.clone(), Some(&found.criterion)),
            // The record was judged with the product's surroundings: banner, system, packages.
            Concern::Affected(found) => (PATCHED_OR_NOT_MET, found.range.clone(), Some(&found.criterion)),
        };
        Some(json!({
            "record": "affected", "cve": id, "state": state, "type": entity["type"], "name": entity["name"],
            "id": entity["id"], "collection": entity["collection"], "product": product, "version": version, "cpe": cpe,
            "range": range, "criterion": criterion,
        }))
    })
}

/// A row for each package that a lock file of a repository names in a version which the vulnerability concerns.
async fn rows_of_repositories(api: &Api, id: Id, known: &Vulnerability) -> Result<Vec<Value>> {
    let mut rows = Vec::new();
    for entity in hits(api, "entities", &format!("vuln:\"{id}\" present:true")).await? {
        let is_one = Kind::REPOSITORIES.iter().any(|one| kind(&entity["type"]) == one.name());
        let Some(uid) = entity["id"].as_str().filter(|_| is_one) else { continue };
        let raw = api.get(&format!("{ASM}/entities/{}/raw", escaped(uid))).await?.result;
        let packages: Vec<Package> =
            raw["details"].as_object().map(|details| PACKAGES.items(details).collect()).unwrap_or_default();
        for package in packages {
            let item = ambit_vulns::package(&package.ecosystem, &package.name, &package.version);
            let Concern::Affected(found) = concern(id, known, &item) else { continue };
            rows.push(json!({
                "record": "affected", "cve": id.to_string(), "state": "affected", "type": entity["type"],
                "name": entity["name"], "id": entity["id"], "collection": entity["collection"],
                "product": package.name, "version": package.version, "cpe": item["cpe"], "range": found.range,
                "criterion": found.criterion, "path": package.path,
            }));
        }
    }
    Ok(rows)
}

fn print(command: &Affected, rows: &[Value]) -> Result<()> {
    let mut results = Results::open(command.output.output.as_deref())?;
    rows.iter().try_for_each(|row| results.row(row, command.output.jsonl, line))?;
    if rows.is_empty() {
        hint(&format!("{}: no known entity shows a product that it affects", command.id));
    }
    results.finish()
}

/// `affected  Uri https://www.acme.test:443  HTTP Server 2.4.49, which is version 2.4.49`.
fn line(row: &Value) -> String {
    let shown = |member: &str| shown(row, member);
    let path = shown("path");
    let path = if path.is_empty() { path } else { format!(" in {path}") };
    let version = shown("version");
    let version = if version.is_empty() { "in an unknown version".to_owned() } else { version };
    let state = shown("state");
    let state = if state == PATCHED_OR_NOT_MET { "patched, or conditions not met" } else { state.as_str() };
    format!(
        "{state:<18}  {} {}  {} {version}{path}; concerned: {}",
        kind(&row["type"]),
        shown("name"),
        shown("product"),
        shown("range")
    )
}
