//! What a discovery prints at its end: the inventory, the issues, and one line of figures.

use crate::clock::now;
use crate::discover::Finished;
use crate::failure::Result;
use crate::folder::Asking;
use crate::output::course::{Changes, courses};
use crate::output::lines;
use crate::output::records::{collection, sighting};
use crate::output::truth::{Inventory, Score, score};
use crate::output::{Results, hint, plain};
use crate::shortfall;
use crate::workspace::Workspace;
use ambit_api::entities::EntityHit;
use ambit_api::issues::IssueHit;
use ambit_api::technologies::TechnologyHit;
use ambit_model::entity::EntityRecord;
use ambit_model::feed::Noun;
use ambit_model::issue::{IssueRecord, severity_name};
use ambit_model::run::{NotDone, NotDoneReason};
use ambit_model::scope::ScopeReason;
use ambit_model::technology::TechnologyRecord;
use ambit_model::{EdgeKind, Kind, SkippedTasks, Uid, workflow};
use ambit_store::{IndexRow, Store};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Records read at once.
const PAGE: usize = 100;
/// Issues that a verdict names.
const WORST_SHOWN: usize = 5;
/// Blocks of somebody else that are named; of more it says how many.
const QUESTIONS_MAX: usize = 20;

/// How to print.
pub(crate) struct Style {
    pub(crate) jsonl: bool,
    pub(crate) silent: bool,
    /// Where the inventory is asked again.
    pub(crate) asking: Asking,
}

/// The outcome of a run, beyond what was printed.
pub(crate) struct Outcome {
    /// The severity (1 is the worst) of the worst open issue.
    pub(crate) worst: Option<i64>,
    /// Why the run counts as partly done, in a line.
    pub(crate) shortfall: Option<String>,
}

/// A row that the report shows, with its time stamps.
struct Row<T> {
    record: T,
    row: IndexRow,
}

/// What is kept of an entity while everything is read: in the order in which they are shown.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Entity {
    kind: Kind,
    name: String,
    uid: Uid,
    scoped: bool,
    /// Why it waits for a person's word: its path ends with a block within one that is theirs, which is somebody else's
    /// or of which that is not known.
    asked_about: Option<&'static str>,
}

/// What is kept of an issue.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Issue {
    severity: i64,
    name: String,
    entity_name: String,
    discriminator: String,
    uid: Uid,
    entity_kind: Kind,
    /// False where a person decided on it while the fact stays.
    open: bool,
    /// Its entity left the scope, so that it is not checked any more.
    left: bool,
    /// It was opened by this run, for the first time or again.
    new: bool,
}

/// Prints everything present.
pub(crate) async fn print(
    workspace: &Workspace,
    finished: &Finished,
    mut results: Results,
    style: &Style,
) -> Result<Outcome> {
    let (entities, changes) = entities(workspace, finished).await?;
    let (open, decided): (Vec<_>, Vec<_>) =
        issues(workspace, finished).await?.into_iter().partition(|issue| issue.open);
    let (left, issues): (Vec<_>, Vec<_>) = open.into_iter().partition(|issue| issue.left);
    for shown in entities.chunks(PAGE) {
        let uids = shown.iter().map(|entity| entity.uid).collect();
        for row in rows(&workspace.store, Noun::Entity, uids).await? {
            if style.jsonl {
                results.json(&entity_line(&row))?
            } else {
                results.line(&lines::entity(&entity_line(&row)))?
            }
        }
    }
    for shown in issues.chunks(PAGE).chain(left.chunks(PAGE)) {
        let uids = shown.iter().map(|issue| issue.uid).collect();
        for row in rows::<IssueRecord>(&workspace.store, Noun::Issue, uids).await? {
            if style.jsonl { results.json(&issue_line(&row))? } else { results.line(&issue_text(&row.record))? }
        }
    }
    if style.jsonl {
        print_technologies(workspace, finished, &mut results).await?;
    }
    let mut summary = summary(finished, &entities, &changes, &issues);
    let differences = add_score(finished, &entities, [&issues, &decided], &mut summary)?;
    if style.jsonl {
        results.json(&summary)?;
    } else {
        results.line(&summary_text(&summary))?;
    }
    results.finish()?;
    let not_done = workspace.store.list_not_done(&workspace.principal, finished.run.id).await?;
    if !style.silent {
        differences.iter().for_each(|line| hint(line));
        tell_not_done(&not_done);
        tell_skipped(&finished.collection.skipped_tasks);
        tell_questions(&entities);
        if !left.is_empty() {
            hint(&format!(
                "{} of the issues shown are on entities that are no longer in scope; they are not checked or counted",
                left.len()
            ));
        }
        if shortfall::is_all_fresh(&finished.run, &not_done) {
            hint("nothing was probed: all results of an earlier run are still fresh");
        }
        let again = style.asking.command("entities");
        hint(&format!("collection {}; {again} lists what was found; finished {}", finished.collection.name, now()));
        if !style.jsonl {
            verdict(workspace, &issues, &style.asking).await?;
            if finished.collection.workflow == workflow::THIRD_PARTIES.name {
                let posture = style.asking.command(&format!("collection posture {}", finished.collection.name));
                hint(&format!("{posture} scores how well each of them is protected, with the reasons"));
            }
        }
    }
    Ok(Outcome {
        worst: issues.first().map(|issue| issue.severity),
        shortfall: shortfall::of(workspace, finished, &not_done).await?,
    })
}

