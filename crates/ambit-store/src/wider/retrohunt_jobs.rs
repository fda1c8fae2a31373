//! Jobs of rules over what is stored (docs/contract/quotas.md §4): made and read by people, carried on by engines
//! (`engine/hunt.rs`). What a job found is shown as far as the caller may still see the bytes.

use crate::db::rows::{columns, list, named, select};
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::wider::objects;
use crate::wider::quota::{Cost, charge_units};
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::id::BlobHash;
use ambit_model::moment::SECOND_MS;

/// Jobs of a user that are not over (docs/contract/hunting.md §4).
pub const JOBS_AT_ONCE_MAX: i64 = 10;
/// Jobs that are kept of a user; the oldest that are over go.
const JOBS_KEPT_MAX: i64 = 1_000;
/// What a job finds at most; it goes on counting.
pub(crate) const MATCHES_MAX: i64 = 10_000;

/// What a job is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewRetrohuntJob {
    /// Compiled before.
    pub rules: String,
    pub corpus: String,
    pub notification_email: Option<String>,
    /// Seconds since 1970; what was first seen outside is counted apart.
    pub range: (Option<i64>, Option<i64>),
}

columns! {
    /// A job.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RetrohuntJob of j {
        pub number: i64,
        /// Username and second, joined by a hyphen.
        pub id: String,
        pub rules: String,
        pub corpus: String,
        pub notification_email: Option<String>,
        pub range: (Option<i64>, Option<i64>) = "j.range_start, j.range_end",
        /// `starting`, `running`, `aborting`, `aborted` or `finished`.
        pub status: String,
        /// Bodies looked at, and to be looked at.
        pub looked: i64,
        pub to_look: i64,
        pub scanned_bytes: i64,
        /// Bodies on which the rules took too long.
        pub timeouts: i64,
        pub matches: i64,
        pub matches_outside: i64,
        pub created_at: Timestamp,
        pub started_at: Option<Timestamp>,
        pub finished_at: Option<Timestamp>,
    }
}

columns! {
    /// A body that a rule of a job is true of.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RetrohuntMatch of m {
        pub sha256: BlobHash,
        pub rule_name: String,
        pub snippet: Option<String>,
    }
}

/// Why a job was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobRefused {
    /// So many of the user's are not over yet.
    TooMany,
    Store(StoreError),
}

impl From<StoreError> for JobRefused {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Selects jobs.
const FROM: &str = "FROM retrohunt_jobs j";

async fn find(tx: &mut Tx, user: i64, id: &str) -> Result<RetrohuntJob> {
    let sql = select::<RetrohuntJob>(&format!("{FROM} WHERE j.user_id = $1 AND j.id = $2"));
    tx.find(&sql, values![user, id]).await
}

async fn insert(tx: &mut Tx, user: i64, name: &str, new: &NewRetrohuntJob, now: Timestamp) -> Result<String> {
    charge_units(tx, user, Cost::RetrohuntJobs(1), now).await?;
    let mut second = now.0.div_euclid(SECOND_MS);
    let id = loop {
        let id = format!("{name}-{second}");
        if !tx.exists("SELECT 1 FROM retrohunt_jobs WHERE id = $1", values![&id]).await? {
            break id;
        }
        second += 1;
    };
    let until: i64 = tx.read_one("SELECT COALESCE(MAX(number), 0) FROM specimens", Vec::new()).await?;
    let row = named! {
        id: &id,
        user_id: user,
        rules: &new.rules,
        corpus: &new.corpus,
        notification_email: new.notification_email.clone(),
        range_start: new.range.0,
        range_end: new.range.1,
        status: "starting",
        until,
        created_at: now,
    };
    tx.insert_one("retrohunt_jobs", row).await?;
    Ok(id)
}

/// Makes room for a job: those that are over go, the oldest first.
async fn forget_old(tx: &mut Tx, user: i64) -> Result<()> {
    let sql = "SELECT number FROM retrohunt_jobs WHERE user_id = $1 AND finished_at IS NOT NULL ORDER BY number DESC \
               LIMIT 100 OFFSET $2";
    for number in tx.read_all(sql, values![user, JOBS_KEPT_MAX]).await? {
        remove(tx, number).await?;
    }
    Ok(())
}

async fn remove(tx: &mut Tx, number: i64) -> Result<()> {
    tx.run("DELETE FROM retrohunt_matches WHERE job = $1", values![number]).await?;
    tx.run("DELETE FROM retrohunt_jobs WHERE number = $1", values![number]).await?;
    Ok(())
}

/// Aborts the jobs of a user: those that no engine executes end at once, the others at their next check.
pub(crate) async fn abort_all(tx: &mut Tx, user: i64, now: Timestamp) -> Result<()> {
    let sql =
        "UPDATE retrohunt_jobs SET status = 'aborted', finished_at = $1 WHERE user_id = $2 AND status = 'starting'";
    tx.run(sql, values![now, user]).await?;
    let sql = "UPDATE retrohunt_jobs SET status = 'aborting' WHERE user_id = $1 AND status = 'running'";
    tx.run(sql, values![user]).await.map(|_| ())
}

impl Store {
    /// Takes a job of the caller's, charged in the same transaction. Fails with `TooMany` where the caller has as many
    /// unfinished ones as one may, and with `QuotaExceeded` where none are left.
    pub async fn create_retrohunt_job(
        &self,
        caller: &Caller,
        new: &NewRetrohuntJob,
    ) -> Result<RetrohuntJob, JobRefused> {
        let (user, now, name, new) = (caller.user_id(), caller.now, caller.username().to_owned(), new.clone());
        let made = transaction!(self, Person, async |tx| {
            // Whoever makes two at once waits here: the row of the payer is held until the end.
            crate::wider::quota::quota_groups(tx, user, true).await?;
            let sql = "SELECT COUNT(*) FROM retrohunt_jobs WHERE user_id = $1 AND finished_at IS NULL";
            if tx.read_one::<i64>(sql, values![user]).await? >= JOBS_AT_ONCE_MAX {
                return Ok(None);
            }
            forget_old(tx, user).await?;
            let id = insert(tx, user, &name, &new, now).await?;
            find(tx, user, &id).await.map(Some)
        })?;
        made.ok_or(JobRefused::TooMany)
    }

