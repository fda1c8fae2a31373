//! Names and data of records as text.

use hickory_proto::rr::Name;
use std::borrow::Cow;
use std::fmt::{self, Write};

/// A name as we spell it, label by label.
pub(super) fn name_text(name: &Name) -> String {
    let mut text = String::new();
    for (index, label) in name.iter().enumerate() {
        if index > 0 {
            text.push('.');
        }
        write_label(&mut text, label);
    }
    text
}

/// Returns a label as we spell it: lower case, and bytes that no host name has as `\DDD`, the dot among them.
pub fn label_text(label: &[u8]) -> String {
    let mut text = String::new();
    write_label(&mut text, label);
    text
}

fn write_label(text: &mut String, label: &[u8]) {
    for &byte in label {
        match byte {
            plain if is_plain(plain) => text.push(plain.to_ascii_lowercase() as char),
            _ => write!(text, "\\{byte:03}").expect("writing to a string does not fail"),
        }
    }
}

/// Returns the bytes of a label that is spelled so; `None` where it is spelled otherwise.
pub fn label_bytes(label: &str) -> Option<Cow<'_, [u8]>> {
    if !label.contains('\\') {
        return label.bytes().all(is_plain).then_some(Cow::Borrowed(label.as_bytes()));
    }
    let mut bytes = Vec::with_capacity(label.len());
    let mut rest = label.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let byte = if byte == b'\\' {
            let (digits, after) =
                rest.split_at_checked(3).filter(|(digits, _)| digits.iter().all(u8::is_ascii_digit))?;
            rest = after;
            std::str::from_utf8(digits).ok()?.parse().ok().filter(|byte| !is_plain(*byte))?
        } else {
            Some(byte).filter(|byte| is_plain(*byte))?
        };
        bytes.push(byte);
    }
    Some(Cow::Owned(bytes))
}

/// A byte that stands for itself.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'.' | b'\\')
}

/// Writes bytes as they stand between quotes in a zone file.
pub(super) fn write_bytes(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => write!(f, "\\{}", byte as char)?,
            b' '..=b'~' => f.write_char(byte as char)?,
            _ => write!(f, "\\{byte:03}")?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_label_that_is_read_is_the_one_that_was_written() {
        for bytes in [&b"www"[..], b"a-!_1", b"\0\xff \\.\x7f", &[0xff; 63]] {
            let text = name_text(&Name::from_labels([bytes, b"test"]).unwrap());
            let (label, rest) = text.split_once('.').unwrap();
            assert_eq!((label_bytes(label).as_deref(), rest), (Some(bytes), "test"), "{text}");
        }
        for wrong in ["\\", "\\25", "\\256", "\\a12", "\\097", "\\.", "a b", "\u{e4}", "\\0ä"] {
            assert_eq!(label_bytes(wrong), None, "{wrong}");
        }
    }
}
