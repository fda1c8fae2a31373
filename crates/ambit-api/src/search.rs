//! The result of a search (docs/contract/asm.md §7), with the names of aggregations as the contract spells them.

use crate::entities::ENTITY_HIT;
use crate::issues::ISSUE_HIT;
use crate::shape::{ANY, BOOLEAN, INTEGER, NUMBER, Object, Shape, TEXT, TEXT_OR_NULL, member, optional};
use crate::technologies::TECHNOLOGY_HIT;
use serde_json::{Map, Value, json};

/// The contract's spelling of an aggregation that everyone else spells right.
const RESPELLED: &[(&str, &str)] = &[("technology_bucket", "technolgy_bucket")];

/// The message of a search that has nothing else to say.
pub const COMPLETED: &str = "Search completed!";

/// The right spelling of an aggregation that an answer names.
pub fn neutral_name(contract: &str) -> &str {
    let found = RESPELLED.iter().find(|(_, spelled)| *spelled == contract);
    found.map_or(contract, |(right, _)| *right)
}

/// One page of a search, ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchPage {
    pub search: Query,
    pub total_hits: u64,
    pub timed_out: bool,
    pub more: bool,
    pub page: u64,
    pub page_size: u64,
    pub total_pages: u64,
    pub hits: Vec<Value>,
    /// By neutral names; `None` where they were not wanted.
    pub aggregations: Option<Map<String, Value>>,
    pub next_page_token: Option<String>,
}

/// What was searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The executed query in Elasticsearch form.
    pub body: Value,
    /// As the caller wrote it, decoded.
    pub text: String,
    /// `entities`, `issues`, `technologies`.
    pub noun: &'static str,
    pub sort_field: String,
    pub descending: bool,
}

/// The `result` of a search.
pub fn search_result(page: SearchPage) -> Value {
    let mut body = page.search.body;
    if let Some(Value::Object(aggregations)) = body.get_mut("aggs") {
        *aggregations = respell(std::mem::take(aggregations));
    }
    json!({
        "search": {
            "search_body": body,
            "search_string": page.search.text,
            "search_type": page.search.noun,
            "sort_direction": if page.search.descending { "desc" } else { "asc" },
            "sort_field": page.search.sort_field,
            "group_by_field": null,
        },
        "total_hits": page.total_hits,
        "timed_out": page.timed_out,
        "more": page.more,
        "page": page.page,
        "page_size": page.page_size,
        "total_pages": page.total_pages,
        "hits": page.hits,
        "aggregations": page.aggregations.map(respell),
        "next_page_token": page.next_page_token,
    })
}

fn respell(aggregations: Map<String, Value>) -> Map<String, Value> {
    let contract = |name: String| {
        let found = RESPELLED.iter().find(|(right, _)| *right == name);
        found.map_or(name, |(_, contract)| (*contract).to_owned())
    };
    aggregations.into_iter().map(|(name, value)| (contract(name), value)).collect()
}

static QUERY: Shape = Shape::Object(&Object {
    name: "SearchQuery",
    members: &[
        member("search_body", &Shape::Map(ANY)),
        member("search_string", TEXT),
        member("search_type", &Shape::OneOf(&["entities", "issues", "technologies"])),
        member("sort_direction", &Shape::OneOf(&["asc", "desc"])),
        member("sort_field", TEXT),
        member("group_by_field", TEXT_OR_NULL),
    ],
    open: false,
});

static BUCKET: Shape = Shape::Object(&Object {
    name: "Bucket",
    members: &[member("key", ANY), member("doc_count", INTEGER), optional("key_as_string", TEXT)],
    open: false,
});

static TERMS: Shape = Shape::Object(&Object {
    name: "TermsAggregation",
    members: &[
        member("doc_count_error_upper_bound", INTEGER),
        member("sum_other_doc_count", INTEGER),
        member("buckets", &Shape::List(&BUCKET)),
    ],
    open: false,
});

static SUM: Shape = Shape::Object(&Object {
    name: "SumAggregation",
    members: &[member("value", NUMBER)],
    open: false,
});

static ENTITY_AGGREGATIONS: Shape = Shape::Object(&Object {
    name: "EntityAggregations",
    members: &[
        member("scoped_bucket", &TERMS),
        member("collection_bucket", &TERMS),
        member("entity_type_bucket", &TERMS),
        member("country_code_bucket", &TERMS),
        member("technolgy_bucket", &TERMS),
        member("issues_severity_1_bucket", &SUM),
        member("issues_severity_2_bucket", &SUM),
        member("issues_severity_3_bucket", &SUM),
        member("issues_severity_4_bucket", &SUM),
        member("issues_severity_5_bucket", &SUM),
    ],
    open: false,
});

