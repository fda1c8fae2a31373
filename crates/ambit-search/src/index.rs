//! The `current` index as the rest of the program sees it: opened from a folder, written by one process, searched by
//! many callers, replaced by a rebuilt one while it serves.

use crate::document::{Batch, IndexedRecord};
use crate::embedded::{Folder, Generation, Reached, View};
use crate::error::{IndexError, Result};
use crate::graphs::GraphIndex;
use crate::ready::{Moment, Ready};
use crate::walks::Walks;
use ambit_store::{Milestone, Store};
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore, SemaphorePermit, watch};
use tokio::time::{Instant, sleep, timeout_at};

/// Searches that run at the same time; more wait their turn, so that they do not starve everything else of threads.
const SEARCHES_AT_ONCE_MAX: usize = 32;

/// How often a process that only reads looks whether the writer has gone on.
const READER_LOOK: Duration = Duration::from_millis(25);

/// Tries of a process that only reads to open an index that the writer may be replacing at that moment.
const READER_OPEN_TRIES: usize = 5;

/// Below every revision: nothing is known yet of how what an index holds and the database belong together.
const UNKNOWN: i64 = -1;

/// A search index. Cheap to clone; all clones are the same index.
#[derive(Clone)]
pub struct Index {
    inner: Arc<Inner>,
}

struct Inner {
    folder: Folder,
    writing: bool,
    /// In a process that only reads: the database that it must be an index of.
    beside: Option<Store>,
    live: RwLock<Arc<Generation>>,
    reached: watch::Sender<i64>,
    /// Searches wait for this revision at least: the newest one when the index was found to be of this database.
    floor: AtomicI64,
    walks: Mutex<Walks>,
    ready: Ready,
    graphs: GraphIndex,
    changes: Mutex<Changes>,
    running: Semaphore,
    /// Told when somebody waits for a revision, or when the index is suspected.
    wanted: Notify,
    /// A search failed in a way that a whole index does not cause.
    suspected: AtomicBool,
}

/// When each project was last changed, in moments of the index.
#[derive(Default)]
struct Changes {
    everywhere: Moment,
    by_project: HashMap<i64, Moment>,
}

impl Index {
    /// Opens the index of a folder for writing; the caller holds `engine.lock`. One that is missing, damaged or of
    /// another shape is replaced by an empty one at revision 0, which the indexer then fills. Nothing counts as reached
    /// before the indexer has compared it with the database. Blocks while it reads and checks the whole index.
    pub fn open(path: &Path) -> Result<Self> {
        let folder = Folder::new(path);
        let generation = match folder.open(true) {
            Ok((generation, _)) => generation,
            Err(error @ (IndexError::Missing(_) | IndexError::Damaged(_) | IndexError::OtherShape { .. })) => {
                if !matches!(error, IndexError::Missing(_)) {
                    tracing::warn!(path = %path.display(), %error, "the search index is rebuilt");
                }
                let generation = folder.create_next()?;
                folder.name(&generation)?;
                generation
            }
            Err(error) => return Err(error),
        };
        folder.remove_others(&generation);
        Ok(Self::with(folder, generation, UNKNOWN, true, None))
    }

    /// Opens the index of a folder that another process writes. Where a store is given, [`Index::wait_for`] waits until
    /// it is the index of that database. Fails where there is no index, or one that another version wrote.
    pub fn open_read_only(path: &Path, beside: Option<&Store>) -> Result<Self> {
        let folder = Folder::new(path);
        let mut tries = 1;
        let (generation, reached) = loop {
            match folder.open(false) {
                Err(IndexError::Damaged(_)) if tries < READER_OPEN_TRIES => tries += 1,
                other => break other?,
            }
        };
        let revision = if beside.is_some() { UNKNOWN } else { reached.revision };
        Ok(Self::with(folder, generation, revision, false, beside.cloned()))
    }

    fn with(folder: Folder, generation: Generation, revision: i64, writing: bool, beside: Option<Store>) -> Self {
        Index {
            inner: Arc::new(Inner {
                graphs: GraphIndex::within(folder.path()),
                folder,
                writing,
                beside,
                live: RwLock::new(Arc::new(generation)),
                reached: watch::Sender::new(revision),
                floor: AtomicI64::new(0),
                walks: Mutex::default(),
                ready: Ready::default(),
                changes: Mutex::default(),
                running: Semaphore::new(SEARCHES_AT_ONCE_MAX),
                wanted: Notify::new(),
                suspected: AtomicBool::new(false),
            }),
        }
    }

