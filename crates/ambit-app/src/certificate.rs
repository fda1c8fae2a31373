//! The certificate with which a package is signed.

use crate::error::{AppError, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::public_key::PublicKey;

/// Bytes of a name of a certificate that are kept, and of its number, of which real ones have twenty.
const NAME_BYTES_MAX: usize = 1_024;
const SERIAL_BYTES_MAX: usize = 64;

/// A certificate of a signer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// Whom it names.
    pub subject: String,
    /// Who gave it out, mostly the same.
    pub issuer: String,
    /// The SHA-256 of its bytes, in hexadecimal digits: what app links name.
    pub sha256: String,
    /// Its number, in hexadecimal digits.
    pub serial: String,
    /// From when on it holds, in seconds since 1970.
    pub not_before: i64,
    /// Until when it holds, in seconds since 1970.
    pub not_after: i64,
    /// The identifier of the algorithm with which it is signed itself.
    pub algorithm: String,
    /// The kind of its key: `RSA`, `EC`, `DSA` or `other`.
    pub key: String,
    /// The size of its key in bits.
    pub key_bits: usize,
    /// It is the one that the tools of Android make for trying an app out, whose key everybody may have.
    pub is_debug: bool,
}

impl Certificate {
    /// Reads a certificate. Fails if the bytes are none.
    pub(crate) fn of(der: &[u8]) -> Result<Self> {
        let (_, read) =
            X509Certificate::from_der(der).map_err(|error| AppError::Broken(format!("certificate: {error}")))?;
        let (key, key_bits) = match read.public_key().parsed() {
            Ok(PublicKey::RSA(key)) => ("RSA", key.key_size()),
            Ok(PublicKey::EC(point)) => ("EC", point.key_size()),
            Ok(PublicKey::DSA(number)) => ("DSA", number.len() * 8),
            _ => ("other", 0),
        };
        let names = |wanted: &str| read.subject().iter_common_name().any(|name| name.as_str() == Ok(wanted));
        Ok(Self {
            subject: kept(read.subject().to_string()),
            issuer: kept(read.issuer().to_string()),
            sha256: hex::encode(Sha256::digest(der)),
            serial: hex::encode(&read.raw_serial()[..read.raw_serial().len().min(SERIAL_BYTES_MAX)]),
            not_before: read.validity().not_before.timestamp(),
            not_after: read.validity().not_after.timestamp(),
            algorithm: read.signature_algorithm.algorithm.to_id_string(),
            key: key.to_owned(),
            key_bits,
            is_debug: names("Android Debug"),
        })
    }
}

fn kept(mut name: String) -> String {
    name.truncate(name.floor_char_boundary(NAME_BYTES_MAX));
    name
}