/// What software present entities show.
async fn print_technologies(workspace: &Workspace, finished: &Finished, results: &mut Results) -> Result<()> {
    let there = |row: Row<TechnologyRecord>| {
        let TechnologyRecord { vendor, product, version, entity_count, .. } = row.record;
        (entity_count > 0).then_some((vendor, product, version, row.row.uid))
    };
    let technologies = all(workspace, finished, Noun::Technology, there).await?;
    for shown in technologies.chunks(PAGE) {
        let uids = shown.iter().map(|(.., uid)| *uid).collect();
        for row in rows(&workspace.store, Noun::Technology, uids).await? {
            results.json(&technology_line(&row))?;
        }
    }
    Ok(())
}

/// The worst that is open, what of it is new, and what to do next.
async fn verdict(workspace: &Workspace, issues: &[Issue], asking: &Asking) -> Result<()> {
    if issues.is_empty() {
        hint("verdict: no issue is open");
        return Ok(());
    }
    let new = issues.iter().filter(|issue| issue.new).count();
    hint(&format!("verdict: {} open, {new} of them new in this run; the worst:", issues.len()));
    let worst = issues.iter().take(WORST_SHOWN).map(|issue| issue.uid).collect();
    let mut first = None;
    for row in rows::<IssueRecord>(&workspace.store, Noun::Issue, worst).await? {
        let uid = row.row.uid.to_string();
        let (record, short) = (&row.record, lines::short(&uid).to_owned());
        let (severity, title, name) = (severity_name(record.severity), &record.pretty_name, plain(&record.entity_name));
        hint(&format!("  {short}  {severity:<9} {title}: {name}"));
        first.get_or_insert(short);
    }
    let show = asking.command(&format!("issue show {}", first.unwrap_or_default()));
    hint(&format!(
        "next: {show} says how it was seen and what to do; {} writes a report",
        asking.command("export -f html -o report.html")
    ));
    Ok(())
}

/// What is read of a stored record to tell whether and where it is shown.
#[derive(Deserialize)]
struct Listed {
    kind: Kind,
    name: String,
    present: bool,
    scoped: bool,
    scoped_reason: ScopeReason,
}

/// What is present, and what happened to all that the collection has.
async fn entities(workspace: &Workspace, finished: &Finished) -> Result<(Vec<Entity>, Changes)> {
    let courses = courses(&workspace.store, finished).await?;
    let mut changes = Changes::default();
    let kept = |row: Row<Listed>| Entity {
        kind: row.record.kind,
        name: row.record.name,
        uid: row.row.uid,
        scoped: row.record.scoped,
        asked_about: match row.record.scoped_reason {
            _ if row.record.scoped => None,
            ScopeReason::Edge(EdgeKind::Suballocation) => {
                Some("within what you named, it is registered to somebody else")
            }
            ScopeReason::Edge(EdgeKind::UnknownPart) => Some("no registry could say who holds it"),
            _ => None,
        },
    };
    let present = all(workspace, finished, Noun::Entity, |row: Row<Listed>| {
        let another = row.row.revision > finished.before;
        courses.get(&row.row.uid).into_iter().for_each(|course| changes.count(course, another));
        row.record.present.then(|| kept(row))
    });
    let present = present.await?;
    Ok((present, changes))
}

