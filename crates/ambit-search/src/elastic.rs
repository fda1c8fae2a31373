//! The executed query in Elasticsearch form: what `search_body` shows, and what an OpenSearch engine is sent.

use crate::aggregations::{self, Count};
use crate::condition::Condition;
use crate::fields::{self, Shape};
use ambit_model::Timestamp;
use ambit_query::{Noun, Sign, VersionRange};
use serde_json::{Map, Value, json};

/// The body of a search, without paging: query, aggregations, sort.
pub(crate) fn body(
    condition: &Condition,
    noun: Noun,
    sort_field: &str,
    descending: bool,
    with_aggregations: bool,
) -> Value {
    let direction = if descending { "desc" } else { "asc" };
    let mut body = Map::new();
    body.insert("query".to_owned(), query(condition));
    if with_aggregations {
        body.insert("aggs".to_owned(), aggs(noun));
    }
    body.insert("sort".to_owned(), json!([{ column(sort_field): direction }, { "id": "asc" }]));
    Value::Object(body)
}

fn query(condition: &Condition) -> Value {
    match condition {
        Condition::Nothing => json!({ "match_none": {} }),
        Condition::And(all) => {
            let (none, filter): (Vec<_>, Vec<_>) = all.iter().partition(|part| matches!(part, Condition::Not(_)));
            let filter: Vec<Value> = filter.into_iter().map(query).collect();
            let mut clauses = Map::new();
            clauses.insert("filter".to_owned(), json!(filter));
            if !none.is_empty() {
                let none: Vec<Value> = none.into_iter().map(negated).collect();
                clauses.insert("must_not".to_owned(), json!(none));
            }
            json!({ "bool": clauses })
        }
        Condition::Or(any) => {
            let any: Vec<Value> = any.iter().map(query).collect();
            json!({ "bool": { "should": any, "minimum_should_match": 1 } })
        }
        Condition::Not(one) => json!({ "bool": { "must_not": [query(one)] } }),
        Condition::Space(noun, project) => {
            json!({ "bool": { "filter": [{ "term": { "noun": noun.as_str() } }, { "term": { "project": project } }] } })
        }
        Condition::SpaceAt(noun, project, moment) => json!({ "bool": {
            "filter": [
                { "term": { "noun": noun.as_str() } },
                { "term": { "project": project } },
                { "range": { "valid_from": { "lte": Timestamp(*moment) } } },
            ],
            "must_not": [{ "range": { "valid_to": { "lte": Timestamp(*moment) } } }],
        } }),
        Condition::Collections(uuids) => json!({ "terms": { "collection_uuid": uuids } }),
        Condition::EqualText(member, text) => {
            json!({ "term": { *member: { "value": text, "case_insensitive": true } } })
        }
        Condition::EqualKind(member, kind) => {
            json!({ "wildcard": { *member: { "value": format!("*::{kind}"), "case_insensitive": true } } })
        }
        Condition::EqualInteger(member, number) => json!({ "term": { *member: number } }),
        Condition::EqualBool(member, flag) => json!({ "term": { *member: flag } }),
        Condition::Contains(member, text) => contains(member, text),
        Condition::Runs(range) => runs(range),
        // Terms that another query looks up, as OpenSearch has it. Blocks around addresses it cannot express.
        Condition::SameAsset(of) => {
            json!({ "terms": { fields::ASSET: { "index": "entities", "path": fields::ASSET, "query": query(of) } } })
        }
        // Before all time: the last refresh of a collection that had none.
        Condition::AtLeast(_, i64::MIN) => json!({ "match_all": {} }),
        Condition::AtMost(_, i64::MIN) => json!({ "match_none": {} }),
        Condition::AtLeast(member, number) => json!({ "range": { *member: { "gte": bound(member, *number) } } }),
        Condition::AtMost(member, number) => json!({ "range": { *member: { "lte": bound(member, *number) } } }),
    }
}

fn negated(condition: &Condition) -> Value {
    match condition {
        Condition::Not(one) => query(one),
        other => query(other),
    }
}

fn contains(member: &str, text: &str) -> Value {
    let escaped = text.replace('\\', "\\\\").replace('*', "\\*").replace('?', "\\?");
    let wildcard =
        json!({ "wildcard": { column(member): { "value": format!("*{escaped}*"), "case_insensitive": true } } });
    match fields::member(member).map(|member| member.shape) {
        Some(Shape::Text) => json!({ "bool": {
            "should": [{ "match_phrase": { member: text } }, wildcard],
            "minimum_should_match": 1,
        } }),
        _ => wildcard,
    }
}

