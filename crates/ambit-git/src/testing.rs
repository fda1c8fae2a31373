//! Repositories that tests make with git itself, which the tests of this project need installed.

use crate::{Folder, Objects, Piece, Walked, walk};
use gix_hash::ObjectId;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

/// Runs git in a folder with this input, and returns its output without surrounding white space.
pub(crate) fn git(folder: &Path, arguments: &[&str], input: &[u8]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=A", "-c", "user.email=a@acme.test"]).args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.env("GIT_AUTHOR_DATE", "@100 +0000").env("GIT_COMMITTER_DATE", "@100 +0000");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("git is installed");
    child.stdin.take().expect("piped").write_all(input).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Adds commits to a repository by what `git fast-import` reads.
pub(crate) fn import(folder: &Path, stream: &str) {
    git(folder, &["init", "-q", "--bare", "."], b"");
    git(folder, &["fast-import", "--quiet"], stream.as_bytes());
}

/// A commit of a branch at a second, with its message and files.
pub(crate) fn commit(branch: &str, second: i64, from: &str, files: &[(&str, &str)]) -> String {
    let message = format!("made at {second}");
    let mut text = format!(
        "commit refs/heads/{branch}\ncommitter A <a@acme.test> {second} +0000\ndata {}\n{message}\n{from}",
        message.len()
    );
    for (path, content) in files {
        text += &format!("M 100644 inline {path}\ndata {}\n{content}\n", content.len());
    }
    text
}

/// Adds an object with any content to the repository, and returns its id.
pub(crate) fn put(folder: &Path, kind: &str, bytes: &[u8]) -> ObjectId {
    let id = git(folder, &["hash-object", "-w", "-t", kind, "--literally", "--stdin"], bytes);
    ObjectId::from_hex(id.as_bytes()).unwrap()
}

/// The file of an object that lies alone.
pub(crate) fn file_of(folder: &Path, name: &str) -> std::path::PathBuf {
    let id = git(folder, &["rev-parse", name], b"");
    let (start, rest) = id.split_at(2);
    folder.join("objects").join(start).join(rest)
}

/// Makes a branch whose folders each name the next ten times, some levels deep; a file lies in the deepest.
pub(crate) fn bomb(folder: &Path, levels: usize) {
    git(folder, &["init", "-q", "--bare", "."], b"");
    let mut entry = format!("100644 blob {}", put(folder, "blob", b"x"));
    for _ in 0..levels {
        let entries: String = (0..10).map(|at| format!("{entry}\ta{at}\n")).collect();
        entry = format!("040000 tree {}", git(folder, &["mktree"], entries.as_bytes()));
    }
    let tree = entry.rsplit(' ').next().unwrap();
    let commit = git(folder, &["commit-tree", "-m", "x", tree], b"");
    git(folder, &["update-ref", "refs/heads/main", &commit], b"");
}

/// The objects of a repository and what it points to.
pub(crate) fn opened(folder: &Path) -> (Objects, Vec<ObjectId>) {
    let found = Folder::open(folder).unwrap();
    let objects = Objects::open(&found.objects()).unwrap();
    (objects, found.beside().unwrap().tips)
}

/// Walks over a history; each text stands as the second of its commit, where it lies, and itself.
pub(crate) fn texts(folder: &Path, known: &[ObjectId]) -> (Vec<String>, Walked, Vec<ObjectId>) {
    let (objects, tips) = opened(folder);
    let (seen, walked) = texts_of(&objects, &tips, known);
    (seen, walked, tips)
}

/// As [`texts`], of these objects.
pub(crate) fn texts_of(objects: &Objects, tips: &[ObjectId], known: &[ObjectId]) -> (Vec<String>, Walked) {
    let mut seen = Vec::new();
    let walked = walk(objects, tips, known, &AtomicBool::new(false), &mut |piece| seen.push(shown(piece)));
    (seen, walked.unwrap())
}

/// The second of the commit of a text, where it lies, and itself.
pub(crate) fn shown(piece: &Piece<'_>) -> String {
    let text = String::from_utf8_lossy(piece.text);
    let place = piece.path.or(piece.tag).unwrap_or("-");
    format!("{} {place}: {text}", piece.commit.map_or(0, |commit| commit.seconds))
}

/// A repository without objects, with files beside them.
pub(crate) fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
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
