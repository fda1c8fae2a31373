//! What a statement reads, by the plan that SQLite makes for it: one that reads a whole table that grows, or all that
//! a collection or a run has of it, is refused unless it takes a page in the order of an index, or is listed here with
//! its reason. `Tx` asks in debug builds, and where tests run it refuses, so that every test of every crate does.
//! SQLite plans by the schema and the statement alone, since we store no statistics: what a test saw of a small
//! database holds for a large one. PostgreSQL's plans for the same statements are looked at in a database that is
//! filled (`filled`).

#[cfg(test)]
mod filled;

use crate::{Result, StoreError};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashSet};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::LazyLock;

/// The tables that grow with what is found, with history or with use. Others hold what people make by hand, and runs.
const GROWING: [&str; 41] = [
    "analyses",
    "api_usage",
    "archives",
    "audit",
    "blob_chunks",
    "blobs",
    "deliveries",
    "dirty",
    "edges",
    "entities",
    "entity_technologies",
    "entity_vulns",
    "evidence",
    "feed",
    "files",
    "hunting_notifications",
    "hunts_deferred",
    "imported",
    "intervals",
    "issues",
    "key_tokens",
    "looks",
    "milestones",
    "notes",
    "notices",
    "object_collection_items",
    "operations",
    "pack_hashes",
    "quota_drawn",
    "quota_used",
    "retrohunt_matches",
    "sightings",
    "specimens",
    "spent_tokens",
    "submissions",
    "sweeps",
    "technologies",
    "told",
    "urls",
    "versions",
    "work",
];

/// Columns that say no more than where a row belongs: an index of which only these are used finds more the more there
/// is.
const BELONGING: [&str; 6] = ["collection_id", "project_id", "run_id", "noun", "state", "what"];

/// Exceptions by a part of the statement, each with its reason.
const ALLOWED: [(&str, &str); 23] = [
    ("SELECT uid FROM entities WHERE collection_id = $1 AND seed = 1", "once, when a run is claimed"),
    ("FROM entities WHERE collection_id = $1 AND deny_list = 1", "what people denied, by an index of that alone"),
    ("INSERT INTO dirty (uid, collection_id, mark) SELECT", "once, when a run is claimed: all is planned anew"),
    ("UPDATE work SET state = 0", "rows that are leased: as many as run at once"),
    (
        "FROM work w JOIN looks l ON l.uid = w.uid AND l.task = w.task",
        "once, when an engine takes a run up: what the run asked so far",
    ),
    ("DELETE FROM work WHERE run_id = $1", "once, when a run is over: what is left of it"),
    ("DELETE FROM sweeps WHERE run_id = $1", "once, when a run is over"),
    ("DELETE FROM dirty WHERE collection_id = $1", "once, when a run is over"),
    ("(SELECT COUNT(*) FROM work WHERE run_id = $1 AND state = 0)", "counted in an index, once in a reconciliation"),
    ("SELECT MIN(not_before) FROM work WHERE run_id = $1", "only where all that is open has to wait"),
    ("(SELECT COUNT(*) FROM work w WHERE w.run_id = r.id", "counted in an index, for people and twice a second"),
    ("SELECT w.footprint, COUNT(*) FROM work w WHERE w.run_id = $1", "counted in an index, for people"),
    ("IN (SELECT id FROM collections WHERE deleted_at IS NOT NULL)", "all of them are removed, in pages"),
    ("DELETE FROM specimens WHERE number IN", "an hourly sweep"),
    ("FROM specimens WHERE number <= $1 GROUP BY", "once in a retrohunt, which reads all of them"),
    ("SELECT 1 FROM hunts_deferred LIMIT 1", "one row"),
    ("SELECT DISTINCT owner_id FROM hunts_deferred", "those who wait, by an index: the hunter works them off"),
    ("WHERE e.collection_id = $1 AND e.kind = $2 LIMIT 200000", "all that a collection has of a kind"),
    ("WHERE project_id = $1 AND project_id > 0", "once, when a project is deleted: all that is its own"),
    ("DELETE FROM specimens WHERE collection_id = $1", "once, when a project is deleted: its own"),
    ("DELETE FROM milestones", "an hourly sweep: it leaves 100,000"),
    ("DELETE FROM api_usage WHERE day <", "an hourly sweep: it leaves some days"),
    ("DELETE FROM quota_", "an hourly sweep: it leaves the periods that still count"),
];

