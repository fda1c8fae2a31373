//! One index on disk: writing batches into it and reading a moment of it.

use super::checked::{self, Expected, Reached};
use super::collect::{Key, Order, Pages};
use super::facets::Totals;
use super::known::KnownSegment;
use super::query::{Asked, FoundBefore, Stop};
use super::schema::{Fields, UID_HIGH};
use super::segment::{ReadSegment, Reading};
use super::tokenizers;
use crate::aggregations::Counted;
use crate::condition::Condition;
use crate::document::{Batch, IndexedRecord};
use crate::error::{IndexError, Result};
use crate::ready::Moment;
use crate::shape::SHAPE;
use ambit_query::Noun;
use ambit_store::Milestone;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;
use tantivy::query::RangeQuery;
use tantivy::schema::Value as _;
use tantivy::store::Compressor;
use tantivy::{DocAddress, IndexReader, IndexSettings, IndexWriter, ReloadPolicy, TantivyDocument, Term};

/// Bytes of records that may wait to be written; with their terms they take several times that.
const WAITING_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Uncompressed bytes of a block of stored records: about ten records. Each hit of a page lies in a block of its own,
/// as a rule.
const STORE_BLOCK_BYTES: usize = 8 * 1024;

/// Blocks of stored records kept unpacked per reader.
const STORE_BLOCKS_CACHED: usize = 100;

/// One index: a folder, its reader and, in the process that owns it, its writer.
pub(crate) struct Generation {
    pub(crate) path: PathBuf,
    /// Generations of this process are numbered, later ones higher.
    number: u64,
    fields: Fields,
    reader: IndexReader,
    /// What searches see.
    reading: RwLock<Arc<Reading>>,
    reloading: Mutex<()>,
    /// `None` in processes that only read.
    writing: Option<Mutex<Writing>>,
}

/// The writer with what it has been given.
struct Writing {
    writer: IndexWriter,
    /// What the last commit reached; its milestone may be later already, where later things wait to be written.
    reached: Reached,
    /// Bytes of records since then.
    bytes: usize,
}

impl Writing {
    fn commit(&mut self, revision: i64) -> Result<()> {
        let reached = Reached { revision, ..self.reached };
        checked::commit(&mut self.writer, &SHAPE, reached)?;
        (self.reached, self.bytes) = (reached, 0);
        Ok(())
    }

    /// Takes a document. Tantivy lets ten thousand of them wait in memory for its one thread; a commit ends the wait.
    /// What is not whole yet is committed under the revision before, from which it is read again after a crash.
    fn add(&mut self, fields: &Fields, record: &IndexedRecord) -> Result<()> {
        let document = fields.document(record);
        let stored = document.get_first(fields.stored()).and_then(|value| value.as_bytes().map(<[u8]>::len));
        self.writer.add_document(document)?;
        self.bytes += stored.unwrap_or_default();
        if self.bytes > WAITING_BYTES_MAX { self.commit(self.reached.revision) } else { Ok(()) }
    }
}

/// A moment of an index that stays as it is while writing goes on.
#[derive(Clone)]
pub(crate) struct View {
    number: u64,
    fields: Fields,
    reading: Arc<Reading>,
}

/// Which hits are wanted.
pub(crate) struct Page {
    pub(crate) order: Order,
    /// Hits to be passed over, from the start or from `after`.
    pub(crate) skip: usize,
    pub(crate) size: usize,
    pub(crate) after: Option<Key>,
}

pub(crate) struct Found {
    pub(crate) total: u64,
    pub(crate) hits: Vec<(Key, IndexedRecord)>,
    pub(crate) counted: Option<Vec<Counted>>,
    /// The deadline came first: nothing of it is complete.
    pub(crate) timed_out: bool,
}

