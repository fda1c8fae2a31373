//! Files of rules that tell secrets, as `ambit packs add` takes them: known by what they hold.

use super::fingerprints::LEFT_OUT_SHOWN;
use super::{FILES_MAX, files_below, text_of};
use crate::failure::{Failure, Result};
use crate::output::{hint, plain};
use ambit_secrets::{LeftOut, PACK_BYTES_MAX, is_pack, read_pack};
use std::path::Path;

/// The ending of files with such rules.
const ENDING: &str = "toml";

/// Files of rules.
pub(super) struct Secrets {
    /// Name and text of each.
    pub(super) sources: Vec<(String, String)>,
    /// How many rules there are.
    pub(super) rules: i64,
}

/// Returns whether a file may hold such rules, by its name.
pub(super) fn may_hold(path: &Path) -> bool {
    path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| ending.eq_ignore_ascii_case(ENDING))
}

/// Returns the files that hold such rules; none where no file does. Fails if a file cannot be read or something is
/// wrong with it, and says where.
pub(super) fn secrets(path: &Path) -> Result<Option<Secrets>> {
    let files = match path.is_dir() {
        true => files_below(path, FILES_MAX, &may_hold)?,
        false => vec![path.to_owned()].into_iter().filter(|path| may_hold(path)).collect(),
    };
    let (mut sources, mut rules, mut left_out) = (Vec::new(), 0, Vec::new());
    for file in files {
        let text = text_of(&file, PACK_BYTES_MAX as u64)?;
        if !is_pack(&text) {
            continue;
        }
        let read = read_pack(&text);
        let pack = read.map_err(|why| Failure::usage(format!("{}: {}", file.display(), plain(&why))))?;
        rules += pack.count();
        left_out.extend(pack.left_out);
        let below = file.strip_prefix(path).ok().filter(|below| !below.as_os_str().is_empty());
        let name = below.unwrap_or(Path::new(file.file_name().unwrap_or_default())).display().to_string();
        sources.push((name, text));
    }
    tell(&left_out);
    if rules == 0 && !sources.is_empty() {
        return Err(Failure::usage(format!("{} has no rule that can be used", path.display())));
    }
    let rules = i64::try_from(rules).unwrap_or(i64::MAX);
    Ok((!sources.is_empty()).then_some(Secrets { sources, rules }))
}

/// Says which rules cannot be used, all of them: whoever loads rules relies on each.
fn tell(left_out: &[LeftOut]) {
    for one in left_out.iter().take(LEFT_OUT_SHOWN) {
        hint(&format!("left out: {}: {}", plain(&one.rule), plain(&one.why)));
    }
    if left_out.len() > LEFT_OUT_SHOWN {
        let names: Vec<String> = left_out[LEFT_OUT_SHOWN..].iter().map(|one| plain(&one.rule).to_string()).collect();
        hint(&format!("left out as well: {}", names.join(", ")));
    }
}
