//! What lies beside the objects of a repository in a folder of this machine (gitrepository-layout): what its branches
//! and tags point to and pointed to once, what is staged, and its settings. What cannot be read is told, and the rest
//! is read: a crash leaves an empty branch behind.

use crate::folder::{SETTINGS_BYTES_MAX, hash_beside};
use crate::served::{self, Staged};
use crate::{Folder, Objects, Result};
use gix_hash::{Kind as HashKind, ObjectId};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Branches and tags of one repository that are read.
const REFS_MAX: usize = 200_000;
/// Bytes of a file with one branch: an id, or the name of another.
const REF_BYTES_MAX: u64 = 4_096;
/// Bytes of the file with the packed ones.
const PACKED_BYTES_MAX: u64 = 64 * 1_024 * 1_024;
/// Bytes of a log, and of a file that names what was fetched or merged last.
const LOG_BYTES_MAX: u64 = 64 * 1_024 * 1_024;
/// Bytes of an index.
const INDEX_BYTES_MAX: u64 = 256 * 1_024 * 1_024;
/// Files that name what something pointed to before, or what was fetched, merged or picked last.
const PAST: &[&str] = &["ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"];
/// How deep branches lie in folders.
const DEPTH_MAX: usize = 16;
/// Texts about what cannot be read that are kept.
const UNREAD_MAX: usize = 5;

/// What lies beside the objects of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// What it points to, sorted, each once: branches, also those of others, tags, what was put aside last, and the
    /// HEAD of each working copy.
    pub tips: Vec<ObjectId>,
    /// What its HEAD leads to: of a server the newest commit of the default branch, of a working copy what is checked
    /// out there.
    pub head: Option<ObjectId>,
    /// What its logs say that it pointed to once, as far as it is still there and it does not point to it, sorted.
    pub past: Vec<ObjectId>,
    /// Files that the index of a working copy names, each content once.
    pub staged: Vec<Staged>,
    /// Its settings: the name of their file, as in a working copy, and what it says.
    pub settings: Vec<(String, String)>,
    /// The first five descriptions of what cannot be read; its content is missing from the rest.
    pub unread: Vec<String>,
    /// How many more cannot be read.
    pub unread_more: usize,
}

impl Folder {
    /// Reads what lies beside the objects.
    ///
    /// # Errors
    /// The objects cannot be opened.
    pub fn beside(&self) -> Result<Beside> {
        let mut reading = Reading::new(&self.git, hash_beside(&self.objects()));
        reading.packed(&self.git.join("packed-refs"));
        reading.files_below(&self.git.join("refs"), DEPTH_MAX, Reading::branch);
        reading.settings(&self.git.join("config"));
        reading.settings(&self.own.join("config.worktree"));
        reading.working_copy(&self.git);
        reading.working_copy(&self.own);
        for further in std::fs::read_dir(self.git.join("worktrees")).into_iter().flatten().flatten() {
            reading.working_copy(&further.path());
        }
        let head = reading.name(&self.own.join("HEAD"));
        let head = reading.refs.get(reading.names.get(&head).unwrap_or(&head)).copied();
        let tips: BTreeSet<ObjectId> = reading.refs.into_values().collect();
        let objects = Objects::open(&self.objects())?;
        // Logs outlive what they name.
        let past = reading.past.into_iter().filter(|id| !tips.contains(id) && objects.has(id)).collect();
        let staged = reading.staged.into_iter().map(|(id, path)| Staged { path, id }).collect();
        Ok(Beside { tips: tips.into_iter().collect(), head, past, staged, ..reading.found })
    }
}

impl Beside {
    /// Returns what it points to and pointed to once, sorted.
    pub fn tips_and_past(&self) -> Vec<ObjectId> {
        let all: BTreeSet<ObjectId> = self.tips.iter().chain(&self.past).copied().collect();
        all.into_iter().collect()
    }

    /// Leaves out what it points to and does not have.
    pub fn lose(&mut self, id: ObjectId) {
        self.tips.retain(|tip| *tip != id);
        self.head = self.head.filter(|head| *head != id);
        self.unread.push(format!("a branch or tag points to {id}, which is not there"));
    }
}

struct Reading<'a> {
    git: &'a Path,
    /// By what its objects are named.
    hash: HashKind,
    /// By the name of its file; those in files of their own hold before packed ones.
    refs: BTreeMap<String, ObjectId>,
    /// Those that hold the name of another one.
    names: BTreeMap<String, String>,
    /// What logs and the files of [`PAST`] name.
    past: BTreeSet<ObjectId>,
    /// What indexes name: contents with a path of each.
    staged: BTreeMap<ObjectId, String>,
    /// Folders that were gone through, of which links may lead to one another.
    seen: HashSet<PathBuf>,
    found: Beside,
}

impl<'a> Reading<'a> {
    /// Nothing yet of the repository in a folder.
    fn new(git: &'a Path, hash: HashKind) -> Self {
        let (refs, names, past, staged) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
        Self { git, hash, refs, names, past, staged, seen: HashSet::new(), found: Beside::default() }
    }

