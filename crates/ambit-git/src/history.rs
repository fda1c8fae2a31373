//! What a history holds: every commit once, parents before their children and else the oldest first, and of each the
//! files and lines of text that it brought.

use crate::served::Staged;
use crate::text::{BYTES_MAX, text};
use crate::{GitError, Objects};
use gix_hash::ObjectId;
use gix_object::{CommitRefIter, Kind, TagRef, TagRefIter, TreeRefIter};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// Commits of one history: the largest public ones have some millions.
const COMMITS_MAX: usize = 5_000_000;
/// How deep folders lie in folders.
pub(crate) const DEPTH_MAX: usize = 128;
/// Characters that are kept of the name of an author.
const AUTHOR_CHARS: usize = 200;

/// A commit or tag, as a finding names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub id: ObjectId,
    /// Name and address of its author.
    pub author: String,
    /// When it was made, in seconds since 1970.
    pub seconds: i64,
}

/// A text that a commit brought, or that no commit has which could be read.
#[derive(Debug)]
pub struct Piece<'a> {
    /// The first commit with it, or the tag whose message it is; `None` where the index alone names the file.
    pub commit: Option<&'a Commit>,
    /// Where the file lies; `None` for a message.
    pub path: Option<&'a str>,
    /// The name of the tag whose message it is.
    pub tag: Option<&'a str>,
    /// Its bytes, at most ten MiB of the file; of a text in UTF-16, that in UTF-8.
    pub text: &'a [u8],
    /// The file is longer than that.
    pub is_cut: bool,
}

/// What was walked over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// Commits that were looked at.
    pub commits: usize,
    /// Files that were looked at.
    pub files: usize,
    /// Parents of these commits that are not among the objects: where the walk ended.
    pub ends: BTreeSet<ObjectId>,
    /// Folders and files that were looked at, or that known commits have.
    pub seen: HashSet<ObjectId>,
    /// What is not among the objects.
    pub missing: Missing,
}

/// How much of a history is not among the objects: of a shallow or partial clone, or of one that is broken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Commits and tags that others lead to.
    pub commits: usize,
    /// Folders, of which nothing below them was seen either.
    pub folders: usize,
    /// Files.
    pub files: usize,
    /// The first of the files or folders, by its path, else of the commits, by its id.
    pub first: String,
}

impl Missing {
    /// Returns true where nothing is missing.
    pub fn is_none(&self) -> bool {
        self.commits + self.folders + self.files == 0
    }

    fn note(&mut self, path: &str) {
        if self.folders + self.files == 0 {
            path.clone_into(&mut self.first);
        }
    }
}

/// Shows every text of the history of `tips` that `known` commits do not have, each file once, to `see`. Objects that
/// are not there belong to a history that somebody has looked at before.
///
/// # Errors
/// An object is broken, or `stop` became true.
pub fn walk(
    objects: &Objects,
    tips: &[ObjectId],
    known: &[ObjectId],
    stop: &AtomicBool,
    see: &mut dyn FnMut(&Piece<'_>),
) -> Result<Walked, GitError> {
    let mut walk = Walk { objects, stop, walked: Walked::default(), tags: BTreeSet::new(), see };
    let commits = walk.commits(tips, &known.iter().copied().collect())?;
    for id in known {
        walk.mark(*id)?;
    }
    for id in commits {
        walk.commit(id)?;
    }
    for id in std::mem::take(&mut walk.tags) {
        walk.tag(id)?;
    }
    Ok(walk.walked)
}

/// Shows every file to `see` that an index names and no commit had among those that were walked over.
///
/// # Errors
/// An object is broken, or `stop` became true.
pub fn staged(
    objects: &Objects,
    files: &[Staged],
    walked: &Walked,
    stop: &AtomicBool,
    see: &mut dyn FnMut(&Piece<'_>),
) -> Result<(), GitError> {
    let mut buffer = Vec::new();
    for file in files.iter().filter(|file| !walked.seen.contains(&file.id)) {
        if stop.load(Ordering::Relaxed) {
            return Err(GitError::Stopped);
        }
        if let Some((Kind::Blob, bytes)) = objects.read(&file.id, &mut buffer)?
            && let Some(text) = text(bytes)
        {
            see(&Piece {
                commit: None,
                path: Some(&file.path),
                tag: None,
                text: &text,
                is_cut: bytes.len() > BYTES_MAX,
            });
        }
    }
    Ok(())
}

struct Walk<'a> {
    objects: &'a Objects,
    stop: &'a AtomicBool,
    walked: Walked,
    /// Tags with a message that were met.
    tags: BTreeSet<ObjectId>,
    see: &'a mut dyn FnMut(&Piece<'_>),
}

