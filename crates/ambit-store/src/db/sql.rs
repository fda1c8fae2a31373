//! One text of SQL for both databases: values, rows and transactions as enums over sqlx's two drivers
//! (docs/architecture.md §1.7). Every statement of this crate goes through `Tx`, and whatever is in it comes from a
//! literal or from a bound value.

mod statement;

use crate::db::error::corrupt;
use crate::db::folder;
use crate::db::plan;
use crate::{Result, StoreError};
use ambit_model::collection::Schedule;
use ambit_model::feed::{Noun, What};
use ambit_model::notification::{Channel, DeliveryState};
use ambit_model::object::ArchiveStatus;
use ambit_model::ports::PortList;
use ambit_model::run::{NotDoneReason, RetestVerdict, RunState};
use ambit_model::scope::SharedBy;
use ambit_model::user::{CollectionRole, InvitedTo, ProjectRole};
use ambit_model::{Clearance, DueDays, EdgeKind, Kind, SkippedTasks, TaskName, Timestamp, Uid, Wave};
use sqlx::{AssertSqlSafe, Postgres, Row as _, Sqlite};
use statement::{chunks, list_of};
use std::path::PathBuf;
use std::sync::Arc;
use uuid::Uuid;

/// Rows of one transaction's part, and values of one list.
pub(crate) const ROWS_MAX: usize = 500;

/// Rows that one sweep removes in one transaction, so that other writers do not wait long.
pub(crate) const SWEPT_ROWS_MAX: i64 = 5_000;

/// Rows of one statement at most: what an engine gathers between two commits fits few statements, and larger ones cost
/// as much for each row, while each connection keeps the plan of each.
const STATEMENT_ROWS_MAX: usize = 64;

/// A bound value. Times and booleans are integers, uids bytes, uuids and documents text, the same on both databases.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Int(Option<i64>),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
}

impl Value {
    /// The type that PostgreSQL knows it by.
    fn type_on_postgres(&self) -> &'static str {
        match self {
            Self::Int(_) => "bigint",
            Self::Text(_) => "text",
            Self::Bytes(_) => "bytea",
        }
    }

    /// A null of the same type: PostgreSQL gives each column of a list of rows one.
    fn null_like(&self) -> Self {
        match self {
            Self::Int(_) => Self::Int(None),
            Self::Text(_) => Self::Text(None),
            Self::Bytes(_) => Self::Bytes(None),
        }
    }
}

macro_rules! value_from {
    ($($kind:ty, $value:ident => $to:expr;)*) => {$(
        impl From<$kind> for Value {
            fn from($value: $kind) -> Self {
                $to
            }
        }
    )*};
}

value_from! {
    i64, value => Self::Int(Some(value));
    Option<i64>, value => Self::Int(value);
    bool, value => Self::Int(Some(i64::from(value)));
    Timestamp, value => Self::Int(Some(value.0));
    Option<Timestamp>, value => Self::Int(value.map(|time| time.0));
    &str, value => Self::Text(Some(clean(value.to_owned())));
    String, value => Self::Text(Some(clean(value)));
    &String, value => Self::Text(Some(clean(value.clone())));
    Option<&str>, value => Self::Text(value.map(|text| clean(text.to_owned())));
    Option<String>, value => Self::Text(value.map(clean));
    Uuid, value => Self::Text(Some(value.to_string()));
    Option<Uuid>, value => Self::Text(value.map(|uuid| uuid.to_string()));
    Uid, value => Self::Bytes(Some(value.bytes().to_vec()));
    &Uid, value => Self::Bytes(Some(value.bytes().to_vec()));
    Option<Uid>, value => Self::Bytes(value.map(|uid| uid.bytes().to_vec()));
    Vec<u8>, value => Self::Bytes(Some(value));
    &[u8], value => Self::Bytes(Some(value.to_vec()));
    Option<Vec<u8>>, value => Self::Bytes(value);
}

/// PostgreSQL refuses NUL in text and fails the whole batch; it is dropped at this edge on both. (JSON documents spell
/// it `\u0000` and keep it.)
fn clean(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "") } else { text }
}

