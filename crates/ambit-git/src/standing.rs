//! What stands in the trees of the tips today: of each path the file of the newest tip that has it, whichever commit
//! brought it. The walk over a history shows each file once, so that it cannot tell what was moved, copied or brought
//! back.

use crate::history::DEPTH_MAX;
use crate::served::Staged;
use crate::text::text;
use crate::{GitError, Objects};
use gix_hash::ObjectId;
use gix_object::{CommitRefIter, Kind, TagRefIter, TreeRefIter};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::atomic::{AtomicBool, Ordering};

/// How many tags lead to one another.
const TAGS_MAX: usize = 16;

/// Where files stand.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The files that are wanted, by path.
    pub files: BTreeMap<String, ObjectId>,
    /// Folders that are not among the objects, each with a slash behind it; an empty one stands for all of a tip.
    pub missing: BTreeSet<String>,
}

/// Returns where the wanted files stand at the tips. What an index names stands before them, where it is there.
///
/// # Errors
/// An object is broken, or `stop` became true.
pub fn standing(
    objects: &Objects,
    tips: &[ObjectId],
    staged: &[Staged],
    is_wanted: &dyn Fn(&str) -> bool,
    stop: &AtomicBool,
) -> Result<Standing, GitError> {
    let mut trees = Vec::new();
    let mut search = Search { objects, is_wanted, stop, seen: HashSet::new(), found: Standing::default() };
    for tip in tips {
        match tree(objects, *tip)? {
            Tip::Tree(seconds, id) => trees.push((Reverse(seconds), id)),
            Tip::Other => {}
            Tip::Missing => drop(search.found.missing.insert(String::new())),
        }
    }
    trees.sort_unstable();
    for (_, id) in trees {
        search.folder(id, "", DEPTH_MAX)?;
    }
    let mut standing = search.found;
    for file in staged.iter().filter(|file| is_wanted(&file.path)) {
        if objects.has(&file.id) || !standing.files.contains_key(&file.path) {
            standing.files.insert(file.path.clone(), file.id);
        }
    }
    Ok(standing)
}

/// Returns what is looked at of a file, which is nothing where it is no text; `None` where it is not there.
///
/// # Errors
/// The object is broken.
pub fn file(objects: &Objects, id: &ObjectId) -> Result<Option<Vec<u8>>, GitError> {
    let mut buffer = Vec::new();
    let found = objects.read(id, &mut buffer)?;
    Ok(found.map(|(_, bytes)| text(bytes).unwrap_or_default().into_owned()))
}

/// What a tip leads to.
enum Tip {
    /// The tree of a commit of a moment, in seconds since 1970.
    Tree(i64, ObjectId),
    /// No commit.
    Other,
    /// An object that is not there.
    Missing,
}

fn tree(objects: &Objects, tip: ObjectId) -> Result<Tip, GitError> {
    let (mut at, mut buffer) = (tip, Vec::new());
    for _ in 0..TAGS_MAX {
        let broken = |_| GitError::Objects(format!("{at} cannot be read"));
        match objects.read(&at, &mut buffer)? {
            None => return Ok(Tip::Missing),
            Some((Kind::Tag, data)) => at = TagRefIter::from_bytes(data, at.kind()).target_id().map_err(broken)?,
            Some((Kind::Commit, data)) => {
                let commit = CommitRefIter::from_bytes(data, at.kind());
                let seconds = commit.committer().map_or(0, |committer| committer.seconds());
                let tree = CommitRefIter::from_bytes(data, at.kind()).tree_id().map_err(broken)?;
                return Ok(Tip::Tree(seconds, tree));
            }
            Some((Kind::Tree | Kind::Blob, _)) => break,
        }
    }
    Ok(Tip::Other)
}

struct Search<'a> {
    objects: &'a Objects,
    is_wanted: &'a dyn Fn(&str) -> bool,
    stop: &'a AtomicBool,
    /// Folders that a newer tip has as well at the same place, by the hash of their path.
    seen: HashSet<(u64, ObjectId)>,
    found: Standing,
}

impl Search<'_> {
    /// Goes through a folder, whose path is empty or ends in a slash.
    fn folder(&mut self, id: ObjectId, path: &str, depth: usize) -> Result<(), GitError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(GitError::Stopped);
        }
        let place = BuildHasherDefault::<DefaultHasher>::default().hash_one(path);
        if depth == 0 || !self.seen.insert((place, id)) {
            return Ok(());
        }
        let mut buffer = Vec::new();
        let Some((Kind::Tree, data)) = self.objects.read(&id, &mut buffer)? else {
            self.found.missing.insert(path.to_owned());
            return Ok(());
        };
        for entry in TreeRefIter::from_bytes(data, id.kind()) {
            let entry = entry.map_err(|_| GitError::Objects(format!("the folder {id} cannot be read")))?;
            let path = format!("{path}{}", entry.filename);
            if entry.mode.is_tree() {
                self.folder(entry.oid.to_owned(), &format!("{path}/"), depth - 1)?;
            } else if entry.mode.is_blob() && (self.is_wanted)(&path) {
                self.found.files.entry(path).or_insert_with(|| entry.oid.to_owned());
            }
        }
        Ok(())
    }
}
