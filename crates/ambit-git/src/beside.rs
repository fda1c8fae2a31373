//! What lies beside the objects of a repository in a folder of this machine (gitrepository-layout): what its branches
//! and tags point to. What cannot be read is told, and the rest is read: a crash leaves an empty branch behind.

use crate::Folder;
use gix_hash::ObjectId;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Branches and tags of one repository that are read.
const REFS_MAX: usize = 200_000;
/// Bytes of a file with one branch: an id, or the name of another.
const REF_BYTES_MAX: u64 = 4_096;
/// Bytes of the file with the packed ones.
const PACKED_BYTES_MAX: u64 = 64 * 1_024 * 1_024;
/// How deep branches lie in folders.
const DEPTH_MAX: usize = 16;
/// Texts about what cannot be read that are kept.
const UNREAD_MAX: usize = 5;

/// What lies beside the objects of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// What it points to, sorted, each once: branches, also those of others, tags, and what was put aside.
    pub tips: Vec<ObjectId>,
    /// What cannot be read of it, a text each, the first five; what it holds is not among the others.
    pub unread: Vec<String>,
    /// How many more cannot be read.
    pub unread_more: usize,
}

impl Folder {
    /// Reads what lies beside the objects.
    pub fn beside(&self) -> Beside {
        let mut reading =
            Reading { git: &self.git, refs: BTreeMap::new(), seen: HashSet::new(), found: Beside::default() };
        reading.packed(&self.git.join("packed-refs"));
        reading.folder(&self.git.join("refs"), DEPTH_MAX);
        reading.branch(&self.git.join("HEAD"));
        let ids: BTreeSet<ObjectId> = reading.refs.into_values().collect();
        Beside { tips: ids.into_iter().collect(), ..reading.found }
    }
}

struct Reading<'a> {
    git: &'a Path,
    /// By the name of its file; those in files of their own hold before packed ones.
    refs: BTreeMap<String, ObjectId>,
    /// Folders that were gone through, of which links may lead to one another.
    seen: HashSet<PathBuf>,
    found: Beside,
}

impl Reading<'_> {
    /// Reads those in one file.
    fn packed(&mut self, path: &Path) {
        if !is_there(path) {
            return;
        }
        let Some(bytes) = self.read(path, PACKED_BYTES_MAX) else { return };
        for line in String::from_utf8_lossy(&bytes).lines().filter(|line| !line.starts_with(['#', '^'])) {
            let (id, name) = line.split_once(' ').unwrap_or((line, ""));
            self.keep(path, name, id);
        }
    }

    /// Reads those in files of their own.
    fn folder(&mut self, folder: &Path, depth: usize) {
        match std::fs::canonicalize(folder).map(|whole| self.seen.insert(whole)) {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => return self.unread(folder, &error),
        }
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.unread(folder, &error),
        };
        for entry in entries {
            let path = match entry {
                Ok(entry) => entry.path(),
                Err(error) => return self.unread(folder, &error),
            };
            let last = path.file_name().unwrap_or_default().to_string_lossy();
            // What git takes for no branch: a lock of one that is being written, and what systems leave in folders.
            if last.starts_with('.') || last.ends_with(".lock") {
                continue;
            }
            match std::fs::metadata(&path) {
                Ok(found) if !found.is_dir() => self.branch(&path),
                Ok(_) if depth > 0 => self.folder(&path, depth - 1),
                Ok(_) => self.unread(&path, &"lies deeper than is read"),
                Err(error) => self.unread(&path, &error),
            }
        }
    }

    fn branch(&mut self, path: &Path) {
        let Some(bytes) = self.read(path, REF_BYTES_MAX) else { return };
        let name = self.name(path);
        self.keep(path, &name, &String::from_utf8_lossy(&bytes));
    }

    /// Keeps an id; the name of another one says nothing of its own.
    fn keep(&mut self, path: &Path, name: &str, id: &str) {
        let id = id.trim();
        if id.starts_with("ref:") {
            return;
        }
        match ObjectId::from_hex(id.as_bytes()) {
            Ok(_) if self.refs.len() >= REFS_MAX => self.unread(path, &"more branches and tags than are read"),
            Ok(id) => drop(self.refs.insert(name.to_owned(), id)),
            Err(_) => self.unread(path, &"holds no id"),
        }
    }

    /// Reads a file; of one that is longer than that, its beginning.
    fn read(&mut self, path: &Path, bytes_max: u64) -> Option<Vec<u8>> {
        // What is no file, such as a pipe, may never end.
        match std::fs::metadata(path) {
            Ok(found) if found.is_file() => {}
            Ok(_) => {
                self.unread(path, &"is no file");
                return None;
            }
            Err(error) => {
                self.unread(path, &error);
                return None;
            }
        }
        let mut bytes = Vec::new();
        if let Err(error) = std::fs::File::open(path).and_then(|file| file.take(bytes_max).read_to_end(&mut bytes)) {
            self.unread(path, &error);
            return None;
        }
        if bytes.len() as u64 == bytes_max {
            self.unread(path, &"is longer than is read");
        }
        Some(bytes)
    }

    fn unread(&mut self, path: &Path, why: &dyn std::fmt::Display) {
        if self.found.unread.len() < UNREAD_MAX {
            let text = format!("{}: {why}", self.name(path));
            self.found.unread.push(text);
        } else {
            self.found.unread_more += 1;
        }
    }

    /// The path of a file in the repository.
    fn name(&self, path: &Path) -> String {
        path.strip_prefix(self.git).unwrap_or(path).display().to_string()
    }
}

