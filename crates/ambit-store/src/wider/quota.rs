//! Charging: who pays, what is left, and the one transaction that checks and charges (docs/contract/quotas.md §2).
//! Reports are in `usage.rs`.
//!
//! A unit is granted only if every bound window of both payers has room for the whole cost; otherwise nothing moves.
//! Limits, groups and privileges are read in that transaction. On PostgreSQL the rows of the payers are locked, the
//! user before the group, so that others do not wait.

use crate::db::rows::{Rows, columns, named, select};
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::{Caller, Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::moment::SECOND_MS;
use ambit_model::quota::{Family, Meter, PREMIUM_API, PREMIUM_INTELLIGENCE, Window};
use std::collections::BTreeMap;

/// What a call costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// So many requests.
    Requests(i64),
    /// Enterprise services: one request with premium API, else so much of an intelligence quota, else not allowed.
    Enterprise(Family, i64),
    /// Creating private graphs. Where neither the user nor the group may have any, it is not allowed.
    PrivateGraphs(i64),
    /// Rules that become active (or, below 0, inactive).
    HuntingRules(i64),
    RetrohuntJobs(i64),
}

/// A charge that was made, with which it can be given back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    user: i64,
    group: Option<i64>,
    family: Family,
    units: i64,
    at: Timestamp,
    name: &'static str,
}

impl Receipt {
    /// How reports of usage count it, so that they add up to what was drawn: whether it consumes, and how many calls it
    /// is. A call that draws on another quota is one.
    fn calls(&self) -> (bool, i64) {
        match (self.family, self.units) {
            (Family::Api, 0) => (false, 1),
            (Family::Api, calls) => (true, calls),
            _ => (true, 1),
        }
    }
}

columns! {
    /// The groups that a user draws from.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct QuotaGroups {
        pub(crate) api: Option<i64> = "api_quota_group",
        pub(crate) intelligence: Option<i64> = "intelligence_quota_group",
    }
}

impl QuotaGroups {
    /// The group that pays beside the user.
    pub(crate) fn payer(self, family: Family) -> Option<i64> {
        if family == Family::Api { self.api } else { self.intelligence }
    }
}

/// The end of a statement that locks the rows it reads; SQLite has one writer.
fn for_update(tx: &Tx) -> &'static str {
    if tx.is_postgres() { " FOR NO KEY UPDATE" } else { "" }
}

/// The groups that a user draws from; with `lock`, the user's row is the transaction's until its end.
pub(crate) async fn quota_groups(tx: &mut Tx, user: i64, lock: bool) -> Result<QuotaGroups> {
    let lock = if lock { for_update(tx) } else { "" };
    tx.find(&select::<QuotaGroups>(&format!("FROM users WHERE id = $1{lock}")), values![user]).await
}

/// What was set for a payer, by quota.
pub(crate) async fn allowances(tx: &mut Tx, payer: &str, id: i64) -> Result<BTreeMap<String, i64>> {
    let sql = "SELECT name, allowed FROM quotas WHERE subject = $1 AND subject_id = $2";
    Ok(tx.read_all(sql, values![payer, id]).await?.into_iter().collect())
}

/// What the administrators of a group let a member draw from it, by quota.
pub(crate) async fn caps(tx: &mut Tx, group: i64, user: i64) -> Result<BTreeMap<String, i64>> {
    let sql = "SELECT name, allowed FROM group_caps WHERE group_id = $1 AND user_id = $2";
    Ok(tx.read_all(sql, values![group, user]).await?.into_iter().collect())
}

/// What a user drew from a group in a window. By the minute it is not kept apart: there it is what the user used.
async fn drawn(tx: &mut Tx, group: i64, user: i64, meter: &Meter, number: i64) -> Result<i64> {
    if matches!(meter.window, Window::Minute | Window::Hour) {
        return used(tx, "user", user, meter, number).await;
    }
    let sql = "SELECT used FROM quota_drawn WHERE group_id = $1 AND meter = $2 AND number = $3 AND user_id = $4";
    Ok(tx.read_first(sql, values![group, meter.name, number, user]).await?.unwrap_or(0))
}

/// What a payer used of a meter in a window.
pub(crate) async fn used(tx: &mut Tx, payer: &str, id: i64, meter: &Meter, number: i64) -> Result<i64> {
    let sql = "SELECT used FROM quota_used WHERE payer = $1 AND payer_id = $2 AND meter = $3 AND number = $4";
    Ok(tx.read_first(sql, values![payer, id, meter.name, number]).await?.unwrap_or(0))
}

