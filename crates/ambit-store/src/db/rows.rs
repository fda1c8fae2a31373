//! Rows by name. `columns!` says once which column each member of a struct is read from; `named!` puts each value
//! beside the name of its column. The lists of columns in statements come from there, so that neither their order nor
//! their number is said twice (docs/decisions/0140-rows-are-written-by-name.md).

use crate::db::sql::{Column, ROWS_MAX, Row, Tx, Value, from_json};
use crate::{Result, StoreError};

/// The columns of a row, read from left to right.
pub(crate) struct Cells<'r> {
    row: &'r Row,
    next: usize,
}

impl Cells<'_> {
    /// The value of the next column.
    pub(crate) fn value<T: Column>(&mut self) -> Result<T> {
        self.next += 1;
        self.row.get(self.next - 1)
    }

    /// The JSON document in the next column.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(&mut self) -> Result<T> {
        from_json(&self.value::<String>()?)
    }
}

/// What a row, or neighbouring columns of one, can be read as: a value, a tuple, or a struct with `columns!`.
pub(crate) trait FromRow: Sized {
    fn read(cells: &mut Cells<'_>) -> Result<Self>;
}

impl<T: Column> FromRow for T {
    fn read(cells: &mut Cells<'_>) -> Result<Self> {
        cells.value()
    }
}

macro_rules! tuples {
    ($(($($part:ident),+);)+) => {$(
        impl<$($part: FromRow),+> FromRow for ($($part,)+) {
            fn read(cells: &mut Cells<'_>) -> Result<Self> {
                Ok(($($part::read(cells)?,)+))
            }
        }
    )+};
}

tuples! {
    (A, B);
    (A, B, C);
    (A, B, C, D);
    (A, B, C, D, E);
}

/// A struct that is read from columns of known names.
pub(crate) trait Columns: FromRow {
    /// The prefix of columns for which none is stated: `"table."`, or nothing.
    const TABLE: &'static str;

