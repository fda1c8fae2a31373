//! Where results go: standard output or a file, one per line. Progress, logs and hints go to standard error, elsewhere.

use crate::failure::Failure;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// A place for results. A closed pipe ends the program quietly: the reader has what it wanted.
pub(crate) struct Results {
    writer: BufWriter<Box<dyn Write + Send>>,
}

impl Results {
    /// Standard output, or the named file.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let writer: Box<dyn Write + Send> = match path {
            None => Box::new(io::stdout()),
            Some(path) => Box::new(File::create(path).map_err(|error| Failure::run_time(format!("cannot write {}: {error}", path.display())))?),
        };
        Ok(Self {
            writer: BufWriter::new(writer),
        })
    }

    /// One line.
    pub(crate) fn line(&mut self, line: &str) -> Result<(), Failure> {
        self.writer
            .write_all(line.as_bytes())
            .and_then(|()| self.writer.write_all(b"\n"))
            .or_else(ended)
    }

    /// One JSON object on a line.
    pub(crate) fn json(&mut self, value: &serde_json::Value) -> Result<(), Failure> {
        self.line(&value.to_string())
    }

    /// Everything is out.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.writer.flush().or_else(ended)
    }
}

/// Writes bytes to standard output.
pub(crate) fn write_all(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).or_else(ended)
}

fn ended(error: io::Error) -> Result<(), Failure> {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Err(Failure::silent(0));
    }
    Err(Failure::run_time(format!("cannot write results: {error}")))
}

/// A line for the person at the terminal. Standard error may be closed; nothing is lost by that.
pub(crate) fn hint(text: &str) {
    writeln!(io::stderr().lock(), "{text}").ok();
}

/// Text from outside, made harmless for a terminal: control, bidirectional and zero-width characters become visible escapes.
pub(crate) fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let hidden = c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
        if hidden {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn nothing_from_outside_reaches_the_terminal_raw() {
        assert_eq!(plain("a\u{1b}[31mb\u{202e}c"), "a\\u{1b}[31mb\\u{202e}c");
        assert_eq!(plain("grüße"), "grüße");
    }
}
