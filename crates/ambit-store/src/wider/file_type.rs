//! What sort of file bytes are: by the first of them, or by all being text.

/// Bytes that a type is known by; those of markup in any case and behind white space and a byte order mark, as browsers
/// tell it (WHATWG MIME Sniffing, section 7.1).
pub const MAGIC: [(&[u8], &str); 12] = [
    (b"MZ", "peexe"),
    (b"\x7fELF", "elf"),
    (b"%PDF", "pdf"),
    (b"PK\x03\x04", "zip"),
    (b"Rar!", "rar"),
    (b"7z\xbc\xaf\x27\x1c", "7zip"),
    (b"\x1f\x8b", "gzip"),
    (b"\x89PNG", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF8", "gif"),
    (b"<!doctype html", "html"),
    (b"<html", "html"),
];

/// What sort of file it is whose bytes go by, a piece at a time.
#[derive(Debug, Default)]
pub struct FileType {
    /// `None`: nothing has come.
    known: Option<Option<&'static str>>,
    not_text: bool,
    /// The beginning of a character that goes on in the next piece.
    cut: Vec<u8>,
}

impl FileType {
    /// Looks at the next piece.
    pub fn add(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let magic = || MAGIC.iter().find(|(magic, _)| begins(bytes, magic)).map(|(_, tag)| *tag);
        self.known.get_or_insert_with(magic);
        if self.not_text || bytes.contains(&0) {
            self.not_text = true;
            return;
        }
        let joined = [&self.cut[..], bytes].concat();
        self.cut.clear();
        if let Err(error) = std::str::from_utf8(&joined) {
            match error.error_len() {
                None => self.cut.extend_from_slice(&joined[error.valid_up_to()..]),
                Some(_) => self.not_text = true,
            }
        }
    }

    /// Returns the tag of the type; `None`: nobody knows it.
    pub fn tag(&self) -> Option<&'static str> {
        let text = (!self.not_text && self.cut.is_empty()).then_some("text");
        self.known?.or(text)
    }

    /// Returns the tag of bytes that are there as a whole.
    pub fn tag_of(bytes: &[u8]) -> Option<&'static str> {
        let mut kind = Self::default();
        kind.add(bytes);
        kind.tag()
    }
}

fn begins(bytes: &[u8], magic: &[u8]) -> bool {
    if !magic.starts_with(b"<") {
        return bytes.starts_with(magic);
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    text.get(..magic.len()).is_some_and(|start| start.eq_ignore_ascii_case(magic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_known_by_their_first_bytes() {
        assert_eq!(FileType::tag_of(b"MZ\0\0"), Some("peexe"));
        assert_eq!(FileType::tag_of(b"hello"), Some("text"));
        assert_eq!(FileType::tag_of(b"\0\0"), None);
        for page in ["<!doctype html><p>", "\u{feff}\r\n <!DOCTYPE HTML>", "<HTML lang=en>"] {
            assert_eq!(FileType::tag_of(page.as_bytes()), Some("html"), "{page}");
        }
        assert_eq!(FileType::tag_of(b"a <html>"), Some("text"));
        assert_eq!(FileType::tag_of(b""), None);
    }

    #[test]
    fn text_is_text_wherever_it_is_cut() {
        let tag = |text: &[u8], at: usize| {
            let mut kind = FileType::default();
            kind.add(&text[..at]);
            kind.add(&text[at..]);
            kind.tag()
        };
        let text = "Grüße, 世界".as_bytes();
        for at in 0..text.len() {
            assert_eq!(tag(text, at), Some("text"), "{at}");
            assert_eq!(tag(&[text, b"\xff"].concat(), at), None);
            assert_eq!(tag(&text[..text.len() - 1], at.min(3)), None, "half a character");
        }
    }
}
