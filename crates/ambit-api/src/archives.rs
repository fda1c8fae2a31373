//! Archives of files in the wider API (docs/contract/wider.md §5.2).

use crate::contract::contract;
use serde::Serialize;

contract! {
    /// The attributes of an archive; its progress is between 0 and 1.
    #[derive(Debug, Serialize)]
    pub struct ArchiveAttributes {
        pub status: &'static str,
        pub progress: f64,
        pub files_ok: i64,
        pub files_error: i64,
    }
}
