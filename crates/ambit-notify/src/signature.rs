//! Signatures of webhooks by the Standard Webhooks specification: over id, time and body, with a shared secret or with
//! a private key.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use sha2::Sha256;

/// What stands before a shared secret, a private and a public key.
const SHARED: &str = "whsec_";
const PRIVATE: &str = "whsk_";
const PUBLIC: &str = "whpk_";

/// The signature of a message with one secret; `None` where that is no secret of either sort.
fn sign(secret: &str, content: &[u8]) -> Option<String> {
    if let Some(text) = secret.strip_prefix(SHARED) {
        let mut mac = Hmac::<Sha256>::new_from_slice(&STANDARD.decode(text).ok()?).ok()?;
        mac.update(content);
        return Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())));
    }
    Some(format!("v1a,{}", STANDARD.encode(key_pair(secret)?.sign(content))))
}

fn key_pair(secret: &str) -> Option<Ed25519KeyPair> {
    let seed = STANDARD.decode(secret.strip_prefix(PRIVATE)?).ok()?;
    Ed25519KeyPair::from_seed_unchecked(&seed).ok()
}

/// The header of a message: a signature with each secret, so that a receiver may change from one to another.
pub(crate) fn header(secrets: &[String], id: &str, seconds: i64, body: &[u8]) -> String {
    let content = [format!("{id}.{seconds}.").as_bytes(), body].concat();
    let signatures: Vec<String> = secrets.iter().filter_map(|secret| sign(secret, &content)).collect();
    signatures.join(" ")
}

/// Returns the public key that belongs to a private one, as receivers write it; `None` for any other text.
pub fn public_key(secret: &str) -> Option<String> {
    Some(format!("{PUBLIC}{}", STANDARD.encode(key_pair(secret)?.public_key().as_ref())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_secret_signs_as_the_specification_shows() {
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned();
        let signed = header(&[secret], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_private_key_signs_what_its_public_key_verifies() {
        let secret = format!("{PRIVATE}{}", STANDARD.encode([7; 32]));
        let public = public_key(&secret).expect("a key");
        let key = STANDARD.decode(public.strip_prefix(PUBLIC).expect("a prefix")).expect("base64");
        let signed = header(&[secret, "whsec_AAAA".to_owned(), "nonsense".to_owned()], "m", 5, b"{}");
        let (first, second) = signed.split_once(' ').expect("two signatures");
        let signature = STANDARD.decode(first.strip_prefix("v1a,").expect("ed25519")).expect("base64");
        let verifier = ring::signature::UnparsedPublicKey::new(&ring::signature::ED25519, key);
        assert!(verifier.verify(b"m.5.{}", &signature).is_ok());
        assert!(second.starts_with("v1,"));
    }
}
