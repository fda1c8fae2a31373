//! Lists of platforms, as `ambit packs add` takes them: known by what they hold.

use super::fingerprints::LEFT_OUT_SHOWN;
use super::{FILES_MAX, files_below, text_of};
use crate::failure::{Failure, Result};
use crate::output::{hint, plain};
use ambit_model::platforms::pack::{PACK_BYTES_MAX, is_pack, read_pack};
use std::path::Path;

/// The ending of files with such lists.
const ENDING: &str = "json";

/// Lists of platforms.
pub(super) struct Platforms {
    /// Name and text of each.
    pub(super) sources: Vec<(String, String)>,
    /// How many ranges and names there are.
    pub(super) entries: i64,
}

/// Returns whether a file holds such a list. Fails if it cannot be read.
pub(super) fn lists_platforms(path: &Path) -> Result<bool> {
    Ok(may_hold(path) && path.metadata().is_ok_and(|file| file.len() <= PACK_BYTES_MAX as u64) && is_pack(&text(path)?))
}

/// Returns the lists of a file or folder; none where no file holds one. Fails if a file cannot be read or has nothing
/// that can be used, and says where.
pub(super) fn platforms(path: &Path) -> Result<Option<Platforms>> {
    let files = if path.is_dir() { files_below(path, FILES_MAX, &may_hold)? } else { vec![path.to_owned()] };
    let (mut sources, mut entries, mut left_out) = (Vec::new(), 0, Vec::new());
    for file in files {
        if !lists_platforms(&file)? {
            continue;
        }
        let text = text(&file)?;
        let read = read_pack(&text).map_err(|why| Failure::usage(format!("{}: {}", file.display(), plain(&why))))?;
        entries += read.len();
        left_out.extend(read.left_out);
        let below = file.strip_prefix(path).ok().filter(|below| !below.as_os_str().is_empty());
        let name = below.unwrap_or(Path::new(file.file_name().unwrap_or_default())).display().to_string();
        sources.push((name, text));
    }
    for one in left_out.iter().take(LEFT_OUT_SHOWN) {
        hint(&format!("left out: {}", plain(one)));
    }
    if left_out.len() > LEFT_OUT_SHOWN {
        hint(&format!("left out: {} more", left_out.len() - LEFT_OUT_SHOWN));
    }
    let entries = i64::try_from(entries).unwrap_or(i64::MAX);
    Ok((!sources.is_empty()).then_some(Platforms { sources, entries }))
}

fn text(path: &Path) -> Result<String> {
    text_of(path, PACK_BYTES_MAX as u64)
}

fn may_hold(path: &Path) -> bool {
    path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| ending.eq_ignore_ascii_case(ENDING))
}
