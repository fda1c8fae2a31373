//! Asks for a repository: of a server by its smart HTTP or of git's own server, or in a folder that the operator named.

mod daemon;
mod extent;

use super::provider::{Patience, TRIES_MAX};
use crate::history;
use crate::{Context, Result, TaskError};
use ambit_cloud::provider;
use ambit_git::{
    Advertised, Beside, Folder, GitError, HashKind, ObjectId, Objects, PackWriter, Ref, Wanted, advertised,
    fetch_request, list_request, refs,
};
use ambit_model::Kind;
use ambit_net::http::{BodyEnd, BodySink, HttpExchange, HttpRequest};
use ambit_net::{Grant, limits};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, BufWriter, Seek};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use tempfile::TempDir;

pub(crate) use extent::Extent;

/// The ground on which servers are asked.
pub(crate) const PROVIDER: &str = "git";
/// How we name ourselves inside the protocol.
const AGENT: &str = concat!("ambit/", env!("CARGO_PKG_VERSION"));
/// Bytes of the lines around a pack, beside it: a head of five for each piece of at least a thousand.
const AROUND_PACK: u64 = 64 * 1_024 * 1_024;
/// What the name of a repository in a folder begins with.
const FILE: &str = "file://";
/// What asks for the second version of the protocol.
const VERSION: (&str, &str) = ("Git-Protocol", "version=2");

/// Where a repository is.
pub(crate) enum Source {
    /// In this folder.
    Folder(PathBuf),
    /// On a server.
    Server {
        /// The URL that the repository is known by.
        named: String,
        /// Where the server has it: elsewhere on itself, where it moved.
        at: String,
        /// What the forge is shown of a repository that not everybody may read.
        shown: Option<String>,
        /// It leaves out files where it is asked to.
        filters: bool,
    },
}

impl Source {
    /// Returns where the repository of these facts is. Fails if it is in a folder that the operator did not name.
    pub(crate) fn of(cx: &Context<'_>) -> Result<Self> {
        let name = &cx.facts.name;
        match name.strip_prefix(FILE) {
            Some(path) if cx.settings.folders.contains(name) => Ok(Self::Folder(path.into())),
            Some(_) => Err(ambit_net::NetError::NotAllowed(format!(
                "{name}: folders of this machine are read for the operator alone, who names them to `ambit scan`"
            ))
            .into()),
            None if cx.facts.kind == Kind::GitRepository => Ok(Self::server(name.clone())),
            None => Ok(Self::server(format!("{name}.git"))),
        }
    }

    fn server(named: String) -> Self {
        Self::Server { at: named.clone(), named, shown: None, filters: false }
    }

    /// Returns the URL at which it is fetched.
    pub(crate) fn url(&self) -> String {
        match self {
            Self::Folder(path) => format!("{FILE}{}", path.display()),
            Self::Server { named, .. } => named.clone(),
        }
    }

    /// Returns whether anybody may read it; `None` of a folder.
    pub(crate) fn is_public(&self) -> Option<bool> {
        match self {
            Self::Folder(_) => None,
            Self::Server { shown, .. } => Some(shown.is_none()),
        }
    }

    /// Returns true where a server is asked, which sends what is new alone.
    pub(crate) fn is_server(&self) -> bool {
        matches!(self, Self::Server { .. })
    }

    /// Returns true where a server leaves out files if it is asked to.
    pub(crate) fn filters(&self) -> bool {
        matches!(self, Self::Server { filters: true, .. })
    }

    /// Returns its owner, if the URL names one, and its name.
    pub(crate) fn owner_and_name(&self) -> (Option<String>, String) {
        let url = self.url();
        let path = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
        let path = path.split_once('/').map_or("", |(_, path)| path);
        let path = path.trim_end_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        match path.rsplit_once('/') {
            Some((owner, name)) if matches!(self, Self::Server { .. }) => (Some(owner.to_owned()), name.to_owned()),
            Some((_, name)) => (None, name.to_owned()),
            None => (None, path.to_owned()),
        }
    }

    /// Returns what its branches and tags point to, and of one in a folder what else lies beside the objects. Where the
    /// server says that the repository moved, it is fetched from there.
    pub(crate) async fn beside(&mut self, cx: &Context<'_>) -> Result<Beside> {
        let refs = match self {
            Self::Folder(path) => {
                let path = path.clone();
                return history::aside(cx, move |_| Folder::open(&path)?.beside()).await;
            }
            Self::Server { at, shown, filters, .. } => {
                let (refs, leaves_out) = match listed(cx, at, None).await {
                    Err(TaskError::Denied(why)) => {
                        let token = token(cx, at)?.ok_or(TaskError::Denied(why))?;
                        let listed = listed(cx, at, Some(&token)).await?;
                        *shown = Some(token);
                        listed
                    }
                    listed => listed?,
                };
                *filters = leaves_out;
                refs
            }
        };
        let head = refs.iter().find(|found| found.name == "HEAD").map(|found| found.id);
        let ids: BTreeSet<ObjectId> = refs.into_iter().map(|found| found.id).collect();
        Ok(Beside { tips: ids.into_iter().collect(), head, ..Beside::default() })
    }

