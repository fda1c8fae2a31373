//! Accounts at cloud providers other than AWS, and what they own.

use super::Member;
use super::aws::CONFIGURATION;
pub use super::aws::{ACCOUNT_ID, RESOURCE_TYPE, in_organization, of_organization};
use super::row::{Empty::Null, Row, contract, seen};
use crate::task::TaskName::CloudAccount;

/// The provider, as people call it.
pub const PROVIDER: Member<String> = Member::named("provider");

/// What is known of a thing in an account.
pub(super) const MEMBERS: &[Row] = &[
    contract(PROVIDER, Null).by(CloudAccount),
    contract(ACCOUNT_ID, Null).by(CloudAccount),
    contract(RESOURCE_TYPE, Null).by(CloudAccount),
    seen(CONFIGURATION, CloudAccount),
];
