//! Which account at a provider names an address, a block, a host, a URL or a bucket as its own.

use super::Member;
use crate::Details;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An account at AWS.
pub const AWS: Member<String> = Member::named("hidden_aws_account");
/// Where the records of a name lead in the zone of an account at AWS.
pub const AWS_ZONE_TARGETS: Member<Vec<ZoneTarget>> = Member::named("hidden_aws_zone_targets");
/// An account at another provider.
pub const CLOUD: Member<String> = Member::named("hidden_cloud_account");
/// The same as of AWS in the zone of an account there.
pub const CLOUD_ZONE_TARGETS: Member<Vec<ZoneTarget>> = Member::named("hidden_cloud_zone_targets");

/// Where a record of a zone leads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneTarget {
    /// `A` or `AAAA`; of a wildcard also `CNAME`.
    pub record: String,
    /// An address, or the load balancer or name of which the record is an alias.
    pub target: String,
    /// The record is that of all names below which have none of their own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wildcard: bool,
    /// Whether an account of the collection held it, by the provider as the owner of its addresses is called; `None`:
    /// the accounts there could not be read whole.
    pub held: BTreeMap<String, Option<bool>>,
}

/// Returns where the records of a name lead, and those of a wildcard below it, in the zones of all accounts.
pub fn zone_targets(details: &Details) -> impl Iterator<Item = ZoneTarget> + '_ {
    AWS_ZONE_TARGETS.items(details).chain(CLOUD_ZONE_TARGETS.items(details))
}
