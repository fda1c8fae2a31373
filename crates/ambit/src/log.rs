//! The log: one line of standard error for each event. Whatever stands in an event, it stays on its line, and no key is
//! in it: not in a path, a query, a message of a library or a panic.

use std::io::{self, Write};

/// Hexadecimal digits in a row that are taken for a key. Hashes are as long: they are known by their first digits, too.
const KEY_DIGITS: usize = 64;
/// Digits that are shown.
const SHOWN_DIGITS: usize = 8;

/// What is logged at a number of -v: warnings of ours, what the program does, and its details. Other people's libraries
/// are heard of where they fail.
fn logged(verbose: u8) -> &'static str {
    match verbose {
        0 => "error,ambit=warn",
        1 => "error,ambit=info",
        _ => "error,ambit=debug",
    }
}

/// Begins to log: warnings only, unless asked for more.
pub(crate) fn begin(verbose: u8) {
    let filter = tracing_subscriber::EnvFilter::try_from_env("AMBIT_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(logged(verbose)));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(|| Lines(io::stderr())).with_ansi(false).init();
    std::panic::set_hook(Box::new(|panic| {
        // Standard error may be closed; there is nobody else to tell.
        let _ = Lines(io::stderr()).write_all(format!("{panic}\n").as_bytes());
    }));
}

/// Writes each event as one line without keys. An event comes as a whole.
struct Lines<W>(W);

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let (text, end) = text.strip_suffix('\n').map_or((&*text, ""), |text| (text, "\n"));
        self.0.write_all(format!("{}{end}", shown(text)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// An event as it is written.
fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut digits = 0;
    for c in text.chars() {
        digits = if c.is_ascii_hexdigit() { digits + 1 } else { 0 };
        if digits == KEY_DIGITS {
            out.truncate(out.len() - (KEY_DIGITS - 1 - SHOWN_DIGITS));
            out.push('…');
        } else if digits > KEY_DIGITS {
            continue;
        } else if c.is_control() || is_invisible(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Characters that break a line or turn its direction.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_a_line_without_keys() {
        let key = "0123456789abcdef".repeat(4);
        assert_eq!(shown(&format!("User \"{key}\" not found")), "User \"01234567…\" not found");
        assert_eq!(shown(&format!("x{key}99 {key}")), "x01234567… 01234567…");
        assert_eq!(shown(&key[1..]), key[1..], "shorter ones are no keys");
        assert_eq!(shown("a\nWARN forged\r\x1b[0m\u{202e}"), "a\\nWARN forged\\r\\u{1b}[0m\\u{202e}");
        let mut out = Vec::new();
        Lines(&mut out).write_all(b"one\ntwo\n").unwrap();
        assert_eq!(out, b"one\\ntwo\n");
    }
}
