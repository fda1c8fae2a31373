//! Text that came from outside. It is matched, stored and shown escaped; never evaluated, never printed raw.

use ambit_model::hidden::is_hidden;
use std::fmt;

/// Text of a peer. Neither `Display` nor `Debug` writes a control character, so that no log, terminal or page can be
/// driven by it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Untrusted(String);

impl Untrusted {
    /// Reads bytes as UTF-8; what is not becomes U+FFFD.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(String::from_utf8_lossy(bytes).into_owned())
    }

    /// Takes text of a peer as it is.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text as it came, to match against. Not to be printed, evaluated or put into a request.
    pub fn raw(&self) -> &str {
        &self.0
    }

    /// The text as it is stored: NUL, which PostgreSQL refuses, is U+FFFD.
    pub fn stored(&self) -> String {
        self.0.replace('\0', "\u{FFFD}")
    }

    /// The text as it is shown: control characters, bidirectional overrides and invisible characters are written as
    /// `\u{…}`; the backslash is doubled.
    pub fn escaped(&self) -> String {
        escape(&self.0)
    }

    /// The first `bytes_max` bytes, cut at a character's edge.
    pub fn cut(&self, bytes_max: usize) -> Self {
        Self(self.0[..self.0.floor_char_boundary(bytes_max)].to_owned())
    }

    /// Returns whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Untrusted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.escaped())
    }
}

impl fmt::Debug for Untrusted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.escaped())
    }
}

/// Writes what a terminal or a page could obey, or what a reader cannot see, as escapes.
pub(crate) fn escape(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => shown.push_str("\\\\"),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            hidden if is_hidden(hidden) => shown.push_str(&format!("\\u{{{:x}}}", u32::from(hidden))),
            plain => shown.push(plain),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_could_obey_is_shown_as_escapes() {
        for (raw, shown) in [
            ("plain äöü 漢字", "plain äöü 漢字"),
            ("\u{1b}]0;owned\u{7}", "\\u{1b}]0;owned\\u{7}"),
            ("a\u{202e}gpj.exe", "a\\u{202e}gpj.exe"),
            ("zero\u{200b}width\u{feff}", "zero\\u{200b}width\\u{feff}"),
            ("c1 \u{9b}31m", "c1 \\u{9b}31m"),
            ("two\r\nlines\t\\", "two\\r\\nlines\\t\\\\"),
        ] {
            let text = Untrusted::new(raw);
            assert_eq!(text.escaped(), shown);
            assert_eq!(text.to_string(), shown);
            assert_eq!(format!("{text:?}"), format!("\"{shown}\""));
            assert_eq!(text.raw(), raw);
        }
    }

    #[test]
    fn bytes_are_read_leniently_and_nul_is_not_stored() {
        let text = Untrusted::from_bytes(b"a\xff\x00b");
        assert_eq!(text.raw(), "a\u{fffd}\0b");
        assert_eq!(text.stored(), "a\u{fffd}\u{fffd}b");
        assert_eq!(Untrusted::new("äa").cut(1).raw(), "");
    }
}
