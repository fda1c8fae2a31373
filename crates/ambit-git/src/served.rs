//! A repository whose files a server hands out one by one: what the files beside its objects say (gitrepository-layout,
//! gitformat-index), and which objects follow from those that are there. Asks nobody itself. What comes is a
//! stranger's: a name is believed where a path can be made of it, an index where its hash is right.

use crate::{GitError, Objects, Ref, Result, folder};
use gix_hash::{Kind as HashKind, ObjectId};
use gix_object::{CommitRefIter, Kind, TagRefIter, TreeRefIter};
use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// Letters of the name of a branch that is asked for.
const REF_CHARS_MAX: usize = 200;
/// Branches and tags of a list that are read.
const REFS_MAX: usize = 20_000;
/// Lines of a log that are read, the newest.
const LOG_LINES_MAX: usize = 2_000;
/// Files of an index that are read: the largest public trees have some hundred thousand.
const STAGED_MAX: usize = 200_000;
/// Packs of one repository that are asked for.
const PACKS_MAX: usize = 50;
/// Objects of one history that are gone through.
const OBJECTS_MAX: usize = 1_000_000;

/// What HEAD, a branch or a tag points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An object.
    Id(ObjectId),
    /// What this one points to: `refs/heads/main`.
    Name(String),
}

/// Reads the file of HEAD, a branch or a tag; `None` where it is none.
pub fn target(text: &str) -> Option<Target> {
    let text = text.trim();
    match text.strip_prefix("ref:") {
        Some(name) => Some(name.trim()).filter(|name| is_ref(name)).map(|name| Target::Name(name.to_owned())),
        None => any_id(text).map(Target::Id),
    }
}

/// Returns true for the name of a branch or tag of which a path can be made that leads nowhere else.
pub fn is_ref(name: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-' | b'+' | b'@');
    let is_part = |part: &str| !part.is_empty() && !part.starts_with('.');
    name.starts_with("refs/")
        && name.len() <= REF_CHARS_MAX
        && name.bytes().all(good)
        && !name.contains("..")
        && name.split('/').all(is_part)
}

/// Reads a list of branches and tags, as `packed-refs` and `info/refs` are.
pub fn listed(text: &str) -> Vec<Ref> {
    let lines = text.lines().filter(|line| !line.starts_with(['#', '^']));
    let read = lines.filter_map(|line| {
        let (hash, name) = line.split_once([' ', '\t'])?;
        Some(Ref { name: name.trim().to_owned(), id: any_id(hash)? })
    });
    read.take(REFS_MAX).collect()
}

/// Returns the objects to which a log says that something pointed once, `logs/HEAD` among them.
pub fn logged(text: &str) -> BTreeSet<ObjectId> {
    let lines = text.lines().rev().take(LOG_LINES_MAX);
    lines.flat_map(|line| line.splitn(3, ' ').take(2).filter_map(any_id)).collect()
}

/// The objects that a line of a log names: what something pointed to before, and since.
pub(crate) fn of_log(line: &str, hash: HashKind) -> impl Iterator<Item = ObjectId> {
    line.splitn(3, ' ').take(2).filter_map(move |text| id_of(text, hash))
}

/// The id of an object, whatever hash names it; none is that of nothing, which is all zeros.
fn any_id(text: &str) -> Option<ObjectId> {
    ObjectId::from_hex(text.as_bytes()).ok().filter(|id| !id.is_null())
}

/// The same where one hash names all.
pub(crate) fn id_of(text: &str, hash: HashKind) -> Option<ObjectId> {
    any_id(text).filter(|id| id.kind() == hash)
}

/// What the settings of a repository name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Where it was cloned from and is pushed to.
    pub remotes: Vec<String>,
    /// Its branches, as the names of references.
    pub branches: Vec<String>,
}

/// Returns what is in a form that is not read, by the settings of a repository.
pub fn foreign_form(settings: &str) -> Option<String> {
    folder::foreign_form(settings)
}

/// Returns by what the objects of a repository are named, by its settings.
pub fn hash_of(settings: &str) -> HashKind {
    folder::hash_of(settings)
}

/// Reads the settings of a repository; `None` where the text has none.
pub fn config(text: &str) -> Option<Config> {
    let mut config = Config::default();
    let mut section = "";
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
            let branch = line.strip_prefix("[branch \"").and_then(|rest| rest.strip_suffix("\"]"));
            let name = branch.map(|branch| format!("refs/heads/{branch}"));
            config.branches.extend(name.filter(|name| is_ref(name)));
        } else if let Some((key, value)) = line.split_once('=')
            && section.starts_with("[remote ")
            && matches!(key.trim(), "url" | "pushurl")
        {
            config.remotes.push(value.trim().trim_matches('"').to_owned());
        }
    }
    text.contains("[core]").then_some(config)
}

