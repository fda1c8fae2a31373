//! Facts for planning and judging: a few statements for a block of entities, none for each.

use super::{Engine, Known, KnownIssue};
use crate::sql::{Row, Tx, values};
use crate::{StoreError, seeds};
use ambit_model::entity::EntityRecord;
use ambit_model::facts::{Facts, LastLook, LookOutcome, Neighbour};
use ambit_model::id::RunId;
use ambit_model::issue::IssueRecord;
use ambit_model::{Details, Kind, Uid};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl Engine {
    /// Facts and issues of entities of the run's collection, in the order of `uids`; unknown ones are left out.
    pub async fn known(&self, run: RunId, uids: &[Uid]) -> Result<Vec<Known>, StoreError> {
        let mut tx = self.store.read().await?;
        let (_, collection) = crate::runs::load(&mut tx, run).await?;
        let seeds: Vec<(Kind, String)> = seeds::list(&mut tx, collection)
            .await?
            .into_iter()
            .map(|seed| (seed.kind, seed.name))
            .collect();
        let edges = load_edges(&mut tx, uids).await?;
        let mut records = uids.iter().copied().collect::<BTreeSet<Uid>>();
        records.extend(edges.iter().flat_map(|edge| [edge.from, edge.to]));
        let nodes = load_nodes(&mut tx, collection, &records.into_iter().collect::<Vec<_>>()).await?;
        let mut looks = load_looks(&mut tx, uids).await?;
        let mut issues = load_issues(&mut tx, uids).await?;
        let (mut inward, mut outward) = (BTreeMap::<Uid, Vec<Neighbour>>::new(), BTreeMap::<Uid, Vec<Neighbour>>::new());
        let asked: BTreeSet<Uid> = uids.iter().copied().collect();
        for edge in &edges {
            let (Some(from), Some(to)) = (nodes.get(&edge.from), nodes.get(&edge.to)) else {
                continue;
            };
            if asked.contains(&edge.to) {
                inward.entry(edge.to).or_default().push(edge.neighbour(from));
            }
            if asked.contains(&edge.from) {
                outward.entry(edge.from).or_default().push(edge.neighbour(to));
            }
        }
        let mut known = Vec::with_capacity(uids.len());
        for uid in uids {
            let Some(node) = nodes.get(uid) else { continue };
            let facts = Facts {
                uid: *uid,
                kind: node.record.kind,
                name: node.record.name.clone(),
                seed: node.record.seed,
                present: node.record.present,
                decision: node.decision.clone(),
                details: (*node.details).clone(),
                looks: looks.remove(uid).unwrap_or_default(),
                inward: inward.remove(uid).unwrap_or_default(),
                outward: outward.remove(uid).unwrap_or_default(),
                seeds: seeds.clone(),
            };
            known.push(Known {
                facts,
                issues: issues.remove(uid).unwrap_or_default(),
            });
        }
        Ok(known)
    }
}

/// An entity's current record, with the decision that stands now (a gone record shows an old one).
struct NodeRow {
    /// Without its details, which are held apart.
    record: EntityRecord,
    details: Arc<Details>,
    decision: ambit_model::scope::Decision,
}

struct EdgeRow {
    from: Uid,
    to: Uid,
    kind: ambit_model::EdgeKind,
    task: String,
    argument: String,
}

impl EdgeRow {
    fn neighbour(&self, node: &NodeRow) -> Neighbour {
        Neighbour {
            edge: self.kind,
            task: self.task.clone(),
            argument: self.argument.clone(),
            uid: node.record.uid,
            kind: node.record.kind,
            name: node.record.name.clone(),
            scoped: node.decision.scoped(),
            clearance: node.decision.clearance,
            details: node.details.clone(),
        }
    }
}

/// Open edges at either end of the entities, in an order that does not depend on the database.
async fn load_edges(tx: &mut Tx, uids: &[Uid]) -> Result<Vec<EdgeRow>, StoreError> {
    let mut found = BTreeSet::new();
    for end in ["from_uid", "to_uid"] {
        let head = format!("SELECT from_uid, to_uid, kind, task, argument FROM edges WHERE closed_at IS NULL AND {end} IN");
        for row in tx.rows_in(&head, Vec::new(), uids, "").await? {
            let key: (String, String, String) = (row.get(2)?, row.get(3)?, row.get(4)?);
            found.insert((key, row.get::<Uid>(0)?, row.get::<Uid>(1)?));
        }
    }
    let edge = |((kind, task, argument), from, to): ((String, String, String), Uid, Uid)| {
        Ok(EdgeRow {
            from,
            to,
            kind: super::graph::edge_from(&kind)?,
            task,
            argument,
        })
    };
    found.into_iter().map(edge).collect()
}

async fn load_nodes(tx: &mut Tx, collection: i64, uids: &[Uid]) -> Result<BTreeMap<Uid, NodeRow>, StoreError> {
    let mut nodes = BTreeMap::new();
    let head = "SELECT uid, record, decision FROM entities WHERE collection_id = $1 AND uid IN";
    for row in tx.rows_in(head, values![collection], uids, "").await? {
        let mut record: EntityRecord = row.json(1)?;
        let node = NodeRow {
            details: Arc::new(std::mem::take(&mut record.details)),
            record,
            decision: row.json(2)?,
        };
        nodes.insert(row.get(0)?, node);
    }
    Ok(nodes)
}

async fn load_looks(tx: &mut Tx, uids: &[Uid]) -> Result<BTreeMap<Uid, BTreeMap<(String, String), LastLook>>, StoreError> {
    let mut looks: BTreeMap<Uid, BTreeMap<(String, String), LastLook>> = BTreeMap::new();
    let head = "SELECT uid, task, argument, outcome, at, run_id, reason FROM looks WHERE uid IN";
    for row in tx.rows_in(head, Vec::new(), uids, "").await? {
        let look = LastLook {
            outcome: outcome_from(&row, 3)?,
            at: row.get(4)?,
            run: row.get(5)?,
            reason: row.get(6)?,
        };
        looks.entry(row.get(0)?).or_default().insert((row.get(1)?, row.get(2)?), look);
    }
    Ok(looks)
}

fn outcome_from(row: &Row, column: usize) -> Result<LookOutcome, StoreError> {
    match row.get::<i64>(column)? {
        0 => Ok(LookOutcome::Found),
        1 => Ok(LookOutcome::Absent),
        2 => Ok(LookOutcome::Unknown),
        other => Err(StoreError::Bug(format!("unknown outcome {other}"))),
    }
}

async fn load_issues(tx: &mut Tx, uids: &[Uid]) -> Result<BTreeMap<Uid, Vec<KnownIssue>>, StoreError> {
    let mut issues: BTreeMap<Uid, Vec<KnownIssue>> = BTreeMap::new();
    let head = "SELECT entity_uid, record, absent_at, proven_at FROM issues WHERE entity_uid IN";
    for row in tx.rows_in(head, Vec::new(), uids, "").await? {
        let record: IssueRecord = row.json(1)?;
        issues.entry(row.get(0)?).or_default().push(KnownIssue {
            uid: record.uid,
            name: record.name,
            upstream: record.upstream,
            discriminator: record.discriminator,
            status: record.status,
            absent_at: row.get(2)?,
            proven_at: row.get(3)?,
        });
    }
    for list in issues.values_mut() {
        list.sort_by_key(|issue| issue.uid);
    }
    Ok(issues)
}
