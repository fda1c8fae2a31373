//! The exchange with a server, protocol version 2 (gitprotocol-v2), over HTTP (gitprotocol-http) or with git's own
//! server (gitprotocol-pack): bytes in, bytes out.

use crate::{GitError, Result};
use gix_hash::{Kind as HashKind, ObjectId};
use std::io::{self, Write};

/// Bytes of the length in front of each line.
const LENGTH_BYTES: usize = 4;
/// Bytes of the longest line with its length.
const LINE_BYTES_MAX: usize = 65_520;
/// Bytes that are kept of what a server says in its own words.
const WORDS_BYTES_MAX: usize = 300;
/// The marks between lines.
const FLUSH: &[u8] = b"0000";
const DELIMITER: &[u8] = b"0001";
/// What a client says to git's own server when it wants nothing more.
pub const END: &[u8] = FLUSH;

/// What a server says of itself before it is asked for anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advertised {
    /// It speaks version 2.
    Version2 {
        /// It leaves out files where it is asked to.
        filters: bool,
        /// By what its objects are named.
        hash: HashKind,
    },
    /// It speaks an older version only.
    Older,
}

/// A branch or tag and what it points to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ref {
    /// The full name: `refs/heads/main`.
    pub name: String,
    /// The commit or tag.
    pub id: ObjectId,
}

/// One line of an answer.
enum Line<'a> {
    Data(&'a [u8]),
    /// The end of a section or of the answer.
    Mark,
}

/// Reads the first line of the bytes, and how many it took; `None` where it is not whole.
fn line(bytes: &[u8]) -> Result<Option<(Line<'_>, usize)>> {
    let Some(length) = bytes.get(..LENGTH_BYTES) else { return Ok(None) };
    let digits = std::str::from_utf8(length).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let length = digits.and_then(|digits| usize::from_str_radix(digits, 16).ok());
    match length {
        Some(0..=2) => Ok(Some((Line::Mark, LENGTH_BYTES))),
        Some(whole @ LENGTH_BYTES..=LINE_BYTES_MAX) => {
            Ok(bytes.get(LENGTH_BYTES..whole).map(|data| (Line::Data(data), whole)))
        }
        _ => Err(GitError::Protocol("a line without a length".into())),
    }
}

/// Reads all lines of a whole answer.
fn lines(mut bytes: &[u8]) -> Result<Vec<&[u8]>> {
    let mut lines = Vec::new();
    while !bytes.is_empty() {
        let (read, taken) = line(bytes)?.ok_or_else(|| GitError::Protocol("a line is cut".into()))?;
        if let Line::Data(data) = read {
            lines.push(data.strip_suffix(b"\n").unwrap_or(data));
        }
        bytes = &bytes[taken..];
    }
    Ok(lines)
}

/// What a client of git's own server says first: that it wants to read the repository at a path, by which name it came
/// to the server (`host`, with its port), and that it speaks version 2.
pub fn daemon_request(path: &str, host: &str) -> Vec<u8> {
    let mut said = Vec::new();
    say(&mut said, &format!("git-upload-pack {path}\0host={host}\0\0version=2\0"));
    said
}

/// Returns how many of the bytes belong to the first section, with the mark that ends it; `None` where it has not ended
/// yet.
///
/// # Errors
/// They are no lines of a git server.
pub fn end_of_section(bytes: &[u8]) -> Result<Option<usize>> {
    let mut at = 0;
    while let Some((read, taken)) = line(&bytes[at..])? {
        at += taken;
        if matches!(read, Line::Mark) {
            return Ok(Some(at));
        }
        if let Line::Data(data) = read
            && let Some(refused) = data.strip_prefix(b"ERR ")
        {
            return Err(GitError::Refused(words(refused)));
        }
    }
    Ok(None)
}

