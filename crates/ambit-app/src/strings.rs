//! The texts inside a package: what stands in programs, scripts, resources and anything else that is readable.

use crate::archive::Archive;
use crate::bytes::{place_at, varint};
use crate::error::{AppError, Result};
use crate::hermes;
use crate::piece::Piece;
use crate::plist;
use crate::utf16;

/// Bytes of a text that is handed out at once.
const PIECE_BYTES: usize = 4 * 1_024 * 1_024;
/// Bytes that two pieces of one text have in common, so that nothing is cut apart.
const SHARED_BYTES: usize = 4_096;
/// Characters of the shortest readable part of a program that is handed out: shorter ones are mostly code.
const READABLE_MIN: usize = 6;
/// Members without texts of anybody: pictures, sounds, fonts.
const WITHOUT_TEXT: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "webp", "ico", "ttf", "otf", "woff", "woff2", "mp3", "mp4", "ogg", "wav", "m4a",
    "car", "apk", "idsig", "arsc",
];
/// Of a program for Android, where its strings are told.
const DEX: &[u8] = b"dex\n";
/// Bytes of one unit of UTF-16 in a program for Android.
const UNIT_BYTES_MAX: usize = 3;

/// Hands out the texts of all members. `within`: the package inside the package that it is. Fails if the archive
/// unpacks to more than is read of any. One member that cannot be read is noted.
pub(crate) fn of_members(archive: &mut Archive<'_>, within: &str, look: &mut dyn FnMut(&Piece<'_>)) -> Result<()> {
    let names: Vec<String> = archive.names().map(str::to_owned).collect();
    for name in names {
        let end = name.rsplit_once('.').map_or("", |(_, end)| end).to_ascii_lowercase();
        if name.ends_with('/') || WITHOUT_TEXT.contains(&end.as_str()) {
            continue;
        }
        let path = if within.is_empty() { name.clone() } else { format!("{within}/{name}") };
        match archive.get(&name) {
            Ok(bytes) => {
                let handed_out = of_member(&path, &bytes, look);
                archive.count_texts(handed_out, bytes.len())?;
            }
            Err(AppError::TooLarge(_)) if !archive.is_exhausted() => archive.skip(&path),
            Err(AppError::Broken(_)) => archive.skip(&path),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Hands out the texts of one member, and returns how many bytes they have.
fn of_member(path: &str, bytes: &[u8], look: &mut dyn FnMut(&Piece<'_>)) -> usize {
    let text = if bytes.starts_with(DEX) {
        of_dex(bytes)
    } else if bytes.starts_with(hermes::MAGIC) {
        hermes::strings(bytes, READABLE_MIN).unwrap_or_else(|_| readable(bytes))
    } else if bytes.starts_with(plist::BINARY) {
        plist::read(bytes).map(|value| value.to_string()).unwrap_or_else(|_| readable(bytes))
    } else if let Some(text) = utf16::text(bytes) {
        text
    } else {
        match std::str::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => {
                hand_out(path, text, look);
                return text.len();
            }
            // What ends its strings with zeros is a table, whose strings stand apart, or a program.
            Ok(text) if text.chars().all(is_of_text) => text.replace('\0', "\n"),
            Ok(_) | Err(_) => readable(bytes),
        }
    };
    hand_out(path, &text, look);
    text.len()
}

/// Hands a text out in pieces.
pub(crate) fn hand_out(path: &str, text: &str, look: &mut dyn FnMut(&Piece<'_>)) {
    let floor = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let mut start = 0;
    while start < text.len() {
        let end = floor((start + PIECE_BYTES).min(text.len()));
        look(&Piece { path, text: &text[start..end] });
        if end == text.len() {
            break;
        }
        start = floor(end - SHARED_BYTES);
    }
}

/// Returns the strings of a program for Android, a line each: the number of units in UTF-16, then the bytes, then zero.
fn of_dex(bytes: &[u8]) -> String {
    let mut text = String::new();
    let (Ok(count), Ok(table)) = (place_at(bytes, 0x38), place_at(bytes, 0x3c)) else { return text };
    // Strings that lie over each other, which no compiler writes, are looked through twice at most.
    let mut left = bytes.len().saturating_mul(2);
    for at in 0..count {
        let Ok(offset) = place_at(bytes, table.saturating_add(at.saturating_mul(4))) else { break };
        let Some((units, data)) = bytes.get(offset..).and_then(varint) else { continue };
        let most = usize::try_from(units).unwrap_or(usize::MAX).saturating_mul(UNIT_BYTES_MAX).saturating_add(1);
        let data = &data[..data.len().min(most)];
        let end = data.iter().position(|byte| *byte == 0);
        let Some(rest) = left.checked_sub(end.unwrap_or(data.len())) else { break };
        left = rest;
        let string = &data[..end.unwrap_or(0)];
        if string.len() >= READABLE_MIN {
            text.push_str(&String::from_utf8_lossy(string));
            text.push('\n');
        }
    }
    text
}

/// True for what stands in texts, or ends them in a table. Programs have other control characters.
fn is_of_text(letter: char) -> bool {
    !letter.is_control() || matches!(letter, '\0' | '\t' | '\n' | '\r')
}

/// Returns the readable parts of any bytes, a line each.
fn readable(bytes: &[u8]) -> String {
    let is_readable = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t');
    let mut text = String::new();
    for part in bytes.split(|byte| !is_readable(byte)).filter(|part| part.len() >= READABLE_MIN) {
        text.push_str(&String::from_utf8_lossy(part));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(bytes: &[u8]) -> String {
        let mut texts = String::new();
        of_member("assets/x", bytes, &mut |piece| texts.push_str(piece.text));
        texts
    }

    /// A program for Android: strings by where they begin in what follows, each over and over, and what follows.
    fn dex(count: usize, starts: &[usize], data: &[u8]) -> Vec<u8> {
        let word = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
        let table = (0..count).flat_map(|at| word(0x40 + 4 * count + starts[at % starts.len()]));
        let mut bytes = b"dex\n035\0".to_vec();
        bytes.resize(0x38, 0);
        bytes.extend([word(count), word(0x40)].concat());
        bytes.extend(table.collect::<Vec<u8>>());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn strings_of_a_program_are_searched_as_far_as_they_say_they_reach_and_twice_at_most() {
        assert_eq!(texts(&dex(2, &[0, 8], b"\x06abcdef\0\x06\xe6\x97\xa5bcdef\0")), "abcdef\n日bcdef\n");
        assert_eq!(texts(&dex(1, &[0], b"\x02abcdefgh\0")), "", "longer than it says");
        // Without the first bound a string of five units is searched for to the end of the program.
        let endless = [&b"\x05"[..], &[b'A'; 1_000_000]].concat();
        let good = [&b"\x06abcdef\0"[..], &endless].concat();
        assert!(texts(&dex(1_000, &[8, 8, 8, 0], &good)).contains("abcdef\n"));
        // Without the second one a thousand strings of the whole length are.
        let over = [&[0xff, 0xff, 0xff, 0x7f][..], &[b'A'; 1_000_000], &[0]].concat();
        assert!(texts(&dex(1_000, &[0], &over)).len() < 3_000_000);
        let unended = [&[0xff, 0xff, 0xff, 0x7f][..], &[b'A'; 1_000_000]].concat();
        assert_eq!(texts(&dex(100_000, &[0], &unended)), "", "a hundred thousand million bytes are not searched");
    }

    #[test]
    fn a_program_of_hermes_whose_version_is_not_known_has_its_readable_parts() {
        let unknown = [hermes::MAGIC, &[0; 20], b"https://one.acme.test/v1https://two.acme.test/v2"].concat();
        assert_eq!(texts(&unknown), "https://one.acme.test/v1https://two.acme.test/v2\n");
    }

    #[test]
    fn strings_that_end_with_zeros_stand_apart_also_where_every_byte_is_a_letter_or_zero() {
        let table = b"\x7fELF\0\0\0https://one.acme.test/v1\0https://two.acme.test/v2\0\0";
        assert_eq!(texts(table), "https://one.acme.test/v1\nhttps://two.acme.test/v2\n");
    }

    #[test]
    fn a_text_with_a_zero_in_it_keeps_its_short_lines_and_what_is_not_ascii() {
        assert_eq!(texts("key=größer\nid=7\0日本\n".as_bytes()), "key=größer\nid=7\n日本\n");
    }

    #[test]
    fn texts_in_utf_16_are_handed_out_with_and_without_a_mark() {
        let written = "TOKEN=größer – 日本\r\n and much more of it that is written in letters of Latin scripts";
        let little: Vec<u8> = written.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = written.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let marked = |mark: &[u8], text: &[u8]| [mark, text].concat();
        for bytes in
            [little.clone(), big.clone(), marked(&[0xff, 0xfe], &little), marked(&[0xfe, 0xff], &big), written.into()]
        {
            assert_eq!(texts(&bytes), written, "{bytes:?}");
        }
        assert_eq!(texts(b"\xff\xfe\0\0\x01readable part\0\0"), "readable part\n", "what is no text has its parts");
    }
}
