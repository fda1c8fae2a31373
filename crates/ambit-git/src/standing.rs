//! What stands in the trees of the tips today: of each path the file of the newest tip that has it, whichever commit
//! brought it. The walk over a history shows each file once, so that it cannot tell what was moved, copied or brought
//! back.

use crate::history::{DEPTH_MAX, PATH_BYTES_MAX};
use crate::served::Staged;
use crate::text::text;
use crate::{GitError, OBJECT_BYTES_MAX, Objects, Result};
use gix_hash::ObjectId;
use gix_object::{CommitRefIter, Kind, TagRefIter, TreeRefIter};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How many tags lead to one another.
const TAGS_MAX: usize = 16;
/// Folders at the tips that are gone through, and what lies in them. Folders that name one another are few objects and
/// endless places. The kernel of Linux with its thousand tags has about a million places.
pub const FOLDERS_MAX: usize = 1_000_000;
const ENTRIES_MAX: usize = 20_000_000;
/// Bytes of folders that are kept for the next place where they lie.
const KEPT_BYTES_MAX: usize = 16 * 1_024 * 1_024;
/// Bytes of the paths that are kept.
pub(crate) const PATHS_BYTES_MAX: usize = 64 * 1_024 * 1_024;

/// Where files stand.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The files that are wanted, by path.
    pub files: BTreeMap<String, ObjectId>,
    /// Folders that are not among the objects or cannot be read, each with a slash behind it; an empty one stands for
    /// all of a tip.
    pub missing: BTreeSet<String>,
    /// Where other repositories stand, of which a tip has only a commit's id.
    pub submodules: BTreeSet<String>,
    /// There are more folders than are gone through; those of the newest tips were.
    pub is_cut: bool,
}

/// Returns the paths of the wanted files at the tips. Files that an index names come before them.
///
/// # Errors
/// `stop` became true.
pub fn standing(
    objects: &Objects,
    tips: &[ObjectId],
    staged: &[Staged],
    is_wanted: &dyn Fn(&str) -> bool,
    stop: &AtomicBool,
) -> Result<Standing> {
    let mut search = Search::new(objects, is_wanted, stop);
    search.tips(tips)?;
    let mut standing = search.found;
    for file in staged.iter().filter(|file| is_wanted(&file.path)) {
        if objects.has(&file.id) || !standing.files.contains_key(&file.path) {
            standing.files.insert(file.path.clone(), file.id);
        }
    }
    Ok(standing)
}

/// Returns what is looked at of a file, which is nothing where it is no text; `None` where it is not there or cannot be
/// read.
pub fn file(objects: &Objects, id: &ObjectId) -> Option<Vec<u8>> {
    let mut buffer = Vec::new();
    let (_, bytes) = objects.read(id, &mut buffer).ok().flatten()?;
    Some(text(bytes).unwrap_or_default().into_owned())
}

/// The target of a tip.
pub(crate) enum Tip {
    /// The tree of a commit of a moment, in seconds since 1970.
    Tree(i64, ObjectId),
    /// No commit.
    Other,
    /// An object that is not there, or cannot be read.
    Missing,
}

pub(crate) fn tree(objects: &Objects, tip: ObjectId) -> Tip {
    let (mut at, mut buffer) = (tip, Vec::new());
    for _ in 0..TAGS_MAX {
        let Ok(Some((kind, data))) = objects.read(&at, &mut buffer) else { return Tip::Missing };
        match kind {
            Kind::Tag => match TagRefIter::from_bytes(data, at.kind()).target_id() {
                Ok(target) => at = target,
                Err(_) => return Tip::Missing,
            },
            Kind::Commit => {
                let commit = CommitRefIter::from_bytes(data, at.kind());
                let seconds = commit.committer().map_or(0, |committer| committer.seconds());
                let tree = CommitRefIter::from_bytes(data, at.kind()).tree_id();
                return tree.map_or(Tip::Missing, |tree| Tip::Tree(seconds, tree));
            }
            Kind::Tree | Kind::Blob => break,
        }
    }
    Tip::Other
}

