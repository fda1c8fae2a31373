//! Patterns of packs: regular expressions that are looked at before they are trusted, and compiled when they are first
//! needed. Each says which literals one of its matches must hold, so that most are never run.

use crate::literals;
use regex::bytes::{Captures, Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;
use std::sync::OnceLock;

/// Bytes of a pattern: the longest of the public packs has some hundred.
const PATTERN_BYTES_MAX: usize = 16 * 1_024;
/// Bytes that a compiled pattern may take, which bounds the time of a byte that it reads too.
const COMPILED_BYTES_MAX: usize = 1_024 * 1_024;
/// Bytes that a pattern may keep of what it computed while it ran.
const CACHE_BYTES_MAX: usize = 512 * 1_024;
/// Groups within groups.
const DEPTH_MAX: u32 = 64;

/// How a pattern is to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    /// Letters stand for both cases.
    pub(crate) any_case: bool,
    /// `^` and `$` stand for the ends of lines.
    pub(crate) lines: bool,
    /// A dot stands for the end of a line too.
    pub(crate) dot_is_all: bool,
}

/// Why a text is no pattern that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It looks ahead or behind, or back at what it matched: no such pattern ends in bounded time.
    #[error("uses look-around or a back-reference, which is not supported: {0}")]
    LooksAround(String),
    /// It is longer than patterns may be.
    #[error("a pattern of {0} bytes, the limit is {PATTERN_BYTES_MAX}")]
    Long(usize),
    /// It repeats so much that it would not fit into memory.
    #[error("a pattern that takes more than {COMPILED_BYTES_MAX} bytes when compiled: {0}")]
    Large(String),
    /// It is not written as patterns are.
    #[error("no pattern: {0}")]
    Malformed(String),
}

/// A pattern that can be run.
#[derive(Debug)]
pub(crate) struct Pattern {
    text: Box<str>,
    flags: Flags,
    unicode: bool,
    compiled: OnceLock<Option<Regex>>,
    /// The same over characters, for texts that have others than ASCII.
    wide: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Reads a pattern, and returns it with the literals of which every match holds at least one, in lower case; none
    /// where it can match without any. Fails with why it cannot be used.
    pub(crate) fn read(text: &str, flags: Flags) -> Result<(Self, Vec<Vec<u8>>), PatternError> {
        if text.len() > PATTERN_BYTES_MAX {
            return Err(PatternError::Long(text.len()));
        }
        // Classes of ASCII letters are small and quick. A pattern that needs more is read as one over characters.
        let (hir, unicode) = match parse(text, flags, false) {
            Ok(hir) => (hir, false),
            Err(_) => (parse(text, flags, true)?, true),
        };
        let pattern = Self { text: text.into(), flags, unicode, compiled: OnceLock::new(), wide: OnceLock::new() };
        Ok((pattern, literals::required(&hir)))
    }

    /// Returns what the pattern finds in a text.
    pub(crate) fn captures<'t>(&self, text: &'t [u8]) -> Option<Captures<'t>> {
        let plain = || self.compiled.get_or_init(|| self.compile(self.unicode).ok()).as_ref();
        // A dot stands for one character. A pattern that is too large over characters is read over bytes.
        let wide = || self.wide.get_or_init(|| self.compile(true).ok()).as_ref().or_else(plain);
        let compiled = if self.unicode || text.is_ascii() { plain() } else { wide() };
        compiled?.captures(text)
    }

    /// Compiles the pattern and forgets the outcome. Fails if it takes too much memory.
    pub(crate) fn try_out(&self) -> Result<(), PatternError> {
        self.compile(self.unicode).map(|_| ())
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn compile(&self, unicode: bool) -> Result<Regex, PatternError> {
        RegexBuilder::new(&self.text)
            .unicode(unicode)
            .case_insensitive(self.flags.any_case)
            .multi_line(self.flags.lines)
            .dot_matches_new_line(self.flags.dot_is_all)
            .nest_limit(DEPTH_MAX)
            .size_limit(COMPILED_BYTES_MAX)
            .dfa_size_limit(CACHE_BYTES_MAX)
            .build()
            .map_err(|_| PatternError::Large(beginning(&self.text)))
    }
}

fn parse(text: &str, flags: Flags, unicode: bool) -> Result<Hir, PatternError> {
    ParserBuilder::new()
        .unicode(unicode)
        .utf8(false)
        .case_insensitive(flags.any_case)
        .multi_line(flags.lines)
        .dot_matches_new_line(flags.dot_is_all)
        .nest_limit(DEPTH_MAX)
        .build()
        .parse(text)
        .map_err(|error| refusal(text, &error))
}

