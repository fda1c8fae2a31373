//! A data folder as the commands see it: its store, its local operator, and its search index brought up to date.

use crate::cli::Data;
use crate::config::Settings;
use crate::failure::Failure;
use crate::folder;
use ambit_model::Timestamp;
use ambit_query::{Noun, parse_search};
use ambit_search::{CollectionContext, Index, IndexedRecord, SearchContext, SearchRequest};
use ambit_store::engine::Engine;
use ambit_store::{Options, Principal, Store, StoreError};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The index's folder inside a data folder.
pub(crate) const INDEX_FOLDER: &str = "index";

/// Longest that a command waits for the index.
const INDEX_WAIT: Duration = Duration::from_secs(30);

/// Rows that a command reads at once.
const PAGE_SIZE: u64 = 1_000;

/// The options of a data folder under the settings.
pub(crate) fn options(folder: &Path, settings: &Settings) -> Options {
    let mut options = Options::folder(folder);
    options.database = settings.get("database").map(str::to_owned);
    options.secret_file = std::env::var_os("AMBIT_SECRET_FILE").map(PathBuf::from);
    options
}

/// Opens an existing data folder as its local operator.
pub(crate) async fn folder(data: &Data, settings: &Settings) -> Result<(Store, Principal), Failure> {
    let folder = folder::data(data.data.as_deref(), settings)?;
    let store = Store::open(&options(&folder, settings)).await?;
    let principal = store.local_operator().await?;
    Ok((store, principal))
}

/// An index that has seen everything that was in the store when it was opened.
pub(crate) struct Searcher {
    store: Store,
    principal: Principal,
    index: Index,
    /// Held where the place was free, so that this process brings the index up.
    _engine: Option<Engine>,
}

impl Searcher {
    /// Opens the folder's index: brings it up where nobody else does, else waits for its writer.
    pub(crate) async fn open(data: &Data, settings: &Settings) -> Result<Self, Failure> {
        let path = folder::data(data.data.as_deref(), settings)?;
        let (store, principal) = folder(data, settings).await?;
        let place = path.join(INDEX_FOLDER);
        let engine = match store.engine("command", Duration::ZERO).await {
            Ok(engine) => Some(engine),
            Err(StoreError::Busy { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let index = match engine {
            Some(_) => {
                let index = Index::open(&place).map_err(index_failure)?;
                ambit_search::catch_up(&index, &store).await.map_err(index_failure)?;
                index
            }
            None => Index::open_read_only(&place).map_err(index_failure)?,
        };
        let revision = store.last_revision().await?;
        if !index.wait_for(revision, INDEX_WAIT).await.map_err(index_failure)? {
            return Err(Failure::run_time(
                "the search index is behind and its writer does not go on; is the server busy or stuck?",
            ));
        }
        Ok(Self {
            store,
            principal,
            index,
            _engine: engine,
        })
    }

    /// The store behind the index.
    pub(crate) fn store(&self) -> (&Store, &Principal) {
        (&self.store, &self.principal)
    }

    /// Every record that the query matches, page by page, in the default order.
    pub(crate) async fn each(
        &self,
        noun: Noun,
        query: &str,
        now: Timestamp,
        mut show: impl FnMut(&IndexedRecord) -> Result<(), Failure>,
    ) -> Result<u64, Failure> {
        let mut request = self.request(noun, query, now).await?;
        request.page_size = PAGE_SIZE;
        request.with_aggregations = false;
        loop {
            let answer = self
                .index
                .search(request.clone())
                .await
                .map_err(|error| Failure::run_time(format!("search: {error}")))?;
            if let Some(message) = &answer.message {
                crate::output::hint(message);
            }
            for hit in &answer.hits {
                show(hit)?;
            }
            match answer.next_page_token {
                Some(token) => request.page_token = Some(token),
                None => return Ok(answer.total_hits),
            }
        }
    }

    async fn request(&self, noun: Noun, query: &str, now: Timestamp) -> Result<SearchRequest, Failure> {
        let search = parse_search(query, noun).map_err(|error| Failure::usage(format!("query: {error}")))?;
        let project = self
            .store
            .choose_project(&self.principal, None)
            .await?
            .ok_or_else(|| Failure::not_found("the owner is in no project"))?;
        let collections = self.store.collection_contexts(&self.principal, project).await?;
        let collections = collections
            .into_iter()
            .map(|context| CollectionContext {
                uuid: context.uuid,
                name: context.name,
                last_refreshes: context.last_refreshes,
                configured_scan_count: usize::try_from(context.custom_last_refreshes_count).unwrap_or(1),
            })
            .collect();
        Ok(SearchRequest::new(
            noun,
            search,
            SearchContext {
                project,
                collections,
                whole_project: true,
            },
            now,
        ))
    }
}

fn index_failure(error: ambit_search::IndexError) -> Failure {
    Failure::run_time(format!("search index: {error}"))
}

/// The collections that hits may belong to, by uuid.
pub(crate) async fn collections(searcher: &Searcher) -> Result<Vec<ambit_model::collection::Collection>, Failure> {
    let (store, principal) = searcher.store();
    Ok(store
        .list_collections(principal, None)
        .await?
        .into_iter()
        .map(|view| view.collection)
        .collect())
}