    /// Reads what belongs to one working copy, or to a repository without any.
    fn working_copy(&mut self, git: &Path) {
        let head = git.join("HEAD");
        if !self.is_new(&head) {
            return;
        }
        self.branch(&head);
        // Some branches are a working copy's own.
        for (folder, read) in [("refs", Self::branch as fn(&mut Self, &Path)), ("logs", Self::log)] {
            if is_there(&git.join(folder)) {
                self.files_below(&git.join(folder), DEPTH_MAX, read);
            }
        }
        for name in PAST.iter().filter(|name| is_there(&git.join(name))) {
            self.past(&git.join(name));
        }
        self.index(&git.join("index"));
    }

    fn log(&mut self, path: &Path) {
        let Some(bytes) = self.read(path, LOG_BYTES_MAX) else { return };
        let text = String::from_utf8_lossy(&bytes);
        let hash = self.hash;
        self.points_to(path, text.lines().flat_map(|line| served::of_log(line, hash)));
    }

    fn past(&mut self, path: &Path) {
        let Some(bytes) = self.read(path, LOG_BYTES_MAX) else { return };
        let text = String::from_utf8_lossy(&bytes);
        let hash = self.hash;
        let ids = text.lines().filter_map(|line| served::id_of(line.split_whitespace().next()?, hash));
        self.points_to(path, ids);
    }

    fn points_to(&mut self, path: &Path, ids: impl Iterator<Item = ObjectId>) {
        for id in ids {
            if self.past.len() >= REFS_MAX {
                return self.unread(path, &"names more than is read");
            }
            self.past.insert(id);
        }
    }

    fn index(&mut self, path: &Path) {
        if !is_there(path) {
            return;
        }
        let Some(bytes) = self.read(path, INDEX_BYTES_MAX) else { return };
        match served::index(&bytes, self.hash) {
            None => self.unread(path, &"is no index"),
            Some(index) => {
                if !index.is_whole {
                    self.unread(path, &"is not read to its end");
                }
                self.staged.extend(index.files.into_iter().map(|file| (file.id, file.path)));
            }
        }
    }

    fn settings(&mut self, path: &Path) {
        if !is_there(path) {
            return;
        }
        let Some(bytes) = self.read(path, SETTINGS_BYTES_MAX) else { return };
        let name = path.file_name().unwrap_or_default().display();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        self.found.settings.push((format!(".git/{name}"), text));
    }

    /// Returns true where a file or folder was not read before, by any links lead to it. What is not there is told.
    fn is_new(&mut self, path: &Path) -> bool {
        match std::fs::canonicalize(path) {
            Ok(whole) => self.seen.insert(whole),
            Err(error) => {
                self.unread(path, &error);
                false
            }
        }
    }

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

