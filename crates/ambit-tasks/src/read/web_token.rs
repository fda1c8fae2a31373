//! JSON Web Tokens (RFC 7519) that an application gives to its visitors, read without asking anybody: how they are
//! signed, until when they hold, and what they tell. Nothing of a token or of its key is kept. Pure.

use super::defect::{SEARCHED_BYTES, Shown};
use ambit_net::http::HttpExchange;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use regex::Regex;
use serde_json::Value;
use sha2::{Sha256, Sha384, Sha512};
use std::sync::LazyLock;

/// Tokens of one answer.
const TOKENS_MAX: usize = 20;
/// Bytes of a header that is searched.
const HEADER_BYTES: usize = 16 * 1_024;
/// Seconds for which a token may hold.
const LASTS_MAX: f64 = 366.0 * 86_400.0;
/// Seconds since 1970 beyond which a number counts milliseconds.
const SECONDS_MAX: f64 = 1e11;

static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\beyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{4,6000}\.[A-Za-z0-9_-]{0,1000}").expect("constant")
});

/// Keys that people leave as an example or a first try had them.
const KEYS: &[&str] = &[
    "",
    "0123456789",
    "123456",
    "12345678",
    "admin",
    "change-me",
    "change_me",
    "changeit",
    "changeme",
    "default",
    "demo",
    "dev",
    "development",
    "example",
    "hello",
    "insecure",
    "jwt",
    "jwt-key",
    "jwt-secret",
    "jwt_secret",
    "jwtsecret",
    "key",
    "letmein",
    "my-secret",
    "my_secret",
    "my_secret_key",
    "mysecret",
    "mysecretkey",
    "password",
    "private",
    "qwerty",
    "s3cr3t",
    "secret",
    "secret-key",
    "secret_key",
    "secretkey",
    "signing-key",
    "super-secret",
    "supersecret",
    "test",
    "test-secret",
    "token",
    "topsecret",
    "your-256-bit-secret",
    "your-secret-key",
    "your_jwt_secret",
    "your_secret_key",
];
/// Claims that say who somebody is, beyond a number.
const PERSONAL: &[&str] = &[
    "address",
    "birthdate",
    "birthday",
    "date_of_birth",
    "dob",
    "email",
    "family_name",
    "given_name",
    "iban",
    "mobile",
    "national_id",
    "phone",
    "phone_number",
    "ssn",
    "tax_id",
];

/// What the tokens of an answer show: those in its headers, and those in its page or script.
pub(crate) fn defects(exchange: &HttpExchange) -> Vec<Shown> {
    let mut found = Vec::new();
    for (name, value) in &exchange.headers {
        let (name, value) = (name.raw().to_ascii_lowercase(), value.raw());
        let place = match value.split_once('=').filter(|_| name == "set-cookie") {
            Some((cookie, _)) => format!("the cookie {}", cookie.trim()),
            None => format!("the header {name}"),
        };
        found.extend(in_text(&value[..value.floor_char_boundary(HEADER_BYTES)], &place));
    }
    let text = String::from_utf8_lossy(&exchange.body[..exchange.body.len().min(SEARCHED_BYTES)]);
    found.extend(in_text(&text, "the body"));
    found
}

fn in_text(text: &str, place: &str) -> Vec<Shown> {
    let tokens = TOKEN.find_iter(text).take(TOKENS_MAX).filter_map(|token| Token::read(token.as_str()));
    tokens.filter(|token| !token.is_for_everybody()).flat_map(|token| token.defects(place)).collect()
}

struct Token<'a> {
    /// What is signed.
    signed: &'a str,
    signature: &'a str,
    algorithm: String,
    claims: Value,
}

impl<'a> Token<'a> {
    /// `None` for what only looks like one.
    fn read(text: &'a str) -> Option<Self> {
        let (signed, signature) = text.rsplit_once('.')?;
        let (head, claims) = signed.split_once('.')?;
        let part = |text: &str| -> Option<Value> {
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok().filter(Value::is_object)
        };
        let algorithm = part(head)?["alg"].as_str()?.chars().take(10).collect();
        Some(Self { signed, signature, algorithm, claims: part(claims)? })
    }

    /// The example of every manual, and keys that services make to be published.
    fn is_for_everybody(&self) -> bool {
        let says = |name: &str, text: &str| self.claims[name] == text;
        (says("sub", "1234567890") && says("name", "John Doe")) || says("role", "anon")
    }

    fn defects(&self, place: &str) -> Vec<Shown> {
        let mut found = Vec::new();
        let unsigned = self.algorithm.eq_ignore_ascii_case("none");
        if unsigned {
            found.push(("jwt_without_signature", format!("the token in {place} is not signed")));
        }
        if let Some(key) = KEYS.iter().find(|key| self.is_signed_with(key)) {
            let beginning: String = key.chars().take(1).collect();
            let count = key.chars().count();
            let shown = format!("its key is a common word: {beginning}… ({count} characters)");
            found.push(("jwt_guessable_key", format!("{} token in {place}: {shown}", self.algorithm)));
        }
        found.extend(self.unending().map(|why| ("jwt_without_end", format!("the token in {place} {why}"))));
        let personal: Vec<&str> = PERSONAL.iter().copied().filter(|name| is_filled(&self.claims[*name])).collect();
        if !personal.is_empty() {
            let names = personal.join(", ");
            found.push(("jwt_with_personal_data", format!("the token in {place} has the claims {names}")));
        }
        found
    }

