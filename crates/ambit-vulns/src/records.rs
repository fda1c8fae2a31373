//! A file of vulnerabilities, sorted by id, and of the products that they concern. It is written once and read in
//! place: nothing of it is kept in memory, a look-up reads some hundred bytes.
//!
//! The records come first, each packed; then a table of them by id, the criteria of each product, a table of the
//! products by name, ids that are no CVE and names of products, what the file says of itself, and where each part
//! begins. Numbers are little-endian.

use crate::vulnerability::{CveId, Id, Vulnerability};
use serde::de::DeserializeOwned;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::fs::File;
use std::io::{BufWriter, Error, ErrorKind, Result, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use zstd::bulk::Decompressor;

const MAGIC: &[u8; 8] = b"AMBITVU1";
/// Bytes of a row of the table by id: year, number, place, length. The year 0 marks an id that is no CVE; the number
/// says where it stands among the names, behind a byte with its length.
const ID_ROW: usize = 18;
/// Bytes of a row of the table of products: place and length of its name, place and length of its criteria.
const PRODUCT_ROW: usize = 24;
/// Bytes of the end: six places, and the magic.
const END: usize = 6 * 8 + 8;
/// Bytes of one packed record, and of what it is unpacked to.
const RECORD_BYTES_MAX: usize = 64 << 20;

/// Where a record lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) at: u64,
    pub(crate) length: u32,
}

/// A file that is being written.
pub(crate) struct Writer {
    out: BufWriter<File>,
    at: u64,
    ids: Vec<(Id, Extent)>,
}

impl Writer {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let file = File::options().write(true).read(true).create(true).truncate(true).open(path)?;
        Ok(Self { out: BufWriter::with_capacity(1 << 20, file), at: 0, ids: Vec::new() })
    }

    /// Adds a record; those of one id may come several times, ids in any order.
    pub(crate) fn add(&mut self, id: Id, known: &Vulnerability) -> Result<Extent> {
        let packed = zstd::bulk::compress(&serde_json::to_vec(known)?, 1)?;
        let place = self.write(&packed)?;
        self.ids.push((id, place));
        Ok(place)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<Extent> {
        let length = u32::try_from(bytes.len()).map_err(|_| Error::new(ErrorKind::InvalidData, "it is too long"))?;
        let place = Extent { at: self.at, length };
        self.out.write_all(bytes)?;
        self.at += u64::from(length);
        Ok(place)
    }

    /// Writes tables and end. `products` are sorted by name; the criteria of each are those that the function writes.
    pub(crate) fn finish<'p>(
        mut self,
        products: impl IntoIterator<Item = (&'p str, Vec<u8>)>,
        about: &impl serde::Serialize,
    ) -> Result<()> {
        self.ids.sort_by_key(|(id, place)| (*id, place.at));
        let (ids_at, mut names) = (self.at, Vec::new());
        for (id, place) in std::mem::take(&mut self.ids) {
            let mut row = [0; ID_ROW];
            let (year, number) = match id {
                Id::Cve(id) => (id.year, id.number),
                Id::Other(_) => (0, note(&mut names, &id.to_string())?),
            };
            row[..2].copy_from_slice(&year.to_le_bytes());
            row[2..6].copy_from_slice(&number.to_le_bytes());
            row[6..14].copy_from_slice(&place.at.to_le_bytes());
            row[14..].copy_from_slice(&place.length.to_le_bytes());
            self.write(&row)?;
        }
        let mut rows = Vec::new();
        let criteria_at = self.at;
        for (name, criteria) in products {
            let place = self.write(&criteria)?;
            let name_at = names.len() as u64;
            names.extend_from_slice(name.as_bytes());
            let mut row = [0; PRODUCT_ROW];
            row[..8].copy_from_slice(&name_at.to_le_bytes());
            row[8..12].copy_from_slice(&u32::try_from(name.len()).unwrap_or(u32::MAX).to_le_bytes());
            row[12..20].copy_from_slice(&place.at.to_le_bytes());
            row[20..].copy_from_slice(&place.length.to_le_bytes());
            rows.extend_from_slice(&row);
        }
        let products_at = self.at;
        self.write(&rows)?;
        let names_at = self.at;
        self.write(&names)?;
        let about_at = self.at;
        self.write(&serde_json::to_vec(about)?)?;
        for place in [ids_at, criteria_at, products_at, names_at, about_at, self.at] {
            self.out.write_all(&place.to_le_bytes())?;
        }
        self.out.write_all(MAGIC)?;
        self.out.flush()?;
        self.out.get_ref().sync_all()
    }
}

/// A finished file.
#[derive(Debug)]
pub(crate) struct Records {
    file: File,
    ids_at: u64,
    count: u64,
    products_at: u64,
    products: u64,
    names_at: u64,
    about: Vec<u8>,
}

fn damaged() -> Error {
    Error::new(ErrorKind::InvalidData, "it is not a file of vulnerabilities, or was cut short: add the pack again")
}

