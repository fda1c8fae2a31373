//! Hunting as the engine sees it: what waits to be looked at, and what was seen, written with its mark in one
//! transaction. Whatever was not marked is looked at again after a crash; whatever was is not reported twice, by
//! several engines neither.

use super::Engine;
use super::deferred::defer;
use super::place::LAPSED_MS;
use crate::db::rows::{Rows, columns, list, named};
use crate::db::sql::{Tx, to_json, values};
use crate::db::writer::transaction;
use crate::people::access;
use crate::wider::hunting_notifications::NOTIFICATIONS_MAX;
use crate::wider::hunting_rulesets::{TIMEOUTS_MAX, day};
use crate::wider::retrohunt_jobs::MATCHES_MAX;
use crate::wider::{analyses, objects};
use crate::{Pack, StoreError};
use ambit_model::id::BlobHash;
use ambit_model::{Timestamp, Uid};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

columns! {
    /// Bytes that rules look at.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Specimen of s {
        pub number: i64,
        pub sha256: BlobHash,
        /// 0: everybody's; below it, the project of that number.
        pub collection: i64 = "s.collection_id",
        /// The body of a page, not an uploaded file.
        pub is_page: bool = ("s.uid", |entity: Option<Uid>| entity.is_some()),
        pub size: i64 = ("b.size", Option::unwrap_or_default),
        pub at: Timestamp,
    }
}

columns! {
    /// A set of rules that looks at new specimens.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct LiveRuleset of r {
        pub id: String,
        /// Raised with its rules.
        pub edition: i64,
        /// The user who owns it.
        pub owner: i64 = "r.owner_id",
        /// It looks at bodies of pages alone.
        pub pages_only: bool = ("r.match_object_type", |kind: String| kind == "url"),
    }
}

/// A rule that is true of a specimen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleMatch {
    pub rule: String,
    pub tags: Vec<String>,
    pub snippet: Option<String>,
}

/// What the live rules said of a specimen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunted {
    pub specimen: Specimen,
    /// By set.
    pub matches: Vec<(LiveRuleset, Vec<RuleMatch>)>,
    /// Sets that took too long.
    pub timed_out: Vec<LiveRuleset>,
    /// Rule sets that had no time left, and run when it is their owner's turn.
    pub deferred: Vec<LiveRuleset>,
}

impl Hunted {
    /// A specimen that nobody looked at yet.
    pub fn new(specimen: Specimen) -> Self {
        Self { specimen, matches: Vec::new(), timed_out: Vec::new(), deferred: Vec::new() }
    }
}

columns! {
    /// An analysis that waits for its results.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct WaitingAnalysis of f {
        pub number: i64 = "a.number",
        pub sha256: BlobHash,
        pub sha1: String,
        pub md5: String,
    }
}

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

/// Selects specimens by a condition that follows.
pub(super) fn specimens() -> String {
    format!("SELECT {} FROM specimens s LEFT JOIN blobs b ON b.hash = s.sha256 WHERE", list::<Specimen>())
}

impl Engine {
    /// Returns the specimens that the live rules have not examined, oldest first.
    pub async fn waiting_specimens(&self, limit: i64) -> Result<Vec<Specimen>, StoreError> {
        let mut tx = self.store.read().await?;
        let sql = format!("{} s.hunted_at IS NULL ORDER BY s.number LIMIT $1", specimens());
        tx.read_all(&sql, values![limit]).await
    }

    /// Returns the rule sets that run now: enabled, below their daily limit, not too slow, and of an owner who is not
    /// suspended.
    pub async fn live_rulesets(&self, now: Timestamp) -> Result<Vec<LiveRuleset>, StoreError> {
        let mut tx = self.store.read().await?;
        let sql = format!(
            "SELECT {} FROM hunting_rulesets r JOIN users u ON u.id = r.owner_id
             WHERE r.enabled = 1 AND u.status = 'active' AND r.timeouts < $1
             AND (r.reported_day <> $2 OR r.reported < r.daily_limit) ORDER BY r.number",
            list::<LiveRuleset>()
        );
        tx.read_all(&sql, values![TIMEOUTS_MAX, day(now)]).await
    }

    /// The source of an edition of a set; `None`: it is another one by now.
    pub async fn ruleset_source(&self, ruleset: &LiveRuleset) -> Result<Option<String>, StoreError> {
        let mut tx = self.store.read().await?;
        let sql = "SELECT rules FROM hunting_rulesets WHERE id = $1 AND edition = $2";
        tx.read_first(sql, values![&ruleset.id, ruleset.edition]).await
    }

    /// Returns what bytes may belong to for a user to see them: collections, projects by their negative number, and 0
    /// for what every user may see.
    pub async fn owners_seen_by(&self, user: i64) -> Result<BTreeSet<i64>, StoreError> {
        let mut tx = self.store.read().await?;
        let principal = access::load(&mut tx, user, None).await?;
        objects::owners_seen(&mut tx, &principal).await
    }

