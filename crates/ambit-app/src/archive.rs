//! A zip archive of somebody else, within limits: how many members, how much of each, how much of all.

use crate::error::{AppError, Result};
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// Members of one archive. Programs with very many resources have some 30,000.
const MEMBERS_MAX: usize = 60_000;
/// Members of an archive and of those inside it, together.
const MEMBERS_TOTAL_MAX: usize = 200_000;
/// Bytes of one member, unpacked.
const MEMBER_BYTES_MAX: u64 = 128 * 1_024 * 1_024;
/// Bytes of all members together, unpacked, also of archives inside. What is above is a bomb.
const TOTAL_BYTES_MAX: u64 = 1_024 * 1_024 * 1_024;
/// How many times as long as a member its texts may be before they count as unpacked as well.
const TEXT_TIMES: usize = 4;
/// Bytes from the end within which the directory of an archive must end: its comment has at most 65,535.
const END_BYTES: usize = 22 + 65_535;

/// An archive that is read within limits.
pub(crate) struct Archive<'a> {
    bytes: &'a [u8],
    zip: ZipArchive<Cursor<&'a [u8]>>,
    index: BTreeMap<String, usize>,
    left: u64,
    members_left: usize,
    skipped: Vec<String>,
    left_out: Vec<String>,
}

impl<'a> Archive<'a> {
    /// Opens an archive. Fails if the bytes are none, its members lie over each other or share a name, or there are too
    /// many of them.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self> {
        let count = members_said(bytes)?;
        if count > MEMBERS_MAX {
            return Err(AppError::TooLarge(format!("more than {MEMBERS_MAX} members")));
        }
        let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| AppError::NotAnApp(error.to_string()))?;
        if zip.len() > MEMBERS_MAX {
            return Err(AppError::TooLarge(format!("more than {MEMBERS_MAX} members")));
        }
        if zip.has_duplicate_names() {
            return Err(AppError::Broken("two members have one name".into()));
        }
        if zip.has_overlapping_entries().map_err(|error| AppError::Broken(error.to_string()))? {
            return Err(AppError::Broken("members lie over each other".into()));
        }
        let index = (0..zip.len()).filter_map(|at| Some((zip.name_for_index(at)?.ok()?.into_owned(), at))).collect();
        let members_left = MEMBERS_TOTAL_MAX - zip.len();
        let (skipped, left_out) = (Vec::new(), Vec::new());
        Ok(Self { bytes, zip, index, left: TOTAL_BYTES_MAX, members_left, skipped, left_out })
    }

    /// An archive without members.
    #[cfg(test)]
    pub(crate) fn empty() -> Self {
        let mut end = b"PK\x05\x06".to_vec();
        end.resize(22, 0);
        Self::open(end.leak()).expect("it is one")
    }

    /// Opens an archive that lies in another one, which shares its limits with it.
    pub(crate) fn inside<'b>(bytes: &'b [u8], outer: &Archive<'_>) -> Result<Archive<'b>> {
        let mut inner = Archive::open(bytes)?;
        inner.left = outer.left;
        let members_left = outer.members_left.checked_sub(inner.zip.len());
        let why = || AppError::TooLarge(format!("more than {MEMBERS_TOTAL_MAX} members in all its packages"));
        inner.members_left = members_left.ok_or_else(why)?;
        Ok(inner)
    }

    /// Takes what an archive inside left of the limit, and what it could not read.
    pub(crate) fn take_back(&mut self, inner: Archive<'_>) {
        (self.left, self.members_left) = (inner.left, inner.members_left);
        self.skipped.extend(inner.skipped);
        inner.left_out.into_iter().for_each(|what| self.leave_out(what));
    }

    /// Returns the names of its members, sorted.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.index.keys().map(String::as_str)
    }

    /// Returns whether it has a member of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.index.contains_key(name)
    }

    /// Returns a member unpacked. Fails if there is none, it is broken, or it or all together are too large.
    pub(crate) fn get(&mut self, name: &str) -> Result<Vec<u8>> {
        let broken = |why: String| AppError::Broken(format!("{name}: {why}"));
        let at = *self.index.get(name).ok_or_else(|| broken("it is not there".into()))?;
        let most = MEMBER_BYTES_MAX.min(self.left);
        let member = self.zip.by_index(at).map_err(|error| broken(error.to_string()))?;
        let mut bytes = Vec::new();
        let read = member.take(most + 1).read_to_end(&mut bytes);
        let size = bytes.len() as u64;
        let is_over = size > self.left;
        // Whatever becomes of the member: one that is refused or broken was unpacked all the same.
        self.left = self.left.saturating_sub(size);
        if is_over {
            let mib = TOTAL_BYTES_MAX / 1_024 / 1_024;
            return Err(AppError::TooLarge(format!("it unpacks to more than {mib} MiB")));
        }
        read.map_err(|error| broken(error.to_string()))?;
        if size > MEMBER_BYTES_MAX {
            let mib = MEMBER_BYTES_MAX / 1_024 / 1_024;
            return Err(AppError::TooLarge(format!("{name} unpacks to more than {mib} MiB")));
        }
        Ok(bytes)
    }

    /// Counts texts that were made of so many bytes, where they are much longer: what is named often becomes long.
    /// Fails if all together are too large.
    pub(crate) fn count_texts(&mut self, bytes: usize, of: usize) -> Result<()> {
        let more = bytes.saturating_sub(of.saturating_mul(TEXT_TIMES)) as u64;
        let why = || AppError::TooLarge(format!("its texts have more than {} MiB", TOTAL_BYTES_MAX / 1_024 / 1_024));
        let left = self.left.checked_sub(more).ok_or_else(why);
        self.left = left.as_ref().copied().unwrap_or(0);
        left.map(|_| ())
    }

    /// Notes that a member was not looked through.
    pub(crate) fn skip(&mut self, name: &str) {
        self.skipped.push(name.to_owned());
    }

    /// Notes that something was not kept, a sentence, once.
    pub(crate) fn leave_out(&mut self, what: String) {
        if !self.left_out.contains(&what) {
            self.left_out.push(what);
        }
    }

    /// Returns whether anything may still be unpacked.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.left == 0
    }

    /// Returns what stands before the directory of the archive, where signatures are.
    pub(crate) fn before_directory(&self) -> &'a [u8] {
        let end = usize::try_from(self.zip.central_directory_start()).unwrap_or(usize::MAX);
        &self.bytes[..end.min(self.bytes.len())]
    }

    /// Returns the names of what was not looked through, and sentences on what was not kept.
    pub(crate) fn into_skipped(self) -> (Vec<String>, Vec<String>) {
        (self.skipped, self.left_out)
    }
}

