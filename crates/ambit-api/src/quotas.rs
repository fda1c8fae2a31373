//! Quotas and usage in the wider API (docs/contract/quotas.md §5).

use crate::contract::{Maybe, contract};
use crate::objects::Named;
use ambit_model::quota::FOREIGN;
use serde::Serialize;

contract! {
    /// What is allowed of a quota and what is used. Where it is that of a group, it says of which.
    #[derive(Clone, Debug, Default, Serialize)]
    pub struct Allowance {
        pub allowed: i64,
        pub inherited_from: Maybe<String>,
        pub used: i64,
    }

    /// A quota of a user, and of the group that pays first.
    #[derive(Clone, Debug, Serialize)]
    pub struct UserQuota {
        pub user: Allowance,
        pub group: Maybe<Allowance>,
    }

    /// How many calls of which endpoint there were, by day and in all.
    #[derive(Debug, Default, Serialize)]
    pub struct Usage {
        pub daily: Named<Named<i64>>,
        pub daily_endpoints_not_consuming_quota: Named<Named<i64>>,
        pub total: Named<i64>,
        pub total_endpoints_not_consuming_quota: Named<i64>,
    }

    /// The context of a user whose calls were charged to a group.
    #[derive(Debug, Serialize)]
    pub struct DrawnFromGroup {
        pub quota_consumed_from_group: i64,
    }
}

impl Allowance {
    /// Returns how much is allowed, and how much of it is used.
    pub fn new(allowed: i64, used: i64) -> Self {
        Self { allowed, used, inherited_from: Maybe(None) }
    }

    /// Returns the same as that of the group of this name.
    pub fn of_group(self, name: &str) -> Self {
        Self { inherited_from: Maybe(Some(name.to_owned())), ..self }
    }
}

/// Returns quotas by name: those that are kept, and behind them those of parts that Ambit does not have.
pub fn with_foreign<T: Clone>(kept: impl Iterator<Item = (&'static str, T)>, foreign: &T) -> Named<T> {
    kept.chain(FOREIGN.iter().map(|name| (*name, foreign.clone())))
        .map(|(name, quota)| (name.to_owned(), quota))
        .collect()
}
