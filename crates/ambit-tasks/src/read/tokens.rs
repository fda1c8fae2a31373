//! Identifiers of services and keys in content. Identifiers tie sites together; keys are shown masked.

use regex::Regex;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// A token that was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Token {
    /// The entity's name: the identifier itself; of a key its start and a hash.
    pub(crate) name: String,
    pub(crate) provider: &'static str,
    pub(crate) sensitive: bool,
    pub(crate) snippet: String,
}

/// What a token looks like.
struct Form {
    provider: &'static str,
    sensitive: bool,
    pattern: &'static str,
}

const fn public(provider: &'static str, pattern: &'static str) -> Form {
    Form { provider, sensitive: false, pattern }
}

const fn secret(provider: &'static str, pattern: &'static str) -> Form {
    Form { provider, sensitive: true, pattern }
}

const FORMS: &[Form] = &[
    public("Google Analytics", r"\bUA-\d{4,10}-\d{1,4}\b"),
    public("Google Analytics", r"\bG-[A-Z0-9]{8,12}\b"),
    public("Google Tag Manager", r"\bGTM-[A-Z0-9]{5,9}\b"),
    public("Google AdSense", r"\b(?:ca-)?pub-\d{16}\b"),
    public("Google Maps", r"\bAIza[0-9A-Za-z_-]{35}\b"),
    public("Sentry", r"\bhttps://[0-9a-f]{32}@[a-z0-9.-]{4,100}/\d{1,10}\b"),
    public("Stripe", r"\bpk_live_[0-9A-Za-z]{20,100}\b"),
    secret("Amazon Web Services", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    secret("Stripe", r"\b[sr]k_live_[0-9A-Za-z]{20,100}\b"),
    secret("GitHub", r"\bgh[pousr]_[0-9A-Za-z]{36}\b"),
    secret("GitLab", r"\bglpat-[0-9A-Za-z_-]{20}\b"),
    secret("Slack", r"\bxox[abpr]-[0-9A-Za-z-]{10,200}\b"),
    secret("SendGrid", r"\bSG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}\b"),
    secret("Mailgun", r"\bkey-[0-9a-f]{32}\b"),
    secret("Twilio", r"\bSK[0-9a-f]{32}\b"),
];

static COMPILED: LazyLock<Vec<(&'static Form, Regex)>> = LazyLock::new(|| {
    FORMS.iter().map(|form| (form, Regex::new(form.pattern).expect("the expression is constant"))).collect()
});

/// Tokens of one text.
const TOKENS_MAX: usize = 50;
/// Characters of a key that are shown.
const SHOWN_CHARS: usize = 8;

/// True for the keys that vendors print in their documents.
fn is_sample(text: &str) -> bool {
    text.to_ascii_uppercase().contains("EXAMPLE")
}

/// Finds tokens, sorted, each once.
pub(crate) fn find(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = COMPILED
        .iter()
        .flat_map(|(form, expression)| expression.find_iter(text).take(TOKENS_MAX).map(|hit| (*form, hit.as_str())))
        .filter(|(_, text)| !is_sample(text))
        .map(|(form, text)| token(form, text))
        .collect();
    found.sort();
    found.dedup();
    found.truncate(TOKENS_MAX);
    found
}

fn token(form: &Form, hit: &str) -> Token {
    let shown: String = hit.chars().take(SHOWN_CHARS).collect();
    let masked = || format!("{shown}… (sha256 {})", &hex::encode(Sha256::digest(hit))[..12]);
    let name = if form.sensitive { masked() } else { hit.to_owned() };
    Token { snippet: name.clone(), name, provider: form.provider, sensitive: form.sensitive }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_shown_and_keys_are_masked() {
        let key = ["AKIA", "ABCDEFGHIJKLMNOP"].concat();
        let found = find(&format!("ga('create','UA-12345-1'); key={key}"));
        assert_eq!(found.len(), 2);
        assert!(found.iter().any(|token| token.name == "UA-12345-1" && !token.sensitive));
        let secret = found.iter().find(|token| token.sensitive).unwrap();
        assert!(!secret.name.contains(&key) && secret.name.starts_with("AKIAABCD"));
    }

    #[test]
    fn words_are_no_tokens() {
        assert!(find("UA-1 G-short GTM- AKIA pub-123 key-abc").is_empty());
    }
}
