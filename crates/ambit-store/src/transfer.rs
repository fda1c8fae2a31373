//! Moving an installation from SQLite to PostgreSQL: every row, in one transaction of the target, so that a move that
//! fails or is killed leaves a database without an installation and is begun again. Nothing of the source is changed.

use crate::db::sql::{Tx, Value, values};
use crate::db::store::Pools;
use crate::db::writer::transaction;
use crate::{Options, Result, Store, StoreError};
use futures::TryStreamExt as _;
use sqlx::{AssertSqlSafe, Row as _, Sqlite, SqliteConnection, SqlitePool, Transaction};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Rows that wait for being written at most; a statement has 64.
const ROWS_WAITING_MAX: usize = 512;
/// Bytes at which rows that wait are written, however few they are: a piece of a blob has up to 1 MiB.
const BYTES_WAITING_MAX: usize = 4 << 20;
/// What migrations alone put rows into; they are replaced. All other tables of the target must be empty.
const FILLED_BY_MIGRATIONS: &[&str] = &["revision", "milestones", "judged"];
/// What says nothing of an installation: the schema that the target has by itself, and processes of the source.
const NOT_MOVED: &[&str] = &["schema_versions", "engines"];

/// What was moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transferred {
    /// Where it is now: the name of the database and of its host.
    pub to: String,
    pub tables: usize,
    pub rows: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Int,
    Text,
    Bytes,
}

/// A table as PostgreSQL has it. Its first column is never null.
#[derive(Default)]
struct Table {
    columns: Vec<(String, Type)>,
    identity: Option<String>,
}

impl Store {
    /// Moves this installation, which must be in a data folder, into a PostgreSQL database without one; the secret
    /// stays where it is. It fails with `Busy` while an engine works in the folder, and with `Invalid` where the target
    /// holds an installation or anything in our tables. Other processes cannot write in the folder meanwhile.
    pub async fn transfer(&self, target: &Options) -> Result<Transferred> {
        let Pools::Sqlite(pool, _) = self.pools() else {
            return Err(StoreError::Invalid("the installation is in a PostgreSQL database already".to_owned()));
        };
        let (pool, _engine) = (pool.clone(), self.engine("migrate", Duration::ZERO).await?);
        let (target, version) = Self::connect(target, false).await?;
        let Pools::Postgres(_, place) = target.pools() else {
            return Err(StoreError::Invalid("an installation is moved to a PostgreSQL database only".to_owned()));
        };
        let to = place.named.clone();
        target.migrate(version).await?;
        let (writer, named) = (target.clone(), to.clone());
        // The transaction of the source changes nothing: while it is open, nobody else changes anything either.
        let moved = transaction!(self, Engine, async |_source| {
            transaction!(writer, Engine, async |tx| move_all(&pool, tx, &named).await)
        });
        target.close().await;
        let (tables, rows) = moved?;
        Ok(Transferred { to, tables, rows })
    }
}

/// Returns how many tables and rows were moved.
async fn move_all(pool: &SqlitePool, tx: &mut Tx, named: &str) -> Result<(usize, u64)> {
    // Beside another move, or an installation that is being made, this waits and then finds it.
    tx.run("LOCK TABLE organizations IN EXCLUSIVE MODE", Vec::new()).await?;
    let mut source = pool.begin().await?;
    let tables = tables(&mut source, tx).await?;
    for name in tables.keys().filter(|name| !FILLED_BY_MIGRATIONS.contains(&name.as_str())) {
        if tx.exists(&format!("SELECT 1 FROM {name} LIMIT 1"), Vec::new()).await? {
            return Err(StoreError::Invalid(format!(
                "{named} is not empty ({name} has rows): give a fresh database to move to"
            )));
        }
    }
    let mut rows = 0;
    for (name, table) in &tables {
        tx.run(&format!("DELETE FROM {name}"), Vec::new()).await?;
        rows += move_table(&mut source, tx, name, table).await?;
    }
    Ok((tables.len(), rows))
}

