//! Chunks and pools of strings, of which compiled XML and tables of resources are made.

use crate::bytes::{part, place_at, u16_at};
use crate::error::{AppError, Result};

/// The kind of a chunk that is a pool of strings.
pub(crate) const STRING_POOL: usize = 0x0001;
/// The flag of a pool whose strings are UTF-8.
const UTF8: usize = 0x100;

/// A part of a file: its kind, how long its head is, and all of its bytes.
#[derive(Clone, Copy)]
pub(crate) struct Chunk<'a> {
    pub(crate) kind: usize,
    pub(crate) head: usize,
    pub(crate) bytes: &'a [u8],
}

impl<'a> Chunk<'a> {
    /// What follows its head.
    pub(crate) fn body(&self) -> &'a [u8] {
        &self.bytes[self.head..]
    }
}

/// The chunks in some bytes, one after the other.
pub(crate) struct Chunks<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Chunks<'a> {
    /// The chunks from `at` on.
    pub(crate) fn of(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    fn read(&mut self) -> Result<Chunk<'a>> {
        let (kind, head) = (u16_at(self.bytes, self.at)?, u16_at(self.bytes, self.at + 2)?);
        let size = place_at(self.bytes, self.at + 4)?;
        if head < 8 || size < head {
            return Err(AppError::Broken("a chunk is shorter than its head".into()));
        }
        let bytes = part(self.bytes, self.at, size)?;
        self.at += size;
        Ok(Chunk { kind, head, bytes })
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at.saturating_add(8) > self.bytes.len() {
            return None;
        }
        let chunk = self.read();
        if chunk.is_err() {
            self.at = self.bytes.len();
        }
        Some(chunk)
    }
}

/// A pool of strings.
#[derive(Clone, Copy, Default)]
pub(crate) struct Strings<'a> {
    offsets: &'a [u8],
    data: &'a [u8],
    is_utf8: bool,
}

impl<'a> Strings<'a> {
    /// Reads the head of a pool.
    pub(crate) fn of(chunk: &Chunk<'a>) -> Result<Self> {
        let bytes = chunk.bytes;
        let count = place_at(bytes, 8)?;
        let offsets = part(bytes, chunk.head, count.saturating_mul(4))?;
        let start = place_at(bytes, 20)?.min(bytes.len());
        Ok(Self { offsets, data: &bytes[start..], is_utf8: place_at(bytes, 16)? & UTF8 != 0 })
    }

    /// Returns a string by its number; the number of none is the empty one.
    pub(crate) fn get(&self, at: usize) -> Result<String> {
        if at == u32::MAX as usize {
            return Ok(String::new());
        }
        let data = self.data.get(place_at(self.offsets, at.saturating_mul(4))?..).unwrap_or(&[]);
        if self.is_utf8 {
            let (_, data) = length8(data)?;
            let (length, data) = length8(data)?;
            return Ok(String::from_utf8_lossy(part(data, 0, length)?).into_owned());
        }
        let first = u16_at(data, 0)?;
        let (length, from) =
            if first & 0x8000 == 0 { (first, 2) } else { (((first & 0x7fff) << 16) | u16_at(data, 2)?, 4) };
        let units = part(data, from, length * 2)?.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
        Ok(char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
    }
}

/// A length of one byte or two, and what follows.
fn length8(data: &[u8]) -> Result<(usize, &[u8])> {
    let first = usize::from(part(data, 0, 1)?[0]);
    if first & 0x80 == 0 {
        return Ok((first, &data[1..]));
    }
    Ok((((first & 0x7f) << 8) | usize::from(part(data, 1, 1)?[0]), &data[2..]))
}