/// Reads the answer to `info/refs?service=git-upload-pack`, which was asked for version 2.
///
/// # Errors
/// It is no answer of a git server.
pub fn advertised(body: &[u8]) -> Result<Advertised> {
    // A list of branches as git writes it into a file.
    let first = body.split(|byte| *byte == b'\t').next().filter(|first| first.len() < body.len());
    if first.is_some_and(|first| ObjectId::from_hex(first).is_ok()) {
        return Err(GitError::Folder("the server hands out files alone (dumb HTTP), which are not read".into()));
    }
    let lines = lines(body)?;
    if let Some(refused) = lines.iter().find_map(|line| line.strip_prefix(b"ERR ")) {
        return Err(GitError::Refused(words(refused)));
    }
    let mut said = lines.iter().filter(|line| !line.starts_with(b"# service="));
    if said.next() != Some(&&b"version 2"[..]) {
        return Ok(Advertised::Older);
    }
    let named_by = lines.iter().find_map(|line| line.strip_prefix(b"object-format="));
    let hash = match named_by {
        None | Some(b"sha1") => HashKind::Sha1,
        Some(b"sha256") => HashKind::Sha256,
        Some(other) => {
            let why = format!("its objects are named by {}; only those named by sha1 or sha256 are read", words(other));
            return Err(GitError::Folder(why));
        }
    };
    let fetch = said.find_map(|line| line.strip_prefix(b"fetch="));
    let filters = fetch.is_some_and(|features| features.split(|byte| *byte == b' ').any(|word| word == b"filter"));
    Ok(Advertised::Version2 { filters, hash })
}

/// The body of the request for all branches, tags and notes. What strangers ask to be merged (`refs/pull/`,
/// `refs/merge-requests/`) is theirs, and not asked for.
pub fn list_request(agent: &str, hash: HashKind) -> Vec<u8> {
    let prefixes = ["HEAD", "refs/heads/", "refs/notes/", "refs/tags/"].map(|prefix| format!("ref-prefix {prefix}\n"));
    request("ls-refs", (agent, hash), prefixes.into_iter())
}

/// Reads the answer to it, sorted by name.
///
/// # Errors
/// It is no such answer, or names objects by more than one hash, which no repository does.
pub fn refs(body: &[u8]) -> Result<Vec<Ref>> {
    let mut refs: Vec<Ref> = Vec::new();
    for line in lines(body)? {
        if let Some(refused) = line.strip_prefix(b"ERR ") {
            return Err(GitError::Refused(words(refused)));
        }
        let text = String::from_utf8_lossy(line);
        let mut parts = text.split(' ');
        let (Some(id), Some(name)) = (parts.next(), parts.next()) else {
            return Err(GitError::Protocol("a ref without a name".into()));
        };
        // A branch without a commit is listed as unborn.
        if id != "unborn" {
            let id = ObjectId::from_hex(id.as_bytes()).map_err(|_| GitError::Protocol("a ref without an id".into()))?;
            if let Some(first) = refs.first().filter(|first| first.id.kind() != id.kind()) {
                let (named, kind, other) = (words(name.as_bytes()), id.kind(), first.id.kind());
                return Err(GitError::Protocol(format!("{named} is named by {kind}, and others by {other}")));
            }
            refs.push(Ref { name: name.to_owned(), id });
        }
    }
    refs.sort();
    Ok(refs)
}

/// Objects that a server is asked for.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'a> {
    /// Everything that tips lead to and known commits do not.
    New {
        /// Commits and tags.
        tips: &'a [ObjectId],
        /// Commits that are not sent again, with all that leads to them.
        known: &'a [ObjectId],
        /// Files of so many bytes and more are left out; `None` where the server leaves none out.
        files_below: Option<usize>,
    },
    /// Commits and tags that lead to the tips, without their files.
    Commits {
        /// Commits and tags.
        tips: &'a [ObjectId],
    },
    /// What stands at the tips, whether it is new or not, and no commits before them.
    Newest {
        /// Commits and tags.
        tips: &'a [ObjectId],
        /// As above; with 0 all files are left out.
        files_below: Option<usize>,
    },
    /// Files by their ids.
    Files(&'a [ObjectId]),
}

impl Wanted<'_> {
    /// By what the objects are named.
    pub fn hash(&self) -> HashKind {
        let (Wanted::New { tips: ids, .. }
        | Wanted::Commits { tips: ids }
        | Wanted::Newest { tips: ids, .. }
        | Wanted::Files(ids)) = *self;
        ids.first().map_or(HashKind::Sha1, |id| id.kind())
    }
}

