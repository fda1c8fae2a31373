//! Imports: what other tools saw becomes observations of the entities in or on which it lies, with source and date, and
//! is closed when it is too old. A state of Terraform is the account of what it holds, which is theirs for that, and is
//! closed by a later state that lacks it. Nothing is contacted; scope decides at once, as after a person's word.

use super::commit::{denied, import};
use super::reconcile::forget;
use super::{Outcome, Work};
use crate::db::rows::{Rows, named};
use crate::db::sql::{SWEPT_ROWS_MAX, Tx, from_json, values};
use crate::db::writer::transaction;
use crate::inventory::{collections, feed, seeds};
use crate::people::audit;
use crate::people::limits::Limits;
use crate::record::{ChangeContext, Changes, EntityRow};
use crate::{Caller, Result, Store, StoreError};
use ambit_model::collection::{Collection, Seed};
use ambit_model::entity::aws::{CONFIGURATION, RESOURCE_TYPE, state_configuration};
use ambit_model::entity::imported::{IMPORTED, LASTS_MS, Said, Sighted, Source, TASK, edge, is_on_a_host, places};
use ambit_model::entity::in_account;
use ambit_model::observation::{Discovery, Found, ProbeResult, Sighting};
use ambit_model::reserved::Reserved;
use ambit_model::scope::{Decision, Leaves, Node, Rules, SharedBy};
use ambit_model::user::CollectionRole;
use ambit_model::workflow::{self, Workflow};
use ambit_model::{Details, EdgeKind, Kind, Timestamp, Uid};
use serde_json::json;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Things of one call at most: they are written in one transaction, which nobody should wait long for.
const SIGHTED_MAX: usize = 1_000;
/// Things that one state of Terraform holds at most, as many as make a collection large.
const OWNED_MAX: i64 = 20_000;
/// Under which word a state says its number.
const SERIAL: &str = "serial";
/// Names that are said of what was left out.
const NAMED_MAX: usize = 20;

/// What became of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportOutcome {
    /// Observations that stand in the collection now, new or not.
    pub accepted: usize,
    /// Entities that the collection did not have.
    pub new_entities: usize,
    /// Things whose scope waits for a decision over the whole collection, until which nothing may be done at them.
    pub undecided: usize,
    /// Older than 90 days.
    pub too_old: usize,
    /// Things in or on which nothing of the collection lies.
    pub outside: usize,
    /// The first of these, by kind and name.
    pub first_outside: Vec<(Kind, String)>,
    /// Things that an earlier state of the account had.
    pub closed: usize,
}

/// What one tool saw, or a part of it.
#[derive(Clone, Debug)]
pub struct Imported {
    pub source: Source,
    pub sighted: Vec<Sighted>,
    /// The account that owns the imported entities.
    pub account: Option<StateAccount>,
    /// Further parts follow: what only the whole collection decides is decided with the last of them, for which
    /// searches wait.
    pub goes_on: bool,
}

/// A state of Terraform, which becomes a seed of the collection.
#[derive(Clone, Debug)]
pub struct StateAccount {
    pub kind: Kind,
    /// In canonical form.
    pub name: String,
    /// Its number among the states of that name, where it has one; later states have higher ones.
    pub serial: Option<u64>,
    pub seen_at: Timestamp,
    /// What the file states about itself, in a few words.
    pub says: BTreeMap<String, String>,
    /// When the first part of this import was stored; `None` for that part itself.
    pub since: Option<Timestamp>,
    /// This is the last part: what earlier imports showed and this one did not is closed.
    pub whole: bool,
}

/// A thing that is accepted, and what leads to it: itself where it is known and nothing else does.
struct Accepted<'a> {
    sighted: &'a Sighted,
    place: (Kind, String),
}

