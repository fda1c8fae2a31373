//! A data folder that a command works in: its store, and the engine's place in it.

use crate::clock::now;
use crate::config::Settings;
use crate::failure::{Failure, Result};
use crate::ledger::Recorder;
use crate::local_store::options;
use ambit_store::engine::Engine;
use ambit_store::{Caller, IssuedKey, NewOwner, Principal, Store};
use ambit_vulns::Knowledge;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How long a command waits for the engine's place before it says who holds it (docs/architecture.md §1.8).
const ENGINE_WAIT: Duration = Duration::from_secs(5);

/// The folder of packs of vulnerabilities inside a data folder.
pub(crate) const PACKS_FOLDER: &str = "packs";

/// An open data folder with the engine's place in it.
pub(crate) struct Workspace {
    pub(crate) store: Store,
    pub(crate) engine: Engine,
    pub(crate) principal: Principal,
    /// What is known against products.
    pub(crate) knowledge: Arc<Knowledge>,
    /// Where contacts on the internet are written down; `None` where there is no folder.
    pub(crate) recorder: Option<Recorder>,
}

impl Workspace {
    /// The operator as of now.
    pub(crate) fn caller(&self) -> Caller {
        self.principal.at(now())
    }
}

/// Opens the folder, making it and its owner when missing, and takes the engine's place.
pub(crate) async fn open(folder: &Path, name: &str, settings: &Settings) -> Result<Workspace> {
    let (store, _) = init(folder, settings).await?;
    enter(store, name, Some(folder), settings).await
}

/// Opens the store of the folder, making it and its owner when missing; returns the owner's first key where it was
/// made.
pub(crate) async fn init(folder: &Path, settings: &Settings) -> Result<(Store, Option<IssuedKey>)> {
    let owner =
        NewOwner { email: "owner@localhost".to_owned(), organization: "My organization".to_owned(), username: None };
    Ok(Store::init(&options(folder, settings), &owner, now()).await?)
}

/// Takes the engine's place; fails with the name of its holder where it is taken for longer than `ENGINE_WAIT`.
pub(crate) async fn enter(store: Store, name: &str, folder: Option<&Path>, settings: &Settings) -> Result<Workspace> {
    let engine = store.engine(name, ENGINE_WAIT).await?;
    let principal = store.local_operator().await?;
    let packs = folder.map(|folder| folder.join(PACKS_FOLDER));
    let knowledge = Arc::new(knowledge(packs.as_deref(), settings)?);
    let recorder = folder.map(Recorder::new);
    Ok(Workspace { store, engine, principal, knowledge, recorder })
}

/// What is known against products: the packs of their folder where it has any, else our own list.
pub(crate) fn knowledge(packs: Option<&Path>, settings: &Settings) -> Result<Knowledge> {
    let threshold = settings.vulnerability_issues()?;
    let Some(packs) = packs else { return Ok(Knowledge::own().with_threshold(threshold)) };
    let knowledge = Knowledge::of(packs).map_err(|error| {
        Failure::run_time(format!("{}: {error}; `ambit packs add` rebuilds its index", packs.display()))
    })?;
    Ok(knowledge.with_threshold(threshold))
}
