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
/// Bytes of the settings that are read.
const SETTINGS_BYTES_MAX: u64 = 1_024 * 1_024;
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
    /// There is none, or one in a form that is not read.
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
        if !git.join("objects").is_dir() || !git.join("HEAD").is_file() {
            return Err(none());
        }
        let settings = git.join("config");
        let there = settings.try_exists().map_err(|error| unreadable(&settings, error))?;
        match there.then(|| read_up_to(&settings, SETTINGS_BYTES_MAX)).transpose()?.as_deref().and_then(foreign_form) {
            Some(form) => Err(GitError::Folder(format!("{}: {form}", path.display()))),
            None => Ok(Self { git }),
        }
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
    /// A file or folder of them cannot be read, holds no id, or there are more than are read: a branch that is left out
    /// would pass for one that is not there.
    pub fn refs(&self) -> Result<Vec<Ref>, GitError> {
        let mut refs = BTreeMap::new();
        let packed = self.git.join("packed-refs");
        if packed.try_exists().map_err(|error| unreadable(&packed, error))? {
            let text = read_up_to(&packed, PACKED_BYTES_MAX)?;
            if text.len() as u64 >= PACKED_BYTES_MAX {
                return Err(GitError::Folder(format!("{} is longer than is read", packed.display())));
            }
            for line in text.lines().filter(|line| !line.starts_with(['#', '^'])) {
                let (id, name) = line.split_once(' ').unwrap_or((line, ""));
                keep(&mut refs, name, id)?;
            }
        }
        loose(&self.git.join("refs"), "refs", DEPTH_MAX, &mut refs)?;
        keep(&mut refs, "HEAD", &read(&self.git.join("HEAD"))?)?;
        Ok(refs.into_iter().map(|(name, id)| Ref { name, id }).collect())
    }
}

/// Returns what is in a form of which nothing would be found, by the settings of a repository (gitrepository-layout).
pub(crate) fn foreign_form(settings: &str) -> Option<String> {
    let mut section = String::new();
    for line in settings.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line.to_ascii_lowercase();
            continue;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| section.starts_with("[extensions]")) else { continue };
        let value = value.trim().trim_matches('"').to_ascii_lowercase();
        match key.trim().to_ascii_lowercase().as_str() {
            "objectformat" if value != "sha1" => {
                return Some(format!("its objects are named by {value}; only those named by sha1 are read"));
            }
            "refstorage" if value != "files" => {
                return Some(format!("its branches are stored as {value}; only those in files are read"));
            }
            _ => {}
        }
    }
    None
}

/// Those in files of their own, which hold before packed ones.
fn loose(folder: &Path, name: &str, depth: usize, refs: &mut BTreeMap<String, ObjectId>) -> Result<(), GitError> {
    for entry in std::fs::read_dir(folder).map_err(|error| unreadable(folder, error))? {
        let entry = entry.map_err(|error| unreadable(folder, error))?;
        let (path, last) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        // What git takes for no branch: a lock of one that is being written, and what systems leave in folders.
        if last.starts_with('.') || last.ends_with(".lock") {
            continue;
        }
        let name = format!("{name}/{last}");
        if !std::fs::metadata(&path).map_err(|error| unreadable(&path, error))?.is_dir() {
            keep(refs, &name, &read(&path)?)?;
        } else if depth > 0 {
            loose(&path, &name, depth - 1, refs)?;
        } else {
            return Err(GitError::Folder(format!("{} lies deeper than is read", path.display())));
        }
    }
    Ok(())
}

/// Keeps an id; the name of another one says nothing of its own.
fn keep(refs: &mut BTreeMap<String, ObjectId>, name: &str, id: &str) -> Result<(), GitError> {
    let id = id.trim();
    if id.starts_with("ref:") {
        return Ok(());
    }
    let id = ObjectId::from_hex(id.as_bytes()).map_err(|_| GitError::Folder(format!("{name:?} holds no id")))?;
    refs.insert(name.to_owned(), id);
    if refs.len() > REFS_MAX {
        return Err(GitError::Folder(format!("more than {REFS_MAX} branches and tags")));
    }
    Ok(())
}