/// Returns how many members an archive says it has; 65,535 where there are as many or more, or where its directory lies
/// beyond four gibibytes, which that of no app does: then a record elsewhere says how many. Of several ends, of which
/// an earlier one counts where a later one is broken, the largest is told.
fn members_said(bytes: &[u8]) -> Result<usize> {
    let tail = &bytes[bytes.len().saturating_sub(END_BYTES)..];
    let ends = tail.windows(22).filter(|end| end.starts_with(b"PK\x05\x06"));
    let said = ends.map(|end| match end[12..16] == [0xff; 4] || end[16..20] == [0xff; 4] {
        true => usize::from(u16::MAX),
        false => usize::from(u16::from_le_bytes([end[10], end[11]])),
    });
    said.max().ok_or_else(|| match bytes.starts_with(b"PK") {
        true => AppError::NotAnApp("its zip archive breaks off: the directory at its end is missing".into()),
        false => AppError::NotAnApp("it is no zip archive".into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use zip::write::{SimpleFileOptions, ZipWriter};

    /// An archive of members that are not packed, each of a hundred bytes.
    fn archive(names: &[&str]) -> Vec<u8> {
        let mut out = ZipWriter::new(Cursor::new(Vec::new()));
        let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        for name in names {
            out.start_file(*name, stored).unwrap();
            out.write_all(&[b'x'; 100]).unwrap();
        }
        out.finish().unwrap().into_inner()
    }

    #[test]
    fn an_archive_that_unpacks_to_more_than_its_limit_is_refused_and_not_cut_short() {
        let bytes = archive(&["a", "b", "c"]);
        let looked = |left: u64| {
            let mut archive = Archive::open(&bytes).unwrap();
            archive.left = left;
            crate::strings::of_members(&mut archive, "", &mut |_| ()).map(|()| archive.into_skipped().0)
        };
        assert_eq!(looked(300), Ok(Vec::new()));
        let refused = AppError::TooLarge("it unpacks to more than 1024 MiB".to_owned());
        for left in [0, 99, 150, 299] {
            assert_eq!(looked(left).as_ref(), Err(&refused), "{left}");
        }
    }

    #[test]
    fn members_of_archives_inside_are_counted_together() {
        let bytes = archive(&["a", "b", "c"]);
        let mut outer = Archive::open(&bytes).unwrap();
        outer.members_left = 6;
        for _ in 0..2 {
            let inner = Archive::inside(&bytes, &outer).unwrap();
            outer.take_back(inner);
        }
        assert!(matches!(Archive::inside(&bytes, &outer), Err(AppError::TooLarge(_))));
    }

    #[test]
    fn texts_that_become_long_by_being_named_often_count_as_unpacked() {
        let text = "long ".repeat(1_000);
        let mut list = b"bplist00".to_vec();
        list.extend([&[0xaf, 0x10, 100][..], &[1; 100], &[0x5f, 0x11, 0x13, 0x88], text.as_bytes()].concat());
        let table = u64::try_from(list.len()).unwrap();
        list.extend([8, 8 + 103, 0, 0, 0, 0, 0, 0, 1, 1]);
        list.extend([2, 0, table].iter().flat_map(|number| number.to_be_bytes()));
        let mut out = ZipWriter::new(Cursor::new(Vec::new()));
        out.start_file("a.plist", SimpleFileOptions::default()).unwrap();
        out.write_all(&list).unwrap();
        let bytes = out.finish().unwrap().into_inner();
        let looked = |left: u64| {
            let mut archive = Archive::open(&bytes).unwrap();
            archive.left = left;
            let mut texts = 0;
            let done = crate::strings::of_members(&mut archive, "", &mut |piece| texts += piece.text.len());
            (done.is_ok(), texts > 500_000, archive.left)
        };
        assert_eq!(looked(100_000), (false, true, 0));
        let (is_read, is_long, left) = looked(1_000_000);
        assert!(is_read && is_long && (500_000..550_000).contains(&left), "{left}");
    }

    #[test]
    fn an_archive_that_says_elsewhere_how_many_members_it_has_is_refused_before_they_are_read() {
        let good = archive(&["a"]);
        let end = good.len() - 22;
        for at in [12, 16] {
            let mut bytes = good.clone();
            bytes[end + at..end + at + 4].fill(0xff);
            assert_eq!(Archive::open(&bytes).err(), Some(AppError::TooLarge("more than 60000 members".into())), "{at}");
            // The last end is broken, so that the one before it counts.
            bytes.extend([&b"PK\x05\x06"[..], &[0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]].concat());
            assert_eq!(members_said(&bytes), Ok(65_535), "{at}");
        }
        assert_eq!(members_said(&good), Ok(1));
    }

    #[test]
    fn what_is_broken_counts_as_well() {
        let mut bytes = archive(&["a", "b"]);
        let content = bytes.windows(100).position(|window| window == [b'x'; 100]).unwrap();
        bytes[content] = b'y';
        let mut archive = Archive::open(&bytes).unwrap();
        archive.left = 150;
        assert!(matches!(archive.get("a"), Err(AppError::Broken(_))));
        assert!(matches!(archive.get("b"), Err(AppError::TooLarge(_))));
    }
}