/// The body of the request for a pack.
pub fn fetch_request(agent: &str, wanted: &Wanted<'_>) -> Vec<u8> {
    let below = |bytes: Option<usize>| bytes.map(|bytes| format!("filter blob:limit={bytes}\n")).into_iter();
    let (wants, haves, more): (_, &[ObjectId], Vec<String>) = match *wanted {
        Wanted::New { tips, known, files_below } => (tips, known, below(files_below).collect()),
        Wanted::Commits { tips } => (tips, &[], vec!["filter tree:0\n".to_owned()]),
        Wanted::Newest { tips, files_below } => {
            (tips, &[], ["deepen 1\n".to_owned()].into_iter().chain(below(files_below)).collect())
        }
        Wanted::Files(ids) => (ids, &[], Vec::new()),
    };
    let fixed = ["no-progress\n", "ofs-delta\n"].map(str::to_owned).into_iter().chain(more);
    let wants = wants.iter().map(|id| format!("want {id}\n"));
    let haves = haves.iter().map(|id| format!("have {id}\n"));
    request("fetch", (agent, wanted.hash()), fixed.chain(wants).chain(haves).chain(["done\n".to_owned()]))
}

fn request(command: &str, (agent, hash): (&str, HashKind), arguments: impl Iterator<Item = String>) -> Vec<u8> {
    let mut body = Vec::new();
    let head = [format!("command={command}\n"), format!("agent={agent}\n"), format!("object-format={hash}\n")];
    head.iter().for_each(|text| say(&mut body, text));
    body.extend_from_slice(DELIMITER);
    arguments.for_each(|argument| say(&mut body, &argument));
    body.extend_from_slice(FLUSH);
    body
}

/// Adds a line with its length.
fn say(body: &mut Vec<u8>, text: &str) {
    body.extend_from_slice(format!("{:04x}{text}", text.len() + LENGTH_BYTES).as_bytes());
}

/// Takes the answer to a fetch piece by piece, and writes the pack in it to a file.
#[derive(Debug)]
pub struct PackWriter<W> {
    into: W,
    /// What came of a line that is not whole yet.
    begun: Vec<u8>,
    in_pack: bool,
    bytes: u64,
    bytes_max: u64,
    refused: Option<GitError>,
}

impl<W: Write> PackWriter<W> {
    /// Writes at most `bytes_max` bytes of a pack.
    pub fn new(into: W, bytes_max: u64) -> Self {
        Self { into, begun: Vec::new(), in_pack: false, bytes: 0, bytes_max, refused: None }
    }

    /// Returns what the pack was written to, and how many bytes it has.
    ///
    /// # Errors
    /// The answer held no pack, or the server broke off.
    pub fn finish(mut self) -> Result<(W, u64)> {
        if let Some(refused) = self.refused {
            return Err(refused);
        }
        if self.bytes == 0 || !self.begun.is_empty() {
            return Err(GitError::Protocol("an answer without a whole pack".into()));
        }
        self.into.flush().map_err(|error| GitError::Folder(error.to_string()))?;
        Ok((self.into, self.bytes))
    }

    /// Returns true where the pack has more bytes than it may.
    pub fn is_too_large(&self) -> bool {
        self.bytes > self.bytes_max
    }

    fn take(&mut self, line: &[u8]) -> io::Result<()> {
        if !self.in_pack {
            self.in_pack = line.starts_with(b"packfile");
            if let Some(refused) = line.strip_prefix(b"ERR ") {
                return Err(self.refuse(GitError::Refused(words(refused))));
            }
            return Ok(());
        }
        match line.split_first() {
            Some((1, data)) => {
                self.bytes += data.len() as u64;
                if self.is_too_large() {
                    return Err(io::Error::other("the pack is too large"));
                }
                self.into.write_all(data).map_err(|error| self.refuse(GitError::Folder(error.to_string())))
            }
            Some((3, said)) => Err(self.refuse(GitError::Refused(words(said)))),
            // Progress, which nobody asked for.
            _ => Ok(()),
        }
    }

    fn refuse(&mut self, error: GitError) -> io::Error {
        let told = io::Error::other(error.to_string());
        self.refused = Some(error);
        told
    }
}

impl<W: Write> Write for PackWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        let begun = std::mem::take(&mut self.begun);
        let mut at = 0;
        while let Some((read, taken)) = line(&begun[at..]).map_err(|error| self.refuse(error))? {
            if let Line::Data(data) = read {
                self.take(data)?;
            }
            at += taken;
        }
        self.begun = begun[at..].to_vec();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.into.flush()
    }
}

