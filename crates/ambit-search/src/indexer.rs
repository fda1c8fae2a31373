//! Keeps the index up to the store: reads the change feed from where the index stands, loads the records, writes them
//! with the revision reached. Whatever stops it, it goes on from there.

use crate::background::{Progress, blocking, later};
use crate::document::{Batch, IndexedRecord, Record};
use crate::embedded::Reached;
use crate::error::{IndexError, Result};
use crate::index::Index;
use ambit_model::feed::{FeedRow, Noun, What};
use ambit_model::{Timestamp, Uid};
use ambit_store::{FeedSnapshot, HistoryRow, IndexRow, Milestone, Store};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use uuid::Uuid;

/// Feed rows read at once: a batch of a second's work of the engine, small enough to be written in a fraction of one.
const FEED_ROWS_AT_ONCE: usize = 2_000;

/// Batches of the feed that are shown together at most: what is behind by more catches up in several steps.
const BATCHES_MAX: usize = 50;

/// Records loaded at once: a record takes some tens of kilobytes while it becomes a document.
const RECORDS_AT_ONCE: usize = 100;

/// Closed versions loaded at once.
const HISTORY_ROWS_AT_ONCE: usize = 100;

/// Feed rows from which an empty index is filled from the list of records instead: the feed names a record as often
/// as it changed.
const FEED_ROWS_WORTH_A_REBUILD: i64 = 10_000;

/// How often the feed is looked at while nobody waits for it. Commits of the engine come about once a second.
const LOOK: Duration = Duration::from_millis(200);

/// How often graphs are read where nobody searches them: often enough that their index never falls behind what the feed
/// and its milestones keep.
const GRAPHS_LOOK: Duration = Duration::from_secs(600);

/// Pause after a failure, so that a full disk is not asked a thousand times a second.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(1);

/// The nouns that have documents.
const NOUNS: [Noun; 3] = [Noun::Entity, Noun::Issue, Noun::Technology];

/// Brings the index up to what the store holds now, and says which revision that is. One that is not of this database's
/// history is built anew.
pub async fn catch_up(index: &Index, store: &Store) -> Result<i64> {
    compare(index, store).await?;
    advance(index, store).await
}

async fn advance(index: &Index, store: &Store) -> Result<i64> {
    let target = store.last_revision().await?;
    if index.reached() == 0 && target >= FEED_ROWS_WORTH_A_REBUILD {
        rebuild(index, store).await?;
    }
    while index.reached() < target && step(index, store).await? {}
    Ok(index.reached())
}

/// Compares what the index holds with the database: a restored one is in another state than the index was made from,
/// and revisions alone do not tell. True where it was built anew for that; searches wait meanwhile.
async fn compare(index: &Index, store: &Store) -> Result<bool> {
    let holds = index.holds()?;
    let footing = store.footing(holds.milestone).await?;
    if holds == Reached::default() {
        // Nothing is in it yet.
        index.begin_with(footing.newest)?;
    }
    if footing.known || holds == Reached::default() {
        index.trust(footing.revision)?;
        return Ok(false);
    }
    tracing::warn!(
        "the search index is older than the changes that the database keeps, or was made from another state of it, \
         and is rebuilt"
    );
    index.distrust();
    rebuild(index, store).await?;
    Ok(true)
}

/// The wish for a rebuild, and the last one that was fulfilled: positions of the store, which every process sees.
const REBUILD_ASKED: &str = "index rebuild asked";
const REBUILD_DONE: &str = "index rebuild done";

/// A search increments this counter, so that the process that writes the index updates it.
const WANTED: &str = "index wanted";

/// How long the index is kept up after somebody asked for it: a search asks for what is new while it waits.
const WANTED_FOR: Duration = Duration::from_secs(30);

/// Asks a process that only writes the index where somebody wants it to bring it up, and to go on with it for a while.
pub async fn ask_for(store: &Store) -> Result<()> {
    let asked = store.position(WANTED).await?.unwrap_or(0) + 1;
    Ok(store.set_position(WANTED, asked).await?)
}

