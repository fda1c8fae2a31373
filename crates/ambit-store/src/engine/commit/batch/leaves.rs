//! Decides the scope of what a batch brings anew where the one edge that leads there decides it, so that nobody waits
//! for a decision over the whole collection, which takes the longer the more there is.

use super::Batch;
use crate::StoreError;
use crate::db::rows::list;
use crate::db::sql::{Tx, from_json, values};
use ambit_model::entity::imported::{TASK, blocks_around, delegations, is_on_a_host};
use ambit_model::reserved::Reserved;
use ambit_model::scope::{Decision, Leaves, Node, Rules, SharedBy, Stem};
use ambit_model::{EdgeKind, Kind, Uid};
use std::collections::{BTreeMap, BTreeSet};

/// Names that are delegated to others.
const DELEGATED: &str = "SELECT DISTINCT to_uid FROM edges WHERE closed_at IS NULL AND \
                         kind = 'delegated_subdomain' AND to_uid IN";

/// An edge that a batch opens.
type Opened = (Uid, EdgeKind, Uid);

/// Where leaves hang: kind, name and what is decided of it.
type Stems = BTreeMap<Uid, (Kind, String, Decision)>;

/// Reads what is denied in a collection, whether or not it is there now.
pub(in super::super::super) async fn denied(tx: &mut Tx, collection: i64) -> Result<Vec<Node>, StoreError> {
    let sql = format!("SELECT {} FROM entities WHERE collection_id = $1 AND deny_list = 1", list::<Node>());
    tx.read_all(&sql, values![collection]).await
}

impl Batch {
    /// Decides new entities; answers with how many ends of edges wait for a decision over the whole collection. The
    /// engine closes by itself what lies in a reserved range.
    pub(in super::super) async fn decide_leaves(&mut self, tx: &mut Tx, rules: &Rules) -> Result<usize, StoreError> {
        let (opened, closed) = self.moved_edges();
        let (mut new, known): (Vec<Opened>, Vec<Opened>) = opened.into_iter().partition(|(_, _, to)| self.is_new(to));
        let mut undecided = closed + self.undecided_of_known(tx, known).await?;
        let denied = denied(tx, self.changes.place.collection).await?;
        let reserved = Reserved::default();
        let leaves = Leaves::new(&denied, rules, &reserved);
        let mut stems = self.stems(tx, &new).await?;
        let delegated = self.known_of(tx, &new, delegations, DELEGATED).await?;
        let blocks = self.known_of(tx, &new, blocks_around, "SELECT uid FROM entities WHERE uid IN").await?;
        let uuid = self.changes.place.uuid;
        let mut inward: BTreeMap<Uid, usize> = BTreeMap::new();
        for (_, _, to) in &new {
            *inward.entry(*to).or_default() += 1;
        }
        // An entity is decided before those that it leads to.
        new.sort_by_key(|(_, _, to)| {
            let row = &self.changes.entities[to];
            (is_on_a_host(row.kind), row.name.len())
        });
        for (from, edge, to) in new {
            let row = self.changes.entities.get_mut(&to).expect("only these are new");
            let leaf = Node {
                uid: to,
                kind: row.kind,
                name: row.name.clone(),
                seed: row.seed,
                allow: row.allow_list,
                deny: row.deny_list,
                shared: SharedBy::Nobody,
            };
            let uid = |(kind, name): (Kind, String)| Uid::of_entity(uuid, kind, &name);
            let nearest =
                blocks_around(leaf.kind, &leaf.name).into_iter().map(uid).find(|block| blocks.contains(block));
            let is_nearest = nearest.is_none_or(|block| block == from);
            let is_cut = delegations(leaf.kind, &leaf.name).into_iter().map(uid).any(|cut| delegated.contains(&cut));
            let is_alone = inward[&to] == 1 && is_nearest && !is_cut;
            let stem = stems.get(&from).filter(|_| is_alone);
            let decided = stem.and_then(|(kind, name, decision)| {
                leaves.decide(&leaf, Stem { kind: *kind, name, decision }, edge, TASK)
            });
            match decided {
                Some(decision) => {
                    row.decision = decision.clone();
                    stems.insert(to, (leaf.kind, leaf.name, decision));
                }
                None => undecided += 1,
            }
        }
        Ok(undecided)
    }

    fn is_new(&self, uid: &Uid) -> bool {
        self.changes.entities.get(uid).is_some_and(|row| row.is_new())
    }

    /// Edges that open, and how many close. Other details do not move an edge.
    fn moved_edges(&self) -> (Vec<Opened>, usize) {
        let (mut opened, mut closed) = (Vec::new(), 0);
        for ((from, ..), edges) in &self.edges {
            for ((kind, to), row) in edges {
                match (&row.stored, &row.wanted) {
                    (None, Some(_)) => opened.push((*from, *kind, *to)),
                    (Some(_), None) => closed += 1,
                    _ => {}
                }
            }
        }
        opened.sort_unstable();
        opened.dedup();
        (opened, closed)
    }

    /// Counts the edges to what was known before that another import does not hold already.
    async fn undecided_of_known(&self, tx: &mut Tx, opened: Vec<Opened>) -> Result<usize, StoreError> {
        let ends: Vec<Uid> = opened.iter().map(|(_, _, to)| *to).collect::<BTreeSet<_>>().into_iter().collect();
        let head = "SELECT from_uid, kind, to_uid FROM edges WHERE closed_at IS NULL AND task = $1 AND to_uid IN";
        let open: BTreeSet<Opened> = tx.read_in(head, values![TASK], &ends, "").await?.into_iter().collect();
        Ok(opened.iter().filter(|edge| !open.contains(edge)).count())
    }

    /// Where these edges begin, of what was known before.
    async fn stems(&self, tx: &mut Tx, opened: &[Opened]) -> Result<Stems, StoreError> {
        let known = opened.iter().map(|(from, _, _)| *from).filter(|from| !self.is_new(from));
        let uids: Vec<Uid> = known.collect::<BTreeSet<_>>().into_iter().collect();
        let rows: Vec<(Uid, Kind, String, String)> =
            tx.read_in("SELECT uid, kind, name, decision FROM entities WHERE uid IN", Vec::new(), &uids, "").await?;
        let stem =
            |(uid, kind, name, decision): (Uid, Kind, String, String)| Ok((uid, (kind, name, from_json(&decision)?)));
        rows.into_iter().map(stem).collect()
    }

    /// Those of further entities of new ones that the collection knows, whether or not they are there now.
    async fn known_of(
        &self,
        tx: &mut Tx,
        opened: &[Opened],
        of: fn(Kind, &str) -> Vec<(Kind, String)>,
        head: &str,
    ) -> Result<BTreeSet<Uid>, StoreError> {
        let uuid = self.changes.place.uuid;
        let new = opened.iter().map(|(_, _, to)| &self.changes.entities[to]);
        let further = new.flat_map(|row| of(row.kind, &row.name));
        let uids: BTreeSet<Uid> = further.map(|(kind, name)| Uid::of_entity(uuid, kind, &name)).collect();
        let uids: Vec<Uid> = uids.into_iter().collect();
        Ok(tx.read_in(head, Vec::new(), &uids, "").await?.into_iter().collect())
    }
}
