//! The files of a repository that was checked out among what a site serves (gitrepository-layout, gitformat-index,
//! gitformat-pack): what lies in its `.git`, by path.

use super::connection::Connection;
use super::request::{Request, Response};
use crate::draft::{Checkout, Layout, Repository, Site};
use crate::source::repositories::{Brought, Object, Type, history, pack_of};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use sha1::{Digest, Sha1};
use std::io::Write;

/// Where the files lie.
pub(crate) const FOLDER: &str = "/.git";
/// Zeros of an object that is one: more than anybody unpacks.
const BOMB_BYTES: usize = 64 << 20;

/// What the site answers for a file of its checkout; `None` where there is none.
pub(super) fn respond(connection: &Connection, site: &Site, request: &Request) -> Option<Response> {
    let checkout = site.checkout.as_ref()?;
    let path = request.path().strip_prefix(FOLDER)?.strip_prefix('/')?;
    let repository = connection.internet.draft.repositories.get(&checkout.url)?;
    let history = history(&repository.commits, connection.internet.epoch);
    let bytes = file(checkout, repository, &history, path)?;
    Some(Response::new(200, "application/octet-stream", bytes))
}

fn file(checkout: &Checkout, repository: &Repository, history: &[Brought], path: &str) -> Option<Vec<u8>> {
    let tip = hex::encode(history.last()?.commit);
    let is_whole = matches!(checkout.layout, Layout::Loose | Layout::Packed);
    let is_packed = matches!(checkout.layout, Layout::Packed | Layout::Forged);
    let pack = || pack_of(history.iter().flat_map(|brought| &brought.objects));
    let name = |pack: &[u8]| format!("pack-{}", hex::encode(&pack[pack.len() - 20..]));
    let text = match path {
        "HEAD" => "ref: refs/heads/main\n".to_owned(),
        "config" => format!(
            "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n[remote \"origin\"]\n\turl = \
             {}.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n",
            repository.url()
        ),
        "refs/heads/main" if !is_packed => format!("{tip}\n"),
        "packed-refs" if is_packed => format!("# pack-refs with: peeled fully-peeled sorted \n{tip} refs/heads/main\n"),
        "logs/HEAD" if is_whole => log(repository, history),
        "index" if is_whole => return Some(index(history)),
        "objects/info/packs" if is_packed => format!("P {}.pack\n\n", name(&pack())),
        _ => return object(checkout.layout, history, path, &pack, &name),
    };
    Some(text.into_bytes())
}

/// A pack, or an object alone.
fn object(
    layout: Layout,
    history: &[Brought],
    path: &str,
    pack: &dyn Fn() -> Vec<u8>,
    name: &dyn Fn(&[u8]) -> String,
) -> Option<Vec<u8>> {
    let path = path.strip_prefix("objects/")?;
    if let Some(file) = path.strip_prefix("pack/") {
        let mut pack = pack();
        let is_it = matches!(layout, Layout::Packed | Layout::Forged) && file == format!("{}.pack", name(&pack));
        if layout == Layout::Forged {
            // The checksum at the end of the pack is wrong.
            let middle = pack.len() / 2;
            pack[middle] ^= 1;
        }
        return is_it.then_some(pack);
    }
    let id = path.replacen('/', "", 1);
    let found = history.iter().flat_map(|brought| &brought.objects).find(|object| hex::encode(object.id) == id)?;
    match layout {
        Layout::Loose => Some(packed(&[found.head().as_bytes(), &found.bytes].concat())),
        Layout::Bombs => {
            let head = format!("blob {BOMB_BYTES}\0");
            Some(packed(&[head.as_bytes(), &vec![0; BOMB_BYTES]].concat()))
        }
        Layout::Packed => None,
        // What somebody else wrote.
        Layout::Forged => Some(packed(b"blob 6\0forged")),
    }
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).expect("memory takes all");
    packed.finish().expect("memory takes all")
}

fn log(repository: &Repository, history: &[Brought]) -> String {
    let mut before = "0".repeat(40);
    let lines = history.iter().zip(&repository.commits).map(|(brought, commit)| {
        let id = hex::encode(brought.commit);
        let line = format!("{before} {id} {} 0 +0000\tcommit: {}\n", commit.author, commit.message);
        before = id;
        line
    });
    lines.collect()
}

/// The index of the newest files, version 2.
fn index(history: &[Brought]) -> Vec<u8> {
    let mut files = Vec::new();
    let objects = || history.iter().flat_map(|brought| &brought.objects);
    let find = |id: &[u8]| objects().find(|object| object.id == id);
    let tip = history.last().and_then(|last| find(&last.commit));
    let tree = tip.and_then(|commit| hex::decode(commit.bytes.get(5..45)?).ok());
    if let Some(tree) = tree.and_then(|id| find(&id)) {
        list("", tree, &find, &mut files);
    }
    files.sort();
    let count = u32::try_from(files.len()).unwrap_or(u32::MAX);
    let mut bytes = [&b"DIRC"[..], &2_u32.to_be_bytes(), &count.to_be_bytes()].concat();
    for (path, id) in files {
        let start = bytes.len();
        // Times and numbers, and the mode of a file.
        bytes.extend([0; 24]);
        bytes.extend(0o100_644_u32.to_be_bytes());
        bytes.extend([0; 12]);
        bytes.extend(id);
        bytes.extend(u16::try_from(path.len().min(0xfff)).unwrap_or(0xfff).to_be_bytes());
        bytes.extend(path.as_bytes());
        let length = bytes.len() - start;
        bytes.resize(start + (length + 8) / 8 * 8, 0);
    }
    let hash = Sha1::digest(&bytes);
    bytes.extend(hash);
    bytes
}

/// Adds what lies in a tree: mode, name and id of each.
fn list<'a>(
    folder: &str,
    tree: &Object,
    find: &dyn Fn(&[u8]) -> Option<&'a Object>,
    files: &mut Vec<(String, Vec<u8>)>,
) {
    let mut rest = tree.bytes.as_slice();
    while let Some(end) = rest.iter().position(|byte| *byte == 0).filter(|end| rest.len() >= end + 21) {
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        let id = &rest[end + 1..end + 21];
        let path = format!("{folder}{}", head.split_once(' ').map_or("", |(_, name)| name));
        match find(id) {
            Some(below) if matches!(below.kind, Type::Tree) => list(&format!("{path}/"), below, find, files),
            _ => files.push((path, id.to_vec())),
        }
        rest = &rest[end + 21..];
    }
}
