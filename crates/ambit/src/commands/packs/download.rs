//! Downloading a feed: in pieces, so that what was cut goes on where it ended; only where it changed since it was
//! loaded; and compared with its checksum where its publisher gives one.

use crate::failure::{Failure, Result};
use crate::output::plain;
use ambit_net::http::{HttpExchange, HttpRequest, Url};
use ambit_net::limits::{BODY_KEPT_MAX, SOURCE_TIMEOUT};
use ambit_net::{Grant, Session};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// Bytes that are asked for at once: one answer comes within the time of an exchange on a slow line.
const PIECE: u64 = 4 << 20;
/// Bytes of a feed: those that exist have some tens of millions, packed.
const FEED_BYTES_MAX: u64 = 4 << 30;
/// Answers in a row that bring nothing.
const TRIES: u32 = 3;

/// What a publisher calls one state of a feed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Edition {
    etag: Option<String>,
    modified: Option<String>,
}

impl Edition {
    fn of(answer: &HttpExchange) -> Self {
        let text = |name| answer.header(name).map(|value| value.raw().trim().to_owned());
        Self { etag: text("etag"), modified: text("last-modified") }
    }

    /// What names it in a condition on a part of it: never a weak tag.
    fn strong(&self) -> Option<&str> {
        let strong = self.etag.as_deref().filter(|tag| !tag.starts_with("W/"));
        strong.or(self.modified.as_deref())
    }
}

/// What became of a download.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Downloaded {
    /// Its publisher has what was loaded before.
    Unchanged,
    /// The whole file lies here.
    File(PathBuf),
}

/// A feed and where its parts are kept.
pub(super) struct Download<'a> {
    pub(super) session: &'a Session,
    pub(super) grant: Grant,
    pub(super) url: &'a str,
    /// The file as it is being put together.
    pub(super) part: PathBuf,
}

impl Download<'_> {
    /// Gets the file, but for one whose edition is that which was loaded.
    pub(super) async fn run(&self, loaded: Option<&Edition>) -> Result<Downloaded> {
        let mut idle = 0;
        loop {
            let have = fs::metadata(&self.part).map_or(0, |about| about.len());
            let begun = if have > 0 { read_edition(&self.edition_of_part()) } else { None };
            let have = if begun.is_some() { have } else { 0 };
            let answer = self.ask(have, begun.as_ref(), loaded.filter(|_| have == 0)).await?;
            let whole = match answer.status {
                304 if have == 0 => return Ok(Downloaded::Unchanged),
                206 => self.append(&answer, have)?,
                200 => self.replace(&answer)?,
                // What is there is longer than what is published now.
                416 if have > 0 => {
                    self.forget();
                    false
                }
                status => return Err(Failure::run_time(format!("{}: the answer has status {status}", self.url))),
            };
            if whole {
                return Ok(Downloaded::File(self.part.clone()));
            }
            let now = fs::metadata(&self.part).map_or(0, |about| about.len());
            idle = if now > have { 0 } else { idle + 1 };
            if idle >= TRIES {
                let url = self.url;
                return Err(Failure::run_time(format!(
                    "{url}: the download stopped after {now} bytes; the next call resumes it"
                )));
            }
        }
    }

    async fn ask(&self, have: u64, begun: Option<&Edition>, loaded: Option<&Edition>) -> Result<HttpExchange> {
        let url = Url::parse(self.url).map_err(|error| Failure::usage(format!("{}: {error}", self.url)))?;
        let mut request = HttpRequest::get(url, concat!("ambit/", env!("CARGO_PKG_VERSION")))
            // Packed on the way, pieces would not fit together.
            .with_header("Accept-Encoding", "identity")
            .with_header("Range", &format!("bytes={have}-{}", have + PIECE - 1))
            .on(self.grant);
        (request.body_kept, request.timeout) = (BODY_KEPT_MAX, SOURCE_TIMEOUT);
        if let Some(condition) = begun.and_then(Edition::strong) {
            request = request.with_header("If-Range", condition);
        }
        if let Some(tag) = loaded.and_then(|loaded| loaded.etag.as_deref()) {
            request = request.with_header("If-None-Match", tag);
        } else if let Some(modified) = loaded.and_then(|loaded| loaded.modified.as_deref()) {
            request = request.with_header("If-Modified-Since", modified);
        }
        let fetched = self.session.fetch(&request).await;
        let fetched = fetched.map_err(|error| Failure::run_time(format!("{}: {error}", self.url)))?;
        Ok(fetched.last().clone())
    }

    /// Puts a piece behind what is there. Returns whether it was the last one.
    fn append(&self, answer: &HttpExchange, have: u64) -> Result<bool> {
        let range = answer.header("content-range").map(|range| range.raw().to_owned()).unwrap_or_default();
        let parts = range.strip_prefix("bytes ").and_then(|range| range.split_once('/'));
        let start = parts.and_then(|(span, _)| span.split_once('-')?.0.trim().parse::<u64>().ok());
        let total = parts.and_then(|(_, total)| total.trim().parse::<u64>().ok());
        let Some(total) = total.filter(|total| start == Some(have) && *total <= FEED_BYTES_MAX) else {
            let range = plain(&range);
            return Err(Failure::run_time(format!(
                "{}: the request began at byte {have}, the response has the range {range:?}",
                self.url
            )));
        };
        if have == 0 {
            self.begin(answer)?;
        }
        let written = File::options().append(true).open(&self.part).and_then(|mut file| file.write_all(&answer.body));
        written.map_err(|error| unwritten(&self.part, &error))?;
        Ok(have + answer.body.len() as u64 >= total)
    }

    /// Takes the answer of a server that gives no parts, or has another edition than that which was begun.
    fn replace(&self, answer: &HttpExchange) -> Result<bool> {
        self.begin(answer)?;
        fs::write(&self.part, &answer.body).map_err(|error| unwritten(&self.part, &error))?;
        Ok(!answer.truncated)
    }

    /// Begins a file, and notes of which edition it is.
    fn begin(&self, answer: &HttpExchange) -> Result<()> {
        File::create(&self.part).map_err(|error| unwritten(&self.part, &error))?;
        write_edition(&self.edition_of_part(), &Edition::of(answer))
    }

    fn edition_of_part(&self) -> PathBuf {
        self.part.with_extension("part-edition")
    }

    /// The edition of the file that was put together.
    pub(super) fn edition(&self) -> Edition {
        read_edition(&self.edition_of_part()).unwrap_or_default()
    }

    /// Removes what was put together; what is not there is removed.
    pub(super) fn forget(&self) {
        for path in [self.part.clone(), self.edition_of_part()] {
            fs::remove_file(path).ok();
        }
    }
}

/// Reads an edition; none where it was never written.
pub(super) fn read_edition(path: &Path) -> Option<Edition> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

pub(super) fn write_edition(path: &Path, edition: &Edition) -> Result<()> {
    let text = serde_json::to_vec(edition).expect("texts alone");
    fs::write(path, text).map_err(|error| unwritten(path, &error))
}

/// What a file that cannot be written is for the caller.
pub(super) fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    let remedy = if error.kind() == ErrorKind::StorageFull { "; the disk is full" } else { "" };
    Failure::run_time(format!("{} cannot be written: {error}{remedy}", path.display()))
}
