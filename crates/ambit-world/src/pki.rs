//! The certificates of a world: every byte follows from the file and the epoch, signatures included.

mod der;
mod ocsp;
pub(crate) mod rsa;
mod signer;

use crate::draft::{Cert, Issuer, KeyChoice};
use ambit_model::Timestamp;
use ambit_model::moment::DAY_MS;
use ring::signature::{Ed25519KeyPair, KeyPair};
use rustls_pki_types::CertificateDer;
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

/// Authorities live so long before and after the epoch, in days.
const AUTHORITY_DAYS: i64 = 3_650;

/// A certificate with all that serves and describes it.
#[derive(Debug)]
pub(crate) struct Certificate {
    /// As the server sends it, leaf first.
    pub chain: Vec<CertificateDer<'static>>,
    pub key: Arc<dyn rustls::sign::SigningKey>,
    /// RSA here signs by PKCS #1 only, which TLS 1.3 does not have.
    pub twelve_only: bool,
    pub common_name: String,
    pub names: Vec<String>,
    /// Hex, as long as it is.
    pub serial: String,
    pub not_before: Timestamp,
    pub not_after: Timestamp,
    pub issuer_name: String,
    pub logged: bool,
    /// The statement in the world file.
    pub stated: Cert,
    /// The statement of its authority that it is revoked, if it is: servers hand it over (OCSP).
    pub ocsp: Option<Vec<u8>>,
    /// How a server speaks with it: in both versions of TLS and in 1.2 alone, with each choice of ALPN. Built when
    /// first needed.
    pub configs: [[OnceLock<Arc<rustls::ServerConfig>>; 4]; 2],
}

impl Certificate {
    /// Returns a description that is unique to this certificate.
    pub(crate) fn words(&self) -> String {
        let Self { serial, names, issuer_name, not_before, not_after, .. } = self;
        format!("certificate {serial} of {issuer_name} for {} from {not_before} to {not_after}", names.join(" "))
    }
}

/// The authorities of one world at one epoch.
pub(crate) struct Authorities {
    world: String,
    epoch: Timestamp,
    root: Authority,
    issuing: Authority,
    legacy: Authority,
    nowhere: Authority,
}

struct Authority {
    common_name: String,
    name: Vec<u8>,
    key: AuthorityKey,
    certificate: Vec<u8>,
}

enum AuthorityKey {
    Ed25519(Ed25519KeyPair),
    /// Signs with SHA-1.
    Legacy,
}

/// The content of a certificate before it is signed.
struct Content<'a> {
    serial: [u8; 16],
    issuer: &'a [u8],
    subject: &'a [u8],
    not_before: Timestamp,
    not_after: Timestamp,
    public_key: &'a [u8],
    extensions: Vec<Vec<u8>>,
}

impl Authorities {
    pub(crate) fn new(world: &str, epoch: Timestamp) -> Self {
        let build = |common_name: &str, legacy: bool, signer: Option<&Authority>| {
            let name = der::name(Some("NL"), Some("Simulated Trust Services"), common_name);
            let key = if legacy { AuthorityKey::Legacy } else { AuthorityKey::Ed25519(ed25519(world, common_name)) };
            let public_key = key.public_key();
            let content = Content {
                serial: serial(world, common_name),
                issuer: signer.map_or(&name, |signer| &signer.name),
                subject: &name,
                not_before: epoch.plus_ms(-AUTHORITY_DAYS * DAY_MS),
                not_after: epoch.plus_ms(AUTHORITY_DAYS * DAY_MS),
                public_key: &public_key,
                extensions: vec![
                    der::extension(der::BASIC_CONSTRAINTS, true, &der::sequence(&[&[0x01, 0x01, 0xff]])),
                    der::extension(der::KEY_USAGE, true, &[0x03, 0x02, 0x01, 0x06]),
                ],
            };
            let certificate = signer.map_or(&key, |signer| &signer.key).sign(&content);
            Authority { common_name: common_name.to_owned(), name, key, certificate }
        };
        let root = build("Simulated Root CA", false, None);
        let issuing = build("Simulated Issuing CA", false, Some(&root));
        let legacy = build("Simulated Legacy CA", true, Some(&root));
        let nowhere = build("Nowhere Private CA", false, None);
        Self { world: world.to_owned(), epoch, root, issuing, legacy, nowhere }
    }

