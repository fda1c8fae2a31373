//! Votes on objects of the wider API (docs/contract/wider.md §6.2).

use crate::contract::contract;
use crate::objects::Seconds;
use serde::Serialize;

contract! {
    /// The attributes of a vote: its value is 1 for harmless and -1 for malicious.
    #[derive(Debug, Serialize)]
    pub struct VoteAttributes {
        pub date: Seconds,
        pub verdict: String,
        pub value: i64,
    }

    /// How many users voted which way.
    #[derive(Clone, Copy, Debug, Default, Serialize)]
    pub struct TotalVotes {
        pub harmless: usize,
        pub malicious: usize,
    }
}
