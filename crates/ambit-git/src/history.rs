//! What a history holds: every commit once, parents before their children and else the oldest first, and of each the
//! files and lines of text that it brought.

use crate::served::Staged;
use crate::text::{BYTES_MAX, text};
use crate::{GitError, OBJECT_BYTES_MAX, Objects, Result, Unread, Walked};
use gix_hash::ObjectId;
use gix_object::{CommitRefIter, Kind, TagRef, TagRefIter, TreeRefIter};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// Commits of one history: the largest public ones have some millions.
const COMMITS_MAX: usize = 5_000_000;
/// How deep folders lie in folders.
pub const DEPTH_MAX: usize = 128;
/// Bytes of the path of a file: no system writes longer ones.
pub(crate) const PATH_BYTES_MAX: usize = 4_096;
/// Characters that are kept of the name of an author.
const AUTHOR_CHARS: usize = 200;

/// A commit or tag, as a finding names it, or a folder or file to which a tag points: that has no author, and 0 for a
/// time.
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
    /// Where the file lies, its id where a tag points to it; `None` for a message.
    pub path: Option<&'a str>,
    /// The file; `None` for a message.
    pub file: Option<ObjectId>,
    /// The name of the tag whose message it is.
    pub tag: Option<&'a str>,
    /// Its bytes, at most ten MiB of the file; of a text in UTF-16, that in UTF-8.
    pub text: &'a [u8],
    /// The file is longer than that.
    pub is_cut: bool,
}

