//! The aggregations of a noun as a Tantivy request, and its answer as plain counts.

use std::collections::BTreeMap;

use ambit_query::Noun;
use serde_json::{Map, Value, json};
use tantivy::aggregation::agg_req::Aggregations;
use tantivy::aggregation::agg_result::AggregationResults;
use tantivy::aggregation::{AggContextParams, AggregationCollector, AggregationLimitsGuard};
use tantivy::tokenizer::TokenizerManager;

use super::schema::column_name;
use crate::aggregations::{self, Count, Counted};

/// Distinct values counted per segment and kept for the answer: far above what inventories have of kinds, countries,
/// statuses and products, so that counts are exact and ties are broken by the key.
const VALUES_MAX: u32 = 5_000;

/// Memory of one request's counters in bytes; a request beyond it fails instead of taking the process down.
const COUNTER_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Buckets of one answer, all aggregations together.
const BUCKETS_MAX: u32 = 65_000;

pub(crate) fn collector(noun: Noun) -> AggregationCollector {
    let mut request = Map::new();
    for aggregation in aggregations::of_noun(noun) {
        let field = column_name(aggregation.member);
        let value = match aggregation.count {
            Count::Terms(_) => json!({ "terms": { "field": field, "size": VALUES_MAX, "segment_size": VALUES_MAX } }),
            Count::Sum => json!({ "sum": { "field": field } }),
        };
        request.insert(aggregation.name.to_owned(), value);
    }
    let request: Aggregations = serde_json::from_value(Value::Object(request)).expect("the table gives valid requests");
    let limits = AggregationLimitsGuard::new(Some(COUNTER_BYTES_MAX), Some(BUCKETS_MAX));
    AggregationCollector::from_aggs(request, AggContextParams::new(limits, TokenizerManager::default()))
}

/// The counts in the order of the table.
pub(crate) fn counted(noun: Noun, results: AggregationResults) -> Vec<Counted> {
    let results = serde_json::to_value(results).unwrap_or_default();
    let of = |name: &str| results.get(name).cloned().unwrap_or_default();
    aggregations::of_noun(noun)
        .iter()
        .map(|aggregation| {
            let result = of(aggregation.name);
            match aggregation.count {
                // Sums of integers, which a float holds exactly far beyond any inventory.
                Count::Sum => Counted::Sum(result["value"].as_f64().unwrap_or_default() as i64),
                Count::Terms(_) => Counted::Terms {
                    counts: counts(&result),
                    error_upper_bound: result["doc_count_error_upper_bound"].as_u64().unwrap_or_default(),
                    others: result["sum_other_doc_count"].as_u64().unwrap_or_default(),
                },
            }
        })
        .collect()
}

fn counts(result: &Value) -> BTreeMap<String, u64> {
    let buckets = result["buckets"].as_array();
    let bucket = |bucket: &Value| {
        let key = match (&bucket["key_as_string"], &bucket["key"]) {
            (Value::String(text), _) | (_, Value::String(text)) => text.clone(),
            (_, Value::Number(number)) => number.as_f64().map_or_else(|| number.to_string(), |key| format!("{key}")),
            (_, other) => other.to_string(),
        };
        (key, bucket["doc_count"].as_u64().unwrap_or_default())
    };
    buckets.into_iter().flatten().map(bucket).collect()
}
