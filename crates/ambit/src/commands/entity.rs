//! `ambit entity`: one entity, on a server or in a data folder.

use super::item::{self, ENTITY, History, Note, Tag};
use crate::api::{ASM, Api, OURS};
use crate::args::{Client, Target};
use crate::config::Settings;
use crate::failure::Result;
use crate::output::table::{items, shown, text};
use crate::output::{Results, plain};
use crate::output::{apps, assessments, interfaces, lines};
use ambit_model::Timestamp;
use ambit_model::entity::EvidenceKind;
use ambit_model::entity::imported::IMPORTED;
use ambit_model::percent::escaped;
use ambit_model::scope::{PRIOR, by_evidence};
use serde_json::{Value, json};

pub(crate) type Entity = Client<Action>;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Show everything known about the entity.
    Show(One),
    /// Show the entity with the raw fields of its evidence, as one JSON object.
    Raw(One),
    /// Explain why the entity is ours or not: the path to it from the seed, edge by edge.
    Path(One),
    /// Mark the entity as not ours: it is no longer contacted or asked about, nor is what only it leads to. Takes
    /// effect at once, also in an active run.
    Deny(Named),
    /// Mark the entity as ours: it may be contacted up to the level of the collection. Takes effect at once, also
    /// in an active run.
    Allow(Named),
    /// Undo `deny` or `allow`: the scope rules decide again.
    Reset(Named),
    /// Hide the entity from lists and searches by default; runs treat it as before.
    Hide(Named),
    /// Undo `hide`.
    Unhide(Named),
    /// List the changes of the entity, with the fields that changed.
    History(History),
    /// List the notes on the entity, or write one.
    Note(Note),
    /// List the tags of the entity, or add and remove some.
    Tag(Tag),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Named {
    /// Uid (or its beginning), uuid or name of the entity.
    pub(crate) entity: String,
}

#[derive(Debug, clap::Args)]
pub(crate) struct One {
    /// Uid (or its beginning), uuid or name of the entity.
    pub(crate) entity: String,
    /// Show the state at that moment (a date means the end of that day, UTC).
    #[arg(long, value_name = "DATE", value_parser = crate::args::date)]
    pub(crate) as_of: Option<Timestamp>,
    /// One JSON object.
    #[arg(long)]
    pub(crate) jsonl: bool,
}

/// Runs the command.
pub(crate) async fn run(command: &Entity, settings: &Settings) -> Result<()> {
    let target = &command.target;
    match &command.action {
        Action::Show(one) => show(one, target, settings).await,
        Action::Raw(one) => {
            let value = read(one, &format!("{ASM}/entities"), "/raw", target, settings).await?;
            let mut results = Results::open(None)?;
            results.json(&value)?;
            results.finish()
        }
        Action::Path(one) => path(one, target, settings).await,
        Action::Deny(named) => mark(named, json!({"allow_list": false, "deny_list": true}), target, settings).await,
        Action::Allow(named) => mark(named, json!({"allow_list": true, "deny_list": false}), target, settings).await,
        Action::Reset(named) => mark(named, json!({"allow_list": false, "deny_list": false}), target, settings).await,
        Action::Hide(named) => mark(named, json!({"hidden": true}), target, settings).await,
        Action::Unhide(named) => mark(named, json!({"hidden": false}), target, settings).await,
        Action::History(history) => item::history(ENTITY, history, target, settings).await,
        Action::Note(note) => item::note(ENTITY, note, target, settings).await,
        Action::Tag(tag) => item::tag(ENTITY, tag, target, settings).await,
    }
}

async fn read(one: &One, before: &str, behind: &str, target: &Target, settings: &Settings) -> Result<Value> {
    let found = item::find(ENTITY, &one.entity, target, settings).await?;
    read_found(one, &found, before, behind).await
}

/// The same of the entity that is meant, where that is known.
async fn read_found(one: &One, found: &(Api, String), before: &str, behind: &str) -> Result<Value> {
    let (api, uid) = found;
    let moment = one.as_of.map_or_else(String::new, |at| format!("?as_of={}", escaped(&at.to_string())));
    Ok(api.get(&format!("{before}/{uid}{behind}{moment}")).await?.result)
}

