//! What a run leaves alone while no name that leads there can be looked up.

use super::Drive;
use crate::guard::{UNANSWERED, Unanswered};
use ambit_model::facts::{Facts, ProbeOutcome};
use ambit_model::observation::ProbeResult;
use ambit_model::run::{NotDone, NotDoneReason};
use ambit_model::{EdgeKind, Kind, TaskName, Uid};
use ambit_store::Result;
use ambit_store::engine::{Outcome, ProbeAt};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// The doubts of a run.
#[derive(Default)]
pub(super) struct InDoubt {
    /// Addresses that were left alone when work was planned last.
    addresses: BTreeSet<IpAddr>,
    /// Names of which whoever carried the run before may have learned something after that.
    recalled: BTreeSet<String>,
    /// What is not planned: task and argument, by the entity, with its kind and name.
    waiting: BTreeMap<Uid, (String, Vec<(TaskName, String)>)>,
}

impl InDoubt {
    /// Takes over what the plan of an entity leaves alone now.
    pub(super) fn plan(&mut self, facts: &Facts, waiting: Vec<(TaskName, String)>) {
        if waiting.is_empty() {
            self.waiting.remove(&facts.uid);
        } else {
            self.waiting.insert(facts.uid, (format!("{} {}", facts.kind.name(), facts.name), waiting));
        }
    }
}

impl Drive<'_> {
    /// Tells the guard how look-ups ended.
    pub(super) fn take_in_lookups(&mut self, outcomes: &[Outcome]) {
        let lookups = outcomes.iter().filter(|done| done.work.task == TaskName::Resolve.as_str());
        let ended = lookups.map(|done| (done.work.name.as_str(), unanswered(&done.result)));
        self.guard.looked_up(ended);
    }

    /// What is contacted at addresses of which it is known now whether names lead there: it is planned again.
    pub(super) fn resolved(&mut self) -> BTreeSet<Uid> {
        let now = self.guard.in_doubt();
        let before = std::mem::replace(&mut self.in_doubt.addresses, now);
        let resolved = before.difference(&self.in_doubt.addresses);
        let uid = |address: &IpAddr| Uid::of_entity(self.run.collection, Kind::IpAddress, &address.to_string());
        let mut addresses: BTreeSet<Uid> = resolved.map(uid).collect();
        let recalled = std::mem::take(&mut self.in_doubt.recalled);
        if !recalled.is_empty() {
            addresses.extend(self.graph.addresses_of_any(&recalled));
        }
        self.graph.contacted_at(addresses)
    }

    /// Tells the guard what whoever carried the run before this engine could not look up.
    pub(super) async fn recall_lookups(&mut self) -> Result<()> {
        let mut names: BTreeMap<String, Unanswered> = BTreeMap::new();
        for lookup in self.config.engine.lookups(self.run.id, TaskName::Resolve).await? {
            let unanswered = match lookup.outcome {
                ProbeOutcome::Found | ProbeOutcome::Absent => Unanswered::NOTHING,
                ProbeOutcome::InPart => {
                    Unanswered::beside(lookup.seen.iter().filter_map(|address| address.parse().ok()))
                }
                ProbeOutcome::Unknown => Unanswered::ALL,
            };
            // A name may stand for several entities, such as a host and a server.
            let known = names.entry(lookup.name).or_default();
            *known = known.and(unanswered);
        }
        self.guard.looked_up(names.iter().map(|(name, unanswered)| (name.as_str(), *unanswered)));
        self.in_doubt.recalled.extend(names.into_keys());
        Ok(())
    }

    /// What was not done because no name that leads there could be looked up, and of which no row says so.
    pub(super) async fn left_alone(&self) -> Result<Vec<NotDone>> {
        let waiting = self.in_doubt.waiting.iter().flat_map(|(uid, (_, probes))| {
            let at = move |(task, argument): &(TaskName, String)| ProbeAt {
                uid: *uid,
                task: task.as_str().to_owned(),
                argument: argument.clone(),
            };
            probes.iter().map(at)
        });
        let unplanned = self.config.engine.unplanned(self.run.id, waiting.collect()).await?;
        let row = |probe: ProbeAt| NotDone {
            reason: NotDoneReason::NameUnanswered,
            task: probe.task,
            count: 1,
            example: format!("{}: {UNANSWERED}", self.in_doubt.waiting[&probe.uid].0),
        };
        Ok(unplanned.into_iter().map(row).collect())
    }
}

/// Of which addresses of a name a look-up brought no answer.
fn unanswered(result: &ProbeResult) -> Unanswered {
    match result {
        ProbeResult::Found(_) | ProbeResult::Absent => Unanswered::NOTHING,
        ProbeResult::Unknown { .. } => Unanswered::ALL,
        ProbeResult::InPart { found, .. } => {
            let leads = found.edges.iter().filter(|edge| edge.edge == EdgeKind::ResolvesTo);
            Unanswered::beside(leads.filter_map(|edge| edge.name.parse().ok()))
        }
    }
}
