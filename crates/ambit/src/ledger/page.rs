//! The pages of the ledger: files of lines, each a JSON object that ends with the hash over the line before and itself.
//! A page begins with the hash at which the page before ended. The oldest pages are removed beyond a number.

use ambit_model::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::net::IpAddr;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// Bytes at which a page is full.
const PAGE_BYTES: u64 = 16 << 20;
/// Pages that are kept: at most 1 GiB, some millions of addresses.
const PAGES_MAX: usize = 64;
/// Bytes of a line at most: an address of which every port was asked over TCP and UDP.
const LINE_BYTES_MAX: u64 = 1 << 20;
/// Where the chain begins.
pub(crate) const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// The file whose lock is the turn to write.
pub(super) const LOCK: &str = "lock";
/// Begins the last member of a line.
const CHAIN: &str = ",\"chain\":\"";

/// What one run sent to one address within some seconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
    pub(crate) collection: Uuid,
    pub(crate) run: i64,
    pub(crate) address: IpAddr,
    pub(crate) tcp: Vec<u16>,
    pub(crate) udp: Vec<u16>,
    pub(crate) contacts: u64,
}

/// The first line of a page.
#[derive(Serialize, Deserialize)]
pub(super) struct Beginning {
    pub(super) page: u64,
    pub(super) before: String,
}

/// The hash of a line: over the hash before it and its text.
pub(super) fn chained(before: &str, text: &str) -> String {
    hex::encode(Sha256::new().chain_update(before).chain_update("\n").chain_update(text).finalize())
}

/// A line as it is written.
fn line(before: &str, entry: &Entry) -> (String, String) {
    let text = serde_json::to_string(entry).expect("an entry has string keys and whole numbers");
    let chain = chained(before, &text);
    let open = text.strip_suffix('}').expect("an entry is an object");
    (format!("{open}{CHAIN}{chain}\"}}\n"), chain)
}

/// The text of an entry in a line, and its hash; `None` for what is no line.
pub(super) fn split(line: &str) -> Option<(String, &str)> {
    let (open, chain) = line.trim_end().strip_suffix("\"}")?.rsplit_once(CHAIN)?;
    Some((format!("{open}}}"), chain))
}

/// The pages of a folder with their numbers, the oldest first; none where the folder is not there.
pub(super) fn pages(folder: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut pages = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let number = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".jsonl")?.parse().ok());
        pages.extend(number.map(|number| (number, path)));
    }
    pages.sort();
    Ok(pages)
}

/// Writes entries behind what is there. Processes that share a folder take turns.
pub(super) fn append(folder: &Path, entries: &[Entry]) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let turn = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(folder.join(LOCK))?;
    turn.lock()?;
    let mut written = 0;
    while written < entries.len() {
        let (mut file, mut chain) = open(folder)?;
        let mut size = file.seek(SeekFrom::End(0))?;
        let mut text = String::new();
        while written < entries.len() && size < PAGE_BYTES {
            let (line, next) = line(&chain, &entries[written]);
            chain = next;
            size += line.len() as u64;
            text.push_str(&line);
            written += 1;
        }
        file.write_all(text.as_bytes())?;
        file.sync_data()?;
    }
    Ok(())
}

/// The page that is written, and the hash of the last line before what is written next. A line that was cut off by the
/// end of a process is taken away: it was never whole.
fn open(folder: &Path) -> io::Result<(File, String)> {
    let pages = pages(folder)?;
    let Some((number, path)) = pages.last() else { return begin(folder, 1, GENESIS) };
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let size = file.seek(SeekFrom::End(0))?;
    let begin_at = size.saturating_sub(LINE_BYTES_MAX);
    file.seek(SeekFrom::Start(begin_at))?;
    let mut tail = Vec::new();
    (&file).take(LINE_BYTES_MAX).read_to_end(&mut tail)?;
    let whole = tail.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    file.set_len(begin_at + whole as u64)?;
    let tail = String::from_utf8_lossy(&tail[..whole]).into_owned();
    let last = tail.lines().next_back().unwrap_or_default();
    let beginning = || serde_json::from_str::<Beginning>(last).ok().map(|beginning| beginning.before);
    let chain = split(last).map(|(_, chain)| chain.to_owned()).or_else(beginning);
    let chain = chain.ok_or_else(|| io::Error::other(format!("{} does not end with a line", path.display())))?;
    if size < PAGE_BYTES {
        return Ok((file, chain));
    }
    for (_, oldest) in pages.iter().take((pages.len() + 1).saturating_sub(PAGES_MAX)) {
        fs::remove_file(oldest)?;
    }
    begin(folder, number + 1, &chain)
}

fn begin(folder: &Path, number: u64, before: &str) -> io::Result<(File, String)> {
    let path = folder.join(format!("{number:08}.jsonl"));
    let mut file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?;
    let beginning = Beginning { page: number, before: before.to_owned() };
    let text = serde_json::to_string(&beginning).expect("a beginning has string keys");
    file.write_all(format!("{text}\n").as_bytes())?;
    Ok((file, before.to_owned()))
}
