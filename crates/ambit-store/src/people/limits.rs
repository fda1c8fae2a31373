//! How much one user, and one project, may ask of runs at a time, so that nobody fills the queue for all.
//! Administrators of the installation are not bound.

use crate::db::sql::{Tx, values};
use crate::{Principal, Result, StoreError};
use ambit_model::Kind;

/// Runs of one user that wait, run or are paused, where no setting says otherwise: an engine carries a few at a time.
const OPEN_RUNS: i64 = 20;
/// Addresses in the seeds of one project, and of one user, where no setting says otherwise: a /12, which takes an
/// engine about a day.
const SEED_ADDRESSES: i64 = 1 << 20;

/// The limits that people meet. Settings override them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Runs that one user may have open: scheduled, running and paused.
    pub open_runs: i64,
    /// Addresses that the seeds of one project may name, and those that one user added.
    pub seed_addresses: i64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { open_runs: OPEN_RUNS, seed_addresses: SEED_ADDRESSES }
    }
}

impl Limits {
    /// Refuses a run that was just inserted where its user has more open than one may.
    pub(crate) async fn check_run(&self, tx: &mut Tx, principal: &Principal) -> Result<()> {
        if principal.administrator() {
            return Ok(());
        }
        let sql = "SELECT COUNT(*) FROM runs r JOIN collections c ON c.id = r.collection_id
                   WHERE r.created_by = $1 AND r.state IN ('scheduled', 'running', 'paused') AND c.deleted_at IS NULL";
        let open: i64 = tx.read_one(sql, values![principal.user_id()]).await?;
        if open <= self.open_runs {
            return Ok(());
        }
        let (has, most) = (open - 1, self.open_runs);
        Err(StoreError::TooMany(format!(
            "you have {has} runs that wait or run, and {most} is the most: cancel one, or wait until one ends"
        )))
    }

    /// Refuses seeds that were just inserted where the project, or the user who added them, names too many addresses
    /// with them.
    pub(crate) async fn check_seeds(
        &self,
        tx: &mut Tx,
        principal: &Principal,
        project: i64,
        seeds: &[(Kind, String)],
    ) -> Result<()> {
        let is_bound = seeds.iter().any(|(kind, name)| kind.addresses(name) > 0) && !principal.administrator();
        if !is_bound {
            return Ok(());
        }
        for (column, id, whose) in [
            ("c.project_id", project, "the project's seeds"),
            ("s.created_by", principal.user_id(), "the seeds that you added"),
        ] {
            let sql = format!(
                "SELECT s.kind, s.name FROM seeds s JOIN collections c ON c.id = s.collection_id WHERE c.deleted_at \
                 IS NULL AND {column} = $1"
            );
            let seeds: Vec<(Kind, String)> = tx.read_all(&sql, values![id]).await?;
            let named = seeds.iter().map(|(kind, name)| kind.addresses(name)).fold(0, i64::saturating_add);
            if named > self.seed_addresses {
                let most = self.seed_addresses;
                return Err(StoreError::Invalid(format!(
                    "{whose} would name {named} addresses, and {most} is the most: give smaller blocks, or ask the \
                     administrator"
                )));
            }
        }
        Ok(())
    }
}
