//! What happened, with what is known of the record that it happened to: rows of the change feed, completed.

use crate::Result;
use crate::db::rows::{columns, select};
use crate::db::sql::{Tx, from_json};
use crate::inventory::feed::STAMPS_AHEAD_MS_MAX;
use ambit_model::feed::{FeedRow, Noun, What};
use ambit_model::issue::{Confidence, Decision, Status};
use ambit_model::notification::{NewEntities, OfCollection};
use ambit_model::run::RunState;
use ambit_model::{Timestamp, Uid};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Stamps of the feed run ahead of the clock: so much later than its end, what a first run wrote still counts as its
/// own.
const FIRST_RUN_SLACK_MS: i64 = STAMPS_AHEAD_MS_MAX + 1_000;

/// A row of the feed with what is known of its record.
#[derive(Clone, Debug, PartialEq)]
pub struct Happened {
    pub revision: i64,
    pub at: Timestamp,
    pub project: i64,
    pub collection: i64,
    pub of: OfCollection,
    /// It happened in the first run of the collection.
    pub first_run: bool,
    /// What was said of the new entities of the collection.
    pub new_entities: NewEntities,
    pub to: HappenedTo,
}

/// To what it happened.
#[derive(Clone, Debug, PartialEq)]
pub enum HappenedTo {
    Entity {
        uid: Uid,
        what: What,
        kind: String,
        name: String,
        /// It is in scope and not hidden.
        counts: bool,
        /// It has had no version that is over: it appeared in the run that changes it.
        is_new: bool,
    },
    Issue {
        uid: Uid,
        what: What,
        name: String,
        title: String,
        entity_name: String,
        severity: i64,
        /// One sentence: the proof, or else the description of the issue.
        seen: String,
        status: Status,
        /// Of a person, on that status.
        decision: Option<Decision>,
        confirmed: bool,
        /// Of the version that this change ended: whether it was open, and whether confirmed. `None`: there was none.
        before: Option<(bool, bool)>,
    },
    Run {
        uuid: Uuid,
        number: i64,
        state: RunState,
        new_entities: i64,
        /// How many tasks left work undone for want of budget, time or a source, or by a fault of ours.
        not_done: i64,
    },
}

#[derive(Deserialize)]
struct EntityFacts {
    kind: String,
    name: String,
    scoped: bool,
    hidden: bool,
}

#[derive(Deserialize)]
struct IssueFacts {
    name: String,
    pretty_name: String,
    entity_name: String,
    severity: i64,
    status: Status,
    confidence: Confidence,
    #[serde(default)]
    description: String,
    #[serde(default)]
    details: Value,
    #[serde(default)]
    decision: Option<Decision>,
}

impl IssueFacts {
    fn is_confirmed(&self) -> bool {
        self.confidence == Confidence::Confirmed
    }
}

columns! {
    struct CollectionFacts of c {
        id: i64,
        uuid: Uuid,
        name: String = "c.printable_name",
        run_number: i64,
        notify_emails_new_entities: Option<bool>,
        notify_webhooks_new_entities: Option<bool>,
        /// When the first run was over.
        first_over_at: Option<Timestamp> = "(SELECT o.finished_at FROM runs o WHERE o.collection_id = c.id AND \
                                            o.number = 1)",
    }
}

columns! {
    struct RunFacts of r {
        uuid: Uuid,
        number: i64,
        state: RunState,
        new_entities: i64,
        /// A run that tests a single issue is reported by the events of that issue.
        retests: Option<Uid>,
        not_done: i64 = "(SELECT COUNT(*) FROM not_done d WHERE d.run_id = r.id AND d.reason IN ('out of budget', \
                         'source down', 'denied', 'out of time', 'task panicked', 'set aside', 'run too long'))",
    }
}

