//! The keywords of the search language, one row each: what it is called, where it applies, what it compares.
//! Parser, search engine, documentation and tests all walk this table; adding a keyword is adding a row.

use std::fmt;

/// What is searched. Each has its own endpoint and its own set of keywords.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Noun {
    Entities,
    Issues,
    Technologies,
}

impl Noun {
    /// Every noun, in the order of the documentation.
    pub const ALL: [Noun; 3] = [Noun::Entities, Noun::Issues, Noun::Technologies];

    /// The word that endpoints and `search_type` use.
    pub fn as_str(self) -> &'static str {
        match self {
            Noun::Entities => "entities",
            Noun::Issues => "issues",
            Noun::Technologies => "technologies",
        }
    }
}

impl fmt::Display for Noun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a keyword may be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// Any text; case never matters.
    Text,
    /// A whole number in these bounds, both included.
    Integer { min: i64, max: i64 },
    /// `true` or `false`.
    Bool,
    /// A moment, or a word that means one.
    Time,
    /// An entity kind, with or without a prefix such as `Platform::Entity::`.
    Kind,
    /// One of these words; the second of a pair is what the first means.
    OneOf(&'static [(&'static str, &'static str)]),
}

/// How the value of a record is compared with the value of the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// The whole value is equal, case apart; of a list, one item is.
    Equal,
    /// The text occurs in the value, case apart; of a list, in one item.
    Contains,
    /// As `Contains`; where bounds stand behind the text, it is the name of a product, whose version fulfils them.
    Runs,
    /// As `Contains`; where the text is an address, it is one as a whole.
    Host,
    /// Not less, or not before.
    AtLeast,
    /// Not more, or not after.
    AtMost,
}

/// One keyword.
#[derive(Debug, PartialEq, Eq)]
pub struct Keyword {
    pub name: &'static str,
    /// Where it applies; elsewhere it is an unknown keyword.
    pub nouns: &'static [Noun],
    pub value: ValueType,
    pub comparison: Comparison,
    /// The members of a search hit that are compared, dotted; one of them suffices. A noun may lack some.
    pub members: &'static [&'static str],
    /// One sentence for the documentation.
    pub doc: &'static str,
}

/// The row of a keyword, case apart.
pub(crate) fn find(name: &str) -> Option<&'static Keyword> {
    KEYWORDS.iter().find(|row| row.name.eq_ignore_ascii_case(name))
}

/// The row that a bare word searches.
pub(crate) fn of_bare_words() -> &'static Keyword {
    find("name").expect("the table has a row for names")
}

const E: &[Noun] = &[Noun::Entities];
const I: &[Noun] = &[Noun::Issues];
const EI: &[Noun] = &[Noun::Entities, Noun::Issues];
const T: &[Noun] = &[Noun::Technologies];
const ET: &[Noun] = &[Noun::Entities, Noun::Technologies];
const EIT: &[Noun] = &[Noun::Entities, Noun::Issues, Noun::Technologies];

/// 1 is critical, 5 informational.
pub(crate) const SEVERITY: ValueType = ValueType::Integer { min: 1, max: 5 };
const COUNT: ValueType = ValueType::Integer { min: 0, max: i64::MAX };
const PERCENT: ValueType = ValueType::Integer { min: 0, max: 100 };
const PORT: ValueType = ValueType::Integer { min: 0, max: 65_535 };
/// Of an autonomous system; `AS` may stand before it.
pub(crate) const ASN: ValueType = ValueType::Integer { min: 0, max: u32::MAX as i64 };
const HTTP_CODE: ValueType = ValueType::Integer { min: 0, max: 999 };

const STATUS: ValueType = ValueType::OneOf(&[("open", "open"), ("closed", "closed")]);

/// The whole status or, as records show it in `status_new_detailed`, what follows its first `_`.
const STATUS_DETAILED: ValueType = ValueType::OneOf(&[
    ("open_new", "open_new"),
    ("open_triaged", "open_triaged"),
    ("open_in_progress", "open_in_progress"),
    ("closed", "closed"),
    ("closed_mitigated", "closed_mitigated"),
    ("closed_resolved", "closed_resolved"),
    ("closed_duplicate", "closed_duplicate"),
    ("closed_out_of_scope", "closed_out_of_scope"),
    ("closed_benign", "closed_benign"),
    ("closed_risk_accepted", "closed_risk_accepted"),
    ("closed_false_positive", "closed_false_positive"),
    ("closed_no_repro", "closed_no_repro"),
    ("closed_no_reproduce", "closed_no_repro"),
    ("closed_tracked_externally", "closed_tracked_externally"),
    ("new", "open_new"),
    ("triaged", "open_triaged"),
    ("in_progress", "open_in_progress"),
    ("mitigated", "closed_mitigated"),
    ("resolved", "closed_resolved"),
    ("duplicate", "closed_duplicate"),
    ("out_of_scope", "closed_out_of_scope"),
    ("benign", "closed_benign"),
    ("risk_accepted", "closed_risk_accepted"),
    ("false_positive", "closed_false_positive"),
    ("no_repro", "closed_no_repro"),
    ("tracked_externally", "closed_tracked_externally"),
]);

