//! Searches over uploaded files and bodies of pages: a query of intelligence search as one statement over `file_facts`.
//! Pages of one walk show files as they were when it began: what came since is left out, and what was submitted or
//! analysed again keeps its place in the order.

use crate::db::rows::FromRow;
use crate::db::sql::{Tx, Value, values, whole};
use crate::wider::objects::collections_seen;
use crate::wider::visibility::{INSTALLATION, audiences};
use crate::{Principal, Result, Store};
use ambit_model::Timestamp;
use ambit_model::id::BlobHash;
use ambit_model::moment::SECOND_MS;
use ambit_query::intelligence::{Condition, Entity, Query};
use ambit_query::{Boolean, Range};

/// What found objects are ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundOrder {
    Name,
    First,
    Last,
    Positives,
    Size,
    Submissions,
}

/// The value by which a found object is ordered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OrderValue {
    Number(i64),
    Text(String),
}

/// When a walk through pages began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkBegin {
    /// The last submission of that moment.
    pub submission: i64,
    pub at: Timestamp,
}

/// Where a page begins among files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilesAfter {
    pub value: OrderValue,
    /// The last file that was shown with this value; `None`: everything that is a file and has it was.
    pub file: Option<BlobHash>,
}

/// A page of files that is asked for.
#[derive(Clone, Debug)]
pub struct FileSearch<'a> {
    /// Whose files.
    pub principal: &'a Principal,
    pub query: &'a Query,
    pub order: FoundOrder,
    pub descending: bool,
    pub begin: WalkBegin,
    pub after: Option<FilesAfter>,
    pub limit: usize,
}

/// A condition in SQL with what is bound in it.
struct Sql {
    postgres: bool,
    /// The values of `project_id` that the caller sees and that have files, in a list.
    seen: String,
    /// The greatest of them: what it has is hidden by no other.
    greatest: i64,
    values: Vec<Value>,
}

/// Those of some values of `project_id` that have files.
async fn peopled(tx: &mut Tx, seen: &[i64]) -> Result<Vec<i64>> {
    let rows: Vec<String> = seen.iter().filter(|id| **id != INSTALLATION).map(|id| format!("({id})")).collect();
    if rows.is_empty() {
        return Ok(vec![INSTALLATION]);
    }
    // The two indexes hold what is of a project, and what is of a collection.
    let has = |side: &str| {
        format!("EXISTS (SELECT 1 FROM file_facts f WHERE f.project_id = v.column1 AND f.project_id {side} 0)")
    };
    let text = format!(
        "SELECT CAST(v.column1 AS BIGINT) FROM (VALUES {}) AS v WHERE {} OR {}",
        rows.join(", "),
        has(">"),
        has("<")
    );
    let mut peopled: Vec<i64> = tx.read_all(&text, Vec::new()).await?;
    peopled.push(INSTALLATION);
    Ok(peopled)
}

impl Sql {
    async fn new(tx: &mut Tx, principal: &Principal) -> Result<Self> {
        let seen = [audiences(principal), collections_seen(tx, principal).await?].concat();
        let seen = peopled(tx, &seen).await?;
        let greatest = seen.iter().copied().max().unwrap_or(INSTALLATION);
        let seen: Vec<String> = seen.iter().map(i64::to_string).collect();
        Ok(Self { postgres: tx.is_postgres(), seen: seen.join(", "), greatest, values: values![] })
    }

    fn bind(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }

    /// Halves a list until it is short: a chain of a thousand operators is deeper than SQLite reads.
    fn joined(&mut self, list: &[Query], operator: &str, nothing: &str) -> String {
        match list {
            [] => nothing.to_owned(),
            [one] => self.tree(one),
            list => {
                let (left, right) = list.split_at(list.len() / 2);
                let (left, right) = (self.joined(left, operator, nothing), self.joined(right, operator, nothing));
                format!("({left} {operator} {right})")
            }
        }
    }

    fn tree(&mut self, query: &Query) -> String {
        match query {
            Boolean::And(all) => self.joined(all, "AND", "1 = 1"),
            Boolean::Or(any) => self.joined(any, "OR", "1 = 0"),
            Boolean::Not(not) => format!("NOT ({})", self.tree(not)),
            Boolean::Leaf(condition) => self.leaf(condition),
        }
    }