    fn names() -> Vec<String>;
}

/// The columns of a struct, as they stand in a `SELECT`.
pub(crate) fn list<T: Columns>() -> String {
    T::names().join(", ")
}

/// The statement that reads a struct: its columns, and what follows them: `FROM notes n WHERE …`.
pub(crate) fn select<T: Columns>(from: &str) -> String {
    format!("SELECT {} {from}", list::<T>())
}

/// Declares a struct that is read from rows, or says it of one that is declared elsewhere. Each member is read from the
/// column of its own name, from `= "another"`, from the document in it (`= (json)`, `= (json "another")`), through a
/// function (`= ("column", |value: Stored| …)`), from SQL that a function makes (`= (sql text())`), from the columns of
/// a `= Nested` struct, or from none: `= { value }`. Columns of their own name are those of the table after `of`, if
/// there is one.
///
/// ```ignore
/// columns! {
///     /// A note.
///     pub struct Note of n { pub uid: Uid, pub tags: Vec<String> = (json), pub author: String = "u.username" }
/// }
/// columns! { Run of r { id, collection: "c.uuid", state, counters: RunCounters } }
/// let runs: Vec<Run> = tx.read_all(&select::<Run>("FROM runs r JOIN …"), values![]).await?;
/// ```
macro_rules! columns {
    ($(#[$meta:meta])* $seen:vis struct $type:ident $(of $table:ident)? {
        $($(#[$about:meta])* $shown:vis $member:ident: $kind:ty $(= $column:tt)?),+ $(,)?
    }) => {
        $(#[$meta])*
        $seen struct $type {
            $($(#[$about])* $shown $member: $kind),+
        }
        $crate::db::rows::columns! { $type $(of $table)? { $($member $(: $column)?),+ } }
    };
    ($type:ident $(of $table:ident)? { $($member:ident $(: $column:tt)?),+ $(,)? }) => {
        impl $crate::db::rows::FromRow for $type {
            fn read(cells: &mut $crate::db::rows::Cells<'_>) -> Result<Self, $crate::StoreError> {
                Ok(Self { $($member: $crate::db::rows::columns!(@read cells $($column)?)),+ })
            }
        }
        impl $crate::db::rows::Columns for $type {
            const TABLE: &'static str = concat!($(stringify!($table), ".")?);

            fn names() -> Vec<String> {
                [$($crate::db::rows::columns!(@names $member $($column)?)),+].concat()
            }
        }
    };
    (@read $cells:ident (json $($column:literal)?)) => { $cells.json()? };
    (@read $cells:ident ($column:literal, $how:expr)) => { ($how)($crate::db::rows::FromRow::read($cells)?) };
    (@read $cells:ident { $value:expr }) => { $value };
    (@read $cells:ident $($column:tt)?) => { $crate::db::rows::FromRow::read($cells)? };
    (@names $member:ident $((json))?) => { vec![[Self::TABLE, stringify!($member)].concat()] };
    (@names $member:ident $column:literal) => { vec![$column.to_owned()] };
    (@names $member:ident (json $column:literal)) => { vec![$column.to_owned()] };
    (@names $member:ident ($column:literal, $how:expr)) => { vec![$column.to_owned()] };
    (@names $member:ident (sql $sql:expr)) => { vec![$sql] };
    (@names $member:ident { $value:expr }) => { Vec::new() };
    (@names $member:ident $nested:ident) => { <$nested as $crate::db::rows::Columns>::names() };
}
pub(crate) use columns;

/// The values of one row, each beside the name of its column: `named! { uid, kind: row.kind.name() }`.
macro_rules! named {
    ($($column:ident $(: $value:expr)?),+ $(,)?) => {
        [$((stringify!($column), $crate::db::rows::named!(@ $column $($value)?))),+]
    };
    (@ $column:ident) => { $crate::db::sql::Value::from($column) };
    (@ $column:ident $value:expr) => { $crate::db::sql::Value::from($value) };
}
pub(crate) use named;

/// Rows of the same columns that are to be written.
#[derive(Default)]
pub(crate) struct Rows {
    names: Vec<&'static str>,
    values: Vec<Value>,
}

impl Rows {
    /// Adds a row. Its first column is never null.
    pub(crate) fn push(
        &mut self,
        row: impl AsRef<[(&'static str, Value)]> + IntoIterator<Item = (&'static str, Value)>,
    ) {
        let names = || row.as_ref().iter().map(|(name, _)| *name);
        if self.names.is_empty() {
            self.names = names().collect();
        }
        debug_assert!(names().eq(self.names.iter().copied()), "the same columns in each row");
        self.values.extend(row.into_iter().map(|(_, value)| value));
    }
}

impl Rows {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.values.len().checked_div(self.names.len()).unwrap_or(0)
    }
}

impl<const N: usize> Extend<[(&'static str, Value); N]> for Rows {
    fn extend<I: IntoIterator<Item = [(&'static str, Value); N]>>(&mut self, rows: I) {
        rows.into_iter().for_each(|row| self.push(row));
    }
}

impl<const N: usize> FromIterator<[(&'static str, Value); N]> for Rows {
    fn from_iter<I: IntoIterator<Item = [(&'static str, Value); N]>>(rows: I) -> Self {
        let mut made = Self::default();
        made.extend(rows);
        made
    }
}

/// The statement that inserts one row, with what follows its values.
fn one_row<const N: usize>(table: &str, row: [(&'static str, Value); N], tail: &str) -> (String, Vec<Value>) {
    let names = row.each_ref().map(|(name, _)| *name).join(", ");
    let places: Vec<String> = (1..=N).map(|number| format!("${number}")).collect();
    let sql = format!("INSERT INTO {table} ({names}) VALUES ({}) {tail}", places.join(", "));
    (sql, row.into_iter().map(|(_, value)| value).collect())
}

/// The end of a statement that inserts: a row whose key is there already gets these columns anew.
pub(crate) fn or_set(key: &str, columns: &[&str]) -> String {
    let set: Vec<String> = columns.iter().map(|column| format!("{column} = excluded.{column}")).collect();
    format!("ON CONFLICT ({key}) DO UPDATE SET {}", set.join(", "))
}

impl Row {
    /// The whole row. It is a mistake of ours where the statement answers with more or fewer columns than are read.
    pub(crate) fn read<T: FromRow>(&self) -> Result<T> {
        let mut cells = Cells { row: self, next: 0 };
        let value = T::read(&mut cells)?;
        if cells.next == self.len() {
            return Ok(value);
        }
        Err(StoreError::Bug(format!("{} of {} columns are read", cells.next, self.len())))
    }
}

impl Tx {
    /// All rows of an answer, read.
    pub(crate) async fn read_all<T: FromRow>(&mut self, sql: &str, values: Vec<Value>) -> Result<Vec<T>> {
        self.rows(sql, values).await?.iter().map(Row::read).collect()
    }

    /// The first row of an answer, read.
    pub(crate) async fn read_first<T: FromRow>(&mut self, sql: &str, values: Vec<Value>) -> Result<Option<T>> {
        self.row(sql, values).await?.as_ref().map(Row::read).transpose()
    }

    /// The first row of an answer, read; `NotFound` where there is none.
    pub(crate) async fn find<T: FromRow>(&mut self, sql: &str, values: Vec<Value>) -> Result<T> {
        self.read_first(sql, values).await?.ok_or(StoreError::NotFound)
    }

    /// Whether an answer has a row.
    pub(crate) async fn exists(&mut self, sql: &str, values: Vec<Value>) -> Result<bool> {
        Ok(self.row(sql, values).await?.is_some())
    }

    /// Runs a statement that has to change a row; `NotFound` where it changes none.
    pub(crate) async fn change(&mut self, sql: &str, values: Vec<Value>) -> Result<()> {
        if self.run(sql, values).await? == 0 { Err(StoreError::NotFound) } else { Ok(()) }
    }

    /// The first row, read, of an answer that always has one.
    pub(crate) async fn read_one<T: FromRow>(&mut self, sql: &str, values: Vec<Value>) -> Result<T> {
        self.one(sql, values).await?.read()
    }

    /// `rows_in`, read. So many rows as one statement gives are in memory twice, and not all.
    pub(crate) async fn read_in<T, V>(
        &mut self,
        head: &str,
        first: Vec<Value>,
        list: &[V],
        tail: &str,
    ) -> Result<Vec<T>>
    where
        T: FromRow,
        V: Clone,
        Value: From<V>,
    {
        let mut read = Vec::new();
        for part in list.chunks(ROWS_MAX) {
            for row in self.rows_in(head, first.clone(), part, tail).await? {
                read.push(row.read()?);
            }
        }
        Ok(read)
    }

    /// Runs a statement that takes rows from `v`.
    pub(crate) async fn with(&mut self, rows: Rows, statement: &str) -> Result<()> {
        let Rows { names, values } = rows;
        let head = format!("WITH v ({}) AS (", names.join(", "));
        self.many(&head, names.len().max(1), values, &format!(") {statement}")).await
    }

    /// `with`, for a statement that answers with rows, read.
    pub(crate) async fn read_with<T: FromRow>(&mut self, rows: Rows, statement: &str) -> Result<Vec<T>> {
        let Rows { names, values } = rows;
        let head = format!("WITH v ({}) AS (", names.join(", "));
        let rows = self.many_rows(&head, names.len().max(1), values, &format!(") {statement}")).await?;
        rows.iter().map(Row::read).collect()
    }

    /// Inserts one row. Fails where one with its key is there already.
    pub(crate) async fn insert_one<const N: usize>(
        &mut self,
        table: &str,
        row: [(&'static str, Value); N],
    ) -> Result<()> {
        let (sql, values) = one_row(table, row, "");
        self.run(&sql, values).await.map(|_| ())
    }

    /// Inserts one row and reads columns of it, those that the database filled in too.
    pub(crate) async fn insert_read<T: FromRow, const N: usize>(
        &mut self,
        table: &str,
        row: [(&'static str, Value); N],
        columns: &str,
    ) -> Result<T> {
        let (sql, values) = one_row(table, row, &format!("RETURNING {columns}"));
        self.read_one(&sql, values).await
    }

    /// Inserts one row unless one with its key is there, which stays. Answers whether it was new.
    pub(crate) async fn insert_new<const N: usize>(
        &mut self,
        table: &str,
        key: &str,
        row: [(&'static str, Value); N],
    ) -> Result<bool> {
        let (sql, values) = one_row(table, row, &format!("ON CONFLICT ({key}) DO NOTHING"));
        Ok(self.run(&sql, values).await? > 0)
    }

    /// Inserts one row, or sets those `columns` of the row that has its key already.
    pub(crate) async fn put<const N: usize>(
        &mut self,
        table: &str,
        key: &str,
        columns: &[&str],
        row: [(&'static str, Value); N],
    ) -> Result<()> {
        let (sql, values) = one_row(table, row, &or_set(key, columns));
        self.run(&sql, values).await.map(|_| ())
    }

    /// Inserts rows.
    pub(crate) async fn insert(&mut self, table: &str, rows: Rows, tail: &str) -> Result<()> {
        let Some(first) = rows.names.first() else { return Ok(()) };
        let statement =
            format!("INSERT INTO {table} ({}) SELECT * FROM v WHERE {first} IS NOT NULL {tail}", rows.names.join(", "));
        self.with(rows, &statement).await
    }

    /// Sets the columns of rows whose first column is the key.
    pub(crate) async fn update(&mut self, table: &str, rows: Rows) -> Result<()> {
        let Some((key, columns)) = rows.names.split_first() else { return Ok(()) };
        let set: Vec<String> = columns.iter().map(|column| format!("{column} = v.{column}")).collect();
        let statement = format!("UPDATE {table} SET {} FROM v WHERE {table}.{key} = v.{key}", set.join(", "));
        self.with(rows, &statement).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::sql::values;

    #[test]
    fn a_row_is_inserted_by_the_names_of_its_columns() {
        let (sql, bound) = one_row("notes", named! { uid: 7, text: "seen" }, &or_set("uid", &["text", "at"]));
        let expected = "INSERT INTO notes (uid, text) VALUES ($1, $2) ON CONFLICT (uid) DO UPDATE SET text = \
                        excluded.text, at = excluded.at";
        assert_eq!((sql.as_str(), bound), (expected, values![7, "seen"]));
    }

    #[test]
    fn many_rows_have_the_columns_of_the_first() {
        let rows = Rows::from_iter([named! { uid: 1, text: "a" }, named! { uid: 2, text: None::<String> }]);
        assert_eq!((rows.len(), &rows.names[..]), (2, &["uid", "text"][..]));
        assert_eq!(rows.values, values![1, "a", 2, None::<String>]);
        assert_eq!(Rows::default().len(), 0);
    }
}
