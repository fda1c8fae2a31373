//! Programs of React Native as Hermes compiles them: their strings, which lie side by side without anything between.

use crate::bytes::{part, place_at};
use crate::error::{AppError, Result};
use std::ops::RangeInclusive;

/// What a program begins with.
pub(crate) const MAGIC: &[u8] = b"\xc6\x1f\xbc\x03\xc1\x03\x19\x1f";
/// Versions whose strings lie where they are read here.
const VERSIONS: RangeInclusive<usize> = 71..=99;
/// The version since which the head of a function is shorter.
const SHORT_HEADS_SINCE: usize = 97;
/// Bytes of the head of a program.
const HEAD_BYTES: usize = 128;
/// The length of a string that has its place in the second table.
const IN_SECOND_TABLE: usize = 0xff;

/// Returns the strings of a program of at least so many letters, a line each. Fails if its version is not known, or a
/// table ends early.
pub(crate) fn strings(bytes: &[u8], letters_min: usize) -> Result<String> {
    let version = place_at(bytes, 8)?;
    if !VERSIONS.contains(&version) {
        return Err(AppError::Broken(format!("version {version} of a program of Hermes is not known")));
    }
    let count = |at: usize| place_at(bytes, 40 + 4 * at);
    let (functions, kinds, identifiers) = (count(0)?, count(1)?, count(2)?);
    let (strings, seconds, storage) = (count(3)?, count(4)?, count(5)?);
    let function = if version < SHORT_HEADS_SINCE { 16 } else { 12 };
    let mut at = HEAD_BYTES;
    let mut table = |count: usize, size: usize| -> Result<&[u8]> {
        let found = part(bytes, at, count.saturating_mul(size))?;
        at += found.len();
        Ok(found)
    };
    table(functions, function)?;
    table(kinds, 4)?;
    table(identifiers, 4)?;
    let (firsts, seconds, storage) = (table(strings, 4)?, table(seconds, 8)?, table(storage, 1)?);
    let mut text = String::new();
    for first in (0..strings).map(|at| place_at(firsts, 4 * at)) {
        let first = first?;
        let (is_wide, place, length) = (first & 1 == 1, (first >> 1) & 0x7f_ffff, first >> 24);
        let (place, length) = match length {
            IN_SECOND_TABLE => (place_at(seconds, 8 * place)?, place_at(seconds, 8 * place + 4)?),
            _ => (place, length),
        };
        if length >= letters_min {
            let string = part(storage, place, length.saturating_mul(if is_wide { 2 } else { 1 }))?;
            push(&mut text, string, is_wide);
            text.push('\n');
        }
        if text.len() > bytes.len().saturating_mul(2) {
            // Strings that lie over each other more than a compiler lays them.
            break;
        }
    }
    Ok(text)
}

/// Adds a string, of UTF-16 or of ASCII.
fn push(text: &mut String, string: &[u8], is_wide: bool) {
    if is_wide {
        let units = string.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
        text.extend(char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)));
    } else {
        text.push_str(&String::from_utf8_lossy(string));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program with a function, a kind, an identifier and these strings, of which long ones have their place in the
    /// second table.
    fn program(version: u32, strings: &[&str]) -> Vec<u8> {
        let (mut firsts, mut seconds, mut storage) = (Vec::new(), Vec::new(), Vec::new());
        for string in strings {
            let (place, wide) = (u32::try_from(storage.len()).unwrap(), u32::from(!string.is_ascii()));
            let units = u32::try_from(string.encode_utf16().count()).unwrap();
            match wide {
                1 => storage.extend(string.encode_utf16().flat_map(u16::to_le_bytes)),
                _ => storage.extend(string.as_bytes()),
            }
            if units < 0xff {
                firsts.push(wide | (place << 1) | (units << 24));
            } else {
                firsts.push(wide | ((u32::try_from(seconds.len()).unwrap() / 2) << 1) | (0xff << 24));
                seconds.extend([place, units]);
            }
        }
        let length = |list: &[u32]| u32::try_from(list.len()).unwrap();
        let counts = [0, 0, 1, 1, 1, length(&firsts), length(&seconds) / 2, u32::try_from(storage.len()).unwrap()];
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let mut bytes = [MAGIC, &words(&[version]), &[0; 20], &words(&counts)].concat();
        bytes.resize(HEAD_BYTES + if version < 97 { 16 } else { 12 } + 8, 0);
        [bytes, words(&firsts), words(&seconds), storage].concat()
    }

    #[test]
    fn strings_that_lie_side_by_side_are_told_apart() {
        let long = format!("https://acme.test/{}", "long/".repeat(60));
        let all = ["none", "https://one.acme.test/v1", "größere 日本", &long, "https://two.acme.test/v2"];
        let expected = format!("https://one.acme.test/v1\ngrößere 日本\n{long}\nhttps://two.acme.test/v2\n");
        for version in [71, 96, 97, 99] {
            assert_eq!(strings(&program(version, &all), 6), Ok(expected.clone()), "{version}");
        }
        assert!(strings(&program(70, &all), 6).is_err() && strings(&program(100, &all), 6).is_err());
    }

    #[test]
    fn a_program_that_ends_early_or_lies_over_itself_is_read_within_bounds() {
        let good = program(96, &["https://one.acme.test/v1", "https://two.acme.test/v2"]);
        for end in 0..good.len() {
            assert!(strings(&good[..end], 6).is_err(), "{end}");
        }
        for at in 12..HEAD_BYTES {
            let mut bad = good.clone();
            bad[at] = 0xff;
            let _ = strings(&bad, 6);
        }
        // A hundred thousand strings are one string.
        let mut over = program(96, &["x".repeat(200).as_str()]);
        let first = over[HEAD_BYTES + 24..HEAD_BYTES + 28].to_vec();
        over[52..56].copy_from_slice(&100_000_u32.to_le_bytes());
        over.splice(HEAD_BYTES + 24..HEAD_BYTES + 28, first.repeat(100_000));
        let told = strings(&over, 6).unwrap();
        assert!(told.len() <= over.len() * 2 + 201, "{} of {}", told.len(), over.len());
    }
}
