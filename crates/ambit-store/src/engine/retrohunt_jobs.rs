//! Jobs that look at what was stored long ago: which of them this engine carries, and how far it came.

use super::Engine;
use super::hunt::{RuleMatch, Specimen, specimens};
use super::place::LAPSED_MS;
use crate::Result;
use crate::db::rows::{columns, list, named};
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::people::access;
use crate::wider::objects;
use crate::wider::retrohunt_jobs::MATCHES_MAX;
use ambit_model::Timestamp;

columns! {
    /// A job that this engine holds.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct HeldJob {
        pub number: i64,
        pub user: i64 = "user_id",
        pub rules: String,
        /// The last specimen that was examined, and the last that has to be.
        pub position: i64,
        pub until: i64,
        pub range: (Option<i64>, Option<i64>) = "range_start, range_end",
    }
}

/// A part of a job that was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobPart {
    /// The last specimen looked at.
    pub position: i64,
    pub looked: i64,
    pub scanned_bytes: i64,
    pub timeouts: i64,
    pub matches: Vec<(Specimen, Vec<RuleMatch>)>,
    /// True if nothing is left to examine, or the rules take too long.
    pub over: Option<&'static str>,
}

/// Bodies on which a job's rules may take too long before it is ended.
const JOB_TIMEOUTS_MAX: i64 = 10;

impl Engine {
    /// Takes the jobs that no other living engine holds, the oldest of each user before anybody's second; those that
    /// are to be aborted end here.
    pub async fn hold_jobs(&self, limit: i64, now: Timestamp) -> Result<Vec<HeldJob>> {
        let mut tx = self.store.read().await?;
        if !tx.exists("SELECT 1 FROM retrohunt_jobs WHERE finished_at IS NULL LIMIT 1", Vec::new()).await? {
            return Ok(Vec::new());
        }
        tx.rollback().await?;
        let engine = self.id;
        transaction!(self.store, Engine, async |tx| hold_jobs(tx, engine, limit, now).await)
    }

    /// The next specimens of a job, with bytes.
    pub async fn specimens_of(&self, job: &HeldJob, limit: i64) -> Result<Vec<Specimen>> {
        let sql = format!("{} s.number > $1 AND s.number <= $2 ORDER BY s.number LIMIT $3", specimens());
        self.store.read().await?.read_all(&sql, values![job.position, job.until, limit]).await
    }

    /// Writes a part of a job with the position it leads to. False: the job is not this engine's to go on with:
    /// aborted, deleted, over, or moved on by another engine, and then nothing of the part counts.
    pub async fn record_job_part(&self, job: &HeldJob, part: JobPart, now: Timestamp) -> Result<bool> {
        let (job, engine) = (job.clone(), self.id);
        transaction!(self.store, Engine, async |tx| record_part(tx, engine, &job, &part, now).await)
    }
}

async fn hold_jobs(tx: &mut Tx, engine: i64, limit: i64, now: Timestamp) -> Result<Vec<HeldJob>> {
    let free = "finished_at IS NULL AND (engine_id IS NULL OR engine_id = $2
                OR NOT EXISTS (SELECT 1 FROM engines e WHERE e.id = engine_id AND e.heartbeat_at > $3))";
    let lapsed = now.0 - LAPSED_MS;
    let sql =
        format!("UPDATE retrohunt_jobs SET status = 'aborted', finished_at = $1 WHERE status = 'aborting' AND {free}");
    tx.run(&sql, values![now, engine, lapsed]).await?;
    let sql = format!(
        "UPDATE retrohunt_jobs SET engine_id = $1 WHERE number IN
         (SELECT number FROM
           (SELECT number, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY number) AS place
            FROM retrohunt_jobs WHERE status IN ('starting', 'running') AND {free}
            AND EXISTS (SELECT 1 FROM users u WHERE u.id = user_id AND u.status = 'active')) AS waiting ORDER BY \
            place, number LIMIT $4)
         RETURNING {}, status",
        list::<HeldJob>()
    );
    let mut out = Vec::new();
    for (job, status) in tx.read_all::<(HeldJob, String)>(&sql, values![engine, engine, lapsed, limit]).await? {
        if status == "starting" {
            start(tx, &job, now).await?;
        }
        out.push(job);
    }
    out.sort_by_key(|job| job.number);
    Ok(out)
}