/// The beginning of what a server says, on one line.
fn words(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(&said[..said.len().min(WORDS_BYTES_MAX)]);
    text.replace(char::is_control, " ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(lines: &[&[u8]]) -> Vec<u8> {
        let mut body = Vec::new();
        for line in lines {
            if line.is_empty() {
                body.extend_from_slice(FLUSH);
            } else {
                body.extend_from_slice(format!("{:04x}", line.len() + LENGTH_BYTES).as_bytes());
                body.extend_from_slice(line);
            }
        }
        body
    }

    #[test]
    fn a_section_ends_at_its_mark() {
        assert_eq!(
            daemon_request("/app.git", "code:9418"),
            b"0037git-upload-pack /app.git\0host=code:9418\0\0version=2\0"
        );
        let advertised = said(&[b"version 2\n", b"ls-refs\n", b""]);
        let whole = advertised.len();
        assert_eq!(end_of_section(&[&advertised[..], b"0009after"].concat()).unwrap(), Some(whole));
        for cut in 0..whole {
            assert_eq!(end_of_section(&advertised[..cut]).unwrap(), None, "{cut}");
        }
        assert!(end_of_section(b"HTTP/1.1 400").is_err());
        assert!(matches!(end_of_section(&said(&[b"ERR no such thing\n"])), Err(GitError::Refused(_))));
    }

    #[test]
    fn a_server_says_which_version_it_speaks() {
        let service: &[u8] = b"# service=git-upload-pack\n";
        for (lines, expected) in [
            (
                &[service, b"", b"version 2\n", b"ls-refs\n", b"fetch=shallow filter\n", b""][..],
                Some(Advertised::Version2 { filters: true, hash: HashKind::Sha1 }),
            ),
            (
                &[b"version 2\n", b"fetch=shallow filters\n", b""],
                Some(Advertised::Version2 { filters: false, hash: HashKind::Sha1 }),
            ),
            (&[b"version 2\n", b""], Some(Advertised::Version2 { filters: false, hash: HashKind::Sha1 })),
            (
                &[service, b"", b"0000000000000000000000000000000000000000 capabilities^{}\0x\n"],
                Some(Advertised::Older),
            ),
            (&[b"ERR nothing here\n"], None),
        ] {
            assert_eq!(advertised(&said(lines)).ok(), expected);
        }
        let named = advertised(&said(&[b"version 2\n", b"object-format=sha256\n", b""])).unwrap();
        assert_eq!(named, Advertised::Version2 { filters: false, hash: HashKind::Sha256 });
        let other = advertised(&said(&[b"version 2\n", b"object-format=sha512\n", b""])).unwrap_err().to_string();
        assert!(other.contains("named by sha512"), "{other}");
        let files = format!("{}\trefs/heads/main\n", "1".repeat(40));
        assert!(advertised(files.as_bytes()).unwrap_err().to_string().contains("dumb HTTP"));
        assert!(advertised(b"<html>").is_err() && advertised(b"00ffx").is_err());
    }

    #[test]
    fn what_is_no_line_is_no_answer() {
        for body in ["0003", "fff1", "-001", "+004", "00g4abcd", "0005", "0006a", "000", "0004 ", "<!doctype html>"] {
            assert!(matches!(advertised(body.as_bytes()), Err(GitError::Protocol(_))), "{body:?}");
            assert!(matches!(refs(body.as_bytes()), Err(GitError::Protocol(_))), "{body:?}");
        }
        // An empty answer, one of marks alone, and a line in capital digits.
        for body in ["", "0000", "000100020000", "000Eversion 2\n"] {
            assert!(advertised(body.as_bytes()).is_ok(), "{body:?}");
        }
    }

    #[test]
    fn what_a_server_says_is_one_line_of_bounded_length() {
        let long = format!("ERR \u{1b}[31mno\r\n{}", "x".repeat(1_000));
        let Err(GitError::Refused(said)) = refs(&said(&[long.as_bytes()])) else { panic!("it is refused") };
        assert!(said.starts_with("[31mno  xxx") && said.len() <= WORDS_BYTES_MAX, "{said:?}");
        // A character that is cut in two.
        let cut = format!("ERR {}ä", "x".repeat(WORDS_BYTES_MAX - 1));
        let Err(GitError::Refused(said)) = refs(&self::said(&[cut.as_bytes()])) else { panic!("it is refused") };
        assert!(said.ends_with("x\u{fffd}"), "{said:?}");
    }

    #[test]
    fn refs_are_read_and_branches_without_a_commit_are_none() {
        let id = "1".repeat(40);
        let body = said(&[
            format!("{id} refs/tags/v1 peeled:{id}\n").as_bytes(),
            b"unborn HEAD symref-target:refs/heads/main\n",
            format!("{id} refs/heads/main\n").as_bytes(),
            b"",
        ]);
        let names: Vec<String> = refs(&body).unwrap().into_iter().map(|found| found.name).collect();
        assert_eq!(names, ["refs/heads/main", "refs/tags/v1"]);
        assert!(refs(&said(&[b"main\n"])).is_err());
        let longer = format!("{} refs/heads/longer\n", "2".repeat(64));
        let mixed = said(&[format!("{id} refs/heads/main\n").as_bytes(), longer.as_bytes(), b""]);
        let why = refs(&mixed).unwrap_err().to_string();
        assert!(why.contains("refs/heads/longer") && why.contains("sha256"), "{why}");
        assert!(matches!(refs(&said(&[b"ERR no\n"])), Err(GitError::Refused(_))));
    }

    #[test]
    fn a_request_has_its_lines_with_their_lengths() {
        let id = ObjectId::from_hex("2".repeat(40).as_bytes()).unwrap();
        let said = |wanted: Wanted<'_>| String::from_utf8(fetch_request("ambit/1", &wanted)).unwrap();
        let body = said(Wanted::New { tips: &[id], known: &[id], files_below: None });
        assert!(body.starts_with("0012command=fetch\n0012agent=ambit/1\n"), "{body}");
        assert!(body.contains(&format!("0032want {id}\n")) && body.ends_with("0009done\n0000"), "{body}");
        let body = said(Wanted::New { tips: &[id], known: &[], files_below: Some(1_000) });
        assert!(body.contains("001bfilter blob:limit=1000\n"), "{body}");
    }

    #[test]
    fn a_pack_is_taken_from_pieces_of_any_length() {
        let body = said(&[b"packfile\n", b"\x01PACK", b"\x02so far", b"\x01 and rest", b""]);
        for step in 1..body.len() {
            let mut writer = PackWriter::new(Vec::new(), 100);
            body.chunks(step).for_each(|piece| writer.write_all(piece).unwrap());
            assert_eq!(writer.finish().unwrap(), (b"PACK and rest".to_vec(), 13), "{step}");
        }
    }

    #[test]
    fn a_server_is_asked_for_no_more_than_is_wanted() {
        let tips = [ObjectId::from_hex("1".repeat(40).as_bytes()).unwrap()];
        let known = [ObjectId::from_hex("2".repeat(40).as_bytes()).unwrap()];
        let lines = |wanted: Wanted<'_>| {
            let body = fetch_request("ambit/1", &wanted);
            let said = lines(&body).unwrap().into_iter().map(|line| String::from_utf8_lossy(line).into_owned());
            let said: Vec<String> = said.filter(|line| !line.contains("ambit/1")).collect();
            let (want, have) = (format!("want {}", tips[0]), format!("have {}", known[0]));
            said[4..].join(" ").replace(&want, "TIP").replace(&have, "KNOWN")
        };
        let (tips, known) = (&tips, &known);
        for (wanted, expected) in [
            (Wanted::New { tips, known, files_below: None }, "TIP KNOWN done"),
            (Wanted::New { tips, known: &[], files_below: Some(9) }, "filter blob:limit=9 TIP done"),
            (Wanted::Commits { tips }, "filter tree:0 TIP done"),
            (Wanted::Newest { tips, files_below: None }, "deepen 1 TIP done"),
            (Wanted::Newest { tips, files_below: Some(0) }, "deepen 1 filter blob:limit=0 TIP done"),
            (Wanted::Files(tips), "TIP done"),
        ] {
            assert_eq!(lines(wanted), expected);
        }
    }

    #[test]
    fn a_pack_that_breaks_off_is_too_large_or_refused_is_none() {
        let cut = &said(&[b"packfile\n", b"\x01PACK"])[..18];
        for (body, bytes_max) in [
            (cut.to_vec(), 100),
            (said(&[b"packfile\n", b"\x01PACK"]), 3),
            (said(&[b"packfile\n", b"\x01PACK", b"\x03out of memory"]), 100),
            (said(&[b"ERR not yours"]), 100),
            (b"<html>".to_vec(), 100),
            (Vec::new(), 100),
        ] {
            let mut writer = PackWriter::new(Vec::new(), bytes_max);
            let written = writer.write_all(&body);
            assert!(written.is_err() || writer.finish().is_err(), "{}", String::from_utf8_lossy(&body));
        }
    }
}
