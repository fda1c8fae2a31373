//! The open observations of entities, and what edges that lead to them say.

use super::Changes;
use crate::StoreError;
use crate::db::sql::{Tx, from_json, to_json};
use ambit_model::observation::Observation;
use ambit_model::{Details, Uid};
use std::collections::BTreeMap;

/// Open observations of entities.
pub(super) type Observations = BTreeMap<Uid, Vec<Observation>>;

/// What probes of a transaction say, by entity, then task and argument; `None` where nothing is open any more.
pub(super) type Fresh = BTreeMap<Uid, BTreeMap<(String, String), Option<Details>>>;

impl Changes {
    /// Reads what is stored of the entities that are to be folded, before the caller writes what its own probes say and
    /// notes that with [`Changes::observe`]: it is not read back.
    pub(crate) async fn read_observations(&mut self, tx: &mut Tx) -> Result<(), StoreError> {
        self.stored_observations = Some(own_observations(tx, &self.stored_to_fold()).await?);
        Ok(())
    }

    /// Notes what a probe of this transaction says of an entity.
    pub(crate) fn observe(&mut self, uid: Uid, probe: (String, String), details: Option<Details>) {
        self.fresh.entry(uid).or_default().insert(probe, details);
    }

    /// The open observations of the entities that are to be folded.
    pub(super) async fn observations(&mut self, tx: &mut Tx) -> Result<Observations, StoreError> {
        let mut observations = match self.stored_observations.take() {
            Some(stored) => stored,
            None => own_observations(tx, &self.stored_to_fold()).await?,
        };
        for (uid, fresh) in std::mem::take(&mut self.fresh) {
            let list = observations.entry(uid).or_default();
            list.retain(|known| !fresh.contains_key(&(known.task.clone(), known.argument.clone())));
            list.extend(fresh.into_iter().filter_map(|((task, argument), details)| {
                details.map(|details| Observation { task, argument, details })
            }));
        }
        Ok(observations)
    }

    /// The entities that are to be folded and that something may be stored of.
    fn stored_to_fold(&self) -> Vec<Uid> {
        let is_new = |uid: &Uid| self.entities.get(uid).is_some_and(|row| row.is_new());
        self.refold.iter().copied().filter(|uid| !is_new(uid)).collect()
    }
}

/// Open intervals of entities.
async fn own_observations(tx: &mut Tx, uids: &[Uid]) -> Result<Observations, StoreError> {
    let mut observations = Observations::new();
    let head = "SELECT uid, task, argument, details FROM looks WHERE details IS NOT NULL AND uid IN";
    let rows: Vec<(Uid, String, String, String)> = tx.read_in(head, Vec::new(), uids, "").await?;
    for (uid, task, argument, details) in rows {
        let details = from_json(&details)?;
        observations.entry(uid).or_default().push(Observation { task, argument, details });
    }
    Ok(observations)
}

/// What open edges that lead to entities say of them, as observations whose argument is the name of the leading entity,
/// which may be as new as what it leads to: `unwritten` returns the names of those that are not stored yet.
pub(super) async fn led_observations(
    tx: &mut Tx,
    uids: &[Uid],
    unwritten: impl Fn(&Uid) -> Option<String>,
) -> Result<Observations, StoreError> {
    let mut observations = Observations::new();
    let head = "SELECT e.to_uid, e.task, e.from_uid, f.name, e.details FROM edges e LEFT JOIN entities f ON f.uid = \
                e.from_uid WHERE e.closed_at IS NULL AND e.details <> '{}' AND e.to_uid IN";
    let rows: Vec<(Uid, String, Uid, Option<String>, String)> = tx.read_in(head, Vec::new(), uids, "").await?;
    for (uid, task, from, name, details) in rows {
        let Some(argument) = name.or_else(|| unwritten(&from)) else { continue };
        let details = from_json(&details)?;
        observations.entry(uid).or_default().push(Observation { task, argument, details });
    }
    // Two edges may share task and name; the fold must not depend on the database's order.
    for list in observations.values_mut() {
        list.sort_by_cached_key(|observation| {
            (observation.task.clone(), observation.argument.clone(), to_json(&observation.details))
        });
    }
    Ok(observations)
}