/// The tables that both have, with the same columns. Anything else is a mistake in our migrations.
async fn tables(source: &mut Transaction<'_, Sqlite>, tx: &mut Tx) -> Result<BTreeMap<String, Table>> {
    let mut known = BTreeMap::<String, Table>::new();
    let sql = "SELECT table_name::text, column_name::text, data_type::text, is_nullable::text, is_identity::text FROM \
               information_schema.columns WHERE table_schema = current_schema() ORDER BY table_name, is_nullable, \
               ordinal_position";
    for (name, column, data, _, identity) in
        tx.read_all::<(String, String, String, String, String)>(sql, Vec::new()).await?
    {
        let table = known.entry(name).or_default();
        if identity == "YES" {
            table.identity = Some(column.clone());
        }
        let kind = match data.as_str() {
            "bigint" => Type::Int,
            "bytea" => Type::Bytes,
            _ => Type::Text,
        };
        table.columns.push((column, kind));
    }
    let sql = "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND \
               m.name NOT LIKE 'sqlite_%'";
    let pairs: Vec<(String, String)> = sqlx::query_as(sql).fetch_all(&mut **source).await?;
    let mut ours = BTreeMap::<String, BTreeSet<String>>::new();
    for (table, column) in pairs.into_iter().filter(|(table, _)| !NOT_MOVED.contains(&table.as_str())) {
        ours.entry(table).or_default().insert(column);
    }
    let mut both = BTreeMap::new();
    for (name, columns) in ours {
        let table = known.remove(&name).unwrap_or_default();
        if table.columns.iter().map(|(column, _)| column.clone()).collect::<BTreeSet<_>>() != columns {
            return Err(StoreError::Bug(format!("the table {name} is not the same on both databases")));
        }
        both.insert(name, table);
    }
    Ok(both)
}

/// Returns the number of rows, which is the same on both sides.
async fn move_table(source: &mut SqliteConnection, tx: &mut Tx, name: &str, table: &Table) -> Result<u64> {
    let columns: Vec<&str> = table.columns.iter().map(|(column, _)| column.as_str()).collect();
    let columns = columns.join(", ");
    let insert = format!("INSERT INTO {name} ({columns})");
    let mut rows = sqlx::query(AssertSqlSafe(format!("SELECT {columns} FROM {name}"))).fetch(&mut *source);
    let (mut moved, mut waiting, mut bytes) = (0, Vec::new(), 0);
    while let Some(row) = rows.try_next().await? {
        for (place, (_, kind)) in table.columns.iter().enumerate() {
            let value = match kind {
                Type::Int => Value::from(row.try_get::<Option<i64>, _>(place)?),
                Type::Text => Value::from(row.try_get::<Option<String>, _>(place)?),
                Type::Bytes => Value::Bytes(row.try_get(place)?),
            };
            bytes += size(&value);
            waiting.push(value);
        }
        moved += 1;
        if bytes >= BYTES_WAITING_MAX || waiting.len() >= ROWS_WAITING_MAX * table.columns.len() {
            tx.many(&insert, table.columns.len(), std::mem::take(&mut waiting), "").await?;
            bytes = 0;
        }
    }
    drop(rows);
    tx.many(&insert, table.columns.len(), waiting, "").await?;
    let found: i64 = tx.read_one(&format!("SELECT COUNT(*) FROM {name}"), Vec::new()).await?;
    if u64::try_from(found) != Ok(moved) {
        return Err(StoreError::Bug(format!("{found} of {moved} rows of the table {name} arrived")));
    }
    if let Some(identity) = &table.identity {
        // The next number is the one that SQLite would give: of some tables none that a row ever had.
        let given = "SELECT seq FROM sqlite_sequence WHERE name = ?";
        let given: Option<i64> = sqlx::query_scalar(given).bind(name).fetch_optional(&mut *source).await?;
        let sql = format!(
            "SELECT setval(pg_get_serial_sequence('{name}', '{identity}'), (SELECT GREATEST(COALESCE(MAX({identity}), \
             0), $1) + 1 FROM {name}), false)"
        );
        tx.rows(&sql, values![given.unwrap_or(0)]).await?;
    }
    // Without statistics the first hours would have the plans of empty tables.
    tx.run(&format!("ANALYZE {name}"), Vec::new()).await?;
    Ok(moved)
}

fn size(value: &Value) -> usize {
    match value {
        Value::Int(_) => size_of::<i64>(),
        Value::Text(text) => text.as_ref().map_or(0, String::len),
        Value::Bytes(bytes) => bytes.as_ref().map_or(0, Vec::len),
    }
}
