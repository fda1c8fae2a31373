//! The plans that PostgreSQL makes, in a database that is filled and analysed, for the statements that tests asked it:
//! none reads a table that grows as a whole, but those that are listed with their reasons.

use super::{ALLOWED, GROWING, STATEMENTS};
use crate::{NewOwner, Options, Store};
use ambit_model::Timestamp;
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};
use std::collections::BTreeSet;

/// The server in which databases may be made (`cargo xtask with-postgres`).
const SERVER: &str = "AMBIT_TEST_POSTGRES";
/// Rows of each growing table: so many that an index costs less than all of them wherever one serves.
const ROWS: i64 = 20_000;

/// Exceptions on PostgreSQL alone, by a part of the statement, each with its reason.
const ALLOWED_HERE: [(&str, &str); 4] = [
    ("DELETE FROM deliveries WHERE id IN (SELECT id", "an hourly sweep: a page of 5,000 is a quarter of these rows"),
    ("DELETE FROM told WHERE event IN (SELECT event", "an hourly sweep: a page of 5,000 is a quarter of these rows"),
    ("FROM analyses a JOIN files f", "those that wait are few, and here they are half of all"),
    ("AS moved JOIN edges e", "of an unknown revision it is guessed that a third of the rows are younger"),
];

/// Whether it is of the copy of a data folder, which empties each table of the new database and counts its rows.
fn is_of_copy(sql: &str) -> bool {
    let table = sql.strip_prefix("DELETE FROM ").or_else(|| sql.strip_prefix("SELECT COUNT(*) FROM "));
    table.is_some_and(|table| GROWING.contains(&table))
}

/// Fills the growing tables. What says where a row belongs has four values and a state three; whatever may be null is
/// so in every second row.
const FILL: &str = "
DO $fill$
DECLARE
    grown TEXT;
    column_of RECORD;
    names TEXT;
    sources TEXT;
    source TEXT;
BEGIN
    FOREACH grown IN ARRAY string_to_array('{tables}', ',') LOOP
        names := '';
        sources := '';
        FOR column_of IN
            SELECT column_name, data_type, is_nullable FROM information_schema.columns
            WHERE table_schema = 'public' AND table_name = grown AND is_identity = 'NO' AND is_generated = 'NEVER'
            ORDER BY ordinal_position
        LOOP
            source := CASE
                WHEN column_of.column_name IN ('collection_id', 'project_id', 'run_id') THEN '1 + i % 4'
                WHEN column_of.column_name IN ('state', 'noun', 'what') AND column_of.data_type = 'bigint' THEN 'i % 3'
                WHEN column_of.column_name IN ('state', 'noun', 'what') THEN '''s'' || i % 3'
                WHEN column_of.data_type = 'bytea' THEN 'decode(md5(i::text) || md5(i::text), ''hex'')'
                WHEN column_of.data_type = 'text' THEN '''t'' || i'
                ELSE 'i'
            END;
            IF column_of.is_nullable = 'YES' THEN
                source := 'CASE WHEN i % 2 = 0 THEN ' || source || ' END';
            END IF;
            names := names || ',' || quote_ident(column_of.column_name);
            sources := sources || ',' || source;
        END LOOP;
        EXECUTE format(
            'INSERT INTO %I (%s) SELECT %s FROM generate_series(1::bigint, {rows}) i ON CONFLICT DO NOTHING',
            grown, substr(names, 2), substr(sources, 2));
    END LOOP;
END $fill$";

/// The node of a plan that reads a growing table as a whole, in words; `None` where there is none. `bounded`: what is
/// above takes the first rows that come.
fn reads_whole(node: &Value, bounded: bool) -> Option<String> {
    let text = |member: &str| node[member].as_str().unwrap_or_default();
    let (sort, table) = (text("Node Type"), text("Relation Name"));
    let whole = match sort {
        "Seq Scan" => !bounded || node.get("Filter").is_some(),
        // In the order of an index a page may be taken.
        "Index Scan" | "Index Only Scan" => node.get("Index Cond").is_none() && !bounded,
        _ => false,
    };
    if whole && GROWING.contains(&table) {
        return Some(format!("{sort} of {table} {}", text("Index Name")).trim_end().to_owned());
    }
    // These take all that is below before they give the first row.
    let bounded = sort == "Limit" || (bounded && !["Sort", "Aggregate", "Hash", "Unique"].contains(&sort));
    node["Plans"].as_array().into_iter().flatten().find_map(|below| reads_whole(below, bounded))
}

async fn run(on: &mut PgConnection, sql: String) -> sqlx::Result<()> {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(on).await.map(drop)
}

