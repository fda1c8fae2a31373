//! Rule sets of live hunting in the wider API (docs/contract/hunting.md §1).

use crate::contract::contract;
use crate::objects::Seconds;
use serde::Serialize;

contract! {
    /// The attributes of a rule set.
    #[derive(Debug, Serialize)]
    pub struct RulesetAttributes {
        pub name: String,
        pub enabled: bool,
        pub limit: i64,
        pub rules: String,
        pub rule_names: Vec<String>,
        pub number_of_rules: usize,
        pub match_object_type: String,
        pub notification_emails: Vec<String>,
        pub tags: Vec<String>,
        pub rate_limited: bool,
        pub creation_date: Seconds,
        pub modification_date: Seconds,
    }
}