    /// The certificate of the root, as a browser of this world holds it.
    pub(crate) fn root(&self) -> CertificateDer<'static> {
        CertificateDer::from(self.root.certificate.clone())
    }

    /// Issues a certificate as the file states; `site_names` are the default.
    pub(crate) fn issue(&self, stated: &Cert, site_names: &[String]) -> Certificate {
        let names = if stated.names.is_empty() { site_names } else { &stated.names };
        let common_name =
            stated.common_name.clone().or_else(|| names.first().cloned()).unwrap_or_else(|| "localhost".to_owned());
        // What a renewal changes is part of the identity, and nothing else: other lines of the file may move.
        let identity = format!(
            "{common_name} {names:?} {:?} {:?} {:?} {:?} {:?} {}",
            stated.org, stated.starts, stated.ends, stated.issuer, stated.key, stated.sha1
        );
        let subject = der::name(None, stated.org.as_deref(), &common_name);
        let serial = serial(&self.world, &identity);
        let (public_key, key): (Vec<u8>, Arc<dyn rustls::sign::SigningKey>) = match stated.key {
            KeyChoice::Ed25519 => {
                let pair = ed25519(&self.world, &identity);
                (ed25519_public(&pair), Arc::new(signer::Ed25519Signer(Arc::new(pair))))
            }
            KeyChoice::Rsa2048 => (rsa_public(&rsa::USUAL), Arc::new(signer::RsaSigner(&rsa::USUAL))),
            KeyChoice::Weak => (rsa_public(&rsa::WEAK), Arc::new(signer::RsaSigner(&rsa::WEAK))),
        };
        let authority = match stated.issuer {
            Issuer::Trusted if stated.sha1 => Some(&self.legacy),
            Issuer::Trusted => Some(&self.issuing),
            Issuer::Unknown => Some(&self.nowhere),
            Issuer::Itself => None,
        };
        let content = Content {
            serial,
            issuer: authority.map_or(&subject, |authority| &authority.name),
            subject: &subject,
            not_before: stated.starts.of(self.epoch),
            not_after: stated.ends.of(self.epoch),
            public_key: &public_key,
            extensions: leaf_extensions(names),
        };
        let leaf = match (authority, stated.key) {
            (Some(authority), _) => authority.key.sign(&content),
            (None, KeyChoice::Ed25519) => AuthorityKey::Ed25519(ed25519(&self.world, &identity)).sign(&content),
            (None, KeyChoice::Rsa2048) => sign_rsa(&rsa::USUAL, &content, false),
            (None, KeyChoice::Weak) => sign_rsa(&rsa::WEAK, &content, false),
        };
        let mut chain = vec![CertificateDer::from(leaf)];
        if let Some(authority) = authority.filter(|_| !stated.chain_missing) {
            chain.push(CertificateDer::from(authority.certificate.clone()));
        }
        Certificate {
            chain,
            key,
            twelve_only: stated.key != KeyChoice::Ed25519,
            names: names.to_vec(),
            serial: hex::encode(serial),
            not_before: content.not_before,
            not_after: content.not_after,
            issuer_name: authority.map_or_else(|| common_name.clone(), |authority| authority.common_name.clone()),
            common_name,
            logged: stated.logged,
            stated: stated.clone(),
            ocsp: authority.zip(stated.revoked).and_then(|(authority, ago_ms)| {
                let at = self.epoch.plus_ms(-ago_ms);
                let AuthorityKey::Ed25519(pair) = &authority.key else { return None };
                Some(ocsp::revoked(pair, &authority.name, &serial, at))
            }),
            configs: Default::default(),
        }
    }
}

impl Certificate {
    /// Whether the certificate is for this name.
    pub(crate) fn covers(&self, name: &str) -> bool {
        self.names.iter().any(|covered| match covered.strip_prefix("*.") {
            Some(parent) => name.split_once('.').is_some_and(|(_, rest)| rest == parent),
            None => covered == name,
        })
    }
}

impl AuthorityKey {
    fn public_key(&self) -> Vec<u8> {
        match self {
            Self::Ed25519(pair) => ed25519_public(pair),
            Self::Legacy => rsa_public(&rsa::USUAL),
        }
    }

