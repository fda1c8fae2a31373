//! `ambit serve` and `ambit init`: the folder, the index beside it, the server and the engine in one process.

use crate::cli::init::Init;
use crate::cli::serve::Serve;
use crate::client::{INDEX_FOLDER, options};
use crate::config::Settings;
use crate::discover::{ENGINE_WAIT, Place, now};
use crate::failure::Failure;
use crate::output::{Results, hint};
use crate::signals::Stop;
use crate::{folder, outfit, wires};
use ambit_engine::{Board, Service};
use ambit_model::Kind;
use ambit_model::library::{KindEntry, Library, TaskEntry};
use ambit_net::PaceLimits;
use ambit_search::Index;
use ambit_server::{Listener, ServerState};
use ambit_store::{NewOwner, Store};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Between two rounds of sweeping what has lapsed.
const TIDY_EVERY: Duration = Duration::from_secs(300);
/// Runs `ambit serve`.
pub(crate) async fn run(serve: &Serve, silent: bool, settings: &mut Settings) -> Result<(), Failure> {
    settings.flag("listen", serve.listen.clone());
    let listen = address(settings.get("listen").unwrap_or_default())?;
    let stop = Stop::listen()?;
    let folder = folder::data(serve.data.data.as_deref(), settings)?;
    let listener = bind(listen).await?;
    let owner = NewOwner {
        email: "owner@localhost".to_owned(),
        organization: "My organization".to_owned(),
        username: None,
    };
    let (store, issued) = Store::init(&options(&folder, settings), &owner, now()).await?;
    if let Some(issued) = issued
        && !silent
    {
        hint(&format!(
            "a fresh data folder was made in {}; the owner's API key, shown once: {}",
            folder.display(),
            issued.key
        ));
    }
    let engine = store.engine("serve", ENGINE_WAIT).await?;
    let principal = store.local_operator().await?;
    answer(listener, &folder, Place { store, engine, principal }, !serve.no_engine, &stop, settings).await
}

/// Runs `ambit init`.
pub(crate) async fn init(init: &Init, settings: &Settings) -> Result<(), Failure> {
    let folder = folder::data(init.data.data.as_deref(), settings)?;
    let owner = NewOwner {
        email: init.email.clone(),
        organization: init.organization.clone(),
        username: None,
    };
    let (_, issued) = Store::init(&options(&folder, settings), &owner, now()).await?;
    let issued = issued.ok_or_else(|| {
        Failure::run_time(format!(
            "{} holds an installation already; `ambit key create` makes another key",
            folder.display()
        ))
    })?;
    let mut results = Results::open(None)?;
    results.line(&issued.key)?;
    results.finish()
}

/// The address of `--listen`.
pub(crate) fn address(text: &str) -> Result<SocketAddr, Failure> {
    text.parse()
        .map_err(|_| Failure::usage(format!("--listen {text:?}: expected an address and a port such as 127.0.0.1:8080")))
}

/// Takes the port.
pub(crate) async fn bind(address: SocketAddr) -> Result<Listener, Failure> {
    Listener::bind(address).await.map_err(|error| {
        let remedy = if error.kind() == std::io::ErrorKind::AddrInUse {
            "; choose another with --listen, port 0 picks a free one"
        } else {
            ""
        };
        Failure::run_time(format!("cannot listen on {address}: {error}{remedy}"))
    })
}

/// Opens the folder's index and brings it up to what the store holds now. The caller holds the engine's place.
pub(crate) async fn bring_up_index(folder: &Path, store: &Store) -> Result<Index, Failure> {
    let place = folder.join(INDEX_FOLDER);
    let index = tokio::task::spawn_blocking(move || Index::open(&place)).await;
    let index = index.map_err(|error| Failure::run_time(format!("the search index cannot be opened: {error}")))?;
    let index = index.map_err(|error| Failure::run_time(format!("search index: {error}")))?;
    ambit_search::catch_up(&index, store)
        .await
        .map_err(|error| Failure::run_time(format!("search index: {error}")))?;
    Ok(index)
}

/// Answers requests until the program is asked to stop; carries runs beside it where `engine` says so.
pub(crate) async fn answer(listener: Listener, folder: &Path, place: Place, engine: bool, stop: &Stop, settings: &Settings) -> Result<(), Failure> {
    let address = listener
        .address()
        .map_err(|error| Failure::run_time(format!("the listener has no address: {error}")))?;
    let index = bring_up_index(folder, &place.store).await?;
    let indexer = tokio::spawn(ambit_search::follow(index.clone(), place.store.clone(), stop.watch()));
    let sweeper = tokio::spawn(keep_tidy(place.store.clone(), stop.clone()));
    let runner = if engine { Some(service(&place, stop, settings)?) } else { None };
    let runner = runner.map(|service| tokio::spawn(async move { ambit_engine::serve(&service).await }));
    let mut state = ServerState::new(place.store.clone(), index, Arc::new(library()), Arc::new(now)).await?;
    state.limits.requests_per_minute = settings.key_rate()?;
    state.hosts = settings.hosts();
    state.plan = settings.plan()?;
    let state = Arc::new(state);
    hint(&format!("listening on http://{address}"));
    let waiting = stop.clone();
    let served = ambit_server::serve(listener, state, async move { waiting.wait().await }).await;
    for task in [Some(indexer), Some(sweeper), runner].into_iter().flatten() {
        task.await.ok();
    }
    place.store.close().await;
    served.map_err(|error| Failure::run_time(format!("the server ended: {error}")))
}

/// An engine that carries whatever runs the store has.
pub(crate) fn service(place: &Place, stop: &Stop, settings: &Settings) -> Result<Service, Failure> {
    let limits = settings
        .rate()?
        .map_or_else(PaceLimits::default, |rate| PaceLimits::at_rate(f64::from(rate)));
    Ok(Service {
        engine: place.engine.clone(),
        make_wire: wires::maker(place.store.clone(), outfit::live(settings)?, limits),
        settings: Arc::new(outfit::tasks(settings)?),
        clock: Arc::new(now),
        board: Board::default(),
        stop: stop.watch(),
    })
}

async fn keep_tidy(store: Store, stop: Stop) {
    while !stop.asked() {
        if let Err(error) = store.tidy(now()).await {
            tracing::error!(%error, "sweeping what has lapsed failed and is tried again");
        }
        tokio::select! {
            () = tokio::time::sleep(TIDY_EVERY) => {}
            () = stop.wait() => {}
        }
    }
}

/// What the program can do, for the server, which knows neither tasks nor judges.
pub(crate) fn library() -> Library {
    let kinds = Kind::ALL.iter().map(|kind| KindEntry {
        kind: *kind,
        description: kind.description().to_owned(),
        user_creatable: kind.is_seedable(),
        example: kind.example().to_owned(),
    });
    let tasks = ambit_tasks::ALL.iter().map(|task| TaskEntry {
        name: task.name.to_owned(),
        pretty_name: task.pretty_name.to_owned(),
        description: task.description.to_owned(),
        footprint: task.footprint,
        watches: task.watches.to_vec(),
        produces: task.produces.to_vec(),
    });
    Library {
        kinds: kinds.collect(),
        tasks: tasks.collect(),
        issues: ambit_checks::library(),
        fingerprints: ambit_tasks::fingerprints(),
    }
}
