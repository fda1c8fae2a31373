//! What was used: the standing of each quota, calls by day and endpoint, who draws how much from a group
//! (docs/contract/quotas.md §5).

use crate::db::rows::{columns, select};
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::wider::quota::{allowances, caps, count_calls, quota_groups, used};
use crate::{Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::quota::{METERS, Window, default_allowed};
use std::collections::BTreeMap;

/// Days of usage that are kept (docs/contract/quotas.md §5.2).
const DAYS_KEPT: i64 = 60;

/// One side of a quota.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaUsage {
    pub allowed: i64,
    pub used: i64,
}

/// A quota with what a user and the user's group have of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaStanding {
    pub name: &'static str,
    pub user: QuotaUsage,
    /// The group's, and its name.
    pub group: Option<(QuotaUsage, String)>,
}

columns! {
    /// Calls of one day.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct DayUsage {
        /// Days since 1970-01-01.
        pub day: i64,
        /// The name in `quota/rules.rs`.
        pub name: String,
        pub consuming: bool,
        pub calls: i64,
    }
}

/// Whose usage is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payer {
    User(i64),
    Group(i64),
}

impl Payer {
    fn parts(self) -> (&'static str, i64) {
        match self {
            Self::User(id) => ("user", id),
            Self::Group(id) => ("group", id),
        }
    }
}

/// A call that cost nothing, to be noted with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeCalls {
    pub user: i64,
    pub name: &'static str,
    pub calls: i64,
    pub at: Timestamp,
}

impl Store {
    /// Notes calls that cost nothing.
    pub async fn note_free_calls(&self, calls: Vec<FreeCalls>) -> Result<()> {
        transaction!(self, Person, async |tx| {
            for one in calls {
                // A user who is gone has no usage.
                match quota_groups(tx, one.user, false).await {
                    Ok(groups) => count_calls(tx, one.user, groups.api, one.name, false, one.calls, one.at).await?,
                    Err(StoreError::NotFound) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        })
    }

    /// How a user stands with every quota, in the windows of a moment.
    pub async fn quota_standings(&self, user: i64, now: Timestamp) -> Result<Vec<QuotaStanding>> {
        let mut tx = self.read().await?;
        let groups = quota_groups(&mut tx, user, false).await?;
        let own = allowances(&mut tx, "user", user).await?;
        let mut theirs = BTreeMap::new();
        for id in [groups.api, groups.intelligence].into_iter().flatten() {
            let name: String = tx.read_one("SELECT name FROM user_groups WHERE id = $1", values![id]).await?;
            let (set, caps) = (allowances(&mut tx, "group", id).await?, caps(&mut tx, id, user).await?);
            theirs.insert(id, (name, set, caps));
        }
        let mut out = Vec::new();
        for meter in METERS.iter().filter(|meter| meter.window != Window::Minute) {
            let number = meter.window.number(now);
            let allowed = |set: &BTreeMap<String, i64>| set.get(meter.name).copied().unwrap_or(default_allowed(meter));
            let payer = groups.payer(meter.family).and_then(|id| Some((id, theirs.get(&id)?)));
            let cap = payer.and_then(|(_, (_, _, caps))| caps.get(meter.name).copied());
            let user = QuotaUsage {
                allowed: meter.capped(allowed(&own), cap),
                used: used(&mut tx, "user", user, meter, number).await?,
            };
            let group = match payer {
                Some((id, (name, set, _))) => {
                    let used = used(&mut tx, "group", id, meter, number).await?;
                    Some((QuotaUsage { allowed: allowed(set), used }, name.clone()))
                }
                None => None,
            };
            out.push(QuotaStanding { name: meter.name, user, group });
        }
        Ok(out)
    }

    /// How a group stands with every quota, in the windows of a moment.
    pub async fn group_standings(&self, group: i64, now: Timestamp) -> Result<Vec<(&'static str, QuotaUsage)>> {
        let mut tx = self.read().await?;
        let set = allowances(&mut tx, "group", group).await?;
        let mut out = Vec::new();
        for meter in METERS.iter().filter(|meter| meter.window != Window::Minute) {
            let used = used(&mut tx, "group", group, meter, meter.window.number(now)).await?;
            let allowed = set.get(meter.name).copied().unwrap_or(default_allowed(meter));
            out.push((meter.name, QuotaUsage { allowed, used }));
        }
        Ok(out)
    }

    /// Calls of the days `from..=to` (days since 1970-01-01), oldest first; those of the last 60 days are kept.
    pub async fn api_usage(&self, payer: Payer, from: i64, to: i64) -> Result<Vec<DayUsage>> {
        let (payer, id) = payer.parts();
        let sql = select::<DayUsage>(
            "FROM api_usage WHERE payer = $1 AND payer_id = $2 AND day >= $3 AND day <= $4 AND calls > 0 \
             ORDER BY day, name",
        );
        self.read().await?.read_all(&sql, values![payer, id, from, to]).await
    }

    /// Who drew how much of a meter from a group in a window: user ids and units, in the order of the units, then of
    /// the ids.
    pub async fn drawn_from_group(
        &self,
        group: i64,
        meter: &str,
        number: i64,
        descending: bool,
    ) -> Result<Vec<(i64, i64)>> {
        let order = if descending { "DESC" } else { "ASC" };
        let sql = format!(
            "SELECT user_id, used FROM quota_drawn WHERE group_id = $1 AND meter = $2 AND number = $3 AND used > 0 \
             ORDER BY used {order}, user_id"
        );
        self.read().await?.read_all(&sql, values![group, meter, number]).await
    }
}

/// Rows of windows that nobody asks for any more; true when there may be more.
pub(crate) async fn sweep(tx: &mut Tx, now: Timestamp) -> Result<bool> {
    /// Minutes and hours are of interest while they last; a clock that was set back finds them for a day.
    const SHORT_DAYS: i64 = 1;
    let day = Window::Day.number(now);
    let mut swept = tx.run("DELETE FROM api_usage WHERE day < $1", values![day - DAYS_KEPT]).await?;
    for meter in &METERS {
        let oldest = match meter.window {
            Window::Minute | Window::Hour => {
                meter.window.number(now.plus_ms(-SHORT_DAYS * ambit_model::moment::DAY_MS))
            }
            Window::Day => day - DAYS_KEPT,
            Window::Month | Window::Gauge => continue,
        };
        for table in ["quota_used", "quota_drawn"] {
            let sql = format!("DELETE FROM {table} WHERE meter = $1 AND number < $2");
            swept += tx.run(&sql, values![meter.name, oldest]).await?;
        }
    }
    Ok(swept > 0)
}
