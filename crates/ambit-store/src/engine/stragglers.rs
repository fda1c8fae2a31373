//! Visits that take long while all others are over: louder work elsewhere need not wait for them.

use crate::Result;
use crate::db::sql::{Tx, Value, values};
use crate::inventory::runs::LEASED;
use ambit_model::id::RunId;
use ambit_model::{EdgeKind, Uid, Wave};
use std::collections::BTreeSet;

/// Visits under way at most for which the rest is not waited for: a host that hangs holds a handful.
const STRAGGLERS_MAX: usize = 32;
/// Entities near them at most; where more are, the end of the visits is waited for.
const NEAR_MAX: usize = 500;
/// Edges from a visit to what it can say something of: a site, its service, its address, and the names that lead there.
const REACH: usize = 3;

/// Edges that are followed in both directions.
const BOTH_WAYS: &[EdgeKind] = &[
    EdgeKind::ResolvesTo,
    EdgeKind::Service,
    EdgeKind::Site,
    EdgeKind::Page,
    EdgeKind::Binding,
    EdgeKind::Host,
    EdgeKind::DefaultCertificate,
];
/// From an address to the block around it, whose other addresses are not concerned.
const OUTWARD: &[EdgeKind] = &[EdgeKind::CoveringBlock];
const INWARD: &[EdgeKind] = &[EdgeKind::BlockMember];

/// What louder work keeps away from while visits are under way.
pub(super) enum Visits {
    /// No visit is under way.
    Over,
    /// Few are; these entities are those that they can say something of.
    Few(BTreeSet<Uid>),
    /// So many that their end is waited for.
    Many,
}

/// Returns what the visits of a run that are under way can say something of. What a visit finds decides the scope of
/// what stands at the same place; elsewhere it can only add.
pub(super) async fn visits(tx: &mut Tx, run: RunId) -> Result<Visits> {
    let sql = format!(
        "SELECT uid FROM work WHERE run_id = $1 AND state = {LEASED} AND wave = $2 LIMIT {}",
        STRAGGLERS_MAX + 1
    );
    let visited: Vec<Uid> = tx.read_all(&sql, values![run, Wave::Visits.number()]).await?;
    if visited.is_empty() {
        return Ok(Visits::Over);
    }
    if visited.len() > STRAGGLERS_MAX {
        return Ok(Visits::Many);
    }
    let mut near: BTreeSet<Uid> = visited.iter().copied().collect();
    let mut front = visited;
    for _ in 0..REACH {
        let mut met = neighbours(tx, &front, "from_uid", "to_uid", OUTWARD).await?;
        met.extend(neighbours(tx, &front, "to_uid", "from_uid", INWARD).await?);
        met.retain(|uid| near.insert(*uid));
        if near.len() > NEAR_MAX {
            return Ok(Visits::Many);
        }
        front = met.into_iter().collect();
    }
    Ok(Visits::Few(near))
}

/// Entities at the other end of open edges of some kinds, and of those that go both ways.
async fn neighbours(
    tx: &mut Tx,
    of: &[Uid],
    this_end: &str,
    other_end: &str,
    kinds: &[EdgeKind],
) -> Result<BTreeSet<Uid>> {
    let kinds: Vec<String> = kinds.iter().chain(BOTH_WAYS).map(|kind| format!("'{}'", kind.name())).collect();
    let head = format!(
        "SELECT {other_end} FROM edges WHERE closed_at IS NULL AND kind IN ({}) AND {this_end} IN",
        kinds.join(", ")
    );
    Ok(tx.read_in::<Uid, _>(&head, Vec::new(), of, "").await?.into_iter().collect())
}

/// A condition that leaves entities out, with their places in the statement after `first` values.
pub(super) fn leaving_out(uids: &BTreeSet<Uid>, first: &mut Vec<Value>) -> String {
    if uids.is_empty() {
        return String::new();
    }
    let begin = first.len() + 1;
    first.extend(uids.iter().map(|uid| Value::from(*uid)));
    let places: Vec<String> = (begin..=first.len()).map(|place| format!("${place}")).collect();
    format!(" AND uid NOT IN ({})", places.join(", "))
}
