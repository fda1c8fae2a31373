//! Which account at a provider names an address, a block, a host, a URL or a bucket as its own.

use super::Member;

/// An account at AWS.
pub const AWS: Member<String> = Member::named("hidden_aws_account");
/// An account at another provider.
pub const CLOUD: Member<String> = Member::named("hidden_cloud_account");
