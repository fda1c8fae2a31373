//! What is counted beside the hits: the aggregations of the contract, by neutral names (the server spells its
//! oddities). Any engine fills them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use ambit_query::Noun;
use serde_json::{Map, Value, json};

/// What one aggregation computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Count {
    /// The most frequent values, with this many buckets.
    Terms(usize),
    /// The sum of an integer.
    Sum,
}

/// One aggregation: its name, the member it reads, what it computes.
#[derive(Debug)]
pub(crate) struct Aggregation {
    pub(crate) name: &'static str,
    pub(crate) member: &'static str,
    pub(crate) count: Count,
}

const fn terms(name: &'static str, member: &'static str, buckets: usize) -> Aggregation {
    Aggregation {
        name,
        member,
        count: Count::Terms(buckets),
    }
}

const fn sum(name: &'static str, member: &'static str) -> Aggregation {
    Aggregation {
        name,
        member,
        count: Count::Sum,
    }
}

static OF_ENTITIES: &[Aggregation] = &[
    terms("scoped_bucket", "summary.scoped", 2),
    terms("collection_bucket", "collection_uuid", 10),
    terms("entity_type_bucket", "type", 50),
    terms("country_code_bucket", "summary.geolocation.country_code", 50),
    terms("technology_bucket", "summary.technology.technologies", 50),
    sum("issues_severity_1_bucket", "summary.issues.current_by_severity.1"),
    sum("issues_severity_2_bucket", "summary.issues.current_by_severity.2"),
    sum("issues_severity_3_bucket", "summary.issues.current_by_severity.3"),
    sum("issues_severity_4_bucket", "summary.issues.current_by_severity.4"),
    sum("issues_severity_5_bucket", "summary.issues.current_by_severity.5"),
];

static OF_ISSUES: &[Aggregation] = &[
    terms("collection_bucket", "collection_uuid", 10),
    terms("confidence", "summary.confidence", 3),
    terms("issue_name_bucket", "name", 10),
    terms("severity_bucket", "summary.severity", 5),
    terms("status_bucket", "summary.status", 13),
    terms("status_new_bucket", "summary.status_new", 10),
    terms("status_detailed_bucket", "summary.status_new_detailed", 13),
    terms("ticket_list_bucket", "summary.ticket_list", 50),
];

static OF_TECHNOLOGIES: &[Aggregation] = &[
    terms("collection_bucket", "collection_uuid", 10),
    terms("vendor_bucket", "vendor", 10),
    terms("product_bucket", "product", 10),
];

/// The aggregations of a noun, in the order of the answer.
pub(crate) fn of_noun(noun: Noun) -> &'static [Aggregation] {
    match noun {
        Noun::Entities => OF_ENTITIES,
        Noun::Issues => OF_ISSUES,
        Noun::Technologies => OF_TECHNOLOGIES,
    }
}

/// What an engine counted: for terms every value with its count, for sums one number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Counted {
    Terms {
        counts: BTreeMap<String, u64>,
        error_upper_bound: u64,
        others: u64,
    },
    Sum(i64),
}

/// The `aggregations` of an answer. `collection_name` gives the name of a collection by the text of its uuid.
pub(crate) fn to_json(noun: Noun, counted: Vec<Counted>, collection_name: impl Fn(&str) -> Option<String>) -> Map<String, Value> {
    let mut answer = Map::new();
    for (aggregation, counted) in of_noun(noun).iter().zip(counted) {
        let value = match counted {
            Counted::Sum(value) => json!({ "value": value }),
            Counted::Terms {
                counts,
                error_upper_bound,
                others,
            } => {
                let mut buckets: Vec<(String, u64)> = counts.into_iter().collect();
                if aggregation.member == "collection_uuid" {
                    for (key, _) in &mut buckets {
                        *key = collection_name(key).unwrap_or_else(|| key.clone());
                    }
                }
                // Most frequent first; the key decides between equals, so that equal inventories give equal answers.
                buckets.sort_by(|left, right| Reverse(left.1).cmp(&Reverse(right.1)).then_with(|| left.0.cmp(&right.0)));
                let size = match aggregation.count {
                    Count::Terms(size) => size,
                    Count::Sum => 0,
                };
                let rest: u64 = buckets.iter().skip(size).map(|(_, count)| count).sum();
                buckets.truncate(size);
                let buckets: Vec<Value> = buckets
                    .into_iter()
                    .map(|(key, count)| json!({ "key": key, "doc_count": count }))
                    .collect();
                json!({
                    "doc_count_error_upper_bound": error_upper_bound,
                    "sum_other_doc_count": others + rest,
                    "buckets": buckets,
                })
            }
        };
        answer.insert(aggregation.name.to_owned(), value);
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields;

    #[test]
    fn every_aggregation_reads_a_column() {
        for noun in Noun::ALL {
            for aggregation in of_noun(noun) {
                assert!(
                    fields::member(aggregation.member).is_some_and(|member| member.column),
                    "{}",
                    aggregation.name
                );
            }
        }
    }

    #[test]
    fn the_rest_is_counted() {
        let counts: BTreeMap<String, u64> = (0..12u64).map(|n| (format!("name{n:02}"), n + 1)).collect();
        let mut counted = vec![
            Counted::Terms {
                counts: BTreeMap::new(),
                error_upper_bound: 0,
                others: 0
            };
            8
        ];
        counted[2] = Counted::Terms {
            counts,
            error_upper_bound: 0,
            others: 4,
        };
        let answer = to_json(Noun::Issues, counted, |_| None);
        assert_eq!(answer["issue_name_bucket"]["buckets"][0], json!({ "key": "name11", "doc_count": 12 }));
        assert_eq!(answer["issue_name_bucket"]["buckets"].as_array().map(Vec::len), Some(10));
        assert_eq!(answer["issue_name_bucket"]["sum_other_doc_count"], json!(1 + 2 + 4));
        assert_eq!(answer["confidence"]["buckets"], json!([]));
    }
}