    /// Reads the files below a folder.
    fn files_below(&mut self, folder: &Path, depth: usize, read: fn(&mut Self, &Path)) {
        if !self.is_new(folder) {
            return;
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
                Ok(found) if !found.is_dir() => read(self, &path),
                Ok(_) if depth > 0 => self.files_below(&path, depth - 1, read),
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
        if let Some(other) = id.strip_prefix("ref:") {
            self.names.insert(name.to_owned(), other.trim().to_owned());
            return;
        }
        match served::id_of(id, self.hash) {
            Some(_) if self.refs.len() >= REFS_MAX => self.unread(path, &"more branches and tags than are read"),
            Some(id) => drop(self.refs.insert(name.to_owned(), id)),
            None => self.unread(path, &"holds no id"),
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
    use crate::staged;
    use crate::testing::{git, put, repository, shown, texts_of};
    use std::sync::atomic::AtomicBool;

    static NEVER: AtomicBool = AtomicBool::new(false);

    const ONE: &str = "1111111111111111111111111111111111111111";
    const TWO: &str = "2222222222222222222222222222222222222222";

    /// What it points to, and what cannot be read.
    fn read(folder: &Path) -> (Vec<String>, Vec<String>) {
        let found = Folder::open(folder).unwrap().beside().unwrap();
        (found.tips.iter().map(ToString::to_string).collect(), found.unread)
    }

    #[test]
    fn a_working_copy_whose_objects_are_named_by_sha256_is_read() {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "-q", "--object-format=sha256", "."], b"");
        let write = |name: &str, text: &str| {
            std::fs::create_dir_all(folder.path().join("deep")).unwrap();
            std::fs::write(folder.path().join(name), text).unwrap();
            git(folder.path(), &["add", name], b"");
        };
        write("a.txt", "one");
        write("deep/b.txt", "two");
        git(folder.path(), &["commit", "-q", "-m", "first"], b"");
        git(folder.path(), &["tag", "-a", "-m", "a tag", "v1"], b"");
        git(folder.path(), &["gc", "-q"], b"");
        write("a.txt", "three");
        git(folder.path(), &["commit", "-q", "-m", "second"], b"");
        write("new.txt", "four");
        let found = Folder::open(folder.path()).unwrap();
        let (beside, objects) = (found.beside().unwrap(), Objects::open(&found.objects()).unwrap());
        assert_eq!(beside.unread, [""; 0]);
        let (mut seen, walked) = texts_of(&objects, &beside.tips_and_past(), &[]);
        seen.sort();
        let expected = [
            "100 -: first\n",
            "100 -: second\n",
            "100 a.txt: one",
            "100 a.txt: three",
            "100 deep/b.txt: two",
            "100 v1: a tag\n",
        ];
        assert_eq!(seen, expected);
        assert_eq!((walked.missing, walked.unread), (Default::default(), Default::default()));
        let mut staged: Vec<&str> = beside.staged.iter().map(|file| file.path.as_str()).collect();
        staged.sort_unstable();
        assert_eq!(staged, ["a.txt", "deep/b.txt", "new.txt"]);
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
        let folder = repository(&many);
        let found = Folder::open(folder.path()).unwrap().beside().unwrap();
        assert_eq!((found.unread.len(), found.unread_more), (5, 4));
    }

    #[test]
    fn what_is_not_there_is_pointed_to_no_more() {
        let id = |text: &str| ObjectId::from_hex(text.as_bytes()).unwrap();
        let mut beside = Beside { tips: vec![id(ONE), id(TWO)], head: Some(id(ONE)), ..Beside::default() };
        beside.lose(id(ONE));
        assert_eq!((beside.tips, beside.head, beside.unread.len()), (vec![id(TWO)], None, 1));
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

    /// Adds to the file of a working copy, and to its index.
    fn add(folder: &Path, text: &str) {
        std::fs::write(folder.join("a.txt"), text).unwrap();
        git(folder, &["add", "a.txt"], b"");
    }

    #[test]
    fn what_was_amended_put_aside_staged_or_made_elsewhere_is_read_as_well() {
        let folder = tempfile::tempdir().unwrap();
        let (main, further) = (folder.path().join("main"), folder.path().join("further"));
        std::fs::create_dir(&main).unwrap();
        git(&main, &["init", "-q", "."], b"");
        for (text, arguments) in [
            ("amended", &["commit", "-qm", "x"][..]),
            ("last", &["commit", "-qm", "x", "--amend"]),
            ("put aside", &["stash", "-q"]),
            ("put aside later", &["stash", "-q"]),
            ("none", &["worktree", "add", "-q", "--detach", "../further"]),
        ] {
            add(&main, text);
            git(&main, arguments, b"");
        }
        add(&further, "detached");
        git(&further, &["commit", "-qm", "x"], b"");
        add(&further, "staged there");
        add(&main, "staged");
        let blob = put(&main, "blob", b"tagged");
        let other = put(&main, "blob", b"tagged in a folder");
        let tree = git(&main, &["mktree"], format!("100644 blob {other}\tb.txt").as_bytes());
        git(&main, &["tag", "blob", &blob.to_string()], b"");
        git(&main, &["tag", "-m", "a tag", "tree", &tree], b"");
        let gone = format!("{ONE} {TWO} A <a@acme.test> 1 +0000\tx\n");
        std::fs::write(main.join(".git/logs/refs/heads/gone"), gone).unwrap();
        git(&main, &["remote", "add", "origin", "https://u:p@git.acme.test/x.git"], b"");
        // A link to what a file of the same content says is a path of no file.
        let linked = git(&main, &["hash-object", "-w", "--stdin"], b"staged");
        git(&main, &["update-index", "--add", "--cacheinfo", &format!("120000,{linked},z.json")], b"");
        for place in [&main, &main.join(".git"), &further] {
            let found = Folder::open(place).unwrap();
            let (beside, objects) = (found.beside().unwrap(), Objects::open(&found.objects()).unwrap());
            let tips = beside.tips_and_past();
            assert_eq!((beside.unread.as_slice(), beside.settings.len()), (&[][..], 1));
            let of = if place == &further { &further } else { &main };
            assert_eq!(beside.head.unwrap().to_string(), git(of, &["rev-parse", "HEAD"], b""));
            assert!(beside.settings[0].0 == ".git/config" && beside.settings[0].1.contains("https://u:p@"));
            let (mut seen, mut walked) = texts_of(&objects, &tips, &[]);
            staged(&objects, &beside.staged, &mut walked, &NEVER, &mut |piece| seen.push(shown(piece))).unwrap();
            assert_eq!((walked.missing, walked.unread), Default::default());
            for text in ["amended", "last", "put aside", "put aside later", "detached", "staged there", "staged"] {
                assert!(seen.iter().any(|seen| seen.ends_with(&format!(" a.txt: {text}"))), "{text}: {seen:?}");
            }
            for text in [format!("0 {blob}: tagged"), "0 b.txt: tagged in a folder".to_owned()] {
                assert!(seen.contains(&text), "{text}: {seen:?}");
            }
            assert_eq!(texts_of(&objects, &tips, &tips).0, [""; 0], "all is known");
            // The commits that were amended and put aside first, with what git makes for the latter.
            assert_eq!(beside.past.len(), 2, "{:?}", beside.past);
        }
    }
}