impl Store {
    /// Stores what a tool saw, at most 1,000 things a call, as observations of a collection; for its admins. What
    /// nothing of the collection leads to is counted and left out. The same again changes nothing. Scope follows from
    /// what leads to a thing where that suffices, so that an import takes as long in a large collection as in a small
    /// one. Where a later part never comes, whatever decides scope next decides the rest, too.
    ///
    /// # Errors
    /// The caller is no admin of the collection, or there are more things than a call may hold.
    pub async fn import(&self, caller: &Caller, collection: Uuid, imported: Imported) -> Result<ImportOutcome> {
        check(&imported, caller.now)?;
        let Imported { source, sighted, account, goes_on } = imported;
        let (caller, now, limits) = (caller.clone(), caller.now, self.limits());
        let (mut outcome, never, is_undecided) = transaction!(self, Person, async |tx| {
            let id = collections::require(tx, &caller, collection, CollectionRole::Admin).await?.collection.id;
            collections::lock(tx, id).await?;
            let view = collections::require(tx, &caller, collection, CollectionRole::Admin).await?;
            let (of, never) = (view.collection, view.never);
            let rules = Rules { ceiling: workflow::ceiling(&of.workflow, of.level), never };
            if let Some(account) = &account {
                take_up(tx, &caller, &of, account, &limits).await?;
            }
            let place = ChangeContext::enter(tx, id, None, true, now).await?.unawaited();
            let account = account.as_ref();
            let mut outcome = store(tx, place.clone(), source, (&sighted, account), &rules).await?;
            if let Some(account) = account {
                outcome.closed = keep_the_newest(tx, place, account).await?;
                outcome.undecided += outcome.closed;
            }
            let details = json!({"source": source.name(), "accepted": outcome.accepted});
            audit::insert(tx, &caller, Some(of.project), "collection.import", collection, details).await?;
            let is_undecided = mark_undecided(tx, id, outcome.undecided > 0).await?;
            if !goes_on {
                feed::await_all(tx, of.project).await?;
            }
            Ok((outcome, rules.never, is_undecided))
        })?;
        if !goes_on && is_undecided {
            self.rescope(collection, &never, now).await?;
            outcome.undecided = 0;
        }
        Ok(outcome)
    }
}

/// Refuses what no import may hold.
fn check(imported: &Imported, now: Timestamp) -> Result<()> {
    let invalid = |why: &str| Err(StoreError::Invalid(why.to_owned()));
    if imported.sighted.len() > SIGHTED_MAX {
        return Err(StoreError::Invalid(format!("at most {SIGHTED_MAX} sightings in one call")));
    }
    match &imported.account {
        None if imported.sighted.iter().any(|one| one.owned) => invalid("what is owned has an account"),
        Some(account) if imported.source.account() != Some(account.kind) => {
            invalid("imports of this source have no such account")
        }
        Some(account) if account.since.is_some_and(|since| since > now) => invalid("since is in the future"),
        _ => Ok(()),
    }
}

/// Makes an account a seed of its collection; refuses a state that is older than the one which the collection has.
async fn take_up(tx: &mut Tx, caller: &Caller, of: &Collection, account: &StateAccount, limits: &Limits) -> Result<()> {
    let begins = |own: &Workflow| own.seeds.contains(&account.kind);
    if !workflow::find(&of.workflow).is_some_and(|own| begins(&own)) {
        let names: Vec<&str> = workflow::ALL.iter().filter(|own| begins(own)).map(|own| own.name).collect();
        let names = names.join(" or ");
        return Err(StoreError::Invalid(format!(
            "a state of Terraform belongs in a collection of the workflow {names}"
        )));
    }
    let seed = (account.kind, account.name.clone());
    let known = seeds::list(tx, of.id).await?;
    match known.iter().any(|known| (known.kind, &known.name) == (seed.0, &seed.1)) {
        true => refuse_older(tx, of, account).await,
        false => seeds::add(tx, caller, of, &[seed], limits).await,
    }
}