/// Brings up the index in a folder where somebody asks for it, until `stop` turns true (or its sender is gone): beside
/// a run that needs no index itself, and that one which nobody reads would only slow down. The caller holds
/// `engine.lock`. Nothing is opened, or made, before somebody asks.
pub async fn follow_where_asked(path: &Path, store: &Store, mut stop: watch::Receiver<bool>) {
    let (mut known, mut until, mut index) = (None, None, None);
    let mut progress = Progress::default();
    while !*stop.borrow() {
        let asked = store.position(WANTED).await.map(|asked| asked.unwrap_or(0)).map_err(IndexError::from);
        let outcome = match asked {
            Ok(asked) => {
                if known.replace(asked).is_some_and(|before| before < asked) {
                    until = Some(Instant::now() + WANTED_FOR);
                }
                match until.is_some_and(|until| Instant::now() < until) {
                    true => Some(bring_up(path, store, &mut index).await),
                    false => None,
                }
            }
            Err(error) => Some(Err(error)),
        };
        // Where nobody wants it, nothing was tried.
        let pause = if outcome.is_none_or(|outcome| progress.tell(outcome)) { LOOK } else { PAUSE_AFTER_FAILURE };
        tokio::select! {
            changed = stop.changed() => if changed.is_err() { return },
            () = tokio::time::sleep(pause) => {}
        }
    }
}

async fn bring_up(path: &Path, store: &Store, opened: &mut Option<Index>) -> Result<()> {
    let index = match opened {
        Some(index) => index,
        None => {
            let path = path.to_owned();
            opened.insert(blocking(move || Index::open(&path)).await?)
        }
    };
    catch_up(index, store).await.map(drop)
}

/// Asks whoever writes the index to build it anew while it serves. The answer is the number of the wish, for
/// [`is_rebuilt`].
pub async fn ask_rebuild(store: &Store) -> Result<i64> {
    let wish = store.position(REBUILD_ASKED).await?.unwrap_or(0) + 1;
    store.set_position(REBUILD_ASKED, wish).await?;
    Ok(wish)
}

/// Whether a wish for a rebuild has been fulfilled.
pub async fn is_rebuilt(store: &Store, wish: i64) -> Result<bool> {
    Ok(store.position(REBUILD_DONE).await?.unwrap_or(0) >= wish)
}

/// Rebuilds where somebody asked since the wish that was fulfilled last here.
async fn rebuild_where_asked(index: &Index, store: &Store, fulfilled: &mut Option<i64>) -> Result<()> {
    let asked = store.position(REBUILD_ASKED).await?.unwrap_or(0);
    let before = match *fulfilled {
        Some(wish) => wish,
        None => store.position(REBUILD_DONE).await?.unwrap_or(0),
    };
    if asked > before {
        tracing::info!("the search index is rebuilt, as was asked");
        rebuild(index, store).await?;
        store.set_position(REBUILD_DONE, asked).await?;
    }
    *fulfilled = Some(asked.max(before));
    Ok(())
}