    fn is_signed_with(&self, key: &str) -> bool {
        let Ok(signature) = URL_SAFE_NO_PAD.decode(self.signature) else { return false };
        macro_rules! verified {
            ($hash:ty) => {
                Hmac::<$hash>::new_from_slice(key.as_bytes())
                    .is_ok_and(|mac| mac.chain_update(self.signed).verify_slice(&signature).is_ok())
            };
        }
        match self.algorithm.as_str() {
            "HS256" => verified!(Sha256),
            "HS384" => verified!(Sha384),
            "HS512" => verified!(Sha512),
            _ => false,
        }
    }

    /// Why the token holds for longer than anybody looks at it.
    fn unending(&self) -> Option<String> {
        let seconds = |name: &str| {
            let number = self.claims[name].as_f64()?;
            Some(if number > SECONDS_MAX { number / 1_000.0 } else { number })
        };
        if self.claims["exp"].is_null() {
            return Some("never ends".to_owned());
        }
        let lasts = seconds("exp")? - seconds("iat").or_else(|| seconds("nbf"))?;
        (lasts > LASTS_MAX).then(|| format!("lasts {:.0} days", lasts / 86_400.0))
    }
}

fn is_filled(claim: &Value) -> bool {
    match claim {
        Value::String(text) => !text.trim().is_empty(),
        Value::Object(members) => !members.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(head: &str, claims: &str, key: Option<&str>) -> String {
        let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(head), URL_SAFE_NO_PAD.encode(claims));
        let sign = |key: &str| {
            let mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).unwrap().chain_update(&signed);
            URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
        };
        format!("{signed}.{}", key.map(sign).unwrap_or_default())
    }

    fn shown(token: &str) -> Vec<&'static str> {
        in_text(&format!("var t = \"{token}\";"), "the body").into_iter().map(|(what, _)| what).collect()
    }

    const HS256: &str = r#"{"alg":"HS256","typ":"JWT"}"#;
    const BOUNDED: &str = r#"{"sub":"7","iat":1700000000,"exp":1700003600}"#;

    #[test]
    fn each_weakness_of_a_token_is_told_from_its_near_miss() {
        let good = Some("6f1d0c2b7a9e4f3388aa51c07be2d946");
        for (token, expected) in [
            (token(HS256, BOUNDED, good), vec![]),
            (token(HS256, BOUNDED, Some("secret")), vec!["jwt_guessable_key"]),
            (token(HS256, BOUNDED, Some("")), vec!["jwt_guessable_key"]),
            (token(r#"{"alg":"RS256","typ":"JWT"}"#, BOUNDED, Some("secret")), vec![]),
            (token(r#"{"alg":"none","typ":"JWT"}"#, BOUNDED, None), vec!["jwt_without_signature"]),
            (token(r#"{"alg":"NoNe","typ":"JWT"}"#, BOUNDED, None), vec!["jwt_without_signature"]),
            (token(HS256, r#"{"sub":"7","iat":1700000000}"#, good), vec!["jwt_without_end"]),
            (token(HS256, r#"{"sub":"7","iat":1700000000,"exp":1763072000}"#, good), vec!["jwt_without_end"]),
            (token(HS256, r#"{"sub":"7","iat":1700000000,"exp":1730000000}"#, good), vec![]),
            (token(HS256, r#"{"sub":"7","exp":1763072000}"#, good), vec![]),
            (
                token(HS256, r#"{"email":"ann@acme.test","iat":1700000000,"exp":1700003600}"#, good),
                vec!["jwt_with_personal_data"],
            ),
            (token(HS256, r#"{"email":"","email_verified":true,"iat":1,"exp":2}"#, good), vec![]),
            (token(HS256, r#"{"sub":"1234567890","name":"John Doe","iat":1516239022}"#, Some("secret")), vec![]),
            (token(HS256, r#"{"iss":"service","role":"anon","iat":1}"#, good), vec![]),
            ("eyJhbGciOiJIUzI1NiJ9.eyJub3RqYXNvbg.abc".to_owned(), vec![]),
        ] {
            assert_eq!(shown(&token), expected, "{token}");
        }
    }

    #[test]
    fn a_proof_has_neither_the_token_nor_its_key_nor_what_its_claims_say() {
        let token = token(HS256, r#"{"email":"ann@acme.test"}"#, Some("supersecret"));
        let proofs: Vec<String> = in_text(&token, "the cookie session").into_iter().map(|(_, proof)| proof).collect();
        assert_eq!(
            proofs,
            [
                "HS256 token in the cookie session: its key is a common word: s… (11 characters)",
                "the token in the cookie session never ends",
                "the token in the cookie session has the claims email",
            ]
        );
    }
}