/// From now on it says how much there is to look at.
async fn start(tx: &mut Tx, job: &HeldJob, now: Timestamp) -> Result<()> {
    let principal = access::load(tx, job.user, None).await?;
    let collections = objects::owners_seen(tx, &principal).await?;
    let sql = "SELECT collection_id, COUNT(*) FROM specimens WHERE number <= $1 GROUP BY collection_id";
    let counts: Vec<(i64, i64)> = tx.read_all(sql, values![job.until]).await?;
    let to_look: i64 = counts.iter().filter(|(of, _)| collections.contains(of)).map(|(_, count)| count).sum();
    let sql = "UPDATE retrohunt_jobs SET status = 'running', started_at = $1, to_look = $2 WHERE number = $3";
    tx.run(sql, values![now, to_look, job.number]).await.map(|_| ())
}

async fn record_part(tx: &mut Tx, engine: i64, job: &HeldJob, part: &JobPart, now: Timestamp) -> Result<bool> {
    let lock = if tx.is_postgres() { " FOR UPDATE" } else { "" };
    let sql = format!(
        "SELECT status, position, matches + matches_outside, timeouts FROM retrohunt_jobs WHERE number = $1 AND \
         engine_id = $2{lock}"
    );
    let held: Option<(String, i64, i64, i64)> = tx.read_first(&sql, values![job.number, engine]).await?;
    let Some((status, position, known, timeouts)) = held else {
        return Ok(false);
    };
    if !["running", "aborting"].contains(&status.as_str()) || position != job.position {
        return Ok(false);
    }
    let (mut inside, mut outside) = (0, 0);
    for (specimen, matches) in &part.matches {
        let second = specimen.at.0.div_euclid(ambit_model::moment::SECOND_MS);
        let within = job.range.0.is_none_or(|start| second >= start) && job.range.1.is_none_or(|end| second <= end);
        for one in matches {
            let new = known + inside + outside >= MATCHES_MAX || insert_match(tx, job.number, specimen, one).await?;
            if new && within {
                inside += 1;
            } else if new {
                outside += 1;
            }
        }
    }
    let timeouts = timeouts + part.timeouts;
    let over = part.over.or((timeouts >= JOB_TIMEOUTS_MAX).then_some("aborted"));
    let over = if status == "aborting" { Some("aborted") } else { over };
    let sql = "UPDATE retrohunt_jobs SET position = $1, looked = looked + $2, scanned_bytes = scanned_bytes + $3, \
               timeouts = $4,
               matches = matches + $5, matches_outside = matches_outside + $6 WHERE number = $7";
    let mut row = values![part.position, part.looked, part.scanned_bytes, timeouts];
    row.extend(values![inside, outside, job.number]);
    tx.run(sql, row).await?;
    if let Some(end) = over {
        let sql = "UPDATE retrohunt_jobs SET status = $1, finished_at = $2 WHERE number = $3";
        tx.run(sql, values![end, now, job.number]).await?;
    }
    Ok(over.is_none())
}

/// True where it was not known: the same bytes may be in several collections.
async fn insert_match(tx: &mut Tx, job: i64, specimen: &Specimen, found: &RuleMatch) -> Result<bool> {
    let row = named! {
        job,
        sha256: specimen.sha256,
        collection_id: specimen.collection,
        rule_name: &found.rule,
        snippet: found.snippet.clone(),
    };
    tx.insert_new("retrohunt_matches", "job, sha256, rule_name", row).await
}