    /// Marks specimens as examined and reports what was found, in one transaction.
    pub async fn record_hunts(&self, hunts: Vec<Hunted>, now: Timestamp) -> Result<(), StoreError> {
        transaction!(self.store, Engine, async |tx| {
            for hunted in &hunts {
                mark_hunt(tx, hunted, now).await?;
            }
            Ok(())
        })
    }

    /// Marks everything that waits as examined, because there are no live rules.
    pub async fn pass_specimens(&self, until: i64, now: Timestamp) -> Result<(), StoreError> {
        transaction!(self.store, Engine, async |tx| {
            let sql = "UPDATE specimens SET hunted_at = $1 WHERE hunted_at IS NULL AND number <= $2";
            tx.run(sql, values![now, until]).await.map(|_| ())
        })
    }

    /// Analyses that wait, oldest first.
    pub async fn waiting_analyses(&self, limit: i64) -> Result<Vec<WaitingAnalysis>, StoreError> {
        let mut tx = self.store.read().await?;
        let sql = format!(
            "SELECT {} FROM analyses a JOIN files f ON f.sha256 = a.sha256 WHERE a.finished_at IS NULL
             AND f.project_id = (SELECT MIN(o.project_id) FROM files o WHERE o.sha256 = a.sha256)
             ORDER BY a.number LIMIT $1",
            list::<WaitingAnalysis>()
        );
        tx.read_all(&sql, values![limit]).await
    }

    /// Every pack, by name.
    pub async fn packs(&self) -> Result<Vec<Pack>, StoreError> {
        self.store.list_packs().await
    }

    /// Finishes an analysis; one that another engine finished stays.
    pub async fn record_analysis(
        &self,
        number: i64,
        results: &Map<String, Value>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let (positives, results) = (analyses::positives(results), to_json(results));
        transaction!(self.store, Engine, async |tx| {
            let sql = "UPDATE analyses SET finished_at = $1, results = $2, positives = $3 WHERE number = $4 AND \
                       finished_at IS NULL RETURNING sha256";
            let finished: Option<BlobHash> = tx.read_first(sql, values![now, results, positives, number]).await?;
            match finished {
                Some(sha256) => analyses::refresh_facts(tx, sha256).await,
                None => Ok(()),
            }
        })
    }

    /// Takes the jobs that no other living engine holds, the oldest of each user before anybody's second; those that
    /// are to be aborted end here.
    pub async fn hold_jobs(&self, limit: i64, now: Timestamp) -> Result<Vec<HeldJob>, StoreError> {
        let mut tx = self.store.read().await?;
        if !tx.exists("SELECT 1 FROM retrohunt_jobs WHERE finished_at IS NULL LIMIT 1", Vec::new()).await? {
            return Ok(Vec::new());
        }
        tx.rollback().await?;
        let engine = self.id;
        transaction!(self.store, Engine, async |tx| hold_jobs(tx, engine, limit, now).await)
    }

    /// The next specimens of a job, with bytes.
    pub async fn specimens_of(&self, job: &HeldJob, limit: i64) -> Result<Vec<Specimen>, StoreError> {
        let mut tx = self.store.read().await?;
        let sql = format!("{} s.number > $1 AND s.number <= $2 ORDER BY s.number LIMIT $3", specimens());
        tx.read_all(&sql, values![job.position, job.until, limit]).await
    }

    /// Writes a part of a job with the position it leads to. False: the job is not this engine's to go on with:
    /// aborted, deleted, over, or moved on by another engine, and then nothing of the part counts.
    pub async fn record_job_part(&self, job: &HeldJob, part: JobPart, now: Timestamp) -> Result<bool, StoreError> {
        let (job, engine) = (job.clone(), self.id);
        transaction!(self.store, Engine, async |tx| record_part(tx, engine, &job, &part, now).await)
    }
}

/// Marks a specimen as examined, if it was not, and reports the findings.
async fn mark_hunt(tx: &mut Tx, hunted: &Hunted, now: Timestamp) -> Result<(), StoreError> {
    let sql = "UPDATE specimens SET hunted_at = $1 WHERE number = $2 AND hunted_at IS NULL";
    if tx.run(sql, values![now, hunted.specimen.number]).await? == 0 {
        return Ok(());
    }
    defer(tx, hunted.specimen.number, &hunted.deferred).await?;
    record_hunt(tx, hunted, now).await
}

/// Counts sets that took too long, and reports what the others found.
pub(super) async fn record_hunt(tx: &mut Tx, hunted: &Hunted, now: Timestamp) -> Result<(), StoreError> {
    for slow in &hunted.timed_out {
        let sql = "UPDATE hunting_rulesets SET timeouts = timeouts + 1 WHERE id = $1 AND edition = $2";
        tx.run(sql, values![&slow.id, slow.edition]).await?;
    }
    for (ruleset, matches) in &hunted.matches {
        report(tx, ruleset, &hunted.specimen, matches, now).await?;
    }
    Ok(())
}

