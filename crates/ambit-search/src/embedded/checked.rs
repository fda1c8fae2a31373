//! Indexes on disk whose every byte is checked when they are opened, and which know the revision that they have
//! reached. Tantivy checks neither its list of segments nor what is missing.

use crate::error::{IndexError, Result};
use ambit_model::id::blob_hash;
use ambit_store::Milestone;
use std::path::Path;
use tantivy::directory::{Directory as _, DirectoryLock, INDEX_WRITER_LOCK, MmapDirectory};
use tantivy::indexer::IndexWriterOptions;
use tantivy::merge_policy::LogMergePolicy;
use tantivy::schema::Schema;
use tantivy::{IndexSettings, IndexWriter, Opstamp, Searcher};

/// Memory that collects documents before they are written as a segment, in bytes. One thread: the engine beside it
/// needs the other core.
const WRITER_BYTES: usize = 15_000_000;

/// Segments of a size before they are merged: fewer make each search cheaper, more make writing cheaper.
const SEGMENTS_PER_LEVEL: usize = 6;

/// Share of replaced documents from which a segment is written anew: each costs every search a look.
const REPLACED_SHARE_MAX: f32 = 0.3;

/// Where Tantivy writes its list of segments.
const LIST_FILE: &str = "meta.json";

/// Ends of file names that Tantivy lists for each segment, but has only while it writes one, and only for one with
/// deleted documents (whose file then bears a number).
const NOT_ALWAYS_THERE: &[&str] = &[".store.temp", ".0.del"];

/// How the names of files begin that Tantivy renames once they are whole.
const UNFINISHED: &str = ".tmp";

/// What an index must be to be read.
pub(crate) struct Expected {
    pub(crate) schema: Schema,
    pub(crate) settings: IndexSettings,
    /// Part of each commit: an index of another shape is rebuilt.
    pub(crate) shape: String,
    /// A column of numbers that every document has.
    pub(crate) column: &'static str,
}

/// How far an index has come. The default is that of an empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reached {
    /// Everything up to this revision is in it.
    pub(crate) revision: i64,
    /// Nothing in it is later than this: a database that has this milestone has all that the index was made from.
    pub(crate) milestone: Milestone,
}

fn damaged(path: &Path, what: &str) -> IndexError {
    IndexError::Damaged(format!("{}: {what}", path.display()))
}

/// Makes an empty index.
pub(crate) fn create(path: &Path, expected: &Expected) -> Result<tantivy::Index> {
    std::fs::create_dir_all(path).map_err(|error| IndexError::io("create", path, error))?;
    let builder = tantivy::Index::builder().schema(expected.schema.clone()).settings(expected.settings.clone());
    Ok(builder.create_in_dir(path)?)
}

/// Opens an index after a look at each of its bytes, and says what it has reached.
pub(crate) fn open(path: &Path, expected: &Expected) -> Result<(tantivy::Index, Reached)> {
    let opened = std::panic::catch_unwind(|| open_whole(path, expected));
    // A parser that panics has met bytes that nobody wrote.
    opened.unwrap_or_else(|_| Err(damaged(path, "unreadable")))
}

fn open_whole(path: &Path, expected: &Expected) -> Result<(tantivy::Index, Reached)> {
    let unreadable = |error: tantivy::TantivyError| damaged(path, &error.to_string());
    let index = super::reading::open(path).map_err(unreadable)?;
    let meta = index.load_metas().map_err(unreadable)?;
    let payload = meta.payload.as_deref().and_then(|text| read_payload(text, meta.opstamp));
    let payload = payload.ok_or_else(|| damaged(path, "its revision is unreadable"))?;
    if payload.shape != expected.shape {
        return Err(IndexError::OtherShape { found: payload.shape });
    }
    let reached = payload.reached.ok_or_else(|| damaged(path, "its revision is unreadable"))?;
    if meta.schema != expected.schema || meta.index_settings != expected.settings || !is_as_written(path, &meta) {
        return Err(damaged(path, "its list of segments is not the one that was written"));
    }
    // Not Tantivy's own walk: that one trusts the list of managed files, which may be damaged too.
    for file in meta.list_segment_files() {
        let name = file.to_string_lossy();
        if NOT_ALWAYS_THERE.iter().any(|end| name.ends_with(end)) {
            continue;
        }
        if !index.directory().validate_checksum(&file).unwrap_or(false) {
            return Err(damaged(path, &format!("{} is missing or has another checksum", file.display())));
        }
    }
    let reader = index.reader().map_err(unreadable)?;
    check_numbers(path, &reader.searcher(), expected.column)?;
    Ok((index, reached))
}

/// The writer of an index, of which there is one in all processes. What a writer left that was killed before it had
/// committed is removed: commits are numbered from the last one on, so that the files of the same changes have the same
/// names again, and Tantivy refuses to write a file that is there.
pub(crate) fn writer(index: &tantivy::Index, path: &Path) -> Result<IndexWriter> {
    let options = IndexWriterOptions::builder()
        .num_worker_threads(1)
        .num_merge_threads(1)
        .memory_budget_per_thread(WRITER_BYTES)
        .build();
    let writer: IndexWriter = index.writer_with_options(options).map_err(|error| locked(error, path))?;
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(SEGMENTS_PER_LEVEL);
    policy.set_del_docs_ratio_before_merge(REPLACED_SHARE_MAX);
    writer.set_merge_policy(Box::new(policy));
    writer.garbage_collect_files().wait()?;
    remove_unfinished(path)?;
    Ok(writer)
}