    /// Brings the objects that are wanted; of a folder all that it has.
    pub(crate) async fn fetch(&self, cx: &Context<'_>, wanted: &Wanted<'_>) -> Result<Fetched> {
        let bytes_max = cx.settings.repository_bytes;
        match self {
            Self::Folder(path) => {
                let folder = folder(path)?;
                if folder.bytes() > bytes_max {
                    Err(too_large(bytes_max))
                } else {
                    Ok(Fetched::There(folder.objects()))
                }
            }
            Self::Server { .. } if matches!(wanted, Wanted::New { tips: [], .. }) => Ok(Fetched::Nothing),
            Self::Server { at, shown, .. } => pack(cx, (at, shown.as_deref()), wanted, bytes_max).await,
        }
    }
}

/// Objects that can be opened.
pub(crate) enum Fetched {
    /// The repository has no commit.
    Nothing,
    /// They are in this folder.
    There(PathBuf),
    /// They came as a pack, in a folder that goes with it, and are named by this.
    Pack(File, TempDir, HashKind),
}

impl Fetched {
    /// Opens them; a pack is indexed first, which takes as long as reading it.
    pub(crate) fn open(self, stop: &AtomicBool) -> Result<Objects, GitError> {
        let new = || TempDir::new().map_err(|error| GitError::Folder(error.to_string()));
        match self {
            Self::Nothing => Objects::empty(new()?),
            Self::There(folder) => Objects::open(&folder),
            Self::Pack(file, folder, hash) => Objects::of_pack(&mut BufReader::new(file), folder, hash, stop),
        }
    }
}

fn folder(path: &Path) -> Result<Folder> {
    Folder::open(path).map_err(|error| failed(&error))
}

fn failed(error: &GitError) -> TaskError {
    TaskError::Failed(error.to_string())
}

fn too_large(bytes_max: u64) -> TaskError {
    TaskError::OutOfBudget(larger_than(bytes_max))
}

/// Returns what a server named and does not have, as git says when it is asked for that: a broken branch, or one that
/// was moved meanwhile.
pub(crate) fn lost(error: &TaskError, beside: &Beside) -> Option<ObjectId> {
    let TaskError::Failed(said) = error else { return None };
    let (_, id) = said.split_once(": not our ref ")?;
    ObjectId::from_hex(id.as_bytes()).ok().filter(|id| beside.tips.contains(id))
}

/// Returns whether this is why a repository is too large, by the limits of today.
pub(crate) fn is_too_large(cx: &Context<'_>, why: &str) -> bool {
    why == larger_than(cx.settings.repository_bytes) || why == GitError::TooLarge.to_string()
}

fn larger_than(bytes_max: u64) -> String {
    format!("the repository is larger than {} MiB (setting repository_mib)", bytes_max / (1_024 * 1_024))
}

/// Returns what opens repositories at a forge to the holder of a token, where the collection uses an integration with
/// one.
fn token(cx: &Context<'_>, url: &str) -> Result<Option<String>> {
    let Some(authority) = url.strip_prefix("https://").and_then(|rest| rest.split('/').next()) else { return Ok(None) };
    let host = authority.strip_suffix(":443").unwrap_or(authority);
    for forge in provider::forges() {
        if let Some(token) = cx.settings.forge_token(forge, host)? {
            return Ok(Some(format!("Basic {}", STANDARD.encode(format!("{}:{token}", forge.git_user)))));
        }
    }
    Ok(None)
}

/// What is asked for first of a repository.
const LIST: &str = "/info/refs?service=git-upload-pack";

/// Asks a server for its branches and tags, again after a while where it asks for patience, and whether it leaves out
/// files where it is asked to. Where it sends us on, the repository is at where that leads, as git takes it.
async fn listed(cx: &Context<'_>, url: &mut String, shown: Option<&str>) -> Result<(Vec<Ref>, bool)> {
    let mut patience = Patience::new();
    loop {
        let listed = listed_once(cx, url, shown).await;
        if !patience.lasts(cx, tries_max(&listed)).await {
            return listed;
        }
    }
}

async fn listed_once(cx: &Context<'_>, url: &mut String, shown: Option<&str>) -> Result<(Vec<Ref>, bool)> {
    let refs = |body: &[u8]| refs(body).map_err(|error| failed(&error));
    if let Some(place) = daemon::DaemonUrl::of(url) {
        let (list, filters) = daemon::list(cx, &place, |hash| list_request(AGENT, hash)).await?;
        return Ok((refs(&list)?, filters));
    }
    let request = on_server(cx, (url, shown), &format!("{url}{LIST}"))?;
    let fetch = cx.net.fetch(&request).await?;
    let said = advertised(answer(fetch.last())?).map_err(|error| failed(&error))?;
    let last = fetch.last().url.to_string();
    match last.strip_suffix(LIST) {
        Some(moved) => *url = moved.to_owned(),
        None => return Err(TaskError::Failed(format!("the redirect of the server leads to no repository: {last}"))),
    }
    let Advertised::Version2 { filters, hash } = said else {
        return Err(TaskError::Failed("the server speaks no version 2 of the protocol of git".into()));
    };
    let exchange = cx.net.http(&upload_pack(cx, (url, shown), list_request(AGENT, hash))?).await?;
    Ok((refs(answer(&exchange)?)?, filters))
}