columns! {
    /// What a set's reports need to know of it.
    struct Reporter {
        name: String,
        tags: Vec<String> = (json),
        owner: i64 = "owner_id",
        enabled: bool,
        daily_limit: i64,
        reported_day: i64,
        reported: i64,
    }
}

impl Reporter {
    /// How many it reported on a day.
    fn reported_on(&self, day: i64) -> i64 {
        if self.reported_day == day { self.reported } else { 0 }
    }

    /// The names of rule and set, the hash, the tags of both.
    fn tags_of(&self, found: &RuleMatch, sha256: BlobHash) -> Vec<String> {
        let mut all = vec![found.rule.to_lowercase(), self.name.to_lowercase(), sha256.to_string()];
        for tag in found.tags.iter().chain(&self.tags).map(|tag| tag.to_lowercase()) {
            if !all.contains(&tag) {
                all.push(tag);
            }
        }
        all
    }
}

/// Notifications of one set about one specimen, as many as its limit leaves.
async fn report(
    tx: &mut Tx,
    ruleset: &LiveRuleset,
    specimen: &Specimen,
    matches: &[RuleMatch],
    now: Timestamp,
) -> Result<(), StoreError> {
    let lock = if tx.is_postgres() { " FOR UPDATE" } else { "" };
    let sql = format!("SELECT {} FROM hunting_rulesets WHERE id = $1 AND edition = $2{lock}", list::<Reporter>());
    let Some(set) = tx.read_first::<Reporter>(&sql, values![&ruleset.id, ruleset.edition]).await? else {
        return Ok(());
    };
    let reported = set.reported_on(day(now));
    let room = usize::try_from(set.daily_limit - reported).unwrap_or(0);
    if !set.enabled || room == 0 {
        return Ok(());
    }
    let notification = |found: &RuleMatch| {
        named! {
            id: format!("{}-{}-{}", ruleset.id, rand::random::<u32>(), &specimen.sha256.to_string()[..32]),
            user_id: set.owner,
            ruleset_id: &ruleset.id,
            ruleset_name: &set.name,
            rule_name: &found.rule,
            rule_tags: to_json(&found.tags),
            tags: to_json(&set.tags_of(found, specimen.sha256)),
            sha256: specimen.sha256,
            collection_id: specimen.collection,
            snippet: found.snippet.clone(),
            at: now,
        }
    };
    let rows: Rows = matches.iter().take(room).map(notification).collect();
    tx.insert("hunting_notifications", rows, "").await?;
    let count = reported + i64::try_from(matches.len().min(room)).unwrap_or(i64::MAX);
    let sql = "UPDATE hunting_rulesets SET reported_day = $1, reported = $2 WHERE id = $3";
    tx.run(sql, values![day(now), count, &ruleset.id]).await?;
    let sql = format!(
        "DELETE FROM hunting_notifications WHERE user_id = $1 AND number < (SELECT MIN(kept.number) FROM
         (SELECT n.number FROM hunting_notifications n WHERE n.user_id = $2 ORDER BY n.number DESC LIMIT \
         {NOTIFICATIONS_MAX}) AS kept)"
    );
    tx.run(&sql, values![set.owner, set.owner]).await.map(|_| ())
}

async fn hold_jobs(tx: &mut Tx, engine: i64, limit: i64, now: Timestamp) -> Result<Vec<HeldJob>, StoreError> {
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
async fn start(tx: &mut Tx, job: &HeldJob, now: Timestamp) -> Result<(), StoreError> {
    let principal = access::load(tx, job.user, None).await?;
    let collections = objects::owners_seen(tx, &principal).await?;
    let sql = "SELECT collection_id, COUNT(*) FROM specimens WHERE number <= $1 GROUP BY collection_id";
    let counts: Vec<(i64, i64)> = tx.read_all(sql, values![job.until]).await?;
    let to_look: i64 = counts.iter().filter(|(of, _)| collections.contains(of)).map(|(_, count)| count).sum();
    let sql = "UPDATE retrohunt_jobs SET status = 'running', started_at = $1, to_look = $2 WHERE number = $3";
    tx.run(sql, values![now, to_look, job.number]).await.map(|_| ())
}

async fn record_part(
    tx: &mut Tx,
    engine: i64,
    job: &HeldJob,
    part: &JobPart,
    now: Timestamp,
) -> Result<bool, StoreError> {
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
async fn insert_match(tx: &mut Tx, job: i64, specimen: &Specimen, found: &RuleMatch) -> Result<bool, StoreError> {
    let row = named! {
        job,
        sha256: specimen.sha256,
        collection_id: specimen.collection,
        rule_name: &found.rule,
        snippet: found.snippet.clone(),
    };
    tx.insert_new("retrohunt_matches", "job, sha256, rule_name", row).await
}
