//! Names and data of records as text.

use hickory_proto::rr::Name;
use std::fmt::{self, Write};

/// A name in our spelling; bytes that no host name has, the dot inside a label among them, become `\DDD`.
pub(super) fn name_text(name: &Name) -> String {
    let mut text = String::new();
    for (index, label) in name.iter().enumerate() {
        if index > 0 {
            text.push('.');
        }
        for &byte in label {
            match byte {
                b'!'..=b'~' if !matches!(byte, b'.' | b'\\') => text.push(byte.to_ascii_lowercase() as char),
                _ => write!(text, "\\{byte:03}").expect("writing to a string does not fail"),
            }
        }
    }
    text
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
