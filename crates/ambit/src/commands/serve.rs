//! `ambit serve` and `ambit init`: the folder, the index beside it, the server and the engine in one process. The port
//! answers `/livez` before anything else is done.

use crate::args::Data;
use crate::clock::{ahead, now};
use crate::config::Settings;
use crate::door::Front;
use crate::engine_config::Given;
use crate::failure::{Failure, Result};
use crate::folder::Asking;
use crate::interface::{interface, link_of_owner};
use crate::library::library;
use crate::local_store::{INDEX_FOLDER, bring_up_index, index_failure};
use crate::output::hint;
use crate::signals::{END_WITHIN, Stop};
use crate::workspace::{self, Workspace};
use crate::{engine_config, folder, ledger, notifications, sample, traces, wires};
use ambit_engine::{Board, Service};
use ambit_search::IndexError;
use ambit_server::ServerState;
use ambit_store::{IssuedKey, Store};
use std::fs::OpenOptions;
use std::io::{IsTerminal as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, clap::Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) data: Data,
    /// Address to listen on; port 0 picks a free one.
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Option<String>,
    /// Answer requests and keep the index up to date, but execute no runs.
    #[arg(long)]
    pub(crate) no_engine: bool,
}

/// What `ambit login` takes for the server's address where nothing else is said.
const USUAL_ROOT: &str = "http://127.0.0.1:8080";
/// Between two rounds of sweeping what has lapsed.
const TIDY_EVERY: Duration = Duration::from_secs(300);

/// Runs `ambit serve`.
pub(crate) async fn run(serve: &Serve, silent: bool, settings: &mut Settings) -> Result<()> {
    settings.flag("listen", serve.listen.clone());
    let stop = Stop::listen()?;
    let folder = folder::data(serve.data.data.as_deref(), settings)?;
    let front = Front::prepare(settings, !serve.no_engine, silent, &stop).await?;
    front.say("the data folder is being opened");
    let Some(workspace) = stop.unless_asked(open(&folder, settings)).await else {
        return front.end(&stop).await;
    };
    answer(front, &folder, workspace?, &stop, settings).await
}

/// Opens the folder, making it and its owner when missing, and takes the engine's place.
async fn open(folder: &Path, settings: &Settings) -> Result<Workspace> {
    let (store, issued) = workspace::init(folder, settings).await?;
    if let Some(issued) = issued {
        tell_first_key(&store, folder, &issued).await?;
    }
    workspace::enter(store, "serve", Some(folder), settings).await
}

/// Says the owner's first key to a person at a terminal, also where all else is silent: it is said this once. What is
/// written elsewhere ends in a journal, where it would stand for good: there a one-time token takes the key's place, in
/// a file that only its owner reads.
async fn tell_first_key(store: &Store, folder: &Path, issued: &IssuedKey) -> Result<()> {
    let made = format!("a fresh data folder was made in {}", folder.display());
    if std::io::stderr().is_terminal() {
        hint(&format!("{made}; the owner's API key, shown once: {}", issued.key));
        return Ok(());
    }
    let owner = store.local_operator().await?;
    store.revoke_key(&owner.at(now()), issued.id).await?;
    let token = store.issue_key_token(now()).await?;
    let place = folder.join(folder::KEY_TOKEN);
    private_file(&place, &token.text)
        .map_err(|error| Failure::run_time(format!("cannot write {}: {error}", place.display())))?;
    hint(&format!(
        "{made}; a one-time token for the owner's API key is in {} until {}: `ambit key redeem --data {}` prints the \
         key, \
         and so does POST /first_key; later `ambit key create` makes one",
        place.display(),
        token.expires_at,
        folder.display()
    ));
    Ok(())
}

