//! The one table of what calls of the wider API cost (docs/contract/quotas.md §4). Every endpoint names its row, or it
//! does not compile.
//! `name` are the rows of the contract's table; `usage` is the name in reports of usage.

/// A row of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// The rows of docs/contract/quotas.md §4 that it follows.
    pub name: &'static str,
    /// In reports: `/api/v3/(usage)`, and `/vtapi/v2/(usage)` for what begins with `v2/`; empty: not reported.
    pub usage: &'static str,
    pub price: Price,
}

/// How the price of a call is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Price {
    /// Neither charged nor counted.
    Unmetered,
    /// Nothing; counted as not consuming.
    Free,
    /// One request.
    Plain,
    /// Nothing for a private graph that the caller may see, else one request.
    ReadGraph,
    /// The same, where the path's relationship is `items`; else one request.
    ReadGraphRelationship,
    /// Without a body one request; with one, a private graph's unit, charged with its making, or one request.
    PostGraphs,
    /// A private graph's unit, charged with the change, where it becomes private; else one request.
    ChangeGraph,
    /// One request, or a search of the intelligence quota.
    Search,
    /// One request, or a download of the intelligence quota; nothing for a file that is not there.
    Download,
    /// Nothing for a file that the caller uploaded as new, else one request.
    ReadFile,
    /// Nothing for an analysis that is not there or of such a file, else one request.
    ReadAnalysis,
    /// Nothing for a file that nobody had, else one request, charged with its storing.
    Upload,
    /// One request, or a download of the intelligence quota for each file of an archive.
    Archive,
    /// One request for each file that is asked for.
    Reports,
    /// One request for each submission that is answered, charged when they are counted.
    Submissions,
}

const fn rule(name: &'static str, usage: &'static str, price: Price) -> Rule {
    Rule { name, usage, price }
}

// What is not part of the wider API.
pub(crate) const OUTSIDE: Rule = rule("A12", "", Price::Unmetered);

pub(crate) const GRAPH_SEARCH: Rule = rule("G8", "graphs", Price::Plain);
pub(crate) const GRAPH_POST: Rule = rule("G1 G2 G5 G8", "graphs", Price::PostGraphs);
pub(crate) const GRAPH_READ: Rule = rule("G3 G6", "graphs", Price::ReadGraph);
pub(crate) const GRAPH_PATCH: Rule = rule("G4 G8", "graphs", Price::ChangeGraph);
pub(crate) const GRAPH_DELETE: Rule = rule("G7", "graphs", Price::Plain);
pub(crate) const GRAPH_ITEMS: Rule = rule("G3 G6", "graph_items", Price::ReadGraph);
pub(crate) const GRAPH_COMMENTS: Rule = rule("G8", "graph_comments", Price::Plain);
pub(crate) const GRAPH_RELATIONSHIPS: Rule = rule("G3 G6 G8", "graph_relationships", Price::ReadGraphRelationship);

pub(crate) const GRAPH_SCREENSHOT: Rule = rule("G8", "graphs", Price::Plain);

pub(crate) const USER_QUOTAS: Rule = rule("A2", "users", Price::Free);
pub(crate) const GROUP_QUOTAS: Rule = rule("A3", "groups", Price::Free);
pub(crate) const USERS: Rule = rule("A4", "users", Price::Plain);
pub(crate) const GROUPS: Rule = rule("A4", "groups", Price::Plain);
pub(crate) const METADATA: Rule = rule("A4", "metadata", Price::Plain);
pub(crate) const COMMENTS: Rule = rule("A1", "comments", Price::Plain);

pub(crate) const DOMAINS: Rule = rule("A1", "domains", Price::Plain);
pub(crate) const DOMAIN_RELATIONSHIPS: Rule = rule("A1", "domain_relationships", Price::Plain);
pub(crate) const DOMAIN_COMMENTS: Rule = rule("A1", "domain_comments", Price::Plain);
pub(crate) const ADDRESSES: Rule = rule("A1", "ip_addresses", Price::Plain);
pub(crate) const ADDRESS_RELATIONSHIPS: Rule = rule("A1", "ip_addresses_relationships", Price::Plain);
pub(crate) const ADDRESS_COMMENTS: Rule = rule("A1", "ip_addresses_comments", Price::Plain);
pub(crate) const URLS: Rule = rule("A1", "urls", Price::Plain);
pub(crate) const URL_RELATIONSHIPS: Rule = rule("A1", "url_relationships", Price::Plain);
pub(crate) const URL_COMMENTS: Rule = rule("A1", "url_comments", Price::Plain);

pub(crate) const URL_SUBMISSION: Rule = rule("A1", "url_submission", Price::Plain);
pub(crate) const UPLOAD: Rule = rule("A8 A8b", "files", Price::Upload);
pub(crate) const UPLOAD_URL: Rule = rule("A8c", "file_upload_url", Price::Free);
pub(crate) const FILES: Rule = rule("A1 A9", "files", Price::ReadFile);
pub(crate) const URL_ANALYSE: Rule = rule("A11", "url_submission", Price::Plain);
pub(crate) const FILE_ANALYSE: Rule = rule("A11", "file_analyse", Price::Plain);
pub(crate) const ANALYSES: Rule = rule("A6 A7 A9", "analyses", Price::ReadAnalysis);
pub(crate) const FILE_RELATIONSHIPS: Rule = rule("A10", "file_relationships", Price::Plain);
pub(crate) const FILE_COMMENTS: Rule = rule("A10", "file_comments", Price::Plain);
pub(crate) const FILE_DOWNLOAD: Rule = rule("I3 I4 I5 I6 A10", "file_download", Price::Download);

