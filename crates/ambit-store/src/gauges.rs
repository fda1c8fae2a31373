//! Figures of an installation for monitors: sums over all projects, without a name of anybody.

use crate::db::sql::values;
use crate::notifications::position::READER;
use crate::{Result, Store};
use ambit_model::Timestamp;
use ambit_model::run::RunState;

/// What an installation has to do, and how far it is, at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gauges {
    /// The newest revision.
    pub revision: i64,
    /// How many runs are in each state that some are in.
    pub runs: Vec<(RunState, i64)>,
    /// Rows of work of open runs that wait.
    pub work_waiting: i64,
    /// Rows of work of open runs that are being done.
    pub work_leased: i64,
    /// Revisions that the outbox of notifications has not looked at; 0 where nobody is told anything.
    pub outbox_lag: i64,
    /// Events that no message contains yet.
    pub notices: i64,
    /// Messages that wait to be sent, or to be sent again.
    pub deliveries_waiting: i64,
}

impl Store {
    /// The newest moment that runs and changes are stamped with; `None` where there are none. One that lies ahead of
    /// the clock says that this clock is wrong, or that one was. Fails if the database cannot be read.
    pub async fn newest_stamp(&self) -> Result<Option<Timestamp>> {
        let mut newest = None;
        for sql in [
            "SELECT MAX(created_at) FROM runs",
            "SELECT MAX(finished_at) FROM runs",
            "SELECT MAX(updated_at) FROM collections",
            "SELECT at FROM feed ORDER BY revision DESC LIMIT 1",
        ] {
            let stamp: Option<Option<Timestamp>> = self.read().await?.read_first(sql, Vec::new()).await?;
            newest = newest.max(stamp.flatten());
        }
        Ok(newest)
    }

    /// Reads the figures. It costs a look at each open run and each receiver. Fails if the database cannot be read.
    pub async fn gauges(&self) -> Result<Gauges> {
        let mut tx = self.read().await?;
        let revision: i64 = tx.read_one("SELECT revision FROM revision WHERE one = 1", Vec::new()).await?;
        let sql = "SELECT state, COUNT(*) FROM runs GROUP BY state ORDER BY state";
        let runs = tx.read_all(sql, Vec::new()).await?;
        let sql = "SELECT (SELECT COUNT(*) FROM work w WHERE w.run_id = r.id AND w.state = 0), (SELECT COUNT(*) FROM \
                   work w WHERE w.run_id = r.id AND w.state = 1) FROM runs r WHERE r.state IN ('scheduled', \
                   'running', 'paused')";
        let work: Vec<(i64, i64)> = tx.read_all(sql, Vec::new()).await?;
        let sql = "SELECT (SELECT COUNT(*) FROM notices n WHERE n.receiver_id = x.id), (SELECT COUNT(*) FROM \
                   deliveries d WHERE d.receiver_id = x.id AND d.state = 'waiting') FROM receivers x WHERE x.ended IS \
                   NULL";
        let receivers: Vec<(i64, i64)> = tx.read_all(sql, Vec::new()).await?;
        let sql = "SELECT revision FROM positions WHERE reader = $1";
        let position: Option<i64> = tx.read_first(sql, values![READER]).await?;
        let lag = position.filter(|_| !receivers.is_empty()).map_or(0, |position| (revision - position).max(0));
        Ok(Gauges {
            revision,
            runs,
            work_waiting: work.iter().map(|(waiting, _)| waiting).sum(),
            work_leased: work.iter().map(|(_, leased)| leased).sum(),
            outbox_lag: lag,
            notices: receivers.iter().map(|(notices, _)| notices).sum(),
            deliveries_waiting: receivers.iter().map(|(_, waiting)| waiting).sum(),
        })
    }
}