    /// A job of the caller's.
    pub async fn find_retrohunt_job(&self, principal: &Principal, id: &str) -> Result<RetrohuntJob> {
        find(&mut self.read().await?, principal.user_id(), id).await
    }

    /// The caller's jobs, newest first.
    pub async fn list_retrohunt_jobs(&self, principal: &Principal) -> Result<Vec<RetrohuntJob>> {
        let sql = select::<RetrohuntJob>(&format!("{FROM} WHERE j.user_id = $1 ORDER BY j.number DESC"));
        self.read().await?.read_all(&sql, values![principal.user_id()]).await
    }

    /// Asks a job to end. One that nobody works at ends at once; one that is over stays as it is.
    pub async fn abort_retrohunt_job(&self, caller: &Caller, id: &str) -> Result<()> {
        let (user, now, id) = (caller.user_id(), caller.now, id.to_owned());
        transaction!(self, Person, async |tx| {
            let number = find(tx, user, &id).await?.number;
            let sql = "UPDATE retrohunt_jobs SET status = 'aborted', finished_at = $1 WHERE number = $2 AND status = \
                       'starting'";
            tx.run(sql, values![now, number]).await?;
            let sql = "UPDATE retrohunt_jobs SET status = 'aborting' WHERE number = $1 AND status = 'running'";
            tx.run(sql, values![number]).await.map(|_| ())
        })
    }

    /// Deletes a job with what it found; one that is worked at ends by it.
    pub async fn delete_retrohunt_job(&self, principal: &Principal, id: &str) -> Result<()> {
        let (user, id) = (principal.user_id(), id.to_owned());
        transaction!(self, Person, async |tx| {
            let number = find(tx, user, &id).await?.number;
            remove(tx, number).await
        })
    }

    /// What a job of the caller's found, in the order in which it did.
    pub async fn retrohunt_matches(&self, principal: &Principal, id: &str) -> Result<Vec<RetrohuntMatch>> {
        let mut tx = self.read().await?;
        let number = find(&mut tx, principal.user_id(), id).await?.number;
        let collections = objects::owners_seen(&mut tx, principal).await?;
        let sql = format!(
            "SELECT m.collection_id, {} FROM retrohunt_matches m WHERE m.job = $1 ORDER BY m.number LIMIT \
             {MATCHES_MAX}",
            list::<RetrohuntMatch>()
        );
        let matches: Vec<(i64, RetrohuntMatch)> = tx.read_all(&sql, values![number]).await?;
        let visible = matches.into_iter().filter(|(collection, _)| collections.contains(collection));
        Ok(visible.map(|(_, found)| found).collect())
    }
}
