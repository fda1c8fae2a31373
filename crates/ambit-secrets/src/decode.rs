//! Texts inside texts: what is written in base64 or with percent signs.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Bytes of the shortest text that is decoded: a shorter one holds no secret.
const ENCODED_BYTES_MIN: usize = 24;
/// Texts that are decoded of one.
pub(crate) const DECODED_MAX: usize = 1_000;

static ENCODED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[0-9A-Za-z+/_-]{24,}|[0-9A-Za-z_.~&=?/:+-]*%[0-9A-Fa-f]{2}[0-9A-Za-z_.~&=?/:+%-]{8,}")
        .expect("the expression is constant")
});

/// The texts that decoding shows of one.
pub(crate) struct Decoded {
    /// Each with where it stands. All of them together are shorter than twice the text.
    pub(crate) texts: Vec<(Range<usize>, String)>,
    /// There are more than are decoded.
    pub(crate) is_cut: bool,
}

/// Decodes what a text holds in another way of writing.
pub(crate) fn decoded(text: &str) -> Decoded {
    let runs = ENCODED.find_iter(text).filter(|run| run.len() >= ENCODED_BYTES_MIN);
    let mut decoded = runs.filter_map(|run| {
        Some((run.range(), if run.as_str().contains('%') { percent(run.as_str()) } else { base64(run.as_str()) }?))
    });
    let texts = decoded.by_ref().take(DECODED_MAX).collect();
    Decoded { texts, is_cut: decoded.next().is_some() }
}

/// The text behind base64 of either alphabet; `None` where it is no text.
pub(crate) fn base64(run: &str) -> Option<String> {
    let plain: String = run
        .trim_end_matches('=')
        .chars()
        .map(|c| match c {
            '-' => '+',
            '_' => '/',
            c => c,
        })
        .collect();
    // A single character over carries no byte.
    let whole = if plain.len() % 4 == 1 { &plain[..plain.len() - 1] } else { &plain };
    let bytes = STANDARD_NO_PAD.decode(whole).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    // Chance makes neither letters beyond ASCII nor so many that are no controls.
    text.chars().all(|c| !c.is_control() || c.is_ascii_whitespace()).then_some(text)
}

fn percent(run: &str) -> Option<String> {
    let bytes = run.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = run.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let digits = pair.filter(|pair| pair.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

    #[test]
    fn what_is_written_in_another_way_is_read() {
        let inner = "password is <hunter2> and more~?>";
        for (text, at) in [
            (STANDARD.encode(inner), 0),
            (format!("key: {}", URL_SAFE_NO_PAD.encode(inner)), 5),
            ("x password%20is%20%3Chunter2%3E%20and%20more~%3F%3E".to_owned(), 2),
        ] {
            let found: Vec<_> = decoded(&text).texts.into_iter().map(|(place, inner)| (place.start, inner)).collect();
            assert_eq!(found, [(at, inner.to_owned())], "{text}");
        }
        let inner = "le mot de passe de René est là: hunter2";
        let found = decoded(&STANDARD.encode(inner)).texts;
        assert_eq!(found.iter().map(|(_, inner)| inner.as_str()).collect::<Vec<_>>(), [inner]);
        for text in
            ["", "plain words of a sentence", &STANDARD.encode([0_u8; 40]), &STANDARD.encode([0xe4_u8; 40]), "100%"]
        {
            assert!(decoded(text).texts.is_empty(), "{text}");
        }
        for (count, is_cut) in [(DECODED_MAX, false), (DECODED_MAX + 1, true)] {
            let decoded = decoded(&format!("{}\n", STANDARD.encode(inner)).repeat(count));
            assert_eq!((decoded.texts.len(), decoded.is_cut), (DECODED_MAX, is_cut));
        }
    }
}
