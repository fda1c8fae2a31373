//! From text to rules. A text that does not compile says where: line, column, word, and what the compiler has against
//! it.

use boreal::compiler::{CompilerBuilder, CompilerParams};
use boreal::scanner::Scanner;
use std::fmt;

/// How much may be compiled at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of all sources together.
    pub source_bytes: usize,
    /// Rules of all sources together, private and global ones too.
    pub rules: usize,
    /// Places that all strings together may remember of one body of bytes.
    pub places: usize,
}

/// For a set of live rules: what a person writes or collects, compiled within a second; its places take at most 100 MB.
pub const LIVE: Bounds = Bounds { source_bytes: 1 << 20, rules: 1_000, places: 4_000_000 };
/// For a job over what is stored (docs/contract/hunting.md §4).
pub const RETRO: Bounds = Bounds { rules: 300, ..LIVE };
/// For a pack that the operator loads: the largest public collections have some ten thousand rules.
pub const PACK: Bounds = Bounds { source_bytes: 16 << 20, rules: 50_000, places: usize::MAX };
/// Strings of one rule.
const STRINGS_OF_RULE_MAX: usize = 2_000;
/// Places that one string remembers, where there are few strings.
const PLACES_OF_STRING_MAX: usize = 1_000;
/// And where there are so many that fewer must do.
const PLACES_OF_STRING_MIN: usize = 16;
/// Bytes of stack that any text needs.
const STACK_BYTES: usize = 8 << 20;
/// Bytes of stack for each byte of text: a level of a condition takes some 130, and three times that without
/// optimisation.
const STACK_BYTES_PER_BYTE: usize = 512;
/// Bytes of stack at most; only what is used becomes memory. Texts of more than two million levels are left to the
/// operator's packs.
const STACK_BYTES_MAX: usize = 1 << 30;
/// Characters of the word that a message shows.
const WORD_CHARS_MAX: usize = 40;

/// A text to be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source<'a> {
    /// Shown in messages, and the namespace of its rules: rules of two sources may have the same name. Empty: not
    /// shown.
    pub name: &'a str,
    pub text: &'a str,
}

/// Why a text did not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// More text than is read.
    TooLarge { bytes: usize, most: usize },
    /// More rules than are taken.
    TooMany { rules: usize, most: usize },
    /// No rule at all.
    Empty,
    /// The compiler refuses it.
    Refused {
        /// The name of the source.
        source: String,
        /// From 1.
        line: usize,
        /// Characters from 1.
        column: usize,
        /// The text at that place; empty at the end of the source.
        word: String,
        /// In the compiler's words.
        message: String,
    },
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes, most } => write!(f, "the rules have {bytes} bytes, at most {most} are compiled"),
            Self::TooMany { rules, most } => write!(f, "there are {rules} rules, at most {most} are allowed"),
            Self::Empty => f.write_str("there is no rule in it"),
            Self::Refused { source, line, column, word, message } => {
                if !source.is_empty() {
                    write!(f, "{source}, ")?;
                }
                write!(f, "line {line}, column {column}")?;
                if !word.is_empty() {
                    write!(f, ", at {word:?}")?;
                }
                write!(f, ": {message}")
            }
        }
    }
}

impl std::error::Error for CompileError {}

/// What a rule says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub name: String,
    pub tags: Vec<String>,
    /// Names and values, as text.
    pub metadata: Vec<(String, String)>,
    pub global: bool,
    /// Counted like any, but never reported as a match.
    pub private: bool,
}

/// Compiled rules; cheap to clone.
#[derive(Clone, Debug)]
pub struct Rules {
    pub(crate) scanner: Scanner,
    /// Places that one string remembers of one body.
    pub(crate) places_of_string: u32,
}

impl Rules {
    /// Every rule: global ones first, then in the order of the source.
    pub fn rules(&self) -> Vec<Rule> {
        let text = |symbol| self.scanner.get_string_symbol(symbol).to_owned();
        let value = |value: boreal::MetadataValue| match value {
            boreal::MetadataValue::Bytes(symbol) => {
                String::from_utf8_lossy(self.scanner.get_bytes_symbol(symbol)).into_owned()
            }
            boreal::MetadataValue::Integer(number) => number.to_string(),
            boreal::MetadataValue::Boolean(flag) => flag.to_string(),
        };
        let rules = self.scanner.rules().map(|rule| Rule {
            name: rule.name.to_owned(),
            tags: rule.tags.iter().map(|tag| text(*tag)).collect(),
            metadata: rule.metadatas.iter().map(|one| (text(one.name), value(one.value))).collect(),
            global: rule.is_global,
            private: rule.is_private,
        });
        rules.collect()
    }

