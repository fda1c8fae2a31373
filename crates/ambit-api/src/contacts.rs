//! The ledger of contacts on the wire: what was sent to an address, and by which run. Ours.

use crate::contract::contract;
use ambit_model::Timestamp;
use serde::Serialize;
use uuid::Uuid;

contract! {
    /// What one run sent to one address within some seconds.
    #[derive(Clone, Debug, Serialize)]
    pub struct Contact {
        pub from: Timestamp,
        pub to: Timestamp,
        pub collection_uuid: Uuid,
        /// The number of the run in its collection.
        pub run: i64,
        pub address: String,
        pub tcp: Vec<i64>,
        pub udp: Vec<i64>,
        /// Connections, datagrams and requests.
        pub contacts: u64,
    }

    /// What was sent to an address, as far as the caller may know.
    #[derive(Debug, Serialize)]
    pub struct Contacts {
        /// Since when the ledger of this server knows; null where it has no contact yet.
        pub since: Option<Timestamp>,
        /// The oldest first.
        pub contacts: Vec<Contact>,
        /// There are more; ask for a narrower time or block.
        pub more: bool,
    }
}