    fn leaf(&mut self, condition: &Condition) -> String {
        match condition {
            Condition::Entity(Entity::File) => "1 = 1".to_owned(),
            Condition::Entity(_) | Condition::Tag(_) => "1 = 0".to_owned(),
            Condition::Type(wanted) if wanted.is_empty() => "1 = 0".to_owned(),
            Condition::Type(wanted) => format!("x.type_tag = {}", self.bind(wanted.as_str())),
            Condition::Name(part) if part.is_empty() => "x.names <> ''".to_owned(),
            Condition::Name(part) => {
                let part = self.bind(part.as_str());
                let position = if self.postgres { "strpos" } else { "instr" };
                format!("{position}(x.names, {part}) > 0")
            }
            Condition::Hash(hash) => self.hash(hash),
            Condition::Size(range) => self.range("x.size", range, 1),
            Condition::First(range) => self.range("x.first_at", range, SECOND_MS),
            Condition::Last(range) => self.range("x.last_at", range, SECOND_MS),
            Condition::Positives(range) => self.range("x.positives", range, 1),
            Condition::Submissions(range) => self.range("x.submissions", range, 1),
        }
    }

    fn hash(&mut self, hash: &str) -> String {
        let column = match (hash.len(), hash.parse::<BlobHash>()) {
            (64, Ok(sha256)) => return format!("x.sha256 = {}", self.bind(sha256)),
            (40, _) => "sha1",
            (32, _) => "md5",
            _ => return "1 = 0".to_owned(),
        };
        let hash = self.bind(hash);
        format!(
            "x.sha256 IN (SELECT f.sha256 FROM files f WHERE f.{column} = {hash} UNION SELECT b.sha256 FROM bodies b \
             WHERE b.{column} = {hash})"
        )
    }

    /// `unit`: what one of the range is in the column.
    fn range(&mut self, column: &str, range: &Range, unit: i64) -> String {
        let mut bound = |value: Option<i64>, compared: &str| {
            value.map(|value| format!("{column} {compared} {}", self.bind(value.saturating_mul(unit))))
        };
        let parts: Vec<String> = [bound(range.from, ">="), bound(range.until, "<")].into_iter().flatten().collect();
        if parts.is_empty() { "1 = 1".to_owned() } else { format!("({})", parts.join(" AND ")) }
    }

    /// What a query finds of the files that were there when a walk began. A file that is there for the installation and
    /// for a project is the project's, and one that somebody uploaded is no body of a page.
    fn found(&mut self, query: &Query, begin: WalkBegin) -> String {
        let (last, at, seen) = (self.bind(begin.submission), self.bind(begin.at), self.seen.clone());
        let mut visible = format!(
            "x.first_submission <= {last} AND x.project_id IN ({seen}) AND (x.project_id >= 0 OR x.first_at <= {at})"
        );
        if seen.contains(',') {
            // Most files are the installation's, and few a project's: those are gathered once.
            let other = format!("FROM file_facts y WHERE y.project_id IN ({seen}) AND y.first_submission <= {last}");
            visible = format!(
                "{visible} AND (x.project_id = {} OR (x.project_id = {INSTALLATION} AND x.sha256 NOT IN (SELECT \
                 y.sha256 {other} AND y.project_id > {INSTALLATION})) OR (x.project_id <> {INSTALLATION} AND NOT \
                 EXISTS (SELECT 1 {other} AND y.sha256 = x.sha256 AND y.project_id > x.project_id)))",
                self.greatest
            );
        }
        format!("FROM file_facts x WHERE {visible} AND {}", self.tree(query))
    }

