//! Users and service accounts of the wider API (docs/contract/wider.md §2).

use crate::contract::{Maybe, contract};
use crate::objects::{Named, Seconds};
use crate::quotas::Allowance;
use serde::Serialize;
use serde_json::Value;

contract! {
    /// The attributes of an account: those that everybody sees, those for administrators of its group and itself, and
    /// those for itself alone. `apikey` is said once, when a service account is made.
    #[derive(Debug, Default, Serialize)]
    pub struct AccountAttributes {
        pub first_name: String,
        pub last_name: String,
        pub profile_phrase: String,
        pub reputation: i64,
        pub status: String,
        pub user_since: Seconds,
        pub email: Maybe<String>,
        pub last_login: Maybe<Seconds>,
        pub quotas: Maybe<Named<Allowance>>,
        pub has_2fa: Maybe<bool>,
        pub preferences: Maybe<Value>,
        pub privileges: Maybe<Named<Privilege>>,
        pub apikey: Maybe<String>,
    }

    /// A privilege, from whom it comes and until when.
    #[derive(Debug, Default, Serialize)]
    pub struct Privilege {
        pub granted: bool,
        pub expiration_date: Maybe<Seconds>,
        pub inherited_from: Maybe<String>,
        pub inherited_via: Maybe<&'static str>,
    }
}