/// Returns the packs that a text names: a list of them, or the page of their folder. `hash`: by what they are named.
pub fn packs(text: &str, hash: HashKind) -> BTreeSet<String> {
    const START: &str = "pack-";
    let bytes = START.len() + hash.len_in_hex();
    let names = text.match_indices(START).filter_map(|(at, _)| text.get(at..at + bytes));
    names.filter(|name| id_of(&name[START.len()..], hash).is_some()).take(PACKS_MAX).map(str::to_owned).collect()
}

/// A file that an index names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged {
    /// Where it lies.
    pub path: String,
    /// Its content.
    pub id: ObjectId,
}

/// What an index says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// The files that are tracked.
    pub files: Vec<Staged>,
    /// The hash at its end is that of all before it.
    pub is_proven: bool,
    /// All that it names was read: it does not break off, and names no more than is read.
    pub is_whole: bool,
}

/// Reads an index of version 2, 3 or 4, where a hash of this kind names objects; `None` where the bytes are none. One
/// that breaks off is read as far as it goes.
pub fn index(bytes: &[u8], kind: HashKind) -> Option<Index> {
    /// The magic, the version and the number of files.
    const HEAD_BYTES: usize = 12;
    let body = bytes.len().checked_sub(kind.len_in_bytes()).filter(|_| bytes.starts_with(b"DIRC"))?;
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (version, count) = (number(4)?, number(8)? as usize);
    if !(2..=4).contains(&version) {
        return None;
    }
    let mut hash = gix_hash::hasher(kind);
    hash.update(&bytes[..body]);
    let is_proven = hash.try_finalize().is_ok_and(|hash| hash.as_bytes() == &bytes[body..]);
    let mut index = Index { files: Vec::new(), is_proven, is_whole: false };
    let (mut at, mut before) = (HEAD_BYTES, Vec::new());
    for _ in 0..count.min(STAGED_MAX) {
        let Some((file, next)) = entry(&bytes[..body], at, (version, kind), &mut before) else { return Some(index) };
        index.files.extend(file);
        at = next;
    }
    index.is_whole = count <= STAGED_MAX;
    Some(index)
}

/// Reads the entry at a place of an index, and says where the next one begins. `before` is the path in front of it, of
/// which one of version 4 tells the difference. What is no file has none.
fn entry(
    bytes: &[u8],
    at: usize,
    (version, hash): (u32, HashKind),
    before: &mut Vec<u8>,
) -> Option<(Option<Staged>, usize)> {
    /// Times and numbers, the mode at 24; then the hash, and two bytes of flags.
    const HASH_AT: usize = 40;
    const FLAGS_BYTES: usize = 2;
    const EXTENDED: u8 = 0x40;
    const PATH_BYTES_MAX: usize = 4_096;
    /// The upper bits of the mode of a file. A link's content is where it leads, and a submodule's a commit elsewhere.
    const FILE: u32 = 0o10;
    let flags_at = HASH_AT + hash.len_in_bytes();
    let fixed = bytes.get(at..at + flags_at + FLAGS_BYTES)?;
    let more = if version >= 3 && fixed[flags_at] & EXTENDED != 0 { FLAGS_BYTES } else { 0 };
    let mut place = at + fixed.len() + more;
    if version == 4 {
        let (cut, read) = offset(bytes.get(place..)?)?;
        before.truncate(before.len().checked_sub(cut)?);
        place += read;
    } else {
        before.clear();
    }
    let length = bytes.get(place..)?.iter().take(PATH_BYTES_MAX).position(|byte| *byte == 0)?;
    before.extend_from_slice(&bytes[place..place + length]);
    let end = place + length;
    // The older ones are padded with one to eight zeros.
    let next = if version == 4 { end + 1 } else { at + (end - at + 8) / 8 * 8 };
    let is_file = u32::from_be_bytes(fixed[24..28].try_into().ok()?) >> 12 == FILE;
    let id = ObjectId::try_from(&fixed[HASH_AT..flags_at]).ok().filter(|id| is_file && !id.is_null());
    let path = String::from_utf8_lossy(before).into_owned();
    Some((id.map(|id| Staged { path, id }), next))
}

/// Reads a number of seven bits a byte, as packs write offsets, and how many bytes it takes.
fn offset(bytes: &[u8]) -> Option<(usize, usize)> {
    /// More would be no length of a path.
    const BYTES_MAX: usize = 4;
    let (mut value, mut at) = (0_usize, 0);
    loop {
        let byte = *bytes.get(at).filter(|_| at < BYTES_MAX)?;
        value = (value << 7) | usize::from(byte & 0x7f);
        at += 1;
        if byte & 0x80 == 0 {
            return Some((value, at));
        }
        value += 1;
    }
}

