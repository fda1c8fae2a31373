//! Scope after a person's word: what is known is decided again at once, whether or not an engine runs. A run that goes
//! on hears of the same word by itself and comes to the same decisions.

use crate::db::sql::values;
use crate::db::writer::transaction;
use crate::engine::{GraphNode, drop_uncleared, graph, mark_dirty};
use crate::inventory::collections;
use crate::record::{ChangeContext, Changes};
use crate::{Principal, Result, Store};
use ambit_model::scope::{self, Decision, Edge, Exclusions, Node, Rules, ScopeReason};
use ambit_model::user::CollectionRole;
use ambit_model::{Clearance, EdgeKind, Kind, Timestamp, Uid, workflow};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Decisions written in one transaction: others write between two of them.
const WRITTEN_MAX: usize = 2_000;

/// Reasons of entities that something outside the collection may have closed: a reserved range, or an exclusion of the
/// whole installation. Only the engine knows these, so nothing here opens such an entity.
const CLOSED_ELSEWHERE: [ScopeReason; 2] = [ScopeReason::Reserved, ScopeReason::Excluded];

/// The graph of a collection with what is stored of each node, as of a revision.
struct Known {
    revision: i64,
    nodes: BTreeMap<Uid, GraphNode>,
    edges: BTreeSet<Edge>,
}

/// Entities of each sort that a preview names; it counts all.
const PREVIEWED_MAX: usize = 100;

/// What other rules would do to what is known and there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopePreview {
    /// In scope now, and then not any more.
    pub leaves: Moved,
    /// Not in scope now, and then so.
    pub enters: Moved,
    /// Otherwise, what would be contacted less loudly, or not at all.
    pub quieter: Moved,
    /// Otherwise, what would be contacted more loudly.
    pub louder: Moved,
}

/// Entities that would move, and how many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    pub count: usize,
    /// By name, at most 100.
    pub first: Vec<(Uid, Kind, String)>,
}

impl Store {
    /// Says what another level or other exclusions would do to what is known in a collection, and changes nothing. For
    /// its admins, who may change them. Fails if the caller is no admin of the collection, or an exclusion is none.
    pub async fn preview_scope(
        &self,
        principal: &Principal,
        collection: Uuid,
        level: Option<Clearance>,
        never: Option<Vec<String>>,
    ) -> Result<ScopePreview> {
        collections::check_never(never.as_deref().unwrap_or_default())?;
        let mut tx = self.read().await?;
        let view = collections::require(&mut tx, principal, collection, CollectionRole::Admin).await?;
        let mut known = Known { revision: 0, nodes: BTreeMap::new(), edges: BTreeSet::new() };
        known.take(graph(&mut tx, collection, 0).await?);
        tx.rollback().await?;
        let of = &view.collection;
        let ceiling = workflow::ceiling(&of.workflow, level.unwrap_or(of.level));
        let rules = Rules { ceiling, never: never.unwrap_or_else(|| view.never.clone()) };
        let mut preview = ScopePreview::default();
        for (uid, then) in known.decide(&rules, &view.never) {
            let Some(now) = known.nodes.get(&uid).filter(|known| known.present) else { continue };
            let moved = match (now.decision.scoped(), then.scoped()) {
                (true, false) => &mut preview.leaves,
                (false, true) => &mut preview.enters,
                _ if then.clearance < now.decision.clearance => &mut preview.quieter,
                _ if then.clearance > now.decision.clearance => &mut preview.louder,
                _ => continue,
            };
            moved.count += 1;
            moved.first.push((uid, now.node.kind, now.node.name.clone()));
        }
        for moved in [&mut preview.leaves, &mut preview.enters, &mut preview.quieter, &mut preview.louder] {
            moved.first.sort_by(|a, b| (&a.2, a.1).cmp(&(&b.2, b.1)));
            moved.first.truncate(PREVIEWED_MAX);
        }
        Ok(preview)
    }