/// What happened to a record between two moments.
const CHANGE: ValueType =
    ValueType::OneOf(&[("appeared", "appeared"), ("changed", "changed"), ("disappeared", "disappeared")]);

/// What is outside and in no account, and the other way round.
const SHADOW: ValueType = ValueType::OneOf(&[("unmanaged", "unmanaged"), ("unseen", "unseen")]);

const CONFIDENCE: ValueType = ValueType::OneOf(&[("confirmed", "confirmed"), ("potential", "potential")]);

use Comparison::{AtLeast, AtMost, Contains, Equal, Host, Runs};
use ValueType::{Bool, Kind, Text, Time};

const fn row(
    name: &'static str,
    nouns: &'static [Noun],
    value: ValueType,
    comparison: Comparison,
    members: &'static [&'static str],
    doc: &'static str,
) -> Keyword {
    Keyword { name, nouns, value, comparison, members, doc }
}

/// Every keyword, in the order of the documentation.
#[rustfmt::skip]
pub static KEYWORDS: &[Keyword] = &[
    row("collection", EIT, Text, Equal, &["collection", "collection_uuid"],
    "The internal or displayed name of a collection, or its uuid."),
    row("name", EIT, Text, Contains, &["name", "pretty_name"],
    "Text that occurs in the name. A word without a keyword means the same."),
    row("uid", EIT, Text, Equal, &["id"], "The identifier of 64 hexadecimal digits."),
    row("id", EIT, Text, Equal, &["id"], "The same as uid."),
    row("tag", EI, Text, Equal, &["tags"], "A tag."),
    row("type", E, Kind, Equal, &["type"], "The kind of the entity, such as Uri or IpAddress."),
    row("hidden", E, Bool, Equal, &["hidden"], "Whether the entity is hidden."),
    row("present", ET, Bool, Equal, &["present"],
    "Whether it is still there; without this keyword, what is gone is found, too."),
    row("scoped", EI, Bool, Equal, &["summary.scoped"], "Whether the entity, or the entity of the issue, is in scope."),
    row("ownership_gte", E, PERCENT, AtLeast, &["ownership"],
    "At least this ownership in percent; 90 and more is in scope."),
    row("ownership_lte", E, PERCENT, AtMost, &["ownership"], "At most this ownership in percent."),
    row("country", E, Text, Equal, &["summary.geolocation.country_code", "summary.geolocation.country_name"],
    "The code or the name of the country where the address is, by the databases of the setting `geo`."),
    row("cloud", E, Bool, Equal, &["summary.technology.cloud"], "Whether a cloud provider hosts the entity."),
    row("cloud_provider", E, Text, Contains, &["summary.technology.cloud_providers"],
    "Text that occurs in the name of a hosting cloud provider."),
    row("shadow", E, SHADOW, Equal, &["shadow.in_account", "shadow.seen_outside"],
    "unmanaged: addresses and buckets that are yours but in no account of the project, nor in a block of one; unseen: \
     what is in an account but was never seen from outside."),
    row("network", E, Text, Contains, &["summary.network.name"], "Text that occurs in the name of the network."),
    row("asn", E, ASN, Equal, &["summary.network.asn"],
    "The number of the autonomous system that announces the address, such as 64500 or AS64500."),
    row("technology", E, Text, Runs, &["summary.technology.technologies", "summary.technology.products"],
    "Text that occurs in a technology's vendor and name, such as jquery or apache; a bound restricts its version: \
     openssh<9.8."),
    row("version", T, Text, Runs, &["version"],
    "Text that occurs in the version of the technology, such as 3.1; or a bound on it: <3.5."),
    row("http_code", E, HTTP_CODE, Equal, &["summary.http.code"], "The status code of the HTTP answer."),
    row("http_title", E, Text, Contains, &["summary.http.title"], "Text that occurs in the title of the page."),
    row("http_forms", E, Bool, Equal, &["summary.http.content.forms"], "Whether the page has forms."),
    row("port_tcp", E, PORT, Equal, &["summary.ports.tcp"], "An open TCP port."),
    row("port_udp", E, PORT, Equal, &["summary.ports.udp"], "An open UDP port."),
    row("port_count_lte", E, COUNT, AtMost, &["summary.ports.count"], "At most this many open ports."),
    row("port_count_gte", E, COUNT, AtLeast, &["summary.ports.count"], "At least this many open ports."),
    row("issue_count_lte", E, COUNT, AtMost, &["summary.issues.current_count"], "At most this many current issues."),
    row("issue_count_gte", E, COUNT, AtLeast, &["summary.issues.current_count"], "At least this many current issues."),
    row("vuln", E, Text, Equal, &["summary.vulns.vulns"],
    "The id of a current vulnerability: that of CVE, else `GHSA-…`, `MAL-…`."),
    row("vuln_count_lte", E, COUNT, AtMost, &["summary.vulns.current_count"],
    "At most this many current vulnerabilities."),
    row("vuln_count_gte", E, COUNT, AtLeast, &["summary.vulns.current_count"],
    "At least this many current vulnerabilities."),
    row("critical_or_high", E, Bool, Equal, &["summary.issues.critical_or_high"],
    "Whether a current issue has severity 1 or 2."),
    row("resolves_to", E, Text, Host, &["summary.resolutions"],
    "An address that the name resolves to, as a whole (192.0.2.1 does not find 192.0.2.10), or text that occurs in \
    such a host or address."),
    row("severity", I, SEVERITY, Equal, &["summary.severity"],
    "The severity: 1 is critical, 5 informational; the words critical, high, medium, low and info, too."),
    row("severity_lte", I, SEVERITY, AtMost, &["summary.severity"], "At least as severe as: 1 is the worst."),
    row("severity_gte", I, SEVERITY, AtLeast, &["summary.severity"], "At most as severe as: 5 is the mildest."),
    row("status_new", I, STATUS, Equal, &["summary.status_new"], "open or closed."),
    row("status_detailed", I, STATUS_DETAILED, Equal, &["summary.status"], "The whole status, such as open_triaged."),
    row("assignee", I, Text, Equal, &["assignee"], "The username of the assignee."),
    row("overdue", I, Bool, Equal, &["summary.severity", "turned_at", "present"],
    "Whether an open issue is past its due date, by the days of its collection or of the setting `due_days`."),
    row("category", I, Text, Equal, &["summary.category"], "The category, such as misconfiguration."),
    row("confidence", I, CONFIDENCE, Equal, &["summary.confidence"], "confirmed or potential."),
    row("entity_type", I, Kind, Equal, &["entity_type"], "The kind of the entity of the issue."),
    row("entity_name", I, Text, Contains, &["entity_name"], "Text that occurs in the name of the entity of the issue."),
    row("entity_uid", I, Text, Equal, &["entity_uid"], "The identifier of the entity of the issue."),
    row("first_seen_after", EIT, Time, AtLeast, &["first_seen"], "First seen at that time or later."),
    row("first_seen_before", EIT, Time, AtMost, &["first_seen"], "First seen at that time or earlier."),
    row("last_seen_after", EIT, Time, AtLeast, &["last_seen"], "Last seen at that time or later."),
    row("last_seen_before", EIT, Time, AtMost, &["last_seen"], "Last seen at that time or earlier."),
    row("change", EIT, CHANGE, Equal, &["turned_at", "valid_from", "present"],
    "With `between`: what appeared, changed or disappeared."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_well_formed() {
        let mut names: Vec<&str> = KEYWORDS.iter().map(|row| row.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "a name stands twice");
        for row in KEYWORDS {
            assert!(row.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{}", row.name);
            assert!(!row.nouns.is_empty() && !row.members.is_empty(), "{}", row.name);
            assert!(row.doc.ends_with('.'), "{}", row.name);
            assert_eq!(find(&row.name.to_uppercase()), Some(row));
            let ordered = matches!(row.comparison, AtLeast | AtMost);
            match row.value {
                Time => assert!(ordered, "{}", row.name),
                ValueType::Integer { min, max } => assert!(min < max, "{}", row.name),
                Text | Bool | Kind | ValueType::OneOf(_) => assert!(!ordered, "{}", row.name),
            }
        }
        const { assert!(crate::CLAUSES_MAX > 0) };
        assert!(KEYWORDS.len() <= crate::CLAUSES_MAX);
    }

    #[test]
    fn every_keyword_of_the_contract_has_a_row() {
        let contract = "collection name uid id tag type hidden scoped country cloud cloud_provider network technology \
                        http_code \
            http_title http_forms port_tcp port_udp port_count_lte port_count_gte issue_count_lte issue_count_gte vuln \
            vuln_count_lte vuln_count_gte critical_or_high resolves_to severity severity_lte severity_gte status_new \
            status_detailed category confidence entity_type entity_name entity_uid first_seen_after first_seen_before \
            last_seen_after last_seen_before";
        for name in contract.split_whitespace() {
            assert!(find(name).is_some(), "{name}");
        }
        for mistake in ["status", "asset_type", ""] {
            assert!(find(mistake).is_none(), "{mistake}");
        }
    }
}
