//! What is counted beside the hits: the aggregations of the contract, by neutral names (the server spells its
//! oddities). Any engine fills them.

use ambit_query::Noun;
use serde_json::{Map, Value, json};
use std::cmp::Reverse;

/// What one aggregation computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Count {
    /// The most frequent values, with this many buckets.
    Terms(usize),
    /// The sum of an integer.
    Sum,
}

/// One aggregation: its name, its member, and what it computes.
#[derive(Debug)]
pub(crate) struct Aggregation {
    pub(crate) name: &'static str,
    pub(crate) member: &'static str,
    pub(crate) count: Count,
}

const fn terms(name: &'static str, member: &'static str, buckets: usize) -> Aggregation {
    Aggregation { name, member, count: Count::Terms(buckets) }
}

const fn sum(name: &'static str, member: &'static str) -> Aggregation {
    Aggregation { name, member, count: Count::Sum }
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

/// Distinct values whose counts are kept of one aggregation, the most frequent ones: far above what inventories have of
/// kinds, countries, statuses and products; the rest is one number.
const VALUES_MAX: usize = 5_000;

/// What an engine counted: for terms the values with their counts, for sums one number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Counted {
    Terms {
        counts: Vec<(String, u64)>,
        /// How often other values occur.
        others: u64,
    },
    Sum(i64),
}

impl Counted {
    /// Of all values that occur.
    pub(crate) fn terms(mut counts: Vec<(String, u64)>) -> Self {
        let others = if counts.len() > VALUES_MAX {
            counts.sort_unstable_by(most_frequent_first);
            counts.drain(VALUES_MAX..).map(|(_, count)| count).sum()
        } else {
            0
        };
        Counted::Terms { counts, others }
    }
}

/// The key decides between equals, so that equal inventories give equal answers.
fn most_frequent_first(left: &(String, u64), right: &(String, u64)) -> std::cmp::Ordering {
    Reverse(left.1).cmp(&Reverse(right.1)).then_with(|| left.0.cmp(&right.0))
}

/// The `aggregations` of an answer. `collection_name` gives the name of a collection by the text of its uuid.
pub(crate) fn to_json(
    noun: Noun,
    counted: Vec<Counted>,
    collection_name: impl Fn(&str) -> Option<String>,
) -> Map<String, Value> {
    let mut answer = Map::new();
    for (aggregation, counted) in of_noun(noun).iter().zip(counted) {
        let value = match counted {
            Counted::Sum(value) => json!({ "value": value }),
            Counted::Terms { counts: mut buckets, others } => {
                if aggregation.member == "collection_uuid" {
                    for (key, _) in &mut buckets {
                        *key = collection_name(key).unwrap_or_else(|| key.clone());
                    }
                }
                buckets.sort_unstable_by(most_frequent_first);
                let size = match aggregation.count {
                    Count::Terms(size) => size,
                    Count::Sum => 0,
                };
                let rest: u64 = buckets.iter().skip(size).map(|(_, count)| count).sum();
                buckets.truncate(size);
                let buckets: Vec<Value> =
                    buckets.into_iter().map(|(key, count)| json!({ "key": key, "doc_count": count })).collect();
                json!({
                    // Every segment counts all of its values.
                    "doc_count_error_upper_bound": 0,
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
                assert!(fields::member(aggregation.member).is_some_and(|member| member.column), "{}", aggregation.name);
            }
        }
    }

    #[test]
    fn the_rest_is_counted() {
        let counts = (0..12u64).map(|n| (format!("name{n:02}"), n + 1)).collect();
        let mut counted = vec![Counted::terms(Vec::new()); 8];
        counted[2] = Counted::Terms { counts, others: 4 };
        let answer = to_json(Noun::Issues, counted, |_| None);
        assert_eq!(answer["issue_name_bucket"]["buckets"][0], json!({ "key": "name11", "doc_count": 12 }));
        assert_eq!(answer["issue_name_bucket"]["buckets"].as_array().map(Vec::len), Some(10));
        assert_eq!(answer["issue_name_bucket"]["sum_other_doc_count"], json!(1 + 2 + 4));
        assert_eq!(answer["confidence"]["buckets"], json!([]));
        let many = (0..VALUES_MAX + 3).map(|n| (format!("value{n}"), if n == 1 { 9 } else { 2 })).collect();
        let Counted::Terms { counts, others } = Counted::terms(many) else { panic!("terms are terms") };
        assert_eq!((counts.len(), &counts[0], others), (VALUES_MAX, &("value1".to_owned(), 9), 6));
    }
}
