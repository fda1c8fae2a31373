//! What the readers of the change feed need: current records, closed versions, every uid for a rebuild, and the
//! activity page.

use crate::db::rows::{columns, list};
use crate::db::sql::{Tx, from_json, values, whole};
use crate::inventory::collections::CollectionRef;
use crate::inventory::feed;
use crate::inventory::turning::turned_at;
use crate::inventory::views::{COLLECTION_JOINS, seen_in};
use crate::{Principal, Result, Store};
use ambit_model::feed::{FeedRow, Noun};
use ambit_model::issue::Status;
use ambit_model::user::ProjectRole;
use ambit_model::{Timestamp, Uid};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Rows of one reading at most.
const ROWS_MAX: usize = 10_000;

columns! {
    /// A record as the index holds it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct IndexRow of t {
        pub noun: Noun = { Noun::Entity },
        pub uid: Uid,
        pub id: i64,
        pub uuid: Uuid = { Uuid::nil() },
        /// The record of the noun, as JSON.
        pub record: Value = { Value::Null },
        pub first_seen: Timestamp,
        pub last_seen: Timestamp,
        /// When the current version was opened, and the revision that did it.
        pub opened_at: Timestamp,
        pub revision: i64 = "t.opened_revision",
        /// When it last came or went.
        pub turned_at: Timestamp = { Timestamp(0) },
        pub collection: CollectionRef = CollectionRef,
    }
}

columns! {
    /// A closed version.
    #[derive(Clone, Debug, PartialEq)]
    pub struct HistoryRow of v {
        pub noun: Noun = { Noun::Entity },
        pub uid: Uid,
        pub id: i64 = "t.id",
        pub record: Value = (json),
        pub opened_at: Timestamp,
        pub closed_at: Timestamp,
        pub opened_revision: i64,
        pub closed_revision: i64,
        pub first_seen: Timestamp = "t.first_seen",
        /// The start of the last run that saw the record before this version was closed, or the opening if that is
        /// later. Of a version in which it was gone or closed: of the last run that saw it before this version was
        /// opened, or the opening of the version before.
        pub last_seen: Timestamp = { Timestamp(0) },
        /// When it last came or went, at its opening or before.
        pub turned_at: Timestamp = { Timestamp(0) },
        pub collection: CollectionRef = CollectionRef,
    }
}

/// Start and end of the last run that had begun by a moment and saw the record of `t`, as two columns; null where there
/// is none, and an end of all time where it goes on. Runs of a collection follow one another, so that the latest end is
/// that of the latest start. The moment is given once for each column, as a bound value stands once in a statement.
fn run_that_saw(moment: [&str; 2]) -> String {
    let end = format!("COALESCE(r.finished_at, {})", i64::MAX);
    format!("{}, {}", latest_run("r.started_at", moment[0]), latest_run(&end, moment[1]))
}

fn latest_run(column: &str, moment: &str) -> String {
    format!(
        "(SELECT MAX({column}) FROM runs r WHERE r.collection_id = t.collection_id AND r.started_at <= {moment}
         AND (r.number BETWEEN t.seen_from AND t.seen_to OR EXISTS
         (SELECT 1 FROM sightings s WHERE s.uid = t.uid AND r.number BETWEEN s.from_run AND s.to_run)))"
    )
}

/// Returns true for the record of an entity that is gone, or of an issue whose fact is.
fn is_over(record: &Value) -> bool {
    let status = record.get("status").and_then(|status| serde_json::from_value::<Status>(status.clone()).ok());
    record.get("present").and_then(Value::as_bool) == Some(false)
        || status.is_some_and(|status| !status.rests_on_fact())
}

columns! {
    /// A row of the feed with what a person wants to read of it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Change {
        pub row: FeedRow = FeedRow,
        pub at: Timestamp,
        /// A person made it.
        pub person: bool,
        /// The record as it was shown then; of collections, projects and runs only the name that they have now. `None`
        /// for what was deleted since.
        pub record: Option<Value> = { None },
        pub collection: Option<CollectionRef> = { None },
    }
}

