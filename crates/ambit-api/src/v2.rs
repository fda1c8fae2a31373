//! The flat bodies of version 2 (docs/contract/wider.md §8). A `response_code` is 1 for what was found, 0 for what is
//! not known, and -1 for what cannot be a name of anything.

use crate::contract::{Maybe, contract};
use crate::objects::{Named, Seconds};
use ambit_model::Timestamp;
use ambit_model::moment::SECOND_MS;
use serde::Serialize;
use serde_json::Value;

/// A URL as the older version lists it: itself, its SHA-256, how many engines found something and how many looked, and
/// when.
pub type ListedUrl = (String, String, i64, i64, Option<String>);

contract! {
    /// The answer about something that is not there, or is nothing.
    #[derive(Debug, Serialize)]
    pub struct Without {
        pub response_code: i64,
        pub resource: String,
        pub verbose_msg: String,
    }

    /// The answer to what was done.
    #[derive(Debug, Serialize)]
    pub struct Done {
        pub response_code: i64,
        pub verbose_msg: &'static str,
    }

    /// What an engine said.
    #[derive(Debug, PartialEq, Serialize)]
    pub struct Scan {
        pub detected: bool,
        pub version: Value,
        pub result: Value,
        pub update: Value,
    }

    /// How many engines found something, how many looked, and what each said.
    #[derive(Debug, Serialize)]
    pub struct Verdicts {
        pub positives: usize,
        pub total: usize,
        pub scans: Named<Scan>,
    }

    /// What is said of a file only where everything is asked for.
    #[derive(Debug, Serialize)]
    pub struct FileDetails {
        pub size: i64,
        #[serde(rename = "type")]
        pub kind: Option<String>,
        pub submission_names: Vec<String>,
        pub times_submitted: i64,
        pub first_seen: Option<String>,
        pub last_seen: Option<String>,
    }

    /// Where files are uploaded.
    #[derive(Debug, Serialize)]
    pub struct UploadUrl {
        pub upload_url: String,
    }

    /// When somebody submitted a file, and under which name.
    #[derive(Debug, Serialize)]
    pub struct Submission {
        pub date: String,
        pub interface: &'static str,
        pub filename: Option<String>,
        pub source_key: String,
    }

    /// The submissions of a file.
    #[derive(Debug, Serialize)]
    pub struct Submissions {
        pub response_code: i64,
        pub resource: String,
        pub sha256: String,
        pub submissions: Vec<Submission>,
    }

    /// The hashes that a search found, and where it goes on.
    #[derive(Debug, Serialize)]
    pub struct FoundFiles {
        pub response_code: i64,
        pub verbose_msg: &'static str,
        pub hashes: Vec<String>,
        pub offset: Maybe<String>,
    }

    /// A name and an address that belonged together, and when that was last seen.
    #[derive(Debug, Serialize)]
    pub struct Resolution {
        pub last_resolved: Option<String>,
        pub ip_address: Maybe<String>,
        pub hostname: Maybe<String>,
    }

    /// A comment; its date is the token of the comments before it.
    #[derive(Debug, Serialize)]
    pub struct Comment {
        pub date: String,
        pub comment: String,
    }

    /// The comments on something.
    #[derive(Debug, Serialize)]
    pub struct Comments {
        pub response_code: i64,
        pub verbose_msg: &'static str,
        pub resource: String,
        pub comments: Vec<Comment>,
    }
}

/// What is known of a file; of one that is to be analysed neither a date nor what engines said.
#[derive(Debug, Default, Serialize)]
pub struct FileReport {
    pub response_code: i64,
    pub verbose_msg: &'static str,
    pub resource: String,
    pub scan_id: String,
    pub md5: String,
    pub sha1: String,
    pub sha256: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scan_date: Option<Option<String>>,
    pub permalink: String,
    #[serde(flatten)]
    pub verdicts: Option<Verdicts>,
    #[serde(flatten)]
    pub details: Option<FileDetails>,
}

/// What is known of a URL; of one that was just submitted only that.
#[derive(Debug, Default, Serialize)]
pub struct UrlReport {
    pub response_code: i64,
    pub verbose_msg: &'static str,
    pub resource: String,
    pub url: String,
    pub scan_id: String,
    pub scan_date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filescan_id: Option<()>,
    pub permalink: String,
    #[serde(flatten)]
    pub verdicts: Option<Verdicts>,
}

/// What is known of a domain or an address; only domains have names below them.
#[derive(Debug, Serialize)]
pub struct HostReport {
    pub response_code: i64,
    pub verbose_msg: &'static str,
    pub resolutions: Vec<Resolution>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subdomains: Option<Vec<String>>,
    pub detected_urls: [ListedUrl; 0],
    pub undetected_urls: Vec<ListedUrl>,
}

/// Returns a moment as `YYYY-MM-DD HH:MM:SS`.
pub fn stamp(Seconds(seconds): Seconds) -> String {
    let text = Timestamp(seconds.saturating_mul(SECOND_MS)).to_string();
    format!("{} {}", &text[..10], &text[11..19])
}

impl Without {
    /// Returns the answer about a resource of which nothing can be said, and why.
    pub fn new(response_code: i64, resource: &str, message: &str) -> Self {
        Self { response_code, resource: resource.to_owned(), verbose_msg: message.to_owned() }
    }
}

impl Verdicts {
    /// Returns what engines said, from results as analyses keep them.
    pub fn of(results: &crate::files::EngineResults) -> Self {
        let scan = |result: &Value| Scan {
            detected: ["malicious", "suspicious"].iter().any(|name| &result["category"] == name),
            version: result["engine_version"].clone(),
            result: result["result"].clone(),
            update: result["engine_update"].clone(),
        };
        let scans: Named<Scan> = results.iter().map(|(engine, result)| (engine.clone(), scan(result))).collect();
        let positives = scans.0.iter().filter(|(_, scan)| scan.detected).count();
        Self { positives, total: scans.0.len(), scans }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::value;
    use serde_json::{Map, json};

    #[test]
    fn what_engines_said_is_counted() {
        let results = json!({
            "one": {"category": "malicious", "engine_version": "1", "result": "bad", "engine_update": "20260131"},
            "two": {"category": "undetected", "engine_version": "2", "result": null, "engine_update": "20260131"},
        });
        let found = Verdicts::of(results.as_object().unwrap());
        assert_eq!((found.positives, found.total), (1, 2));
        let shown = json!({"detected": true, "version": "1", "result": "bad", "update": "20260131"});
        assert_eq!(value(&found)["scans"]["one"], shown);
        assert_eq!(Verdicts::of(&Map::new()).total, 0);
    }

    #[test]
    fn moments_are_written_without_a_zone() {
        assert_eq!(stamp(Seconds(1_769_860_800)), "2026-01-31 12:00:00");
    }
}
