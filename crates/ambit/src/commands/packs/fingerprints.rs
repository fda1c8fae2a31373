//! Files of rules that tell products, as `ambit packs add` takes them: known by what they hold.

use super::{FILES_MAX, files_below, unreadable};
use crate::failure::{Failure, Result};
use crate::output::{hint, plain};
use ambit_fingerprints::{LeftOut, PACK_BYTES_MAX, PATHS_MAX, detect, load, may_begin};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Endings of files in a folder that may hold such rules.
const ENDINGS: [&str; 4] = ["xml", "json", "yaml", "yml"];
/// Bytes by which a file is taken for one: a note of rights may stand above what it holds.
const HEAD_BYTES: usize = 64 << 10;
/// Files of a folder of which the beginnings are read to know what it holds.
const BEGUN_MAX: usize = 20_000;
/// Bytes of the files of one pack.
const BYTES_MAX: usize = 128 << 20;
/// Patterns that are named where they cannot be used.
pub(super) const LEFT_OUT_SHOWN: usize = 20;
/// Files of a folder that are named where they are refused: whoever mends them needs each.
const REFUSED_SHOWN: usize = 500;

/// Files of rules.
pub(super) struct Fingerprints {
    /// Name and text of each.
    pub(super) sources: Vec<(String, String)>,
    /// How many rules there are.
    pub(super) rules: i64,
    /// How many files of the folder were refused.
    pub(super) refused: usize,
}

/// Returns the files that hold such rules; none where no file does.
///
/// A file of a folder that is broken is named and left out; one that was named itself is refused. Fails if a file
/// cannot be read, or with what is wrong with the one that was named, or with all, and where.
pub(super) fn fingerprints(path: &Path) -> Result<Option<Fingerprints>> {
    let files = if path.is_dir() { files_below(path, FILES_MAX, &may_hold)? } else { vec![path.to_owned()] };
    let (mut sources, mut rules, mut left_out, mut bytes, mut refused) = (Vec::new(), 0, Vec::new(), 0, Vec::new());
    let (mut others, mut paths) = (Vec::new(), BTreeSet::new());
    for file in files {
        let below = file.strip_prefix(path).ok().filter(|below| !below.as_os_str().is_empty());
        let name = below.unwrap_or(Path::new(file.file_name().unwrap_or_default())).display().to_string();
        let text = match text(&file)? {
            // Of a file that was named itself the caller says what else it may be.
            Found::Other if !path.is_dir() => continue,
            Found::Other => {
                others.push(format!("{}: it holds no known rules", plain(&name)));
                continue;
            }
            Found::Binary => {
                refused.push(format!("{name}: it is not UTF-8 text"));
                continue;
            }
            Found::Rules(text) => text,
        };
        bytes += text.len();
        if bytes > BYTES_MAX {
            return Err(Failure::usage(format!("{} holds more than {BYTES_MAX} bytes of rules", path.display())));
        }
        match load(&name, text.as_bytes()) {
            Ok(pack) => {
                rules += i64::try_from(pack.len()).unwrap_or(i64::MAX);
                paths.extend(pack.paths().map(str::to_owned));
                left_out.extend(pack.left_out);
                sources.push((name, text));
            }
            Err(error) => refused.push(plain(&error.to_string())),
        }
    }
    if let Some(first) = refused.first().filter(|_| sources.is_empty()) {
        return Err(Failure::usage(format!("{}: {first}", path.display())));
    }
    if sources.is_empty() {
        return Ok(None);
    }
    tell(&refused, REFUSED_SHOWN);
    tell(&others, LEFT_OUT_SHOWN);
    let left_out: Vec<String> =
        left_out.iter().map(|one: &LeftOut| format!("{}: {}", plain(&one.place), plain(&one.why))).collect();
    tell(&left_out, LEFT_OUT_SHOWN);
    if paths.len() > PATHS_MAX {
        let count = paths.len();
        hint(&format!(
            "its rules request {count} pages: of each site, only the {PATHS_MAX} that most rules name are requested"
        ));
    }
    Ok(Some(Fingerprints { sources, rules, refused: refused.len() }))
}

/// Returns whether a file holds such rules.
pub(super) fn tells_products(path: &Path) -> Result<bool> {
    Ok(!matches!(text(path)?, Found::Other))
}

/// Returns whether a folder has a file with such rules, judging by the beginnings of its files. Other files are
/// ignored.
pub(super) fn holds_rules(folder: &Path) -> Result<bool> {
    for file in files_below(folder, usize::MAX, &may_hold)?.iter().take(BEGUN_MAX) {
        let mut beginning = Vec::new();
        let read = File::open(file).and_then(|file| file.take(HEAD_BYTES as u64).read_to_end(&mut beginning));
        read.map_err(|error| unreadable(file, &error))?;
        if detect(&beginning).is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(super) fn may_hold(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

/// What a file is.
enum Found {
    /// Something else.
    Other,
    /// It begins like one that holds rules for products, and its bytes are no text.
    Binary,
    /// It holds rules for products.
    Rules(String),
}

fn text(path: &Path) -> Result<Found> {
    let mut file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let mut bytes = Vec::new();
    let mut read = |most: usize, bytes: &mut Vec<u8>| {
        file.by_ref().take(most as u64).read_to_end(bytes).map_err(|error| unreadable(path, &error))
    };
    // What begins otherwise is no such file, however large it is.
    read(HEAD_BYTES, &mut bytes)?;
    if !may_begin(&bytes) {
        return Ok(Found::Other);
    }
    read(PACK_BYTES_MAX, &mut bytes)?;
    if detect(&bytes).is_none() {
        return Ok(Found::Other);
    }
    Ok(String::from_utf8(bytes).map_or(Found::Binary, Found::Rules))
}

/// Lists on stderr what cannot be used.
fn tell(left_out: &[String], shown: usize) {
    for one in left_out.iter().take(shown) {
        hint(&format!("left out: {one}"));
    }
    if left_out.len() > shown {
        hint(&format!("left out: {} more", left_out.len() - shown));
    }
}