/// The issues whose fact is there: the open ones, and those that a person decided on.
async fn issues(workspace: &Workspace, finished: &Finished) -> Result<Vec<Issue>> {
    let kept = |row: Row<IssueRecord>| Issue {
        left: is_left(&row.record),
        severity: row.record.severity,
        name: row.record.name,
        entity_name: row.record.entity_name,
        discriminator: row.record.discriminator,
        uid: row.row.uid,
        entity_kind: row.record.entity_kind,
        open: row.record.status.is_open(),
        new: finished.run.started_at.is_some_and(|started| row.row.turned_at.max(row.row.first_seen) >= started),
    };
    let there = |row: Row<IssueRecord>| row.record.status.rests_on_fact().then(|| kept(row));
    all(workspace, finished, Noun::Issue, there).await
}

/// What is to be kept of the collection's records, in order. The records themselves of a large inventory would fill the
/// memory.
async fn all<T: DeserializeOwned, K: Ord>(
    workspace: &Workspace,
    finished: &Finished,
    noun: Noun,
    mut keep: impl FnMut(Row<T>) -> Option<K>,
) -> Result<Vec<K>> {
    let mut kept = Vec::new();
    let mut after: Option<Uid> = None;
    loop {
        let uids = workspace.store.all_uids(noun, after, PAGE).await?;
        let Some(last) = uids.last().copied() else { break };
        after = Some(last);
        let rows = rows(&workspace.store, noun, uids).await?;
        let own = rows.into_iter().filter(|row| row.row.collection.uuid == finished.collection.uuid);
        kept.extend(own.filter_map(&mut keep));
    }
    kept.sort();
    Ok(kept)
}

/// Records in the order of their uids given.
async fn rows<T: DeserializeOwned>(store: &Store, noun: Noun, uids: Vec<Uid>) -> Result<Vec<Row<T>>> {
    let found = store.records(noun, &uids).await?.into_iter();
    let mut found: BTreeMap<Uid, Row<T>> = found.map(|(record, row)| (row.uid, Row { record, row })).collect();
    Ok(uids.iter().filter_map(|uid| found.remove(uid)).collect())
}

fn entity_line(row: &Row<EntityRecord>) -> Value {
    let (seen, collection) = (sighting(&row.row), collection(&row.row.collection));
    line("entity", json!(EntityHit::of(&row.record, seen, collection)))
}

fn issue_line(row: &Row<IssueRecord>) -> Value {
    let (seen, collection) = (sighting(&row.row), collection(&row.row.collection));
    line("issue", json!(IssueHit::of(&row.record, seen, collection)))
}

fn technology_line(row: &Row<TechnologyRecord>) -> Value {
    let (seen, collection) = (sighting(&row.row), collection(&row.row.collection));
    line("technology", json!(TechnologyHit::of(&row.record, seen, collection)))
}

fn line(record: &str, mut hit: Value) -> Value {
    hit["record"] = json!(record);
    hit
}

/// Returns whether the entity of an issue left the scope, so that it stays as it was; never for impersonation and such.
fn is_left(issue: &IssueRecord) -> bool {
    !issue.scoped && ambit_checks::find(&issue.name).is_none_or(|judge| !judge.is_about_others())
}

/// `high      exposed_telnet_service  NetworkService 203.0.113.9:23/tcp  (confirmed)`.
fn issue_text(record: &IssueRecord) -> String {
    let name = severity_name(record.severity);
    let what =
        if record.discriminator.is_empty() { String::new() } else { format!("  {}", plain(&record.discriminator)) };
    let theirs = if is_left(record) { ", not ours" } else { "" };
    format!(
        "{name:<9} {}  {} {}{what}  ({}{theirs})",
        record.name,
        record.entity_kind.name(),
        plain(&record.entity_name),
        record.confidence.name()
    )
}

fn summary(finished: &Finished, entities: &[Entity], changes: &Changes, issues: &[Issue]) -> Value {
    let mut by_severity: BTreeMap<String, i64> = (1..=5).map(|severity| (severity.to_string(), 0)).collect();
    for issue in issues {
        *by_severity.entry(issue.severity.to_string()).or_default() += 1;
    }
    let took = finished.run.finished_at.zip(finished.run.started_at).map_or(0, |(end, start)| end.0 - start.0);
    json!({
        "record": "summary",
        "run": finished.run.id,
        "run_uuid": finished.run.uuid,
        "collection": finished.collection.name,
        "entities": entities.len(),
        "scoped": entities.iter().filter(|entity| entity.scoped).count(),
        "new": changes.new,
        "changed": changes.changed,
        "gone": changes.gone,
        "issues": by_severity,
        "duration_ms": took,
    })
}