/// Set by `cargo xtask test`: what is refused fails the test that asked for it.
const REFUSES: &str = "AMBIT_TEST_PLANS";

/// Names a file: what is asked of PostgreSQL is noted there, one statement a line, for the test that looks at its plans
/// in a filled database.
const STATEMENTS: &str = "AMBIT_TEST_STATEMENTS";

/// Whether a statement that grows is refused, and not only said in the log.
pub(crate) fn is_refused() -> bool {
    cfg!(test) || std::env::var_os(REFUSES).is_some()
}

/// Statements that were looked at already, on SQLite and on PostgreSQL.
static SEEN: LazyLock<[Mutex<HashSet<String>>; 2]> = LazyLock::new(Default::default);

/// Whether a statement has a plan, and is seen for the first time in this process on this database.
pub(crate) fn is_new(sql: &str, on_postgres: bool) -> bool {
    let first = sql.split_whitespace().next().unwrap_or_default();
    let seen = &SEEN[usize::from(on_postgres)];
    matches!(first, "SELECT" | "WITH" | "INSERT" | "UPDATE" | "DELETE") && seen.lock().insert(sql.to_owned())
}

/// Whether what PostgreSQL is asked is noted.
pub(crate) fn is_noted() -> bool {
    std::env::var_os(STATEMENTS).is_some()
}

/// Notes a statement that PostgreSQL is asked, with the types of its values, where somebody wants that.
pub(crate) fn note(sql: &str, types: &[&str]) {
    let Some(path) = std::env::var_os(STATEMENTS) else { return };
    let line = format!("{}\n", serde_json::json!([sql, types]));
    // Several processes append to it: a line is one write.
    let file = OpenOptions::new().create(true).append(true).open(path);
    if let Err(error) = file.and_then(|mut file| file.write_all(line.as_bytes())) {
        tracing::warn!(%error, "a statement is not noted");
    }
}

/// Refuses a statement by the lines of its plan. Fails with `Bug`, with the line and the statement.
pub(crate) fn check(sql: &str, plan: &[String]) -> Result<()> {
    let spaced = sql.split_whitespace().collect::<Vec<_>>().join(" ");
    let tables = tables(&spaced);
    if let Some(line) = plan.iter().find(|line| goes_through_all(line, &tables, &spaced)) {
        return Err(StoreError::Bug(format!("of each entity it goes through all edges, `{line}`: {spaced}")));
    }
    let Some(line) = plan.iter().find(|line| grows(line, &tables)) else { return Ok(()) };
    let sorts = plan.iter().any(|line| line.starts_with("USE TEMP B-TREE FOR"));
    let is_page = spaced.contains(" ORDER BY ") && spaced.contains(" LIMIT ") && !sorts;
    if is_page || ALLOWED.iter().any(|(part, _)| spaced.contains(part)) {
        return Ok(());
    }
    Err(StoreError::Bug(format!("it reads more the more there is, `{line}`: {spaced}")))
}

/// The growing tables of a statement, by the names that it gives them.
fn tables(sql: &str) -> BTreeMap<&str, &'static str> {
    let mut words = sql.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '.').peekable();
    let mut tables = BTreeMap::new();
    while let Some(word) = words.next() {
        let Some(table) = GROWING.iter().find(|table| **table == word) else { continue };
        tables.insert(word, *table);
        words.next_if_eq(&"AS");
        if let Some(name) = words.next_if(|next| next.starts_with(|letter: char| letter.is_ascii_lowercase())) {
            tables.insert(name, *table);
        }
    }
    tables
}

/// Whether a line of a plan reads more rows the more a growing table has: all of them, or those that belong somewhere.
fn grows(line: &str, tables: &BTreeMap<&str, &'static str>) -> bool {
    let mut words = line.split(' ');
    let (how, name) = (words.next(), words.next().unwrap_or_default());
    if !tables.contains_key(name) {
        return false;
    }
    match how {
        Some("SCAN") => true,
        Some("SEARCH") => {
            let Some((_, by)) = line.rsplit_once(" (") else { return false };
            let columns = by.trim_end_matches(')').split(" AND ");
            columns
                .map(|column| column.split(['=', '<', '>']).next().unwrap_or(column))
                .all(|column| BELONGING.contains(&column))
        }
        _ => false,
    }
}