fn unreadable(path: &Path, error: std::io::Error) -> GitError {
    GitError::Folder(format!("{}: {error}", path.display()))
}

fn read(path: &Path) -> Result<String, GitError> {
    read_up_to(path, REF_BYTES_MAX)
}

fn read_up_to(path: &Path, bytes_max: u64) -> Result<String, GitError> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(|error| unreadable(path, error))?;
    file.take(bytes_max).read_to_end(&mut bytes).map_err(|error| unreadable(path, error))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "1111111111111111111111111111111111111111";

    /// A repository without objects, with files beside them.
    fn repository(files: &[(&str, &str)]) -> (tempfile::TempDir, Result<Folder, GitError>) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("objects")).unwrap();
        std::fs::create_dir_all(folder.path().join("refs/heads")).unwrap();
        std::fs::write(folder.path().join("HEAD"), "ref: refs/heads/main\n").unwrap();
        for (path, text) in files {
            std::fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
            std::fs::write(folder.path().join(path), text).unwrap();
        }
        let found = Folder::open(folder.path());
        (folder, found)
    }

    fn names(files: &[(&str, &str)]) -> Result<Vec<String>, GitError> {
        Ok(repository(files).1?.refs()?.into_iter().map(|found| found.name).collect())
    }

    #[test]
    fn branches_in_files_of_their_own_and_packed_ones_are_read() {
        let packed = format!("# pack-refs with: peeled\n{ONE} refs/tags/v1\n^{ONE}\n{ONE} refs/heads/main\n");
        let files =
            [("packed-refs", packed.as_str()), ("refs/heads/a/b", ONE), ("refs/heads/main.lock", ""), ("refs/.x", "")];
        assert_eq!(names(&files).unwrap(), ["refs/heads/a/b", "refs/heads/main", "refs/tags/v1"]);
        assert_eq!(names(&[("refs/remotes/origin/HEAD", "ref: refs/remotes/origin/main\n")]).unwrap(), [""; 0]);
    }

    #[test]
    fn a_repository_in_another_form_is_a_failure_that_names_it() {
        for (settings, form) in [
            ("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n", Some("by sha256")),
            ("[extensions]\n\trefStorage = reftable\n", Some("as reftable")),
            ("[extensions]\n\tobjectFormat = sha1\n\trefstorage = files\n\tpartialClone = origin\n", None),
            ("[remote \"objectformat\"]\n\tobjectformat = sha256\n", None),
        ] {
            assert_eq!(foreign_form(settings).is_some(), form.is_some(), "{settings}");
            let (folder, _) = repository(&[("config", settings)]);
            let said = Folder::open(folder.path()).map_err(|error| error.to_string()).err();
            assert!(said.iter().all(|said| said.contains(form.unwrap_or_default())), "{said:?}");
            assert_eq!(said.is_some(), form.is_some(), "{settings}");
        }
    }

    #[test]
    fn branches_that_cannot_be_read_are_a_failure_and_not_none() {
        for (path, text) in [("refs/heads/main", ""), ("refs/heads/main", "main"), ("packed-refs", "<html>")] {
            assert!(names(&[(path, text)]).is_err(), "{path} {text:?}");
        }
        let deep = format!("refs/{}x", "a/".repeat(DEPTH_MAX + 1));
        assert!(names(&[(&deep, ONE)]).is_err());
        let (folder, found) = repository(&[]);
        std::fs::remove_dir_all(folder.path().join("refs")).unwrap();
        let found = found.unwrap();
        assert!(found.refs().is_err(), "a repository without a folder of branches");
        std::fs::write(folder.path().join("refs"), ONE).unwrap();
        assert!(found.refs().is_err(), "what cannot be listed, as a folder without rights cannot");
    }
}
