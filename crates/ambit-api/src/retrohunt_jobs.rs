//! Jobs of rules over what is stored, in the wider API (docs/contract/hunting.md §3).

use crate::contract::{Maybe, contract};
use crate::objects::Seconds;
use serde::Serialize;

contract! {
    /// The attributes of a job; its progress is in percent.
    #[derive(Debug, Serialize)]
    pub struct RetrohuntJobAttributes {
        pub status: String,
        pub progress: f64,
        pub rules: String,
        pub corpus: String,
        pub scanned_bytes: i64,
        pub num_matches: i64,
        pub num_matches_outside_time_range: i64,
        pub num_timeouts: i64,
        pub creation_date: Seconds,
        pub start_date: Maybe<Seconds>,
        pub finish_date: Maybe<Seconds>,
        pub eta_seconds: Maybe<i64>,
        pub notification_email: Maybe<String>,
        pub time_range: Maybe<TimeRange>,
    }

    /// The seconds between which files were found that a job reports.
    #[derive(Debug, Serialize)]
    pub struct TimeRange {
        pub start: Option<i64>,
        pub end: Option<i64>,
    }

    /// What stands beside a file that a job found.
    #[derive(Debug, Serialize)]
    pub struct FoundByJob {
        pub rule_name: String,
        pub match_in_subfile: bool,
        pub snippet: Option<String>,
    }
}
