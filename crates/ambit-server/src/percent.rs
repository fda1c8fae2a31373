//! Percent-encoding of queries and forms.

use ambit_model::percent::unescaped;

/// The parameters of a query string, decoded; bytes that are no UTF-8 become U+FFFD, since unknown parameters are
/// ignored anyway.
pub(crate) fn query_parameters(raw: Option<&str>) -> Vec<(String, String)> {
    let text = |raw: &str| String::from_utf8_lossy(&unescaped(&raw.replace('+', " "))).into_owned();
    raw.unwrap_or_default()
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (text(name), text(value))
        })
        .collect()
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
