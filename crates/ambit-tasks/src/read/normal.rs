//! Removes what changes between probes without meaning anything: dates, nonces, tokens, time counters.

use ambit_net::http::HttpExchange;
use regex::Regex;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// Headers that are left out: their values change by themselves, or with a body's nonce.
const CHANGING: &[&str] = &[
    "age",
    "alt-svc",
    "cf-cache-status",
    "content-length",
    "content-md5",
    "date",
    "etag",
    "expires",
    "keep-alive",
    "last-modified",
    "nel",
    "report-to",
    "request-id",
    "retry-after",
    "server-timing",
    "set-cookie",
    "traceparent",
    "x-amz-cf-pop",
    "x-amz-id-2",
    "x-amzn-requestid",
    "x-amzn-trace-id",
    "x-cache",
    "x-cache-hits",
    "x-cloud-trace-context",
    "x-correlation-id",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-request-id",
    "x-runtime",
    "x-timer",
    "x-trace-id",
];

/// Headers whose presence says something though their value changes; shown without it.
const NAME_ONLY: &[&str] = &[
    "cf-ray",
    "fly-request-id",
    "x-amz-cf-id",
    "x-amz-request-id",
    "x-azure-ref",
    "x-fastly-request-id",
    "x-github-request-id",
    "x-goog-generation",
    "x-iinfo",
    "x-ms-request-id",
    "x-nf-request-id",
    "x-served-by",
    "x-varnish",
    "x-vercel-id",
];

/// Characters of a header's value that are kept.
const VALUE_CHARS_MAX: usize = 2_000;

/// The bytes of an HTTP answer without the `Date` lines of its head: the clock of the peer is all that differs between
/// most answers, and the time of the probe is kept beside the evidence. Other bytes stay as they are.
pub(crate) fn answer(bytes: &[u8]) -> Vec<u8> {
    if !bytes.starts_with(b"HTTP/") {
        return bytes.to_vec();
    }
    let is_date = |line: &[u8]| line.get(..5).is_some_and(|name| name.eq_ignore_ascii_case(b"date:"));
    let mut in_head = true;
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| {
        in_head &= !line.trim_ascii().is_empty();
        !(in_head && is_date(line))
    });
    lines.flatten().copied().collect()
}

/// The bytes of an answer, head and body, as [`answer`] has them.
pub(crate) fn exchange(exchange: &HttpExchange) -> Vec<u8> {
    answer(&[&exchange.head[..], &exchange.body].concat())
}

/// Header lines that stay the same, sorted.
pub(crate) fn headers(exchange: &HttpExchange) -> Vec<String> {
    let mut lines: Vec<String> = exchange
        .headers
        .iter()
        .filter_map(|(name, value)| {
            let name = name.stored();
            let lower = name.to_ascii_lowercase();
            if NAME_ONLY.binary_search(&lower.as_str()).is_ok() {
                return Some(format!("{name}: #"));
            }
            let stays = CHANGING.binary_search(&lower.as_str()).is_err();
            stays.then(|| format!("{name}: {}", header_value(&lower, value.stored().trim())))
        })
        .collect();
    lines.sort();
    lines.dedup();
    lines
}

fn header_value(name: &str, value: &str) -> String {
    let value: String = value.chars().take(VALUE_CHARS_MAX).collect();
    match name {
        "content-security-policy" | "content-security-policy-report-only" | "link" | "www-authenticate" => text(&value),
        "location" => value.split('?').next().unwrap_or("").to_owned(),
        _ => value,
    }
}

/// Long tokens, values named as nonces, and stamps of time.
static CHANGING_TEXT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        // Values that are named as what they are.
        r#"(?i)((?:nonce|csrf|xsrf|token|session|sid|state|viewstate|eventvalidation|requestid|request-id|captcha)[A-Za-z0-9_.-]*["']?\s*(?:[:=]|\bvalue=|\bcontent=)[^>\n]{0,40}?["'])[^"'>\n]+"#,
        r"|\bnonce-[A-Za-z0-9+/_=-]+",
        // RFC 3339, RFC 1123, clock times, seconds or milliseconds since the epoch.
        r"|\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?",
        r"|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? \d{1,2} [A-Z][a-z]{2} \d{4}(?: \d\d:\d\d:\d\d(?: GMT| UTC)?)?",
        r"|\b\d{1,2}:\d\d:\d\d\b|\b1[5-9]\d{8}(?:\d{3})?\b",
        // Long runs of hex or of letters with digits: identifiers of a request, hashes of a build are lost with them.
        r"|\b[0-9a-fA-F]{16,}\b|\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b|\b[A-Za-z0-9_+/]{32,}={0,2}",
    ))
    .expect("the expression is constant")
});

/// A text with what changes replaced by `#`.
pub(crate) fn text(text: &str) -> String {
    CHANGING_TEXT.replace_all(text, "$1#").into_owned()
}

/// SHA-256 of a body after that, in hex. Bodies that are no text are hashed as they are.
pub(crate) fn body_hash(exchange: &HttpExchange) -> String {
    match std::str::from_utf8(&exchange.body) {
        Ok(body) if !exchange.truncated => hex::encode(Sha256::digest(text(body))),
        _ => exchange.body_sha256.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(CHANGING.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(NAME_ONLY.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(NAME_ONLY.iter().all(|name| CHANGING.binary_search(name).is_err()), "a name stands in both lists");
    }

    #[test]
    fn answers_that_differ_by_their_date_are_equal() {
        let told = |date: &str| {
            format!("HTTP/1.1 200 OK\r\n{date}Server: nginx\r\nDate-Of: x\r\n\r\nDate: of the body\n").into_bytes()
        };
        assert_eq!(answer(&told("dAte: Mon, 23 Nov 2026 00:01:24 GMT\r\n")), told(""));
        assert_eq!(answer(&told("")), told(""));
        assert_eq!(answer(b"Date: no answer\n"), b"Date: no answer\n");
    }

    #[test]
    fn pages_that_differ_by_a_nonce_or_a_date_are_equal() {
        for (one, other) in [
            ("<input name=\"csrf_token\" value=\"ab12\">", "<input name=\"csrf_token\" value=\"zz99\">"),
            ("<script nonce='x1'>", "<script nonce='y2'>"),
            ("script-src 'nonce-AbC=='", "script-src 'nonce-dEf=='"),
            ("generated 2026-11-21T05:00:00Z", "generated 2026-11-22T06:01:02Z"),
            ("at Sat, 21 Nov 2026 05:00:00 GMT", "at Sun, 22 Nov 2026 07:00:00 GMT"),
            ("id 0123456789abcdef0123", "id fedcba98765432100123"),
            ("t=1763700000", "t=1763799999"),
        ] {
            assert_eq!(text(one), text(other));
        }
    }

    #[test]
    fn what_means_something_stays() {
        for (one, other) in [
            ("<h1>Harbour Tools</h1>", "<h1>Harbor Tools</h1>"),
            ("version 1.2.3", "version 1.2.4"),
            ("port 8080", "port 8443"),
        ] {
            assert_ne!(text(one), text(other));
        }
    }
}