/// An object that something points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wanted {
    /// Its id.
    pub id: ObjectId,
    /// It is a file, which leads to nothing.
    pub is_file: bool,
}

/// Goes from objects to all that they lead to, as far as it is there, and returns what is not, in the order in which it
/// was met. `seen` holds what was gone through before.
///
/// # Errors
/// There are more objects than anybody has, or `stop` became true.
pub fn missing(
    objects: &Objects,
    from: Vec<Wanted>,
    seen: &mut HashSet<ObjectId>,
    stop: &AtomicBool,
) -> Result<Vec<Wanted>> {
    let (mut missing, mut open, mut buffer) = (Vec::new(), from, Vec::new());
    open.reverse();
    while let Some(wanted) = open.pop() {
        if stop.load(Ordering::Relaxed) {
            return Err(GitError::Stopped);
        }
        if !seen.insert(wanted.id) {
            continue;
        }
        if seen.len() > OBJECTS_MAX {
            return Err(GitError::Objects(format!("more than {OBJECTS_MAX} objects")));
        }
        if wanted.is_file {
            if !objects.has(&wanted.id) {
                seen.remove(&wanted.id);
                missing.push(wanted);
            }
            continue;
        }
        match objects.read(&wanted.id, &mut buffer) {
            Ok(Some((kind, data))) => open.extend(led_to(kind, data, objects.hash())),
            Ok(None) => {
                seen.remove(&wanted.id);
                missing.push(wanted);
            }
            // It is there, and the walk over the history says that it cannot be looked at.
            Err(_) => {}
        }
    }
    Ok(missing)
}