    /// How many rules there are: every `rule` of the source (docs/contract/quotas.md §4, H7).
    pub fn count(&self) -> usize {
        self.scanner.rules().count()
    }
}

impl Bounds {
    /// Bytes of stack that compiling so many bytes of text may need. Only what is used becomes memory.
    pub fn stack_bytes(&self, bytes: usize) -> usize {
        (STACK_BYTES + STACK_BYTES_PER_BYTE * bytes.min(self.source_bytes)).min(STACK_BYTES_MAX)
    }
}

/// Compiles texts together; to be called on a thread with the stack that [`Bounds::stack_bytes`] says: the compiler
/// takes stack for every level of a condition, and a hostile text has a level in every byte. Fails at the first text
/// that the compiler refuses, and where there is no rule or more than the bounds allow.
pub fn compile(sources: &[Source<'_>], bounds: &Bounds) -> Result<Rules, CompileError> {
    let bytes: usize = sources.iter().map(|source| source.text.len()).sum();
    if bytes > bounds.source_bytes {
        return Err(CompileError::TooLarge { bytes, most: bounds.source_bytes });
    }
    let mut compiler = CompilerBuilder::new().build();
    compiler.set_params(CompilerParams::default().disable_includes(true).max_strings_per_rule(STRINGS_OF_RULE_MAX));
    for source in sources {
        let namespace = if source.name.is_empty() { "default" } else { source.name };
        // A comment on the last line needs its end; what editors put at the beginning of a file is no part of it.
        let text = format!("{}\n", source.text.trim_start_matches('\u{feff}'));
        let added = compiler.add_rules_str_in_namespace(&text, namespace);
        added.map_err(|error| {
            let said = error.to_diagnostic();
            let at = said.labels.first().map_or(0..0, |label| label.range.clone());
            refused(source.name, text.strip_suffix('\n').unwrap_or(&text), at, said.message)
        })?;
    }
    let rules = Rules { scanner: compiler.finalize(), places_of_string: places_of_string(sources, bounds) };
    match rules.count() {
        0 => Err(CompileError::Empty),
        count if count > bounds.rules => Err(CompileError::TooMany { rules: count, most: bounds.rules }),
        _ => Ok(rules),
    }
}

/// Memory of a match grows with strings times places. Each string has its `$`, so there are at most that many.
fn places_of_string(sources: &[Source<'_>], bounds: &Bounds) -> u32 {
    let strings: usize = sources.iter().map(|source| source.text.matches('$').count()).sum();
    let places = (bounds.places / strings.max(1)).clamp(PLACES_OF_STRING_MIN, PLACES_OF_STRING_MAX);
    u32::try_from(places).expect("at most the constant above")
}

fn refused(source: &str, text: &str, at: std::ops::Range<usize>, message: String) -> CompileError {
    let start = floor(text, at.start);
    let before = &text[..start];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let marked = &text[start..floor(text, at.end).max(start)];
    let word = if marked.trim().is_empty() {
        text[start..].split_whitespace().next()
    } else {
        marked.lines().find(|line| !line.trim().is_empty())
    };
    CompileError::Refused {
        source: source.to_owned(),
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        word: word.unwrap_or_default().trim().chars().take(WORD_CHARS_MAX).collect(),
        message,
    }
}

/// The nearest place at or before `at` where a character begins.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compiles on a thread with the stack that it asks for; gives the names of the rules.
    fn check(text: &str) -> Result<Vec<String>, String> {
        let thread = std::thread::Builder::new().stack_size(LIVE.stack_bytes(text.len()));
        let compile = || compile(&[Source { name: "", text }], &LIVE).map_err(|error| error.to_string());
        let rules = std::thread::scope(|scope| thread.spawn_scoped(scope, compile).unwrap().join().unwrap())?;
        Ok(rules.rules().into_iter().map(|rule| rule.name).collect())
    }

    #[test]
    fn every_rule_is_counted() {
        let text = "private rule hidden { condition: true }\nglobal rule all { condition: true }\nrule seen : a b { \
                    meta: who = \"me\" level = 3 hot = true condition: hidden }";
        let rules = compile(&[Source { name: "", text }], &LIVE).unwrap();
        assert_eq!(rules.count(), 3);
        let seen = rules.rules().into_iter().find(|rule| rule.name == "seen").unwrap();
        assert_eq!(seen.tags, ["a", "b"]);
        let metadata =
            [("who", "me"), ("level", "3"), ("hot", "true")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(seen.metadata, metadata);
        assert_eq!(
            rules.rules().iter().map(|rule| (rule.global, rule.private)).filter(|kind| *kind == (false, false)).count(),
            1
        );
    }

    #[test]
    fn what_does_not_compile_says_where() {
        for (text, place) in [
            ("rule a { condition: nowhere }", "line 1, column 21, at \"nowhere\""),
            ("rule a {\n  condition: $a }", "line 2, column 14, at \"$a\""),
            ("rule a { condition: }", "line 1, column 21, at \"}\""),
            ("rule a { condition: true", "line 1, column 25"),
            ("include \"/etc/passwd\"", "line 1, column 1, at \"include"),
            ("import \"cuckoo\"\nrule a { condition: true }", "line 1, column 1, at \"import"),
            ("rule é { condition: true }", "line 1, column 6"),
        ] {
            let said = check(text).unwrap_err();
            assert!(said.starts_with(place), "{text}: {said}");
        }
        let two = [
            Source { name: "a.yar", text: "rule a { condition: true }" },
            Source { name: "b.yar", text: "rule a { condition: b }" },
        ];
        let said = compile(&two, &PACK).unwrap_err().to_string();
        assert!(said.starts_with("b.yar, line 1, column 21, at \"b\""), "{said}");
        assert_eq!(
            check("rule a { condition: true } rule a { condition: true }").map_err(|said| said.contains("column 33")),
            Err(true)
        );
        assert_eq!(
            check("\u{feff}rule a\r\n{\r\n  condition: true // yes\r\n}\r\n// end").map(|names| names.len()),
            Ok(1)
        );
        assert_eq!(check("// nothing"), Err("there is no rule in it".to_owned()));
    }

    #[test]
    fn sources_keep_to_their_bounds() {
        let many: String = (0..=RETRO.rules).map(|number| format!("rule r{number} {{ condition: true }}\n")).collect();
        let source = [Source { name: "", text: &many }];
        assert_eq!(compile(&source, &RETRO).map(|_| ()), Err(CompileError::TooMany { rules: 301, most: 300 }));
        assert_eq!(compile(&source, &LIVE).map(|rules| rules.count()), Ok(301));
        let long = format!("rule a {{ condition: true }} //{}", "x".repeat(LIVE.source_bytes));
        assert!(matches!(compile(&[Source { name: "", text: &long }], &LIVE), Err(CompileError::TooLarge { .. })));
        let strings: String =
            (0..=STRINGS_OF_RULE_MAX).map(|number| format!("$s{number} = \"abc{number}\" ")).collect();
        assert!(check(&format!("rule a {{ strings: {strings} condition: any of them }}")).is_err());
    }

    #[test]
    fn texts_made_to_exhaust_the_compiler_are_refused_or_small() {
        let deep = |open: &str, inner: &str, close: &str| {
            format!("rule a {{ condition: {}{inner}{} }}", open.repeat(50_000), close.repeat(50_000))
        };
        let million = format!("rule a {{ condition: {}1 }}", "-".repeat(1_000_000));
        for text in [deep("(", "true", ")"), deep("not ", "true", ""), deep("1 + ", "1", ""), million] {
            assert!(check(&text).is_err());
        }
        let groups =
            format!("rule a {{ strings: $a = /{}a{}/ condition: $a }}", "(".repeat(50_000), ")".repeat(50_000));
        assert!(check(&groups).is_err());
        // Counted repetitions of counted repetitions: whatever the answer is, there is one.
        for inner in ["(a{1,1000}){1,1000}", "((a{1,100}){1,100}){1,100}", "(((a?){100}){100}){100}"] {
            let _ = check(&format!("rule a {{ strings: $a = /{inner}b/ condition: $a }}"));
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn no_text_panics(text in "\\PC{0,200}") {
            let _ = check(&text);
        }

        #[test]
        fn no_sequence_of_words_panics(words in proptest::collection::vec(proptest::sample::select(vec![
            "rule", "a", "b", "{", "}", "strings", ":", "condition", "meta", "=", "$a", "$", "#a", "@a[1]", "!a",
            "\"x\"", "/a+/", "/[/", "{ 41 ?? }",
            "wide", "nocase", "xor", "base64", "and", "or", "not", "for", "any", "all", "of", "them", "in", "(", ")",
            "1", "..", "filesize", "-", "*",
            "import", "\"pe\"", "\"math\"", "pe.sections", "uint8(0)", "true", "global", "private", "é", "\u{0}", "/*",
            "//", "\n", "\\", "0x", "1KB",
        ]), 0..60)) {
            let _ = check(&words.join(" "));
        }
    }
}