static ISSUE_AGGREGATIONS: Shape = Shape::Object(&Object {
    name: "IssueAggregations",
    members: &[
        member("collection_bucket", &TERMS),
        member("confidence", &TERMS),
        member("issue_name_bucket", &TERMS),
        member("severity_bucket", &TERMS),
        member("status_bucket", &TERMS),
        member("status_new_bucket", &TERMS),
        member("status_detailed_bucket", &TERMS),
        member("ticket_list_bucket", &TERMS),
    ],
    open: false,
});

static TECHNOLOGY_AGGREGATIONS: Shape = Shape::Object(&Object {
    name: "TechnologyAggregations",
    members: &[
        member("collection_bucket", &TERMS),
        member("vendor_bucket", &TERMS),
        member("product_bucket", &TERMS),
    ],
    open: false,
});

/// The result of a search over technologies.
pub static TECHNOLOGY_SEARCH: Shape = Shape::Object(&Object {
    name: "TechnologySearch",
    members: &[
        member("search", &QUERY),
        member("total_hits", INTEGER),
        member("timed_out", BOOLEAN),
        member("more", BOOLEAN),
        member("page", INTEGER),
        member("page_size", INTEGER),
        member("total_pages", INTEGER),
        member("hits", &Shape::List(&TECHNOLOGY_HIT)),
        member("aggregations", &Shape::OrNull(&TECHNOLOGY_AGGREGATIONS)),
        member("next_page_token", TEXT_OR_NULL),
    ],
    open: false,
});

/// The result of a search over entities.
pub static ENTITY_SEARCH: Shape = Shape::Object(&Object {
    name: "EntitySearch",
    members: &[
        member("search", &QUERY),
        member("total_hits", INTEGER),
        member("timed_out", BOOLEAN),
        member("more", BOOLEAN),
        member("page", INTEGER),
        member("page_size", INTEGER),
        member("total_pages", INTEGER),
        member("hits", &Shape::List(&ENTITY_HIT)),
        member("aggregations", &Shape::OrNull(&ENTITY_AGGREGATIONS)),
        member("next_page_token", TEXT_OR_NULL),
    ],
    open: false,
});

/// The result of a search over issues.
pub static ISSUE_SEARCH: Shape = Shape::Object(&Object {
    name: "IssueSearch",
    members: &[
        member("search", &QUERY),
        member("total_hits", INTEGER),
        member("timed_out", BOOLEAN),
        member("more", BOOLEAN),
        member("page", INTEGER),
        member("page_size", INTEGER),
        member("total_pages", INTEGER),
        member("hits", &Shape::List(&ISSUE_HIT)),
        member("aggregations", &Shape::OrNull(&ISSUE_AGGREGATIONS)),
        member("next_page_token", TEXT_OR_NULL),
    ],
    open: false,
});

#[cfg(test)]
mod tests {
    use super::*;

    fn page(noun: &'static str, aggregations: Value) -> Value {
        search_result(SearchPage {
            search: Query {
                body: json!({"query": {"match_all": {}}, "aggs": {"technology_bucket": {}}}),
                text: "collection:a".to_owned(),
                noun,
                sort_field: "last_seen".to_owned(),
                descending: false,
            },
            total_hits: 0,
            timed_out: false,
            more: false,
            page: 0,
            page_size: 50,
            total_pages: 0,
            hits: vec![],
            aggregations: aggregations.as_object().cloned(),
            next_page_token: None,
        })
    }

    #[test]
    fn aggregations_are_spelled_as_in_the_contract() {
        let terms = json!({"doc_count_error_upper_bound": 0, "sum_other_doc_count": 0, "buckets": [{"key": "true", "doc_count": 2}]});
        let sum = json!({"value": 0});
        let value = page(
            "entities",
            json!({
                "scoped_bucket": terms, "collection_bucket": terms, "entity_type_bucket": terms, "country_code_bucket": terms,
                "technology_bucket": terms, "issues_severity_1_bucket": sum, "issues_severity_2_bucket": sum, "issues_severity_3_bucket": sum,
                "issues_severity_4_bucket": sum, "issues_severity_5_bucket": sum,
            }),
        );
        assert_eq!(ENTITY_SEARCH.differences(&value), Vec::<String>::new());
        assert_eq!(value["search"]["search_body"]["aggs"], json!({"technolgy_bucket": {}}));
        assert_eq!(value["aggregations"]["technolgy_bucket"]["buckets"][0]["doc_count"], 2);
    }

    #[test]
    fn a_missing_aggregation_is_noticed() {
        let missing = ISSUE_SEARCH.differences(&page("issues", json!({})));
        assert_eq!(missing.len(), 8, "{missing:?}");
    }
}