/// The table of a noun that has records.
fn table(noun: Noun) -> Option<&'static str> {
    match noun {
        Noun::Entity => Some("entities"),
        Noun::Issue => Some("issues"),
        Noun::Technology => Some("technologies"),
        Noun::Collection | Noun::Project | Noun::Run | Noun::Graph => None,
    }
}

async fn index_rows(tx: &mut Tx, noun: Noun, uids: &[Uid]) -> Result<Vec<IndexRow>> {
    let records = records::<Value>(tx, noun, uids).await?;
    Ok(records.into_iter().map(|(record, row)| IndexRow { record, ..row }).collect())
}

/// Current records of a noun as they are asked for, each with its row, which does not hold it a second time.
async fn records<T: DeserializeOwned>(tx: &mut Tx, noun: Noun, uids: &[Uid]) -> Result<Vec<(T, IndexRow)>> {
    let Some(table) = table(noun) else { return Ok(Vec::new()) };
    let head = format!(
        "SELECT {}, {}, t.record FROM {table} t {COLLECTION_JOINS} WHERE c.deleted_at IS NULL AND p.deleted_at IS \
         NULL AND t.uid IN",
        list::<IndexRow>(),
        turned_at("", "t.opened_at")
    );
    let rows: Vec<(IndexRow, Timestamp, String)> = tx.read_in(&head, Vec::new(), uids, "").await?;
    let complete = |(row, turned_at, record): (IndexRow, Timestamp, String)| {
        Ok((from_json(&record)?, IndexRow { noun, uuid: row.uid.uuid(), turned_at, ..row }))
    };
    rows.into_iter().map(complete).collect()
}

/// Start and end of a run, if there is one.
type Span = (Option<Timestamp>, Option<Timestamp>);

/// A closed version, the last runs that saw the record before its end and before its opening, when the record last came
/// or went, and the opening of the version before.
type Past = (HistoryRow, Span, Span, Timestamp, Option<Timestamp>);

async fn history_rows(tx: &mut Tx, after: i64, limit: usize) -> Result<Vec<HistoryRow>> {
    let limit = whole(limit.min(ROWS_MAX));
    let mut history = Vec::new();
    for noun in [Noun::Entity, Noun::Issue, Noun::Technology] {
        let table = table(noun).expect("these three have one");
        let sql = format!(
            "SELECT {}, {}, {}, {}, (SELECT MAX(b.opened_at) FROM versions b WHERE b.noun = v.noun AND b.uid = v.uid
                 AND b.opened_revision < v.opened_revision)
             FROM versions v JOIN {table} t ON t.uid = v.uid {COLLECTION_JOINS}
             WHERE v.noun = $1 AND v.closed_revision > $2 AND c.deleted_at IS NULL AND p.deleted_at IS NULL
             ORDER BY v.closed_revision LIMIT $3",
            list::<HistoryRow>(),
            run_that_saw(["v.closed_at"; 2]),
            run_that_saw(["v.opened_at"; 2]),
            turned_at("AND f.revision < v.closed_revision", "v.opened_at")
        );
        let rows: Vec<Past> = tx.read_all(&sql, values![noun.name(), after, limit]).await?;
        history.extend(rows.into_iter().map(|(row, by_close, by_opening, turned_at, before)| {
            // Who saw it again closed the version in which it was gone.
            let ((start, end), opened_at) = match is_over(&row.record) {
                true => (by_opening, before.unwrap_or(row.first_seen)),
                false => (by_close, row.opened_at),
            };
            HistoryRow { noun, last_seen: seen_in(start.zip(end), opened_at, row.first_seen), turned_at, ..row }
        }));
    }
    history.sort_by_key(|row| row.closed_revision);
    history.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(history)
}

/// The feed with the records that it names, as they were at one moment. It holds a connection that reads.
pub struct FeedSnapshot {
    tx: Tx,
}

impl FeedSnapshot {
    /// The newest revision.
    pub async fn last_revision(&mut self) -> Result<i64> {
        feed::newest(&mut self.tx).await
    }