struct Search<'a> {
    objects: &'a Objects,
    is_wanted: &'a dyn Fn(&str) -> bool,
    stop: &'a AtomicBool,
    /// Folders that a newer tip has as well at the same place, by the hash of their path.
    seen: HashSet<(u64, ObjectId)>,
    left: Left,
    /// Folders that were read last, and how many bytes those are.
    kept: HashMap<ObjectId, Rc<[u8]>>,
    kept_bytes: usize,
    found: Standing,
}

/// How much more is gone through and kept.
struct Left {
    folders: usize,
    entries: usize,
    path_bytes: usize,
    /// Bytes of the folders that are being gone through, one in the other.
    bytes: usize,
}

impl Default for Left {
    fn default() -> Self {
        Self { folders: FOLDERS_MAX, entries: ENTRIES_MAX, path_bytes: PATHS_BYTES_MAX, bytes: OBJECT_BYTES_MAX }
    }
}

impl<'a> Search<'a> {
    /// Nothing yet.
    fn new(objects: &'a Objects, is_wanted: &'a dyn Fn(&str) -> bool, stop: &'a AtomicBool) -> Self {
        let (seen, kept, found) = (HashSet::new(), HashMap::new(), Standing::default());
        Self { objects, is_wanted, stop, seen, left: Left::default(), kept, kept_bytes: 0, found }
    }

    /// Goes through the trees of the tips, the newest first.
    fn tips(&mut self, tips: &[ObjectId]) -> Result<()> {
        let mut trees = Vec::new();
        for tip in tips {
            match tree(self.objects, *tip) {
                Tip::Tree(seconds, id) => trees.push((Reverse(seconds), id)),
                Tip::Other => {}
                Tip::Missing => self.miss(""),
            }
        }
        trees.sort_unstable();
        trees.into_iter().try_for_each(|(_, id)| self.folder(id, "", DEPTH_MAX))
    }

    /// Goes through a folder, whose path is empty or ends in a slash.
    fn folder(&mut self, id: ObjectId, path: &str, depth: usize) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(GitError::Stopped);
        }
        let place = BuildHasherDefault::<DefaultHasher>::default().hash_one(path);
        // Of what lies too deep the walk over the history says so, and nothing was ever known of it.
        let is_too_deep = depth == 0 || path.len() > PATH_BYTES_MAX;
        if is_too_deep || self.found.is_cut || !self.seen.insert((place, id)) {
            return Ok(());
        }
        self.found.is_cut = !take(&mut self.left.folders, 1);
        let read = self.read(id).filter(|data| take(&mut self.left.bytes, data.len()));
        let Some(data) = read else {
            self.miss(path);
            return Ok(());
        };
        self.entries(&data, path, depth)?;
        self.left.bytes += data.len();
        Ok(())
    }

    /// Reads a folder; `None` where it is not there, or cannot be read.
    fn read(&mut self, id: ObjectId) -> Option<Rc<[u8]>> {
        if let Some(data) = self.kept.get(&id) {
            return Some(data.clone());
        }
        let mut buffer = Vec::new();
        let Ok(Some((Kind::Tree, data))) = self.objects.read(&id, &mut buffer) else { return None };
        let data: Rc<[u8]> = data.into();
        if self.kept_bytes + data.len() > KEPT_BYTES_MAX {
            self.kept.clear();
            self.kept_bytes = 0;
        }
        if data.len() <= KEPT_BYTES_MAX {
            self.kept_bytes += data.len();
            self.kept.insert(id, data.clone());
        }
        Some(data)
    }

    fn entries(&mut self, data: &[u8], path: &str, depth: usize) -> Result<()> {
        for entry in TreeRefIter::from_bytes(data, self.objects.hash()) {
            let Ok(entry) = entry else {
                self.miss(path);
                break;
            };
            self.found.is_cut |= !take(&mut self.left.entries, 1);
            if self.found.is_cut {
                break;
            }
            let path = format!("{path}{}", entry.filename);
            if entry.mode.is_tree() {
                self.folder(entry.oid.to_owned(), &format!("{path}/"), depth - 1)?;
            } else if entry.mode.is_blob() && (self.is_wanted)(&path) {
                self.keep(path, entry.oid.to_owned());
            } else if entry.mode.is_commit() && !self.found.submodules.contains(&path) {
                self.found.is_cut |= !take(&mut self.left.path_bytes, path.len());
                self.found.submodules.insert(path);
            }
        }
        Ok(())
    }

    fn keep(&mut self, path: String, id: ObjectId) {
        if self.found.files.contains_key(&path) {
            return;
        }
        if take(&mut self.left.path_bytes, path.len()) {
            self.found.files.insert(path, id);
        } else {
            self.found.is_cut = true;
        }
    }

    fn miss(&mut self, path: &str) {
        if take(&mut self.left.path_bytes, path.len()) {
            self.found.missing.insert(path.to_owned());
        } else {
            self.found.is_cut = true;
        }
    }
}

