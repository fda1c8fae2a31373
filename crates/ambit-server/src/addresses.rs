//! Addresses of people that are named to share something with them. Whether somebody has an address is then told, and
//! whoever may share must not find out whom there is by trying many.

use crate::call::Call;
use ambit_api::{ApiError, ErrorCode, Result};

/// Why an address that nobody has is of no use, and what to do.
pub(crate) const NO_ACCOUNTS: &str =
    "accounts are created by the administrator of the installation (ambit user create)";
/// Addresses of one user in an hour that nobody had, before 429.
const UNKNOWN_ADDRESSES_MAX: u32 = 200;

impl Call {
    /// Counts names that the caller wants to share something with, before it is said whether anybody has them. Only
    /// addresses count; those of the administrator of the installation do not, who reads all of them anyway, and none
    /// does where everybody may make accounts. Returns how many were counted; those that somebody has are given back.
    /// Fails where there were too many in this hour.
    pub(crate) fn count_addresses<'a>(&self, names: impl IntoIterator<Item = &'a String>) -> Result<u32> {
        let many = addresses(names);
        if many == 0 || self.caller().administrator() || self.state.open_accounts {
            return Ok(0);
        }
        let counted = self.state.addresses.count_many(self.caller().user_id(), many, UNKNOWN_ADDRESSES_MAX, self.now);
        let Some(seconds) = counted else { return Ok(many) };
        self.give_back_addresses(many);
        let message = format!(
            "In an hour a user is told of at most {UNKNOWN_ADDRESSES_MAX} addresses that nobody has: name fewer in one \
             call, or usernames, or ask the administrator of the installation, who is not bound"
        );
        Err(ApiError::with(ErrorCode::TooManyRequests, message).retry_after(seconds))
    }

    /// Somebody has so many of the addresses that were counted.
    pub(crate) fn give_back_addresses(&self, many: u32) {
        self.state.addresses.give_back(&self.caller().user_id(), many);
    }
}

/// How many names are addresses.
pub(crate) fn addresses<'a>(names: impl IntoIterator<Item = &'a String>) -> u32 {
    let many = names.into_iter().filter(|name| name.contains('@')).count();
    u32::try_from(many).unwrap_or(u32::MAX)
}
