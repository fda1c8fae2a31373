//! What live rules found, in the wider API (docs/contract/hunting.md §2): as notifications, beside files, and as
//! entries of the stream of indicators.

use crate::contract::{Maybe, contract};
use crate::objects::Seconds;
use serde::Serialize;

contract! {
    /// The attributes of a notification.
    #[derive(Debug, Serialize)]
    pub struct NotificationAttributes {
        pub date: Seconds,
        pub match_in_subfile: bool,
        pub ruleset_id: String,
        pub ruleset_name: String,
        pub rule_name: String,
        pub rule_tags: Vec<String>,
        pub tags: Vec<String>,
        pub snippet: Maybe<String>,
    }

    /// The context of a file that a rule matched.
    #[derive(Debug, Serialize)]
    pub struct FoundByRule {
        pub match_in_subfile: bool,
        pub notification_date: Seconds,
        pub notification_id: String,
        pub notification_snippet: Option<String>,
        pub notification_tags: Vec<String>,
        pub ruleset_id: String,
        pub ruleset_name: String,
        pub rule_name: String,
        pub rule_tags: Vec<String>,
    }

    /// Where an entry of the stream comes from.
    #[derive(Debug, Serialize)]
    pub struct StreamSource {
        #[serde(rename = "type")]
        pub kind: &'static str,
        pub id: String,
        pub label: String,
    }

    /// What a rule found in a file of the stream.
    #[derive(Debug, Serialize)]
    pub struct HuntingInfo {
        pub match_in_subfile: bool,
        pub rule_name: String,
        pub rule_tags: Vec<String>,
        pub snippet: Option<String>,
    }
}

/// The attributes of an entry of the stream, common to all types.
#[derive(Debug, Serialize)]
pub struct StreamEntry {
    pub notification_date: Seconds,
    pub origin: &'static str,
    pub sources: Vec<StreamSource>,
    pub tags: Vec<String>,
}

/// The context of a file in the stream of indicators.
#[derive(Debug, Serialize)]
pub struct StreamContext {
    pub notification_id: String,
    #[serde(flatten)]
    pub entry: StreamEntry,
    pub hunting_info: HuntingInfo,
}

/// The attributes of an entry of the stream.
#[derive(Debug, Serialize)]
pub struct StreamAttributes {
    pub hunting_info: HuntingInfo,
    #[serde(flatten)]
    pub entry: StreamEntry,
    pub entity_type: &'static str,
    pub entity_id: String,
}
