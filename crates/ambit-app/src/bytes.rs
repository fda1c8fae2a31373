//! Numbers and parts of bytes that may end anywhere.

use crate::error::{AppError, Result};

/// Returns the part of `bytes` from `at` on. Fails if it ends before.
pub(crate) fn part(bytes: &[u8], at: usize, length: usize) -> Result<&[u8]> {
    at.checked_add(length).and_then(|end| bytes.get(at..end)).ok_or_else(|| AppError::Broken("it ends early".into()))
}

/// Returns the two-byte number at `at`, the lowest byte first.
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Result<usize> {
    let part = part(bytes, at, 2)?;
    Ok(usize::from(u16::from_le_bytes([part[0], part[1]])))
}

/// Returns the four-byte number at `at`, the lowest byte first.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Result<u32> {
    let part = part(bytes, at, 4)?;
    Ok(u32::from_le_bytes([part[0], part[1], part[2], part[3]]))
}

/// Returns the four-byte number at `at` as a place in the bytes.
pub(crate) fn place_at(bytes: &[u8], at: usize) -> Result<usize> {
    Ok(u32_at(bytes, at)? as usize)
}

/// Returns what follows a length of four bytes, and what follows that.
pub(crate) fn counted(bytes: &[u8]) -> Result<(&[u8], &[u8])> {
    let length = place_at(bytes, 0)?;
    let inner = part(bytes, 4, length)?;
    Ok((inner, &bytes[4 + length..]))
}

/// Returns the number of seven bits a byte at the start, the lowest first, and what follows.
pub(crate) fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0_u64;
    for (at, byte) in bytes.iter().enumerate().take(10) {
        number |= u64::from(byte & 0x7f).checked_shl(u32::try_from(at * 7).ok()?).unwrap_or(0);
        if byte & 0x80 == 0 {
            return Some((number, &bytes[at + 1..]));
        }
    }
    None
}