    /// The graphs, which have an index of their own in the same folder.
    pub fn graphs(&self) -> &GraphIndex {
        &self.inner.graphs
    }

    /// The revision of the change feed up to which searches see everything; below 0: that is not known.
    pub fn reached(&self) -> i64 {
        *self.inner.reached.borrow()
    }

    /// The revision that the index itself says it has reached, of whichever database.
    pub fn committed(&self) -> Result<i64> {
        Ok(self.holds()?.revision)
    }

    /// Returns true if what it holds was read from a database, in the state in which that is now or an earlier one.
    /// An empty index is of every database.
    pub async fn is_of(&self, store: &Store) -> Result<bool> {
        let holds = self.holds()?;
        Ok(holds == Reached::default() || store.footing(holds.milestone).await?.known)
    }

    pub(crate) fn holds(&self) -> Result<Reached> {
        self.live().reached()
    }

    /// The milestone of what an empty index is about to be filled from.
    pub(crate) fn begin_with(&self, milestone: Milestone) -> Result<()> {
        self.live().set_milestone(milestone)
    }

    /// What the index holds is of the database, whose newest revision is given: searches may see it once they see that,
    /// too.
    pub(crate) fn trust(&self, newest: i64) -> Result<()> {
        if self.reached() == UNKNOWN {
            self.inner.floor.store(newest, Ordering::Relaxed);
            self.inner.reached.send_replace(self.holds()?.revision);
        }
        Ok(())
    }

    /// What the index holds is of another history than the database: searches wait until it is built anew.
    pub(crate) fn distrust(&self) {
        self.inner.reached.send_replace(UNKNOWN);
        self.forget_walks();
    }

    /// Ends all walks through pages.
    pub(crate) fn forget_walks(&self) {
        self.walks().clear();
    }

    /// Waits until searches see everything up to a revision. `false`: not within that time. A failed look at an index
    /// that another process writes is an error only where the time is over.
    pub async fn wait_for(&self, revision: i64, within: Duration) -> Result<bool> {
        let deadline = Instant::now() + within;
        if self.inner.writing {
            let seen = |reached: &i64| *reached >= revision.max(self.inner.floor.load(Ordering::Relaxed));
            let mut reached = self.inner.reached.subscribe();
            if !seen(&reached.borrow()) {
                self.inner.wanted.notify_one();
            }
            let waited = timeout_at(deadline, reached.wait_for(seen)).await;
            return Ok(matches!(waited, Ok(Ok(_))));
        }
        loop {
            // While the writer replaces the index, a look may fail; the next one finds the new index.
            let looked = self.look_again().await;
            if self.reached() >= revision {
                return Ok(true);
            }
            if Instant::now() >= deadline {
                return looked.map(|()| false);
            }
            sleep(READER_LOOK).await;
        }
    }

    /// Returns when somebody waits for a revision that is not reached yet, or a search has failed.
    pub(crate) async fn wanted(&self) {
        self.inner.wanted.notified().await;
    }

    /// In a process that only reads: goes on to what the writer has committed since, if that is of the database.
    async fn look_again(&self) -> Result<()> {
        let index = self.clone();
        let looked = tokio::task::spawn_blocking(move || index.load_again()).await;
        let reached = looked.unwrap_or_else(|error| Err(IndexError::Stopped(error.to_string())))?;
        let known = match &self.inner.beside {
            // What holds nothing yet holds nothing of another database.
            Some(_) if reached == Reached::default() => true,
            Some(store) => store.footing(reached.milestone).await?.known,
            None => true,
        };
        self.inner.reached.send_replace(if known { reached.revision } else { UNKNOWN });
        Ok(())
    }

    fn load_again(&self) -> Result<Reached> {
        let live = self.live();
        if !self.inner.folder.is_named(&live) {
            let (generation, reached) = self.inner.folder.open(false)?;
            self.put_live(generation);
            return Ok(reached);
        }
        // The position is read first, so that what is loaded next covers it.
        let reached = live.reached()?;
        self.note_change(&live, None);
        live.reload()?;
        Ok(reached)
    }