impl Generation {
    /// Makes an empty index that has reached revision 0.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let index = checked::create(path, &expected())?;
        let generation = Self::with_index(path, index, Some(Reached::default()))?;
        generation.apply(0, &Batch::default())?;
        Ok(generation)
    }

    /// Opens an index and checks every byte that it will answer from.
    pub(crate) fn open(path: &Path, writing: bool) -> Result<(Self, Reached)> {
        let (index, reached) = checked::open(path, &expected())?;
        let generation = Self::with_index(path, index, writing.then_some(reached)).map_err(|error| match error {
            IndexError::Engine(error) => IndexError::Damaged(format!("{}: {error}", path.display())),
            other => other,
        })?;
        Ok((generation, reached))
    }

    fn with_index(path: &Path, index: tantivy::Index, writing: Option<Reached>) -> Result<Self> {
        tokenizers::register(index.tokenizers());
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .doc_store_cache_num_blocks(STORE_BLOCKS_CACHED)
            .try_into()?;
        let writing = match writing {
            Some(reached) => Some(Mutex::new(Writing { writer: checked::writer(&index, path)?, reached, bytes: 0 })),
            None => None,
        };
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let fields = Fields::new();
        let reading = Reading::of(reader.searcher(), &fields, None)?;
        Ok(Generation {
            path: path.to_owned(),
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            fields,
            reader,
            reading: RwLock::new(Arc::new(reading)),
            reloading: Mutex::new(()),
            writing,
        })
    }

    /// Writes records in place of their former states, removes others, and commits it all with the revision that the
    /// index has then reached, with what was staged before. Visible to later views when it returns.
    pub(crate) fn apply(&self, revision: i64, batch: &Batch) -> Result<()> {
        self.stage(batch)?;
        self.changing(|writing| writing.commit(revision))?;
        self.reload()
    }

    /// The same without the commit: a large change comes in parts, so that it is never in memory as a whole.
    pub(crate) fn stage(&self, batch: &Batch) -> Result<()> {
        self.changing(|writing| self.write(writing, batch))
    }

    /// Nothing that is written from now on is later than this milestone.
    pub(crate) fn set_milestone(&self, milestone: Milestone) -> Result<()> {
        self.changing(|writing| {
            writing.reached.milestone = milestone;
            Ok(())
        })
    }

    /// Takes back what was staged.
    pub(crate) fn take_back(&self) -> Result<()> {
        self.changing(|writing| checked::roll_back(&mut writing.writer))
    }

    fn changing(&self, change: impl FnOnce(&mut Writing) -> Result<()>) -> Result<()> {
        let writing = self.writing.as_ref().ok_or(IndexError::ReadOnly)?;
        let mut writing = writing.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut writing).inspect_err(|_| {
            // What was not committed must not ride along with the next batch. If this fails too, so does that batch.
            let _ = checked::roll_back(&mut writing.writer);
        })
    }

    /// Adds records without a commit that counts, for an index that is built as a whole: nothing is replaced.
    pub(crate) fn add(&self, records: &[IndexedRecord]) -> Result<()> {
        self.changing(|writing| records.iter().try_for_each(|record| writing.add(&self.fields, record)))
    }

    fn write(&self, writing: &mut Writing, batch: &Batch) -> Result<()> {
        for project in &batch.gone_projects {
            for noun in Noun::ALL {
                for past in [false, true] {
                    writing.writer.delete_term(self.fields.space_term(noun, *project, past));
                }
            }
        }
        for uuid in &batch.gone_collections {
            let field = self.fields.of("collection_uuid").main;
            writing.writer.delete_term(Term::from_field_text(field, &uuid.to_string()));
        }
        for uid in &batch.gone {
            writing.writer.delete_term(self.fields.uid_term(uid.bytes()));
        }
        if let Some(since) = batch.kept_since {
            let field = self.fields.of("valid_to").main;
            let until = Bound::Included(Term::from_field_i64(field, since.0));
            let over = RangeQuery::new(Bound::Included(Term::from_field_i64(field, i64::MIN)), until);
            writing.writer.delete_query(Box::new(over))?;
        }
        for record in &batch.records {
            for key in [Some(record.key()), record.key_of_its_closing()].into_iter().flatten() {
                writing.writer.delete_term(self.fields.key_term(&key));
            }
            writing.add(&self.fields, record)?;
        }
        Ok(())
    }

    /// Makes what was committed visible to later views; in a process that only reads, what others committed.
    pub(crate) fn reload(&self) -> Result<()> {
        // One after the other: an earlier reading must not take the place of a later one.
        let _turn = self.reloading.lock().unwrap_or_else(PoisonError::into_inner);
        self.reader.reload()?;
        // Searches go on with the earlier reading until all is known of this one.
        let reading = Reading::of(self.reader.searcher(), &self.fields, Some(&self.reading()))?;
        *self.reading.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(reading);
        Ok(())
    }

    fn reading(&self) -> Arc<Reading> {
        self.reading.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the last commit reached, which another process may have made; the milestone of the writer itself.
    pub(crate) fn reached(&self) -> Result<Reached> {
        match &self.writing {
            Some(writing) => Ok(writing.lock().unwrap_or_else(PoisonError::into_inner).reached),
            None => checked::committed(&self.path, self.reading().searcher.index()),
        }
    }

    pub(crate) fn view(&self) -> View {
        View { number: self.number, fields: self.fields.clone(), reading: self.reading() }
    }

    pub(crate) fn documents(&self) -> u64 {
        self.reading().searcher.num_docs()
    }
}

impl View {
    /// Which moment of which generation this is.
    pub(crate) fn moment(&self) -> Moment {
        (self.number, self.reading.searcher.generation().generation_id())
    }

