//! `ambit entities` and `ambit entity`: the inventory of a data folder.

use super::{Data, Output};
use crate::client::Searcher;
use crate::config::Settings;
use crate::discover::now;
use crate::failure::Failure;
use crate::output::{Results, plain};
use crate::report::entity_text;
use ambit_model::Kind;
use ambit_query::Noun;
use ambit_search::Record;
use ambit_store::{At, EntityView};

#[derive(Debug, clap::Args)]
pub(crate) struct Entities {
    /// Search string, such as `type:uri technology:nginx last_seen_after:last_refresh`.
    #[arg(value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    #[command(flatten)]
    pub(crate) data: Data,
    #[command(flatten)]
    pub(crate) output: Output,
    /// Print only how many match.
    #[arg(long)]
    pub(crate) count: bool,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Entity {
    /// Everything that is known of one entity.
    Show(One),
    /// The same with raw evidence members, as one JSON object.
    Raw(One),
    /// Why it is ours or not: from the seed to it, edge by edge.
    Path(One),
}

#[derive(Debug, clap::Args)]
pub(crate) struct One {
    /// Its uid (64 hexadecimal characters), uuid, or name.
    pub(crate) entity: String,
    #[command(flatten)]
    pub(crate) data: Data,
    /// As it was at that moment (a date is the end of that day, UTC).
    #[arg(long, value_name = "DATE", value_parser = super::keys::date)]
    pub(crate) as_of: Option<ambit_model::Timestamp>,
    /// One JSON object.
    #[arg(long)]
    pub(crate) jsonl: bool,
}

/// Runs `ambit entities`.
pub(crate) async fn search(command: &Entities, settings: &Settings) -> Result<(), Failure> {
    let searcher = Searcher::open(&command.data, settings).await?;
    let mut results = Results::open(command.output.output.as_deref())?;
    let mut present = 0_u64;
    let contexts = crate::client::collections(&searcher).await?;
    searcher
        .each(Noun::Entities, &command.query.join(" "), now(), |hit| {
            let Record::Entity(record) = &hit.record else { return Ok(()) };
            if !record.present {
                return Ok(());
            }
            present += 1;
            match (command.count, command.output.jsonl) {
                (true, _) => Ok(()),
                (false, true) => {
                    let mut line =
                        ambit_api::entities::entity_hit(record, crate::records::indexed(hit), crate::records::named(&contexts, record.collection)?);
                    line["record"] = serde_json::json!("entity");
                    results.json(&line)
                }
                (false, false) => results.line(&entity_text(record)),
            }
        })
        .await?;
    if command.count {
        results.line(&present.to_string())?;
    }
    results.finish()
}

/// Runs `ambit entity`.
pub(crate) async fn one(command: &Entity, settings: &Settings) -> Result<(), Failure> {
    let (Entity::Show(one) | Entity::Raw(one) | Entity::Path(one)) = command;
    let view = find(one, settings).await?;
    let seen = crate::records::viewed(&view);
    let collection = crate::records::collection(&view.collection);
    let mut results = Results::open(None)?;
    match command {
        Entity::Raw(_) => {
            let scoped_at = view.scoped_at.unwrap_or(view.created_at);
            let moments = ambit_api::entities::Moments {
                scoped_at,
                generated_at: now(),
            };
            results.json(&ambit_api::entities::raw_entity(&view.record, seen, collection, moments))?;
        }
        Entity::Path(one) if one.jsonl => results.json(&ambit_api::entities::scope_explanation(&view.record))?,
        Entity::Path(_) => path(&view, &mut results)?,
        Entity::Show(one) if one.jsonl => results.json(&ambit_api::entities::entity_detail(&view.record, seen, collection))?,
        Entity::Show(_) => show(&view, &mut results)?,
    }
    results.finish()
}

async fn find(one: &One, settings: &Settings) -> Result<EntityView, Failure> {
    let (store, principal) = crate::client::folder(&one.data, settings).await?;
    let id = match Kind::of_target(&one.entity) {
        Ok((kind, name)) if one.entity.len() != 64 && one.entity.parse::<uuid::Uuid>().is_err() => {
            by_name(&one.data, settings, kind, &name, &one.entity).await?
        }
        _ => one.entity.clone(),
    };
    let Some(moment) = one.as_of else {
        return Ok(store.find_entity(&principal, &id, None).await?);
    };
    match store.entity_at(&principal, &id, None, moment, now()).await? {
        At::Then(view) => Ok(view),
        At::BeforeFirstSeen(first) => Err(Failure::not_found(format!(
            "{} was first seen at {first}, after {moment}",
            plain(&one.entity)
        ))),
    }
}

/// The uid of a name: of the kind that it looks like first, else of any entity with exactly this name.
async fn by_name(data: &Data, settings: &Settings, kind: Kind, name: &str, typed: &str) -> Result<String, Failure> {
    let searcher = Searcher::open(data, settings).await?;
    let mut found: Option<(bool, String)> = None;
    let query = format!("name:\"{}\"", typed.replace('"', ""));
    searcher
        .each(Noun::Entities, &query, now(), |hit| {
            if let Record::Entity(record) = &hit.record
                && (record.name == name || record.name == typed)
            {
                let wanted = record.kind == kind;
                if found.as_ref().is_none_or(|(known, _)| wanted && !known) {
                    found = Some((wanted, record.uid.to_string()));
                }
            }
            Ok(())
        })
        .await?;
    found
        .map(|(_, uid)| uid)
        .ok_or_else(|| Failure::not_found(format!("no entity is named {}; `ambit entities {}` searches", plain(typed), plain(typed))))
}

fn show(view: &EntityView, results: &mut Results) -> Result<(), Failure> {
    let record = &view.record;
    results.line(&entity_text(record))?;
    results.line(&format!("  uid         {}", record.uid))?;
    results.line(&format!("  first seen  {}", view.first_seen))?;
    results.line(&format!("  last seen   {}", view.last_seen))?;
    results.line(&format!(
        "  scope       ownership {:.3}, clearance {:?}, {}",
        f64::from(record.ownership) / 1000.0,
        record.clearance,
        record.scoped_reason
    ))?;
    if !record.present {
        results.line("  gone        no longer seen")?;
    }
    for (member, value) in &record.details {
        let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        if !empty && !member.starts_with("hidden_") && !member.starts_with("extended_") {
            results.line(&format!("  {member}: {}", plain(&value.to_string())))?;
        }
    }
    Ok(())
}

fn path(view: &EntityView, results: &mut Results) -> Result<(), Failure> {
    for step in &view.record.path {
        let own = f64::from(step.own) / 1000.0;
        results.line(&format!(
            "{} {} --{} ({}, own {own:.3}, cap {:?})-->",
            step.from_kind.name(),
            plain(&step.from_name),
            step.edge.name(),
            step.task,
            step.cap
        ))?;
    }
    let record = &view.record;
    let own = f64::from(record.ownership) / 1000.0;
    results.line(&format!(
        "{} {}: ownership {own:.3}, clearance {:?}, {}",
        record.kind.name(),
        plain(&record.name),
        record.clearance,
        record.scoped_reason
    ))
}
