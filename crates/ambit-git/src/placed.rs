//! The paths of files in the tree of one commit, by their ids: whether a text from the history is still there.

use crate::history::{DEPTH_MAX, PATH_BYTES_MAX};
use crate::standing::{FOLDERS_MAX, PATHS_BYTES_MAX, Tip, tree};
use crate::{GitError, Objects, Result};
use gix_hash::ObjectId;
use gix_object::{Kind, TreeRefIter};
use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// Where files stand at a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placed {
    /// The first path of each that is there.
    pub paths: BTreeMap<ObjectId, String>,
    /// All folders were gone through: what is not among the paths is not there.
    pub is_whole: bool,
}

/// Returns where files stand in the tree of a commit, or of the one to which a tag leads.
///
/// # Errors
/// `stop` became true.
pub fn placed(objects: &Objects, tip: ObjectId, files: &HashSet<ObjectId>, stop: &AtomicBool) -> Result<Placed> {
    let mut placed = Placed { paths: BTreeMap::new(), is_whole: true };
    if files.is_empty() {
        return Ok(placed);
    }
    let Tip::Tree(_, root) = tree(objects, tip) else { return Ok(Placed::default()) };
    // A folder that lies at several places holds the same files at each.
    let mut seen = HashSet::from([root]);
    let mut open = vec![(root, String::new(), DEPTH_MAX)];
    let (mut bytes_left, mut buffer) = (PATHS_BYTES_MAX, Vec::new());
    while let Some((id, folder, depth)) = open.pop() {
        if stop.load(Ordering::Relaxed) {
            return Err(GitError::Stopped);
        }
        // The path of a folder is kept until it is gone through; it has a slash more than was counted.
        bytes_left += folder.len().saturating_sub(1);
        let data = match objects.read(&id, &mut buffer) {
            Ok(Some((Kind::Tree, data))) if depth > 0 => data,
            _ => {
                placed.is_whole = false;
                continue;
            }
        };
        for entry in TreeRefIter::from_bytes(data, id.kind()) {
            let Ok(entry) = entry else {
                placed.is_whole = false;
                break;
            };
            let file = entry.oid.to_owned();
            let is_wanted = match entry.mode.is_tree() {
                true => !seen.contains(&file),
                false => entry.mode.is_blob_or_symlink() && files.contains(&file),
            };
            if !is_wanted {
                continue;
            }
            let path = format!("{folder}{}", entry.filename);
            let left = bytes_left.checked_sub(path.len()).filter(|_| path.len() <= PATH_BYTES_MAX);
            let Some(left) = left.filter(|_| seen.len() < FOLDERS_MAX) else {
                placed.is_whole = false;
                continue;
            };
            bytes_left = left;
            if entry.mode.is_tree() {
                seen.insert(file);
                open.push((file, format!("{path}/"), depth - 1));
            } else {
                let first = placed.paths.entry(file).or_insert_with(|| path.clone());
                if path < *first {
                    *first = path;
                }
            }
        }
    }
    Ok(placed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{bomb, commit, git, import, opened};

    static NEVER: AtomicBool = AtomicBool::new(false);

    /// Where the files stand that these names lead to, at a commit.
    fn places(folder: &std::path::Path, tip: &str, files: &[&str]) -> (Vec<String>, bool) {
        let id = |name: &str| ObjectId::from_hex(git(folder, &["rev-parse", name], b"").as_bytes()).unwrap();
        let files = files.iter().map(|name| id(name)).collect();
        let placed = placed(&opened(folder).0, id(tip), &files, &NEVER).unwrap();
        (placed.paths.into_values().collect(), placed.is_whole)
    }

    #[test]
    fn a_file_stands_where_a_tree_has_it_and_nowhere_once_it_was_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let first = commit("main", 100, "", &[("b/key", "secret"), ("a.txt", "one")]);
        let moved = "M 100644 inline a/deep/key\ndata 6\nsecret\nD b/key\n";
        import(folder.path(), &[first, commit("main", 200, "", &[]), moved.to_owned()].concat());
        let at = |tip: &str| places(folder.path(), tip, &["main:a/deep/key"]);
        assert_eq!(at("main~1"), (vec!["b/key".to_owned()], true));
        assert_eq!(at("main"), (vec!["a/deep/key".to_owned()], true));
        let tagged = git(folder.path(), &["tag", "-m", "x", "v1", "main~1"], b"");
        assert_eq!((tagged.as_str(), at("v1")), ("", (vec!["b/key".to_owned()], true)), "by a tag");
        assert_eq!(places(folder.path(), "main", &["main~1:b"]), (vec![], true), "a folder is no file");
        let entry = format!("040000 tree {}\tgone\n", "1".repeat(40));
        let tree = git(folder.path(), &["mktree", "--missing"], entry.as_bytes());
        let commit = git(folder.path(), &["commit-tree", "-m", "x", &tree], b"");
        assert_eq!(at(&commit), (vec![], false), "what stands in a folder that is not there, nobody knows");
    }

    #[test]
    fn folders_that_name_one_another_are_gone_through_once() {
        let folder = tempfile::tempdir().unwrap();
        bomb(folder.path(), 60);
        let (paths, is_whole) = places(folder.path(), "main", &["main"]);
        assert_eq!((paths.len(), is_whole), (0, true));
    }
}