/// Returns false where there is nothing; what cannot be told of is read, which then says why it cannot be.
fn is_there(path: &Path) -> bool {
    !std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "1111111111111111111111111111111111111111";
    const TWO: &str = "2222222222222222222222222222222222222222";

    /// A repository without objects, with files beside them.
    fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("objects")).unwrap();
        std::fs::create_dir_all(folder.path().join("refs/heads")).unwrap();
        std::fs::write(folder.path().join("HEAD"), "ref: refs/heads/main\n").unwrap();
        for (path, text) in files {
            std::fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
            std::fs::write(folder.path().join(path), text).unwrap();
        }
        folder
    }

    /// What it points to, and what cannot be read.
    fn read(folder: &Path) -> (Vec<String>, Vec<String>) {
        let found = Folder::open(folder).unwrap().beside();
        (found.tips.iter().map(ToString::to_string).collect(), found.unread)
    }

    #[test]
    fn branches_in_files_of_their_own_and_packed_ones_are_read() {
        let packed = format!("# pack-refs with: peeled\n{ONE} refs/tags/v1\n^{ONE}\n{TWO} refs/heads/main\n");
        let main = ("packed-refs", packed.as_str());
        let nothing = (vec![], vec![]);
        assert_eq!(read(repository(&[main]).path()).0, [ONE, TWO]);
        let own = [main, ("refs/heads/main", ONE), ("refs/heads/main.lock", ""), ("refs/.x", "")];
        assert_eq!(read(repository(&own).path()), (vec![ONE.to_owned()], vec![]), "a packed one that is out of date");
        let names = [("refs/remotes/origin/HEAD", "ref: refs/remotes/origin/main\n")];
        assert_eq!(read(repository(&names).path()), nothing);
    }

    #[test]
    fn branches_that_cannot_be_read_are_told_and_the_others_are_read() {
        let deep = format!("refs/{}x", "a/".repeat(DEPTH_MAX + 1));
        for (path, text) in [
            ("refs/heads/broken", ""),
            ("refs/heads/broken", "main"),
            ("packed-refs", "<html>"),
            ("HEAD", ""),
            (&deep, ONE),
        ] {
            let (tips, unread) = read(repository(&[("refs/heads/good", TWO), (path, text)]).path());
            assert_eq!((tips.as_slice(), unread.len()), (&[TWO.to_owned()][..], 1), "{path} {text:?}: {unread:?}");
            assert!(unread[0].starts_with(&path[..4]), "{unread:?}");
        }
        let many: Vec<String> = (0..9).map(|at| format!("refs/heads/{at}")).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|path| (path.as_str(), "")).collect();
        let found = Folder::open(repository(&many).path()).unwrap().beside();
        assert_eq!((found.unread.len(), found.unread_more), (5, 4));
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_among_the_branches_end() {
        use std::os::unix::fs::symlink;
        let folder = repository(&[("refs/heads/good", TWO)]);
        let heads = folder.path().join("refs/heads");
        for (to, at) in [("loop", "loop"), ("..", "a"), ("../heads", "b"), ("gone", "c"), ("/dev/zero", "d")] {
            symlink(to, heads.join(at)).unwrap();
        }
        let (tips, unread) = read(folder.path());
        assert_eq!((tips.len(), unread.len()), (1, 3), "{unread:?}");
        std::fs::remove_dir_all(folder.path().join("refs")).unwrap();
        assert_eq!(read(folder.path()).1.len(), 1, "a repository without a folder of branches");
        std::fs::write(folder.path().join("refs"), ONE).unwrap();
        assert_eq!(read(folder.path()).1.len(), 1, "what cannot be listed, as a folder without rights cannot");
    }
}
