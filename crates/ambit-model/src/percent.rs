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

#[cfg(test)]
mod tests {
    use super::*;

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