    /// A place among the searches that run at the same time; waits while there are too many.
    pub(crate) async fn turn(&self) -> Result<SemaphorePermit<'_>> {
        let turn = self.inner.running.acquire().await;
        turn.map_err(|error| IndexError::Stopped(error.to_string()))
    }

    /// Notes that a search failed in a way that a whole index does not cause.
    pub(crate) fn suspect(&self) {
        self.inner.suspected.store(true, Ordering::Relaxed);
        self.inner.wanted.notify_one();
    }

    /// Whether a search failed since this was asked last, and a look at every byte finds the index damaged.
    pub(crate) fn is_damaged(&self) -> bool {
        self.inner.suspected.swap(false, Ordering::Relaxed)
            && matches!(self.inner.folder.open(false), Err(IndexError::Damaged(_)))
    }

    /// How many documents there are, of all projects and nouns.
    pub fn documents(&self) -> u64 {
        self.live().documents()
    }

    /// Writes a change and commits it; when it returns, searches see it, and `revision` is reached. Blocks.
    pub fn apply(&self, revision: i64, batch: &Batch) -> Result<()> {
        let live = self.live();
        self.note_change(&live, Some(batch));
        live.apply(revision, batch)?;
        self.inner.reached.send_replace(revision);
        Ok(())
    }

    /// Writes a part of a change that [`Index::apply`] will commit. Nothing in it is later than the milestone. Blocks.
    pub(crate) fn stage(&self, batch: &Batch, milestone: Milestone) -> Result<()> {
        let live = self.live();
        live.set_milestone(milestone)?;
        self.note_change(&live, Some(batch));
        live.stage(batch)
    }

    /// Takes back what was staged and is not committed. Blocks.
    pub(crate) fn take_back(&self) -> Result<()> {
        self.live().take_back()
    }

    /// Begins an empty index beside this one, which goes on serving. What an earlier rebuild that failed has left goes
    /// first: it may be what fills the disk.
    pub(crate) fn begin_rebuild(&self) -> Result<Rebuild> {
        self.inner.folder.remove_others(&self.live());
        Ok(Rebuild { generation: self.inner.folder.create_next()? })
    }

    /// Lets a rebuilt index take the place of this one.
    pub(crate) fn finish_rebuild(&self, rebuild: Rebuild, reached: Reached) -> Result<()> {
        rebuild.generation.set_milestone(reached.milestone)?;
        rebuild.generation.apply(reached.revision, &Batch::default())?;
        self.inner.folder.name(&rebuild.generation)?;
        self.put_live(rebuild.generation);
        // Walks keep what they need of the old one open; its files may go.
        self.inner.folder.remove_others(&self.live());
        if self.reached() == UNKNOWN {
            self.inner.floor.store(reached.revision, Ordering::Relaxed);
        }
        self.inner.reached.send_replace(reached.revision);
        Ok(())
    }

    fn put_live(&self, generation: Generation) {
        *self.inner.live.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(generation);
    }

    fn live(&self) -> Arc<Generation> {
        self.inner.live.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes which projects the next reading of a generation shows changed, before anybody can see it. `None`: perhaps
    /// all.
    fn note_change(&self, live: &Generation, batch: Option<&Batch>) {
        let (number, reading) = live.view().moment();
        let next = (number, reading + 1);
        let mut changes = self.inner.changes.lock().unwrap_or_else(PoisonError::into_inner);
        match batch {
            Some(batch)
                if batch.gone.is_empty() && batch.gone_collections.is_empty() && batch.gone_projects.is_empty() =>
            {
                for record in &batch.records {
                    changes.by_project.insert(record.project, next);
                }
            }
            Some(_) | None => changes.everywhere = next,
        }
    }

    /// The last change of a project that a moment of the index shows; the moment itself where the project has been
    /// changed since.
    pub(crate) fn last_change(&self, project: i64, moment: Moment) -> Moment {
        let changes = self.inner.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let of_project = changes.by_project.get(&project).copied().unwrap_or_default();
        // Another generation is another beginning.
        let last = changes.everywhere.max(of_project).max((moment.0, 0));
        if last <= moment { last } else { moment }
    }

    /// The counts that are kept ready.
    pub(crate) fn ready(&self) -> &Ready {
        &self.inner.ready
    }

    /// The index as it is now.
    pub(crate) fn view(&self) -> View {
        self.live().view()
    }

    pub(crate) fn walks(&self) -> MutexGuard<'_, Walks> {
        self.inner.walks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An index that is being filled and does not count yet.
pub(crate) struct Rebuild {
    generation: Generation,
}

impl Rebuild {
    /// Adds records, committed only when the rebuild is finished.
    pub(crate) fn add(&self, records: &[IndexedRecord]) -> Result<()> {
        self.generation.add(records)
    }
}
