//! Operations of the wider API (docs/contract/wider.md §6.4): what was asked for many objects at once.

use crate::contract::{Maybe, contract};
use crate::objects::Seconds;
use serde::Serialize;

contract! {
    /// The attributes of an operation.
    #[derive(Debug, Serialize)]
    pub struct OperationAttributes {
        pub status: String,
        pub kind: String,
        pub objects: i64,
        pub start_date: Seconds,
        pub finish_date: Maybe<Seconds>,
    }
}