    /// As [`Store::feed_since`].
    pub async fn feed_since(&mut self, revision: i64, limit: usize) -> Result<Vec<FeedRow>> {
        feed::since(&mut self.tx, revision, limit).await
    }

    /// As [`Store::index_rows`].
    pub async fn index_rows(&mut self, noun: Noun, uids: &[Uid]) -> Result<Vec<IndexRow>> {
        index_rows(&mut self.tx, noun, uids).await
    }

    /// As [`Store::history_rows`].
    pub async fn history_rows(&mut self, after: i64, limit: usize) -> Result<Vec<HistoryRow>> {
        history_rows(&mut self.tx, after, limit).await
    }
}

impl Store {
    /// The current records of a noun; those of deleted collections are left out, so a document whose row is missing is
    /// to be removed.
    pub async fn index_rows(&self, noun: Noun, uids: &[Uid]) -> Result<Vec<IndexRow>> {
        index_rows(&mut self.read().await?, noun, uids).await
    }

    /// The same, each record as it is asked for, with its row, whose own record is null. Fails with `Bug` where a
    /// stored record has not that form.
    pub async fn records<T: DeserializeOwned>(&self, noun: Noun, uids: &[Uid]) -> Result<Vec<(T, IndexRow)>> {
        records(&mut self.read().await?, noun, uids).await
    }

    /// Closed versions after a revision, in the order in which they were closed.
    pub async fn history_rows(&self, after: i64, limit: usize) -> Result<Vec<HistoryRow>> {
        history_rows(&mut self.read().await?, after, limit).await
    }

    /// The feed and the records that it names, as they are at one moment: nothing that is committed later shows in it.
    pub async fn feed_snapshot(&self) -> Result<FeedSnapshot> {
        Ok(FeedSnapshot { tx: self.read().await? })
    }

    /// When records that were there were last seen as of a moment, given when their versions of then were opened.
    pub async fn last_seen_by(
        &self,
        noun: Noun,
        opened: &BTreeMap<Uid, Timestamp>,
        moment: Timestamp,
    ) -> Result<BTreeMap<Uid, Timestamp>> {
        let Some(table) = table(noun) else { return Ok(BTreeMap::new()) };
        let seen_in_run = run_that_saw(["$1", "$2"]);
        let head = format!("SELECT t.uid, t.first_seen, {seen_in_run} FROM {table} t WHERE t.uid IN");
        let uids: Vec<Uid> = opened.keys().copied().collect();
        let rows: Vec<(Uid, Timestamp, Span)> =
            self.read().await?.read_in(&head, values![moment, moment], &uids, "").await?;
        let seen = |(uid, first_seen, (start, end)): (Uid, Timestamp, Span)| {
            (uid, seen_in(start.zip(end), opened[&uid], first_seen))
        };
        Ok(rows.into_iter().map(seen).collect())
    }

    /// Every uid of a noun after one, ascending: for a rebuild.
    pub async fn all_uids(&self, noun: Noun, after: Option<Uid>, limit: usize) -> Result<Vec<Uid>> {
        let Some(table) = table(noun) else { return Ok(Vec::new()) };
        let after = after.map_or(Vec::new(), |uid| uid.bytes().to_vec());
        let sql = format!("SELECT uid FROM {table} WHERE uid > $1 ORDER BY uid LIMIT $2");
        self.read().await?.read_all(&sql, values![after, whole(limit.min(ROWS_MAX))]).await
    }

