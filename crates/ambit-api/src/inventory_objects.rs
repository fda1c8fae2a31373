//! Domains, addresses and URLs of the wider API (docs/contract/wider.md §4), as the inventory knows them or as somebody
//! submitted them.

use crate::contract::{Maybe, contract};
use crate::files::{EngineResults, Stats};
use crate::objects::Seconds;
use crate::votes::TotalVotes;
use serde::Serialize;
use std::collections::BTreeMap;

contract! {
    /// The attributes of an object of the inventory. What is a [`Maybe`] is absent where it is not known, and where the
    /// object is of another type.
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
        pub title: Maybe<String>,
        pub last_http_response_code: Maybe<i64>,
        pub last_http_response_headers: Maybe<BTreeMap<String, String>>,
        pub redirection_chain: Maybe<Vec<String>>,
        pub last_dns_records: Maybe<Vec<DnsRecord>>,
        pub whois: Maybe<String>,
        pub registrar: Maybe<String>,
        pub creation_date: Maybe<Seconds>,
        pub expiration_date: Maybe<Seconds>,
        pub country: Maybe<String>,
        pub asn: Maybe<i64>,
        pub network: Maybe<String>,
        pub regional_internet_registry: Maybe<String>,
    }

    /// A record of the DNS of a name. Records of the type MX have a priority.
    #[derive(Debug, PartialEq, Serialize)]
    pub struct DnsRecord {
        #[serde(rename = "type")]
        pub kind: String,
        pub value: String,
        pub priority: Maybe<i64>,
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