/// True if the user, or a group that the user draws from, has a privilege now.
pub(crate) async fn has_privilege(
    tx: &mut Tx,
    user: i64,
    groups: QuotaGroups,
    name: &str,
    now: Timestamp,
) -> Result<bool> {
    let sql = "SELECT 1 FROM privileges WHERE name = $1 AND (expires_at IS NULL OR expires_at > $2)
               AND ((subject = 'user' AND subject_id = $3) OR (subject = 'group' AND (subject_id = $4 OR subject_id = \
               $5))) LIMIT 1";
    let nobody = -1;
    let found = values![name, now, user, groups.api.unwrap_or(nobody), groups.intelligence.unwrap_or(nobody)];
    tx.exists(sql, found).await
}

/// Which family pays how much. A caller without the licence is `Forbidden`.
async fn resolve(tx: &mut Tx, user: i64, groups: QuotaGroups, cost: Cost, now: Timestamp) -> Result<(Family, i64)> {
    Ok(match cost {
        Cost::Requests(units) => (Family::Api, units),
        Cost::PrivateGraphs(units) => (Family::PrivateGraphs, units),
        Cost::HuntingRules(units) => (Family::HuntingRules, units),
        Cost::RetrohuntJobs(units) => (Family::RetrohuntJobs, units),
        Cost::Enterprise(family, units) => {
            if has_privilege(tx, user, groups, PREMIUM_API, now).await? {
                (Family::Api, 1)
            } else if has_privilege(tx, user, groups, PREMIUM_INTELLIGENCE, now).await? {
                (family, units)
            } else {
                return Err(StoreError::Forbidden("this needs premium API or premium intelligence".to_owned()));
            }
        }
    })
}

/// Adds `units` (below 0: takes away) in the windows of a moment; a counter never falls below 0.
async fn add(tx: &mut Tx, receipt: &Receipt, units: i64) -> Result<()> {
    let payers = [Some(("user", receipt.user)), receipt.group.map(|group| ("group", group))];
    let mut rows = Rows::default();
    let mut drawn = Rows::default();
    for meter in receipt.family.meters() {
        let number = meter.window.number(receipt.at);
        for (payer, id) in payers.into_iter().flatten() {
            rows.push(named! { payer, payer_id: id, meter: meter.name, number, used: units });
        }
        if let Some(group) = receipt.group.filter(|_| !matches!(meter.window, Window::Minute | Window::Hour)) {
            drawn.push(named! {
                group_id: group, meter: meter.name, number, user_id: receipt.user, used: units,
            });
        }
    }
    // Below 0 it would be a credit: what is given back was charged in the same window, but a gauge may be lowered by
    // hand meanwhile.
    let tail = "ON CONFLICT (payer, payer_id, meter, number) DO UPDATE
                SET used = CASE WHEN quota_used.used + excluded.used < 0 THEN 0 ELSE quota_used.used + excluded.used \
                END";
    tx.insert("quota_used", rows, tail).await?;
    let tail = "ON CONFLICT (group_id, meter, number, user_id) DO UPDATE
                SET used = CASE WHEN quota_drawn.used + excluded.used < 0 THEN 0 ELSE quota_drawn.used + excluded.used \
                END";
    tx.insert("quota_drawn", drawn, tail).await
}

/// The usage of one meter by one payer.
struct MeterUsage {
    limit: Option<i64>,
    used: i64,
    window: Window,
}

/// The standings of user and group with every meter of a family. Locks the group's row.
async fn standings(
    tx: &mut Tx,
    user: i64,
    group: Option<i64>,
    family: Family,
    now: Timestamp,
) -> Result<Vec<MeterUsage>> {
    if let Some(group) = group {
        let lock = for_update(tx);
        tx.rows(&format!("SELECT id FROM user_groups WHERE id = $1{lock}"), values![group]).await?;
    }
    let own = allowances(tx, "user", user).await?;
    let (theirs, caps) = match group {
        Some(group) => (allowances(tx, "group", group).await?, caps(tx, group, user).await?),
        None => (BTreeMap::new(), BTreeMap::new()),
    };
    let mut out = Vec::new();
    for meter in family.meters() {
        let Some(quota) = meter.quota else { continue };
        let number = meter.window.number(now);
        // A group in which nobody set this quota pays nothing of it: coming into it takes nothing away from its
        // members.
        let paying = group.filter(|_| family == Family::Api || theirs.contains_key(quota));
        let mut bind = |limit, used| {
            out.push(MeterUsage { limit: Some(limit), used, window: meter.window });
        };
        if let Some(limit) = meter.user_limit(own.get(quota).copied(), paying.is_some()) {
            bind(limit, used(tx, "user", user, meter, number).await?);
        }
        let Some(group) = paying else { continue };
        if let Some(limit) = meter.group_limit(theirs.get(quota).copied()) {
            bind(limit, used(tx, "group", group, meter, number).await?);
        }
        if let Some(limit) = caps.get(quota).and_then(|cap| meter.user_limit(Some(*cap), true)) {
            bind(limit, drawn(tx, group, user, meter, number).await?);
        }
    }
    Ok(out)
}

