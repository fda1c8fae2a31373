//! One rule: what it looks like, and what else must hold of a secret that it finds.

use regex::{Regex, RegexBuilder};

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
    /// Words of which a text has one, in small letters.
    pub(crate) keywords: Vec<String>,
    /// What it looks like: the first group, else all of it, is the secret.
    pub(crate) pattern: Regex,
    /// Bits of entropy that a character has at least, by Shannon.
    pub(crate) entropy: Option<f64>,
    /// It has a digit.
    pub(crate) digit: bool,
}

impl Rule {
    /// Returns the secrets of a text with the byte at which each begins.
    pub(crate) fn secrets<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, &'a str)> + 'a {
        let group = usize::from(self.pattern.captures_len() > 1);
        let hits = self.pattern.captures_iter(text).filter_map(move |found| found.get(group).or_else(|| found.get(0)));
        hits.map(|hit| (hit.start(), hit.as_str())).filter(|(_, secret)| self.accepts(secret))
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