/// Shows every text of the history of `tips` that `known` commits do not have, each file once, to `see`. Objects that
/// are not there belong to a history that somebody has looked at before; those that cannot be read are counted.
///
/// # Errors
/// There are more commits than anybody has, or `stop` became true.
pub fn walk(
    objects: &Objects,
    tips: &[ObjectId],
    known: &[ObjectId],
    stop: &AtomicBool,
    see: &mut dyn FnMut(&Piece<'_>),
) -> Result<Walked> {
    let mut walk =
        Walk { objects, stop, walked: Walked::default(), held: 0, tags: BTreeSet::new(), alone: Vec::new(), see };
    let commits = walk.commits(tips, &known.iter().copied().collect())?;
    for id in known {
        walk.mark(*id)?;
    }
    for id in commits {
        walk.commit(id)?;
    }
    for (id, kind) in std::mem::take(&mut walk.alone) {
        walk.alone(id, kind)?;
    }
    for id in std::mem::take(&mut walk.tags) {
        walk.tag(id)?;
    }
    Ok(walk.walked)
}

/// Returns the commits and tags to which tips lead; `None` where some of them cannot be read.
///
/// # Errors
/// There are more commits than anybody has, or `stop` became true.
pub fn reached(objects: &Objects, tips: &[ObjectId], stop: &AtomicBool) -> Result<Option<HashSet<ObjectId>>> {
    let (tags, alone, see) = (BTreeSet::new(), Vec::new(), &mut |_: &Piece<'_>| {});
    let mut walk = Walk { objects, stop, walked: Walked::default(), held: 0, tags, alone, see };
    walk.commits(tips, &HashSet::new())?;
    let Walked { reached, missing, unread, .. } = walk.walked;
    Ok((missing.is_none() && unread == Unread::default()).then_some(reached))
}

/// Shows every file to `see` that an index names and no commit had among those that were walked over, where what cannot
/// be read is counted as well.
///
/// # Errors
/// `stop` became true.
pub fn staged(
    objects: &Objects,
    files: &[Staged],
    walked: &mut Walked,
    stop: &AtomicBool,
    see: &mut dyn FnMut(&Piece<'_>),
) -> Result<()> {
    let mut buffer = Vec::new();
    for file in files {
        if stop.load(Ordering::Relaxed) {
            return Err(GitError::Stopped);
        }
        if !walked.seen.insert(file.id) {
            continue;
        }
        match objects.read(&file.id, &mut buffer) {
            Ok(Some((Kind::Blob, bytes))) => {
                if let Some(text) = text(bytes) {
                    let is_cut = bytes.len() > BYTES_MAX;
                    see(&Piece {
                        commit: None,
                        path: Some(&file.path),
                        file: Some(file.id),
                        tag: None,
                        text: &text,
                        is_cut,
                    });
                }
            }
            // Where one is to be added later, git names an empty file that it does not write.
            Ok(_) if file.id.is_empty_blob() => {}
            Ok(_) => walked.missing.file(&file.path),
            Err(why) => walked.unread.of(why).file(&file.path),
        }
    }
    Ok(())
}

struct Walk<'a> {
    objects: &'a Objects,
    stop: &'a AtomicBool,
    walked: Walked,
    /// Bytes of the folders that are being gone through, one in the other.
    held: usize,
    /// Tags with a message that were met.
    tags: BTreeSet<ObjectId>,
    /// Folders and files to which a tag points, and no commit.
    alone: Vec<(ObjectId, Kind)>,
    see: &'a mut dyn FnMut(&Piece<'_>),
}

impl Walk<'_> {
    /// The commits that tips lead to and known ones do not, in the order in which they are looked at.
    fn commits(&mut self, tips: &[ObjectId], known: &HashSet<ObjectId>) -> Result<Vec<ObjectId>> {
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
            match self.objects.read(&id, &mut buffer) {
                Ok(Some((Kind::Commit, data))) => {
                    let commit = CommitRefIter::from_bytes(data, id.kind());
                    let seconds = commit.committer().map_or(0, |committer| committer.seconds());
                    for parent in commit.parent_ids() {
                        parents.push((parent, found.len()));
                        open.push(parent);
                    }
                    found.push((seconds, id));
                }
                Ok(Some((Kind::Tag, data))) => {
                    open.extend(TagRefIter::from_bytes(data, id.kind()).target_id().ok());
                    self.tags.insert(id);
                }
                Ok(Some((kind, _))) => self.alone.push((id, kind)),
                Ok(None) => {
                    self.walked.missing.commit(id);
                    self.walked.ends.insert(id);
                }
                Err(why) => self.walked.unread.of(why).commit(id),
            }
            if found.len() > COMMITS_MAX {
                return Err(GitError::Objects(format!("more than {COMMITS_MAX} commits")));
            }
        }
        self.walked.reached = reached;
        Ok(in_order(&found, &parents))
    }

    /// Looks at what a commit brought: its message, and the files that no earlier one had.
    fn commit(&mut self, id: ObjectId) -> Result<()> {
        let mut buffer = Vec::new();
        let Ok(Some((Kind::Commit, data))) = self.objects.read(&id, &mut buffer) else { return Ok(()) };
        let read = || CommitRefIter::from_bytes(data, id.kind());
        let (tree, author, message) = (read().tree_id(), read().author(), read().message());
        if tree.is_err() || author.is_err() || message.is_err() {
            self.walked.unread.broken.commit(id);
        }
        let author = author.ok();
        let commit = Commit {
            id,
            author: author.map(|author| shown(&author.name, &author.email)).unwrap_or_default(),
            seconds: author.map_or(0, |author| author.seconds()),
        };
        self.walked.commits += 1;
        if let Ok(message) = message {
            self.message(message, &commit, None);
        }
        tree.map_or(Ok(()), |tree| self.tree(tree, "", Some(&commit), DEPTH_MAX))
    }

    /// Looks at the message of a tag.
    fn tag(&mut self, id: ObjectId) -> Result<()> {
        self.check()?;
        let mut buffer = Vec::new();
        let Ok(Some((Kind::Tag, data))) = self.objects.read(&id, &mut buffer) else { return Ok(()) };
        let Ok(tag) = TagRef::from_bytes(data, id.kind()) else {
            self.walked.unread.broken.commit(id);
            return Ok(());
        };
        // Old ones name nobody.
        let tagger = tag.tagger().ok().flatten();
        let commit = Commit {
            id,
            author: tagger.as_ref().map(|tagger| shown(&tagger.name, &tagger.email)).unwrap_or_default(),
            seconds: tagger.map_or(0, |tagger| tagger.seconds()),
        };
        self.message(tag.message, &commit, Some(&tag.name.to_string()));
        Ok(())
    }

    fn message(&mut self, text: &[u8], commit: &Commit, tag: Option<&str>) {
        let is_cut = text.len() > BYTES_MAX;
        let text = &text[..text.len().min(BYTES_MAX)];
        (self.see)(&Piece { commit: Some(commit), path: None, file: None, tag, text, is_cut });
    }

    /// Marks all that a known commit has, so that nothing of it is looked at again.
    fn mark(&mut self, id: ObjectId) -> Result<()> {
        let mut buffer = Vec::new();
        let tree = match self.objects.read(&id, &mut buffer) {
            Ok(Some((Kind::Commit, data))) => CommitRefIter::from_bytes(data, id.kind()).tree_id().ok(),
            Ok(Some((Kind::Tree, _))) => Some(id),
            Ok(Some((Kind::Blob, _))) => {
                self.walked.seen.insert(id);
                None
            }
            _ => None,
        };
        tree.map_or(Ok(()), |tree| self.tree(tree, "", None, DEPTH_MAX))
    }

    /// Looks at a folder or file to which something points that is no commit. It stands under its own id.
    fn alone(&mut self, id: ObjectId, kind: Kind) -> Result<()> {
        let commit = Commit { id, author: String::new(), seconds: 0 };
        if kind == Kind::Tree {
            return self.tree(id, "", Some(&commit), DEPTH_MAX);
        }
        if self.walked.seen.insert(id) {
            self.file(id, &id.to_string(), &commit);
        }
        Ok(())
    }

    /// Goes through a folder; without a commit everything in it is only marked.
    fn tree(&mut self, id: ObjectId, folder: &str, commit: Option<&Commit>, depth: usize) -> Result<()> {
        self.check()?;
        if self.walked.seen.contains(&id) {
            return Ok(());
        }
        if depth == 0 || folder.len() > PATH_BYTES_MAX {
            if commit.is_some() {
                self.walked.unread.too_deep.folder(folder);
            }
            return Ok(());
        }
        // Not before: it may lie at a place above as well.
        self.walked.seen.insert(id);
        let mut buffer = Vec::new();
        let lack = match self.objects.read(&id, &mut buffer) {
            Ok(Some((Kind::Tree, _))) => None,
            Ok(_) => Some(&mut self.walked.missing),
            Err(why) => Some(self.walked.unread.of(why)),
        };
        if let Some(lack) = lack {
            if commit.is_some() {
                lack.folder(folder);
            }
            return Ok(());
        }
        // Of the folders around it all stay in memory, and what lies around an object told as a difference as well.
        buffer.shrink_to_fit();
        if self.held + buffer.len() > OBJECT_BYTES_MAX {
            if commit.is_some() {
                self.walked.unread.too_large.folder(folder);
            }
            return Ok(());
        }
        self.held += buffer.len();
        self.entries(&buffer, folder, commit, depth)?;
        self.held -= buffer.len();
        Ok(())
    }

    fn entries(&mut self, data: &[u8], folder: &str, commit: Option<&Commit>, depth: usize) -> Result<()> {
        for entry in TreeRefIter::from_bytes(data, self.objects.hash()) {
            let Ok(entry) = entry else {
                if commit.is_some() {
                    self.walked.unread.broken.folder(folder);
                }
                break;
            };
            let path = || format!("{folder}{}", entry.filename);
            if entry.mode.is_tree() {
                self.tree(entry.oid.to_owned(), &format!("{}/", path()), commit, depth - 1)?;
            } else if entry.mode.is_blob()
                && self.walked.seen.insert(entry.oid.to_owned())
                && let Some(commit) = commit
            {
                self.file(entry.oid.to_owned(), &path(), commit);
            }
        }
        Ok(())
    }

    fn file(&mut self, id: ObjectId, path: &str, commit: &Commit) {
        if path.len() > PATH_BYTES_MAX {
            return self.walked.unread.too_deep.file(path);
        }
        let mut buffer = Vec::new();
        let bytes = match self.objects.read(&id, &mut buffer) {
            Ok(Some((Kind::Blob, bytes))) => bytes,
            Ok(_) => return self.walked.missing.file(path),
            Err(why) => return self.walked.unread.of(why).file(path),
        };
        self.walked.files += 1;
        if let Some(text) = text(bytes) {
            let is_cut = bytes.len() > BYTES_MAX;
            (self.see)(&Piece {
                commit: Some(commit),
                path: Some(path),
                file: Some(id),
                tag: None,
                text: &text,
                is_cut,
            });
        }
    }

    fn check(&self) -> Result<()> {
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
    use crate::Missing;
    use crate::testing::{commit, file_of, git, import, opened, put, texts, texts_of};

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
    fn where_a_link_leads_is_no_text_and_its_name_is_no_files() {
        let folder = tempfile::tempdir().unwrap();
        let link = |path: &str, to: &str| format!("M 120000 inline {path}\ndata {}\n{to}\n", to.len());
        let links = [link("package-lock.json", "../../etc/passwd"), link("b.txt", "one"), link("deep", "elsewhere")];
        let second = commit("main", 200, "", &[("c.txt", "elsewhere")]) + &links.concat();
        import(folder.path(), &[commit("main", 100, "", &[("a.txt", "one"), ("deep/d.txt", "two")]), second].concat());
        let (seen, walked, tips) = texts(folder.path(), &[]);
        let wanted = [
            "100 -: made at 100",
            "100 a.txt: one",
            "100 deep/d.txt: two",
            "200 -: made at 200",
            "200 c.txt: elsewhere",
        ];
        assert_eq!((seen, walked.files), (wanted.map(str::to_owned).to_vec(), 3));
        let objects = opened(folder.path()).0;
        let standing = crate::standing(&objects, &tips, &[], &|_| true, &AtomicBool::new(false)).unwrap();
        assert_eq!(standing.files.into_keys().collect::<Vec<_>>(), ["a.txt", "c.txt"]);
        std::fs::remove_file(file_of(folder.path(), "main:package-lock.json")).unwrap();
        assert!(texts(folder.path(), &[]).1.missing.is_none(), "nobody misses where it leads");
    }

    #[test]
    fn commits_to_which_tips_lead_are_told_and_none_where_some_are_missing() {
        let folder = tempfile::tempdir().unwrap();
        let side = "from refs/heads/main\n";
        let commits =
            [commit("main", 100, "", &[("a", "1")]), commit("main", 200, "", &[]), commit("side", 300, side, &[])];
        import(folder.path(), &commits.concat());
        let id = |name: &str| ObjectId::from_hex(git(folder.path(), &["rev-parse", name], b"").as_bytes()).unwrap();
        let reached = |tip: ObjectId| reached(&opened(folder.path()).0, &[tip], &AtomicBool::new(false)).unwrap();
        assert_eq!(reached(id("main")), Some(HashSet::from([id("main"), id("main~1")])));
        let lost = git(folder.path(), &["rev-parse", "main:"], b"");
        let lost =
            format!("tree {lost}\nparent {}\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nx", "1".repeat(40));
        assert_eq!(reached(put(folder.path(), "commit", lost.as_bytes())), None);
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
    fn what_cannot_be_read_is_counted_and_the_rest_is_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let files = [("a.txt", "one"), ("b.txt", "two"), ("c/d.txt", "three")];
        import(folder.path(), &[commit("main", 100, "", &files), commit("old", 50, "", &[("e.txt", "e")])].concat());
        let write = |name: &str, bytes: &[u8]| {
            let file = file_of(folder.path(), name);
            std::fs::remove_file(&file).unwrap();
            std::fs::write(file, bytes).unwrap();
        };
        write("main:a.txt", b"no object");
        write("main:c", b"");
        write("old", b"no object");
        let garbage = put(folder.path(), "commit", b"no commit");
        let tree = git(folder.path(), &["rev-parse", "main^{tree}"], b"");
        let nobody = put(folder.path(), "commit", format!("tree {tree}\n\nby nobody").as_bytes());
        let tag = put(folder.path(), "tag", b"no tag");
        let folders = put(folder.path(), "tree", b"100644 f.txt");
        let commit = put(
            folder.path(),
            "commit",
            format!("tree {folders}\nauthor A <a> 200 +0000\ncommitter A <a> 200 +0000\n\nx").as_bytes(),
        );
        for (name, id) in [("garbage", garbage), ("nobody", nobody), ("tag", tag), ("folder", commit)] {
            std::fs::write(folder.path().join("refs/heads").join(name), id.to_string()).unwrap();
        }
        let (seen, walked, tips) = texts(folder.path(), &[]);
        assert!(seen.contains(&"100 -: made at 100".to_owned()), "{seen:?}");
        assert!(seen.iter().any(|text| text.ends_with(" b.txt: two")), "{seen:?}");
        assert_eq!(walked.missing, Missing::default());
        let broken = Missing { commits: 4, folders: 2, files: 1, first: "a.txt".to_owned() };
        assert_eq!((walked.unread.broken, walked.unread.too_large), (broken, Missing::default()));
        assert!(texts(folder.path(), &tips).0.is_empty());
    }

    #[test]
    fn what_lies_too_deep_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = |depth: usize| format!("{}x.txt", "a/".repeat(depth));
        let long = format!("{}.txt", "l".repeat(PATH_BYTES_MAX));
        let files =
            [(path(DEPTH_MAX - 1), "deep"), (format!("b/{}", path(DEPTH_MAX)), "too deep"), (long, "a long name")];
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        import(folder.path(), &commit("main", 100, "", &files));
        let (seen, walked, _) = texts(folder.path(), &[]);
        assert!(seen.iter().any(|text| text.ends_with(": deep")));
        let too_deep = walked.unread.too_deep;
        assert_eq!((seen.len(), too_deep.folders, too_deep.files), (2, 1, 1), "{seen:?}");
        assert!(too_deep.first.starts_with("b/a/a/"), "{}", too_deep.first);
    }

    #[test]
    fn what_fills_the_memory_is_counted_and_not_read() {
        const LIMIT: usize = 1_024 * 1_024;
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "-q", "--bare", "."], b"");
        let large = put(folder.path(), "blob", &vec![0; 2 * LIMIT]);
        let small = put(folder.path(), "blob", b"small");
        // Each can be read alone, and none as a difference to the other, as which git packs one of them.
        let half = vec![0; LIMIT / 2 + 1];
        let other = put(folder.path(), "blob", &[&half[..], b"x"].concat());
        let half = put(folder.path(), "blob", &half);
        let entries = format!(
            "100644 blob {half}\thalf.bin\n100644 blob {large}\tlarge.bin\n100644 blob {other}\tother.bin\n100644 \
             blob {small}\tsmall.txt\n"
        );
        let tree = git(folder.path(), &["mktree"], entries.as_bytes());
        let commit = git(folder.path(), &["commit-tree", "-m", "x", &tree], b"");
        git(folder.path(), &["update-ref", "refs/heads/main", &commit], b"");
        for is_packed in [false, true] {
            if is_packed {
                git(folder.path(), &["repack", "-adq"], b"");
            }
            let objects = Objects::within(&folder.path().join("objects"), LIMIT);
            let (seen, walked) = texts_of(&objects, &opened(folder.path()).1, &[]);
            assert_eq!(seen.last().unwrap(), "100 small.txt: small", "{is_packed}");
            let too_large = walked.unread.too_large;
            assert_eq!((too_large.files, walked.files), if is_packed { (2, 2) } else { (1, 3) }, "{}", too_large.first);
            assert_eq!(walked.unread.broken, Missing::default());
        }
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