/// Completes rows of the feed; those of records that were deleted since, and of other nouns, are left out.
pub(super) async fn with_facts(tx: &mut Tx, rows: Vec<(FeedRow, Timestamp, Option<i64>)>) -> Result<Vec<Happened>> {
    let rows: Vec<_> = rows.into_iter().filter(|(row, ..)| row.what != What::Seen).collect();
    let of = |noun: Noun| -> Vec<Uid> {
        rows.iter().filter(|(row, ..)| row.noun == noun).map(|(row, ..)| row.uid).collect()
    };
    let ids: Vec<i64> = rows.iter().filter_map(|(.., collection)| *collection).collect();
    let head = select::<CollectionFacts>(
        "FROM collections c JOIN projects p ON p.id = c.project_id WHERE c.deleted_at IS NULL AND \
         p.deleted_at IS NULL AND c.id IN",
    );
    let collections: Vec<CollectionFacts> = tx.read_in(&head, Vec::new(), &ids, "").await?;
    let collections: BTreeMap<i64, CollectionFacts> = collections.into_iter().map(|one| (one.id, one)).collect();
    let entities =
        records::<EntityFacts>(tx, "SELECT uid, record FROM entities WHERE uid IN", &of(Noun::Entity)).await?;
    // A version that is over: what an open run changes of what it found itself ends none.
    let head = "SELECT DISTINCT uid FROM versions WHERE noun = 'entity' AND uid IN";
    let known: Vec<Uid> = tx.read_in(head, Vec::new(), &of(Noun::Entity), "").await?;
    let known: BTreeSet<Uid> = known.into_iter().collect();
    let issues = records::<IssueFacts>(tx, "SELECT uid, record FROM issues WHERE uid IN", &of(Noun::Issue)).await?;
    let changes: Vec<i64> =
        rows.iter().filter(|(row, ..)| row.noun == Noun::Issue).map(|(row, ..)| row.revision).collect();
    let head = "SELECT closed_revision, record FROM versions WHERE noun = 'issue' AND closed_revision IN";
    let mut before = BTreeMap::new();
    for (revision, record) in tx.read_in::<(i64, String), _>(head, Vec::new(), &changes, "").await? {
        before.insert(revision, from_json::<IssueFacts>(&record)?);
    }
    let later = later_changes(&rows);
    let uuids: Vec<Uuid> = rows.iter().filter(|(row, ..)| row.noun == Noun::Run).map(|(row, ..)| row.uuid()).collect();
    let head = select::<RunFacts>("FROM runs r WHERE r.uuid IN");
    let runs: Vec<RunFacts> = tx.read_in(&head, Vec::new(), &uuids, "").await?;
    let runs: BTreeMap<Uuid, RunFacts> = runs.into_iter().map(|run| (run.uuid, run)).collect();
    let complete = |(row, at, collection): &(FeedRow, Timestamp, Option<i64>)| {
        let facts = collections.get(collection.as_ref()?)?;
        let to = match row.noun {
            Noun::Entity => entity(row, entities.get(&row.uid)?, !known.contains(&row.uid)),
            Noun::Issue => {
                // Where more happened to it since, what the next change ended is what this one left behind.
                let left = later.get(&row.revision).and_then(|next| before.get(next));
                issue(row, left.or_else(|| issues.get(&row.uid))?, before.get(&row.revision))
            }
            Noun::Run => run(runs.get(&row.uuid()).filter(|run| run.retests.is_none())?),
            Noun::Technology | Noun::Collection | Noun::Project | Noun::Graph => return None,
        };
        Some(Happened {
            revision: row.revision,
            at: *at,
            project: row.project,
            collection: facts.id,
            of: OfCollection { uuid: facts.uuid, name: facts.name.clone() },
            first_run: facts.run_number == 1
                && facts.first_over_at.is_none_or(|over| *at <= over.plus_ms(FIRST_RUN_SLACK_MS)),
            new_entities: NewEntities {
                emails: facts.notify_emails_new_entities,
                webhooks: facts.notify_webhooks_new_entities,
            },
            to,
        })
    };
    Ok(rows.iter().filter_map(complete).collect())
}

async fn records<T: serde::de::DeserializeOwned>(tx: &mut Tx, head: &str, uids: &[Uid]) -> Result<BTreeMap<Uid, T>> {
    let rows: Vec<(Uid, String)> = tx.read_in(head, Vec::new(), uids, "").await?;
    rows.into_iter().map(|(uid, record)| Ok((uid, from_json(&record)?))).collect()
}

fn entity(row: &FeedRow, facts: &EntityFacts, is_new: bool) -> HappenedTo {
    let (kind, name) = (facts.kind.clone(), facts.name.clone());
    HappenedTo::Entity { uid: row.uid, what: row.what, kind, name, counts: facts.scoped && !facts.hidden, is_new }
}

/// For each change of an issue the revision of the next one of the same issue, where these rows have one.
fn later_changes(rows: &[(FeedRow, Timestamp, Option<i64>)]) -> BTreeMap<i64, i64> {
    let (mut later, mut last) = (BTreeMap::new(), BTreeMap::new());
    for (row, ..) in rows.iter().filter(|(row, ..)| row.noun == Noun::Issue) {
        if let Some(earlier) = last.insert(row.uid, row.revision) {
            later.insert(earlier, row.revision);
        }
    }
    later
}

fn issue(row: &FeedRow, facts: &IssueFacts, before: Option<&IssueFacts>) -> HappenedTo {
    let proof = facts.details["proof"]["description"].as_str().filter(|proof| !proof.is_empty());
    HappenedTo::Issue {
        uid: row.uid,
        what: row.what,
        name: facts.name.clone(),
        title: facts.pretty_name.clone(),
        entity_name: facts.entity_name.clone(),
        severity: facts.severity,
        seen: proof.unwrap_or(&facts.description).to_owned(),
        status: facts.status,
        decision: facts.decision.clone(),
        confirmed: facts.is_confirmed(),
        before: before.map(|facts| (facts.status.is_open(), facts.is_confirmed())),
    }
}

fn run(facts: &RunFacts) -> HappenedTo {
    let RunFacts { uuid, number, state, new_entities, not_done, retests: _ } = *facts;
    HappenedTo::Run { uuid, number, state, new_entities, not_done }
}
