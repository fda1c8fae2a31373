//! Repositories of code by git's smart HTTP, protocol version 2 (gitprotocol-v2, gitformat-pack): one branch, `main`,
//! whose objects follow from the commits that the file states.

use super::forges;
use crate::draft::Commit;
use crate::serve::connection::Connection;
use crate::serve::request::{Request, Response};
use ambit_model::Timestamp;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use sha1::{Digest, Sha1};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// Bytes of one line beside its length.
const LINE_BYTES_MAX: usize = 65_515;
const FLUSH: &str = "0000";

type Id = [u8; 20];

/// An object, without compression.
pub(crate) struct Object {
    pub(crate) kind: Type,
    pub(crate) id: Id,
    pub(crate) bytes: Vec<u8>,
}

impl Object {
    /// Returns the header of a loose object, which is part of its hash.
    pub(crate) fn head(&self) -> String {
        head(self.kind, &self.bytes)
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Type {
    Commit = 1,
    Tree = 2,
    Blob = 3,
}

/// What a commit brings that no earlier one has.
pub(crate) struct Brought {
    pub(crate) commit: Id,
    pub(crate) objects: Vec<Object>,
}

pub(super) fn respond(connection: &Connection, request: &Request) -> Response {
    let host = request.host.as_deref().unwrap_or_default();
    if forges::is_asked(host, request) {
        return forges::respond(connection, host, request);
    }
    let repositories = connection.internet.draft.repositories.values();
    let asked = repositories.filter(|repository| repository.host == host).find_map(|repository| {
        let rest = request.path().strip_prefix(&repository.path)?;
        Some((repository, rest.strip_prefix(".git").unwrap_or(rest)))
    });
    let Some((repository, rest)) = asked else {
        return Response::new(404, "text/html", "<h1>Not Found</h1>");
    };
    if repository.private && !forges::shows_token(connection, &repository.url(), request) {
        return Response::new(401, "text/plain", "Repository not found.");
    }
    let body = String::from_utf8_lossy(&request.body);
    match rest {
        "/info/refs" if request.parameter("service").as_deref() == Some("git-upload-pack") => {
            let lines = ["version 2\n", "agent=git/2.47\n", "ls-refs\n", "fetch\n", "object-format=sha1\n"];
            let lines: String = lines.map(line).concat();
            let said = format!("{}{FLUSH}{lines}{FLUSH}", line("# service=git-upload-pack\n"));
            Response::new(200, "application/x-git-upload-pack-advertisement", said)
        }
        "/git-upload-pack" => {
            let history = history(&repository.commits, connection.internet.epoch);
            let said = if body.contains("command=ls-refs") { refs(&history) } else { pack(&history, &body) };
            Response::new(200, "application/x-git-upload-pack-result", said)
        }
        "" | "/" => Response::new(200, "text/html", format!("<title>{}</title>", repository.path.trim_matches('/'))),
        _ => Response::new(404, "text/html", "<h1>Not Found</h1>"),
    }
}

fn line(text: &str) -> String {
    format!("{:04x}{text}", text.len() + 4)
}

/// The objects that each commit brings, in the order of the commits.
pub(crate) fn history(commits: &[Commit], epoch: Timestamp) -> Vec<Brought> {
    let (mut files, mut known, mut history) = (BTreeMap::new(), BTreeSet::new(), Vec::<Brought>::new());
    for commit in commits {
        for (path, content) in &commit.files {
            match content {
                Some(content) => files.insert(path.clone(), content.clone()),
                None => files.remove(path),
            };
        }
        let mut objects = Vec::new();
        let tree = tree("", &files, &mut objects);
        let parent = history.last().map_or_else(String::new, |last| format!("parent {}\n", hex::encode(last.commit)));
        let seconds = commit.at.of(epoch).0.div_euclid(1_000);
        let text = format!(
            "tree {}\n{parent}author {who} {seconds} +0000\ncommitter {who} {seconds} +0000\n\n{}\n",
            hex::encode(tree),
            commit.message,
            who = commit.author
        );
        let commit = add(Type::Commit, text.into_bytes(), &mut objects);
        objects.retain(|object| known.insert(object.id));
        history.push(Brought { commit, objects });
    }
    history
}

fn head(kind: Type, bytes: &[u8]) -> String {
    let word = match kind {
        Type::Commit => "commit",
        Type::Tree => "tree",
        Type::Blob => "blob",
    };
    format!("{word} {}\0", bytes.len())
}

/// Makes an object and returns its id.
fn add(kind: Type, bytes: Vec<u8>, objects: &mut Vec<Object>) -> Id {
    let mut hash = Sha1::new();
    hash.update(head(kind, &bytes));
    hash.update(&bytes);
    let id = hash.finalize().into();
    objects.push(Object { kind, id, bytes });
    id
}

/// The tree of what lies below a folder, which is empty or ends in `/`.
fn tree(folder: &str, files: &BTreeMap<String, String>, objects: &mut Vec<Object>) -> Id {
    // A folder is sorted as if its name ended in a slash.
    let mut entries: BTreeMap<String, (&str, Id)> = BTreeMap::new();
    for (path, content) in files {
        let Some(below) = path.strip_prefix(folder) else { continue };
        match below.split_once('/') {
            None => {
                let id = add(Type::Blob, content.clone().into_bytes(), objects);
                entries.insert(below.to_owned(), ("100644", id));
            }
            Some((name, _)) => {
                let key = format!("{name}/");
                let below = format!("{folder}{key}");
                entries.entry(key).or_insert_with(|| ("40000", tree(&below, files, objects)));
            }
        }
    }
    let mut bytes = Vec::new();
    for (name, (mode, id)) in entries {
        bytes.extend(format!("{mode} {}\0", name.trim_end_matches('/')).into_bytes());
        bytes.extend(id);
    }
    add(Type::Tree, bytes, objects)
}

fn refs(history: &[Brought]) -> Vec<u8> {
    let tip = history.last().map(|last| hex::encode(last.commit));
    let lines = match tip {
        Some(tip) => {
            line(&format!("{tip} HEAD symref-target:refs/heads/main\n")) + &line(&format!("{tip} refs/heads/main\n"))
        }
        None => String::new(),
    };
    format!("{lines}{FLUSH}").into_bytes()
}

/// The pack of what the client does not have, in lines of the first band.
fn pack(history: &[Brought], asked: &str) -> Vec<u8> {
    let has = |brought: &Brought| asked.contains(&format!("have {}", hex::encode(brought.commit)));
    let first = history.iter().rposition(has).map_or(0, |at| at + 1);
    let pack = pack_of(history[first..].iter().flat_map(|brought| &brought.objects));
    let mut said = line("packfile\n").into_bytes();
    for piece in pack.chunks(LINE_BYTES_MAX) {
        said.extend(format!("{:04x}\u{1}", piece.len() + 5).into_bytes());
        said.extend(piece);
    }
    said.extend(FLUSH.bytes());
    said
}

/// A pack of some objects.
pub(crate) fn pack_of<'a>(objects: impl Iterator<Item = &'a Object>) -> Vec<u8> {
    let objects: Vec<&Object> = objects.collect();
    let count = u32::try_from(objects.len()).unwrap_or(u32::MAX);
    let mut pack = [&b"PACK"[..], &2_u32.to_be_bytes(), &count.to_be_bytes()].concat();
    for object in objects {
        write_object(object, &mut pack);
    }
    let trailer = Sha1::digest(&pack);
    pack.extend(trailer);
    pack
}

/// Type and length in front, four bits and then seven a byte, and the compressed bytes.
fn write_object(object: &Object, pack: &mut Vec<u8>) {
    let mut length = object.bytes.len();
    let low = |bits: usize| u8::try_from(bits).expect("fewer than eight bits");
    let mut byte = ((object.kind as u8) << 4) | low(length & 0xf);
    length >>= 4;
    while length > 0 {
        pack.push(byte | 0x80);
        byte = low(length & 0x7f);
        length >>= 7;
    }
    pack.push(byte);
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&object.bytes).expect("memory takes all");
    pack.extend(packed.finish().expect("memory takes all"));
}
