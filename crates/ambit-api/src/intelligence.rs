//! Intelligence search of the wider API (docs/contract/wider.md §5.1).

use crate::contract::contract;
use serde::Serialize;

contract! {
    /// What stands beside a file in which a search found bytes. `snippet` is a token for what stands around them.
    #[derive(Debug, Serialize)]
    pub struct FoundByContent {
        pub confidence: i64,
        pub match_in_subfile: bool,
        pub snippet: String,
    }
}