impl Walk<'_> {
    /// The commits that tips lead to and known ones do not, in the order in which they are looked at.
    fn commits(&mut self, tips: &[ObjectId], known: &HashSet<ObjectId>) -> Result<Vec<ObjectId>, GitError> {
        let (mut found, mut parents) = (Vec::new(), Vec::new());
        let mut reached: HashSet<ObjectId> = known.clone();
        let mut open: Vec<ObjectId> = tips.to_vec();
        let mut buffer = Vec::new();
        while let Some(id) = open.pop() {
            self.check()?;
            if known.contains(&id) {
                self.walked.ends.insert(id);
            }
            if !reached.insert(id) {
                continue;
            }
            match self.objects.read(&id, &mut buffer)? {
                Some((Kind::Commit, data)) => {
                    let commit = CommitRefIter::from_bytes(data, id.kind());
                    let seconds = commit.committer().map_or(0, |committer| committer.seconds());
                    for parent in commit.parent_ids() {
                        parents.push((parent, found.len()));
                        open.push(parent);
                    }
                    found.push((seconds, id));
                }
                Some((Kind::Tag, data)) => {
                    open.extend(TagRefIter::from_bytes(data, id.kind()).target_id().ok());
                    self.tags.insert(id);
                }
                Some(_) => {}
                None => {
                    if self.walked.missing.is_none() {
                        self.walked.missing.first = id.to_string();
                    }
                    self.walked.missing.commits += 1;
                    self.walked.ends.insert(id);
                }
            }
            if found.len() > COMMITS_MAX {
                return Err(GitError::Objects(format!("more than {COMMITS_MAX} commits")));
            }
        }
        Ok(in_order(&found, &parents))
    }

    /// Looks at what a commit brought: its message, and the files that no earlier one had.
    fn commit(&mut self, id: ObjectId) -> Result<(), GitError> {
        let mut buffer = Vec::new();
        let Some((Kind::Commit, data)) = self.objects.read(&id, &mut buffer)? else { return Ok(()) };
        let broken = |_| GitError::Objects(format!("the commit {id} cannot be read"));
        let mut read = CommitRefIter::from_bytes(data, id.kind());
        let message = read.message().map_err(broken)?;
        let author = read.author().map_err(broken)?;
        let commit = Commit { id, author: shown(&author.name, &author.email), seconds: author.seconds() };
        let tree = read.tree_id().map_err(broken)?;
        self.walked.commits += 1;
        (self.see)(&Piece { commit: Some(&commit), path: None, tag: None, text: message, is_cut: false });
        self.tree(tree, "", Some(&commit), DEPTH_MAX)
    }

    /// Looks at the message of a tag.
    fn tag(&mut self, id: ObjectId) -> Result<(), GitError> {
        self.check()?;
        let mut buffer = Vec::new();
        let Some((Kind::Tag, data)) = self.objects.read(&id, &mut buffer)? else { return Ok(()) };
        let read = TagRef::from_bytes(data, id.kind());
        let tag = read.map_err(|_| GitError::Objects(format!("the tag {id} cannot be read")))?;
        // Old ones name nobody.
        let tagger = tag.tagger().ok().flatten();
        let commit = Commit {
            id,
            author: tagger.as_ref().map(|tagger| shown(&tagger.name, &tagger.email)).unwrap_or_default(),
            seconds: tagger.map_or(0, |tagger| tagger.seconds()),
        };
        let name = tag.name.to_string();
        (self.see)(&Piece { commit: Some(&commit), path: None, tag: Some(&name), text: tag.message, is_cut: false });
        Ok(())
    }

    /// Marks all that a known commit has, so that nothing of it is looked at again.
    fn mark(&mut self, id: ObjectId) -> Result<(), GitError> {
        let mut buffer = Vec::new();
        let tree = match self.objects.read(&id, &mut buffer)? {
            Some((Kind::Commit, data)) => CommitRefIter::from_bytes(data, id.kind()).tree_id().ok(),
            _ => None,
        };
        tree.map_or(Ok(()), |tree| self.tree(tree, "", None, DEPTH_MAX))
    }

    /// Goes through a folder; without a commit everything in it is only marked.
    fn tree(&mut self, id: ObjectId, folder: &str, commit: Option<&Commit>, depth: usize) -> Result<(), GitError> {
        self.check()?;
        if depth == 0 || !self.walked.seen.insert(id) {
            return Ok(());
        }
        let mut buffer = Vec::new();
        let Some((Kind::Tree, data)) = self.objects.read(&id, &mut buffer)? else {
            if commit.is_some() {
                self.walked.missing.note(folder);
                self.walked.missing.folders += 1;
            }
            return Ok(());
        };
        for entry in TreeRefIter::from_bytes(data, id.kind()) {
            let entry = entry.map_err(|_| GitError::Objects(format!("the folder {id} cannot be read")))?;
            let path = || format!("{folder}{}", entry.filename);
            if entry.mode.is_tree() {
                self.tree(entry.oid.to_owned(), &format!("{}/", path()), commit, depth - 1)?;
            } else if entry.mode.is_blob()
                && self.walked.seen.insert(entry.oid.to_owned())
                && let Some(commit) = commit
            {
                self.file(entry.oid.to_owned(), &path(), commit)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, id: ObjectId, path: &str, commit: &Commit) -> Result<(), GitError> {
        let mut buffer = Vec::new();
        let Some((Kind::Blob, bytes)) = self.objects.read(&id, &mut buffer)? else {
            self.walked.missing.note(path);
            self.walked.missing.files += 1;
            return Ok(());
        };
        self.walked.files += 1;
        if let Some(text) = text(bytes) {
            let is_cut = bytes.len() > BYTES_MAX;
            (self.see)(&Piece { commit: Some(commit), path: Some(path), tag: None, text: &text, is_cut });
        }
        Ok(())
    }

    fn check(&self) -> Result<(), GitError> {
        if self.stop.load(Ordering::Relaxed) { Err(GitError::Stopped) } else { Ok(()) }
    }
}

/// An author as a finding names it.
fn shown(name: &dyn std::fmt::Display, address: &dyn std::fmt::Display) -> String {
    format!("{name} <{address}>").chars().take(AUTHOR_CHARS).collect()
}

/// Puts commits into an order in which each stands behind its parents, the oldest first where that leaves a choice:
/// what one brought must not pass for the work of another, though all were made within a second, or by clocks that
/// differ. `parents`: parents with the places of their children among the commits.
fn in_order(commits: &[(i64, ObjectId)], parents: &[(ObjectId, usize)]) -> Vec<ObjectId> {
    let places: HashMap<ObjectId, usize> = commits.iter().enumerate().map(|(at, (_, id))| (*id, at)).collect();
    let mut children: Vec<(usize, usize)> =
        parents.iter().filter_map(|(parent, child)| Some((*places.get(parent)?, *child))).collect();
    children.sort_unstable();
    let mut waits_for = vec![0_usize; commits.len()];
    children.iter().for_each(|(_, child)| waits_for[*child] += 1);
    let entry = |at: usize| Reverse((commits[at], at));
    let mut ready: BinaryHeap<_> = (0..commits.len()).filter(|at| waits_for[*at] == 0).map(entry).collect();
    let mut order = Vec::with_capacity(commits.len());
    while let Some(Reverse(((_, id), at))) = ready.pop() {
        order.push(id);
        let first = children.partition_point(|(parent, _)| *parent < at);
        for (_, child) in children[first..].iter().take_while(|(parent, _)| *parent == at) {
            waits_for[*child] -= 1;
            if waits_for[*child] == 0 {
                ready.push(entry(*child));
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Folder;
    use crate::testing::{commit, file_of, import, opened, texts};

    #[test]
    fn every_file_is_shown_once_with_the_commit_that_brought_it() {
        let folder = tempfile::tempdir().unwrap();
        import(
            folder.path(),
            &[
                commit("main", 100, "", &[("a.txt", "one"), ("deep/b.txt", "two")]),
                commit("main", 200, "", &[("a.txt", "three"), ("deep/copy.txt", "two"), ("x.bin", "\0\u{1}")]),
                commit("side", 300, "from refs/heads/main\n", &[("a.txt", "one"), ("c.txt", "four")]),
                "tag v1\nfrom refs/heads/side\ntagger A <a@acme.test> 400 +0000\ndata 2\nv1\n".to_owned(),
            ]
            .concat(),
        );
        let (seen, walked, tips) = texts(folder.path(), &[]);
        assert_eq!(
            seen,
            [
                "100 -: made at 100",
                "100 a.txt: one",
                "100 deep/b.txt: two",
                "200 -: made at 200",
                "200 a.txt: three",
                "300 -: made at 300",
                "300 c.txt: four",
                "400 v1: v1",
            ]
        );
        assert_eq!((walked.commits, walked.files, walked.ends.len()), (3, 5, 0));
        assert_eq!(texts(folder.path(), &tips).0, Vec::<String>::new(), "all is known");
        import(folder.path(), &commit("main", 500, "from refs/heads/main^0\n", &[("d.txt", "five")]));
        let (seen, walked, _) = texts(folder.path(), &tips);
        assert_eq!(seen, ["500 -: made at 500", "500 d.txt: five"], "only what is new is shown");
        assert!(tips.iter().any(|tip| walked.ends.contains(tip)));
    }

    #[test]
    fn what_a_commit_brought_is_its_own_whatever_the_clocks_said() {
        let folder = tempfile::tempdir().unwrap();
        let file = |number: usize| format!("{number}.txt");
        // Eight within one second, and one by a clock that was behind.
        let seconds = [100, 100, 100, 100, 100, 100, 100, 100, 50];
        let made = |(number, second): (usize, i64)| {
            commit("main", second, "", &[(&file(number), &format!("brought by {number}"))])
        };
        import(folder.path(), &(0..).zip(seconds).map(made).collect::<String>());
        let (seen, ..) = texts(folder.path(), &[]);
        let brought = |(number, second): (usize, i64)| {
            [format!("{second} -: made at {second}"), format!("{second} {}: brought by {number}", file(number))]
        };
        let expected: Vec<String> = (0..).zip(seconds).flat_map(brought).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_folder_without_a_repository_is_none_and_an_empty_one_has_no_tips() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Folder::open(folder.path()).is_err());
        import(folder.path(), "");
        assert_eq!(texts(folder.path(), &[]), (vec![], Walked::default(), vec![]));
    }

    #[test]
    fn objects_that_are_not_there_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        import(
            folder.path(),
            &[
                commit("main", 100, "", &[("a.txt", "one"), ("deep/b.txt", "two")]),
                commit("main", 200, "", &[("c.txt", "three"), ("d.txt", "four")]),
            ]
            .concat(),
        );
        assert!(texts(folder.path(), &[]).1.missing.is_none());
        let take_away = |name: &str| std::fs::remove_file(file_of(folder.path(), name)).unwrap();
        take_away("main:c.txt");
        take_away("main:d.txt");
        take_away("main:deep");
        let missing = texts(folder.path(), &[]).1.missing;
        assert_eq!(missing, Missing { commits: 0, folders: 1, files: 2, first: "deep/".to_owned() });
        take_away("main~1");
        let (seen, walked, _) = texts(folder.path(), &[]);
        assert_eq!((walked.missing.commits, walked.commits, walked.ends.len()), (1, 1, 1), "{seen:?}");
        assert_eq!(walked.missing.first, "c.txt");
    }

    #[test]
    fn a_walk_that_nobody_waits_for_ends() {
        let folder = tempfile::tempdir().unwrap();
        import(folder.path(), &commit("main", 100, "", &[("a.txt", "one")]));
        let (objects, tips) = opened(folder.path());
        let ended = walk(&objects, &tips, &[], &AtomicBool::new(true), &mut |_| panic!("nothing is shown"));
        assert!(matches!(ended, Err(GitError::Stopped)));
    }
}