/// Makes a database with the schema, full.
async fn filled(server: &str, name: &str) -> PgConnection {
    let mut admin = PgConnection::connect(server).await.unwrap();
    run(&mut admin, format!("CREATE DATABASE {name}")).await.unwrap();
    let url = format!("{}/{name}", server.rsplit_once('/').unwrap().0);
    let secret = std::env::temp_dir().join(format!("ambit-secret-{name}"));
    let options = Options { folder: None, database: Some(url.clone()), secret_file: Some(secret.clone()) };
    let owner = NewOwner { email: "o@acme.test".into(), organization: "Acme".into(), username: None };
    let (store, _) = Store::init(&options, &owner, Timestamp(1_800_000_000_000)).await.unwrap();
    store.close().await;
    std::fs::remove_file(secret).unwrap();
    let mut on = PgConnection::connect(&url).await.unwrap();
    let fill = FILL.replace("{tables}", &GROWING.join(",")).replace("{rows}", &ROWS.to_string());
    run(&mut on, fill).await.unwrap();
    // What nobody knows of the values must not decide: a table is read as a whole only where no index serves.
    run(&mut on, "ANALYZE; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off".into()).await.unwrap();
    on
}

/// The plan for any values of these types.
async fn plan(on: &mut PgConnection, sql: &str, types: &[String]) -> sqlx::Result<Value> {
    let (mut given, mut nothing) = (String::new(), String::new());
    if !types.is_empty() {
        (given, nothing) = (format!(" ({})", types.join(", ")), format!(" ({})", vec!["NULL"; types.len()].join(", ")));
    }
    run(on, format!("PREPARE asked{given} AS {sql}")).await?;
    let explain = format!("EXPLAIN (FORMAT JSON) EXECUTE asked{nothing}");
    let row = sqlx::raw_sql(AssertSqlSafe(explain)).fetch_one(&mut *on).await?;
    let text: String = row.try_get_unchecked(0)?;
    run(on, "DEALLOCATE asked".into()).await?;
    Ok(serde_json::from_str::<Value>(&text).unwrap()[0]["Plan"].take())
}

/// Looks at what all other tests asked: `cargo xtask test` runs it after them, and names the file of what they asked.
#[tokio::test]
async fn afterwards_no_statement_on_postgresql_reads_a_growing_table_as_a_whole() {
    let variable = |name: &str| {
        let how = "run it by `cargo xtask with-postgres cargo xtask test -p ambit-store`";
        std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set: {how}"))
    };
    let (server, noted) = (variable(SERVER), variable(STATEMENTS));
    let noted = std::fs::read_to_string(noted).unwrap();
    let asked: BTreeSet<(String, Vec<String>)> =
        noted.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let name = format!("ambit_{}", uuid::Uuid::new_v4().simple());
    let mut on = filled(&server, &name).await;
    let mut whole = Vec::new();
    for (sql, types) in &asked {
        let spaced = sql.split_whitespace().collect::<Vec<_>>().join(" ");
        let found = plan(&mut on, sql, types).await.unwrap_or_else(|error| panic!("{error}: {spaced}"));
        let allowed = is_of_copy(&spaced) || ALLOWED.iter().chain(&ALLOWED_HERE).any(|(part, _)| spaced.contains(part));
        if let Some(node) = reads_whole(&found, false).filter(|_| !allowed) {
            whole.push(format!("{node}: {spaced}"));
        }
    }
    on.close().await.unwrap();
    let mut admin = PgConnection::connect(&server).await.unwrap();
    run(&mut admin, format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
    assert!(!asked.is_empty() && whole.is_empty(), "of {} statements: {whole:#?}", asked.len());
}

#[test]
fn a_page_by_an_index_is_no_whole_table_and_a_filter_is() {
    let of = |text: &str| reads_whole(&serde_json::from_str(text).unwrap(), false);
    let scan = r#"{"Node Type": "Seq Scan", "Relation Name": "looks", "Filter": "(uid = $1)"}"#;
    assert_eq!(of(scan).as_deref(), Some("Seq Scan of looks"));
    let below = |above: &str, node: &str| format!(r#"{{"Node Type": "{above}", "Plans": [{node}]}}"#);
    assert!(of(&below("Limit", scan)).is_some(), "the rows that do not fit are read as well");
    let page = r#"{"Node Type": "Index Scan", "Relation Name": "files", "Index Name": "files_pkey"}"#;
    assert_eq!(of(page).as_deref(), Some("Index Scan of files files_pkey"));
    assert_eq!(of(&below("Limit", page)), None);
    assert!(of(&below("Limit", &below("Sort", page))).is_some());
    let key = r#"{"Node Type": "Index Scan", "Relation Name": "files", "Index Cond": "(sha256 = $1)"}"#;
    assert_eq!(of(key), None);
    assert_eq!(of(&scan.replace("looks", "projects")), None, "it does not grow");
}