    fn sign(&self, content: &Content<'_>) -> Vec<u8> {
        match self {
            Self::Ed25519(pair) => {
                let algorithm = der::sequence(&[&der::oid(der::ED25519)]);
                let body = content.body(&algorithm);
                let signature = pair.sign(&body);
                der::sequence(&[&body, &algorithm, &der::bit_string(signature.as_ref())])
            }
            Self::Legacy => sign_rsa(&rsa::USUAL, content, true),
        }
    }
}

fn sign_rsa(key: &rsa::RsaKey, content: &Content<'_>, sha1: bool) -> Vec<u8> {
    let kind = if sha1 { der::SHA1_WITH_RSA } else { der::SHA256_WITH_RSA };
    let algorithm = der::sequence(&[&der::oid(kind), &[0x05, 0x00]]);
    let body = content.body(&algorithm);
    let signature = if sha1 {
        let digest = ring::digest::digest(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY, &body);
        key.sign(rsa::SHA1_INFO, digest.as_ref())
    } else {
        key.sign(rsa::SHA256_INFO, &Sha256::digest(&body))
    };
    der::sequence(&[&body, &algorithm, &der::bit_string(&signature)])
}

impl Content<'_> {
    /// The part that is signed.
    fn body(&self, algorithm: &[u8]) -> Vec<u8> {
        let validity = der::sequence(&[&der::time(self.not_before), &der::time(self.not_after)]);
        der::sequence(&[
            &[0xa0, 0x03, 0x02, 0x01, 0x02],
            &der::integer(&self.serial),
            algorithm,
            self.issuer,
            &validity,
            self.subject,
            self.public_key,
            &der::tlv(0xa3, &der::tlv(0x30, &self.extensions.concat())),
        ])
    }
}

fn leaf_extensions(names: &[String]) -> Vec<Vec<u8>> {
    let alternative = |name: &String| match name.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => der::tlv(0x87, &address.octets()),
        Ok(IpAddr::V6(address)) => der::tlv(0x87, &address.octets()),
        Err(_) => der::tlv(0x82, name.as_bytes()),
    };
    let alternatives: Vec<u8> = names.iter().flat_map(alternative).collect();
    vec![
        der::extension(der::KEY_USAGE, true, &[0x03, 0x02, 0x07, 0x80]),
        der::extension(der::EXTENDED_KEY_USAGE, false, &der::sequence(&[&der::oid(der::SERVER_AUTH)])),
        der::extension(der::SUBJECT_ALT_NAME, false, &der::tlv(0x30, &alternatives)),
    ]
}

/// 32 bytes that belong to a world, a purpose and a thing.
pub(crate) fn derive(world: &str, purpose: &str, thing: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [world, purpose, thing] {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// 128 bits, positive, and never shorter than that in hex.
fn serial(world: &str, identity: &str) -> [u8; 16] {
    let mut serial: [u8; 16] = derive(world, "serial", identity)[..16].try_into().expect("16 of 32");
    serial[0] = serial[0] & 0x3f | 0x40;
    serial
}

fn ed25519(world: &str, identity: &str) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&derive(world, "key", identity)).expect("any 32 bytes are a seed")
}

fn ed25519_public(pair: &Ed25519KeyPair) -> Vec<u8> {
    der::public_key(der::ED25519, &[], pair.public_key().as_ref())
}

/// A certificate of somebody who signs for themselves, by a key that protects nothing.
pub(crate) fn self_signed(common_name: &str) -> Vec<u8> {
    /// 2020-01-01 and 2050-01-01.
    const VALID: [Timestamp; 2] = [Timestamp(1_577_836_800_000), Timestamp(2_524_608_000_000)];
    let name = der::name(None, None, common_name);
    let content = Content {
        serial: serial("apps", common_name),
        issuer: &name,
        subject: &name,
        not_before: VALID[0],
        not_after: VALID[1],
        public_key: &rsa_public(&rsa::USUAL),
        extensions: vec![der::extension(der::KEY_USAGE, true, &[0x03, 0x02, 0x07, 0x80])],
    };
    sign_rsa(&rsa::USUAL, &content, false)
}

pub(crate) fn rsa_public(key: &rsa::RsaKey) -> Vec<u8> {
    let numbers = der::sequence(&[&der::integer(&key.modulus()), &der::integer(&[1, 0, 1])]);
    der::public_key(der::RSA, &[0x05, 0x00], &numbers)
}
