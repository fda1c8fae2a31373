//! What is looked at of a file: a text, in whichever way it is written. `ambit-app` tells texts in UTF-16 by the same
//! rule.

use std::borrow::Cow;

/// Bytes of a file that are looked at.
pub const BYTES_MAX: usize = 10 * 1_024 * 1_024;
/// Bytes at the beginning of a file in which a zero shows that it is no text, as git itself has it.
const BINARY_BYTES: usize = 8_000;
/// Bytes of the shortest file that can be told from one in UTF-16 without a mark.
const UNMARKED_BYTES_MIN: usize = 8;

/// What is looked at of a file; `None` of one that is no text.
pub(crate) fn text(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    let bytes = &bytes[..bytes.len().min(BYTES_MAX)];
    let start = &bytes[..bytes.len().min(BINARY_BYTES)];
    let has_zero = start.contains(&0);
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ if !has_zero => Some(Cow::Borrowed(bytes)),
        _ if is_latin(start, 1) => utf16(bytes, u16::from_le_bytes),
        _ if is_latin(start, 0) => utf16(bytes, u16::from_be_bytes),
        _ => None,
    }
}

/// True for pairs of bytes that are letters of Latin scripts in UTF-16: nearly all have a zero at the place of the
/// upper half, and none at the other.
fn is_latin(bytes: &[u8], upper: usize) -> bool {
    let (mut letters, mut pairs) = (0, 0);
    for pair in bytes.chunks_exact(2) {
        if pair[1 - upper] == 0 {
            return false;
        }
        pairs += 1;
        letters += usize::from(pair[upper] == 0);
    }
    bytes.len() >= UNMARKED_BYTES_MIN && letters * 10 >= pairs * 9
}

/// The text in UTF-8; `None` where it has zeros, which no text has.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<Cow<'_, [u8]>> {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let text: String = char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    (!text.contains('\0')).then(|| Cow::Owned(text.into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_utf_16_are_read_with_and_without_a_mark_and_binaries_are_none() {
        let written = "TOKEN=größer – 日本\r\n and much more of it that is written in letters of Latin scripts";
        let units = || written.encode_utf16();
        let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
        for bytes in [
            little.clone(),
            big.clone(),
            [&[0xff, 0xfe][..], &little].concat(),
            [&[0xfe, 0xff][..], &big].concat(),
            written.as_bytes().to_vec(),
        ] {
            assert_eq!(text(&bytes).as_deref(), Some(written.as_bytes()), "{bytes:?}");
        }
        let numbers: Vec<u8> = (0..400_u16).flat_map(u16::to_le_bytes).collect();
        for bytes in [&b"\0\x01"[..], b"a\0", &numbers, &[0; 100], b"\xff\xfe\0\0a\0\0\0", b"GIF89a\x01\0\x01\0\x80\0"]
        {
            assert_eq!(text(bytes), None, "{bytes:?}");
        }
        assert_eq!(text(b"").as_deref(), Some(&b""[..]));
    }
}