/// What an object leads to, as far as it can be read.
fn led_to(kind: Kind, data: &[u8], hash: HashKind) -> Vec<Wanted> {
    let of = |id: ObjectId| Wanted { id, is_file: false };
    match kind {
        Kind::Commit => {
            let tree = CommitRefIter::from_bytes(data, hash).tree_id().ok();
            CommitRefIter::from_bytes(data, hash).parent_ids().chain(tree).map(of).collect()
        }
        Kind::Tag => TagRefIter::from_bytes(data, hash).target_id().ok().into_iter().map(of).collect(),
        Kind::Tree => {
            let entries = TreeRefIter::from_bytes(data, hash).filter_map(Result::ok);
            let entries = entries.filter(|entry| entry.mode.is_tree() || entry.mode.is_blob());
            entries.map(|entry| Wanted { id: entry.oid.to_owned(), is_file: !entry.mode.is_tree() }).collect()
        }
        Kind::Blob => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Gathering, Kept};
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use std::io::Write as _;
    use std::process::Command;

    const SHA1: HashKind = HashKind::Sha1;
    const ONE: &str = "1111111111111111111111111111111111111111";

    #[test]
    fn a_file_of_a_branch_names_an_object_or_another_and_leads_nowhere_else() {
        let name = |text: &str| Some(Target::Name(text.to_owned()));
        assert_eq!(target("ref: refs/heads/main\n"), name("refs/heads/main"));
        assert_eq!(target(&format!("{ONE}\n")), ObjectId::from_hex(ONE.as_bytes()).ok().map(Target::Id));
        for text in [
            "",
            "<html>",
            "ref: ../../etc/passwd",
            "ref: refs/../../x",
            "ref: refs/heads/a?b",
            "ref: refs//x",
            "0000000000000000000000000000000000000000",
            "abc",
        ] {
            assert_eq!(target(text), None, "{text}");
        }
    }

    #[test]
    fn lists_logs_settings_and_packs_are_read() {
        let refs =
            listed(&format!("# pack-refs with: peeled\n{ONE} refs/heads/main\n^{ONE}\n{ONE}\trefs/tags/v1\n<p>"));
        assert_eq!(
            refs.iter().map(|found| found.name.as_str()).collect::<Vec<_>>(),
            ["refs/heads/main", "refs/tags/v1"]
        );
        let log = format!("0000000000000000000000000000000000000000 {ONE} A <a@acme.test> 1 +0000\tcommit\nnonsense");
        assert_eq!(logged(&log).len(), 1, "nothing points to nothing");
        let text = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://u:p@git.acme.test/x.git\n[branch \
                    \"main\"]\n\tremote = origin\n[branch \"../x\"]\n";
        let read = config(text).unwrap();
        assert_eq!(read.remotes, ["https://u:p@git.acme.test/x.git"]);
        assert_eq!(read.branches, ["refs/heads/main"]);
        assert_eq!(config("<p>url = x</p>"), None);
        let page = format!("<a href=\"pack-{ONE}.pack\">pack-{ONE}.idx</a> pack-x pack-é");
        assert_eq!(packs(&page, SHA1).into_iter().collect::<Vec<_>>(), [format!("pack-{ONE}")]);
        let longer = format!("pack-{ONE}{}", "2".repeat(24));
        assert_eq!(packs(&longer, HashKind::Sha256).into_iter().collect::<Vec<_>>(), [longer]);
        assert_eq!(packs(&page, HashKind::Sha256), BTreeSet::new());
    }

    fn git(folder: &std::path::Path, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.current_dir(folder).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
        assert!(command.output().expect("git is installed").status.success(), "{arguments:?}");
    }

    #[test]
    fn an_index_that_git_wrote_is_read_in_every_version_and_a_changed_one_proves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "-q", "."]);
        let deep = "deep/down/where/nobody/looks.txt";
        std::fs::create_dir_all(folder.path().join(deep).parent().unwrap()).unwrap();
        for path in ["a.txt", "app.env", deep] {
            std::fs::write(folder.path().join(path), path).unwrap();
        }
        git(folder.path(), &["add", "."]);
        let file = folder.path().join(".git/index");
        for version in ["2", "3", "4"] {
            git(folder.path(), &["update-index", "--index-version", version]);
            let bytes = std::fs::read(&file).unwrap();
            let read = index(&bytes, SHA1).unwrap();
            let paths: Vec<&str> = read.files.iter().map(|file| file.path.as_str()).collect();
            assert_eq!((paths, read.is_proven), (vec!["a.txt", "app.env", deep], true), "{version}");
            let id = gix_object::compute_hash(gix_hash::Kind::Sha1, Kind::Blob, b"app.env").unwrap();
            assert_eq!(read.files[1].id, id, "{version}");
            let mut changed = bytes.clone();
            *changed.last_mut().unwrap() ^= 1;
            assert!(!index(&changed, SHA1).unwrap().is_proven);
            for end in 0..bytes.len() {
                let is_less = |index: Index| !index.is_proven && index.is_whole == (index.files.len() == 3);
                assert!(index(&bytes[..end], SHA1).is_none_or(is_less), "{version} {end}");
            }
        }
        assert_eq!(index(b"<!doctype html><p>Nothing to see under this address.</p>", SHA1), None);
    }

    #[test]
    fn links_and_submodules_of_an_index_and_of_a_folder_are_no_files() {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "-q", "."]);
        std::fs::write(folder.path().join("a.txt"), "../b/package-lock.json").unwrap();
        git(folder.path(), &["add", "."]);
        let id = gix_object::compute_hash(gix_hash::Kind::Sha1, Kind::Blob, b"../b/package-lock.json").unwrap();
        for (mode, path) in [("120000", "package-lock.json"), ("160000", "theirs")] {
            git(folder.path(), &["update-index", "--add", "--cacheinfo", &format!("{mode},{id},{path}")]);
        }
        let read = index(&std::fs::read(folder.path().join(".git/index")).unwrap(), SHA1).unwrap();
        let paths: Vec<&str> = read.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!((paths, read.is_whole), (vec!["a.txt"], true));
        let entries = |path: &str| {
            let entries = [("100644", "a.txt"), ("120000", "b.txt"), ("160000", "c")].into_iter();
            let entries = entries.filter(|(_, name)| path.is_empty() || *name == path);
            entries
                .map(|(mode, path)| [format!("{mode} {path}\0").as_bytes(), id.as_bytes()].concat())
                .collect::<Vec<_>>()
        };
        assert_eq!(led_to(Kind::Tree, &entries("").concat(), SHA1), [Wanted { id, is_file: true }]);
        assert_eq!(led_to(Kind::Tree, &entries("b.txt").concat(), SHA1), [], "where it leads is asked of nobody");
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    #[test]
    fn an_object_is_kept_under_its_own_hash_alone_and_a_bomb_is_not_unpacked() {
        let gathering = Gathering::new(SHA1).unwrap();
        let id = gix_object::compute_hash(gix_hash::Kind::Sha1, Kind::Blob, b"hello").unwrap();
        let missing = || {
            let from = vec![Wanted { id, is_file: true }];
            missing(&gathering.open().unwrap(), from, &mut HashSet::new(), &AtomicBool::new(false)).unwrap().len()
        };
        assert_eq!(missing(), 1);
        for (bytes, kept) in [
            (packed(b"blob 5\0hellO"), Kept::Unlike),
            (packed(b"blob 6\0hello"), Kept::Unlike),
            (b"<!doctype html><p>Not here.</p>".to_vec(), Kept::Unlike),
            (packed(&vec![0; 64 << 20]), Kept::TooLarge),
            (packed(b"blob 5\0hello"), Kept::Yes),
        ] {
            assert_eq!(gathering.add(&id, &bytes).unwrap(), kept, "{} bytes", bytes.len());
        }
        assert_eq!(missing(), 0);
    }
}