/// Products in versions are documents inside the document; versions are ordered as their field orders them.
fn runs(range: &VersionRange) -> Value {
    let name = |sign: Sign| match sign {
        Sign::Below => "lt",
        Sign::AtMost => "lte",
        Sign::Above => "gt",
        Sign::AtLeast => "gte",
        Sign::Equal => "eq",
    };
    let bound = |(sign, version): &(Sign, String)| match sign {
        Sign::Equal => json!({ "term": { "running.version": version } }),
        sign => json!({ "range": { "running.version": { name(*sign): version } } }),
    };
    let of_name = (!range.name.is_empty()).then(|| contains("running.product", &range.name));
    let filter: Vec<Value> = of_name.into_iter().chain(range.bounds.iter().map(bound)).collect();
    json!({ "nested": { "path": "running", "query": { "bool": { "filter": filter } } } })
}

/// A moment as the contract writes it, a number as it is.
fn bound(member: &str, number: i64) -> Value {
    match fields::member(member).map(|member| member.shape) {
        Some(Shape::Time) => json!(Timestamp(number)),
        _ => json!(number),
    }
}

/// The field that is sorted and counted by: of a text the whole value.
fn column(member: &str) -> String {
    match fields::member(member).map(|member| member.shape) {
        Some(Shape::Text) => format!("{member}.raw"),
        _ => member.to_owned(),
    }
}

fn aggs(noun: Noun) -> Value {
    let mut all = Map::new();
    for aggregation in aggregations::of_noun(noun) {
        let value = match aggregation.count {
            Count::Terms(size) => json!({ "terms": { "field": column(aggregation.member), "size": size } }),
            Count::Sum => json!({ "sum": { "field": aggregation.member } }),
        };
        all.insert(aggregation.name.to_owned(), value);
    }
    Value::Object(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::{CollectionContext, SearchContext, Window, resolve};
    use uuid::Uuid;

    #[test]
    fn the_body_is_the_executed_query() {
        let context = SearchContext {
            project: 7,
            collections: vec![CollectionContext {
                uuid: Uuid::nil(),
                name: "acme_1".to_owned(),
                printable_name: "Acme".to_owned(),
                last_refreshes: vec![Timestamp(0)],
                configured_scan_count: 3,
                overdue_since: Vec::new(),
            }],
            whole_project: true,
        };
        let text = "collection:acme_1 first_seen_after:2022-01-01 last_seen_before:last_refresh name:a*b \
                    entity_type:!uri severity:1";
        let search = ambit_query::parse_search(text, Noun::Issues).unwrap();
        let body =
            body(&resolve(&search, Noun::Issues, &context, Window::Now), Noun::Issues, "last_seen", false, false);
        let nil = "00000000-0000-0000-0000-000000000000";
        let expected = json!({
            "query": { "bool": {
                "filter": [
                    { "bool": { "filter": [{ "term": { "noun": "issues" } }, { "term": { "project": 7 } }] } },
                    { "terms": { "collection_uuid": [nil] } },
                    { "range": { "first_seen": { "gte": "2022-01-01T00:00:00.000Z" } } },
                    { "bool": { "filter": [
                        { "terms": { "collection_uuid": [nil] } },
                        { "range": { "last_seen": { "lte": "1970-01-01T00:00:00.000Z" } } },
                    ] } },
                    { "bool": { "should": [
                        { "bool": { "should": [
                            { "match_phrase": { "name": "a*b" } },
                            { "wildcard": { "name.raw": { "value": "*a\\*b*", "case_insensitive": true } } },
                        ], "minimum_should_match": 1 } },
                        { "wildcard": { "pretty_name": { "value": "*a\\*b*", "case_insensitive": true } } },
                    ], "minimum_should_match": 1 } },
                    { "term": { "summary.severity": 1 } },
                ],
                "must_not": [{ "wildcard": { "entity_type": { "value": "*::uri", "case_insensitive": true } } }],
            } },
            "sort": [{ "last_seen": "asc" }, { "id": "asc" }],
        });
        assert_eq!(body, expected);
    }

    #[test]
    fn a_bound_before_all_time_holds_for_all_or_nothing() {
        assert_eq!(query(&Condition::AtLeast("last_seen", i64::MIN)), json!({ "match_all": {} }));
        assert_eq!(query(&Condition::AtMost("last_seen", i64::MIN)), json!({ "match_none": {} }));
    }

    #[test]
    fn aggregations_are_part_of_it() {
        let body = body(&Condition::Nothing, Noun::Entities, "name", true, true);
        assert_eq!(body["sort"], json!([{ "name.raw": "desc" }, { "id": "asc" }]));
        assert_eq!(
            body["aggs"]["issues_severity_1_bucket"],
            json!({ "sum": { "field": "summary.issues.current_by_severity.1" } })
        );
        assert_eq!(body["query"], json!({ "match_none": {} }));
    }
}
