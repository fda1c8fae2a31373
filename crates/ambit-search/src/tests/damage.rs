//! An index whose bytes are not those that were written is never answered from; one that is whole survives a restart.

use super::records::inventory;
use super::{Scratch, filled, found};
use crate::embedded::Reached;
use crate::{Batch, Index, IndexError};
use ambit_query::Noun;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Where Tantivy writes which files are its own.
const MANAGED: &str = ".managed.json";
const ALL: &str = "www.b-shop.example 192.0.2.1 https://a.example:443";

/// Every file of the index; lock files hold nothing.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(files(&path));
        } else if path.extension().is_none_or(|extension| extension != "lock") {
            all.push(path);
        }
    }
    all.sort();
    all
}

/// Either the whole truth at revision 2 or an empty index at revision 0 that can be filled.
fn open_and_check(folder: &Path, what: &str) {
    let index = Index::open(folder).unwrap_or_else(|error| panic!("{what}: {error}"));
    match index.committed().unwrap() {
        2 => assert_eq!(found(&index, Noun::Entities, ""), ALL, "{what}"),
        0 => assert_eq!(index.documents(), 0, "{what}"),
        other => panic!("{what}: revision {other}"),
    }
}

fn whole() -> Scratch {
    let scratch = Scratch::new();
    let index = filled(&scratch, inventory());
    // A second commit with replaced documents, so that there are lists of deleted ones.
    index.apply(2, &Batch { records: inventory(), ..Batch::default() }).unwrap();
    drop(index);
    let whole = Scratch::new();
    copy(scratch.path(), whole.path());
    whole
}

/// Copies an index that nobody writes any more. A merge that was under way when its writer was dropped may still
/// replace files, so the copy is made again until the files are the same before and after it.
pub(super) fn copy(from: &Path, to: &Path) {
    loop {
        let _ = fs::remove_dir_all(to);
        let before = names(from);
        if before.iter().all(|name| copied(&from.join(name), &to.join(name))) && names(from) == before {
            return;
        }
    }
}

/// The paths of all files in a folder, relative to it. A folder that goes away meanwhile holds none.
fn names(folder: &Path) -> BTreeSet<PathBuf> {
    let mut all = BTreeSet::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = PathBuf::from(entry.file_name());
        if entry.path().is_dir() {
            all.extend(names(&entry.path()).into_iter().map(|inside| name.join(inside)));
        } else {
            all.insert(name);
        }
    }
    all
}

/// Whether the file was still there.
fn copied(from: &Path, to: &Path) -> bool {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    match fs::copy(from, to) {
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => panic!("copy {}: {error}", from.display()),
    }
}

#[test]
fn an_index_survives_a_restart() {
    let scratch = whole();
    let index = Index::open(scratch.path()).unwrap();
    assert_eq!(index.committed().unwrap(), 2);
    assert_eq!(found(&index, Noun::Entities, ""), ALL);
    let second = Index::open(scratch.path());
    assert!(matches!(second, Err(IndexError::Locked(_))), "two writers");
}

#[test]
fn a_flipped_byte_anywhere_is_found() {
    let source = whole();
    for file in files(source.path()) {
        let inside = file.strip_prefix(source.path()).unwrap();
        let length = fs::metadata(&file).unwrap().len() as usize;
        // The first, the last, and some between; many of the list of segments, which bears no checksum.
        let count = if file.ends_with("meta.json") { 60 } else { 4 };
        let places = (0..count).map(|n| n * length.saturating_sub(1) / (count - 1));
        for at in places.filter(|_| length > 0) {
            let scratch = Scratch::new();
            copy(source.path(), scratch.path());
            let victim = scratch.path().join(inside);
            let mut bytes = fs::read(&victim).unwrap();
            bytes[at] ^= 0x08;
            fs::write(&victim, bytes).unwrap();
            open_and_check(scratch.path(), &format!("{} at {at}", inside.display()));
        }
    }
}

#[test]
fn a_missing_or_cut_file_is_found() {
    let source = whole();
    for file in files(source.path()) {
        let inside = file.strip_prefix(source.path()).unwrap();
        for cut in [false, true] {
            let scratch = Scratch::new();
            copy(source.path(), scratch.path());
            let victim = scratch.path().join(inside);
            if cut {
                let bytes = fs::read(&victim).unwrap();
                fs::write(&victim, &bytes[..bytes.len() / 2]).unwrap();
            } else {
                fs::remove_file(&victim).unwrap();
            }
            let what = format!("{} {}", inside.display(), if cut { "cut" } else { "missing" });
            open_and_check(scratch.path(), &what);
            // Whatever was done about it holds, and can be written.
            let index = Index::open(scratch.path()).unwrap_or_else(|error| panic!("{what}: {error}"));
            index
                .apply(3, &Batch { records: inventory(), ..Batch::default() })
                .unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(found(&index, Noun::Entities, ""), ALL, "{what}");
        }
    }
}

