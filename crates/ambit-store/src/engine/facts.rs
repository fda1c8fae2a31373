//! Facts for planning and judging: a few statements for a block of entities, none for each.

use super::commit::{ABSENT, FOUND, UNKNOWN};
use super::{Engine, Known, KnownIssue};
use crate::db::rows::{Cells, FromRow, columns, list, select};
use crate::db::sql::{Tx, from_json, values};
use crate::inventory::runs::collection_of;
use crate::record::{Vulns, load_vulns};
use crate::{Result, StoreError};
use ambit_model::facts::{Facts, LastProbe, Neighbour, ProbeOutcome, Probes};
use ambit_model::id::RunId;
use ambit_model::issue::Status;
use ambit_model::scope::{SCOPED_FROM, ScopeReason};
use ambit_model::seeds::Seeds;
use ambit_model::{Clearance, Details, Kind, TaskName, Timestamp, Uid};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

/// The entity at the other end of an edge, with its current decision (the record of a gone one shows an old decision).
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    pub kind: Kind,
    pub name: &'a str,
    pub scoped: bool,
    /// As [`Neighbour::by_evidence`]. A stored decision tells it of the domain alone, and not of the names in it.
    pub by_evidence: bool,
    pub clearance: Clearance,
}

impl Engine {
    /// Facts and issues of entities of the run's collection, whose seeds are given, in the order of `uids`; unknown
    /// ones are left out. Hubs have thousands of neighbours, each somewhere else in the database: `held` says who they
    /// are where the caller knows; only the others are read.
    pub async fn known<'h>(
        &self,
        run: RunId,
        seeds: &Arc<Seeds>,
        uids: &[Uid],
        held: impl Fn(&Uid) -> Option<End<'h>>,
    ) -> Result<Vec<Known>> {
        let asked = uids.to_vec();
        let mut stored = self.read(move |tx| Box::pin(async move { Stored::load(tx, run, &asked).await })).await?;
        let ends = stored.edges.iter().flat_map(|edge| [edge.from, edge.to]);
        let others: BTreeSet<Uid> = ends.filter(|uid| !stored.nodes.contains_key(uid) && held(uid).is_none()).collect();
        if !others.is_empty() {
            let (collection, others) = (stored.collection, others.into_iter().collect::<Vec<_>>());
            let nodes = self.read(move |tx| Box::pin(async move { load_nodes(tx, collection, &others).await }));
            stored.nodes.extend(nodes.await?);
        }
        stored.together(seeds, uids, held)
    }
}

/// Facts and issues of entities of a collection, in the order of `uids`, without their neighbours.
pub(super) async fn alone(tx: &mut Tx, collection: i64, uids: &[Uid]) -> Result<Vec<Known>> {
    Stored::alone(tx, collection, uids).await?.together(&Arc::default(), uids, |_| None)
}

/// The probes that hold open edges which lead to entities.
pub type LeadingProbes = BTreeMap<Uid, Vec<(TaskName, LastProbe)>>;

impl Engine {
    /// Returns the newest probes that hold open edges to each of the entities; those of tasks that this version does
    /// not have are left out.
    pub async fn leading_probes(&self, uids: &[Uid]) -> Result<LeadingProbes> {
        if uids.is_empty() {
            return Ok(LeadingProbes::new());
        }
        let uids = uids.to_vec();
        self.read(move |tx| Box::pin(async move { load_leading(tx, &uids).await })).await
    }
}

async fn load_leading(tx: &mut Tx, uids: &[Uid]) -> Result<LeadingProbes> {
    let mut leading = LeadingProbes::new();
    let head = format!(
        "SELECT e.to_uid, e.task, {} FROM edges e JOIN looks l ON l.uid = e.from_uid AND l.task = e.task AND \
         l.argument = e.argument WHERE e.closed_at IS NULL AND e.to_uid IN",
        list::<LastProbe>()
    );
    for (uid, task, probe) in tx.read_in::<(Uid, String, LastProbe), _>(&head, Vec::new(), uids, "").await? {
        if let Some(task) = TaskName::from_name(&task) {
            leading.entry(uid).or_default().push((task, probe));
        }
    }
    Ok(leading)
}

