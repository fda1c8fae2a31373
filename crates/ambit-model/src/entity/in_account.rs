//! Which account at a provider names an address, a block, a host, a URL or a bucket as its own.

use super::Member;
use serde::{Deserialize, Serialize};

/// An account at AWS.
pub const AWS: Member<String> = Member::named("hidden_aws_account");
/// What the zone of an account at AWS says of the addresses of a name.
pub const ZONE_ADDRESSES: Member<Vec<ZoneAddress>> = Member::named("hidden_aws_zone_addresses");
/// An account at another provider.
pub const CLOUD: Member<String> = Member::named("hidden_cloud_account");

/// An address that a record of a zone points at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneAddress {
    /// `A` or `AAAA`.
    pub record: String,
    pub address: String,
    /// Whether an account of the collection at the provider held it; `None`: they could not be read whole.
    pub held: Option<bool>,
}