async fn show(one: &One, target: &Target, settings: &Settings) -> Result<()> {
    let found = item::find(ENTITY, &one.entity, target, settings).await?;
    let entity = read_found(one, &found, &format!("{ASM}/entities"), "").await?;
    let mut results = Results::open(None)?;
    if one.jsonl {
        results.json(&entity)?;
        return results.finish();
    }
    results.line(&lines::entity(&entity))?;
    let members = [
        ("uid", "uid"),
        ("first seen", "first_seen"),
        ("last seen", "last_seen"),
        ("scope", "scoped_reason"),
        ("tags", "tags"),
        ("collection", "collection"),
    ];
    results.members(&entity, 11, members)?;
    if entity["deleted"] == true {
        results.line("  gone        no longer seen")?;
    }
    for (member, value) in entity["details"].as_object().into_iter().flatten() {
        let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        if !empty && member != IMPORTED.name() {
            results.line(&format!("  {member}: {}", plain(&value.to_string())))?;
        }
    }
    let raw = read_found(one, &found, &format!("{ASM}/entities"), "/raw").await?;
    results.members(&raw, 11, [("vulns", "summary.vulns.vulns")])?;
    if let Some(details) = raw["details"].as_object() {
        let of_kinds = [apps::lines(details), assessments::lines(details)];
        for line in [of_kinds.concat(), interfaces::lines(details), interfaces::said(details)].concat() {
            results.line(&line)?;
        }
    }
    results.finish()
}

/// Puts an entity on the allow or deny list, or on neither; prints what is decided of it now.
async fn mark(named: &Named, marks: Value, target: &Target, settings: &Settings) -> Result<()> {
    let (api, uid) = item::find(ENTITY, &named.entity, target, settings).await?;
    let hidden = marks["hidden"].as_bool();
    let decided = api.ask("PATCH", &format!("{OURS}/entities/{uid}/scope"), Some(marks)).await?.result;
    let mut results = Results::open(None)?;
    match hidden {
        Some(true) => results.line("hidden")?,
        Some(false) => results.line("shown")?,
        None => results.line(&decision(&decided))?,
    }
    results.finish()
}

/// What is decided of an entity, in one line.
fn decision(scope: &Value) -> String {
    format!(
        "{} {}: ownership {:.3}, clearance {}, {}",
        lines::kind(&scope["type"]),
        shown(scope, "name"),
        scope["ownership"].as_f64().unwrap_or_default(),
        text(&scope["clearance"]),
        text(&scope["scoped_reason"]),
    )
}

async fn path(one: &One, target: &Target, settings: &Settings) -> Result<()> {
    let scope = read(one, &format!("{OURS}/entities"), "/scope", target, settings).await?;
    let mut results = Results::open(None)?;
    if one.jsonl {
        results.json(&scope)?;
        return results.finish();
    }
    let number = |value: &Value| value.as_f64().unwrap_or_default();
    for step in items(&scope["path"]) {
        results.line(&format!(
            "{} {} --{} ({}, own {:.3}, cap {}{})-->",
            lines::kind(&step["type"]),
            shown(step, "name"),
            text(&step["edge"]),
            text(&step["task"]),
            number(&step["ownership"]),
            text(&step["clearance"]),
            plain(&ground(step)),
        ))?;
    }
    let evidence = scope["evidence"].as_array().map_or(&[][..], Vec::as_slice);
    let mut sum = f64::from(PRIOR) / 100.0;
    if !evidence.is_empty() {
        results.line(&format!("evidence {sum:+.1}: starting value"))?;
    }
    for piece in evidence {
        sum += number(&piece["weight"]);
        results.line(&format!("evidence {:+.1}: {}", number(&piece["weight"]), shown(piece, "text")))?;
    }
    if !evidence.is_empty() {
        let kind = |piece: &Value| serde_json::from_value::<EvidenceKind>(piece["kind"].clone());
        let is_for_a_person = evidence.iter().filter_map(|piece| kind(piece).ok()).any(EvidenceKind::is_for_a_person);
        results.line(&format!("evidence {sum:+.1} in total: {}", worth(sum, is_for_a_person)))?;
    }
    results.line(&decision(&scope))?;
    results.finish()
}

/// What evidence of these log-odds gives by itself, also where no more than a candidate comes of it.
fn worth(sum: f64, is_for_a_person: bool) -> String {
    // Weights are whole hundredths.
    match by_evidence((sum * 100.0).round() as i32, is_for_a_person) {
        Some((ownership, cap)) => format!("ownership {:.3}, clearance at most {cap:?}", f64::from(ownership) / 1000.0),
        None => "too little to count".to_owned(),
    }
}

/// What made a step count for more or less. That nothing shows whose an address is, is said as well.
fn ground(step: &Value) -> String {
    let said = text(&step["ground"]["text"]);
    match step["edge"].as_str() {
        _ if !said.is_empty() => format!(": {said}"),
        Some("resolves_to") => ": nothing shows that it is ours".to_owned(),
        _ => String::new(),
    }
}