impl Records {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let mut file = File::open(path)?;
        let size = file.seek(SeekFrom::End(0))?;
        let end_at = size.checked_sub(END as u64).ok_or_else(damaged)?;
        let mut end = [0; END];
        file.read_exact_at(&mut end, end_at)?;
        if &end[END - 8..] != MAGIC {
            return Err(damaged());
        }
        let place = |at: usize| number(&end[at * 8..at * 8 + 8]);
        let [ids_at, criteria_at, products_at, names_at, about_at, about_end] = [0, 1, 2, 3, 4, 5].map(place);
        let places = [ids_at, criteria_at, products_at, names_at, about_at, about_end, end_at];
        if !places.is_sorted() || about_end - about_at > RECORD_BYTES_MAX as u64 {
            return Err(damaged());
        }
        let mut about = vec![0; usize::try_from(about_end - about_at).map_err(|_| damaged())?];
        file.read_exact_at(&mut about, about_at)?;
        let count = (criteria_at - ids_at) / ID_ROW as u64;
        let products = (names_at - products_at) / PRODUCT_ROW as u64;
        Ok(Self { file, ids_at, count, products_at, products, names_at, about })
    }

    /// What the file says of itself.
    pub(crate) fn about<T: DeserializeOwned>(&self) -> Result<T> {
        Ok(serde_json::from_slice(&self.about)?)
    }

    /// How many records it has.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Id and place of a record by its number.
    pub(crate) fn row(&self, number_of: u64) -> Result<(Id, Extent)> {
        let mut row = [0; ID_ROW];
        self.file.read_exact_at(&mut row, self.ids_at + number_of * ID_ROW as u64)?;
        let id = match (number(&row[..2]) as u16, number(&row[2..6]) as u32) {
            (0, at) => self.other_id(u64::from(at))?,
            (year, number) => Id::Cve(CveId { year, number }),
        };
        Ok((id, Extent { at: number(&row[6..14]), length: number(&row[14..]) as u32 }))
    }

    /// The id that stands at a place among the names.
    fn other_id(&self, at: u64) -> Result<Id> {
        let mut length = [0];
        self.file.read_exact_at(&mut length, self.names_at + at)?;
        let mut text = vec![0; usize::from(length[0])];
        self.file.read_exact_at(&mut text, self.names_at + at + 1)?;
        let id = std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok());
        id.map(Id::Other).ok_or_else(damaged)
    }

    pub(crate) fn record(&self, place: Extent) -> Result<Vulnerability> {
        Ok(serde_json::from_slice(&unpacked(&self.bytes(place)?)?)?)
    }

    fn bytes(&self, place: Extent) -> Result<Vec<u8>> {
        if place.length as usize > RECORD_BYTES_MAX {
            return Err(damaged());
        }
        let mut bytes = vec![0; place.length as usize];
        self.file.read_exact_at(&mut bytes, place.at)?;
        Ok(bytes)
    }

    /// Returns the record of an id; `None` where there is none.
    pub(crate) fn find(&self, id: Id) -> Result<Option<Vulnerability>> {
        let found = self.search(self.count, |at| Ok(self.row(at)?.0.cmp(&id)))?;
        found.map(|at| self.record(self.row(at)?.1)).transpose()
    }

    /// Returns the criteria of a product, as they were written; `None` where there is none of that name.
    pub(crate) fn product(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let found = self.search(self.products, |at| {
            let row = self.product_row(at)?;
            let mut known = vec![0; number(&row[8..12]) as usize];
            self.file.read_exact_at(&mut known, self.names_at + number(&row[..8]))?;
            Ok(known.as_slice().cmp(name.as_bytes()))
        })?;
        let Some(at) = found else { return Ok(None) };
        let row = self.product_row(at)?;
        self.bytes(Extent { at: number(&row[12..20]), length: number(&row[20..]) as u32 }).map(Some)
    }

    fn product_row(&self, at: u64) -> Result<[u8; PRODUCT_ROW]> {
        let mut row = [0; PRODUCT_ROW];
        self.file.read_exact_at(&mut row, self.products_at + at * PRODUCT_ROW as u64)?;
        Ok(row)
    }

    fn search(&self, count: u64, compare: impl Fn(u64) -> Result<Ordering>) -> Result<Option<u64>> {
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            match compare(middle)? {
                Ordering::Equal => return Ok(Some(middle)),
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }
}

/// Adds an id behind its length to the names, and returns where it stands.
fn note(names: &mut Vec<u8>, id: &str) -> Result<u32> {
    let (Ok(at), Ok(length)) = (u32::try_from(names.len()), u8::try_from(id.len())) else {
        return Err(Error::new(ErrorKind::InvalidData, "it has more ids than a file can hold"));
    };
    names.push(length);
    names.extend_from_slice(id.as_bytes());
    Ok(at)
}

thread_local! {
    /// What unpacks records: making it costs more than unpacking one.
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// A record unpacked, of which its first bytes say how long it is.
fn unpacked(packed: &[u8]) -> Result<Vec<u8>> {
    let length = zstd::zstd_safe::get_frame_content_size(packed).ok().flatten().ok_or_else(damaged)?;
    let length = usize::try_from(length).ok().filter(|length| *length <= RECORD_BYTES_MAX).ok_or_else(damaged)?;
    UNPACKER.with_borrow_mut(|unpacker| {
        let unpacker = match unpacker {
            Some(unpacker) => unpacker,
            None => unpacker.insert(Decompressor::new()?),
        };
        unpacker.decompress(packed, length)
    })
}

/// A number of at most eight bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}
