//! The log: one line of standard error for each event, as text or as a JSON object. Whatever stands in an event, it
//! stays on its line, and no key is in it: not in a path, a query, a message of a library or a panic.

use crate::failure::{Failure, Result};
use crate::traces::{TARGET, Traces};
use ambit_model::hidden::is_hidden;
use serde_json::json;
use std::io::{self, Write};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

/// Hexadecimal digits in a row that are taken for a key. Hashes are as long: they are known by their first digits, too.
const KEY_DIGITS: usize = 64;
/// Digits that are shown.
const SHOWN_DIGITS: usize = 8;

/// How an event is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    /// One object a line.
    Json,
}

impl Format {
    /// Reads the word of the setting `log_format`. Fails with what was expected for any other.
    pub(crate) fn parse(word: &str) -> Result<Self> {
        match word {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(Failure::usage(format!("setting log_format {word:?}: expected text or json"))),
        }
    }
}

/// What is logged at a number of -v: warnings of ours, what the program does, and its details. Other people's libraries
/// are heard of where they fail.
fn logged(verbose: u8) -> &'static str {
    match verbose {
        0 => "error,ambit=warn",
        1 => "error,ambit=info",
        _ => "error,ambit=debug",
    }
}

/// What is logged where `AMBIT_LOG` does not say it by hand. As JSON, an event says in which request or run it was.
fn filter(verbose: u8, format: Format) -> EnvFilter {
    let filter = EnvFilter::try_from_env("AMBIT_LOG");
    let filter = filter.unwrap_or_else(|_| EnvFilter::new(logged(verbose)));
    match format {
        Format::Text => filter,
        Format::Json => filter.add_directive(format!("{TARGET}=info").parse().expect("a target and a level")),
    }
}

/// Begins to log: warnings only, unless asked for more; and to make spans where they are sent somewhere.
pub(crate) fn begin(verbose: u8, format: Format, traces: Option<&Traces>) {
    let log = tracing_subscriber::fmt::layer().with_ansi(false);
    let log = log.with_writer(move || Lines { out: io::stderr(), format });
    let log = match format {
        Format::Text => log.boxed(),
        Format::Json => log.json().with_current_span(false).boxed(),
    };
    let log = log.with_filter(filter(verbose, format));
    tracing_subscriber::registry().with(traces.map(Traces::layer)).with(log).init();
    std::panic::set_hook(Box::new(move |panic| {
        let line = match format {
            Format::Text => format!("{panic}\n"),
            Format::Json => format!("{}\n", panicked(&panic.to_string())),
        };
        // Standard error may be closed, and there is no other place to report that.
        let _ = Lines { out: io::stderr(), format }.write_all(line.as_bytes());
    }));
}

/// A panic as the events beside it are written.
fn panicked(message: &str) -> serde_json::Value {
    let now = crate::clock::now().to_string();
    json!({"timestamp": now, "level": "ERROR", "fields": {"message": message}, "target": "panic"})
}

/// Writes each event as one line without keys. An event comes as a whole.
struct Lines<W> {
    out: W,
    format: Format,
}

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let (text, end) = text.strip_suffix('\n').map_or((&*text, ""), |text| (text, "\n"));
        self.out.write_all(format!("{}{end}", shown(text, self.format)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// An event as it is written.
fn shown(text: &str, format: Format) -> String {
    let mut out = String::with_capacity(text.len());
    let mut digits = 0;
    for c in text.chars() {
        digits = if c.is_ascii_hexdigit() { digits + 1 } else { 0 };
        if digits == KEY_DIGITS {
            out.truncate(out.len() - (KEY_DIGITS - 1 - SHOWN_DIGITS));
            out.push('…');
        } else if digits > KEY_DIGITS {
            continue;
        } else if is_hidden(c) {
            match format {
                Format::Text => out.extend(c.escape_default()),
                Format::Json => {
                    c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
                }
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        super::shown(text, Format::Text)
    }

    /// A place for lines that is asked what was written.
    #[derive(Clone, Default)]
    struct Kept(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_event_is_a_json_object_on_its_line_whatever_it_says() {
        let kept = Kept::default();
        let out = kept.clone();
        let log =
            tracing_subscriber::fmt().json().with_writer(move || Lines { out: out.clone(), format: Format::Json });
        let key = "0123456789abcdef".repeat(4);
        let said = String::from("a \"b\"\nWARN forged\u{9b}\u{7f}\u{202e}\u{2028}\u{e0041}");
        tracing::subscriber::with_default(log.finish(), || tracing::warn!(run = 7, key, "{said}"));
        Lines { out: kept.clone(), format: Format::Json }
            .write_all(format!("{}\n", panicked(&said)).as_bytes())
            .unwrap();
        let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(!text.contains('\u{202e}') && !text.contains(&key), "{text}");
        let messages: Vec<_> = lines.iter().map(|line| &line["fields"]["message"]).collect();
        assert_eq!(messages, [&json!(said), &json!(said)]);
        let first = (&lines[0]["level"], &lines[0]["fields"]["run"], &lines[0]["fields"]["key"]);
        assert_eq!(first, (&json!("WARN"), &json!(7), &json!("01234567…")));
        assert_eq!((&lines[1]["level"], &lines[1]["target"]), (&json!("ERROR"), &json!("panic")));
    }

    #[test]
    fn an_event_is_a_line_without_keys() {
        let key = "0123456789abcdef".repeat(4);
        assert_eq!(shown(&format!("User \"{key}\" not found")), "User \"01234567…\" not found");
        assert_eq!(shown(&format!("x{key}99 {key}")), "x01234567… 01234567…");
        assert_eq!(shown(&key[1..]), key[1..], "shorter ones are no keys");
        assert_eq!(shown("a\nWARN forged\r\x1b[0m\u{202e}"), "a\\nWARN forged\\r\\u{1b}[0m\\u{202e}");
        let mut out = Vec::new();
        Lines { out: &mut out, format: Format::Text }.write_all(b"one\ntwo\n").unwrap();
        assert_eq!(out, b"one\\ntwo\n");
    }
}