/// Stored records that are in memory at once.
const RECORDS_AT_ONCE: usize = 100;

/// What is read of entities before it is put together.
struct Stored {
    collection: i64,
    edges: Vec<EdgeRow>,
    nodes: BTreeMap<Uid, NodeRow>,
    /// Of the entities, and of those that share details with them.
    details: BTreeMap<Uid, Arc<Details>>,
    probes: BTreeMap<Uid, Probes>,
    issues: BTreeMap<Uid, Vec<KnownIssue>>,
    vulns: BTreeMap<Uid, Vulns>,
}

impl Stored {
    async fn load(tx: &mut Tx, run: RunId, uids: &[Uid]) -> Result<Self> {
        let collection = collection_of(tx, run).await?;
        let edges = load_edges(tx, uids).await?;
        let mut tell: BTreeSet<Uid> = uids.iter().copied().collect();
        tell.extend(edges.iter().filter(|edge| edge.kind.shares_details_with_end()).map(|edge| edge.from));
        tell.extend(edges.iter().filter(|edge| edge.kind.shares_details_with_start()).map(|edge| edge.to));
        Ok(Self {
            collection,
            nodes: load_nodes(tx, collection, uids).await?,
            details: load_details(tx, tell).await?,
            probes: load_probes(tx, uids).await?,
            issues: load_issues(tx, uids).await?,
            vulns: load_vulns(tx, uids).await?,
            edges,
        })
    }

    /// What is read of entities of a collection without their neighbours.
    async fn alone(tx: &mut Tx, collection: i64, uids: &[Uid]) -> Result<Self> {
        Ok(Self {
            collection,
            nodes: load_nodes(tx, collection, uids).await?,
            details: load_details(tx, uids.iter().copied().collect()).await?,
            probes: load_probes(tx, uids).await?,
            issues: load_issues(tx, uids).await?,
            vulns: load_vulns(tx, uids).await?,
            edges: Vec::new(),
        })
    }

    fn together<'h>(
        mut self,
        seeds: &Arc<Seeds>,
        uids: &[Uid],
        held: impl Fn(&Uid) -> Option<End<'h>>,
    ) -> Result<Vec<Known>> {
        let asked: BTreeSet<Uid> = uids.iter().copied().collect();
        let (mut inward, mut outward) =
            (BTreeMap::<Uid, Vec<Neighbour>>::new(), BTreeMap::<Uid, Vec<Neighbour>>::new());
        let end = |uid: &Uid| held(uid).or_else(|| self.nodes.get(uid).map(NodeRow::end));
        for edge in &self.edges {
            let (Some(from), Some(to)) = (end(&edge.from), end(&edge.to)) else {
                continue;
            };
            if asked.contains(&edge.to) {
                let told = self.details.get(&edge.from).filter(|_| edge.kind.shares_details_with_end());
                inward.entry(edge.to).or_default().push(edge.neighbour(edge.from, from, told));
            }
            if asked.contains(&edge.from) {
                let told = self.details.get(&edge.to).filter(|_| edge.kind.shares_details_with_start());
                outward.entry(edge.from).or_default().push(edge.neighbour(edge.to, to, told));
            }
        }
        let mut known = Vec::with_capacity(uids.len());
        for uid in uids {
            let Some(node) = self.nodes.get(uid) else { continue };
            let facts = Facts {
                uid: *uid,
                kind: node.kind,
                name: node.name.clone(),
                seed: node.seed,
                present: node.present,
                decision: from_json(&node.decision)?,
                // A copy only of what an edge tells a neighbour as well.
                details: self.details.remove(uid).map(Arc::unwrap_or_clone).unwrap_or_default(),
                probes: self.probes.remove(uid).unwrap_or_default(),
                inward: inward.remove(uid).unwrap_or_default(),
                outward: outward.remove(uid).unwrap_or_default(),
                seeds: Arc::clone(seeds),
                vulnerabilities: None,
                maintained: Vec::new(),
            };
            let issues = self.issues.remove(uid).unwrap_or_default();
            known.push(Known { facts, issues, vulns: self.vulns.remove(uid).unwrap_or_default() });
        }
        Ok(known)
    }
}

