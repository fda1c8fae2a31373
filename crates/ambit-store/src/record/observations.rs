//! The open observations of entities, and what edges that lead to them say.

use crate::StoreError;
use crate::db::sql::{Tx, from_json, to_json};
use ambit_model::Uid;
use ambit_model::observation::Observation;
use std::collections::BTreeMap;

/// Open intervals of entities.
pub(super) async fn own_observations(tx: &mut Tx, uids: &[Uid]) -> Result<BTreeMap<Uid, Vec<Observation>>, StoreError> {
    let mut observations: BTreeMap<Uid, Vec<Observation>> = BTreeMap::new();
    let head = "SELECT uid, task, argument, details, evidence FROM looks WHERE details IS NOT NULL AND uid IN";
    let rows: Vec<(Uid, String, String, String, Option<String>)> = tx.read_in(head, Vec::new(), uids, "").await?;
    for (uid, task, argument, details, evidence) in rows {
        observations.entry(uid).or_default().push(Observation {
            task,
            argument,
            details: from_json(&details)?,
            evidence: evidence.map_or(Ok(Vec::new()), |text| from_json(&text))?,
        });
    }
    Ok(observations)
}

/// What open edges that lead to entities say of them, as observations whose argument is the name of the leading entity,
/// which may be as new as what it leads to: `unwritten` returns the names of those that are not stored yet.
pub(super) async fn led_observations(
    tx: &mut Tx,
    uids: &[Uid],
    unwritten: impl Fn(&Uid) -> Option<String>,
) -> Result<BTreeMap<Uid, Vec<Observation>>, StoreError> {
    let mut observations: BTreeMap<Uid, Vec<Observation>> = BTreeMap::new();
    let head = "SELECT e.to_uid, e.task, e.from_uid, f.name, e.details FROM edges e LEFT JOIN entities f ON f.uid = \
                e.from_uid WHERE e.closed_at IS NULL AND e.details <> '{}' AND e.to_uid IN";
    let rows: Vec<(Uid, String, Uid, Option<String>, String)> = tx.read_in(head, Vec::new(), uids, "").await?;
    for (uid, task, from, name, details) in rows {
        let Some(argument) = name.or_else(|| unwritten(&from)) else { continue };
        let (details, evidence) = (from_json(&details)?, Vec::new());
        observations.entry(uid).or_default().push(Observation { task, argument, details, evidence });
    }
    // Two edges may share task and name; the fold must not depend on the database's order.
    for list in observations.values_mut() {
        list.sort_by_cached_key(|observation| {
            (observation.task.clone(), observation.argument.clone(), to_json(&observation.details))
        });
    }
    Ok(observations)
}
