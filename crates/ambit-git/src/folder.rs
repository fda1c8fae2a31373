//! A repository in a folder of this machine: where it and its objects are.

use crate::{GitError, Result};
use gix_hash::Kind as HashKind;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Bytes of the settings.
pub(crate) const SETTINGS_BYTES_MAX: u64 = 1_024 * 1_024;

/// Bytes of a file that names a folder.
const NAME_BYTES_MAX: u64 = 4_096;
/// The setting that says by what objects are named.
const OBJECT_FORMAT: &str = "objectformat";
/// How deep objects lie in folders.
const DEPTH_MAX: usize = 16;

/// A repository in a folder.
#[derive(Clone, Debug)]
pub struct Folder {
    /// Where its objects and branches are.
    pub(crate) git: PathBuf,
    /// Where that is which belongs to the working copy alone; the same but in a further one.
    pub(crate) own: PathBuf,
}

impl Folder {
    /// Finds the repository at a path: a working copy, the `.git` in it, or a bare one.
    ///
    /// # Errors
    /// There is none, or one in a form that is not read, or nothing at all.
    pub fn open(path: &Path) -> Result<Self> {
        std::fs::metadata(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => GitError::Folder(format!("{} does not exist", path.display())),
            _ => unreadable(path, error),
        })?;
        let none = || GitError::Folder(format!("{} holds no git repository", path.display()));
        let inside = path.join(".git");
        let own = match std::fs::metadata(&inside) {
            Ok(found) if found.is_dir() => inside,
            // A further working copy names the folder of its repository.
            Ok(_) => path.join(read(&inside)?.strip_prefix("gitdir:").ok_or_else(none)?.trim()),
            Err(_) => path.to_owned(),
        };
        let common = own.join("commondir");
        let git = if common.is_file() { own.join(read(&common)?.trim()) } else { own.clone() };
        if !git.join("objects").is_dir() || !git.join("HEAD").is_file() {
            return Err(none());
        }
        let settings = git.join("config");
        let there = settings.try_exists().map_err(|error| unreadable(&settings, error))?;
        let said = there.then(|| read_up_to(&settings, SETTINGS_BYTES_MAX)).transpose()?;
        match said.and_then(|said| foreign_form(&said)) {
            Some(form) => Err(GitError::Folder(format!("{}: {form}", path.display()))),
            None => Ok(Self { git, own }),
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
}

/// Returns by what the objects in a folder are named, by the settings of its repository.
pub(crate) fn hash_beside(objects: &Path) -> HashKind {
    let settings = objects.parent().map(|git| read_up_to(&git.join("config"), SETTINGS_BYTES_MAX));
    settings.and_then(Result::ok).map_or(HashKind::Sha1, |said| hash_of(&said))
}

/// Returns by what objects are named, by the settings of their repository (gitrepository-layout).
pub(crate) fn hash_of(settings: &str) -> HashKind {
    let is_sha256 = |(key, value): &(String, String)| key == OBJECT_FORMAT && *value == HashKind::Sha256.to_string();
    match extensions(settings).iter().any(is_sha256) {
        true => HashKind::Sha256,
        false => HashKind::Sha1,
    }
}

/// Returns what is in a form of which nothing would be found, by the settings of a repository (gitrepository-layout).
pub(crate) fn foreign_form(settings: &str) -> Option<String> {
    let read = [HashKind::Sha1, HashKind::Sha256].map(|hash| hash.to_string());
    extensions(settings).into_iter().find_map(|(key, value)| match key.as_str() {
        OBJECT_FORMAT if !read.contains(&value) => {
            Some(format!("its objects are named by {value}; only those named by {} are read", read.join(" or ")))
        }
        "refstorage" if value != "files" => {
            Some(format!("its branches are stored as {value}; only those in files are read"))
        }
        _ => None,
    })
}

/// What the settings of a repository say of its form, lower case.
fn extensions(settings: &str) -> Vec<(String, String)> {
    let (mut section, mut extensions) = (String::new(), Vec::new());
    for line in settings.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line.to_ascii_lowercase();
        } else if section.starts_with("[extensions]")
            && let Some((key, value)) = line.split_once('=')
        {
            let value = value.trim().trim_matches('"').to_ascii_lowercase();
            extensions.push((key.trim().to_ascii_lowercase(), value));
        }
    }
    extensions
}

fn unreadable(path: &Path, error: std::io::Error) -> GitError {
    GitError::Folder(format!("{}: {error}", path.display()))
}

fn read(path: &Path) -> Result<String> {
    read_up_to(path, NAME_BYTES_MAX)
}

fn read_up_to(path: &Path, bytes_max: u64) -> Result<String> {
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
    use crate::testing::repository;
    use tempfile::TempDir;

    #[test]
    fn a_folder_that_is_not_there_is_not_called_one_without_a_repository() {
        let folder = TempDir::new().unwrap();
        for (place, why) in [("moved", "does not exist"), ("", "holds no git repository")] {
            let said = Folder::open(&folder.path().join(place)).unwrap_err().to_string();
            assert!(said.ends_with(why), "{place}: {said}");
        }
    }

    #[test]
    fn a_repository_in_another_form_is_a_failure_that_names_it() {
        for (settings, form) in [
            ("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha512\n", Some("by sha512")),
            ("[extensions]\n\tobjectformat = sha256\n", None),
            ("[extensions]\n\trefStorage = reftable\n", Some("as reftable")),
            ("[extensions]\n\tobjectFormat = sha1\n\trefstorage = files\n\tpartialClone = origin\n", None),
            ("[remote \"objectformat\"]\n\tobjectformat = sha256\n", None),
        ] {
            let folder = repository(&[("config", settings)]);
            let said = Folder::open(folder.path()).map_err(|error| error.to_string()).err();
            assert!(said.iter().all(|said| said.contains(form.unwrap_or_default())), "{said:?}");
            assert_eq!(said.is_some(), form.is_some(), "{settings}");
        }
    }
}