/// Refuses a state with a lower number than the one that was imported last: it would close what the later one has.
async fn refuse_older(tx: &mut Tx, of: &Collection, account: &StateAccount) -> Result<()> {
    let uid = Uid::of_entity(of.uuid, account.kind, &account.name);
    let sql = "SELECT details FROM looks WHERE uid = $1 AND task = $2 AND argument = $3";
    let argument = argument(Source::Terraform, account.kind, &account.name);
    let stored: Option<Option<String>> = tx.read_first(sql, values![uid, TASK, argument]).await?;
    let Some(stored) = stored.flatten() else { return Ok(()) };
    let details: Details = from_json(&stored)?;
    let newest = IMPORTED.items(&details).filter_map(|said| said.says.get(SERIAL)?.parse::<u64>().ok()).max();
    match (account.serial, newest) {
        (Some(serial), Some(newest)) if serial < newest => Err(StoreError::Invalid(format!(
            "the state {} has serial {serial}, and the collection has the later one with serial {newest}: import that \
             of today, or remove the seed first if an older state was put back",
            account.name
        ))),
        _ => Ok(()),
    }
}

/// Refuses an account that holds too much, and closes, with the last part of an import, what only earlier ones showed
/// of it; answers with how many things that were.
async fn keep_the_newest(tx: &mut Tx, place: ChangeContext, account: &StateAccount) -> Result<usize> {
    let uid = Uid::of_entity(place.uuid, account.kind, &account.name);
    let since = account.since.unwrap_or(place.now);
    let sql = "SELECT COUNT(*) FROM imported WHERE uid = $1 AND seen_at >= $2";
    let held: i64 = tx.read_one(sql, values![uid, since]).await?;
    if held > OWNED_MAX {
        return Err(StoreError::Invalid(format!("a state holds at most {OWNED_MAX} things: this one holds more")));
    }
    if !account.whole {
        return Ok(0);
    }
    let sql = "SELECT argument FROM imported WHERE uid = $1 AND seen_at < $2 ORDER BY argument";
    let old: Vec<String> = tx.read_all(sql, values![uid, since]).await?;
    let mut changes = Changes::new(place);
    for part in old.chunks(SIGHTED_MAX) {
        let probes: Vec<(Uid, &str, String)> = part.iter().map(|argument| (uid, TASK, argument.clone())).collect();
        forget(tx, &mut changes, &probes).await?;
    }
    changes.write(tx).await?;
    tx.run("DELETE FROM imported WHERE uid = $1 AND seen_at < $2", values![uid, since]).await?;
    Ok(old.len())
}

/// Says whether something of the collection is not decided, now or from before.
async fn mark_undecided(tx: &mut Tx, collection: i64, is_new: bool) -> Result<bool> {
    if is_new {
        tx.run("UPDATE collections SET undecided = 1 WHERE id = $1", values![collection]).await?;
    }
    let sql = "SELECT undecided FROM collections WHERE id = $1";
    Ok(tx.read_one::<i64>(sql, values![collection]).await? != 0)
}

async fn store(
    tx: &mut Tx,
    place: ChangeContext,
    source: Source,
    (sighted, account): (&[Sighted], Option<&StateAccount>),
    rules: &Rules,
) -> Result<ImportOutcome> {
    let mut outcome =
        ImportOutcome { undecided: add_seeds(tx, place.clone(), rules).await?, ..ImportOutcome::default() };
    let oldest = Timestamp(place.now.0 - LASTS_MS);
    let (recent, old): (Vec<&Sighted>, Vec<&Sighted>) =
        sighted.iter().partition(|one| one.owned || one.seen_at >= oldest);
    outcome.too_old = old.len();
    let state = account.map(|account| (account.kind, account.name.clone()));
    let mut accepted = choose(tx, place.uuid, recent, (state.clone(), &mut outcome)).await?;
    outcome.accepted = accepted.len();
    let itself = account.map(|account| Sighted {
        kind: account.kind,
        name: account.name.clone(),
        seen_at: account.seen_at,
        says: account
            .serial
            .map(|serial| (SERIAL.to_owned(), serial.to_string()))
            .into_iter()
            .chain(account.says.clone())
            .collect(),
        owned: true,
        resource_type: None,
        configuration: serde_json::Map::new(),
    });
    accepted.extend(itself.as_ref().zip(state).map(|(sighted, place)| Accepted { sighted, place }));
    let outcomes: Vec<Outcome> = accepted.iter().map(|one| observed(one, source, &place)).collect();
    let row = |one: &Outcome| {
        named! {
            uid: one.work.uid,
            argument: one.work.argument.as_str(),
            collection_id: place.collection,
            seen_at: one.at,
        }
    };
    let rows: Rows = outcomes.iter().map(row).collect();
    let tail = "ON CONFLICT (uid, argument) DO UPDATE SET seen_at = excluded.seen_at";
    tx.insert("imported", rows, tail).await?;
    let imported = import(tx, place, &outcomes, rules).await?;
    outcome.new_entities = imported.new_entities;
    outcome.undecided += imported.undecided;
    Ok(outcome)
}