/// Takes back what was not committed, with its files.
pub(crate) fn roll_back(writer: &mut IndexWriter) -> Result<()> {
    writer.rollback()?;
    writer.garbage_collect_files().wait()?;
    Ok(())
}

/// Removes lists that were being written; they have another name until they are whole. An index in memory has none.
fn remove_unfinished(path: &Path) -> Result<()> {
    if !path.is_dir() {
        return Ok(());
    }
    let unreadable = |error| IndexError::io("read", path, error);
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            std::fs::remove_file(entry.path()).map_err(|error| IndexError::io("remove", &entry.path(), error))?;
        }
    }
    Ok(())
}

/// Whoever has the lock may write, and take away what is damaged.
pub(crate) fn lock(path: &Path) -> Result<DirectoryLock> {
    std::fs::create_dir_all(path).map_err(|error| IndexError::io("create", path, error))?;
    let directory = MmapDirectory::open(path).map_err(|error| IndexError::Engine(error.to_string()))?;
    let taken = directory.acquire_lock(&INDEX_WRITER_LOCK);
    taken.map_err(|error| locked(tantivy::TantivyError::LockFailure(error, None), path))
}

fn locked(error: tantivy::TantivyError, path: &Path) -> IndexError {
    match error {
        tantivy::TantivyError::LockFailure(..) => IndexError::Locked(path.to_owned()),
        other => other.into(),
    }
}

/// The list of segments says how many documents each has; so do the segments.
fn check_numbers(path: &Path, searcher: &Searcher, column: &str) -> Result<()> {
    for segment in searcher.segment_readers() {
        let rows = segment.fast_fields().u64_lenient(column).map_err(|error| damaged(path, &error.to_string()))?;
        let rows = rows.map_or(0, |(column, _)| column.num_docs());
        let alive = segment.alive_bitset().map_or(segment.max_doc() as usize, |alive| alive.num_alive_docs());
        if rows != segment.max_doc() || alive != segment.num_docs() as usize {
            return Err(damaged(path, "a segment has another number of documents than its list says"));
        }
    }
    Ok(())
}

/// Commits what was written, with what the index has then reached.
pub(crate) fn commit(writer: &mut IndexWriter, shape: &str, reached: Reached) -> Result<()> {
    let mut commit = writer.prepare_commit()?;
    let text = payload(shape, reached, commit.opstamp());
    commit.set_payload(&text);
    commit.commit()?;
    Ok(())
}

/// What the last commit reached, which another process may have made.
pub(crate) fn committed(path: &Path, index: &tantivy::Index) -> Result<Reached> {
    let meta = index.load_metas()?;
    let payload = meta.payload.as_deref().and_then(|text| read_payload(text, meta.opstamp));
    payload.and_then(|payload| payload.reached).ok_or_else(|| damaged(path, "its revision is unreadable"))
}

/// What is written with each commit: shape, revision, milestone and Tantivy's own number of the commit, with a
/// checksum, since Tantivy checks its files but not this list.
pub(crate) fn payload(shape: &str, reached: Reached, opstamp: Opstamp) -> String {
    let Milestone { revision, token } = reached.milestone;
    let text = format!("ambit {shape} {} {revision} {token} {opstamp}", reached.revision);
    format!("{text} {}", sum(&text))
}

fn sum(text: &str) -> String {
    blob_hash(text.as_bytes()).to_string()[..16].to_owned()
}

struct Payload {
    shape: String,
    /// `None`: another edition of this program wrote it.
    reached: Option<Reached>,
}

/// What was written with the commit of that number.
fn read_payload(text: &str, opstamp: Opstamp) -> Option<Payload> {
    let (text, written) = text.rsplit_once(' ')?;
    let words: Vec<&str> = text.split(' ').collect();
    let [_, shape, numbers @ .., number] = words.as_slice() else {
        return None;
    };
    if sum(text) != written || number.parse() != Ok(opstamp) {
        return None;
    }
    let numbers: Vec<i64> = numbers.iter().filter_map(|number| number.parse().ok()).collect();
    let reached = match numbers.as_slice() {
        &[reached, revision, token] => Some(Reached { revision: reached, milestone: Milestone { revision, token } }),
        _ => None,
    };
    Some(Payload { shape: (*shape).to_owned(), reached })
}

/// Whether the list of segments, written again, gives the bytes that were read: a changed member name would else be
/// passed over in silence, and with it, say, which documents are deleted.
fn is_as_written(path: &Path, meta: &tantivy::IndexMeta) -> bool {
    let mut expected = serde_json::to_vec_pretty(meta).unwrap_or_default();
    expected.push(b'\n');
    std::fs::read(path.join(LIST_FILE)).is_ok_and(|bytes| bytes == expected)
}
