//! A data folder as the commands see it: its store, its local operator, and its search index brought up to date.

use crate::args::Data;
use crate::config::Settings;
use crate::failure::Failure;
use crate::folder;
use ambit_search::{Index, IndexError};
use ambit_store::engine::Engine;
use ambit_store::{Options, Principal, Schema, Store, StoreError};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The index's folder inside a data folder.
pub(crate) const INDEX_FOLDER: &str = "index";

/// Longest that a command waits for the index.
const INDEX_WAIT: Duration = Duration::from_secs(30);

/// The options of a data folder under the settings.
pub(crate) fn options(folder: &Path, settings: &Settings) -> Options {
    let mut options = Options::folder(folder);
    options.database = settings.get("database").map(str::to_owned);
    options.secret_file = settings.get("secret_file").map(PathBuf::from);
    options
}

/// Opens an existing data folder as its local operator, for commands that no server answers.
pub(crate) async fn folder(data: &Data, settings: &Settings) -> Result<(Store, Principal), Failure> {
    refuse_server(data, settings)?;
    opened(data.data.as_deref(), settings).await
}

/// Opens an existing data folder with the schema that it has: for a copy before that is brought up, and for a look.
pub(crate) async fn unmigrated(data: &Data, settings: &Settings) -> Result<(Store, Schema), Failure> {
    refuse_server(data, settings)?;
    let folder = folder::data(data.data.as_deref(), settings)?;
    Ok(Store::open_unmigrated(&options(&folder, settings)).await?)
}

/// A configured server is not what is meant by a command that no server answers.
pub(crate) fn refuse_server(data: &Data, settings: &Settings) -> Result<(), Failure> {
    match settings.get("server").filter(|_| data.data.is_none()) {
        Some(server) => Err(Failure::usage(format!(
            "a server is configured ({server}), but this command works on a data folder only: say which with --data DIR"
        ))),
        None => Ok(()),
    }
}

/// As [`folder`], of the folder that a flag names or the settings.
pub(crate) async fn opened(flag: Option<&Path>, settings: &Settings) -> Result<(Store, Principal), Failure> {
    let folder = folder::data(flag, settings)?;
    let store = Store::open(&options(&folder, settings)).await?;
    let principal = store.local_operator().await?;
    Ok((store, principal))
}

/// Opens the folder's index when it has seen everything that is in the store now: brings it up where nobody else does,
/// and holds the engine's place for that; else waits for its writer.
pub(crate) async fn index(folder: &Path, store: &Store) -> Result<(Index, Option<Engine>), Failure> {
    let place = folder.join(INDEX_FOLDER);
    if store.is_read_only() {
        return read_only_index(&place, store).await.map(|index| (index, None));
    }
    let engine = match store.engine("command", Duration::ZERO).await {
        Ok(engine) => Some(engine),
        Err(StoreError::Busy { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let written = match engine {
        Some(_) => bring_up_index(folder, store).await?,
        None => None,
    };
    let index = match written {
        Some(index) => index,
        None => Index::open_read_only(&place, Some(store)).map_err(index_failure)?,
    };
    let revision = store.last_revision().await?;
    if !index.wait_for(revision, INDEX_WAIT).await.map_err(index_failure)? {
        return Err(Failure::run_time(
            "the search index is behind and its writer does not go on; is the server busy or stuck?",
        ));
    }
    Ok((index, engine))
}

/// Opens the folder's index and brings it up to what the store holds now. `None`: another process writes it, which is
/// where the engine's place says nothing of the folder, on PostgreSQL; it brings it up.
pub(crate) async fn bring_up_index(folder: &Path, store: &Store) -> Result<Option<Index>, Failure> {
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
async fn read_only_index(place: &Path, store: &Store) -> Result<Index, Failure> {
    let copy = "the folder can only be read, so that it cannot be brought up here; search in a copy of the folder";
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
