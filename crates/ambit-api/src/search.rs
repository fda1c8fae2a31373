//! The result of a search (docs/contract/asm.md §7), with the names of aggregations as the contract spells them.

use crate::contract::{Contract, Maybe, contract, shape_of, words};
use crate::entities::EntityHit;
use crate::issues::IssueHit;
use crate::shape::Shape;
use crate::technologies::TechnologyHit;
use serde::Serialize;
use serde_json::{Map, Value};
use std::marker::PhantomData;

/// The contract's spelling of an aggregation that everyone else spells right.
const RESPELLED: &[(&str, &str)] = &[("technology_bucket", "technolgy_bucket")];

/// The message of a search that has nothing else to say.
pub const COMPLETED: &str = "Search completed!";

/// The right spelling of an aggregation that an answer names.
pub fn neutral_name(contract: &str) -> &str {
    let found = RESPELLED.iter().find(|(_, spelled)| *spelled == contract);
    found.map_or(contract, |(right, _)| *right)
}

/// What is searched: its name, the hits, and the aggregations that are counted.
pub trait Searched {
    /// The name of the schema of a result.
    const RESULT: &'static str;
    const TYPE: SearchType;
    type Hit: Contract + Serialize;
    type Aggregations: Contract;
}

/// The `result` of a search.
#[derive(Debug, Serialize)]
#[serde(bound = "")]
pub struct SearchResult<S: Searched> {
    pub search: SearchQuery,
    pub total_hits: u64,
    pub timed_out: bool,
    pub more: bool,
    pub page: u64,
    pub page_size: u64,
    pub total_pages: u64,
    pub hits: Vec<S::Hit>,
    /// `None` where they were not wanted.
    pub aggregations: Option<Aggregations<S>>,
    pub next_page_token: Option<String>,
}

impl<S: Searched> Contract for SearchResult<S> {
    const SHAPE: &'static Shape = shape_of! {
        (S::RESULT,)
        ("search",) SearchQuery;
        ("total_hits",) u64;
        ("timed_out",) bool;
        ("more",) bool;
        ("page",) u64;
        ("page_size",) u64;
        ("total_pages",) u64;
        ("hits",) Vec<S::Hit>;
        ("aggregations",) Option<S::Aggregations>;
        ("next_page_token",) Option<String>;
    };
}

words! {
    /// What is searched.
    pub enum SearchType {
        Entities = "entities",
        Issues = "issues",
        Technologies = "technologies",
    }

    /// What a keyword may be given.
    pub enum KeywordValue {
        Text = "text",
        Number = "number",
        Boolean = "boolean",
        Time = "time",
        Kind = "kind",
        Word = "word",
    }

    /// In which order hits are sorted.
    pub enum SortDirection {
        Ascending = "asc",
        Descending = "desc",
    }
}

