//! What a signed token says of itself: some are made to be published, and some are over.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use regex::Regex;
use std::sync::LazyLock;

/// What every token of JSON begins with.
const BEGINNING: &str = "ey";
/// Bytes of claims that are read.
const CLAIMS_BYTES_MAX: usize = 16 * 1_024;
/// The second before which a token ended that opens nothing any more, whenever it is looked at: the first of 2026. The
/// same text is judged the same on every day, so it is no clock.
const OVER_BEFORE_S: u64 = 1_767_225_600;

/// The role of visitors, for which Supabase makes keys that every page has.
static FOR_VISITORS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#""role"\s*:\s*"anon""#).expect("constant"));
/// The second in which a token ends.
static END: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#""exp"\s*:\s*([0-9]{1,15})\b"#).expect("constant"));

/// Returns whether a signed token says that it is for everybody, or that it ended long ago.
pub(crate) fn opens_nothing(secret: &str) -> bool {
    let claims = || secret.strip_prefix(BEGINNING)?.split('.').nth(1);
    let Some(claims) = claims().filter(|claims| claims.len() <= CLAIMS_BYTES_MAX) else { return false };
    let Ok(bytes) = URL_SAFE_NO_PAD.decode(claims) else { return false };
    let text = String::from_utf8_lossy(&bytes);
    let end = END.captures(&text).and_then(|found| found[1].parse::<u64>().ok());
    FOR_VISITORS.is_match(&text) || end.is_some_and(|end| end < OVER_BEFORE_S)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_for_everybody_and_tokens_that_are_over_open_nothing() {
        for (claims, expected) in [
            (r#"{"iss":"supabase","role":"anon","exp":1965000000}"#, true),
            (r#"{"iss":"supabase","role":"service_role","exp":1965000000}"#, false),
            (r#"{"sub":"7","exp":1300819380}"#, true),
            (r#"{"sub":"7", "exp" : 1300819380.5}"#, true),
            (r#"{"sub":"7","exp":1965000000}"#, false),
            (r#"{"sub":"7","iat":1300819380}"#, false),
        ] {
            let token = format!("eyJhbGciOiJIUzI1NiJ9.{}.k3m8vq1zbw5h9cd2", URL_SAFE_NO_PAD.encode(claims));
            assert_eq!(opens_nothing(&token), expected, "{claims}");
        }
        for text in ["", "ey", "ey.", "ey.x.y", "ghp_k3m8vq1zbw5h", "eyJh.eyJ"] {
            assert!(!opens_nothing(text), "{text}");
        }
    }
}
