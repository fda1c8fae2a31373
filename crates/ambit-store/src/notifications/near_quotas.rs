//! Quotas that near their end, and which receivers are told: those that were made by who pays.

use crate::notifications::position::Outbox;
use crate::notifications::receivers::IS_ANSWERED_FOR;
use crate::wider::usage::QuotaUsage;
use crate::{Result, StoreError};
use ambit_model::Timestamp;
use ambit_model::quota::quota;
use std::collections::BTreeMap;

/// A quota that nears its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearQuota {
    /// Those that are told.
    pub receivers: Vec<i64>,
    pub user: i64,
    /// The name of the group whose quota it is; `None`: the user's own.
    pub group: Option<String>,
    pub name: &'static str,
    /// The number of the window in which it is counted.
    pub window: i64,
    pub usage: QuotaUsage,
}

impl Outbox {
    /// Quotas that near their end, of those who made the receivers that are at work, with the receivers: what a user
    /// may use, and what a group may on which that user draws. Each stands here until its window is over.
    pub async fn near_quotas(&self, now: Timestamp) -> Result<Vec<NearQuota>> {
        let sql = format!("SELECT id, created_by FROM receivers WHERE ended IS NULL AND {IS_ANSWERED_FOR} ORDER BY id");
        let made: Vec<(i64, i64)> = self.store.read().await?.read_all(&sql, Vec::new()).await?;
        let mut receivers: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        for (receiver, user) in made {
            receivers.entry(user).or_default().push(receiver);
        }
        let mut near = Vec::new();
        for (user, receivers) in receivers {
            let standings = match self.store.quota_standings(user, now).await {
                Ok(standings) => standings,
                // The account was deleted.
                Err(StoreError::NotFound) => continue,
                Err(error) => return Err(error),
            };
            for standing in standings {
                let Some(meter) = quota(standing.name) else { continue };
                let of_group = standing.group.into_iter().map(|(usage, name)| (usage, Some(name)));
                for (usage, group) in std::iter::once((standing.user, None)).chain(of_group) {
                    if meter.is_near_end(usage.used, usage.allowed) {
                        let (receivers, window) = (receivers.clone(), meter.window.number(now));
                        near.push(NearQuota { receivers, user, group, name: meter.name, window, usage });
                    }
                }
            }
        }
        Ok(near)
    }
}
