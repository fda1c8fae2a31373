//! All that is known of an entity when work is planned or issues are judged. Built by the engine from the store; read
//! by tasks and judges.

use crate::scope::Decision;
use crate::seeds::Seeds;
use crate::vulnerability::{Affected, Maintained};
use crate::{Clearance, Details, EdgeKind, Kind, TaskName, Timestamp, Uid};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Facts of one entity and its direct neighbours.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    pub uid: Uid,
    pub kind: Kind,
    pub name: String,
    pub seed: bool,
    pub present: bool,
    pub decision: Decision,
    /// The members of all open observations, folded.
    pub details: Details,
    /// The newest probe of each task with each argument. Probes of tasks that this version does not have are left out.
    pub probes: Probes,
    /// Open edges that lead here.
    pub inward: Vec<Neighbour>,
    /// Open edges that lead away.
    pub outward: Vec<Neighbour>,
    /// Those of its collection.
    pub seeds: Arc<Seeds>,
    /// Known vulnerabilities of what it shows, which the engine looks up before judges are asked. `None`: they could
    /// not be looked up.
    pub vulnerabilities: Option<Vec<Affected>>,
    /// Of what it shows: until when its makers care for it, which the engine looks up as well.
    pub maintained: Vec<Maintained>,
}

/// The newest probes of an entity, by task and argument.
pub type Probes = BTreeMap<TaskName, BTreeMap<String, LastProbe>>;

/// The newest probe of a task at an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct LastProbe {
    pub outcome: ProbeOutcome,
    /// Wire date of the probe.
    pub at: Timestamp,
    /// The run that probed.
    pub run: i64,
    /// Why it failed, where it did.
    pub reason: Option<String>,
    /// Wire date at which the answer that still stands was seen last.
    pub confirmed: Option<Timestamp>,
    /// Wire date at which that answer was seen first.
    pub since: Option<Timestamp>,
    /// By which settings everything was asked for, of a task of which less may be asked again; `at` is when.
    pub searched: Option<i64>,
}

impl LastProbe {
    /// A probe of `run` at a wire date, of which no more is known than how it ended.
    pub fn new(outcome: ProbeOutcome, at: Timestamp, run: i64) -> Self {
        Self { outcome, at, run, reason: None, confirmed: None, since: None, searched: None }
    }
}

/// Which probe: of a task at an entity, with an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeKey {
    pub entity: Uid,
    pub task: TaskName,
    pub argument: String,
}

/// How the newest probe ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeOutcome {
    Found,
    /// Something was found, and the rest could not be probed. It counts as failed, except for judges that define what a
    /// partial result proves.
    InPart,
    Absent,
    Unknown,
}

impl ProbeOutcome {
    /// Returns true where the probe succeeded, so that what it did not see is not there.
    pub fn is_whole(self) -> bool {
        matches!(self, Self::Found | Self::Absent)
    }
}

/// The other end of an open edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    pub edge: EdgeKind,
    /// The task whose observation holds the edge.
    pub task: String,
    /// The argument of that observation.
    pub argument: String,
    pub uid: Uid,
    pub kind: Kind,
    pub name: String,
    pub scoped: bool,
    /// Evidence alone makes it theirs, or the domain that it is in, and neither a person named or allowed the entity
    /// itself nor an account or app of theirs holds it. A name that was handed away is told so too: `scoped` says what
    /// holds of itself. Of an end that only the store knows, nothing but a domain's own evidence is told.
    pub by_evidence: bool,
    pub clearance: Clearance,
    /// The details of the other end, if they are facts of this one (`EdgeKind::shares_details_with_start`,
    /// `shares_details_with_end`). Empty for all other edges: a domain has thousands of names. Shared with every other
    /// neighbour of that entity: a hub's details stand beside hundreds of edges.
    pub details: Arc<Details>,
}

impl Facts {
    /// Neighbours to which a task led when it was last asked with this argument.
    pub fn led_to(&self, task: TaskName, argument: &str) -> impl Iterator<Item = &Neighbour> {
        self.outward.iter().filter(move |end| end.task == task.as_str() && end.argument == argument)
    }

    /// Neighbours over outward edges of a kind.
    pub fn to(&self, edge: EdgeKind) -> impl Iterator<Item = &Neighbour> {
        self.outward.iter().filter(move |neighbour| neighbour.edge == edge)
    }