/// Checks and charges inside a transaction. `QuotaExceeded` moves nothing; so does `Forbidden`, which is said where the
/// licence is missing.
pub(crate) async fn charge(tx: &mut Tx, user: i64, cost: Cost, name: &'static str, now: Timestamp) -> Result<Receipt> {
    let receipt = draw(tx, user, cost, name, now).await?;
    let (consuming, calls) = receipt.calls();
    count_calls(tx, user, receipt.group, name, consuming, calls, now).await?;
    Ok(receipt)
}

/// The same for units beside a call that was charged and noted already; gives the group that paid, too.
pub(crate) async fn charge_units(tx: &mut Tx, user: i64, cost: Cost, now: Timestamp) -> Result<Option<i64>> {
    Ok(draw(tx, user, cost, "", now).await?.group)
}

/// Gives units of a gauge back to those who paid them.
pub(crate) async fn free_units(
    tx: &mut Tx,
    user: i64,
    group: Option<i64>,
    family: Family,
    units: i64,
    now: Timestamp,
) -> Result<()> {
    quota_groups(tx, user, true).await?;
    let receipt = Receipt { user, group, family, units, at: now, name: "" };
    add(tx, &receipt, -units).await
}

async fn draw(tx: &mut Tx, user: i64, cost: Cost, name: &'static str, now: Timestamp) -> Result<Receipt> {
    let groups = quota_groups(tx, user, true).await?;
    let (family, units) = resolve(tx, user, groups, cost, now).await?;
    let group = groups.payer(family);
    let standings = standings(tx, user, group, family, now).await?;
    if matches!(cost, Cost::PrivateGraphs(_)) && standings.iter().any(|one| one.limit == Some(0)) {
        return Err(StoreError::Forbidden("no private graphs are allowed here".to_owned()));
    }
    let short = |one: &&MeterUsage| units > 0 && one.limit.is_some_and(|limit| one.used.saturating_add(units) > limit);
    if let Some(retry_after_s) = standings.iter().filter(short).map(|one| seconds_to_end(one.window, now)).reduce(later)
    {
        return Err(StoreError::QuotaExceeded { retry_after_s });
    }
    let receipt = Receipt { user, group, family, units, at: now, name };
    add(tx, &receipt, units).await?;
    Ok(receipt)
}

/// Whole seconds until a window is over; `None`: it never is.
fn seconds_to_end(window: Window, now: Timestamp) -> Option<u32> {
    let end = window.end(now)?;
    let seconds = (end.0 - now.0 + SECOND_MS - 1).div_euclid(SECOND_MS);
    Some(u32::try_from(seconds).unwrap_or(u32::MAX))
}

/// All exhausted windows must be over; one that never is makes waiting useless.
fn later(one: Option<u32>, other: Option<u32>) -> Option<u32> {
    Some(one?.max(other?))
}

/// Counts calls of a day for a user and the group that pays beside.
pub(crate) async fn count_calls(
    tx: &mut Tx,
    user: i64,
    group: Option<i64>,
    name: &str,
    consuming: bool,
    calls: i64,
    now: Timestamp,
) -> Result<()> {
    let day = Window::Day.number(now);
    let payers = [Some(("user", user)), group.map(|group| ("group", group))];
    let row = |(payer, id)| named! { payer, payer_id: id, day, name, consuming, calls };
    let rows = payers.into_iter().flatten().map(row).collect();
    let tail =
        "ON CONFLICT (payer, payer_id, day, name, consuming) DO UPDATE SET calls = api_usage.calls + excluded.calls";
    tx.insert("api_usage", rows, tail).await
}

impl Store {
    /// Checks and charges a call in one transaction, and notes it under `name` in the usage of the day. Fails with
    /// `QuotaExceeded`, or with `Forbidden` where the licence is missing or no private graphs are allowed; then nothing
    /// is charged.
    pub async fn charge(&self, caller: &Caller, cost: Cost, name: &'static str) -> Result<Receipt> {
        let (user, now) = (caller.user_id(), caller.now);
        transaction!(self, Person, async |tx| charge(tx, user, cost, name, now).await)
    }

    /// Gives a charge back, in the windows it was made in: the server failed.
    pub async fn refund(&self, receipt: &Receipt) -> Result<()> {
        let receipt = receipt.clone();
        transaction!(self, Person, async |tx| {
            quota_groups(tx, receipt.user, true).await?;
            add(tx, &receipt, -receipt.units).await?;
            let (consuming, calls) = receipt.calls();
            count_calls(tx, receipt.user, receipt.group, receipt.name, consuming, -calls, receipt.at).await
        })
    }

    /// True if the caller, or a group that the caller draws from, has a privilege now.
    pub async fn has_privilege(&self, caller: &Caller, name: &str) -> Result<bool> {
        let mut tx = self.read().await?;
        let groups = quota_groups(&mut tx, caller.user_id(), false).await?;
        has_privilege(&mut tx, caller.user_id(), groups, name, caller.now).await
    }
}