/// Asks a server for a pack, again after a while where it asks for patience. It goes to a file.
async fn pack(cx: &Context<'_>, at: (&str, Option<&str>), wanted: &Wanted<'_>, bytes_max: u64) -> Result<Fetched> {
    let mut patience = Patience::new();
    loop {
        let fetched = pack_once(cx, at, wanted, bytes_max).await;
        if !patience.lasts(cx, tries_max(&fetched)).await {
            return fetched;
        }
    }
}

async fn pack_once(cx: &Context<'_>, at: (&str, Option<&str>), wanted: &Wanted<'_>, bytes_max: u64) -> Result<Fetched> {
    let unwritable = |error: std::io::Error| TaskError::Failed(format!("no folder for the repository: {error}"));
    let folder = tempfile::Builder::new().prefix("ambit-repository-").tempdir().map_err(unwritable)?;
    let file = tempfile::tempfile_in(folder.path()).map_err(unwritable)?;
    let writer = Arc::new(Mutex::new(PackWriter::new(BufWriter::new(file), bytes_max)));
    let most = usize::try_from(bytes_max.saturating_add(AROUND_PACK)).unwrap_or(usize::MAX);
    let (hash, wanted) = (wanted.hash(), fetch_request(AGENT, wanted));
    let end = match daemon::DaemonUrl::of(at.0) {
        Some(place) => daemon::fetch(cx, &place, &wanted, (&writer, most)).await?,
        None => {
            let request = upload_pack(cx, at, wanted)?.into_sink(BodySink::new(writer.clone(), most));
            let exchange = cx.net.http(&request).await?;
            if exchange.status != 200 {
                answer(&exchange)?;
            }
            exchange.end
        }
    };
    let writer = Arc::into_inner(writer).expect("the request that shared it is gone");
    let writer = writer.into_inner().unwrap_or_else(PoisonError::into_inner);
    if writer.is_too_large() || end == BodyEnd::TooLarge {
        return Err(too_large(bytes_max));
    }
    let broke_off = || TaskError::Failed("the pack was truncated".into());
    let (file, _) = writer.finish().map_err(|error| match (&error, &end) {
        (GitError::Protocol(_), BodyEnd::Reset | BodyEnd::Short | BodyEnd::Timeout | BodyEnd::TooSlow) => broke_off(),
        _ => failed(&error),
    })?;
    if end != BodyEnd::Complete {
        return Err(broke_off());
    }
    let mut file = file.into_inner().map_err(|error| unwritable(error.into_error()))?;
    file.rewind().map_err(unwritable)?;
    Ok(Fetched::Pack(file, folder, hash))
}

fn upload_pack(cx: &Context<'_>, at: (&str, Option<&str>), body: Vec<u8>) -> Result<HttpRequest> {
    let request = on_server(cx, at, &format!("{}/git-upload-pack", at.0))?;
    let request = request.with_method("POST").with_body("application/x-git-upload-pack-request", body);
    Ok(request.with_header("Accept", "application/x-git-upload-pack-result"))
}

/// A request to the server of the repository, which may not lead elsewhere.
fn on_server(cx: &Context<'_>, (repository, shown): (&str, Option<&str>), url: &str) -> Result<HttpRequest> {
    let request = HttpRequest {
        learned: vec![repository.to_owned()],
        body_kept: limits::SOURCE_LIST_MAX,
        timeout: limits::SOURCE_TIMEOUT,
        ..cx.net.get(url)?
    };
    let request = request.on(Grant::Source(PROVIDER)).with_header(VERSION.0, VERSION.1);
    Ok(shown.into_iter().fold(request, |request, shown| request.with_header("Authorization", shown)))
}

/// How often a request is sent at most: one that a server cannot answer now is sent again.
fn tries_max<T>(result: &Result<T>) -> u32 {
    if matches!(result, Err(TaskError::SourceDown(_))) { TRIES_MAX } else { 1 }
}

/// The body of an answer that is whole and no refusal.
fn answer(exchange: &HttpExchange) -> Result<&[u8]> {
    match exchange.status {
        200 if exchange.truncated => Err(TaskError::Failed("the list of branches was truncated".into())),
        200 => Ok(&exchange.body),
        401 | 403 => Err(TaskError::Denied(format!("the server demands credentials: status {}", exchange.status))),
        404 => Err(TaskError::Failed("no repository there that anybody may read: status 404".into())),
        status @ (429 | 500..) => Err(TaskError::SourceDown(format!("the server answers with status {status}"))),
        status => Err(TaskError::Failed(format!("the server answers with status {status}"))),
    }
}