/// A list of bound values: `values![uid, now]`.
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$($crate::db::sql::Value::from($value)),*] };
}
pub(crate) use values;

/// A count as a value; beyond what a column holds it is the greatest that one does.
pub(crate) fn whole(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A row of an answer; columns are counted from 0.
pub(crate) enum Row {
    Sqlite(sqlx::sqlite::SqliteRow),
    Postgres(sqlx::postgres::PgRow),
}

/// A type that a column can be read as.
pub(crate) trait Column: Sized {
    fn read(row: &Row, column: usize) -> Result<Self>;
}

impl Row {
    /// The value of a column.
    pub(crate) fn get<T: Column>(&self, column: usize) -> Result<T> {
        T::read(self, column)
    }

    /// How many columns there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Sqlite(row) => row.len(),
            Self::Postgres(row) => row.len(),
        }
    }

    fn raw<'r, T>(&'r self, column: usize) -> Result<Option<T>>
    where
        T: sqlx::Decode<'r, Sqlite> + sqlx::Type<Sqlite> + sqlx::Decode<'r, Postgres> + sqlx::Type<Postgres>,
    {
        Ok(match self {
            Self::Sqlite(row) => row.try_get(column)?,
            Self::Postgres(row) => row.try_get(column)?,
        })
    }
}

macro_rules! column {
    ($($kind:ty, $raw:ty, $value:ident => $to:expr;)*) => {$(
        impl Column for Option<$kind> {
            fn read(row: &Row, column: usize) -> Result<Self> {
                let Some($value) = row.raw::<$raw>(column)? else { return Ok(None) };
                Ok(Some($to))
            }
        }
        impl Column for $kind {
            fn read(row: &Row, column: usize) -> Result<Self> {
                row.get::<Option<$kind>>(column)?
                    .ok_or_else(|| StoreError::Bug(format!("column {column} is empty")))
            }
        }
    )*};
}

column! {
    i64, i64, value => value;
    bool, i64, value => value != 0;
    Timestamp, i64, value => Timestamp(value);
    String, String, value => value;
    Uuid, String, value => value.parse().map_err(|error| corrupt("uuid", error))?;
    Kind, String, value => Kind::from_name(&value).ok_or_else(|| unknown("kind", &value))?;
    EdgeKind, String, value => EdgeKind::from_name(&value).ok_or_else(|| unknown("edge", &value))?;
    Noun, String, value => Noun::from_name(&value).ok_or_else(|| unknown("noun", &value))?;
    What, String, value => What::from_name(&value).ok_or_else(|| unknown("change", &value))?;
    RunState, String, value => RunState::from_name(&value).ok_or_else(|| unknown("state of a run", &value))?;
    NotDoneReason, String, value => NotDoneReason::from_name(&value).ok_or_else(|| unknown("reason", &value))?;
    RetestVerdict, String, value => RetestVerdict::from_name(&value).ok_or_else(|| unknown("verdict", &value))?;
    Schedule, String, value => Schedule::from_name(&value).ok_or_else(|| unknown("schedule", &value))?;
    InvitedTo, String, value => InvitedTo::from_name(&value).ok_or_else(|| unknown("kind of invitation", &value))?;
    ArchiveStatus, String,
    value => ArchiveStatus::from_name(&value).ok_or_else(|| unknown("status of an archive", &value))?;
    ProjectRole, String, value => ProjectRole::from_name(&value).ok_or_else(|| unknown("project role", &value))?;
    CollectionRole, String,
    value => CollectionRole::from_name(&value).ok_or_else(|| unknown("collection role", &value))?;
    Channel, String, value => Channel::from_name(&value).ok_or_else(|| unknown("channel", &value))?;
    DeliveryState, String,
    value => DeliveryState::from_name(&value).ok_or_else(|| unknown("state of a delivery", &value))?;
    DueDays, String, value => value.parse().map_err(|error: String| corrupt("days until issues are due", error))?;
    Clearance, i64, value => Clearance::from_number(value).ok_or_else(|| unknown("clearance", &value.to_string()))?;
    SharedBy, i64, value => SharedBy::from_number(value).ok_or_else(|| unknown("sharing", &value.to_string()))?;
    Wave, i64, value => Wave::from_number(value).ok_or_else(|| unknown("wave", &value.to_string()))?;
    PortList, String, value => value.parse().map_err(|error: String| corrupt("list of ports", error))?;
    // A task that this version does not have is left out in any case.
    SkippedTasks, String, value => value.split(',').filter_map(TaskName::from_name).collect();
    Vec<u8>, Vec<u8>, value => value;
    Uid, Vec<u8>, value => Uid::from_bytes(value.try_into().map_err(|_| corrupt("uid", "not 32 bytes"))?);
}

