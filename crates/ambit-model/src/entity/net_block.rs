//! What is known of a registered block of addresses. Its members are those of one answer of a registry, said together,
//! and which account at a provider holds it.

use super::in_account;
use super::row::{
    Empty::{False, Null},
    Row, seen, unseen,
};
use crate::task::TaskName::{AwsAccount, CloudAccount, Registration};

/// What is known of a block.
pub(super) const MEMBERS: &[Row] = &[
    unseen("start_address", Null).by(Registration),
    unseen("end_address", Null).by(Registration),
    unseen("cidr", Null).by(Registration),
    unseen("description", Null).by(Registration),
    unseen("block_type", Null).by(Registration),
    unseen("handle", Null).by(Registration),
    unseen("organization_name", Null).by(Registration),
    unseen("organization_reference", Null).by(Registration),
    unseen("organization_handle", Null).by(Registration),
    unseen("parent_reference", Null).by(Registration),
    unseen("rir", Null).by(Registration),
    unseen("provider", Null).by(Registration),
    unseen("whois_full_text", Null).by(Registration),
    unseen("extended_rdap", Null).by(Registration),
    unseen("transferred", False).by(Registration),
    unseen("ipv6", Null).by(Registration),
    seen(in_account::AWS, AwsAccount),
    seen(in_account::CLOUD, CloudAccount),
];
