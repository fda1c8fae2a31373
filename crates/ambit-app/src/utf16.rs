//! Texts in UTF-16 among the members of packages.

/// Bytes at the beginning of a member that show whether it is a text in UTF-16, and pairs of them at least.
const UTF16_BYTES: usize = 8_000;
const UTF16_PAIRS_MIN: usize = 4;

/// Returns a text in UTF-16: with a mark in front, or where nearly every other byte is zero, as in Latin scripts
/// without one. `ambit-git` tells such files by the same rule.
pub(crate) fn text(bytes: &[u8]) -> Option<String> {
    let is_latin = |upper: usize| {
        let pairs = bytes[..bytes.len().min(UTF16_BYTES)].chunks_exact(2);
        let (count, letters) = (pairs.len(), pairs.clone().filter(|pair| pair[upper] == 0).count());
        count >= UTF16_PAIRS_MIN && letters * 10 >= count * 9 && pairs.clone().all(|pair| pair[1 - upper] != 0)
    };
    let (rest, unit): (_, fn([u8; 2]) -> u16) = match bytes {
        [0xff, 0xfe, rest @ ..] => (rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => (rest, u16::from_be_bytes),
        _ if is_latin(1) => (bytes, u16::from_le_bytes),
        _ if is_latin(0) => (bytes, u16::from_be_bytes),
        _ => return None,
    };
    let units = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let text: String = char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    (!text.contains('\0')).then_some(text)
}
