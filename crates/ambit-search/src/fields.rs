//! The shape of an index document: which members it has and how each may be searched. One table for every engine
//! and for both indexes.

/// Raised when documents are made differently from the same members; other changes of shape are seen by themselves
/// (`shape.rs`).
pub(crate) const SCHEMA_VERSION: u32 = 5;

/// Longest part of a value that is indexed, in characters: longer than any host name or usual URL. The stored
/// record is whole; only a search for what lies behind does not find it.
pub(crate) const VALUE_CHARS_MAX: usize = 4_096;

/// Which products something runs in which versions, each as `running.rs` writes it.
pub(crate) const RUNNING: &str = "summary.technology.running";

/// Kind and name of what can stand in an account and be seen from outside.
pub(crate) const ASSET: &str = "shadow.asset";
/// An account at a provider names it.
pub(crate) const IN_ACCOUNT: &str = "shadow.in_account";
/// It responded to a probe from outside.
pub(crate) const SEEN_OUTSIDE: &str = "shadow.seen_outside";

/// How a member may be searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A short text of few distinct values: equality and substring, case apart; may be counted.
    Word,
    /// A text of many distinct values: substring, and words in sequence.
    Text,
    /// An entity kind: equality on the last part.
    Kind,
    Integer,
    Bool,
    /// Milliseconds since 1970 UTC.
    Time,
    /// The 32 bytes that identify a record.
    Uid,
}

/// One member of a document.
#[derive(Debug)]
pub(crate) struct Member {
    /// Dotted path, the same as in a search hit.
    pub(crate) path: &'static str,
    pub(crate) shape: Shape,
    /// Sorting and counting are possible. Costs a column.
    pub(crate) column: bool,
    /// A list; a list cannot be sorted by.
    pub(crate) many: bool,
}

const fn one(path: &'static str, shape: Shape) -> Member {
    Member { path, shape, column: true, many: false }
}

const fn list(path: &'static str, shape: Shape, column: bool) -> Member {
    Member { path, shape, column, many: true }
}

/// A member that is only compared.
const fn bare(path: &'static str, shape: Shape) -> Member {
    Member { path, shape, column: false, many: false }
}

/// The member of a path.
pub(crate) fn member(path: &str) -> Option<&'static Member> {
    MEMBERS.iter().find(|member| member.path == path)
}

/// Every member of a document, of all nouns. A noun lacks those that its hits lack.
pub(crate) static MEMBERS: &[Member] = &[
    bare("id", Shape::Uid),
    one("collection_uuid", Shape::Word),
    one("name", Shape::Text),
    one("pretty_name", Shape::Word),
    one("type", Shape::Kind),
    one("first_seen", Shape::Time),
    one("last_seen", Shape::Time),
    // When this state of the record began and ended; only closed versions have an end.
    one("valid_from", Shape::Time),
    one("valid_to", Shape::Time),
    // When the record last came or went, and whether it is there: an entity seen, an issue open, a technology in use.
    one("turned_at", Shape::Time),
    one("present", Shape::Bool),
    list("tags", Shape::Word, true),
    // Entities.
    one("hidden", Shape::Bool),
    one("seed", Shape::Bool),
    // In percent.
    one("ownership", Shape::Integer),
    one("summary.scoped", Shape::Bool),
    one("summary.issues.current_count", Shape::Integer),
    one("summary.issues.critical_or_high", Shape::Bool),
    one("summary.issues.current_by_severity.1", Shape::Integer),
    one("summary.issues.current_by_severity.2", Shape::Integer),
    one("summary.issues.current_by_severity.3", Shape::Integer),
    one("summary.issues.current_by_severity.4", Shape::Integer),
    one("summary.issues.current_by_severity.5", Shape::Integer),
    one("summary.geolocation.city", Shape::Word),
    one("summary.geolocation.country_code", Shape::Word),
    one("summary.geolocation.country_name", Shape::Word),
    one("summary.http.code", Shape::Integer),
    bare("summary.http.title", Shape::Text),
    one("summary.http.content.forms", Shape::Bool),
    bare("summary.http.content.hash", Shape::Word),
    bare("summary.http.content.favicon_hash", Shape::Word),
    one("summary.ports.count", Shape::Integer),
    list("summary.ports.tcp", Shape::Integer, true),
    list("summary.ports.udp", Shape::Integer, true),
    list("summary.resolutions", Shape::Word, false),
    one("summary.network.name", Shape::Word),
    one("summary.network.asn", Shape::Integer),
    one("summary.network.route", Shape::Word),
    one("summary.technology.cloud", Shape::Bool),
    list("summary.technology.cloud_providers", Shape::Word, true),
    list("summary.technology.technologies", Shape::Word, true),
    // Vendors and products, as people write them: Apache HTTP Server.
    list("summary.technology.products", Shape::Word, false),
    // Products in versions, for bounds: a product of a technology as well.
    list(RUNNING, Shape::Word, false),
    list("summary.technology.technology_labels", Shape::Word, true),
    list("summary.vulns.vulns", Shape::Word, true),
    one("summary.vulns.current_count", Shape::Integer),
    // What stands in accounts at providers, and what was seen from outside; the asset is the same in each collection.
    list(ASSET, Shape::Word, true),
    bare(IN_ACCOUNT, Shape::Bool),
    bare(SEEN_OUTSIDE, Shape::Bool),
    // Issues.
    one("upstream", Shape::Word),
    one("entity_type", Shape::Kind),
    one("entity_name", Shape::Text),
    bare("entity_uid", Shape::Word),
    one("assignee", Shape::Word),
    one("summary.severity", Shape::Integer),
    one("summary.confidence", Shape::Word),
    one("summary.category", Shape::Word),
    one("summary.status", Shape::Word),
    one("summary.status_new", Shape::Word),
    one("summary.status_new_detailed", Shape::Word),
    list("summary.identifiers", Shape::Word, true),
    list("summary.ticket_list", Shape::Word, true),
    // Technologies.
    one("vendor", Shape::Word),
    one("product", Shape::Word),
    one("version", Shape::Word),
    bare("cpe", Shape::Word),
    one("entity_count", Shape::Integer),
];

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_query::{Comparison, ValueType, keywords::KEYWORDS};

    #[test]
    fn every_keyword_compares_members_of_the_document() {
        for row in KEYWORDS.iter().filter(|row| !["collection", "change", "overdue", "shadow"].contains(&row.name)) {
            for path in row.members {
                let member = member(path).unwrap_or_else(|| panic!("{}: no member {path}", row.name));
                let fits = match row.value {
                    ValueType::Text if matches!(row.comparison, Comparison::Contains | Comparison::Runs) => {
                        matches!(member.shape, Shape::Text | Shape::Word)
                    }
                    ValueType::Text | ValueType::OneOf(_) => matches!(member.shape, Shape::Word | Shape::Uid),
                    ValueType::Integer { .. } => member.shape == Shape::Integer,
                    ValueType::Bool => member.shape == Shape::Bool,
                    ValueType::Time => member.shape == Shape::Time,
                    ValueType::Kind => member.shape == Shape::Kind,
                };
                assert!(fits, "{}: {path} is {:?}", row.name, member.shape);
            }
        }
    }

    #[test]
    fn paths_are_distinct() {
        let mut paths: Vec<&str> = MEMBERS.iter().map(|member| member.path).collect();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), MEMBERS.len());
    }
}
