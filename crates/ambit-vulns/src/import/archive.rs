//! Archives of feeds (ZIP), as OSV and the list of CVE records are published: each member is read as a feed of its own,
//! one at a time.

use super::{FEED_BYTES_MAX, ImportError, Sink, unpacked};
use std::fs::File;
use std::io::{BufReader, Error, ErrorKind, Read as _};
use zip::ZipArchive;

/// The beginning of such an archive that has members.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";
/// Members: every CVE record there is, for some years to come.
const MEMBERS_MAX: usize = 2_000_000;
/// The ending of members that are read.
const ENDING: &str = ".json";

/// Reads every member that is JSON, and returns how many records they had. Those of none that is known are passed over,
/// where there is another.
pub(super) fn read(file: File, sink: &mut Sink<'_>) -> Result<usize, ImportError> {
    let broken = |error: &dyn std::fmt::Display| Error::new(ErrorKind::InvalidData, format!("no archive: {error}"));
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|error| broken(&error))?;
    if archive.len() > MEMBERS_MAX {
        return Err(broken(&format!("it has more than {MEMBERS_MAX} files")).into());
    }
    let (mut count, mut is_known, mut left) = (0, false, FEED_BYTES_MAX);
    for number in 0..archive.len() {
        let member = archive.by_index(number).map_err(|error| broken(&error))?;
        let name = member.name().map_err(|error| broken(&error))?.into_owned();
        if !name.to_ascii_lowercase().ends_with(ENDING) {
            continue;
        }
        // The sizes that the archive states may be wrong, so unpacked bytes are counted.
        left = left.checked_sub(member.size()).ok_or_else(|| broken(&"it unpacks to more than a feed may have"))?;
        let most = member.size();
        let stem = name.rsplit('/').next().unwrap_or_default();
        let stem = stem.split_once('.').map_or(stem, |(stem, _)| stem).to_owned();
        match unpacked(member.take(most), &stem, sink) {
            Ok(read) => (count, is_known) = (count + read, true),
            Err(ImportError::Unknown) => {}
            Err(source) => return Err(ImportError::Member { name, source: Box::new(source) }),
        }
    }
    if is_known { Ok(count) } else { Err(ImportError::Unknown) }
}