/// Takes as much away, where there is as much.
fn take(left: &mut usize, count: usize) -> bool {
    match left.checked_sub(count) {
        Some(rest) => *left = rest,
        None => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{bomb, commit, import, opened};

    static NEVER: AtomicBool = AtomicBool::new(false);

    /// Returns what stands at the tips where no more than so much is gone through.
    fn stands(folder: &std::path::Path, left: Left) -> Standing {
        let (objects, tips) = opened(folder);
        let is_wanted = |path: &str| path.ends_with("lock");
        let mut search = Search { left, ..Search::new(&objects, &is_wanted, &NEVER) };
        search.tips(&tips).unwrap();
        search.found
    }

    #[test]
    fn folders_that_name_one_another_are_given_up_and_the_newest_tips_come_first() {
        let folder = tempfile::tempdir().unwrap();
        bomb(folder.path(), 10);
        let few = || Left { folders: 1_000, ..Left::default() };
        assert!(stands(folder.path(), few()).is_cut);
        assert!(stands(folder.path(), Left { entries: 1_000, ..Left::default() }).is_cut);
        // Newer than the other, and read in full.
        import(folder.path(), &commit("side", 200, "", &[("a/one.lock", "1"), ("b/two.lock", "2")]));
        let standing = stands(folder.path(), few());
        assert_eq!((standing.is_cut, standing.files.len()), (true, 2));
        let standing = stands(folder.path(), Left { path_bytes: 12, ..few() });
        assert_eq!((standing.is_cut, standing.files.len()), (true, 1));
    }

    #[test]
    fn a_submodule_stands_at_its_path_however_many_tips_have_it() {
        let folder = tempfile::tempdir().unwrap();
        let module = format!("M 160000 {} libs/shop\n", "1".repeat(40));
        let one = commit("main", 200, "", &[("a/one.lock", "1")]) + &module;
        import(folder.path(), &(one + &commit("side", 300, "", &[("a/two.lock", "2")]) + &module));
        let (objects, tips) = opened(folder.path());
        let standing = standing(&objects, &tips, &[], &|path| path.ends_with("lock"), &NEVER).unwrap();
        assert_eq!(standing.submodules.into_iter().collect::<Vec<_>>(), ["libs/shop"]);
        assert_eq!((standing.is_cut, standing.files.len(), standing.missing.len()), (false, 2, 0));
    }

    #[test]
    fn a_history_without_so_many_folders_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        import(folder.path(), &commit("main", 200, "", &[("a/one.lock", "1"), ("b/two.lock", "2")]));
        let (objects, tips) = opened(folder.path());
        let standing = standing(&objects, &tips, &[], &|path| path.ends_with("lock"), &NEVER).unwrap();
        assert_eq!((standing.is_cut, standing.files.len()), (false, 2));
    }
}