/// What facts hold of an entity at either end of an edge.
struct NodeRow {
    kind: Kind,
    name: String,
    seed: bool,
    present: bool,
    /// The whole decision as it is stored.
    decision: String,
    weighed: Weighed,
}

impl NodeRow {
    fn end(&self) -> End<'_> {
        End {
            kind: self.kind,
            name: &self.name,
            scoped: self.weighed.ownership >= SCOPED_FROM,
            by_evidence: self.weighed.reason == ScopeReason::Evidence,
            clearance: self.weighed.clearance,
        }
    }
}

/// The two answers of a stored decision, without its path.
#[derive(Deserialize)]
struct Weighed {
    ownership: u16,
    clearance: Clearance,
    reason: ScopeReason,
}

/// The details of a stored record.
#[derive(Deserialize)]
struct Detailed {
    details: Details,
}

columns! {
    struct EdgeRow {
        from: Uid = "from_uid",
        to: Uid = "to_uid",
        kind: ambit_model::EdgeKind,
        task: String,
        argument: String,
    }
}

/// The empty details, which most neighbours share: a hub has a hundred thousand of them.
static NOTHING: LazyLock<Arc<Details>> = LazyLock::new(Arc::default);

impl EdgeRow {
    /// What no two edges share.
    fn key(&self) -> (ambit_model::EdgeKind, &str, &str, Uid, Uid) {
        (self.kind, &self.task, &self.argument, self.from, self.to)
    }

    fn neighbour(&self, uid: Uid, end: End<'_>, told: Option<&Arc<Details>>) -> Neighbour {
        Neighbour {
            edge: self.kind,
            task: self.task.clone(),
            argument: self.argument.clone(),
            uid,
            kind: end.kind,
            name: end.name.to_owned(),
            scoped: end.scoped,
            by_evidence: end.by_evidence,
            clearance: end.clearance,
            details: Arc::clone(told.unwrap_or(&NOTHING)),
        }
    }
}

/// Open edges at either end of the entities, in an order that does not depend on the database.
async fn load_edges(tx: &mut Tx, uids: &[Uid]) -> Result<Vec<EdgeRow>> {
    let mut found = Vec::new();
    for end in ["from_uid", "to_uid"] {
        let head = select::<EdgeRow>(&format!("FROM edges WHERE closed_at IS NULL AND {end} IN"));
        found.extend(tx.read_in::<EdgeRow, _>(&head, Vec::new(), uids, "").await?);
    }
    found.sort_unstable_by(|a, b| a.key().cmp(&b.key()));
    found.dedup_by(|a, b| a.key() == b.key());
    Ok(found)
}

async fn load_nodes(tx: &mut Tx, collection: i64, uids: &[Uid]) -> Result<BTreeMap<Uid, NodeRow>> {
    let mut nodes = BTreeMap::new();
    let head = "SELECT uid, kind, name, seed, present, decision FROM entities WHERE +collection_id = $1 AND uid IN";
    type Flags = (bool, bool);
    let rows: Vec<(Uid, (Kind, String), Flags, String)> = tx.read_in(head, values![collection], uids, "").await?;
    for (uid, (kind, name), (seed, present), decision) in rows {
        let node = NodeRow { kind, name, seed, present, weighed: from_json(&decision)?, decision };
        nodes.insert(uid, node);
    }
    Ok(nodes)
}