/// Makes entities of seeds that no run has taken up yet: what lies in or on them is theirs to import. A seed is decided
/// by itself; answers with how many there are beside which something else may now be decided otherwise.
async fn add_seeds(tx: &mut Tx, place: ChangeContext, rules: &Rules) -> Result<usize> {
    let seeds = seeds::list(tx, place.collection).await?;
    let (denied, reserved) = (denied(tx, place.collection).await?, Reserved::default());
    let leaves = Leaves::new(&denied, rules, &reserved);
    let mut added = 0;
    for part in seeds.chunks(seeds::AT_ONCE) {
        let mut changes = Changes::new(place.clone());
        let uid = |seed: &Seed| Uid::of_entity(place.uuid, seed.kind, &seed.name);
        changes.load_entities(tx, part.iter().map(uid)).await?;
        for seed in part {
            if let Entry::Vacant(unknown) = changes.entities.entry(uid(seed)) {
                let row = unknown.insert(EntityRow::new(uid(seed), seed.kind, seed.name.clone()));
                row.seed = true;
                row.decision = given(&leaves, row);
                changes.refold.insert(uid(seed));
            }
        }
        added += changes.refold.len();
        changes.write(tx).await?;
    }
    Ok(if place.graph == 1 { 0 } else { added })
}

/// What is decided of a seed by itself.
fn given(leaves: &Leaves<'_>, row: &EntityRow) -> Decision {
    let node = Node {
        uid: row.uid,
        kind: row.kind,
        name: row.name.clone(),
        seed: true,
        allow: false,
        deny: false,
        shared: SharedBy::Nobody,
    };
    leaves.given(&node).unwrap_or_else(Decision::unreached)
}

/// Finds the entity that leads to each imported one, hosts before what is on them, and counts those without one.
async fn choose<'a>(
    tx: &mut Tx,
    collection: Uuid,
    mut sighted: Vec<&'a Sighted>,
    (account, outcome): (Option<(Kind, String)>, &mut ImportOutcome),
) -> Result<Vec<Accepted<'a>>> {
    sighted.sort_by_key(|one| (!one.owned, is_on_a_host(one.kind), one.name.len()));
    let uid = |kind: Kind, name: &str| Uid::of_entity(collection, kind, name);
    let candidates: BTreeSet<Uid> = sighted
        .iter()
        .flat_map(|one| {
            let around = places(one.kind, &one.name).into_iter().map(|(kind, name)| uid(kind, &name));
            around.chain([uid(one.kind, &one.name)]).collect::<Vec<_>>()
        })
        .collect();
    let candidates: Vec<Uid> = candidates.into_iter().collect();
    let found =
        tx.read_in("SELECT uid FROM entities WHERE present = 1 AND uid IN", Vec::new(), &candidates, "").await?;
    let mut there: BTreeSet<Uid> = found.into_iter().collect();
    let mut accepted = Vec::with_capacity(sighted.len());
    for one in sighted {
        let itself = (one.kind, one.name.clone());
        let around = || {
            let around = places(one.kind, &one.name).into_iter().chain([itself.clone()]);
            around.into_iter().find(|(kind, name)| there.contains(&uid(*kind, name)))
        };
        match account.clone().filter(|_| one.owned).or_else(around) {
            Some(place) => {
                there.insert(uid(one.kind, &one.name));
                accepted.push(Accepted { sighted: one, place });
            }
            None => {
                outcome.outside += 1;
                if outcome.first_outside.len() < NAMED_MAX {
                    outcome.first_outside.push(itself);
                }
            }
        }
    }
    Ok(accepted)
}

