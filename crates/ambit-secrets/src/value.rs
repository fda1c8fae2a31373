//! What a value looks like by itself: words that people put together, what forms and documents print, and how much of
//! it was drawn.

use regex::Regex;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Characters in the order of keyboards and alphabets, one behind the other, that no generated secret has.
const SEQUENCE_CHARS: usize = 10;
/// Bytes up to which such an order shows a placeholder; long keys in files are looked at by what else they say.
const SEQUENCE_BYTES_MAX: usize = 200;
/// What begins a key that its service makes to be published.
const PUBLISHED: &[&str] = &["pk.eyJ"];
/// What identifies something and opens nothing: an address of Ethereum.
static IDENTIFIER: LazyLock<Regex> = LazyLock::new(|| Regex::new("^0x[0-9a-fA-F]{40}$").expect("constant"));
/// Hexadecimal digits by which a printed secret is known.
const PRINTED_CHARS: usize = 16;
/// Parts of words by which documents show where a secret goes, in small letters.
const PLACEHOLDERS: &[&str] = &["example", "iosfodnn7"];
/// The same where only the context tells of a secret.
const PLACEHOLDERS_IN_CONTEXT: &[&str] = &[
    "changeme",
    "change-me",
    "change_me",
    "dummy",
    "foobar",
    "lorem",
    "placeholder",
    "redacted",
    "secret",
    "password",
    "1234567",
    "abcdef",
    "xxxx",
    "****",
    "...",
    "${",
    "{{",
    "process.env",
    "getenv",
];
/// The same as whole words between what are no letters: a password may have them inside of another word.
const PLACEHOLDER_WORDS: &[&str] = &["fake", "insert", "mock", "sample", "test", "testing", "tests"];
/// How programs and templates write that something else stands in the place of a value, in small letters: a variable,
/// a mark in braces or brackets, a call, a format, an expression, an address, a hash.
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    let expressions = [
        r"^\$(?:[({\[]|[a-z_][0-9a-z_.:-]*$)",
        r"^<.*>$|^\[.*\]$|^\{.*\}$|^%.*%$|^__.*__$|^@[0-9a-z_.-]+@$",
        r"[#%$]\{|<%|\{[0-9a-z_.]*\}|%[sdv](?:[^0-9a-z]|$)",
        r"\(\)|\b(?:env|var|lookup|config)\(|environ|^vault:|^env[:.]|^\(?\^|\[a-z|\[0-9|\\[dws]|\(\?",
        r"://|^\$[0-9a-z-]{1,12}\$|^scram-sha-(?:1|256)\$|^md5[0-9a-f]{32}$",
    ];
    Regex::new(&expressions.join("|")).expect("constant")
});
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
    let words = || small.split(|c: char| !c.is_ascii_alphabetic());
    has(PLACEHOLDERS)
        || is_in_sequence(&small)
        || PUBLISHED.iter().any(|beginning| value.starts_with(beginning))
        || (by_context && IDENTIFIER.is_match(value))
        || (by_context && (has(PLACEHOLDERS_IN_CONTEXT) || words().any(is_placeholder_word)))
}

/// Returns whether a text in small letters has so many characters in the order in which people type them to fill a
/// form: `1234567890abcdef`, `abcdefghij`, and the digits or letters again behind the last one.
fn is_in_sequence(small: &str) -> bool {
    let follows = |a: &u8, b: &u8| {
        let is_next = a.checked_add(1) == Some(*b) && a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric();
        is_next || matches!((a, b), (b'9', b'0') | (b'9' | b'0', b'a') | (b'f' | b'z', b'0' | b'1'))
    };
    small.len() <= SEQUENCE_BYTES_MAX && small.as_bytes().chunk_by(follows).any(|row| row.len() >= SEQUENCE_CHARS)
}

fn is_placeholder_word(word: &str) -> bool {
    PLACEHOLDER_WORDS.contains(&word) || word.starts_with("your")
}

/// Returns whether a value in quotes names something else, as no password does: a variable, a path, a text.
pub(crate) fn is_reference(value: &str) -> bool {
    REFERENCE.is_match(&value.to_ascii_lowercase()) || (value.contains(['/', ':', '(', ',', '?']) && is_of_words(value))
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
    fn what_documents_write_in_the_place_of_a_password_is_a_word_of_its_own() {
        for (value, expected) in [
            ("changeme123", true),
            ("test-8842-x", true),
            ("my_Test_1", true),
            ("YOUR-KEY-1", true),
            ("yourtoken1", true),
            ("xxxxxx12", true),
            ("Password99!", true),
            ("MyTestServer99!x", false),
            ("Contest8842", false),
            ("k3m8vq1zbw5h", false),
        ] {
            assert_eq!(is_placeholder(value, true), expected, "{value}");
        }
        for (value, expected) in [
            ("ghp_1234567890abcdefghijklmnopqrstuvwxyz", true),
            ("AKIA1234567890ABCDEF", true),
            ("glpat-12345678901234567890", true),
            ("xoxb-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx", true),
            ("sk_live_abcdefghijklmnopqrstuvwx", true),
            ("sk_live_k3m8abcdefgh8vq1zbw5h9cd", false),
            ("glpat-k3m8_123456789_vq1z", false),
            ("pk.eyJ1Ijoia3M4In0.k3m8vq1zbw5h9cd", true),
            ("sk.eyJ1Ijoia3M4In0.k3m8vq1zbw5h9cd", false),
        ] {
            assert_eq!(is_placeholder(value, false), expected, "{value}");
        }
        let address = "0x3f8a1c9e5b07d2643f8a1c9e5b07d2643f8a1c9e";
        assert!(is_placeholder(address, true) && !is_placeholder(&format!("{address}5b"), true));
        assert!(!is_placeholder("test-8842-x", false) && is_placeholder("AKIAEXAMPLE1", false));
    }

    #[test]
    fn what_names_something_else_is_no_password() {
        for (value, expected) in [
            ("$DB_PASS_1", true),
            ("${DB_PASS_1}", true),
            ("$(get pw1)", true),
            ("<enter-it-1>", true),
            ("{0}-and-{1}", true),
            ("%DB_PASS_1%", true),
            ("pw-%s-1", true),
            ("env(DB_PASS_1)", true),
            ("readIt1()", true),
            ("^[A-Z]{8,20}$", true),
            ("https://acme.test/1", true),
            ("/run/keys/database1", true),
            ("Enter,again,please1", true),
            ("$2b$10$k3m8vq1zbw5h", true),
            ("SCRAM-SHA-256$4096:k3m8", true),
            ("md53f8a1c9e5b07d2643f8a1c9e5b07d264", true),
            ("md5-k3m8vq1z", false),
            ("Str0ng(P@ss)word,9", false),
            ("$tr0ng/k3m8?~", false),
            ("k3m8vq1z,bw5h", false),
        ] {
            assert_eq!(is_reference(value), expected, "{value}");
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