    /// Neighbours over inward edges of a kind.
    pub fn from(&self, edge: EdgeKind) -> impl Iterator<Item = &Neighbour> {
        self.inward.iter().filter(move |neighbour| neighbour.edge == edge)
    }

    /// Returns the newest probes of a task with their arguments; nothing if it never probed.
    pub fn probes_of(&self, task: TaskName) -> impl Iterator<Item = (&str, &LastProbe)> {
        let probes = self.probes.get(&task).into_iter().flatten();
        probes.map(|(argument, probe)| (argument.as_str(), probe))
    }

    /// Returns the newest probe of a task with an argument; `None` if there was none.
    pub fn probe_at(&self, task: TaskName, argument: &str) -> Option<&LastProbe> {
        self.probes.get(&task)?.get(argument)
    }

    /// Returns how the newest probes of a task ended: `Found` if any argument found something, else `InPart` if any did
    /// in part, else `Unknown` if any failed, else `Absent`; `None` if it never probed.
    pub fn outcome(&self, task: TaskName) -> Option<ProbeOutcome> {
        let outcomes = || self.probes_of(task).map(|(_, probe)| probe.outcome);
        [ProbeOutcome::Found, ProbeOutcome::InPart, ProbeOutcome::Unknown, ProbeOutcome::Absent]
            .into_iter()
            .find(|outcome| outcomes().any(|seen| seen == *outcome))
    }

    /// Returns how the newest probe of a task with an argument ended; `None` if there was none.
    pub fn outcome_at(&self, task: TaskName, argument: &str) -> Option<ProbeOutcome> {
        self.probe_at(task, argument).map(|probe| probe.outcome)
    }

    /// Returns whether name servers said that there is no such name: neither addresses nor aliases and, of a domain, no
    /// zone.
    pub fn does_not_exist(&self) -> bool {
        let absent = |task| self.outcome(task) == Some(ProbeOutcome::Absent);
        absent(TaskName::Resolve) && (self.kind == Kind::DnsRecord || absent(TaskName::ZoneProfile))
    }

    /// Returns true when the task's newest probes all succeeded (found or absent), and there was at least one.
    pub fn looked(&self, task: TaskName) -> bool {
        self.outcome(task).is_some() && self.probes_of(task).all(|(_, probe)| probe.outcome.is_whole())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ProbeOutcome::{Absent, Found, Unknown};

    fn facts(seen: &[(TaskName, &str, ProbeOutcome)]) -> Facts {
        let mut probes = Probes::new();
        for (task, argument, outcome) in seen {
            let probe = LastProbe::new(*outcome, Timestamp(0), 1);
            probes.entry(*task).or_default().insert((*argument).to_owned(), probe);
        }
        Facts {
            uid: Uid::from_bytes([0; 32]),
            kind: Kind::Domain,
            name: "acme.test".to_owned(),
            seed: true,
            present: true,
            decision: Decision::unreached(),
            details: Details::new(),
            probes,
            inward: Vec::new(),
            outward: Vec::new(),
            seeds: Arc::default(),
            vulnerabilities: None,
            maintained: Vec::new(),
        }
    }

    #[test]
    fn a_task_has_looked_when_none_of_its_newest_looks_failed() {
        use TaskName::{Ptr, Resolve, ReverseWalk};
        for (probes, outcome, looked) in [
            (&[][..], None, false),
            (&[(Resolve, "", Found)][..], Some(Found), true),
            (&[(Resolve, "", Absent)][..], Some(Absent), true),
            (&[(Resolve, "", Unknown)][..], Some(Unknown), false),
            (&[(Resolve, "a", Absent), (Resolve, "b", Found)][..], Some(Found), true),
            (&[(Resolve, "a", Found), (Resolve, "b", Unknown)][..], Some(Found), false),
            (&[(Resolve, "a", Absent), (Resolve, "b", Unknown)][..], Some(Unknown), false),
            (&[(ReverseWalk, "", Found), (Ptr, "", Unknown)][..], None, false),
        ] {
            let facts = facts(probes);
            assert_eq!((facts.outcome(Resolve), facts.looked(Resolve)), (outcome, looked), "{probes:?}");
        }
    }
}