/// A writer was killed after it had written which documents of a segment are deleted, and before it had committed. The
/// next one numbers its commits from the same one on, and writes files of the same names.
#[test]
fn what_a_killed_writer_left_is_in_nobodys_way() {
    let scratch = whole();
    let meta = files(scratch.path()).into_iter().find(|file| file.ends_with("meta.json")).unwrap();
    let folder = meta.parent().unwrap();
    let read = |file: &Path| -> Value { serde_json::from_slice(&fs::read(file).unwrap()).unwrap() };
    let committed = read(&meta);
    let opstamp = committed["opstamp"].as_u64().unwrap();
    let mut managed = read(&folder.join(MANAGED));
    let segments = committed["segments"].as_array().unwrap();
    assert!(!segments.is_empty());
    let mut left = vec![folder.join(".tmpA1b2C3")];
    for segment in segments {
        let id = segment["segment_id"].as_str().unwrap().replace('-', "");
        for opstamp in opstamp + 1..opstamp + 100 {
            let name = format!("{id}.{opstamp}.del");
            left.push(folder.join(&name));
            managed.as_array_mut().unwrap().push(name.into());
        }
    }
    fs::write(folder.join(MANAGED), managed.to_string()).unwrap();
    left.iter().for_each(|file| fs::write(file, "unfinished").unwrap());

    let index = Index::open(scratch.path()).unwrap();
    assert_eq!(index.committed().unwrap(), 2);
    assert!(left.iter().all(|file| !file.exists()));
    index.apply(3, &Batch { records: inventory().split_off(1), ..Batch::default() }).unwrap();
    assert_eq!(found(&index, Noun::Entities, ""), ALL);
}

#[tokio::test]
async fn a_reader_follows_the_writer_through_a_rebuild() {
    let scratch = Scratch::new();
    assert!(matches!(Index::open_read_only(scratch.path(), None), Err(IndexError::Missing(_))));
    let writer = filled(&scratch, inventory());
    let reader = Index::open_read_only(scratch.path(), None).unwrap();
    assert_eq!((reader.reached(), found(&reader, Noun::Entities, "")), (1, ALL.to_owned()));
    assert!(matches!(reader.apply(2, &Batch::default()), Err(IndexError::ReadOnly)));

    let gone = inventory().remove(0).record.uid();
    writer.apply(2, &Batch { gone: vec![gone], ..Batch::default() }).unwrap();
    assert!(reader.wait_for(2, std::time::Duration::from_secs(5)).await.unwrap());
    assert_eq!(found(&reader, Noun::Entities, ""), "www.b-shop.example 192.0.2.1");

    let rebuild = writer.begin_rebuild().unwrap();
    rebuild.add(&inventory()).unwrap();
    assert_eq!(found(&writer, Noun::Entities, ""), "www.b-shop.example 192.0.2.1", "the old one serves meanwhile");
    let reached = Reached { revision: 3, ..Reached::default() };
    writer.finish_rebuild(rebuild, reached).unwrap();
    assert_eq!((writer.reached(), found(&writer, Noun::Entities, "")), (3, ALL.to_owned()));
    assert!(reader.wait_for(3, std::time::Duration::from_secs(5)).await.unwrap());
    assert_eq!(found(&reader, Noun::Entities, ""), ALL);
}

#[test]
fn a_rebuild_that_was_cut_short_does_not_count() {
    let scratch = whole();
    let index = Index::open(scratch.path()).unwrap();
    let rebuild = index.begin_rebuild().unwrap();
    rebuild.add(&inventory()[..1]).unwrap();
    let folders = || fs::read_dir(scratch.path()).unwrap().flatten().filter(|entry| entry.path().is_dir()).count();
    drop(rebuild);
    let again = index.begin_rebuild().unwrap();
    assert_eq!(folders(), 2, "the next one takes the place of what is left of it");
    drop((again, index));
    let index = Index::open(scratch.path()).unwrap();
    assert_eq!((index.committed().unwrap(), found(&index, Noun::Entities, "")), (2, ALL.to_owned()));
    assert_eq!(folders(), 1, "what does not count is removed");
}
