//! Files, submissions and analyses of the wider API (docs/contract/wider.md §3).

use crate::contract::{Maybe, contract};
use crate::objects::{Object, Seconds};
use crate::votes::TotalVotes;
use serde::Serialize;
use serde_json::{Map, Value};

/// The results of the engines, by engine.
pub type EngineResults = Map<String, Value>;

contract! {
    /// The attributes of a file. One that somebody submitted has the dates of its submissions, one that a run
    /// discovered the date on which it was first seen.
    #[derive(Debug, Default, Serialize)]
    pub struct FileAttributes {
        pub sha256: String,
        pub sha1: String,
        pub md5: String,
        pub size: i64,
        pub names: Vec<String>,
        pub times_submitted: i64,
        pub first_submission_date: Maybe<Seconds>,
        pub last_submission_date: Maybe<Seconds>,
        pub first_seen_date: Maybe<Seconds>,
        pub last_analysis_stats: Stats,
        pub last_analysis_results: EngineResults,
        pub reputation: i64,
        pub total_votes: TotalVotes,
        pub tags: Vec<String>,
        pub last_analysis_date: Maybe<Seconds>,
        pub last_modification_date: Maybe<Seconds>,
        pub unique_sources: Maybe<usize>,
        pub type_tag: Maybe<String>,
        pub type_description: Maybe<&'static str>,
        pub type_extension: Maybe<&'static str>,
        /// The type in the words of the tool `file`, as far as the first bytes tell.
        pub magic: Maybe<&'static str>,
        pub type_tags: Vec<&'static str>,
        pub meaningful_name: Maybe<String>,
        /// Who sees a file that somebody uploaded: `installation`, or `project`: the people of one.
        pub visibility: Maybe<&'static str>,
    }

    /// The number of engines by result; the last three exist for files only.
    #[derive(Debug, Default, Serialize)]
    pub struct Stats {
        pub malicious: usize,
        pub suspicious: usize,
        pub undetected: usize,
        pub harmless: usize,
        pub timeout: usize,
        #[serde(rename = "confirmed-timeout")]
        pub confirmed_timeout: Maybe<usize>,
        pub failure: Maybe<usize>,
        #[serde(rename = "type-unsupported")]
        pub type_unsupported: Maybe<usize>,
    }

    /// The attributes of a submission. A source has a name that says nothing but whether two are the same.
    #[derive(Debug, Serialize)]
    pub struct SubmissionAttributes {
        pub date: Seconds,
        pub interface: &'static str,
        pub source_key: String,
        pub name: Maybe<String>,
    }

    /// The attributes of an analysis.
    #[derive(Debug, Serialize)]
    pub struct AnalysisAttributes {
        pub date: Seconds,
        pub status: &'static str,
        pub stats: Stats,
        pub results: EngineResults,
    }

    /// The subject of an analysis.
    #[derive(Clone, Debug, Default, PartialEq, Serialize)]
    pub struct AnalysisMeta {
        pub file_info: Maybe<AnalysedFile>,
        pub url_info: Maybe<AnalysedUrl>,
    }

    /// The file that was analysed.
    #[derive(Clone, Debug, Default, PartialEq, Serialize)]
    pub struct AnalysedFile {
        pub sha256: String,
        pub sha1: String,
        pub md5: String,
        pub size: i64,
    }

    /// The URL that was analysed.
    #[derive(Clone, Debug, Default, PartialEq, Serialize)]
    pub struct AnalysedUrl {
        pub id: String,
        pub url: String,
    }

    /// The answer that is an analysis.
    #[derive(Debug, Serialize)]
    pub struct AnalysisAnswer {
        pub data: Object,
        pub meta: AnalysisMeta,
    }

    /// The context of a file in a feed.
    #[derive(Debug, Serialize)]
    pub struct FeedContext {
        pub download_url: String,
        pub submitter: Submitter,
    }

    /// How a file was submitted.
    #[derive(Debug, Serialize)]
    pub struct Submitter {
        pub method: &'static str,
    }
}

impl Stats {
    /// Returns the figures of a domain, an address or a URL.
    pub fn of_object(results: &EngineResults) -> Self {
        Self {
            confirmed_timeout: Maybe(None),
            failure: Maybe(None),
            type_unsupported: Maybe(None),
            ..Self::of(results)
        }
    }

    /// Returns the figures of a file from results as analyses keep them.
    pub fn of(results: &EngineResults) -> Self {
        let count = |name: &str| results.values().filter(|one| one["category"] == name).count();
        Self {
            malicious: count("malicious"),
            suspicious: count("suspicious"),
            undetected: count("undetected"),
            harmless: count("harmless"),
            timeout: count("timeout"),
            confirmed_timeout: Maybe(Some(count("confirmed-timeout"))),
            failure: Maybe(Some(count("failure"))),
            type_unsupported: Maybe(Some(count("type-unsupported"))),
        }
    }
}