fn refusal(text: &str, error: &regex_syntax::Error) -> PatternError {
    use regex_syntax::ast::ErrorKind;
    match error {
        regex_syntax::Error::Parse(error) => match error.kind() {
            ErrorKind::UnsupportedLookAround | ErrorKind::UnsupportedBackreference => {
                PatternError::LooksAround(beginning(text))
            }
            kind => PatternError::Malformed(format!("{kind}: {}", beginning(text))),
        },
        regex_syntax::Error::Translate(error) => {
            PatternError::Malformed(format!("{}: {}", error.kind(), beginning(text)))
        }
        _ => PatternError::Malformed(beginning(text)),
    }
}

/// Characters of a pattern that a message repeats.
const BEGINNING_CHARS_MAX: usize = 80;

/// The beginning of a text from outside, on one line.
fn beginning(text: &str) -> String {
    let shown: String = text.chars().take(BEGINNING_CHARS_MAX).flat_map(char::escape_debug).collect();
    if text.chars().count() > BEGINNING_CHARS_MAX { format!("{shown}…") } else { shown }
}

/// Returns a pattern of JavaScript as this library reads it: what both languages have means the same afterwards.
/// Escapes of letters that mean nothing there stand for the letters.
pub(crate) fn from_javascript(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text.chars().peekable();
    let mut in_class = false;
    while let Some(c) = rest.next() {
        match c {
            '\\' => escape(rest.next(), &mut out),
            '[' if in_class => out.push_str("\\["),
            '[' => match (rest.next_if_eq(&'^').is_some(), rest.next_if_eq(&']').is_some()) {
                (true, true) => out.push_str("[\\s\\S]"),
                (false, true) => out.push_str("[^\\s\\S]"),
                (negated, false) => {
                    in_class = true;
                    out.push_str(if negated { "[^" } else { "[" });
                }
            },
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            // Two of them are operations between classes here.
            '&' | '~' if in_class => {
                out.push('\\');
                out.push(c);
            }
            '{' if !in_class && !is_repetition(rest.clone()) => out.push_str("\\{"),
            _ => out.push(c),
        }
    }
    out
}

/// What follows a backslash in JavaScript.
fn escape(escaped: Option<char>, out: &mut String) {
    match escaped {
        // These bound words here, and are signs there.
        Some(c @ ('<' | '>')) => out.push(c),
        Some(c) if c.is_ascii_alphabetic() && !"dDwWsSbBnrtfvxuckpP".contains(c) => out.push(c),
        Some(c) => {
            out.push('\\');
            out.push(c);
        }
        None => out.push_str("\\\\"),
    }
}

/// Whether what follows a brace makes it a repetition: `2}`, `2,}`, `2,3}`.
pub(crate) fn is_repetition(rest: impl Iterator<Item = char>) -> bool {
    let inside: String = rest.take_while(|c| *c == ',' || *c == '}' || c.is_ascii_digit()).take(12).collect();
    let Some((inside, _)) = inside.split_once('}') else { return false };
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    !least.is_empty() && !most.contains(',')
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Flags = Flags { any_case: true, lines: false, dot_is_all: false };

    #[track_caller]
    fn refused(text: &str) -> String {
        let read = Pattern::read(text, PLAIN).and_then(|(pattern, _)| pattern.try_out());
        read.unwrap_err().to_string()
    }

    #[test]
    fn what_cannot_be_used_is_refused_with_the_reason() {
        assert!(refused("a(?=b)").contains("uses look-around or a back-reference"));
        assert!(refused(r"(a)\1").contains("uses look-around or a back-reference"));
        assert!(refused(&"a".repeat(10_000_000)).contains("10000000 bytes"));
        assert!(refused("((a{1,1000}){1,1000}){1,1000}").contains("when compiled"));
        assert!(refused("(a").contains("unclosed group: (a"));
        assert!(refused(&"(".repeat(5_000)).contains("no pattern"));
        assert!(refused("\u{1b}[31m(").contains("\\u{1b}"));
    }

    #[test]
    fn a_pattern_that_hangs_elsewhere_ends_here() {
        let (pattern, _) = Pattern::read("^(a+)+$", PLAIN).unwrap();
        let text = format!("{}b", "a".repeat(100_000));
        assert!(pattern.captures(text.as_bytes()).is_none());
    }

    #[test]
    fn javascript_means_what_it_means_there() {
        for (script, here) in [
            ("[[a]", "[\\[a]"),
            ("[^]", "[\\s\\S]"),
            ("x[]", "x[^\\s\\S]"),
            ("[a&&b]", "[a\\&\\&b]"),
            ("a{b", "a\\{b"),
            ("a{2,3}", "a{2,3}"),
            ("a{,3}", "a\\{,3}"),
            ("\\<a\\>", "<a>"),
            ("a\\/b\\-\\d", "a\\/b\\-\\d"),
            ("\\y", "y"),
        ] {
            assert_eq!(from_javascript(script), here, "{script}");
            Pattern::read(&from_javascript(script), PLAIN).unwrap();
        }
    }
}