    /// Decides the scope of everything that is known in a collection, and writes what differs. `before` are the
    /// collection's exclusions before the change. What a crash leaves undone the next run does.
    pub(crate) async fn rescope(&self, collection: Uuid, before: &[String], now: Timestamp) -> Result<()> {
        let mut known = Known { revision: 0, nodes: BTreeMap::new(), edges: BTreeSet::new() };
        // The whole graph is read beside the writers; what moves meanwhile follows inside.
        known.take(graph(&mut self.read().await?, collection, 0).await?);
        let mut decided: Option<Decided> = None;
        loop {
            let before = before.to_vec();
            let (read, left) = transaction!(self, Person, async |tx| {
                let (of, never, _) = collections::load(tx, collection).await?;
                collections::lock(tx, of.id).await?;
                let moved = graph(tx, collection, known.revision).await?;
                let rules = Rules { ceiling: workflow::ceiling(&of.workflow, of.level), never };
                // What was decided holds as long as nothing moved but what was written of it.
                let decided = decided.filter(|decided| decided.rules == rules && decided.explains(&moved, &known));
                known.take(moved);
                let mut changed = match decided {
                    Some(decided) => decided.left,
                    None => known.decide(&rules, &before),
                };
                let left = changed.split_off(WRITTEN_MAX.min(changed.len()));
                let written = changed.iter().cloned().collect();
                if !changed.is_empty() {
                    write(tx, of.id, changed, now).await?;
                }
                if left.is_empty() {
                    tx.run("UPDATE collections SET undecided = 0 WHERE id = $1 AND undecided = 1", values![of.id])
                        .await?;
                }
                Ok((known, Decided { rules, written, left }))
            })?;
            if left.left.is_empty() {
                return Ok(());
            }
            (known, decided) = (read, Some(left));
        }
    }
}

/// Decisions of which only a part is written yet.
struct Decided {
    rules: Rules,
    written: BTreeMap<Uid, Decision>,
    left: Vec<(Uid, Decision)>,
}

impl Decided {
    /// True where the graph moved by nothing but these decisions.
    fn explains(&self, moved: &crate::engine::GraphDelta, known: &Known) -> bool {
        let is_ours = |node: &GraphNode| {
            self.written.get(&node.node.uid) == Some(&node.decision)
                && known.nodes.get(&node.node.uid).is_some_and(|before| before.node == node.node)
        };
        moved.opened.is_empty() && moved.closed.is_empty() && moved.nodes.iter().all(is_ours)
    }
}

impl Known {
    fn take(&mut self, delta: crate::engine::GraphDelta) {
        self.revision = delta.revision;
        self.nodes.extend(delta.nodes.into_iter().map(|known| (known.node.uid, known)));
        for edge in &delta.closed {
            self.edges.remove(edge);
        }
        self.edges.extend(delta.opened);
    }

    /// What is decided otherwise than it is stored.
    fn decide(&self, rules: &Rules, before: &[String]) -> Vec<(Uid, Decision)> {
        let closed = self.closed_elsewhere(before);
        let node = |(uid, known): (&Uid, &GraphNode)| {
            let deny = known.node.deny || closed.contains(uid);
            (*uid, Node { deny, ..known.node.clone() })
        };
        let nodes: BTreeMap<Uid, Node> = self.nodes.iter().map(node).collect();
        let decisions = scope::decide(&nodes, &self.edges, rules).into_iter();
        decisions
            .filter(|(uid, decision)| {
                !closed.contains(uid) && self.nodes.get(uid).is_some_and(|known| known.decision != *decision)
            })
            .collect()
    }

    /// What is closed, and neither itself nor by a name that leads to it through the collection's own exclusions.
    fn closed_elsewhere(&self, before: &[String]) -> BTreeSet<Uid> {
        let own = Exclusions::new(before);
        let mut explained: BTreeSet<Uid> =
            self.nodes.values().filter(|known| own.cover(&known.node.name)).map(|known| known.node.uid).collect();
        let names = self.edges.iter().filter(|edge| edge.kind == EdgeKind::ResolvesTo);
        let led_to: Vec<Uid> = names.filter(|edge| explained.contains(&edge.from)).map(|edge| edge.to).collect();
        explained.extend(led_to);
        let is_closed = |known: &&GraphNode| CLOSED_ELSEWHERE.contains(&known.decision.reason);
        let closed = self.nodes.values().filter(is_closed).map(|known| known.node.uid);
        closed.filter(|uid| !explained.contains(uid)).collect()
    }
}

/// Writes decisions, and takes what is planned above them out of the open run.
async fn write(
    tx: &mut crate::db::sql::Tx,
    collection: i64,
    decisions: Vec<(Uid, Decision)>,
    now: Timestamp,
) -> Result<()> {
    let mut changes = Changes::new(ChangeContext::enter(tx, collection, None, true, now).await?);
    changes.load_entities(tx, decisions.iter().map(|(uid, _)| *uid)).await?;
    let mut lowered: BTreeMap<Clearance, Vec<Uid>> = BTreeMap::new();
    let mut moved = Vec::new();
    for (uid, decision) in decisions {
        let Some(row) = changes.entities.get_mut(&uid) else { continue };
        if decision.clearance < row.decision.clearance {
            lowered.entry(decision.clearance).or_default().push(uid);
        }
        row.decision = decision;
        moved.push(uid);
    }
    changes.refold.extend(moved.iter().copied());
    changes.write(tx).await?;
    drop_uncleared(tx, collection, &lowered).await?;
    mark_dirty(tx, collection, moved).await
}
