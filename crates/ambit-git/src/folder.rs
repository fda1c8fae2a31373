//! A repository in a folder of this machine: where its objects are, and what its branches and tags point to.

use crate::{GitError, Ref};
use gix_hash::ObjectId;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Branches and tags of one repository that are read.
const REFS_MAX: usize = 200_000;
/// Bytes of a file with one branch: an id, or the name of another.
const REF_BYTES_MAX: u64 = 4_096;
/// Bytes of the file with the packed ones.
const PACKED_BYTES_MAX: u64 = 64 * 1_024 * 1_024;
/// How deep branches lie in folders.
const DEPTH_MAX: usize = 16;

/// A repository in a folder.
#[derive(Clone, Debug)]
pub struct Folder {
    git: PathBuf,
}

impl Folder {
    /// Finds the repository at a path: a working copy, the `.git` in it, or a bare one.
    ///
    /// # Errors
    /// There is none.
    pub fn open(path: &Path) -> Result<Self, GitError> {
        let none = || GitError::Folder(format!("{} holds no git repository", path.display()));
        let inside = path.join(".git");
        let git = match std::fs::metadata(&inside) {
            Ok(found) if found.is_dir() => inside,
            // A further working copy names the folder of its repository.
            Ok(_) => path.join(read(&inside)?.strip_prefix("gitdir:").ok_or_else(none)?.trim()),
            Err(_) => path.to_owned(),
        };
        let common = git.join("commondir");
        let git = if common.is_file() { git.join(read(&common)?.trim()) } else { git };
        if git.join("objects").is_dir() && git.join("HEAD").is_file() { Ok(Self { git }) } else { Err(none()) }
    }

    /// Returns where its objects are.
    pub fn objects(&self) -> PathBuf {
        self.git.join("objects")
    }

    /// Returns how many bytes its objects take.
    pub fn bytes(&self) -> u64 {
        bytes_below(&self.objects(), DEPTH_MAX)
    }

    /// Returns everything that it points to, sorted by name: branches, also those of others, tags, and what was put
    /// aside.
    ///
    /// # Errors
    /// A file of them cannot be read.
    pub fn refs(&self) -> Result<Vec<Ref>, GitError> {
        let mut refs = BTreeMap::new();
        let packed = self.git.join("packed-refs");
        if packed.is_file() {
            for line in read_up_to(&packed, PACKED_BYTES_MAX)?.lines().filter(|line| !line.starts_with(['#', '^'])) {
                if let Some((id, name)) = line.split_once(' ') {
                    keep(&mut refs, name, id);
                }
            }
        }
        self.loose(&self.git.join("refs"), "refs", DEPTH_MAX, &mut refs)?;
        keep(&mut refs, "HEAD", &read(&self.git.join("HEAD"))?);
        Ok(refs.into_iter().map(|(name, id)| Ref { name, id }).collect())
    }

    /// Those in files of their own, which hold before packed ones.
    fn loose(
        &self,
        folder: &Path,
        name: &str,
        depth: usize,
        refs: &mut BTreeMap<String, ObjectId>,
    ) -> Result<(), GitError> {
        let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
        for entry in entries.flatten() {
            let name = format!("{name}/{}", entry.file_name().to_string_lossy());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth > 0 => self.loose(&entry.path(), &name, depth - 1, refs)?,
                Ok(kind) if kind.is_file() => keep(refs, &name, &read(&entry.path())?),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Keeps what is an id; the name of another one says nothing of its own.
fn keep(refs: &mut BTreeMap<String, ObjectId>, name: &str, id: &str) {
    if let Ok(id) = ObjectId::from_hex(id.trim().as_bytes())
        && refs.len() < REFS_MAX
    {
        refs.insert(name.to_owned(), id);
    }
}

fn read(path: &Path) -> Result<String, GitError> {
    read_up_to(path, REF_BYTES_MAX)
}

fn read_up_to(path: &Path, bytes_max: u64) -> Result<String, GitError> {
    use std::io::Read as _;
    let problem = |error: std::io::Error| GitError::Folder(format!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(problem)?;
    file.take(bytes_max).read_to_end(&mut bytes).map_err(problem)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn bytes_below(folder: &Path, depth: usize) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let bytes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() && depth > 0 => bytes_below(&entry.path(), depth - 1),
        Ok(found) if found.is_file() => found.len(),
        _ => 0,
    });
    bytes.sum()
}