/// The details of records: what is longest in them, read only where somebody asks for it.
async fn load_details(tx: &mut Tx, uids: BTreeSet<Uid>) -> Result<BTreeMap<Uid, Arc<Details>>> {
    let mut details = BTreeMap::new();
    let uids: Vec<Uid> = uids.into_iter().collect();
    let head = "SELECT uid, record FROM entities WHERE uid IN";
    // A record is several times as long as what is read of it: few are held as they are stored.
    for part in uids.chunks(RECORDS_AT_ONCE) {
        for (uid, record) in tx.read_in::<(Uid, String), _>(head, Vec::new(), part, "").await? {
            details.insert(uid, Arc::new(from_json::<Detailed>(&record)?.details));
        }
    }
    Ok(details)
}

async fn load_probes(tx: &mut Tx, uids: &[Uid]) -> Result<BTreeMap<Uid, Probes>> {
    let mut probes: BTreeMap<Uid, Probes> = BTreeMap::new();
    let head = format!("SELECT uid, task, argument, {} FROM looks WHERE uid IN", list::<LastProbe>());
    let rows: Vec<(Uid, String, String, LastProbe)> = tx.read_in(&head, Vec::new(), uids, "").await?;
    for (uid, task, argument, probe) in rows {
        // A newer version may have written probes of a task that this one does not have: nobody here asks for them.
        if let Some(task) = TaskName::from_name(&task) {
            let of_entity: &mut Probes = probes.entry(uid).or_default();
            of_entity.entry(task).or_default().insert(argument, probe);
        }
    }
    Ok(probes)
}

columns! {
    LastProbe {
        outcome: (sql said("")),
        at,
        run: "run_id",
        reason,
        confirmed: "last_at",
        since: "first_at",
        searched,
    }
}

/// The outcome of a probe that found something in part. It is stored as failed, with an answer of its own: an earlier
/// answer stays as it was only if this one saw nothing.
const IN_PART: i64 = 3;

/// How a row of `looks` says that a probe ended. `of`: what stands before the names of columns.
pub(super) fn said(of: &str) -> String {
    format!("CASE WHEN {} THEN {IN_PART} ELSE {of}outcome END AS ended", in_part(of))
}

/// The condition that a probe found something in part. `of`: what stands before the names of columns.
pub(super) fn in_part(of: &str) -> String {
    format!("{of}outcome = {UNKNOWN} AND {of}last_run = {of}run_id AND {of}last_at = {of}at")
}

impl FromRow for ProbeOutcome {
    fn read(cells: &mut Cells<'_>) -> Result<Self> {
        match cells.value()? {
            FOUND => Ok(Self::Found),
            ABSENT => Ok(Self::Absent),
            IN_PART => Ok(Self::InPart),
            UNKNOWN => Ok(Self::Unknown),
            other => Err(StoreError::Bug(format!("unknown outcome {other}"))),
        }
    }
}

/// What an issue is recognised by, and its status.
#[derive(Deserialize)]
struct Recognised {
    uid: Uid,
    name: String,
    upstream: String,
    discriminator: String,
    status: Status,
}

async fn load_issues(tx: &mut Tx, uids: &[Uid]) -> Result<BTreeMap<Uid, Vec<KnownIssue>>> {
    let mut issues: BTreeMap<Uid, Vec<KnownIssue>> = BTreeMap::new();
    let head = "SELECT entity_uid, record, absent_at, proven_at FROM issues WHERE entity_uid IN";
    let rows: Vec<(Uid, String, Option<Timestamp>, Timestamp)> = tx.read_in(head, Vec::new(), uids, "").await?;
    for (entity, record, absent_at, proven_at) in rows {
        let record: Recognised = from_json(&record)?;
        issues.entry(entity).or_default().push(KnownIssue {
            uid: record.uid,
            name: record.name,
            upstream: record.upstream,
            discriminator: record.discriminator,
            status: record.status,
            absent_at,
            proven_at,
        });
    }
    for list in issues.values_mut() {
        list.sort_by_key(|issue| issue.uid);
    }
    Ok(issues)
}
