//! ID tokens of OpenID Connect: what a provider says of a person, with the signature that shows that the provider said
//! so, for this client, now, and in answer to this very sign-in (OpenID Connect Core 1.0 §3.1.3.7). Pure.

use ambit_model::Timestamp;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// How far clocks may be apart, in seconds.
const LEEWAY_S: i64 = 60;
/// Longest token, in characters: some hundred groups.
const TOKEN_CHARS_MAX: usize = 64 * 1024;

/// Keys of a provider.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Keys {
    keys: Vec<Key>,
}

/// A key as RFC 7517 writes it.
#[derive(Clone, Debug, Deserialize)]
struct Key {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
}

/// The claims that a token must have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected<'a> {
    pub(crate) issuer: &'a str,
    pub(crate) client: &'a str,
    pub(crate) nonce: &'a str,
    pub(crate) now: Timestamp,
}

/// What the provider says of a person.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Claims(Map<String, Value>);

/// Why a token is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It is signed by a key that is not among these; the provider may have a new one.
    UnknownKey,
    /// The key that it names did not sign it; the provider may have a new one under the same name.
    OtherSignature,
    /// Anything else, in words.
    Because(&'static str),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::UnknownKey => "it is signed by a key that the provider does not list",
            Self::OtherSignature => "its signature is not the provider's",
            Self::Because(why) => why,
        })
    }
}

impl Claims {
    /// A claim that is a text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str().filter(|text| !text.is_empty())
    }

    /// A claim that says yes or no, also as a text, as some providers write it.
    pub(crate) fn truth(&self, name: &str) -> bool {
        match self.0.get(name) {
            Some(Value::Bool(truth)) => *truth,
            Some(Value::String(text)) => text == "true",
            _ => false,
        }
    }

    /// A claim that is a text or a list of texts.
    pub(crate) fn texts(&self, name: &str) -> Vec<String> {
        match self.0.get(name) {
            Some(Value::String(one)) => vec![one.clone()],
            Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    }

    fn seconds(&self, name: &str) -> Option<i64> {
        let number = self.0.get(name)?;
        number.as_i64().or_else(|| number.as_f64().map(|seconds| seconds as i64))
    }
}

/// Returns the claims of a token if all of them are as expected.
pub(crate) fn verify(token: &str, keys: &Keys, expected: Expected<'_>) -> Result<Claims, Refusal> {
    const BROKEN: Refusal = Refusal::Because("it is no signed token");
    if token.len() > TOKEN_CHARS_MAX {
        return Err(BROKEN);
    }
    let (message, signature) = token.rsplit_once('.').ok_or(BROKEN)?;
    let (header, claims) = message.split_once('.').ok_or(BROKEN)?;
    let header: Header = part(header).ok_or(BROKEN)?;
    let signature = decode(signature).ok_or(BROKEN)?;
    keys.check(&header, message.as_bytes(), &signature)?;
    let claims = Claims(part(claims).ok_or(BROKEN)?);
    check(&claims, expected).map_err(Refusal::Because)?;
    Ok(claims)
}

fn check(claims: &Claims, expected: Expected<'_>) -> Result<(), &'static str> {
    let now = expected.now.0.div_euclid(1_000);
    let audience = claims.texts("aud");
    if claims.text("iss") != Some(expected.issuer) {
        return Err("it has another issuer");
    }
    if !audience.iter().any(|client| client == expected.client) {
        return Err("it is for another client");
    }
    let party = claims.text("azp");
    if party.is_some_and(|party| party != expected.client) || (audience.len() > 1 && party.is_none()) {
        return Err("it was given to another client");
    }
    if claims.seconds("exp").is_none_or(|end| end + LEEWAY_S <= now) {
        return Err("it has expired");
    }
    if claims.seconds("iat").is_none_or(|made| made - LEEWAY_S > now) {
        return Err("it was issued in the future");
    }
    if claims.text("nonce") != Some(expected.nonce) {
        return Err("it belongs to another sign-in");
    }
    if claims.text("sub").is_none() {
        return Err("it names nobody");
    }
    Ok(())
}

impl Keys {
    /// Checks a signature. What is not signed by a public key of the provider is refused, whatever the header says.
    fn check(&self, header: &Header, message: &[u8], signature: &[u8]) -> Result<(), Refusal> {
        let kind = match header.alg.as_str() {
            "RS256" => "RSA",
            "ES256" => "EC",
            "EdDSA" => "OKP",
            _ => return Err(Refusal::Because("it is not signed by RS256, ES256 or EdDSA")),
        };
        let is_fit = |key: &&Key| {
            key.kty == kind
                && key.purpose.as_deref().is_none_or(|purpose| purpose == "sig")
                && (header.kid.is_none() || key.kid == header.kid)
        };
        let mut fit = self.keys.iter().filter(is_fit).peekable();
        if fit.peek().is_none() {
            return Err(Refusal::UnknownKey);
        }
        if fit.any(|key| key.verifies(message, signature).is_some()) {
            return Ok(());
        }
        Err(Refusal::OtherSignature)
    }
}

impl Key {
    fn verifies(&self, message: &[u8], signature: &[u8]) -> Option<()> {
        let of = |part: &Option<String>| decode(part.as_deref()?);
        match (self.kty.as_str(), self.crv.as_deref()) {
            ("RSA", _) => {
                let key = RsaPublicKeyComponents { n: of(&self.n)?, e: of(&self.e)? };
                key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature).ok()
            }
            ("EC", Some("P-256")) => {
                // An uncompressed point (SEC 1 §2.3.3).
                let point = [vec![4], of(&self.x)?, of(&self.y)?].concat();
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature).ok()
            }
            ("OKP", Some("Ed25519")) => UnparsedPublicKey::new(&ED25519, of(&self.x)?).verify(message, signature).ok(),
            _ => None,
        }
    }
}

fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64_URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()
}

fn part<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_slice(&decode(text)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _};
    use serde_json::json;

    const NOW: Timestamp = Timestamp(1_800_000_000_000);

    const EXPECTED: Expected<'_> = Expected { issuer: "https://id.acme.test", client: "ambit", nonce: "n-1", now: NOW };

    fn encode(bytes: &[u8]) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    fn claims() -> Value {
        json!({
            "iss": "https://id.acme.test", "aud": "ambit", "sub": "7", "nonce": "n-1", "exp": 1_800_000_300,
            "iat": 1_800_000_000, "email": "ann@acme.test", "email_verified": true, "groups": ["ops", "all"],
        })
    }

    fn message(header: &Value, claims: &Value) -> String {
        format!("{}.{}", encode(header.to_string().as_bytes()), encode(claims.to_string().as_bytes()))
    }

    fn ed25519() -> (Ed25519KeyPair, Keys) {
        let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).expect("32 bytes");
        let x = encode(pair.public_key().as_ref());
        let keys = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "k1", "use": "sig", "x": x}]});
        (pair, serde_json::from_value(keys).expect("keys"))
    }

    fn signed(claims: &Value) -> String {
        let message = message(&json!({"alg": "EdDSA", "kid": "k1"}), claims);
        let signature = encode(ed25519().0.sign(message.as_bytes()).as_ref());
        format!("{message}.{signature}")
    }

    fn said(claims: &Value) -> Result<Claims, String> {
        verify(&signed(claims), &ed25519().1, EXPECTED).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn what_a_provider_says_of_a_person_is_read() {
        let claims = said(&claims()).expect("as expected");
        assert_eq!((claims.text("sub"), claims.text("email")), (Some("7"), Some("ann@acme.test")));
        assert!(claims.truth("email_verified") && !claims.truth("sub"));
        assert_eq!(claims.texts("groups"), ["ops", "all"]);
    }

    #[test]
    fn what_was_said_by_others_to_others_or_at_another_time_is_refused() {
        for (member, value, why) in [
            ("iss", json!("https://id.acme.test/"), "another issuer"),
            ("aud", json!("other"), "another client"),
            ("aud", json!(["other"]), "another client"),
            ("aud", json!(["ambit", "other"]), "another client"),
            ("azp", json!("other"), "another client"),
            ("exp", json!(1_799_999_940), "expired"),
            ("exp", Value::Null, "expired"),
            ("iat", json!(1_800_000_061), "future"),
            ("nonce", json!("n-2"), "another sign-in"),
            ("nonce", Value::Null, "another sign-in"),
            ("sub", json!(""), "nobody"),
        ] {
            let mut other = claims();
            other[member] = value.clone();
            let refused = said(&other).expect_err(member);
            assert!(refused.contains(why), "{member} {value}: {refused}");
        }
        let mut several = claims();
        (several["aud"], several["azp"]) = (json!(["ambit", "other"]), json!("ambit"));
        assert!(said(&several).is_ok());
    }

    #[test]
    fn only_a_signature_of_the_providers_key_counts() {
        let (_, keys) = ed25519();
        let good = signed(&claims());
        let (head, signature) = good.rsplit_once('.').expect("signed");
        let mut other = claims();
        other["sub"] = json!("8");
        let other = message(&json!({"alg": "EdDSA", "kid": "k1"}), &other);
        let none = message(&json!({"alg": "none"}), &claims());
        let shared = message(&json!({"alg": "HS256", "kid": "k1"}), &claims());
        let unknown = message(&json!({"alg": "EdDSA", "kid": "k2"}), &claims());
        for (token, why) in [
            (format!("{other}.{signature}"), "signature"),
            (format!("{head}.{}", encode(&[0; 64])), "signature"),
            (format!("{head}."), "signature"),
            (format!("{none}."), "RS256"),
            (format!("{shared}.{signature}"), "RS256"),
            (format!("{unknown}.{signature}"), "does not list"),
            (head.to_owned(), "no signed token"),
            ("a.b.c".to_owned(), "no signed token"),
            (String::new(), "no signed token"),
            ("a".repeat(TOKEN_CHARS_MAX + 1), "no signed token"),
        ] {
            let refused = verify(&token, &keys, EXPECTED).expect_err(why).to_string();
            assert!(refused.contains(why), "{why}: {refused}");
        }
    }

    #[test]
    fn elliptic_curves_count_too_and_keys_for_something_else_do_not() {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).expect("a key");
        let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
        let (x, y) = (encode(x), encode(y));
        let keys = |purpose: &str| -> Keys {
            let key = json!({"kty": "EC", "crv": "P-256", "use": purpose, "x": x, "y": y});
            serde_json::from_value(json!({"keys": [key]})).expect("keys")
        };
        let message = message(&json!({"alg": "ES256"}), &claims());
        let signature = pair.sign(&random, message.as_bytes()).expect("signs");
        let token = format!("{message}.{}", encode(signature.as_ref()));
        assert!(verify(&token, &keys("sig"), EXPECTED).is_ok());
        assert_eq!(verify(&token, &keys("enc"), EXPECTED), Err(Refusal::UnknownKey));
    }
}
