//! What begins with the same characters of a uid. Ours.

use crate::contract::contract;
use ambit_model::Uid;
use serde::Serialize;

contract! {
    /// A record and the name that people know it by.
    #[derive(Debug, Serialize)]
    pub struct Named as "NamedUid" {
        pub uid: Uid,
        pub name: String,
    }
}