/// Says how a person gets in. The link that signs in is told to a terminal alone: it is a secret while it lasts.
async fn tell_way_in(store: &Store, asking: &Asking, root: &str) -> Result<()> {
    if interface().is_there() {
        let elsewhere = if root == USUAL_ROOT { String::new() } else { format!(" --url {root}") };
        let login = asking.command(&format!("login{elsewhere}"));
        if std::io::stderr().is_terminal() {
            let link = link_of_owner(store, root).await?;
            hint(&format!("open {link} to sign in, once and within 15 minutes; later {login} prints another link"));
        } else {
            hint(&format!("{login} prints a link that signs a browser in"));
        }
    }
    hint(&format!("{} prints a key for it", asking.command("key create")));
    Ok(())
}

/// Writes a file that only its owner reads, in place of one that is there.
fn private_file(path: &Path, text: &str) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.write_all(b"\n")?;
    file.sync_all()
}

/// Answers requests until the program is asked to stop; carries runs beside it where the front was prepared for that.
pub(crate) async fn answer(
    mut front: Front,
    folder: &Path,
    workspace: Workspace,
    stop: &Stop,
    settings: &Settings,
) -> Result<()> {
    front.say("the search index is being brought up to date");
    let Some(index) = stop.unless_asked(bring_up_index(folder, &workspace.store)).await else {
        return front.end(stop).await;
    };
    if let Some(ahead) = ahead(workspace.store.newest_stamp().await?, now()) {
        tracing::warn!("{ahead}");
    }
    let index = index?.ok_or_else(|| index_failure(IndexError::Locked(folder.join(INDEX_FOLDER))))?;
    workspace.store.set_limits(front.of_store);
    workspace.store.set_retention(front.retention);
    let indexer = tokio::spawn(ambit_search::follow(index.clone(), workspace.store.clone(), stop.watch()));
    let sweeper = tokio::spawn(keep_tidy(workspace.store.clone(), stop.clone()));
    let notifier = notifications::service(settings, &workspace.store, &index, &front.root)?;
    let notifier = tokio::spawn(ambit_notify::serve(notifier, stop.watch()));
    let given = front.given.take();
    let runner = given.map(|mut given| {
        given.installation.listens = front.listens();
        service(&workspace, stop, given)
    });
    let runner = runner.map(|service| tokio::spawn(async move { ambit_engine::serve(&service).await }));
    let library = Arc::new(library(engine_config::planned(settings)?, engine_config::aws_keys(settings)?.is_some()));
    let mut state = ServerState::new(workspace.store.clone(), index, library, Arc::new(now));
    state.ledger = Some(ledger::of_server(folder));
    state.spans = Some(traces::SPANS);
    state.sample = Some(sample::sample());
    let silent = front.silent;
    let root = front.root.clone();
    front.let_in(state, stop);
    hint(&format!("listening on {}", front.address));
    if !silent {
        tell_way_in(&workspace.store, &Asking::new(folder, settings), &root).await?;
    }
    stop.wait().await;
    let ending = async {
        let served = front.end(stop).await;
        for task in [Some(indexer), Some(sweeper), Some(notifier), runner].into_iter().flatten() {
            task.await.ok();
        }
        workspace.store.close().await;
        served
    };
    stop.at_most(END_WITHIN, ending).await.unwrap_or_else(|| {
        // Everything committed is safe; what was under way is taken up again as after a kill.
        tracing::warn!("work that did not finish in time was abandoned");
        Ok(())
    })
}

/// An engine that carries whatever runs the store has.
pub(crate) fn service(workspace: &Workspace, stop: &Stop, given: Given) -> Service {
    Service {
        engine: workspace.engine.clone(),
        make_wire: wires::maker(workspace.store.clone(), given.live, given.limits, workspace.recorder.clone()),
        settings: Arc::new(given.tasks),
        installation: given.installation,
        clock: Arc::new(now),
        knowledge: workspace.knowledge.clone(),
        board: Board::default(),
        stop: stop.watch(),
    }
}

async fn keep_tidy(store: Store, stop: Stop) {
    while !stop.asked() {
        if let Err(error) = store.tidy(now()).await {
            tracing::error!(%error, "removing expired data failed and is tried again");
        }
        tokio::select! {
            () = tokio::time::sleep(TIDY_EVERY) => {}
            () = stop.wait() => {}
        }
    }
}
