//! Reads feeds as a stream, told by their content: NVD's answers, CVE 5 records, the KEV catalogue, EPSS scores, OSV,
//! the list of retire.js, files of endoflife.date. One record is in memory at a time. A problem names the line, and
//! nothing is half taken over.

mod archive;
mod cve5;
mod endoflife;
mod epss;
mod nvd;
mod osv;
mod packages;
mod retire;
mod spans;

pub use packages::package;

use crate::lifecycle::Lifecycle;
use crate::vulnerability::{CveId, Id, Vulnerability};
use flate2::read::MultiGzDecoder;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use std::cell::Cell;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek as _};
use std::path::Path;

/// Bytes of one record: the largest that NVD has has some hundred thousand.
const RECORD_BYTES_MAX: u64 = 32 << 20;
/// Bytes of one feed when it is unpacked: the whole of NVD has two thousand million.
const FEED_BYTES_MAX: u64 = 16 << 30;
/// Bytes by which a feed is told from other files.
const PEEKED: usize = 4 << 10;

/// What a feed is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    Nvd,
    Cve5,
    Kev,
    Epss,
    EndOfLife,
    Osv,
    Retire,
}

impl Source {
    /// Returns its name, as people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nvd => "NVD",
            Self::Cve5 => "CVE 5",
            Self::Kev => "KEV",
            Self::Epss => "EPSS",
            Self::EndOfLife => "endoflife.date",
            Self::Osv => "OSV",
            Self::Retire => "retire.js",
        }
    }
}

/// Why a feed was not taken over.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("{0}")]
    Read(#[from] std::io::Error),
    /// With line and column.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    #[error("line {line}: {problem}")]
    Line { line: usize, problem: String },
    #[error("record {record}: {problem}")]
    Record { record: usize, problem: String },
    /// A file of an archive, and what is wrong with it.
    #[error("{name}: {source}")]
    Member { name: String, source: Box<ImportError> },
    #[error("unknown format; known are NVD 2.0, CVE 5, the KEV catalogue, EPSS, OSV, retire.js, endoflife.date")]
    Unknown,
}

/// Takes what was read.
pub(crate) type Sink<'s> = dyn FnMut(Source, Taken) -> Result<(), std::io::Error> + 's;

/// What was read of a feed.
#[derive(Clone, Debug, PartialEq)]
pub enum Taken {
    Vulnerability(Id, Box<Vulnerability>),
    Lifecycle(Lifecycle),
}

/// Returns whether the beginning of a file looks like a feed that this module reads.
pub fn is_feed(beginning: &[u8]) -> bool {
    if beginning.starts_with(&GZIP) || beginning.starts_with(&ZSTD) || beginning.starts_with(archive::MAGIC) {
        return true;
    }
    let text = String::from_utf8_lossy(beginning);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with('{') || text.starts_with('[') || epss::is_header(text)
}

const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Reads a file that is a feed, or an archive of feeds, and hands each record to the sink. Returns how many it had, and
/// writes to `hash` what the file holds.
pub(crate) fn read_file(path: &Path, name: &str, hash: &mut Sha256, sink: &mut Sink<'_>) -> Result<usize, ImportError> {
    let mut file = File::open(path)?;
    let mut beginning = [0; archive::MAGIC.len()];
    let is_archive = file.read_exact(&mut beginning).is_ok() && beginning == archive::MAGIC;
    file.rewind()?;
    if !is_archive {
        return read(Hashed { inner: file, hash }, name, sink);
    }
    std::io::copy(&mut Hashed { inner: &mut file, hash }, &mut std::io::sink())?;
    file.rewind()?;
    archive::read(file, sink)
}

/// A reader that hashes what is read.
struct Hashed<'h, R> {
    inner: R,
    hash: &'h mut Sha256,
}

impl<R: Read> Read for Hashed<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.hash.update(&buffer[..read]);
        Ok(read)
    }
}

/// Reads a feed, plain or packed with gzip or Zstandard, and hands each record to the sink. Returns how many it had.
/// `name` is that of its file, without endings.
pub(crate) fn read(feed: impl Read, name: &str, sink: &mut Sink<'_>) -> Result<usize, ImportError> {
    let mut feed = BufReader::with_capacity(PEEKED, feed);
    let packed = feed.fill_buf()?.to_vec();
    if packed.starts_with(&GZIP) {
        return unpacked(MultiGzDecoder::new(feed), name, sink);
    }
    if packed.starts_with(&ZSTD) {
        return unpacked(zstd::Decoder::new(feed)?, name, sink);
    }
    unpacked(feed, name, sink)
}

/// Returns the SHA-256 of what a file unpacks to, in hexadecimal digits.
pub fn content_hash(path: &Path) -> std::io::Result<String> {
    let mut feed = BufReader::with_capacity(PEEKED, File::open(path)?);
    let packed = feed.fill_buf()?.to_vec();
    let content: Box<dyn Read> = match () {
        () if packed.starts_with(&GZIP) => Box::new(MultiGzDecoder::new(feed)),
        () if packed.starts_with(&ZSTD) => Box::new(zstd::Decoder::new(feed)?),
        () => Box::new(feed),
    };
    let (mut content, mut hash, mut buffer) = (content.take(FEED_BYTES_MAX), Sha256::new(), vec![0; 1 << 16]);
    loop {
        match content.read(&mut buffer)? {
            0 => return Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            read => hash.update(&buffer[..read]),
        }
    }
}

