//! Receivers of notifications and their deliveries on the wire. Ours: the contract shows neither.

use crate::contract::{Maybe, contract};
use crate::request::{Name, Text, UuidText};
use crate::words::Word;
use ambit_model::Timestamp;
use ambit_model::notification::{Channel, DeliveryState, Digest, EventKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use uuid::Uuid;

/// Characters of a search string.
const QUERY_CHARS_MAX: usize = 4_000;
/// Characters of a target or token.
const TARGET_CHARS_MAX: usize = 2_000;

contract! {
    /// A receiver of notifications: its rules and its times. Of its target only the parts that are not secret are
    /// shown.
    #[derive(Debug, Serialize)]
    pub struct Receiver {
        pub id: i64,
        pub uuid: Uuid,
        pub name: String,
        pub channel: Word<Channel>,
        pub target: String,
        pub events: Vec<Word<EventKind>>,
        pub query: Option<String>,
        pub collection_uuid: Option<Uuid>,
        pub digest: Word<Digest>,
        pub quiet_hours: Option<String>,
        pub time_zone: String,
        pub heartbeat: bool,
        /// Why nothing is sent to it any more.
        pub ended: Option<String>,
        pub failing_since: Option<Timestamp>,
        pub project_id: i64,
        pub project_uuid: Uuid,
        pub created_at: Timestamp,
        pub created_by_email: Option<String>,
    }

    /// A fresh receiver; what verifies its signatures is given this once.
    #[derive(Debug, Serialize)]
    pub struct MadeReceiver {
        pub receiver: Receiver,
        /// Of a webhook: the shared secret.
        pub signing_secret: Option<String>,
        /// Of a webhook that is signed with a private key: the public one.
        pub public_key: Option<String>,
    }

    /// The body that makes one.
    #[derive(Debug, Deserialize)]
    pub struct NewReceiver {
        pub name: Maybe<Name>,
        pub channel: Word<Channel>,
        /// A URL, an address, a host and port, or the integration key of PagerDuty.
        pub target: Text<TARGET_CHARS_MAX>,
        /// Of Splunk.
        pub token: Maybe<Text<TARGET_CHARS_MAX>>,
        /// Of syslog: json, cef or ocsf.
        pub format: Maybe<Text>,
        /// Sign a webhook with a private key (ed25519) in place of a shared secret.
        pub asymmetric: Maybe<bool>,
        pub events: Maybe<Vec<Word<EventKind>>>,
        pub query: Maybe<Text<QUERY_CHARS_MAX>>,
        pub collection_uuid: Maybe<UuidText>,
        pub digest: Maybe<Word<Digest>>,
        pub quiet_hours: Maybe<Text>,
        pub time_zone: Maybe<Text>,
        pub heartbeat: Maybe<bool>,
    }

    /// A delivery: what is or was sent, and how that went.
    #[derive(Debug, Serialize)]
    pub struct Delivery {
        pub uuid: Uuid,
        /// The sort of its event, or `digest`.
        #[serde(rename = "type")]
        pub kind: &'static str,
        pub state: Word<DeliveryState>,
        pub attempts: i64,
        /// When it is tried next; of one that ended, when it was tried last.
        pub due_at: Timestamp,
        /// What the receiver answered last, or why there was no answer.
        pub answer: Option<String>,
        pub created_at: Timestamp,
        pub ended_at: Option<Timestamp>,
        /// How many events of each sort it tells of.
        pub counts: BTreeMap<String, i64>,
        /// The titles of the first events.
        pub titles: Vec<String>,
    }

    /// The body that sends again: one delivery, or all that failed.
    #[derive(Debug, Deserialize)]
    pub struct Replay {
        pub delivery_uuid: Maybe<UuidText>,
    }

    /// How many deliveries are sent again.
    #[derive(Debug, Serialize)]
    pub struct Replayed {
        pub deliveries: i64,
    }

    /// A delivery that was asked for.
    #[derive(Debug, Serialize)]
    pub struct Asked {
        pub delivery_uuid: Uuid,
    }
}
