//! Which history a database is of. Each transaction that raises the revision leaves a milestone: its last revision with
//! a random token. Whoever derives something from the change feed and keeps it elsewhere, as a search index does, keeps
//! with it a milestone that is not before anything in it. A database that has this milestone has everything that it was
//! made from; one that was restored to another state, or is of another installation, has not.

use crate::db::rows::{columns, named, select};
use crate::db::sql::{Tx, values};
use crate::{Result, Store};
use ambit_model::Timestamp;

/// Milestones that are kept: what is further behind is as well made anew as brought up. Each takes some thirty bytes.
const KEPT_MAX: i64 = 100_000;

columns! {
    /// A revision with the random token of the transaction that made it. The default is one that no database has.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Milestone of m {
        pub revision: i64,
        pub token: i64,
    }
}

columns! {
    /// The state of a database that a milestone is compared with.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Footing of r {
        /// The newest committed revision.
        pub revision: i64,
        /// The milestone of that revision.
        pub newest: Milestone = Milestone,
        /// The milestone that was asked about is one of this database, and not so old that rows of the feed behind it
        /// may be gone.
        pub known: bool = "(SELECT COUNT(*) FROM milestones k WHERE k.revision = $1 AND k.token = $2)",
    }
}

/// Leaves a milestone at the last revision of a transaction.
pub(crate) async fn leave(tx: &mut Tx, revision: i64, at: Timestamp) -> Result<()> {
    tx.insert_one("milestones", named! { revision, token: rand::random::<i64>(), at }).await
}

/// Removes milestones from before a moment, of which rows of the feed are about to go, and those beyond the limit;
/// never the newest.
pub(crate) async fn sweep(tx: &mut Tx, before: i64) -> Result<()> {
    let newest = "(SELECT MAX(revision) FROM milestones)";
    tx.run(&format!("DELETE FROM milestones WHERE at < $1 AND revision < {newest}"), values![before]).await?;
    let limit = format!("(SELECT revision FROM milestones ORDER BY revision DESC LIMIT 1 OFFSET {KEPT_MAX})");
    tx.run(&format!("DELETE FROM milestones WHERE revision <= {limit}"), Vec::new()).await?;
    Ok(())
}

impl Store {
    /// Where the database stands, and whether a milestone is of its history.
    pub async fn footing(&self, milestone: Milestone) -> Result<Footing> {
        let sql = select::<Footing>(
            "FROM revision r CROSS JOIN milestones m WHERE r.one = 1 ORDER BY m.revision DESC LIMIT 1",
        );
        self.read().await?.read_one(&sql, values![milestone.revision, milestone.token]).await
    }
}
