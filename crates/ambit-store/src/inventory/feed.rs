//! The change feed: one row per changed record, with a revision whose order is the commit order; stamps that never run
//! backwards; readers' positions.

use crate::db::rows::{Rows, columns, named, select};
use crate::db::sql::{Tx, values, whole};
use crate::db::writer::transaction;
use crate::inventory::milestones;
use crate::{Result, Store};
use ambit_model::feed::{FeedRow, Noun, What};
use ambit_model::{Timestamp, Uid};
use uuid::Uuid;

/// Records that share one millisecond stamp at most: pollers page by the last hit's `last_seen` (docs/architecture.md
/// §1.3).
const RECORDS_OF_STAMP_MAX: i64 = 500;
/// So far stamps run ahead of the clock for issues, which share theirs with nothing: ten thousand that are seen at
/// once. Beyond it they share as other records do.
pub(crate) const STAMPS_AHEAD_MS_MAX: i64 = 10_000;
/// Rows of one reading at most.
const FEED_ROWS_MAX: usize = 10_000;

/// Whether a record may have the stamp of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stamp {
    Shared,
    /// An issue that is seen: clients poll them a small page at a time and go on at the last one's `last_seen`, so two
    /// pages of one stamp would keep them there for ever.
    Alone,
}

/// Revisions and stamps for the records of one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Allotted {
    first: i64,
    stamps: Vec<Timestamp>,
}

impl Allotted {
    /// The revision and stamp of the n-th record (from 0).
    pub(crate) fn nth(&self, n: usize) -> (i64, Timestamp) {
        (self.first + i64::try_from(n).expect("a transaction has far fewer records"), self.stamps[n])
    }
}

/// The newest stamp, and how many records have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Newest {
    stamp: i64,
    used: i64,
}

impl Newest {
    /// The stamp of the next record.
    fn next(&mut self, wanted: Stamp, now: Timestamp) -> Timestamp {
        let alone = wanted == Stamp::Alone && self.stamp - now.0 < STAMPS_AHEAD_MS_MAX;
        if self.used >= RECORDS_OF_STAMP_MAX || (alone && self.used > 0) {
            *self = Self { stamp: self.stamp + 1, used: 0 };
        }
        self.used = if alone { RECORDS_OF_STAMP_MAX } else { self.used + 1 };
        Timestamp(self.stamp)
    }
}

/// Raises the revision counter by one for each record (at least one) and allots stamps: not before `now`, never before
/// an earlier revision's. The counter is the last lock of a transaction: nothing but inserts and updates of rows
/// already locked comes after it.
pub(crate) async fn allot(tx: &mut Tx, records: &[Stamp], now: Timestamp) -> Result<Allotted> {
    let lock = if tx.is_postgres() { " FOR UPDATE" } else { "" };
    let sql = format!("SELECT revision, stamp, stamp_records FROM revision WHERE one = 1{lock}");
    let (revision, stamp, used): (i64, i64, i64) = tx.read_one(&sql, Vec::new()).await?;
    let mut newest = if now.0 > stamp { Newest { stamp: now.0, used: 0 } } else { Newest { stamp, used } };
    let stamps = records.iter().map(|wanted| newest.next(*wanted, now)).collect();
    let allotted = Allotted { first: revision + 1, stamps };
    let (last, last_stamp) = allotted.nth(records.len() - 1);
    set(tx, last, last_stamp, newest.used).await?;
    milestones::leave(tx, last, last_stamp).await?;
    Ok(allotted)
}

async fn set(tx: &mut Tx, revision: i64, stamp: Timestamp, used: i64) -> Result<()> {
    let sql = "UPDATE revision SET revision = $1, stamp = $2, stamp_records = $3 WHERE one = 1";
    tx.run(sql, values![revision, stamp, used]).await?;
    Ok(())
}

/// Makes every later stamp lie after the given one, because what a run sees must be later than its start.
pub(crate) async fn close_stamp(tx: &mut Tx, allotted: &Allotted) -> Result<()> {
    let (revision, stamp) = allotted.nth(0);
    set(tx, revision, stamp, RECORDS_OF_STAMP_MAX).await
}

/// A feed row of something that is no record: a collection, a project, a run.
pub(crate) struct Note {
    pub(crate) project: i64,
    pub(crate) collection: Option<i64>,
    pub(crate) noun: Noun,
    pub(crate) uid: Uid,
    pub(crate) what: What,
    pub(crate) person: bool,
}

impl Note {
    pub(crate) fn person(project: i64, noun: Noun, uuid: Uuid, what: What) -> Self {
        Self { project, collection: None, noun, uid: feed_uid(uuid), what, person: true }
    }

    pub(crate) fn of(mut self, collection: i64) -> Self {
        self.collection = Some(collection);
        self
    }
}

/// The uid under which the feed names what has a uuid: its 16 bytes, then zeros.
fn feed_uid(uuid: Uuid) -> Uid {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(uuid.as_bytes());
    Uid::from_bytes(bytes)
}

/// Writes one row and returns the revision and stamp that were allotted for it.
pub(crate) async fn note(tx: &mut Tx, note: &Note, now: Timestamp) -> Result<()> {
    note_allotted(tx, note, now).await.map(|_| ())
}

pub(crate) async fn note_allotted(tx: &mut Tx, note: &Note, now: Timestamp) -> Result<Allotted> {
    let allotted = allot(tx, &[Stamp::Shared], now).await?;
    let (revision, at) = allotted.nth(0);
    let row = named! {
        revision,
        project_id: note.project,
        collection_id: note.collection,
        noun: note.noun.name(),
        uid: note.uid,
        what: note.what.name(),
        at,
        person: note.person,
    };
    tx.insert("feed", Rows::from_iter([row]), "").await?;
    if note.person {
        raise_person_revision(tx, note.project, revision).await?;
    }
    Ok(allotted)
}