/// Whether a line looks for edges between two ends by the first alone: a domain may have 100,000 names, and each of
/// them would go through all.
fn goes_through_all(line: &str, tables: &BTreeMap<&str, &'static str>, sql: &str) -> bool {
    let Some((name, by)) = line.strip_prefix("SEARCH ").and_then(|rest| rest.split_once(' ')) else { return false };
    tables.get(name) == Some(&"edges") && by.ends_with(" (from_uid=?)") && sql.contains(&format!("{name}.to_uid = "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_is_refused_whatever_it_is_called() {
        let by_collection = "SEARCH e USING INDEX entities_by_first_run (collection_id=?)";
        let scan = "SCAN e USING INDEX edges_inward";
        let by_key = "SEARCH entities USING INDEX sqlite_autoindex_entities_1 (uid=?)";
        let page = "SELECT d.uid FROM dirty d JOIN runs r ON r.collection_id = d.collection_id ORDER BY d.uid LIMIT ?";
        let of_page = "SEARCH d USING PRIMARY KEY (collection_id=?)";
        let sorted = "USE TEMP B-TREE FOR ORDER BY";
        let ends = "SELECT 1 FROM v JOIN edges e ON e.from_uid = v.from_uid AND e.to_uid = v.to_uid";
        let by_start = "SEARCH e USING INDEX edges_from (from_uid=?)";
        let by_ends = "SEARCH e USING INDEX edges_from (from_uid=? AND to_uid=?)";
        let cases: [(&str, &[&str], bool); 12] = [
            (ends, &["SCAN 2 CONSTANT ROWS", by_start], true),
            (ends, &["SCAN 2 CONSTANT ROWS", by_ends], false),
            ("SELECT e.to_uid FROM v JOIN edges e ON e.from_uid = v.uid", &[by_start], false),
            ("SELECT name FROM entities AS e WHERE e.collection_id = ? AND e.uid IN (?)", &[by_collection], true),
            ("SELECT 1 FROM v JOIN edges e ON e.from_uid = v.uid", &["SCAN 2 CONSTANT ROWS", scan], true),
            ("UPDATE entities SET seed = ? WHERE uid = ?", &[by_key], false),
            (page, &[of_page], false),
            (page, &[of_page, sorted], true),
            ("SELECT name FROM projects p", &["SCAN p"], false),
            ("WITH v (uid) AS (VALUES (?)) SELECT 1 FROM v", &["SCAN v"], false),
            ("DELETE FROM work WHERE run_id = $1", &["SEARCH work USING INDEX work_open (run_id=?)"], false),
            ("SELECT uid FROM work WHERE run_id = ?", &["SEARCH work USING INDEX work_open (run_id=?)"], true),
        ];
        for (sql, plan, is_refused) in cases {
            let plan: Vec<String> = plan.iter().map(|line| (*line).to_owned()).collect();
            assert_eq!(check(sql, &plan).is_err(), is_refused, "{sql}: {plan:?}");
        }
    }

    #[tokio::test]
    async fn a_statement_that_reads_a_collection_is_refused_at_the_door() {
        let folder = std::env::temp_dir().join(format!("ambit-plan-{}", uuid::Uuid::new_v4()));
        let owner = crate::NewOwner { email: "o@acme.test".into(), organization: "Acme".into(), username: None };
        let now = ambit_model::Timestamp(1_800_000_000_000);
        let (store, _) = crate::Store::init(&crate::Options::folder(&folder), &owner, now).await.unwrap();
        let mut tx = store.read().await.unwrap();
        let sql = format!("SELECT name FROM entities WHERE collection_id = 1 AND uid IN ({})", ["x'00'"; 16].join(","));
        let refused = tx.rows(&sql, Vec::new()).await;
        let text = refused.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(text.contains("entities_by_first_run (collection_id=?)"), "{text}");
        assert!(tx.rows("SELECT name FROM entities WHERE uid IN (x'00')", Vec::new()).await.is_ok());
        drop(tx);
        store.close().await;
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
