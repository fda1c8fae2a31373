//! Percent-encoding: what stands escaped in paths, queries and forms.

/// The parameters of a query string, decoded; bytes that are no UTF-8 become U+FFFD, since unknown parameters are
/// ignored anyway.
pub(crate) fn query_parameters(raw: Option<&str>) -> Vec<(String, String)> {
    let text = |raw: &str| String::from_utf8_lossy(&decode(&raw.replace('+', " "))).into_owned();
    raw.unwrap_or_default()
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (text(name), text(value))
        })
        .collect()
}

/// Decodes `%xx` once; an escape that is none stays as it is, and so does `+`.
pub(crate) fn decode(raw: &str) -> Vec<u8> {
    let bytes = raw.as_bytes();
    let (mut out, mut index) = (Vec::with_capacity(bytes.len()), 0);
    while index < bytes.len() {
        let digits = (bytes[index] == b'%').then(|| bytes.get(index + 1..index + 3)).flatten();
        match digits.and_then(hex_byte) {
            Some(byte) => {
                out.push(byte);
                index += 3;
            }
            None => {
                out.push(bytes[index]);
                index += 1;
            }
        }
    }
    out
}

pub(crate) fn hex_byte(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(*digits.first()?)? * 16 + digit(*digits.get(1)?)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_read_leniently() {
        let pairs = query_parameters(Some("page_size=10&&x&page_token=a%2Bb+c&bad=%ff"));
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(pairs, [("page_size", "10"), ("x", ""), ("page_token", "a+b c"), ("bad", "\u{fffd}")]);
        assert!(query_parameters(None).is_empty());
    }
}
