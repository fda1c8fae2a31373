//! One rule: what it looks like, and what else must hold of a secret that it finds.

use crate::allow::{At, Foreign, Hit};
use regex::{Captures, Regex, RegexBuilder};

/// Bytes that one compiled expression may take: those for long private keys take some hundred kilobytes.
const COMPILED_BYTES_MAX: usize = 4 * 1_024 * 1_024;
/// Characters of the same kind in a row that no generated secret has.
const SAME_IN_A_ROW: usize = 8;
/// Bytes up to which such a row shows that somebody filled in a form; keys in files have them honestly.
const FILLED_IN_BYTES: usize = 200;
/// Parts of words by which documents show where a secret goes, in small letters.
const PLACEHOLDERS: &[&str] = &["example"];
/// The same where only the context tells of a secret.
const PLACEHOLDERS_IN_CONTEXT: &[&str] = &[
    "changeme",
    "dummy",
    "fake",
    "foobar",
    "insert",
    "lorem",
    "mock",
    "placeholder",
    "redacted",
    "sample",
    "secret",
    "password",
    "test",
    "your",
    "1234567",
    "abcdef",
    "${",
    "{{",
    "process.env",
    "getenv",
];

/// What a rule says of the texts that it finds.
#[derive(Debug)]
pub(crate) struct Rule {
    /// Its stable name: `github-token`.
    pub(crate) name: String,
    /// The service that gives such secrets out.
    pub(crate) provider: String,
    /// It opens something.
    pub(crate) sensitive: bool,
    /// The form alone says little: what stands around it tells.
    pub(crate) by_context: bool,
    /// Words of which a text has one, in small letters; without any, every text is looked at.
    pub(crate) keywords: Vec<String>,
    /// What it looks like.
    pub(crate) pattern: Regex,
    /// The group that is the secret; 0: the first that holds anything, else all of it.
    pub(crate) group: usize,
    /// The files that it looks at; `None`: all.
    pub(crate) path: Option<Regex>,
    /// Bits of entropy that a character has at least, by Shannon; of a rule of others, more than these.
    pub(crate) entropy: Option<f64>,
    /// It has a digit.
    pub(crate) digit: bool,
    /// What a rule of others leaves out; ours leave out what documents print.
    pub(crate) foreign: Option<Foreign>,
}

impl Rule {
    /// Returns the secrets of a text with the byte at which each begins.
    pub(crate) fn secrets<'a>(&'a self, text: &'a str, at: At<'a>) -> impl Iterator<Item = (usize, &'a str)> + 'a {
        let looks = self.path.as_ref().is_none_or(|path| path.is_match(at.path));
        let found = looks.then(|| self.pattern.captures_iter(text)).into_iter().flatten();
        found.filter_map(move |found| self.secret(text, &found, at))
    }

    fn secret<'a>(&self, text: &'a str, found: &Captures<'a>, at: At<'_>) -> Option<(usize, &'a str)> {
        let whole = found.get(0)?;
        let told = match self.group {
            0 => found.iter().skip(1).flatten().find(|group| !group.is_empty()),
            group => found.get(group),
        };
        let secret = told.unwrap_or(whole);
        let is_one = match &self.foreign {
            None => self.accepts(secret.as_str()),
            Some(foreign) => {
                let hit = Hit { secret: secret.as_str(), matched: whole.as_str(), line: lines(text, whole.range()) };
                self.entropy.is_none_or(|least| entropy(hit.secret) > least) && !foreign.leaves_out(&hit, at)
            }
        };
        is_one.then_some((secret.start(), secret.as_str()))
    }

    /// Returns whether the form of a secret says little of it: what stands around it told.
    pub(crate) fn is_by_context(&self, secret: &str) -> bool {
        let small = secret.to_ascii_lowercase();
        self.by_context || (self.foreign.is_some() && !self.keywords.iter().any(|word| small.contains(word)))
    }

    fn accepts(&self, secret: &str) -> bool {
        let small = secret.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| small.contains(word));
        let filled_in = secret.len() <= FILLED_IN_BYTES && longest_row(secret) >= SAME_IN_A_ROW;
        let placeholder = has(PLACEHOLDERS) || (self.by_context && has(PLACEHOLDERS_IN_CONTEXT));
        !placeholder
            && !filled_in
            && (!self.digit || secret.bytes().any(|byte| byte.is_ascii_digit()))
            && self.entropy.is_none_or(|least| entropy(secret) >= least)
    }
}

/// Compiles a pattern of a rule, where `near NAMES :: VALUE` is the value given to a name with one of NAMES in it.
///
/// # Errors
/// Why the pattern is none.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    let near = pattern.strip_prefix("near ").map(|rest| {
        let (names, value) = rest.split_once(" :: ").ok_or("near has no :: with a value behind it")?;
        let name = format!("(?i:{names})[0-9A-Za-z_.-]{{0,40}}");
        Ok::<String, String>(format!(
            r#"{name}['"\]]{{0,2}}[ \t]{{0,5}}(?:=>|:=|=|:|,)[ \t]{{0,5}}['"`]?({value})(?:['"`\s;,<&)]|$)"#
        ))
    });
    // Letters beyond ASCII play no part, and asking for them makes expressions large and slow.
    let pattern = near.transpose()?.unwrap_or_else(|| pattern.to_owned());
    let pattern = pattern.replace(r"\b", r"(?-u:\b)").replace(r"\d", "[0-9]").replace(r"\s", r"[ \t\r\n]");
    let built = RegexBuilder::new(&pattern).size_limit(COMPILED_BYTES_MAX).build();
    built.map_err(|error| error.to_string())
}

/// The lines on which a range stands.
fn lines(text: &str, range: std::ops::Range<usize>) -> &str {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
    &text[start..end]
}

/// Bits a character, by Shannon, over the bytes of the text.
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let total = text.len() as f64;
    let part = |count: &u32| f64::from(*count) / total;
    -counts.iter().filter(|count| **count > 0).map(|count| part(count) * part(count).log2()).sum::<f64>()
}

/// How often the same byte stands in a row at most.
fn longest_row(text: &str) -> usize {
    text.as_bytes().chunk_by(|a, b| a == b).map(<[u8]>::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_that_of_shannon() {
        for (text, bits) in [("aaaa", 0.0), ("abab", 1.0), ("abcd", 2.0), ("abcdefgh", 3.0)] {
            assert!((entropy(text) - bits).abs() < 1e-9, "{text}");
        }
    }

    #[test]
    fn a_value_is_read_behind_every_usual_assignment() {
        let pattern = compile("near acme :: [0-9]{4}").unwrap();
        for (text, found) in [
            ("ACME_KEY=1234", true),
            ("acme: '1234'", true),
            ("{\"my.acme-key\": \"1234\"}", true),
            ("acme_key := `1234`", true),
            ("$config['acme'] = '1234';", true),
            ("acme => 1234", true),
            ("acme=12345", false),
            ("acme is 1234", false),
            ("other=1234", false),
        ] {
            assert_eq!(pattern.is_match(text), found, "{text}");
        }
        assert!(compile("near acme 1234").is_err());
    }
}
