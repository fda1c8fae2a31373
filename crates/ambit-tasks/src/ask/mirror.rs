//! Asks mirrors for the package of an app, where the operator says that they are.

use crate::app_mirror::without_query;
use crate::{AppMirror, Context, Result, TaskError};
use ambit_app::PACKAGE_BYTES_MAX;
use ambit_model::Kind;
use ambit_model::entity::app::{Listing, Mirrored, STORES};
use ambit_net::Grant;
use ambit_net::http::{BodyEnd, BodySink, ChainEnd, HttpExchange, HttpRequest};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use tempfile::NamedTempFile;

/// The ground on which mirrors are asked.
pub(crate) const PROVIDER: &str = "app_mirror";
/// What every package begins with: it is a zip archive.
const ARCHIVE: &[u8] = b"PK";
/// Letters of a header that are kept.
const HEADER_CHARS_MAX: usize = 200;

/// What mirrors have of an app.
pub(crate) enum Package {
    /// The package that an earlier look read.
    Same,
    /// A file with one that is new here, and where it came from.
    New(NamedTempFile, Mirrored),
}

/// Asks the mirrors for the package of the app of these facts, one after the other, until one has it. `known` is the
/// one that an earlier look read by the same rules; `is_it` says whether a file is the package of an app. `None`: no
/// mirror has it. Fails if no mirror has it, and one could not be asked or answered something else.
pub(crate) async fn package(
    cx: &Context<'_>,
    known: Option<&Mirrored>,
    is_it: fn(&Path, (Kind, &str)) -> Result<(), String>,
) -> Result<Option<Package>> {
    let listings: Vec<Listing> = STORES.items(&cx.facts.details).collect();
    let mut failed = None;
    for mirror in cx.settings.app_mirrors.iter().filter(|mirror| mirror.serves(cx.facts.kind)) {
        match at(cx, mirror, &listings, known).await {
            Ok(Some(Package::New(file, from))) => match checked(cx, file, is_it).await {
                Ok(file) => return Ok(Some(Package::New(file, from))),
                Err(why) => failed = failed.or(Some(TaskError::Failed(format!("{}: {why}", from.url)))),
            },
            Ok(Some(Package::Same)) => return Ok(Some(Package::Same)),
            Ok(None) => {}
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    failed.map_or(Ok(None), Err)
}

/// Returns the file where it is the package that is looked for. Reading waits for no wire: it takes no wire time.
async fn checked(
    cx: &Context<'_>,
    file: NamedTempFile,
    is_it: fn(&Path, (Kind, &str)) -> Result<(), String>,
) -> Result<NamedTempFile, String> {
    let hold = cx.net.hold();
    let (kind, name) = (cx.facts.kind, cx.facts.name.clone());
    let reading = tokio::task::spawn_blocking(move || is_it(file.path(), (kind, &name)).map(|()| file));
    let read = reading.await.map_err(|_| "the package could not be read".to_owned())?;
    drop(hold);
    read
}

/// Asks one mirror; `None`: it has none.
async fn at(
    cx: &Context<'_>,
    mirror: &AppMirror,
    listings: &[Listing],
    known: Option<&Mirrored>,
) -> Result<Option<Package>> {
    let url = mirror.url(&cx.facts.name, listings).ok_or_else(|| {
        TaskError::Failed(format!("{mirror}: no store tells the version of {} that is to be asked for", cx.facts.name))
    })?;
    let shown = without_query(&url).to_owned();
    let versions = versions(listings);
    let known = known.filter(|known| known.url == shown);
    // A mirror that marks nothing has another package once stores give out another version.
    let is_unmarked = |known: &Mirrored| known.etag.is_none() && known.last_modified.is_none();
    if known.is_some_and(|known| is_unmarked(known) && is_same(&known.versions, &versions)) {
        return Ok(Some(Package::Same));
    }
    let unwritable = |error: io::Error| TaskError::Failed(format!("no file for the package: {error}"));
    let file = tempfile::Builder::new().prefix("ambit-app-").tempfile().map_err(unwritable)?;
    let into = Arc::new(Mutex::new(ArchiveWriter::new(file.reopen().map_err(unwritable)?)));
    let request = HttpRequest { learned: vec![url.clone()], ..cx.net.get(&url)? }.on(Grant::Source(PROVIDER));
    let request = request.into_sink(BodySink::new(into.clone(), PACKAGE_BYTES_MAX));
    let marks = known.map(|known| [("If-None-Match", &known.etag), ("If-Modified-Since", &known.last_modified)]);
    let marks = marks.into_iter().flatten().filter_map(|(name, value)| Some((name, value.as_deref()?)));
    let request = marks.fold(request, |request, (name, value)| request.with_header(name, value));
    let fetch = cx.net.fetch(&request).await.map_err(|error| TaskError::source(&shown, &error))?;
    let down = |why: String| TaskError::SourceDown(format!("{shown}: {why}"));
    match &fetch.end {
        ChainEnd::Answer => {}
        ChainEnd::OutOfScope { url: to, why } => return Err(down(format!("it leads to {}: {why}", to.host))),
        ChainEnd::Failed { url: to, error } => return Err(down(format!("it leads to {}: {error}", to.host))),
        ChainEnd::NotHttp(to) => return Err(down(format!("it leads to {to}"))),
        ChainEnd::Loop(_) | ChainEnd::TooMany => return Err(down("its redirects do not end".to_owned())),
    }
    let last = fetch.last();
    match last.status {
        200 => {}
        304 if known.is_some() => return Ok(Some(Package::Same)),
        404 | 410 => return Ok(None),
        401 | 403 => return Err(TaskError::Denied(format!("{shown}: status {}", last.status))),
        status => return Err(down(format!("status {status}"))),
    }
    let written = into.lock().unwrap_or_else(PoisonError::into_inner).end();
    whole(written, &last.end).map_err(down)?;
    let from = Mirrored {
        etag: header(last, "etag"),
        last_modified: header(last, "last-modified"),
        url: shown,
        versions,
        ..Mirrored::default()
    };
    Ok(Some(Package::New(file, from)))
}

/// The versions that stores give out, each with its store.
fn versions(listings: &[Listing]) -> Vec<String> {
    let said = |listing: &Listing| {
        let words: Vec<&str> =
            [&listing.version, &listing.version_code].into_iter().flatten().map(String::as_str).collect();
        (!words.is_empty()).then(|| format!("{} {}", listing.store, words.join(" ")))
    };
    let mut versions: Vec<String> = listings.iter().filter_map(said).collect();
    versions.sort_unstable();
    versions
}

/// The same versions, where stores tell any.
fn is_same(known: &[String], now: &[String]) -> bool {
    !now.is_empty() && known == now
}

/// Fails where what came is no whole archive.
fn whole(written: Written, end: &BodyEnd) -> Result<(), String> {
    match (written, end) {
        (Written::Unwritable(error), _) => Err(format!("it cannot be written: {error}")),
        (Written::NoArchive, _) => Err("it sends something else than a package".to_owned()),
        (_, BodyEnd::TooLarge) => Err(format!("it has more than {} MiB", PACKAGE_BYTES_MAX / 1_024 / 1_024)),
        (Written::Archive, BodyEnd::Complete) => Ok(()),
        (Written::Archive, _) => Err("the package was truncated".to_owned()),
    }
}

fn header(exchange: &HttpExchange, name: &str) -> Option<String> {
    let text = exchange.header(name)?.raw();
    // What would not pass as a header of ours marks nothing.
    let is_plain = text.bytes().all(|byte| (b' '..0x7f).contains(&byte)) && text.len() <= HEADER_CHARS_MAX;
    (is_plain && !text.is_empty()).then(|| text.to_owned())
}

/// Writes an archive to a file, and refuses what is none at its first bytes.
struct ArchiveWriter {
    file: std::fs::File,
    begins: Vec<u8>,
    unwritable: Option<io::Error>,
}

/// The result of a download.
enum Written {
    Archive,
    NoArchive,
    Unwritable(io::Error),
}

impl ArchiveWriter {
    fn new(file: std::fs::File) -> Self {
        Self { file, begins: Vec::new(), unwritable: None }
    }

    fn end(&mut self) -> Written {
        match self.unwritable.take().or_else(|| self.file.flush().err()) {
            Some(error) => Written::Unwritable(error),
            None if self.begins == ARCHIVE => Written::Archive,
            None => Written::NoArchive,
        }
    }
}

impl Write for ArchiveWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let missing = ARCHIVE.len() - self.begins.len();
        self.begins.extend(bytes.iter().take(missing));
        if !ARCHIVE.starts_with(&self.begins) {
            return Err(io::Error::other("no archive"));
        }
        if let Err(error) = self.file.write_all(bytes) {
            self.unwritable = Some(error);
            return Err(io::Error::other("it cannot be written"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