pub(crate) const VOTES: Rule = rule("A1 A10", "item_vote", Price::Plain);

pub(crate) const SNIPPETS: Rule = rule("I1 I2 I3", "intelligence_search", Price::Search);
pub(crate) const ARCHIVE: Rule = rule("I3 I4 I5", "zip_files", Price::Archive);
pub(crate) const ARCHIVE_READ: Rule = rule("I6", "zip_files", Price::Free);
pub(crate) const OBJECT_SEARCH: Rule = rule("A1", "search", Price::Plain);
pub(crate) const COLLECTIONS: Rule = rule("A1", "collections", Price::Plain);

// What Ambit does not have; asking for it is a call like any other.
pub(crate) const FILE_BEHAVIOURS: Rule = rule("A1", "file_behaviours", Price::Plain);
pub(crate) const RULES_OF_OTHERS: Rule = rule("A1", "rules_of_others", Price::Plain);
pub(crate) const THREAT_PROFILES: Rule = rule("A1", "threat_profiles", Price::Plain);
pub(crate) const REFERENCES: Rule = rule("A1", "references", Price::Plain);
pub(crate) const PRIVATE_FILES: Rule = rule("A1", "private_files", Price::Plain);
pub(crate) const PRIVATE_URLS: Rule = rule("A1", "private_urls", Price::Plain);
pub(crate) const PRIVATE_ANALYSES: Rule = rule("A1", "private_analyses", Price::Plain);
/// Nobody has the right, and what is refused for want of a right is not charged.
pub(crate) const REFERENCE_POST: Rule = rule("A1", "references", Price::Free);
pub(crate) const PRIVATE_SCAN: Rule = rule("A1", "private_scans", Price::Free);

pub(crate) const FEEDS: Rule = rule("A5", "feeds", Price::Free);

pub(crate) const SEARCH: Rule = rule("I1 I2 I3 I8", "intelligence_search", Price::Search);

// Version 2.
pub(crate) const V2_REPORT: Rule = rule("V1", "v2/file_report", Price::Reports);
pub(crate) const V2_SUBMISSIONS: Rule = rule("V2", "v2/file_submissions", Price::Submissions);
pub(crate) const V2_SCAN: Rule = rule("V3 V4", "v2/file_scan", Price::Upload);
pub(crate) const V2_UPLOAD_URL: Rule = rule("V4", "v2/file_upload_url", Price::Plain);
pub(crate) const V2_RESCAN: Rule = rule("V4", "v2/file_rescan", Price::Plain);
pub(crate) const V2_DOWNLOAD: Rule = rule("V4 I3 I4 I5", "v2/file_download", Price::Download);
pub(crate) const V2_FILE_SEARCH: Rule = rule("V4 I1 I2 I3", "v2/file_search", Price::Search);
pub(crate) const V2_BEHAVIOUR: Rule = rule("V4", "v2/file_behaviour", Price::Plain);
pub(crate) const V2_CLUSTERS: Rule = rule("V4", "v2/file_clusters", Price::Plain);
pub(crate) const V2_URL_SCAN: Rule = rule("V4", "v2/url_scan", Price::Plain);
pub(crate) const V2_URL_REPORT: Rule = rule("V4", "v2/url_report", Price::Plain);
pub(crate) const V2_DOMAIN: Rule = rule("V4", "v2/domain_report", Price::Plain);
pub(crate) const V2_ADDRESS: Rule = rule("V4", "v2/ip_address_report", Price::Plain);
pub(crate) const V2_COMMENTS: Rule = rule("V4", "v2/comments", Price::Plain);

// Hunting. Active rules and jobs are charged beside the call, in the transaction of the change.
pub(crate) const RULESET_POST: Rule = rule("H1 H2 H7", "hunting_rulesets", Price::Plain);
pub(crate) const RULESET_PATCH: Rule = rule("H3 H4 H5 H7", "hunting_rulesets", Price::Plain);
pub(crate) const RULESET_DELETE: Rule = rule("H4", "hunting_rulesets", Price::Plain);
pub(crate) const RULESETS: Rule = rule("H6", "hunting_rulesets", Price::Plain);
pub(crate) const OPERATIONS: Rule = rule("A1", "operations", Price::Plain);
pub(crate) const NOTIFICATIONS: Rule = rule("H6", "hunting_notifications", Price::Plain);
pub(crate) const STREAM: Rule = rule("H6", "ioc_stream", Price::Plain);
pub(crate) const RETROHUNT_POST: Rule = rule("R1 R2", "retrohunt_jobs", Price::Plain);
pub(crate) const RETROHUNT: Rule = rule("R3", "retrohunt_jobs", Price::Plain);
