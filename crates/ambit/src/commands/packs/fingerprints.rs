//! Files of rules that tell products, as `ambit packs add` takes them: known by what they hold.

use super::{FILES_MAX, files_below, unreadable};
use crate::failure::Failure;
use crate::output::{hint, plain};
use ambit_fingerprints::{LeftOut, PACK_BYTES_MAX, detect, load, may_begin};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Endings of files in a folder that may hold such rules.
const ENDINGS: [&str; 4] = ["xml", "json", "yaml", "yml"];
/// Bytes by which a file is taken for one: a note of rights may stand above what it holds.
const HEAD_BYTES: usize = 4 << 10;
/// Bytes of the files of one pack.
const BYTES_MAX: usize = 128 << 20;
/// Patterns that are named where they cannot be used.
pub(super) const LEFT_OUT_SHOWN: usize = 20;

/// Files of rules.
pub(super) struct Fingerprints {
    /// Name and text of each.
    pub(super) sources: Vec<(String, String)>,
    /// How many rules there are.
    pub(super) rules: i64,
}

/// Returns the files that hold such rules; none where no file does.
///
/// # Errors
/// That a file cannot be read, or what is wrong with it and where.
pub(super) fn fingerprints(path: &Path) -> Result<Option<Fingerprints>, Failure> {
    let files = match path.is_dir() {
        true => files_below(path, FILES_MAX, &may_hold)?,
        false => vec![path.to_owned()],
    };
    let (mut sources, mut rules, mut left_out, mut bytes) = (Vec::new(), 0, Vec::new(), 0);
    for file in files {
        let Some(text) = text(&file)? else { continue };
        let below = file.strip_prefix(path).ok().filter(|below| !below.as_os_str().is_empty());
        let name = below.unwrap_or(Path::new(file.file_name().unwrap_or_default())).display().to_string();
        let pack = load(&name, text.as_bytes())
            .map_err(|error| Failure::usage(format!("{}: {}", path.display(), plain(&error.to_string()))))?;
        bytes += text.len();
        if bytes > BYTES_MAX {
            return Err(Failure::usage(format!("{} holds more than {BYTES_MAX} bytes of rules", path.display())));
        }
        rules += i64::try_from(pack.len()).unwrap_or(i64::MAX);
        left_out.extend(pack.left_out);
        sources.push((name, text));
    }
    tell(&left_out);
    Ok((!sources.is_empty()).then_some(Fingerprints { sources, rules }))
}

/// Returns whether a file holds such rules.
pub(super) fn tells_products(path: &Path) -> Result<bool, Failure> {
    Ok(text(path)?.is_some())
}

fn may_hold(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

/// The text of a file that holds rules for products; none where it holds something else.
fn text(path: &Path) -> Result<Option<String>, Failure> {
    let mut file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let mut bytes = Vec::new();
    let mut read = |most: usize, bytes: &mut Vec<u8>| {
        file.by_ref().take(most as u64).read_to_end(bytes).map_err(|error| unreadable(path, &error))
    };
    // What begins otherwise is no such file, however large it is.
    read(HEAD_BYTES, &mut bytes)?;
    if !may_begin(&bytes) {
        return Ok(None);
    }
    read(PACK_BYTES_MAX, &mut bytes)?;
    if detect(&bytes).is_none() {
        return Ok(None);
    }
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|_| Failure::usage(format!("{} is no text in UTF-8", path.display())))
}

/// Says what of a pack cannot be used.
fn tell(left_out: &[LeftOut]) {
    for one in left_out.iter().take(LEFT_OUT_SHOWN) {
        hint(&format!("left out: {}: {}", plain(&one.place), plain(&one.why)));
    }
    if left_out.len() > LEFT_OUT_SHOWN {
        hint(&format!("left out: {} more", left_out.len() - LEFT_OUT_SHOWN));
    }
}