contract! {
    /// What was searched: the executed query in Elasticsearch form, and the text as the caller wrote it, decoded.
    #[derive(Debug, Serialize)]
    pub struct SearchQuery {
        pub search_body: Map<String, Value>,
        pub search_string: String,
        pub search_type: SearchType,
        pub sort_direction: SortDirection,
        pub sort_field: String,
        pub group_by_field: Option<String>,
    }

    /// A keyword of the search language (docs/search.md). Ours.
    #[derive(Debug, Serialize)]
    pub struct SearchKeyword {
        pub keyword: &'static str,
        pub searches: Vec<SearchType>,
        pub value: KeywordValue,
        /// The least and the most that a number may be.
        pub min: Option<i64>,
        pub max: Option<i64>,
        /// The words of which a value is one; otherwise empty.
        pub words: Vec<&'static str>,
        pub meaning: &'static str,
    }

    /// One value of an aggregation, with the number of hits that have it.
    #[derive(Debug, Serialize)]
    pub struct Bucket {
        pub key: Value,
        pub doc_count: u64,
        pub key_as_string: Maybe<String>,
    }

    /// The values of a member, the most frequent first, with the hits beyond those that are listed.
    #[derive(Debug, Serialize)]
    pub struct TermsAggregation {
        pub doc_count_error_upper_bound: u64,
        pub sum_other_doc_count: u64,
        pub buckets: Vec<Bucket>,
    }

    /// The sum of a number over all hits.
    #[derive(Debug, Serialize)]
    pub struct SumAggregation {
        pub value: f64,
    }

    /// What is counted of the entities that a search finds.
    #[derive(Debug, Serialize)]
    pub struct EntityAggregations {
        pub scoped_bucket: TermsAggregation,
        pub collection_bucket: TermsAggregation,
        pub entity_type_bucket: TermsAggregation,
        pub country_code_bucket: TermsAggregation,
        pub technolgy_bucket: TermsAggregation,
        pub issues_severity_1_bucket: SumAggregation,
        pub issues_severity_2_bucket: SumAggregation,
        pub issues_severity_3_bucket: SumAggregation,
        pub issues_severity_4_bucket: SumAggregation,
        pub issues_severity_5_bucket: SumAggregation,
    }

    /// What is counted of the issues that a search finds.
    #[derive(Debug, Serialize)]
    pub struct IssueAggregations {
        pub collection_bucket: TermsAggregation,
        pub confidence: TermsAggregation,
        pub issue_name_bucket: TermsAggregation,
        pub severity_bucket: TermsAggregation,
        pub status_bucket: TermsAggregation,
        pub status_new_bucket: TermsAggregation,
        pub status_detailed_bucket: TermsAggregation,
        pub ticket_list_bucket: TermsAggregation,
    }

    /// What is counted of the technologies that a search finds.
    #[derive(Debug, Serialize)]
    pub struct TechnologyAggregations {
        pub collection_bucket: TermsAggregation,
        pub vendor_bucket: TermsAggregation,
        pub product_bucket: TermsAggregation,
    }
}

macro_rules! searched {
    ($($(#[$meta:meta])* $noun:ident: $result:literal, $hit:ty, $aggregations:ty;)*) => {$(
        $(#[$meta])*
        #[derive(Debug)]
        pub enum $noun {}

        impl Searched for $noun {
            const RESULT: &'static str = $result;
            const TYPE: SearchType = SearchType::$noun;
            type Hit = $hit;
            type Aggregations = $aggregations;
        }
    )*};
}

searched! {
    Entities: "EntitySearch", EntityHit, EntityAggregations;
    Issues: "IssueSearch", IssueHit, IssueAggregations;
    Technologies: "TechnologySearch", TechnologyHit, TechnologyAggregations;
}

/// Aggregations as the index counted them, under the contract's names.
#[derive(Debug, Serialize)]
#[serde(transparent, bound = "")]
pub struct Aggregations<S: Searched>(Map<String, Value>, PhantomData<S>);

impl<S: Searched> Aggregations<S> {
    /// Gives counted aggregations, which have neutral names, the names of the contract.
    pub fn of(counted: Map<String, Value>) -> Self {
        Self(respell(counted), PhantomData)
    }
}

impl SearchQuery {
    /// The executed query in Elasticsearch form, whose aggregations have neutral names, under the names of the
    /// contract.
    pub fn body(executed: Value) -> Map<String, Value> {
        let Value::Object(mut body) = executed else { return Map::new() };
        if let Some(Value::Object(aggregations)) = body.get_mut("aggs") {
            *aggregations = respell(std::mem::take(aggregations));
        }
        body
    }
}

fn respell(aggregations: Map<String, Value>) -> Map<String, Value> {
    let contract = |name: String| {
        let found = RESPELLED.iter().find(|(right, _)| *right == name);
        found.map_or(name, |(_, contract)| (*contract).to_owned())
    };
    aggregations.into_iter().map(|(name, value)| (contract(name), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn aggregations_are_spelled_as_in_the_contract() {
        let counted = json!({"technology_bucket": {"buckets": []}, "confidence": {}});
        let shown = json!(Aggregations::<Entities>::of(counted.as_object().cloned().unwrap_or_default()));
        assert_eq!(shown, json!({"technolgy_bucket": {"buckets": []}, "confidence": {}}));
        let body = SearchQuery::body(json!({"query": {"match_all": {}}, "aggs": {"technology_bucket": {}}}));
        assert_eq!(body["aggs"], json!({"technolgy_bucket": {}}));
        assert_eq!(neutral_name("technolgy_bucket"), "technology_bucket");
    }
}
