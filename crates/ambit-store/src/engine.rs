//! What the engine may do: claim runs, lease work, commit outcomes, reconcile scope and issues. Engine writes take no
//! principal; they take this type, which only the holder of the engine's place can make (docs/architecture.md §1.8 and
//! §2).

mod analyses;
mod bodies;
mod claim;
pub(crate) mod commit;
mod deferred;
mod dirty;
mod facts;
mod graph;
mod hunt;
mod imports;
mod issues;
mod lease;
mod not_done;
mod place;
mod reassess;
mod reconcile;
mod relied;
mod retests;
mod retrohunt_jobs;
mod stragglers;
mod told;
mod turns;
mod unanswered;
mod unroll;

pub use crate::record::Vulns;
pub use analyses::WaitingAnalysis;
pub use claim::Claimed;
pub use deferred::Deferred;
pub(crate) use dirty::mark_dirty;
pub use facts::{End, LeadingProbes};
pub(crate) use graph::graph;
pub use hunt::{Hunted, LiveRuleset, RuleMatch, Specimen};
pub use imports::{ImportOutcome, Imported, StateAccount};
pub use issues::Moved;
pub(crate) use lease::drop_uncleared;
pub use lease::{ATTEMPTS_BEFORE_ALONE, Places, Unreconciled};
pub use place::Engine;
pub use reassess::{Reassessment, Showing};
pub use relied::Fresh;
pub use retrohunt_jobs::{HeldJob, JobPart};
pub use told::{Look, Telling};
pub use turns::Room;
pub use unanswered::{Lookup, ProbeAt};

use ambit_model::facts::{Facts, ProbeKey};
use ambit_model::id::RunId;
use ambit_model::issue::{IssueKind, Proof, Status};
use ambit_model::observation::{ProbeResult, Sighting};
use ambit_model::run::NotDone;
use ambit_model::scope::{Decision, Edge, Node};
use ambit_model::{Clearance, Kind, Timestamp, Uid, Wave};

/// A unit of work to be planned: do this task for this entity in this run. Unique by (run, task, entity, argument,
/// number): planning twice is harmless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWork {
    pub task: &'static str,
    pub uid: Uid,
    /// Tells several rows of one task at one entity apart, such as `203.0.113.7:443`; `""` for most tasks.
    pub argument: String,
    /// Even numbers are first probes of the run, odd ones repeat a probe that ended as absent. Absent at an even number
    /// over an open interval plans the next number after 60 s of wire time; absent at an odd one closes the interval.
    /// (The engine plans number 2 itself where an issue must be seen absent twice.)
    pub number: i64,
    /// When the task runs: earlier waves are leased first, so that scope is decided before anything loud happens.
    pub wave: Wave,
    /// The task's footprint: rows that are louder than their entity's clearance are dropped.
    pub footprint: Clearance,
    /// Expected new facts per cost; higher first within a wave.
    pub priority: i64,
    /// Wire date before which it must not start.
    pub not_before: Timestamp,
    /// The hash of what it contacts, modulo 1,024 (docs/architecture.md §2).
    pub partition: i64,
}

/// A bulk space as one row: `size` positions, leased in ranges of `step`; each range becomes work whose argument is
/// `<prefix><from>-<to>` (from inclusive, to exclusive), in the order of a seeded permutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSweep {
    pub task: &'static str,
    pub uid: Uid,
    pub prefix: String,
    pub size: i64,
    pub step: i64,
    pub wave: Wave,
    pub footprint: Clearance,
    pub priority: i64,
    pub partition: i64,
}

/// A leased row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    pub id: i64,
    pub run: RunId,
    pub task: String,
    pub uid: Uid,
    pub kind: Kind,
    pub name: String,
    pub argument: String,
    pub number: i64,
    /// How often it was leased before without being done; 3 means that the process died under it three times.
    pub attempts: i64,
    /// The lease's number; a completion with an older one is refused.
    pub fence: i64,
}

/// How one leased row ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub work: Work,
    pub result: ProbeResult,
    /// Members that differ on every fetch (docs/architecture.md §1.2).
    pub volatile: &'static [&'static str],
    /// What a found answer counts as a sighting of.
    pub sighting: Sighting,
    /// Wire date of the probe; of one that only verified what was found before, of the search that found it.
    pub at: Timestamp,
    /// By which settings everything was asked for then, of a task of which less may be asked again.
    pub searched: Option<i64>,
}