/// Returns the observation of the entity that leads to the imported one. It carries what the tool reported.
fn observed(accepted: &Accepted<'_>, source: Source, context: &ChangeContext) -> Outcome {
    let Accepted { sighted, place: (kind, name) } = accepted;
    let seen_at = sighted.seen_at.min(context.now);
    // A state says what is there now, however long ago it was written.
    let at = if sighted.owned { context.now } else { seen_at };
    let said = Said { source: source.name().to_owned(), seen_at, says: sighted.says.clone() };
    let mut details = Details::from_iter([IMPORTED.is(vec![said])]);
    let found = if (*kind, name) == (sighted.kind, &sighted.name) {
        Found { details, ..Found::default() }
    } else {
        let mut by = edge(sighted.kind);
        if sighted.owned {
            by = EdgeKind::CloudAccount;
            details.extend(set_up(sighted, name));
        }
        let lead = Discovery { edge: by, kind: sighted.kind, name: sighted.name.clone(), details };
        Found { edges: vec![lead], ..Found::default() }
    };
    let work = Work {
        id: 0,
        run: 0,
        task: TASK.to_owned(),
        uid: Uid::of_entity(context.uuid, *kind, name),
        kind: *kind,
        name: name.clone(),
        argument: argument(source, sighted.kind, &sighted.name),
        number: 0,
        attempts: 0,
        fence: 0,
    };
    Outcome { work, result: ProbeResult::Found(found), volatile: &[], sighting: Sighting::Nothing, at, searched: None }
}

/// Returns what an account reports about an entity that it owns: its type and its configuration.
fn set_up(sighted: &Sighted, account: &str) -> Details {
    let has = |member: &str| sighted.kind.owner(member).is_some();
    let mut details = Details::new();
    if has(in_account::CLOUD.name()) {
        details.extend([in_account::CLOUD.is(account.to_owned())]);
    }
    if has(RESOURCE_TYPE.name()) {
        details.extend(sighted.resource_type.iter().map(|what| RESOURCE_TYPE.is(what.clone())));
    }
    if has(CONFIGURATION.name()) && !sighted.configuration.is_empty() {
        details.extend([state_configuration(sighted.configuration.clone())]);
    }
    details
}

/// The argument under which what a source says of a thing is stored.
fn argument(source: Source, kind: Kind, name: &str) -> String {
    format!("{} {} {name}", source.name(), kind.name())
}

/// Closes imports of the collection that are too old.
pub(super) async fn lapse(tx: &mut Tx, place: ChangeContext) -> Result<()> {
    let mut changes = Changes::new(place);
    let oldest = changes.place.now.0 - LASTS_MS;
    loop {
        let sql = format!(
            "SELECT uid, argument FROM imported WHERE collection_id = $1 AND seen_at < $2 ORDER BY seen_at LIMIT \
             {SWEPT_ROWS_MAX}"
        );
        let old: Vec<(Uid, String)> = tx.read_all(&sql, values![changes.place.collection, oldest]).await?;
        if old.is_empty() {
            return changes.write(tx).await.map(drop);
        }
        let probes: Vec<(Uid, &str, String)> = old.into_iter().map(|(uid, argument)| (uid, TASK, argument)).collect();
        forget(tx, &mut changes, &probes).await?;
        let rows: Rows = probes.iter().map(|(uid, _, argument)| named! { uid, argument }).collect();
        tx.with(rows, "DELETE FROM imported WHERE (uid, argument) IN (SELECT * FROM v)").await?;
    }
}