/// Follows the store until `stop` turns true (or its sender is gone). Failures are logged and tried again: searches
/// that need what is missing then say so. An index that turns out damaged is rebuilt.
pub async fn follow(index: Index, store: Store, mut stop: watch::Receiver<bool>) {
    let mut fulfilled = None;
    let mut kept_since = None;
    let mut graphs_read: Option<Instant> = None;
    let mut progress = Progress::default();
    while !*stop.borrow() {
        if graphs_read.is_none_or(|read| read.elapsed() >= GRAPHS_LOOK) {
            graphs_read = Some(Instant::now());
            tokio::spawn(read_graphs(index.clone(), store.clone()));
            if let Err(error) = forget_what_is_over(&index, &store, &mut kept_since).await {
                tracing::warn!(%error, "expired versions could not be removed from the search index and are tried \
                                        again");
            }
        }
        let outcome = go_on(&index, &store, &mut fulfilled).await;
        let pause = if progress.tell(outcome) { LOOK } else { PAUSE_AFTER_FAILURE };
        tokio::select! {
            changed = stop.changed() => if changed.is_err() { return },
            () = index.wanted() => {}
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// Removes versions from the index that the store keeps no more. `known` is the moment since which it has them.
async fn forget_what_is_over(index: &Index, store: &Store, known: &mut Option<Timestamp>) -> Result<()> {
    let since = store.kept_since().await?;
    if since > *known && index.reached() >= 0 {
        let (writing, batch) = (index.clone(), Batch { kept_since: since, ..Batch::default() });
        blocking(move || writing.apply(writing.reached(), &batch)).await?;
        *known = since;
    }
    Ok(())
}

/// Reads graphs before somebody searches them, and from time to time. What fails here fails the next search too, which
/// says so.
async fn read_graphs(index: Index, store: Store) {
    let read = match store.graph_revision().await {
        Ok(0) => return,
        Ok(_) => index.graphs().follow(&store).await.map(|_| ()),
        Err(error) => Err(error.into()),
    };
    if let Err(error) = read {
        tracing::warn!(%error, "the index of graphs is not being updated");
    }
}

async fn go_on(index: &Index, store: &Store, fulfilled: &mut Option<i64>) -> Result<()> {
    if compare(index, store).await? {
        // Wishes are numbered by the database.
        *fulfilled = None;
    }
    rebuild_where_asked(index, store, fulfilled).await?;
    let suspect = index.clone();
    if blocking(move || Ok(suspect.is_damaged())).await? {
        tracing::warn!("the search index is damaged and is rebuilt");
        index.forget_walks();
        rebuild(index, store).await?;
    }
    advance(index, store).await.map(|_| ())
}

/// Builds the index anew from the records while the present one serves, then takes its place. That of graphs is built
/// anew by the next search of theirs.
pub async fn rebuild(index: &Index, store: &Store) -> Result<()> {
    // The revision first: what changes while the records are read is read again from the feed.
    let begun = store.footing(Milestone::default()).await?;
    let revision = begun.revision;
    let writing = index.clone();
    let rebuild = blocking(move || writing.begin_rebuild()).await?;
    let mut rebuild = rebuild;
    for noun in NOUNS {
        let mut after: Option<Uid> = None;
        loop {
            let uids = store.all_uids(noun, after, RECORDS_AT_ONCE).await?;
            let Some(last) = uids.last() else { break };
            after = Some(*last);
            let records = load(store, noun, &uids).await?;
            rebuild = blocking(move || rebuild.add(&records).map(|()| rebuild)).await?;
        }
    }
    let mut after = 0;
    while let Some(history) = closed(store.history_rows(after, HISTORY_ROWS_AT_ONCE).await?, revision)? {
        after = history.reached;
        rebuild = blocking(move || rebuild.add(&history.records).map(|()| rebuild)).await?;
    }
    let milestone = later(store, begun.newest).await?;
    let built = index.clone();
    blocking(move || built.finish_rebuild(rebuild, Reached { revision, milestone })).await?;
    index.graphs().forget().await
}

/// Closed versions, and the revision up to which these are all.
struct History {
    records: Vec<IndexedRecord>,
    reached: i64,
}

/// Those of closed versions, in their order, that were closed until a revision; `None` where there are none.
fn closed(mut rows: Vec<HistoryRow>, until: i64) -> Result<Option<History>> {
    rows.retain(|row| row.closed_revision <= until);
    let Some(last) = rows.last() else { return Ok(None) };
    let reached = last.closed_revision;
    // A version that was closed within the millisecond of its opening was in force at no moment.
    let records = rows.into_iter().filter(|row| row.opened_at < row.closed_at).map(past).collect::<Result<_, _>>()?;
    Ok(Some(History { records, reached }))
}

/// Reads the feed as it is at one moment and writes it. `false`: there was nothing new. Records are read at the same
/// moment: one that shows a later commit than the others would let whoever polls by `last_seen` pass by the rest of it.
async fn step(index: &Index, store: &Store) -> Result<bool> {
    let begun = index.reached();
    let staged = stage_all(index, store, begun).await;
    if matches!(staged, Ok(reached) if reached <= begun) {
        return Ok(false);
    }
    let index = index.clone();
    blocking(move || match staged {
        Ok(reached) => index.apply(reached, &Batch::default()),
        Err(error) => index.take_back().and(Err(error)),
    })
    .await?;
    Ok(true)
}

/// Stages the feed after a revision in batches, and returns the revision up to which that is all.
async fn stage_all(index: &Index, store: &Store, begun: i64) -> Result<i64> {
    let mut snapshot = store.feed_snapshot().await?;
    // Not every revision has a row; those up to this one have been seen when no row is left.
    let newest = snapshot.last_revision().await?;
    let mut reached = begun;
    for _ in 0..BATCHES_MAX {
        let rows = snapshot.feed_since(reached, FEED_ROWS_AT_ONCE).await?;
        let last = rows.last().map_or(0, |row| row.revision);
        let revision = if rows.len() < FEED_ROWS_AT_ONCE { newest.max(last) } else { last };
        if revision <= reached {
            break;
        }
        stage(index, store, &mut snapshot, &rows, reached..revision).await?;
        reached = revision;
    }
    Ok(reached)
}

/// Writes what rows of the feed name, which come after one revision and end with another, in parts.
async fn stage(
    index: &Index,
    store: &Store,
    snapshot: &mut FeedSnapshot,
    rows: &[FeedRow],
    span: Range<i64>,
) -> Result<()> {
    // Deletions come first, because they delete the closed versions as well.
    let gone = Batch {
        gone_collections: rows.iter().filter_map(gone_collection).collect(),
        gone_projects: rows
            .iter()
            .filter(|row| row.noun == Noun::Project && row.what == What::Disappeared)
            .map(|row| row.project)
            .collect(),
        ..Batch::default()
    };
    stage_part(index, store, gone).await?;
    for noun in NOUNS {
        let uids: BTreeSet<Uid> = rows.iter().filter(|row| row.noun == noun).map(|row| row.uid).collect();
        let uids: Vec<Uid> = uids.into_iter().collect();
        for uids in uids.chunks(RECORDS_AT_ONCE) {
            let found = snapshot.index_rows(noun, uids).await?;
            let records: Vec<IndexedRecord> = found.into_iter().map(indexed).collect::<Result<_, _>>()?;
            let there: BTreeSet<Uid> = records.iter().map(|record| record.record.uid()).collect();
            let part = Batch {
                gone: uids.iter().copied().filter(|uid| !there.contains(uid)).collect(),
                records,
                ..Batch::default()
            };
            stage_part(index, store, part).await?;
        }
    }
    let mut after = span.start;
    while let Some(history) = closed(snapshot.history_rows(after, HISTORY_ROWS_AT_ONCE).await?, span.end)? {
        after = history.reached;
        let part = Batch { records: history.records, ..Batch::default() };
        stage_part(index, store, part).await?;
    }
    Ok(())
}

/// Writes what was just read.
async fn stage_part(index: &Index, store: &Store, part: Batch) -> Result<()> {
    let milestone = later(store, index.holds()?.milestone).await?;
    let index = index.clone();
    blocking(move || index.stage(&part, milestone)).await
}

/// A collection that was deleted. Its row bears the uuid in the first half of the uid.
fn gone_collection(row: &FeedRow) -> Option<Uuid> {
    let gone = row.noun == Noun::Collection && row.what == What::Disappeared;
    gone.then(|| Uuid::from_slice(&row.uid.bytes()[..16]).expect("sixteen bytes"))
}

async fn load(store: &Store, noun: Noun, uids: &[Uid]) -> Result<Vec<IndexedRecord>> {
    store.index_rows(noun, uids).await?.into_iter().map(indexed).collect()
}

fn indexed(row: IndexRow) -> Result<IndexedRecord> {
    Ok(IndexedRecord {
        project: row.collection.project,
        id: row.id,
        first_seen: row.first_seen,
        last_seen: row.last_seen,
        valid_from: row.opened_at,
        valid_to: None,
        turned_at: row.turned_at,
        record: record(row.noun, row.uid, row.record)?,
    })
}

fn past(row: HistoryRow) -> Result<IndexedRecord> {
    Ok(IndexedRecord {
        project: row.collection.project,
        id: row.id,
        first_seen: row.first_seen,
        last_seen: row.last_seen,
        valid_from: row.opened_at,
        valid_to: Some(row.closed_at),
        turned_at: row.turned_at,
        record: record(row.noun, row.uid, row.record)?,
    })
}

fn record(noun: Noun, uid: Uid, record: Value) -> Result<Record> {
    let unreadable = |error: serde_json::Error| IndexError::Record { uid, error: error.to_string() };
    Ok(match noun {
        Noun::Entity => Record::Entity(Box::new(serde_json::from_value(record).map_err(unreadable)?)),
        Noun::Issue => Record::Issue(Box::new(serde_json::from_value(record).map_err(unreadable)?)),
        Noun::Technology => Record::Technology(Box::new(serde_json::from_value(record).map_err(unreadable)?)),
        Noun::Collection | Noun::Project | Noun::Run | Noun::Graph => {
            return Err(IndexError::Record { uid, error: format!("a {} has no document", noun.name()) });
        }
    })
}