/// One transaction of results.
#[derive(Clone, Debug, PartialEq)]
pub struct Commit {
    pub run: RunId,
    pub outcomes: Vec<Outcome>,
    /// Rows given back undone (pause, shutdown).
    pub returned: Vec<Work>,
    /// What was not done though no row was leased for it; probes that failed are counted by themselves.
    pub not_done: Vec<NotDone>,
    /// Wall time.
    pub now: Timestamp,
}

/// What a commit did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// Rows whose lease had passed to another engine. Their outcomes were dropped.
    pub refused: usize,
    /// Entities seen for the first time.
    pub new_entities: usize,
    /// Repeated probes that were planned because an open interval was seen absent.
    pub second_probes: usize,
}

/// A node of the scope graph with the engine's last decision for it.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphNode {
    pub node: Node,
    /// Has an open `found` interval.
    pub observed: bool,
    pub present: bool,
    pub decision: Decision,
}

/// What changed in a collection's graph since a revision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphDelta {
    /// The revision that this brings the reader to.
    pub revision: i64,
    pub nodes: Vec<GraphNode>,
    /// Edges that have an open interval now and may have been unknown before.
    pub opened: Vec<Edge>,
    /// Edges without an open interval now.
    pub closed: Vec<Edge>,
}

/// An entity whose surroundings changed since it was last planned and judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dirty {
    pub uid: Uid,
    /// Removing the mark succeeds only if it was not raised meanwhile.
    pub mark: i64,
}

/// An issue that is already known on an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownIssue {
    pub uid: Uid,
    pub name: String,
    pub upstream: String,
    pub discriminator: String,
    pub status: Status,
    /// Wire date of the first probe that ended as absent, while there was only one.
    pub absent_at: Option<Timestamp>,
    /// Wire date of the proof that opened or refreshed it last.
    pub proven_at: Timestamp,
}

/// Facts of an entity with its issues.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    pub facts: Facts,
    pub issues: Vec<KnownIssue>,
    /// The vulnerabilities in its record.
    pub vulns: Vulns,
}

/// What judging says of an issue.
#[derive(Clone, Debug, PartialEq)]
pub enum IssueWrite {
    /// Proven at an entity: opens, refreshes, or reopens it (`Status::after_proof`).
    Prove { entity: Uid, kind: &'static IssueKind, upstream: String, proof: Box<Proof> },
    /// First absent probe: remembered with its wire date.
    AbsentOnce { issue: Uid, at: Timestamp },
    /// The second probe ended as absent too, or the entity is gone (`Status::after_absence`).
    Resolve { issue: Uid },
}

/// One transaction of decisions: scope, presence, plans, issues.
#[derive(Clone, Debug, PartialEq)]
pub struct Reconciliation {
    pub run: RunId,
    /// Marks that this reconciles.
    pub reconciled: Vec<Dirty>,
    /// Entities to plan for and judge again, because of what is decided here of others.
    pub following: Vec<Uid>,
    /// Changed decisions, with presence.
    pub decisions: Vec<(Uid, Decision, bool)>,
    /// Entities that no path reaches at the end of the run. Their open intervals are closed.
    pub lost: Vec<Uid>,
    /// Orphaned probe results (entity, task, argument), which no longer concern their entity: their intervals are
    /// closed, they are forgotten, and open rows for them are not carried any more.
    pub orphaned: Vec<ProbeKey>,
    pub work: Vec<NewWork>,
    pub sweeps: Vec<NewSweep>,
    pub issues: Vec<IssueWrite>,
    /// Entities against whose products something else is known than before.
    pub vulns: Vec<(Uid, Vulns)>,
    pub not_done: Vec<NotDone>,
    /// Wire date.
    pub at: Timestamp,
    /// Wall time.
    pub now: Timestamp,
}

/// What is left of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    pub open: i64,
    /// Rows that are not done, with those that sweeps still become.
    pub rest: i64,
    pub leased: i64,
    pub dirty: i64,
    /// The earliest wire date at which open work may start, if all of it has to wait; louder work waits for second
    /// probes, see `Engine::lease`.
    pub not_before: Option<Timestamp>,
}
