//! What is known of certificates, and of the handshakes that showed them.

use super::Member;
use super::row::{Empty::Null, Row, contract, seen};
use crate::task::TaskName::{CertificateLog, TlsGrab};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// Handshakes with it, one for each address and port.
pub const TLS: Member<Vec<TlsLook>> = Member::named("hidden_tls");
/// Its serial number.
pub const SERIAL: Member = Member::named("serial");
/// When it begins to hold.
pub const NOT_BEFORE: Member<String> = Member::named("not_before");
/// When it ceases to hold.
pub const NOT_AFTER: Member<String> = Member::named("not_after");
/// Whom it speaks for.
pub const SUBJECT: Member<String> = Member::named("subject");
/// Who signed it.
pub const ISSUER: Member<String> = Member::named("issuer");
/// How it is signed.
pub const ALGORITHM: Member<String> = Member::named("algorithm");
/// The hash of its bytes.
pub const FINGERPRINT_SHA256: Member = Member::named("fingerprint_sha256");
/// Its bytes as PEM.
pub const TEXT: Member = Member::named("hidden_text");
/// The names that it holds for.
pub const NAMES: Member<Vec<String>> = Member::named("hidden_names");
/// Its key.
pub const KEY: Member<Key> = Member::named("hidden_key");
/// It is signed with its own key.
pub const SELF_SIGNED: Member<bool> = Member::named("hidden_self_signed");
/// It may sign others.
pub const CA: Member = Member::named("hidden_ca");
/// What is wrong with its chain, dates and names apart; null where it is sound.
pub const CHAIN_ERROR: Member<ChainError> = Member::named("hidden_chain_error");
/// Whether its authority has revoked it, by the answer that came with the handshake; null where none came.
pub const REVOCATION: Member<Standing> = Member::named("hidden_revocation");
/// The organisation that it names.
pub const ORGANIZATION: Member = Member::named("hidden_organization");

/// What is known of a certificate that something serves.
pub(super) const SERVED: &[Row] = &[
    contract(SERIAL, Null).by(TlsGrab),
    contract(NOT_BEFORE, Null).by(TlsGrab),
    contract(NOT_AFTER, Null).by(TlsGrab),
    contract(SUBJECT, Null).by(TlsGrab),
    contract(ISSUER, Null).by(TlsGrab),
    contract(ALGORITHM, Null).by(TlsGrab),
    contract(FINGERPRINT_SHA256, Null).by(TlsGrab),
    contract(TEXT, Null).by(TlsGrab),
    seen(NAMES, TlsGrab),
    seen(KEY, TlsGrab),
    seen(SELF_SIGNED, TlsGrab),
    seen(CA, TlsGrab),
    seen(CHAIN_ERROR, TlsGrab),
    seen(REVOCATION, TlsGrab),
    seen(ORGANIZATION, TlsGrab),
];

/// What a public log says of a certificate.
pub(super) const LOGGED: &[Row] = &[
    contract(SERIAL, Null).by(CertificateLog),
    contract(NOT_BEFORE, Null).by(CertificateLog),
    contract(NOT_AFTER, Null).by(CertificateLog),
    contract(SUBJECT, Null).by(CertificateLog),
    contract(ISSUER, Null).by(CertificateLog),
    contract(ALGORITHM, Null),
    contract(FINGERPRINT_SHA256, Null),
    contract(TEXT, Null),
    seen(NAMES, CertificateLog),
];

/// What one handshake with an address and port showed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TlsLook {
    /// Address and port.
    pub address: String,
    /// The name that was asked for.
    pub name: Option<String>,
    /// The name of the certificate's entity.
    pub certificate: Option<String>,
    /// Versions that it speaks, `TLSv1.2`.
    pub versions: Vec<String>,
    /// The protocol that it chose by ALPN of those that a browser offers, `h2` or `http/1.1`.
    pub alpn: Option<String>,
    /// The certificate holds for the name that was asked for.
    pub name_matches: Option<bool>,
    /// Registrable domains in the certificate that are neither the entity's nor a seed's.
    pub foreign_domains: usize,
}

/// What an authority says of a certificate that it issued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Standing {
    /// It is not revoked.
    Good {
        /// When the authority said so.
        at: String,
    },
    /// It does not hold any more.
    Revoked {
        /// Since when.
        at: String,
        /// Why, by the names of RFC 5280 §5.3.1; `None` where the authority does not say.
        reason: Option<String>,
    },
}

/// The key of a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    #[serde(rename = "type")]
    pub algorithm: KeyAlgorithm,
    pub bits: Option<i64>,
    /// The curve, or the identifier of an algorithm that has no name here.
    pub curve: Option<String>,
}

/// What sort of key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum KeyAlgorithm {
    Dsa,
    Ec,
    Ed25519,
    Other,
    Rsa,
}

impl KeyAlgorithm {
    /// Returns the stored name, `rsa`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What is wrong with a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChainError {
    /// A certificate of it may not be used as it is.
    Constraint,
    SelfSigned,
    /// It leads to no authority that is trusted.
    UnknownIssuer,
}