/// Remembers the last revision that a person made in a project: searches wait for it.
pub(crate) async fn raise_person_revision(tx: &mut Tx, project: i64, revision: i64) -> Result<()> {
    tx.run("UPDATE projects SET person_revision = $1 WHERE id = $2", values![revision, project]).await?;
    Ok(())
}

/// Lets searches in a project wait for everything until now.
pub(crate) async fn await_all(tx: &mut Tx, project: i64) -> Result<()> {
    let newest = "(SELECT revision FROM revision WHERE one = 1)";
    let sql = format!("UPDATE projects SET person_revision = {newest} WHERE id = $1 AND person_revision < {newest}");
    tx.run(&sql, values![project]).await?;
    Ok(())
}

columns! { FeedRow { revision, project: "project_id", noun, uid, what } }

impl Store {
    /// The newest committed revision.
    pub async fn last_revision(&self) -> Result<i64> {
        newest(&mut self.read().await?).await
    }

    /// The last revision that a person made in a project.
    pub async fn person_revision(&self, project: i64) -> Result<i64> {
        let sql = "SELECT person_revision FROM projects WHERE id = $1";
        self.read().await?.find(sql, values![project]).await
    }

    /// Rows after a revision, in order. Of collections, projects and runs, `uid` is their uuid's 16 bytes and 16 zeros.
    /// A record that was only seen since has one row, with the revision of its last sighting. A reader that asks again
    /// from the last row's revision misses nothing: revisions become visible in order, and a sighting only moves on.
    pub async fn feed_since(&self, revision: i64, limit: usize) -> Result<Vec<FeedRow>> {
        since(&mut self.read().await?, revision, limit).await
    }

    /// Returns the position of a named reader of the feed; `None` if it stored none.
    pub async fn position(&self, reader: &str) -> Result<Option<i64>> {
        self.read().await?.read_first("SELECT revision FROM positions WHERE reader = $1", values![reader]).await
    }

    /// Remembers how far a named reader of the feed has come.
    pub async fn set_position(&self, reader: &str, revision: i64) -> Result<()> {
        let reader = reader.to_owned();
        transaction!(self, Engine, async |tx| put_position(tx, &reader, revision).await)
    }
}

/// The newest revision.
pub(crate) async fn newest(tx: &mut Tx) -> Result<i64> {
    tx.read_one("SELECT revision FROM revision WHERE one = 1", Vec::new()).await
}

/// Rows after a revision, as [`Store::feed_since`] returns them.
pub(crate) async fn since(tx: &mut Tx, revision: i64, limit: usize) -> Result<Vec<FeedRow>> {
    let limit = limit.min(FEED_ROWS_MAX);
    let page = whole(limit);
    let sql = select::<FeedRow>("FROM feed WHERE revision > $1 ORDER BY revision LIMIT $2");
    let mut rows: Vec<FeedRow> = tx.read_all(&sql, values![revision, page]).await?;
    for (noun, table) in [(Noun::Entity, "entities"), (Noun::Issue, "issues"), (Noun::Technology, "technologies")] {
        let sql = format!(
            "SELECT t.seen_revision, c.project_id, t.uid FROM {table} t JOIN collections c ON c.id = t.collection_id
             WHERE t.seen_revision > $1 ORDER BY t.seen_revision LIMIT $2"
        );
        for (revision, project, uid) in tx.read_all(&sql, values![revision, page]).await? {
            let what = What::Seen;
            rows.push(FeedRow { revision, project, noun, uid, what });
        }
    }
    // What changed when it was seen has a row that says more, which came first and stays.
    rows.sort_by_key(|row| row.revision);
    rows.dedup_by_key(|row| row.revision);
    rows.truncate(limit);
    Ok(rows)
}

/// Remembers how far a named reader of the feed has come.
pub(crate) async fn put_position(tx: &mut Tx, reader: &str, revision: i64) -> Result<()> {
    tx.put("positions", "reader", &["revision"], named! { reader, revision }).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamps(newest: Newest, records: &[(Stamp, usize)]) -> Vec<i64> {
        let mut newest = newest;
        let each = records.iter().flat_map(|(wanted, count)| std::iter::repeat_n(*wanted, *count));
        each.map(|wanted| newest.next(wanted, Timestamp(1_000)).0).collect()
    }

    #[test]
    fn stamps_hold_500_records_each_in_revision_order() {
        let found = stamps(Newest { stamp: 1_000, used: 498 }, &[(Stamp::Shared, 503)]);
        assert_eq!((found[0], found[1], found[2], found[501], found[502]), (1_000, 1_000, 1_001, 1_001, 1_002));
    }

    #[test]
    fn an_issue_shares_its_stamp_with_nothing() {
        let records = [(Stamp::Shared, 2), (Stamp::Alone, 3), (Stamp::Shared, 2)];
        let begun = Newest { stamp: 1_000, used: 0 };
        assert_eq!(stamps(begun, &records), [1_000, 1_000, 1_001, 1_002, 1_003, 1_004, 1_004]);
        assert_eq!(stamps(begun, &records[1..]), [1_000, 1_001, 1_002, 1_003, 1_003]);
    }

    #[test]
    fn stamps_do_not_run_away_from_the_clock() {
        let found = stamps(Newest { stamp: 1_000, used: 0 }, &[(Stamp::Alone, 11_000)]);
        assert_eq!(found[9_999], 1_000 + 9_999);
        assert_eq!(found[10_001], 1_000 + STAMPS_AHEAD_MS_MAX + 1);
        assert_eq!(found.last(), Some(&(1_000 + STAMPS_AHEAD_MS_MAX + 2)), "500 each from there");
    }
}
