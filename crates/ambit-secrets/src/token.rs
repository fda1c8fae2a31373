//! What a signed token says of itself: some are made to be published, and some are over, which open
//! nothing any more.

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

/// Returns whether a signed token says that it is for everybody.
pub(crate) fn is_for_everybody(secret: &str) -> bool {
    claims(secret).is_some_and(|claims| FOR_VISITORS.is_match(&claims))
}

/// Returns whether a signed token says that it ended long ago.
pub(crate) fn is_over(secret: &str) -> bool {
    let end = |claims: String| END.captures(&claims).and_then(|found| found[1].parse::<u64>().ok());
    claims(secret).and_then(end).is_some_and(|end| end < OVER_BEFORE_S)
}

/// What a signed token says; `None` of what is none.
fn claims(secret: &str) -> Option<String> {
    let claims = secret.strip_prefix(BEGINNING)?.split('.').nth(1)?.trim_end_matches('=');
    let bytes = (claims.len() <= CLAIMS_BYTES_MAX).then(|| URL_SAFE_NO_PAD.decode(claims).ok())??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_says_for_whom_and_until_when_it_is() {
        for (claims, for_everybody, over) in [
            (r#"{"iss":"supabase","role":"anon","exp":1965000000}"#, true, false),
            (r#"{"iss":"supabase","role":"service_role","exp":1965000000}"#, false, false),
            (r#"{"sub":"7","exp":1300819380}"#, false, true),
            (r#"{"sub":"7", "exp" : 1300819380.5}"#, false, true),
            (r#"{"sub":"7","exp":1965000000}"#, false, false),
            (r#"{"sub":"7","iat":1300819380}"#, false, false),
        ] {
            let token = format!("eyJhbGciOiJIUzI1NiJ9.{}.k3m8vq1zbw5h9cd2", URL_SAFE_NO_PAD.encode(claims));
            assert_eq!((is_for_everybody(&token), is_over(&token)), (for_everybody, over), "{claims}");
        }
        for text in ["", "ey", "ey.", "ey.x.y", "ghp_k3m8vq1zbw5h", "eyJh.eyJ"] {
            assert!(!is_for_everybody(text) && !is_over(text), "{text}");
        }
    }
}
