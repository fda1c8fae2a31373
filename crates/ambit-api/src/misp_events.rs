//! Events of MISP on the wire (docs/contract/wider.md §6.3), as its export module sends them.

use crate::contract::contract;
use serde::Deserialize;
use serde_json::{Map, Value};

contract! {
    /// An event with its attributes and objects; of its many members few are read.
    #[derive(Debug, Deserialize)]
    pub struct NewMispEvent {
        #[serde(rename = "Event")]
        pub event: Map<String, Value>,
    }
}
