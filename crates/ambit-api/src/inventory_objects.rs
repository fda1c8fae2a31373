//! Domains, addresses and URLs of the wider API (docs/contract/wider.md §4), as the inventory knows them or as somebody
//! submitted them.

use crate::contract::{Maybe, contract};
use crate::files::{EngineResults, Stats};
use crate::objects::Seconds;
use crate::votes::TotalVotes;
use serde::Serialize;

contract! {
    /// The attributes of an object of the inventory. `url` and `last_final_url` are those of a URL.
    #[derive(Debug, Default, Serialize)]
    pub struct InventoryObjectAttributes {
        pub tags: Vec<String>,
        pub first_seen_date: Seconds,
        pub last_modification_date: Seconds,
        pub reputation: i64,
        pub last_analysis_stats: Stats,
        pub last_analysis_results: EngineResults,
        pub total_votes: TotalVotes,
        pub url: Maybe<String>,
        pub last_final_url: Maybe<String>,
    }

    /// The attributes of a URL that somebody submitted.
    #[derive(Debug, Default, Serialize)]
    pub struct SubmittedUrlAttributes {
        pub url: String,
        pub last_final_url: String,
        pub first_submission_date: Seconds,
        pub last_submission_date: Seconds,
        pub times_submitted: i64,
        pub last_analysis_stats: Stats,
        pub last_analysis_results: EngineResults,
        pub total_votes: TotalVotes,
        pub reputation: i64,
        pub tags: Vec<String>,
    }

    /// The attributes of a name and an address that belong together.
    #[derive(Debug, Serialize)]
    pub struct ResolutionAttributes {
        pub date: Seconds,
        pub host_name: String,
        pub ip_address: String,
    }
}
