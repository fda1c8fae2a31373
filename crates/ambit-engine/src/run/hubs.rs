//! Facts of hubs, kept from one lease to the next: those of a domain with a hundred thousand names take a second to be
//! read, and its rows are leased a thousand at a time.

use crate::graph::Graph;
use crate::plan::Bindings;
use ambit_model::Uid;
use ambit_model::facts::Facts;
use ambit_store::engine::Work;
use ambit_tasks::Settings;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Neighbours from which an entity is a hub.
const NEIGHBOURS_MIN: usize = 2_000;
/// How long facts are used, as a multiple of the time that it took to read them: what is older than that is read anew.
const USED_TIMES: u32 = 20;

/// The hubs whose rows were leased last.
#[derive(Default)]
pub(super) struct Hubs(HashMap<Uid, Hub>);

struct Hub {
    facts: Arc<Facts>,
    /// What its rows may contact.
    bindings: Bindings,
    read_at: Instant,
    took: Duration,
    /// Rows of an earlier lease got these facts as well.
    used: bool,
}

impl Hubs {
    /// Forgets hubs whose facts were read too long ago.
    pub(super) fn expire(&mut self) {
        self.0.retain(|_, hub| hub.read_at.elapsed() < hub.took * USED_TIMES);
    }

    /// True for a hub whose facts need not be read again, since they were read under the decision that holds now.
    pub(super) fn remember(&mut self, uid: &Uid, graph: &Graph) -> bool {
        let Some(hub) = self.0.get_mut(uid) else { return false };
        hub.used = graph.get(uid).is_some_and(|(_, state)| state.decision == hub.facts.decision);
        hub.used
    }

    /// Keeps the facts of hubs among those that were just read, which took so long. What was a hub and is none any more
    /// is forgotten: its rows go by what was read.
    pub(super) fn keep<'f>(&mut self, read: impl Iterator<Item = &'f Arc<Facts>>, took: Duration) {
        for facts in read {
            self.0.remove(&facts.uid);
            if facts.inward.len() + facts.outward.len() >= NEIGHBOURS_MIN {
                let (facts, bindings) = (Arc::clone(facts), Bindings::default());
                self.0.insert(facts.uid, Hub { facts, bindings, read_at: Instant::now(), took, used: false });
            }
        }
    }

    /// The facts of a hub that is remembered.
    pub(super) fn facts(&self, uid: &Uid) -> Option<&Arc<Facts>> {
        self.0.get(uid).map(|hub| &hub.facts)
    }

    /// Returns whether a row may contact what it names; `None` where its entity is no hub.
    pub(super) fn hold(&mut self, work: &Work, settings: &Settings) -> Option<bool> {
        let hub = self.0.get_mut(&work.uid)?;
        Some(hub.bindings.hold(work, &hub.facts, settings))
    }

    /// Forgets a hub whose facts may be older than the plan of a row; false where they were read for that row.
    pub(super) fn forget_older(&mut self, uid: &Uid) -> bool {
        self.0.get(uid).is_some_and(|hub| hub.used) && self.0.remove(uid).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::facts::Neighbour;
    use ambit_model::scope::{Decision, Node, SharedBy};
    use ambit_model::{Clearance, Details, EdgeKind, Kind};
    use ambit_store::engine::{GraphDelta, GraphNode};

    const LONG: Duration = Duration::from_secs(3_600);

    fn facts(names: usize) -> Arc<Facts> {
        let uid = Uid::from_bytes([1; 32]);
        let neighbour = |number: usize| Neighbour {
            edge: EdgeKind::RegistrableDomain,
            task: "registrable_domain".to_owned(),
            argument: String::new(),
            uid: Uid::from_bytes([2; 32]),
            kind: Kind::DnsRecord,
            name: format!("n{number}.acme.test"),
            scoped: true,
            by_evidence: false,
            clearance: Clearance::L3,
            details: Arc::new(Details::default()),
        };
        Arc::new(Facts {
            uid,
            kind: Kind::Domain,
            name: "acme.test".to_owned(),
            seed: true,
            present: true,
            decision: Decision { ownership: 1000, ..Decision::unreached() },
            details: Details::default(),
            probes: Default::default(),
            inward: (0..names).map(neighbour).collect(),
            outward: Vec::new(),
            seeds: Default::default(),
            vulnerabilities: None,
            maintained: Vec::new(),
        })
    }

    fn graph(facts: &Facts, decision: Decision) -> Graph {
        let node = Node {
            uid: facts.uid,
            kind: facts.kind,
            name: facts.name.clone(),
            seed: true,
            allow: false,
            deny: false,
            shared: SharedBy::Nobody,
        };
        let node = GraphNode { node, observed: true, present: true, decision };
        let mut graph = Graph::default();
        graph.apply(GraphDelta { revision: 1, nodes: vec![node], opened: Vec::new(), closed: Vec::new() });
        graph
    }

    fn row(argument: &str) -> Work {
        Work {
            id: 1,
            run: 1,
            task: "subdomain".to_owned(),
            uid: Uid::from_bytes([1; 32]),
            kind: Kind::Domain,
            name: "acme.test".to_owned(),
            argument: argument.to_owned(),
            number: 0,
            attempts: 0,
            fence: 1,
        }
    }

    #[test]
    fn facts_of_a_hub_are_used_again_while_they_are_young_and_its_decision_stands() {
        let (hub, leaf) = (facts(NEIGHBOURS_MIN), facts(NEIGHBOURS_MIN - 1));
        let decided = graph(&hub, hub.decision.clone());
        for (read, took, graph, is_used) in [
            (&hub, LONG, &decided, true),
            (&hub, Duration::ZERO, &decided, false),
            (&hub, LONG, &graph(&hub, Decision::unreached()), false),
            (&leaf, LONG, &decided, false),
        ] {
            let mut hubs = Hubs::default();
            hubs.keep([read].into_iter(), took);
            hubs.expire();
            assert_eq!(hubs.remember(&read.uid, graph), is_used);
        }
    }

    #[test]
    fn what_is_a_hub_no_more_goes_by_what_was_read() {
        let (hub, leaf) = (facts(NEIGHBOURS_MIN), facts(1));
        let mut hubs = Hubs::default();
        hubs.keep([&hub].into_iter(), LONG);
        hubs.keep([&leaf].into_iter(), LONG);
        assert_eq!(hubs.hold(&row("n7.acme.test"), &Settings::default()), None);
        assert!(hubs.facts(&hub.uid).is_none());
    }

    #[test]
    fn what_a_hubs_older_facts_do_not_bind_is_looked_up_again_once() {
        let (hub, settings) = (facts(NEIGHBOURS_MIN), Settings::default());
        let decided = graph(&hub, hub.decision.clone());
        let mut hubs = Hubs::default();
        hubs.keep([&hub].into_iter(), LONG);
        assert_eq!(hubs.hold(&row("n7.acme.test"), &settings), Some(true));
        assert_eq!(hubs.hold(&row("new.acme.test"), &settings), Some(false));
        assert!(!hubs.forget_older(&hub.uid), "they were read for this row");
        assert!(hubs.remember(&hub.uid, &decided));
        assert!(hubs.forget_older(&hub.uid), "the row may be younger than they are");
        assert!(hubs.facts(&hub.uid).is_none());
    }
}
