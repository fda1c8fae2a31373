//! What a file says of a certificate.

use super::Moment;

/// Which key a certificate holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum KeyChoice {
    #[default]
    Ed25519,
    Rsa2048,
    /// RSA of 1,024 bits.
    Weak,
}

/// Who signed a certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Issuer {
    #[default]
    Trusted,
    Itself,
    /// An authority that no browser knows.
    Unknown,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cert {
    pub line: usize,
    /// Subject alternative names; empty for those of the site.
    pub names: Vec<String>,
    pub common_name: Option<String>,
    pub org: Option<String>,
    pub starts: Moment,
    pub ends: Moment,
    pub issuer: Issuer,
    pub key: KeyChoice,
    pub sha1: bool,
    pub chain_missing: bool,
    /// Its authority revoked it so many milliseconds before the epoch.
    pub revoked: Option<i64>,
    pub logged: bool,
}

/// The certificate of a site or service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CertChoice {
    Inline(Box<Cert>),
    Named(String),
}