fn add_score(
    finished: &Finished,
    entities: &[Entity],
    [issues, decided]: [&[Issue]; 2],
    summary: &mut Value,
) -> Result<Vec<String>> {
    let Some(simulated) = &finished.simulated else { return Ok(Vec::new()) };
    let key = |entity: &Entity| (entity.kind, entity.name.clone());
    let of_issue = |issue: &Issue| (issue.name.clone(), issue.entity_kind, issue.entity_name.clone());
    let inventory = Inventory {
        entities: entities.iter().map(key).collect(),
        scoped: entities.iter().filter(|entity| entity.scoped).map(key).collect(),
        issues: issues.iter().map(of_issue).collect(),
        decided: decided.iter().map(of_issue).collect(),
    };
    let result: Score = score(&simulated.truth, &inventory, &finished.never);
    let contacts = simulated.wire.contacts_outside_clearance();
    let outside: Vec<String> = contacts.iter().map(contact_text).collect();
    result.add_to(summary, &outside);
    let named =
        |word: &str, names: &[String]| names.iter().map(|name| format!("{word}: {}", plain(name))).collect::<Vec<_>>();
    let mut lines = named("missed", &result.missed);
    lines.extend(named("unexpected", &result.unexpected));
    lines.extend(named("contact outside clearance", &outside));
    Ok(lines)
}

fn contact_text(contact: &ambit_world::Contact) -> String {
    let protocol = if contact.datagram { "udp" } else { "tcp" };
    let name = contact.name.as_deref().map_or_else(String::new, |name| format!(" as {name}"));
    format!("{}:{}/{protocol}{name}, {} times: {}", contact.address, contact.port, contact.count, contact.why)
}

fn summary_text(summary: &Value) -> String {
    let number = |member: &str| summary[member].as_i64().unwrap_or(0);
    let issues: Vec<String> = (1..=5)
        .filter_map(|severity| {
            let count = summary["issues"][severity.to_string()].as_i64().unwrap_or(0);
            (count > 0).then(|| format!("{count} {}", severity_name(severity)))
        })
        .collect();
    let issues = if issues.is_empty() { "no issues".to_owned() } else { format!("issues: {}", issues.join(", ")) };
    let seconds = number("duration_ms") / 1_000;
    let mut text = format!(
        "run {}: {} entities, {} ours ({} new, {} changed, {} gone); {issues}; {seconds} s",
        number("run"),
        number("entities"),
        number("scoped"),
        number("new"),
        number("changed"),
        number("gone")
    );
    if summary.get("planted").is_some() {
        text.push_str(&format!(
            "; planted {}, found {}, missed {}, unexpected {}, contacts outside clearance {}",
            number("planted"),
            number("found"),
            number("missed"),
            number("unexpected"),
            number("contacts_outside_clearance")
        ));
    }
    text
}

/// What waits for a person's word.
fn tell_questions(entities: &[Entity]) {
    let asked: Vec<&Entity> = entities.iter().filter(|entity| entity.asked_about.is_some()).collect();
    for entity in asked.iter().take(QUESTIONS_MAX) {
        let (kind, name) = (entity.kind.name(), plain(&entity.name));
        let why = entity.asked_about.unwrap_or_default();
        hint(&format!(
            "not done: {kind} {name} is not swept: {why}; to sweep it too, add it as a target or run `ambit entity \
             allow`"
        ));
    }
    if asked.len() > QUESTIONS_MAX {
        hint(&format!("not done: {} more like that", asked.len() - QUESTIONS_MAX));
    }
}

/// Names the tasks that the user skipped.
fn tell_skipped(skipped: &SkippedTasks) {
    let names: Vec<&str> = skipped.names().collect();
    if !names.is_empty() {
        hint(&format!("skipped as requested: {}; what these tasks would find stays unknown", names.join(", ")));
    }
}

fn tell_not_done(rows: &[NotDone]) {
    for row in rows {
        if row.reason == NotDoneReason::NoSuchName {
            hint(&format!("{} × {}: {}", row.count, row.reason.name(), plain(&row.example)));
            continue;
        }
        hint(&format!(
            "not done: {} × {} ({}), for example {}",
            row.count,
            row.task,
            row.reason.name(),
            plain(&row.example)
        ));
    }
}
