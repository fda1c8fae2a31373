//! Leased rows and the facts of their entities: which of them are started, and which are not to be done.

use super::Drive;
use super::flight::Leased;
use crate::plan::Bindings;
use crate::refresh::{Asks, Led};
use ambit_model::Uid;
use ambit_model::facts::Facts;
use ambit_store::engine::Work;
use ambit_store::{Result, StoreError};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Leased rows that are taken out of the plan.
#[derive(Default)]
pub(super) struct Taken {
    /// They name what their entities are not bound to.
    pub(super) unbound: Vec<Work>,
    /// What an earlier run was told in their place stands.
    pub(super) standing: Vec<Work>,
}

impl Drive<'_> {
    /// Takes up leased rows with the facts of their entities. Returns those that are not to be done.
    pub(super) async fn take_up(&mut self, leased: Vec<Work>) -> Result<Taken> {
        let uids: BTreeSet<Uid> = leased.iter().map(|work| work.uid).collect();
        self.hubs.expire();
        let unread: Vec<Uid> = uids.into_iter().filter(|uid| !self.hubs.remember(uid, &self.graph)).collect();
        let begun = std::time::Instant::now();
        let known = self.config.engine.known(self.run.id, &self.seeds, &unread, |uid| self.graph.end(uid));
        let known = self.flight.beside(known).await?;
        let read: HashMap<Uid, Arc<Facts>> =
            known.into_iter().map(|known| (known.facts.uid, Arc::new(known.facts))).collect();
        self.hubs.keep(read.values(), begun.elapsed());
        let (mut bindings, mut led, mut taken) = (Bindings::default(), Led::default(), Taken::default());
        for work in leased {
            let facts = read.get(&work.uid).or_else(|| self.hubs.facts(&work.uid)).cloned();
            let facts = facts.ok_or_else(|| StoreError::Bug("a leased row's entity is not in the store".to_owned()))?;
            let settings = &self.config.settings;
            let held = self.hubs.hold(&work, settings);
            if !held.unwrap_or_else(|| bindings.hold(&work, &facts, settings)) {
                taken.unbound.push(work);
                continue;
            }
            match self.asks(&work, &facts, &mut led) {
                Asks::Nothing => taken.standing.push(work),
                asks => self.flight.add(Leased { work, facts, verifies: asks == Asks::Found }),
            }
        }
        Ok(taken)
    }

    /// Returns what a row asks for. A second probe of what is not as it was asks for everything.
    fn asks(&self, work: &Work, facts: &Facts, led: &mut Led) -> Asks {
        let refresh = self.refresh.filter(|_| work.number == 0);
        let asked = refresh.zip(ambit_tasks::find(&work.task));
        asked.map_or(Asks::All, |(refresh, task)| refresh.asks(task, facts, &work.argument, led))
    }
}