fn unknown(what: &str, value: &str) -> StoreError {
    StoreError::Bug(format!("unknown {what} {value:?}"))
}

/// A document as it is stored.
pub(crate) fn to_json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("our records have string keys and finite numbers")
}

/// A stored document.
pub(crate) fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| corrupt("document", error))
}

/// What errors name: the file of the database, or host and name of a remote one. Never a password.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) named: String,
    /// The data folder of a SQLite database.
    pub(crate) folder: Option<PathBuf>,
}

/// What SQLite says where a file cannot be written, or one beside the database cannot be made.
const WRITING_FAILED: [&str; 2] = ["disk I/O error", "unable to open database file"];

impl Origin {
    /// The failure of a statement, with the place that it is about. Where SQLite only says that writing failed, a small
    /// file beside the database tells whether the disk is full or can only be read.
    pub(crate) fn failed(&self, error: sqlx::Error) -> StoreError {
        let (error, folder) = (StoreError::from(error), self.folder.as_deref());
        let reason = match (&error, folder) {
            (StoreError::Unavailable(why), Some(folder)) if WRITING_FAILED.iter().any(|said| why.contains(said)) => {
                folder::why_not_written(folder)
            }
            _ => None,
        };
        reason.unwrap_or(error).in_place(&self.named)
    }
}

/// An open transaction of either database. Dropped without `commit`, it rolls back.
pub(crate) struct Tx {
    open: Open,
    origin: Arc<Origin>,
    /// Why the first statement failed that did.
    failed: Option<StoreError>,
}

