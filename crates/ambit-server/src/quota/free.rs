//! Calls that cost nothing, counted in memory and written together a moment later; reports write them first.

use ambit_model::Timestamp;
use ambit_model::quota::Window;
use ambit_store::{FreeCalls, Store, StoreError};
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How long counts wait to be written with others.
const WAIT: Duration = Duration::from_secs(1);

/// (user, name, day) to the number of calls and the moment of the last.
type Counts = BTreeMap<(i64, &'static str, i64), (i64, Timestamp)>;

/// The counts that are not written yet.
#[derive(Clone, Default)]
pub(crate) struct FreeCounts(Arc<Mutex<Counts>>);

impl FreeCounts {
    /// Counts one call. Rows that are not reported have no name.
    pub(crate) fn count(&self, store: &Store, user: i64, name: &'static str, now: Timestamp) {
        if name.is_empty() {
            return;
        }
        let first = {
            let mut counts = self.lock();
            let first = counts.is_empty();
            let entry = counts.entry((user, name, Window::Day.number(now))).or_insert((0, now));
            *entry = (entry.0 + 1, now);
            first
        };
        if first {
            let (counts, store) = (self.clone(), store.clone());
            tokio::spawn(async move {
                tokio::time::sleep(WAIT).await;
                if let Err(error) = counts.write(&store).await {
                    tracing::warn!(%error, "the usage of free calls could not be recorded");
                }
            });
        }
    }

    /// Writes what was counted so far.
    pub(crate) async fn write(&self, store: &Store) -> Result<(), StoreError> {
        let counts = std::mem::take(&mut *self.lock());
        if counts.is_empty() {
            return Ok(());
        }
        let calls =
            counts.into_iter().map(|((user, name, _), (calls, at))| FreeCalls { user, name, calls, at }).collect();
        store.note_free_calls(calls).await
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock()
    }
}