fn unpacked(feed: impl Read, name: &str, sink: &mut Sink<'_>) -> Result<usize, ImportError> {
    let since = Cell::new(0);
    let bounded = Bounded { inner: feed, since: &since, total: 0 };
    let mut feed = BufReader::with_capacity(PEEKED, bounded);
    let beginning = String::from_utf8_lossy(feed.fill_buf()?).into_owned();
    if epss::is_header(beginning.trim_start_matches('\u{feff}')) {
        return epss::read(feed, &since, sink);
    }
    let mut reading = Reading { sink, name, since: &since, count: 0, is_known: false, begun: false, failed: None };
    let mut json = serde_json::Deserializer::from_reader(feed);
    // Documents that follow each other, as in JSON lines.
    loop {
        reading.begun = false;
        match Document(&mut reading).deserialize(&mut json) {
            Ok(()) => {}
            Err(error) if error.is_eof() && !reading.begun => break,
            Err(error) => return Err(reading.failed.take().unwrap_or(ImportError::Json(error))),
        }
    }
    if reading.is_known { Ok(reading.count) } else { Err(ImportError::Unknown) }
}

/// A reader that refuses records and feeds beyond any that exist: a packed one of some kilobytes could fill the memory.
struct Bounded<'c, R> {
    inner: R,
    /// Bytes since the last record.
    since: &'c Cell<u64>,
    total: u64,
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.total += read as u64;
        self.since.set(self.since.get() + read as u64);
        let refused = |what: &str, most: u64| {
            let problem = format!("{what} has more than {} MiB", most >> 20);
            Err(std::io::Error::new(std::io::ErrorKind::InvalidData, problem))
        };
        if self.since.get() > RECORD_BYTES_MAX {
            return refused("a record", RECORD_BYTES_MAX);
        }
        if self.total > FEED_BYTES_MAX {
            return refused("the feed", FEED_BYTES_MAX);
        }
        Ok(read)
    }
}

/// The state of one import.
struct Reading<'r, 's> {
    sink: &'r mut Sink<'s>,
    /// Of the feed's file.
    name: &'r str,
    since: &'r Cell<u64>,
    count: usize,
    /// A record was of a source that is known, though it may have nothing that can be used.
    is_known: bool,
    /// The next document has begun.
    begun: bool,
    /// Why it ended, where that is not the JSON's fault.
    failed: Option<ImportError>,
}

impl Reading<'_, '_> {
    /// Takes a record over, whatever source it is of; one of none is passed over.
    fn take<E: serde::de::Error>(&mut self, record: Map<String, Value>) -> Result<(), E> {
        self.since.set(0);
        let number = self.count + 1;
        let each = |source, all: Vec<(Id, Vulnerability)>| -> Vec<(Source, Taken)> {
            all.into_iter().map(|(id, known)| (source, Taken::Vulnerability(id, Box::new(known)))).collect()
        };
        let one = |source, (id, known): (CveId, Vulnerability)| each(source, vec![(id.into(), known)]);
        let ends = |all: Vec<Lifecycle>| all.into_iter().map(|one| (Source::EndOfLife, Taken::Lifecycle(one)));
        let read = match () {
            () if record.contains_key("cveMetadata") => cve5::record(&record).map(|read| one(Source::Cve5, read)),
            () if record.contains_key("cveID") => nvd::exploited(&record).map(|read| one(Source::Kev, read)),
            () if nvd::is_record(&record) => nvd::record(record).map(|read| one(Source::Nvd, read)),
            () if osv::is_record(&record) => Ok(each(Source::Osv, osv::records(record))),
            () if retire::is_list(&record) => Ok(each(Source::Retire, retire::records(&record))),
            () if endoflife::is_answer(&record) => Ok(ends(endoflife::answer(&record)).collect()),
            () if endoflife::is_cycle(&record) => {
                endoflife::cycle(&record, self.name).map(|one| ends(one.into_iter().collect()).collect())
            }
            () => return Ok(()),
        };
        self.is_known = true;
        let taken = read.map_err(|problem| ImportError::Record { record: number, problem }).and_then(|all| {
            self.count += all.len();
            all.into_iter().try_for_each(|(source, taken)| (self.sink)(source, taken)).map_err(ImportError::Read)
        });
        taken.map_err(|error| {
            let text = error.to_string();
            self.failed = Some(error);
            E::custom(text)
        })
    }
}

/// A document: a list of records, an object with such a list, or a record.
struct Document<'a, 'r, 's>(&'a mut Reading<'r, 's>);

impl<'de> DeserializeSeed<'de> for Document<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list of vulnerabilities")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        self.0.begun = true;
        while let Some(record) = list.next_element::<Map<String, Value>>()? {
            self.0.take(record)?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        self.0.begun = true;
        let mut record = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if name == "vulnerabilities" {
                members.next_value_seed(Records(self.0))?;
            } else {
                record.insert(name, members.next_value()?);
            }
        }
        self.0.take(record)
    }
}

/// The records of a list.
struct Records<'a, 'r, 's>(&'a mut Reading<'r, 's>);

impl<'de> DeserializeSeed<'de> for Records<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Records<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of vulnerabilities")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(record) = list.next_element::<Map<String, Value>>()? {
            self.0.take(record)?;
        }
        Ok(())
    }
}

/// The text of a member, empty where it has none.
fn text(record: &Value, member: &str) -> String {
    record.get(member).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The items of a member.
fn list<'v>(record: &'v Value, member: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    record.get(member).and_then(Value::as_array).into_iter().flatten()
}
