//! Objects that a server handed out one by one, and packs, in a folder of their own for the time of their use.

use crate::objects::index_pack;
use crate::{GitError, Objects, Result};
use flate2::read::ZlibDecoder;
use gix_hash::{Kind as HashKind, ObjectId};
use std::fs::File;
use std::io::{BufReader, Read as _};
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

/// Bytes of an object that came alone, unpacked: more than is looked at of a file.
const ALONE_BYTES_MAX: usize = 16 * 1_024 * 1_024;

/// What became of an object that somebody handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The content matches the id.
    Yes,
    /// It is something else, or no object at all.
    Unlike,
    /// It is larger than any that is unpacked.
    TooLarge,
}

/// Objects that come one by one.
#[derive(Debug)]
pub struct Gathering {
    folder: TempDir,
    /// By what they are named.
    hash: HashKind,
}

impl Gathering {
    /// None yet.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn new(hash: HashKind) -> Result<Self> {
        let made = tempfile::Builder::new().prefix("ambit-repository-").tempdir();
        made.map(|folder| Self { folder, hash }).map_err(|error| GitError::Folder(error.to_string()))
    }

    /// Adds packs, which are indexed first, and returns why some of them are left out. `stop`: becomes true when they
    /// are not wanted any more.
    ///
    /// # Errors
    /// The folder cannot be written, or `stop` became true.
    pub fn add_packs(&self, packs: &mut [File], stop: &AtomicBool) -> Result<Vec<GitError>> {
        let mut broken = Vec::new();
        for pack in packs {
            match index_pack(&mut BufReader::new(pack), self.folder.path(), self.hash, stop) {
                Err(_) if stop.load(Ordering::Relaxed) => return Err(GitError::Stopped),
                Err(error @ GitError::Folder(_)) => return Err(error),
                Err(error) => broken.push(error),
                Ok(()) => {}
            }
        }
        Ok(broken)
    }

    /// Adds an object, compressed as git keeps it alone in a file, if it has the hash by which it was asked for.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn add(&self, id: &ObjectId, packed: &[u8]) -> Result<Kept> {
        let mut bytes = Vec::new();
        let most = ALONE_BYTES_MAX as u64 + 1;
        let unpacked = ZlibDecoder::new(packed).take(most).read_to_end(&mut bytes);
        if bytes.len() > ALONE_BYTES_MAX {
            return Ok(Kept::TooLarge);
        }
        let mut hash = gix_hash::hasher(id.kind());
        hash.update(&bytes);
        let is_it = unpacked.is_ok() && hash.try_finalize().is_ok_and(|hash| hash == *id);
        if !is_it || gix_object::decode::loose_header(&bytes).is_err() {
            return Ok(Kept::Unlike);
        }
        let name = id.to_string();
        let (start, rest) = name.split_at(2);
        let folder = self.folder.path().join(start);
        let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(folder.join(rest), packed));
        written.map_err(|error| GitError::Folder(error.to_string()))?;
        Ok(Kept::Yes)
    }

    /// Opens what is there by now.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn open(&self) -> Result<Objects> {
        Objects::open_as(self.folder.path(), self.hash)
    }
}
