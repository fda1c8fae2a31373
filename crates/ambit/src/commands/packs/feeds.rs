//! Packs of vulnerabilities: files of feeds, told by their content, in the data folder; and their index.

use super::files_below;
use crate::args::Data;
use crate::clock::now;
use crate::config::Settings;
use crate::failure::{Failure, Result};
use crate::folder;
use crate::output::Results;
use crate::workspace::PACKS_FOLDER;
use ambit_model::Timestamp;
use ambit_vulns::{Pack, PackError, Packs, import};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Endings of feeds in a folder; packed ones have another behind it.
const FEED_ENDINGS: [&str; 4] = ["json", "jsonl", "csv", "zip"];
/// Files of one pack: every CVE record there is, for some years to come.
const FEEDS_MAX: usize = 1_000_000;
/// Bytes by which a file is told.
const PEEKED: u64 = 4 << 10;

/// The packs of a data folder.
pub(super) fn of(data: &Data, settings: &Settings) -> Result<Packs> {
    Ok(Packs::of(folder::data(data.data.as_deref(), settings)?.join(PACKS_FOLDER)))
}

/// Returns whether a file is a feed by its content.
pub(super) fn is_feed(path: &Path) -> Result<bool> {
    Ok(import::is_feed(&beginning(path)?))
}

/// Returns whether a file is a bundle of packs.
pub(super) fn is_bundle(path: &Path) -> Result<bool> {
    Ok(!path.is_dir() && ambit_vulns::is_bundle(&beginning(path)?))
}

/// Takes over the packs of a bundle.
pub(super) fn unbundle(packs: &Packs, path: &Path, results: &mut Results) -> Result<()> {
    for pack in packs.unbundle(path).map_err(refused)? {
        results.line(&format!("{}  {}", pack.name, said(&pack)))?;
    }
    Ok(())
}

fn beginning(path: &Path) -> Result<Vec<u8>> {
    let mut beginning = Vec::new();
    let read = File::open(path).and_then(|file| file.take(PEEKED).read_to_end(&mut beginning));
    read.map_err(|error| super::unreadable(path, &error))?;
    Ok(beginning)
}

/// Every feed in a folder and below it, in the order of their names.
pub(super) fn feeds(folder: &Path) -> Result<Vec<PathBuf>> {
    files_below(folder, FEEDS_MAX, &has_feed)
}

fn has_feed(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    name.rsplit_once('.').is_some_and(|(_, ending)| FEED_ENDINGS.contains(&ending))
}

/// Adds files as one pack and returns a description of it.
pub(super) fn add(packs: &Packs, name: &str, files: &[PathBuf]) -> Result<String> {
    let pack = packs.add(name, files, now().0).map_err(refused)?;
    Ok(said(&pack))
}

fn said(pack: &Pack) -> String {
    if pack.sources.is_empty() {
        return "nothing that can be used".to_owned();
    }
    format!("{} records of {}", pack.entries, pack.sources.join(", "))
}

/// A line of the list.
pub(super) fn line(pack: &Pack) -> String {
    format!("{}  {}  version {}  loaded {}", pack.name, said(pack), pack.version, Timestamp(pack.loaded_at).date())
}

/// What a pack's refusal is for the caller.
pub(super) fn refused(error: PackError) -> Failure {
    match error {
        PackError::Folder { .. } => Failure::run_time(error.to_string()),
        PackError::Import { .. } | PackError::TooMany => Failure::usage(error.to_string()),
    }
}