    /// The value that a file was ordered by when a walk began.
    fn value(&mut self, order: FoundOrder, begin: WalkBegin) -> String {
        let item = if self.postgres { "encode(x.sha256, 'hex')" } else { "lower(hex(x.sha256))" };
        let (column, was) = match order {
            FoundOrder::First => return "x.first_at".to_owned(),
            FoundOrder::Size => return "x.size".to_owned(),
            FoundOrder::Positives => {
                let at = self.bind(begin.at);
                let was = "SELECT a.positives FROM analyses a WHERE a.sha256 = x.sha256";
                return format!(
                    "CASE WHEN x.analysed_at <= {at} THEN x.positives ELSE COALESCE(({was} AND a.finished_at <= {at}
                     ORDER BY a.second DESC LIMIT 1), 0) END"
                );
            }
            FoundOrder::Name => ("x.name", "COALESCE(MAX(s.name), '')"),
            FoundOrder::Last => ("x.last_at", "MAX(s.at)"),
            FoundOrder::Submissions => ("x.submissions", "COUNT(*)"),
        };
        let last = self.bind(begin.submission);
        let mut rows = format!(
            "SELECT {was} FROM submissions s WHERE s.item = {item} AND s.project_id = x.project_id AND s.id <= {last}"
        );
        if order == FoundOrder::Name {
            // The first name is the first that a submission had.
            rows = format!(
                "{rows} AND s.id = (SELECT MIN(n.id) FROM submissions n WHERE n.item = {item} AND n.project_id = \
                 x.project_id AND n.name IS NOT NULL)"
            );
        }
        format!("CASE WHEN x.last_submission <= {last} THEN {column} ELSE ({rows}) END")
    }
}

/// What comes after a place, in the order that is asked for.
fn behind(sql: &mut Sql, value: &str, after: &FilesAfter, descending: bool) -> String {
    let beyond = if descending { "<" } else { ">" };
    let place = match &after.value {
        OrderValue::Number(number) => sql.bind(*number),
        OrderValue::Text(text) => sql.bind(text.as_str()),
    };
    let same = match (&after.file, descending) {
        (Some(file), _) => format!("x.sha256 {beyond} {}", sql.bind(*file)),
        // Files stand before everything else that has the same value.
        (None, true) => "1 = 1".to_owned(),
        (None, false) => "1 = 0".to_owned(),
    };
    format!("({value} {beyond} {place} OR ({value} = {place} AND {same}))")
}

async fn read<T: FromRow>(tx: &mut Tx, text: &str, sql: Sql) -> Result<Vec<(T, BlobHash)>> {
    tx.read_all(text, sql.values).await
}

impl Store {
    /// Where a walk through pages begins that is begun now.
    pub async fn begin_walk(&self, now: Timestamp) -> Result<WalkBegin> {
        let mut tx = self.read().await?;
        let submission = tx.read_one("SELECT COALESCE(MAX(id), 0) FROM submissions", Vec::new()).await?;
        Ok(WalkBegin { submission, at: now })
    }

    /// How many files a query finds of those that the caller may see, and how many bytes they have.
    pub async fn count_files(&self, principal: &Principal, query: &Query, begin: WalkBegin) -> Result<(i64, i64)> {
        let mut tx = self.read().await?;
        let mut sql = Sql::new(&mut tx, principal).await?;
        let found = sql.found(query, begin);
        let sum = if sql.postgres { "CAST(COALESCE(SUM(x.size), 0) AS BIGINT)" } else { "COALESCE(SUM(x.size), 0)" };
        tx.read_one(&format!("SELECT COUNT(*), {sum} {found}"), sql.values).await
    }

    /// The first files that a query finds behind a place, each with the value that it is ordered by. Files of one value
    /// are in the order of their SHA-256.
    pub async fn search_files(&self, search: &FileSearch<'_>) -> Result<Vec<(OrderValue, BlobHash)>> {
        let mut tx = self.read().await?;
        let mut sql = Sql::new(&mut tx, search.principal).await?;
        let value = sql.value(search.order, search.begin);
        let found = sql.found(search.query, search.begin);
        let behind = match &search.after {
            Some(after) => format!(" AND {}", behind(&mut sql, &value, after, search.descending)),
            None => String::new(),
        };
        let turn = if search.descending { "DESC" } else { "ASC" };
        let limit = sql.bind(whole(search.limit));
        let text =
            format!("SELECT {value} AS value, x.sha256 {found}{behind} ORDER BY 1 {turn}, 2 {turn} LIMIT {limit}");
        Ok(match search.order {
            FoundOrder::Name => {
                let rows = read::<String>(&mut tx, &text, sql).await?;
                rows.into_iter().map(|(text, file)| (OrderValue::Text(text), file)).collect()
            }
            _ => {
                let rows = read::<i64>(&mut tx, &text, sql).await?;
                rows.into_iter().map(|(number, file)| (OrderValue::Number(number), file)).collect()
            }
        })
    }
}
