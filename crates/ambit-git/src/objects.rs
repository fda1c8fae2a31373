//! The objects of a repository: those in a folder of git's own, or those of a pack that a server sent.

use crate::folder::hash_beside;
use crate::{GitError, Result};
use gix_hash::{Kind as HashKind, ObjectId};
use gix_object::{Exists as _, Find as _, Kind};
use gix_pack::bundle::write::Options;
use gix_pack::cache::lru::MemoryCappedHashmap;
use gix_utils::progress::Discard;
use std::io::BufRead;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

/// Bytes that an object may take while it is read, with those that it is told as a difference to: a small file may hold
/// one that fills the machine. Forges take no files of more than a hundred million.
pub const OBJECT_BYTES_MAX: usize = 128 * 1_024 * 1_024;
/// Bytes that an object of a pack may take while that is indexed. One that takes more is a failure of the whole pack.
const INDEXED_BYTES_MAX: usize = 256 * 1_024 * 1_024;
/// Bytes of unpacked objects that are kept for those that are told as differences to them.
const CACHE_BYTES: usize = 64 * 1_024 * 1_024;

/// Why an object that is there cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// Its bytes are no object, or not what they should be.
    Broken,
    /// It takes more memory than an object may.
    TooLarge,
}

/// Objects by their id.
pub struct Objects {
    found: gix_odb::Handle,
    hash: HashKind,
    /// The folder of a pack, which goes with it.
    _folder: Option<TempDir>,
}

impl Objects {
    /// Opens the objects of a folder, such as `.git/objects`.
    ///
    /// # Errors
    /// There is no such folder, or it cannot be read.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::at(folder, None, hash_beside(folder), OBJECT_BYTES_MAX)
    }

    /// Opens the objects of a folder that no settings lie beside.
    pub(crate) fn open_as(folder: &Path, hash: HashKind) -> Result<Self> {
        Self::at(folder, None, hash, OBJECT_BYTES_MAX)
    }

    /// Indexes a pack in a folder of its own for the time of its use. `hash`: by what its objects are named. `stop`:
    /// becomes true when it is not wanted any more.
    ///
    /// # Errors
    /// The pack is broken, not whole, or tells objects as differences to others that are not in it, or one of them is
    /// too large.
    pub fn of_pack(pack: &mut dyn BufRead, folder: TempDir, hash: HashKind, stop: &AtomicBool) -> Result<Self> {
        index_pack(pack, folder.path(), hash, stop)?;
        let path = folder.path().to_owned();
        Self::at(&path, Some(folder), hash, OBJECT_BYTES_MAX)
    }

    /// Returns whether an object is there.
    pub(crate) fn has(&self, id: &ObjectId) -> bool {
        self.found.exists(id)
    }

    /// No objects at all, in a folder of their own.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn empty(folder: TempDir) -> Result<Self> {
        let path = folder.path().to_owned();
        Self::at(&path, Some(folder), HashKind::Sha1, OBJECT_BYTES_MAX)
    }

    /// Returns by what they are named.
    pub(crate) fn hash(&self) -> HashKind {
        self.hash
    }

    /// As [`Objects::open`], with another limit.
    #[cfg(test)]
    pub(crate) fn within(folder: &Path, bytes_max: usize) -> Self {
        Self::at(folder, None, hash_beside(folder), bytes_max).unwrap()
    }

    fn at(path: &Path, folder: Option<TempDir>, hash: HashKind, bytes_max: usize) -> Result<Self> {
        let options = gix_odb::store::init::Options { alloc_limit_bytes: Some(bytes_max), ..Default::default() };
        let opened = gix_odb::at_opts(path, hash, None, options);
        let mut found = opened.map_err(|error| GitError::Folder(format!("{}: {error}", path.display())))?;
        found.set_pack_cache(|| Box::new(MemoryCappedHashmap::new(CACHE_BYTES)));
        // Missing objects stay missing: nobody adds objects during the search.
        found.refresh_never();
        Ok(Self { found, hash, _folder: folder })
    }

    /// Reads an object into the buffer; `None` where it is not there.
    pub(crate) fn read<'a>(
        &self,
        id: &ObjectId,
        buffer: &'a mut Vec<u8>,
    ) -> Result<Option<(Kind, &'a [u8])>, Unreadable> {
        match self.found.try_find(id, buffer) {
            Ok(found) => Ok(found.map(|object| (object.kind, object.data))),
            Err(error) if error.is_resource_exhausted() => Err(Unreadable::TooLarge),
            Err(_) => Err(Unreadable::Broken),
        }
    }
}

/// Writes a pack with its index to the folder of packs in a folder of objects.
pub(crate) fn index_pack(pack: &mut dyn BufRead, folder: &Path, hash: HashKind, stop: &AtomicBool) -> Result<()> {
    let packs = folder.join("pack");
    std::fs::create_dir_all(&packs).map_err(|error| GitError::Folder(error.to_string()))?;
    let options = Options { thread_limit: Some(1), alloc_limit_bytes: Some(INDEXED_BYTES_MAX), ..Options::default() };
    let none = None::<gix_object::find::Never>;
    gix_pack::Bundle::write_to_directory(pack, Some(&packs), &mut Discard, stop, none, hash, options).map_err(
        |error| match error.is_resource_exhausted() {
            true => GitError::TooLarge,
            false => GitError::Objects(error.to_string()),
        },
    )?;
    Ok(())
}
