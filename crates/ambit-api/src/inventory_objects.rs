//! Domains, addresses and URLs of the wider API (docs/contract/wider.md §4), as the inventory knows them or as somebody
//! submitted them.

use crate::contract::{Maybe, contract};
use crate::files::{EngineResults, no_stats};
use crate::objects::Seconds;
use crate::votes::TotalVotes;
use serde::Serialize;
use serde_json::{Map, Value};

contract! {
    /// The attributes of an object of the inventory. `url` and `last_final_url` are those of a URL.
    #[derive(Debug, Serialize)]
    pub struct InventoryObjectAttributes {
        pub tags: Vec<String>,
        pub first_seen_date: Seconds,
        pub last_modification_date: Seconds,
        pub reputation: i64,
        pub last_analysis_stats: Map<String, Value>,
        pub last_analysis_results: EngineResults,
        pub total_votes: TotalVotes,
        pub url: Maybe<String>,
        pub last_final_url: Maybe<String>,
    }

    /// The attributes of a URL that somebody submitted.
    #[derive(Debug, Serialize)]
    pub struct SubmittedUrlAttributes {
        pub url: String,
        pub last_final_url: String,
        pub first_submission_date: Seconds,
        pub last_submission_date: Seconds,
        pub times_submitted: i64,
        pub last_analysis_stats: Map<String, Value>,
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

impl InventoryObjectAttributes {
    /// Returns what is known of an object of the inventory; `url` is that of a URL.
    pub fn new(tags: Vec<String>, first_seen: Seconds, last_seen: Seconds, url: Option<&str>) -> Self {
        Self {
            tags,
            first_seen_date: first_seen,
            last_modification_date: last_seen,
            reputation: 0,
            last_analysis_stats: no_stats(),
            last_analysis_results: Map::new(),
            total_votes: TotalVotes::default(),
            url: Maybe(url.map(str::to_owned)),
            last_final_url: Maybe(url.map(str::to_owned)),
        }
    }
}

impl SubmittedUrlAttributes {
    /// Returns what is known of a URL that was submitted so often, first and last at these moments.
    pub fn new(url: &str, first: Seconds, last: Seconds, times_submitted: i64) -> Self {
        Self {
            url: url.to_owned(),
            last_final_url: url.to_owned(),
            first_submission_date: first,
            last_submission_date: last,
            times_submitted,
            last_analysis_stats: no_stats(),
            last_analysis_results: Map::new(),
            total_votes: TotalVotes::default(),
            reputation: 0,
            tags: Vec::new(),
        }
    }
}
