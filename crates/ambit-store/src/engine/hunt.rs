//! Live rules as the engine sees them: what waits to be looked at, and what was seen, written with its mark in one
//! transaction. Whatever was not marked is looked at again after a crash; whatever was is not reported twice, by
//! several engines neither.

use super::Engine;
use crate::db::rows::{Rows, columns, named, select};
use crate::db::sql::{Tx, to_json, values, whole};
use crate::db::writer::transaction;
use crate::people::access;
use crate::wider::hunting_notifications::NOTIFICATIONS_MAX;
use crate::wider::hunting_rulesets::{TIMEOUTS_MAX, day};
use crate::wider::objects;
use crate::{Pack, Result};
use ambit_model::id::BlobHash;
use ambit_model::{Timestamp, Uid};
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

/// The result of the live rules for a specimen.
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

/// The most deferred rule evaluations of one owner. Rules that fall further behind count as too slow.
const DEFERRED_OF_OWNER_MAX: i64 = 20_000;

/// Selects specimens by a condition that follows.
pub(super) fn specimens() -> String {
    select::<Specimen>("FROM specimens s LEFT JOIN blobs b ON b.hash = s.sha256 WHERE")
}

impl Engine {
    /// Returns the specimens that the live rules have not examined, oldest first.
    pub async fn waiting_specimens(&self, limit: i64) -> Result<Vec<Specimen>> {
        let sql = format!("{} s.hunted_at IS NULL ORDER BY s.number LIMIT $1", specimens());
        self.store.read().await?.read_all(&sql, values![limit]).await
    }

    /// Returns the rule sets that run now: enabled, below their daily limit, not too slow, and of an owner who is not
    /// suspended.
    pub async fn live_rulesets(&self, now: Timestamp) -> Result<Vec<LiveRuleset>> {
        let sql = select::<LiveRuleset>(
            "FROM hunting_rulesets r JOIN users u ON u.id = r.owner_id
             WHERE r.enabled = 1 AND u.status = 'active' AND r.timeouts < $1
             AND (r.reported_day <> $2 OR r.reported < r.daily_limit) ORDER BY r.number",
        );
        self.store.read().await?.read_all(&sql, values![TIMEOUTS_MAX, day(now)]).await
    }

    /// The source of an edition of a set; `None`: it is another one by now.
    pub async fn ruleset_source(&self, ruleset: &LiveRuleset) -> Result<Option<String>> {
        let sql = "SELECT rules FROM hunting_rulesets WHERE id = $1 AND edition = $2";
        self.store.read().await?.read_first(sql, values![&ruleset.id, ruleset.edition]).await
    }

    /// Returns what bytes may belong to for a user to see them: collections, projects by their negative number, and 0
    /// for what every user may see.
    pub async fn owners_seen_by(&self, user: i64) -> Result<BTreeSet<i64>> {
        let mut tx = self.store.read().await?;
        let principal = access::load(&mut tx, user, None).await?;
        objects::owners_seen(&mut tx, &principal).await
    }

    /// Marks specimens as examined and reports what was found, in one transaction.
    pub async fn record_hunts(&self, hunts: Vec<Hunted>, now: Timestamp) -> Result<()> {
        transaction!(self.store, Engine, async |tx| {
            for hunted in &hunts {
                mark_hunt(tx, hunted, now).await?;
            }
            Ok(())
        })
    }

    /// Marks everything that waits as examined, because there are no live rules.
    pub async fn pass_specimens(&self, until: i64, now: Timestamp) -> Result<()> {
        transaction!(self.store, Engine, async |tx| {
            let sql = "UPDATE specimens SET hunted_at = $1 WHERE hunted_at IS NULL AND number <= $2";
            tx.run(sql, values![now, until]).await.map(|_| ())
        })
    }

    /// Every pack, by name.
    pub async fn packs(&self) -> Result<Vec<Pack>> {
        self.store.list_packs().await
    }
}

/// Marks a specimen as examined, if it was not, and reports the findings.
async fn mark_hunt(tx: &mut Tx, hunted: &Hunted, now: Timestamp) -> Result<()> {
    let sql = "UPDATE specimens SET hunted_at = $1 WHERE number = $2 AND hunted_at IS NULL";
    if tx.run(sql, values![now, hunted.specimen.number]).await? == 0 {
        return Ok(());
    }
    defer(tx, hunted.specimen.number, &hunted.deferred).await?;
    record_hunt(tx, hunted, now).await
}

/// Lets looks wait for their owner's turn. Of an owner of whom too many wait already, those sets that would add to them
/// count as too slow.
async fn defer(tx: &mut Tx, specimen: i64, rulesets: &[LiveRuleset]) -> Result<()> {
    let mut rows = Rows::default();
    for ruleset in rulesets {
        let sql = "SELECT COUNT(*) FROM hunts_deferred WHERE owner_id = $1";
        let waiting: i64 = tx.read_one(sql, values![ruleset.owner]).await?;
        if waiting < DEFERRED_OF_OWNER_MAX {
            rows.push(named! {
                owner_id: ruleset.owner, ruleset_id: &ruleset.id, edition: ruleset.edition, specimen,
            });
            continue;
        }
        let sql = "UPDATE hunting_rulesets SET timeouts = timeouts + 1 WHERE id = $1 AND edition = $2";
        tx.run(sql, values![&ruleset.id, ruleset.edition]).await?;
    }
    tx.insert("hunts_deferred", rows, "ON CONFLICT DO NOTHING").await
}

/// Counts sets that took too long, and reports what the others found.
pub(super) async fn record_hunt(tx: &mut Tx, hunted: &Hunted, now: Timestamp) -> Result<()> {
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
) -> Result<()> {
    let lock = if tx.is_postgres() { " FOR UPDATE" } else { "" };
    let sql = select::<Reporter>(&format!("FROM hunting_rulesets WHERE id = $1 AND edition = $2{lock}"));
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
    let count = reported + whole(matches.len().min(room));
    let sql = "UPDATE hunting_rulesets SET reported_day = $1, reported = $2 WHERE id = $3";
    tx.run(sql, values![day(now), count, &ruleset.id]).await?;
    let sql = format!(
        "DELETE FROM hunting_notifications WHERE user_id = $1 AND number < (SELECT MIN(kept.number) FROM
         (SELECT n.number FROM hunting_notifications n WHERE n.user_id = $2 ORDER BY n.number DESC LIMIT \
         {NOTIFICATIONS_MAX}) AS kept)"
    );
    tx.run(&sql, values![set.owner, set.owner]).await.map(|_| ())
}