enum Open {
    Sqlite(sqlx::Transaction<'static, Sqlite>),
    /// The one writing connection of a process, with its transaction begun and ended by hand: SQLite ends one by itself
    /// where the disk is full, which sqlx's own bookkeeping of transactions does not survive. Whoever holds it ends it,
    /// also after a failure.
    SqliteWriter(sqlx::pool::PoolConnection<Sqlite>),
    Postgres(sqlx::Transaction<'static, Postgres>),
}

/// Runs `$body` with the typed query and executor of one database.
macro_rules! typed {
    ($database:ty, $connection:expr, $sql:expr, $values:expr, $row:path, |$query:ident, $on:ident,
    $wrap:ident| $body:expr) => {{
        let mut $query = sqlx::query::<$database>(AssertSqlSafe($sql));
        for value in $values {
            $query = match value {
                Value::Int(value) => $query.bind(value),
                Value::Text(value) => $query.bind(value),
                Value::Bytes(value) => $query.bind(value),
            };
        }
        let ($on, $wrap) = (&mut **$connection, $row);
        $body
    }};
}

/// Runs `$body` with the typed query and executor of the transaction's database.
macro_rules! on_either {
    ($tx:expr, $sql:expr, $values:expr, |$query:ident, $on:ident, $wrap:ident| $body:expr) => {
        match $tx {
            Open::Sqlite(open) => typed!(Sqlite, open, $sql, $values, Row::Sqlite, |$query, $on, $wrap| $body),
            Open::SqliteWriter(open) => typed!(Sqlite, open, $sql, $values, Row::Sqlite, |$query, $on, $wrap| $body),
            Open::Postgres(open) => typed!(Postgres, open, $sql, $values, Row::Postgres, |$query, $on, $wrap| $body),
        }
    };
}

impl Tx {
    pub(crate) fn sqlite(open: sqlx::Transaction<'static, Sqlite>, origin: Arc<Origin>) -> Self {
        let open = Open::Sqlite(open);
        Self { open, origin, failed: None }
    }

    pub(crate) fn postgres(open: sqlx::Transaction<'static, Postgres>, origin: Arc<Origin>) -> Self {
        let open = Open::Postgres(open);
        Self { open, origin, failed: None }
    }

    /// True on PostgreSQL; only where two forms of a statement stand side by side.
    pub(crate) fn is_postgres(&self) -> bool {
        matches!(self.open, Open::Postgres(_))
    }

    /// Refuses, in debug builds, a statement whose plan on SQLite reads more the more there is. Where no test runs, it
    /// is said in the log alone: a slow answer is better than none.
    async fn refuse_scans(&mut self, sql: &str, values: &[Value]) -> Result<()> {
        let connection = match &mut self.open {
            Open::Sqlite(open) => &mut **open,
            Open::SqliteWriter(open) => &mut **open,
            Open::Postgres(_) => {
                if cfg!(debug_assertions) && plan::is_noted() && plan::is_new(sql, true) {
                    plan::note(sql, &values.iter().map(Value::type_on_postgres).collect::<Vec<_>>());
                }
                return Ok(());
            }
        };
        if !cfg!(debug_assertions) || !plan::is_new(sql, false) {
            return Ok(());
        }
        let query = sqlx::query(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}"))).persistent(false);
        let rows = query.fetch_all(connection).await.map_err(|error| self.origin.failed(error))?;
        let lines = rows.iter().map(|row| row.try_get("detail")).collect::<Result<Vec<String>, _>>()?;
        match plan::check(sql, &lines) {
            Err(error) if !plan::is_refused() => {
                tracing::warn!(%error, "a slow statement");
                Ok(())
            }
            checked => checked,
        }
    }

    /// Runs a statement; gives the number of rows it changed.
    pub(crate) async fn run(&mut self, sql: &str, values: Vec<Value>) -> Result<u64> {
        self.refuse_scans(sql, &values).await?;
        let done = on_either!(&mut self.open, sql.to_owned(), values, |query, on, _wrap| {
            query.execute(on).await.map(|done| done.rows_affected())
        });
        done.map_err(|error| self.note(error))
    }

    /// All rows of an answer; the statement itself must bound them.
    pub(crate) async fn rows(&mut self, sql: &str, values: Vec<Value>) -> Result<Vec<Row>> {
        self.refuse_scans(sql, &values).await?;
        let found = on_either!(&mut self.open, sql.to_owned(), values, |query, on, wrap| {
            query.fetch_all(on).await.map(|rows| rows.into_iter().map(wrap).collect())
        });
        found.map_err(|error| self.note(error))
    }

    /// The first row of an answer.
    pub(crate) async fn row(&mut self, sql: &str, values: Vec<Value>) -> Result<Option<Row>> {
        Ok(self.rows(sql, values).await?.into_iter().next())
    }

    /// The first row of an answer that always has one.
    pub(crate) async fn one(&mut self, sql: &str, values: Vec<Value>) -> Result<Row> {
        self.row(sql, values).await?.ok_or_else(|| StoreError::Bug(format!("no row: {sql}")))
    }

    /// A statement over many rows of `columns` values each: `head VALUES (…), (…) tail`, split into statements of at
    /// most `STATEMENT_ROWS_MAX` rows. The first column of a row is never null.
    pub(crate) async fn many(&mut self, head: &str, columns: usize, values: Vec<Value>, tail: &str) -> Result<()> {
        for (sql, chunk) in chunks(self.is_postgres(), head, columns, values, tail) {
            self.run(&sql, chunk).await?;
        }
        Ok(())
    }

    /// `many` for statements that answer with rows.
    pub(crate) async fn many_rows(
        &mut self,
        head: &str,
        columns: usize,
        values: Vec<Value>,
        tail: &str,
    ) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for (sql, chunk) in chunks(self.is_postgres(), head, columns, values, tail) {
            rows.extend(self.rows(&sql, chunk).await?);
        }
        Ok(rows)
    }

    /// Rows whose column is one of a list: `head (…) tail`, where `first` are the values `$1` … of head and tail.
    pub(crate) async fn rows_in<T>(&mut self, head: &str, first: Vec<Value>, list: &[T], tail: &str) -> Result<Vec<Row>>
    where
        T: Clone,
        Value: From<T>,
    {
        let mut rows = Vec::new();
        for chunk in list.chunks(ROWS_MAX) {
            let (sql, values) = list_of(self.is_postgres(), head, &first, chunk, tail);
            rows.extend(self.rows(&sql, values).await?);
        }
        Ok(rows)
    }

    /// A statement on rows whose column is one of a list, like `rows_in`.
    pub(crate) async fn run_in<T>(&mut self, head: &str, first: Vec<Value>, list: &[T], tail: &str) -> Result<u64>
    where
        T: Clone,
        Value: From<T>,
    {
        let mut changed = 0;
        for chunk in list.chunks(ROWS_MAX) {
            let (sql, values) = list_of(self.is_postgres(), head, &first, chunk, tail);
            changed += self.run(&sql, values).await?;
        }
        Ok(changed)
    }

    /// Runs a script of several statements without values.
    pub(crate) async fn script(&mut self, sql: &'static str) -> Result<()> {
        let done = match &mut self.open {
            Open::Sqlite(transaction) => sqlx::raw_sql(sql).execute(&mut **transaction).await.map(|_| ()),
            Open::SqliteWriter(connection) => sqlx::raw_sql(sql).execute(&mut **connection).await.map(|_| ()),
            Open::Postgres(transaction) => sqlx::raw_sql(sql).execute(&mut **transaction).await.map(|_| ()),
        };
        done.map_err(|error| self.note(error))
    }

    /// The failure of a statement, which is remembered.
    fn note(&mut self, error: sqlx::Error) -> StoreError {
        let error = self.origin.failed(error);
        self.failed.get_or_insert_with(|| error.clone());
        error
    }

    /// Fails where a statement has failed since this was last asked, whatever came after it.
    pub(crate) fn check(&mut self) -> Result<()> {
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Makes it durable.
    pub(crate) async fn commit(self) -> Result<()> {
        let done = match self.open {
            Open::Sqlite(transaction) => transaction.commit().await,
            Open::SqliteWriter(mut connection) => {
                let committed = sqlx::query("COMMIT").execute(&mut *connection).await;
                if committed.is_err() {
                    end_by_hand(connection).await;
                }
                committed.map(|_| ())
            }
            Open::Postgres(transaction) => transaction.commit().await,
        };
        done.map_err(|error| self.origin.failed(error))
    }

    /// Takes it back.
    pub(crate) async fn rollback(self) -> Result<()> {
        let done = match self.open {
            Open::Sqlite(transaction) => transaction.rollback().await,
            Open::SqliteWriter(connection) => {
                end_by_hand(connection).await;
                Ok(())
            }
            Open::Postgres(transaction) => transaction.rollback().await,
        };
        done.map_err(|error| self.origin.failed(error))
    }
}

/// Begins a writing transaction on SQLite, waiting for other processes' writes.
pub(crate) async fn begin_sqlite_writer(pool: &sqlx::SqlitePool, origin: &Arc<Origin>) -> Result<Tx> {
    let mut connection = pool.acquire().await.map_err(|error| origin.failed(error))?;
    if let Err(error) = sqlx::query("BEGIN IMMEDIATE").execute(&mut *connection).await {
        // Whatever state it is in, the next group gets a fresh one.
        let _ = connection.close().await;
        return Err(origin.failed(error));
    }
    Ok(Tx { open: Open::SqliteWriter(connection), origin: Arc::clone(origin), failed: None })
}

/// Ends what may be left of a transaction: none is, where SQLite ended it by itself, and then the statement fails.
async fn end_by_hand(mut connection: sqlx::pool::PoolConnection<Sqlite>) {
    let _ = sqlx::query("ROLLBACK").execute(&mut *connection).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nul_never_reaches_a_text_column() {
        assert_eq!(Value::from("a\0b"), Value::Text(Some("ab".to_owned())));
    }
}
