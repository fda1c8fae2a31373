//! What a value looks like by itself: words that people put together, what forms and documents print, and how much of
//! it was drawn.

use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Hexadecimal digits by which a printed secret is known.
const PRINTED_CHARS: usize = 16;
/// Parts of words by which documents show where a secret goes, in small letters.
const PLACEHOLDERS: &[&str] = &["example", "iosfodnn7"];
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
/// Letters of the shortest word, and of the shortest longest one of several: chance makes the others.
const WORD_CHARS_MIN: usize = 3;
const LONGEST_WORD_CHARS_MIN: usize = 5;
/// Consonants in a row that a word has at most.
const CONSONANTS_MAX: usize = 4;
/// Numbers between words.
const NUMBERS_MAX: usize = 2;

/// Returns whether a value says where a secret goes; `by_context`: only the context tells of one.
pub(crate) fn is_placeholder(value: &str, by_context: bool) -> bool {
    let small = value.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| small.contains(word));
    has(PLACEHOLDERS) || (by_context && has(PLACEHOLDERS_IN_CONTEXT))
}

/// Returns whether documents print a secret.
pub(crate) fn is_printed(secret: &str) -> bool {
    static PRINTED: LazyLock<BTreeSet<&str>> =
        LazyLock::new(|| include_str!("own/printed.txt").lines().filter(|line| !line.starts_with('#')).collect());
    PRINTED.contains(&hex::encode(Sha256::digest(secret))[..PRINTED_CHARS])
}

/// Bits a character, by Shannon, over the bytes of the text.
pub(crate) fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let total = text.len() as f64;
    let part = |count: &u32| f64::from(*count) / total;
    -counts.iter().filter(|count| **count > 0).map(|count| part(count) * part(count).log2()).sum::<f64>()
}

/// How often the same byte stands in a row at most.
pub(crate) fn longest_row(text: &str) -> usize {
    text.as_bytes().chunk_by(|a, b| a == b).map(<[u8]>::len).max().unwrap_or(0)
}

/// Returns whether somebody put a value together of words, as names of types, members and files are:
/// `V1LocalObjectReference`, `/etc/keys1/server.key`. Seven in ten letters and digits belong to a word.
pub(crate) fn is_of_words(value: &str) -> bool {
    let words: Vec<&str> = words(value).filter(|word| is_word(word)).collect();
    let letters: usize = words.iter().map(|word| word.len()).sum();
    let vowels: usize = words.iter().flat_map(|word| word.bytes()).filter(is_vowel).count();
    let all = value.bytes().filter(u8::is_ascii_alphanumeric).count();
    let numbers = value.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty()).count();
    numbers <= NUMBERS_MAX
        && letters * 10 >= all * 7
        && vowels * 4 >= letters
        && words.iter().any(|word| word.len() >= LONGEST_WORD_CHARS_MIN)
}

/// The runs of letters in a text, where a capital begins another one: `HTTPServer_x9` has `HTTP`, `Server` and `x`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let runs = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|run| !run.is_empty());
    runs.flat_map(|run| {
        let bytes = run.as_bytes();
        let begins = move |at: &usize| {
            let is_small = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
            *at == 0 || (!is_small(*at) && (is_small(*at - 1) || is_small(*at + 1)))
        };
        let starts: Vec<usize> = (0..run.len()).filter(begins).collect();
        let ends: Vec<usize> = starts.iter().skip(1).copied().chain([run.len()]).collect();
        starts.into_iter().zip(ends).map(move |(start, end)| &run[start..end])
    })
}

/// Returns whether letters can be spoken.
fn is_word(word: &str) -> bool {
    let consonants = word.as_bytes().split(is_vowel).map(<[u8]>::len).max().unwrap_or(0);
    word.len() >= WORD_CHARS_MIN && word.bytes().any(|byte| is_vowel(&byte)) && consonants <= CONSONANTS_MAX
}

fn is_vowel(byte: &u8) -> bool {
    b"aeiouy".contains(&byte.to_ascii_lowercase())
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
    fn words_that_were_put_together_are_told_from_what_was_drawn() {
        assert_eq!(words("HTTPServer_x9myKey").collect::<Vec<_>>(), ["HTTP", "Server", "x", "my", "Key"]);
        for (value, expected) in [
            ("V1LocalObjectReference", true),
            ("encryptionKey1024", true),
            ("X509_ENROLLMENT_AUTH_FLAGS", true),
            ("/path/unbound-conf/keys1/1.key", true),
            ("oauth2.credentials", true),
            ("kT3mR8vXq1ZbLw5GhJ9cNd2P", false),
            ("k3m8vq1zbw5h9cd2yfs7", false),
            ("3f8a1c9e5b07d264", false),
            ("Tr0ub4dor-and-3-more", false),
            ("", false),
        ] {
            assert_eq!(is_of_words(value), expected, "{value}");
        }
    }
}