    /// What changed in a project after a revision, oldest first, without rows that only say "seen again"; what the
    /// caller may not read is left out. Empty: nothing more.
    pub async fn changes(&self, principal: &Principal, project: i64, after: i64, limit: usize) -> Result<Vec<Change>> {
        principal.require_project(project, ProjectRole::Member)?;
        let mut tx = self.read().await?;
        let limit = limit.min(ROWS_MAX);
        let mut after = after;
        let mut changes = Vec::new();
        loop {
            let sql = format!(
                "SELECT {}, collection_id FROM feed WHERE project_id = $1 AND revision > $2 AND what <> 'seen' ORDER \
                 BY revision LIMIT $3",
                list::<Change>()
            );
            let page = whole(limit - changes.len());
            let rows: Vec<(Change, Option<i64>)> = tx.read_all(&sql, values![project, after, page]).await?;
            let Some((last, _)) = rows.last() else { break };
            after = last.row.revision;
            let is_readable = |collection: i64| principal.collection_role(project, collection).is_some();
            changes.extend(
                rows.into_iter().filter(|(_, collection)| collection.is_none_or(is_readable)).map(|(change, _)| change),
            );
        }
        add_records(&mut tx, &mut changes).await?;
        add_names(&mut tx, &mut changes).await?;
        Ok(changes)
    }
}

/// Adds the record of each change as it was then: that of the version which the change opened or went into.
async fn add_records(tx: &mut Tx, changes: &mut [Change]) -> Result<()> {
    let Some(first) = changes.first().map(|change| change.row.revision) else { return Ok(()) };
    let mut wanted = BTreeMap::<Noun, BTreeSet<Uid>>::new();
    for change in changes.iter() {
        wanted.entry(change.row.noun).or_default().insert(change.row.uid);
    }
    let (mut records, mut versions) = (BTreeMap::new(), BTreeMap::<(Noun, Uid), Vec<Closed>>::new());
    let head =
        format!("SELECT uid, {} FROM versions WHERE noun = $1 AND closed_revision > $2 AND uid IN", list::<Closed>());
    for (noun, uids) in wanted {
        let uids: Vec<Uid> = uids.into_iter().collect();
        for row in index_rows(tx, noun, &uids).await? {
            records.insert((noun, row.uid), row);
        }
        for (uid, version) in tx.read_in::<(Uid, Closed), _>(&head, values![noun.name(), first], &uids, "").await? {
            versions.entry((noun, uid)).or_default().push(version);
        }
    }
    for change in changes {
        let key = (change.row.noun, change.row.uid);
        if let Some(row) = records.get(&key) {
            let then = versions.get(&key).into_iter().flatten().find(|version| version.holds(change.row.revision));
            change.record = Some(then.map_or_else(|| row.record.clone(), |version| version.record.clone()));
            change.collection = Some(row.collection.clone());
        }
    }
    Ok(())
}

/// What is called by a name alone, and how the name is found by uuid.
const NAMED: [(Noun, &str); 3] = [
    (Noun::Collection, "SELECT uuid, printable_name FROM collections WHERE uuid IN"),
    (Noun::Project, "SELECT uuid, name FROM projects WHERE uuid IN"),
    (
        Noun::Run,
        "SELECT r.uuid, c.printable_name || ', run ' || r.number FROM runs r JOIN collections c ON c.id = \
         r.collection_id WHERE r.uuid IN",
    ),
];

/// Adds what collections, projects and runs are called now.
async fn add_names(tx: &mut Tx, changes: &mut [Change]) -> Result<()> {
    for (noun, head) in NAMED {
        let of_noun = || changes.iter().filter(|change| change.row.noun == noun);
        let uuids: Vec<Uuid> = of_noun().map(|change| change.row.uuid()).collect::<BTreeSet<_>>().into_iter().collect();
        let rows: Vec<(Uuid, String)> = tx.read_in(head, Vec::new(), &uuids, "").await?;
        let names: BTreeMap<Uuid, String> = rows.into_iter().collect();
        for change in changes.iter_mut().filter(|change| change.row.noun == noun) {
            change.record = names.get(&change.row.uuid()).map(|name| json!({"name": name}));
        }
    }
    Ok(())
}

columns! {
    /// A closed version with the revisions between which it was shown.
    struct Closed {
        opened_revision: i64,
        closed_revision: i64,
        record: Value = (json),
    }
}

impl Closed {
    fn holds(&self, revision: i64) -> bool {
        self.opened_revision <= revision && revision < self.closed_revision
    }
}
