//! A data folder as the commands see it: its store, its local operator, and its search index brought up to date.

use crate::args::Data;
use crate::config::Settings;
use crate::failure::{Failure, Result};
use crate::folder;
use ambit_search::{Index, IndexError};
use ambit_store::engine::Engine;
use ambit_store::{Options, Principal, Schema, Store, StoreError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The index's folder inside a data folder.
pub(crate) const INDEX_FOLDER: &str = "index";

/// Longest that a command waits for the index.
const INDEX_WAIT: Duration = Duration::from_secs(30);

/// How long it waits until it asks the writer again.
const INDEX_ASK: Duration = Duration::from_secs(2);
/// How often it looks for an index that is not there yet.
const INDEX_LOOK: Duration = Duration::from_millis(100);

/// The options of a data folder under the settings.
pub(crate) fn options(folder: &Path, settings: &Settings) -> Options {
    let mut options = Options::folder(folder);
    options.database = settings.get("database").map(str::to_owned);
    options.secret_file = settings.get("secret_file").map(PathBuf::from);
    options
}

/// Opens an existing data folder as its local operator, for commands that no server answers.
pub(crate) async fn folder(data: &Data, settings: &Settings) -> Result<(Store, Principal)> {
    refuse_server(data, settings)?;
    opened(data.data.as_deref(), settings).await
}

/// Opens an existing data folder with the schema that it has: for a copy before that is brought up, and for a look.
pub(crate) async fn unmigrated(data: &Data, settings: &Settings) -> Result<(Store, Schema)> {
    refuse_server(data, settings)?;
    let folder = folder::data(data.data.as_deref(), settings)?;
    Ok(Store::open_unmigrated(&options(&folder, settings)).await?)
}

/// A configured server is not what is meant by a command that no server answers.
pub(crate) fn refuse_server(data: &Data, settings: &Settings) -> Result<()> {
    match settings.get("server").filter(|_| data.data.is_none()) {
        Some(server) => Err(Failure::usage(format!(
            "a server is configured ({server}), but this command works only on a data folder: give one with --data DIR"
        ))),
        None => Ok(()),
    }
}

/// As [`folder`], of the folder that a flag names or the settings.
pub(crate) async fn opened(flag: Option<&Path>, settings: &Settings) -> Result<(Store, Principal)> {
    let folder = folder::data(flag, settings)?;
    let store = Store::open(&options(&folder, settings)).await?;
    let principal = store.local_operator().await?;
    Ok((store, principal))
}

/// Opens the folder's index when it has seen everything that is in the store now: brings it up where nobody else does,
/// and holds the engine's place for that; else waits for its writer.
pub(crate) async fn index(folder: &Path, store: &Store) -> Result<(Index, Option<Engine>)> {
    let place = folder.join(INDEX_FOLDER);
    if store.is_read_only() {
        return read_only_index(&place, store).await.map(|index| (index, None));
    }
    let engine = match store.engine("command", Duration::ZERO).await {
        Ok(engine) => Some(engine),
        Err(StoreError::Busy { .. }) => None,
        Err(StoreError::Full { .. }) => return read_only_index(&place, store).await.map(|index| (index, None)),
        Err(error) => return Err(error.into()),
    };
    let written = match engine {
        // On a full disk an index that is up to date already is searched as it is.
        Some(_) => match bring_up_index(folder, store).await {
            Err(failure) => match read_only_index(&place, store).await {
                Ok(index) => return Ok((index, engine)),
                Err(_) => return Err(failure),
            },
            written => written?,
        },
        None => None,
    };
    let Some(index) = written else { return Ok((index_of_another(&place, store).await?, engine)) };
    let revision = store.last_revision().await?;
    match index.wait_for(revision, INDEX_WAIT).await.map_err(index_failure)? {
        true => Ok((index, engine)),
        false => Err(Failure::run_time(BEHIND)),
    }
}

/// The error of a command if the index does not catch up with the store.
const BEHIND: &str = "the search index is behind and is not catching up; is the server that writes it busy or stuck?";

/// The index that another process writes, when it has seen everything that is in the store now. That process is asked
/// for it: a run writes it where somebody wants it, and one that is the first of its folder makes it then.
async fn index_of_another(place: &Path, store: &Store) -> Result<Index> {
    // One that is up to date needs nobody, and asking needs room on the disk.
    if let Ok(index) = read_only_index(place, store).await {
        return Ok(index);
    }
    let revision = store.last_revision().await?;
    let end = Instant::now() + INDEX_WAIT;
    while Instant::now() < end {
        ambit_search::ask_for(store).await.map_err(index_failure)?;
        match Index::open_read_only(place, Some(store)) {
            Ok(index) if index.wait_for(revision, INDEX_ASK).await.map_err(index_failure)? => return Ok(index),
            Ok(_) => {}
            Err(IndexError::Missing(_)) => tokio::time::sleep(INDEX_LOOK).await,
            Err(error) => return Err(index_failure(error)),
        }
    }
    Err(Failure::run_time(BEHIND))
}

/// Opens the folder's index and brings it up to what the store holds now. `None`: another process writes it, which is
/// where the engine's place says nothing of the folder, on PostgreSQL; it brings it up.
pub(crate) async fn bring_up_index(folder: &Path, store: &Store) -> Result<Option<Index>> {
    let place = folder.join(INDEX_FOLDER);
    let opened = tokio::task::spawn_blocking(move || Index::open(&place)).await;
    let index =
        match opened.map_err(|error| Failure::run_time(format!("the search index cannot be opened: {error}")))? {
            Ok(index) => index,
            Err(IndexError::Locked(_)) => return Ok(None),
            Err(error) => return Err(index_failure(error)),
        };
    ambit_search::catch_up(&index, store).await.map_err(index_failure)?;
    Ok(Some(index))
}

/// The index of a folder that cannot be written: as it is, which is what is in the store, or not at all.
async fn read_only_index(place: &Path, store: &Store) -> Result<Index> {
    let copy = "it cannot be updated, since nothing can be written here: free some space, or search in a copy of the \
         folder";
    let index = Index::open_read_only(place, Some(store))
        .map_err(|error| Failure::run_time(format!("search index: {error}; {copy}")))?;
    let newest = store.last_revision().await?;
    if !index.wait_for(newest, Duration::ZERO).await.map_err(index_failure)? {
        return Err(Failure::run_time(format!("the search index {} is behind: {copy}", place.display())));
    }
    Ok(index)
}

pub(crate) fn index_failure(error: IndexError) -> Failure {
    Failure::run_time(format!("search index: {error}"))
}

/// The search index beside a run: written where another process asks for it.
pub(crate) struct Indexing {
    stop: watch::Sender<bool>,
    work: JoinHandle<()>,
}

impl Indexing {
    /// Begins; the caller holds the engine's place until it has waited for the end.
    pub(crate) fn begin(folder: &Path, store: &Store) -> Self {
        let (stop, stopped) = watch::channel(false);
        let (place, store) = (folder.join(INDEX_FOLDER), store.clone());
        let work = tokio::spawn(async move { ambit_search::follow_where_asked(&place, &store, stopped).await });
        Self { stop, work }
    }

    /// Ends, so that the index can be opened again.
    pub(crate) async fn end(self) {
        self.stop.send_replace(true);
        // What went wrong was logged, and whoever opens the index next meets it.
        self.work.await.ok();
    }
}