    /// Runs a search; counts what all hits have, if a noun is given.
    pub(crate) fn find(
        &self,
        condition: &Condition,
        page: &Page,
        counting: Option<Noun>,
        deadline: Instant,
    ) -> Result<Found> {
        let pages = Pages {
            order: page.order,
            limit: if page.size == 0 { 0 } else { page.skip + page.size },
            after: page.after.clone(),
        };
        let (mut total, mut hits, mut timed_out) = (0, Vec::new(), false);
        let mut totals = counting.map(Totals::of);
        let found_before = FoundBefore::default();
        let known: Vec<KnownSegment<'_>> = self.reading.segments.iter().map(ReadSegment::known).collect();
        let readers = self.reading.searcher.segment_readers();
        for (ordinal, (reader, read)) in (0..).zip(readers.iter().zip(&self.reading.segments)) {
            let asked = Asked {
                fields: &self.fields,
                searcher: &self.reading.searcher,
                reader,
                of: read.known(),
                all: &known,
                found: &found_before,
                deadline,
            };
            let mut set = match asked.check_clock().and_then(|()| asked.matching(condition)) {
                Ok(set) => set,
                Err(Stop::Engine(error)) => return Err(error.into()),
                Err(Stop::Deadline) => {
                    timed_out = true;
                    break;
                }
            };
            if let Some(alive) = &read.alive {
                Arc::make_mut(&mut set).intersect(alive);
            }
            let found = set.len();
            total += found as u64;
            if let Some((noun, totals)) = counting.zip(totals.as_mut()) {
                read.segment.facets.count(noun, &set, totals);
            }
            if pages.limit > 0 {
                let order = page.order.is_usual().then_some(read.segment.order.as_slice());
                hits.push(pages.of_segment(ordinal, reader)?.first(&set, found, order)?);
            }
        }
        let hits = if timed_out { Vec::new() } else { self.records(pages.merge(hits), page.skip)? };
        Ok(Found { total, hits, counted: totals.map(Totals::counted), timed_out })
    }

    fn records(&self, hits: Vec<(Key, DocAddress)>, skip: usize) -> Result<Vec<(Key, IndexedRecord)>> {
        let mut hits: Vec<(usize, (Key, DocAddress))> = hits.into_iter().skip(skip).enumerate().collect();
        // In the order of their storage, where neighbours share a block.
        hits.sort_unstable_by_key(|(_, (_, address))| *address);
        let mut records = Vec::with_capacity(hits.len());
        for (place, (key, address)) in hits {
            let document: TantivyDocument = self.reading.searcher.doc(address)?;
            let stored = document.get_first(self.fields.stored());
            let stored = stored.as_ref().and_then(|value| value.as_bytes());
            let stored = stored.ok_or_else(|| IndexError::Damaged("a document has no record".to_owned()))?;
            let record = IndexedRecord::from_stored(stored);
            let record = record.map_err(|error| IndexError::Damaged(format!("a record is unreadable: {error}")))?;
            records.push((place, (key, record)));
        }
        records.sort_unstable_by_key(|(place, _)| *place);
        Ok(records.into_iter().map(|(_, record)| record).collect())
    }
}

fn settings() -> IndexSettings {
    IndexSettings {
        // The records take twice the room that they take with zstd, whose set-up for each block costs more than the
        // unpacking.
        docstore_compression: Compressor::Lz4,
        docstore_blocksize: STORE_BLOCK_BYTES,
        ..IndexSettings::default()
    }
}

fn expected() -> Expected {
    Expected { schema: Fields::new().schema, settings: settings(), shape: SHAPE.clone(), column: UID_HIGH }
}

#[cfg(test)]
mod tests {
    use super::checked::payload;
    use super::*;
    use crate::tests::Scratch;
    use ambit_model::id::blob_hash;
    use tantivy::Opstamp;

    #[test]
    fn another_shape_is_told_from_damage() {
        let scratch = Scratch::new();
        let generation = Generation::create(scratch.path()).unwrap();
        let mut writing = generation.writing.as_ref().unwrap().lock().unwrap();
        let writer = &mut writing.writer;
        let commit = |writer: &mut IndexWriter, text: &dyn Fn(Opstamp) -> String| {
            let mut commit = writer.prepare_commit().unwrap();
            let text = text(commit.opstamp());
            commit.set_payload(&text);
            commit.commit().unwrap();
        };
        // As it was written before there were milestones.
        let sum = |text: &str| blob_hash(text.as_bytes()).to_string()[..16].to_owned();
        commit(writer, &|opstamp| {
            let text = format!("ambit 01234567 5 {opstamp}");
            format!("{text} {}", sum(&text))
        });
        let other = Generation::open(scratch.path(), false).map(|_| ());
        assert!(matches!(&other, Err(IndexError::OtherShape { found }) if found == "01234567"), "{other:?}");
        commit(writer, &|_| payload("01234567", Reached::default(), 0));
        assert!(matches!(Generation::open(scratch.path(), false).map(|_| ()), Err(IndexError::Damaged(_))));
    }
}
