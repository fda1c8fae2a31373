//! Probes that are made once more in the run.

use super::Batch;
use crate::db::rows::named;
use crate::engine::lease::Held;
use crate::engine::{Outcome, Work};
use ambit_model::Timestamp;
use ambit_model::observation::{LOOKUPS_MAX, SECOND_PROBE_AFTER_MS};
use ambit_model::run::NotDoneReason;

impl Batch {
    /// Whether a look-up that failed is repeated in the run: what hangs on the name is not contacted meanwhile.
    pub(super) fn asks_again(&self, outcome: &Outcome) -> bool {
        use NotDoneReason::{InPart, NoAnswer, OutOfBudget, OutOfTime};
        let failed = outcome.result.not_done();
        failed.is_some_and(|(reason, _)| matches!(reason, InPart | NoAnswer | OutOfBudget | OutOfTime))
            && pair(outcome.work.number) + 2 < 2 * LOOKUPS_MAX
            && self.hung_on.contains(&outcome.work.uid)
    }

    /// Plans a probe once more, later in the run.
    pub(super) fn ask(&mut self, work: &Work, number: i64, after: Timestamp, lease: &Held) {
        self.second.push(named! {
            run_id: work.run,
            task: &work.task,
            uid: work.uid,
            argument: &work.argument,
            look: number,
            wave: lease.wave,
            footprint: lease.footprint,
            priority: lease.priority,
            not_before: after.plus_ms(SECOND_PROBE_AFTER_MS),
            partition: lease.partition,
        });
    }
}

/// The number of the first of two probes of which the second counts where both are absent.
pub(super) fn pair(number: i64) -> i64 {
    number - number % 2
}
