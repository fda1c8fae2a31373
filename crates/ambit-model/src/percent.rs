//! Percent-escapes of URLs (RFC 3986 §2.1).

/// Returns a text with everything escaped but unreserved characters (RFC 3986 §2.3).
pub fn escaped(text: &str) -> String {
    escaped_but(text, b"")
}

/// Returns a text with everything escaped but unreserved characters and those of `also`, which are ASCII.
pub fn escaped_but(text: &str, also: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || also.contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Returns the bytes of a text whose escapes are resolved once. What is no escape stays as it is.
pub fn unescaped(text: &str) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).filter(|_| *first == b'%').and_then(byte_of);
        out.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    out
}

/// The byte that two hexadecimal digits write.
fn byte_of(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(*digits.first()?)? * 16 + digit(*digits.get(1)?)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_escaped_comes_back_and_what_is_no_escape_stays() {
        let all: String = (0..=255_u8).map(char::from).collect();
        assert_eq!(unescaped(&escaped(&all)), all.as_bytes());
        for (text, bytes) in [
            ("%41%6a%4A", &b"AjJ"[..]),
            ("100%", b"100%"),
            ("%4", b"%4"),
            ("%zz%+5%-1% 1", b"%zz%+5%-1% 1"),
            ("%2541", b"%41"),
            ("%ff", b"\xff"),
            ("%\u{e4}1", "%\u{e4}1".as_bytes()),
        ] {
            assert_eq!(unescaped(text), bytes, "{text}");
        }
    }

    #[test]
    fn what_is_reserved_or_no_ascii_is_escaped() {
        for (text, shown) in
            [("", ""), ("aZ09-._~", "aZ09-._~"), ("a b/c?d#e%f", "a%20b%2Fc%3Fd%23e%25f"), ("ä\0\n", "%C3%A4%00%0A")]
        {
            assert_eq!(escaped(text), shown);
        }
        assert_eq!(escaped_but("a:b/c d", b":/"), "a:b/c%20d");
    }
}
