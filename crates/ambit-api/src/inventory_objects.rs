//! Domains, addresses and URLs of the wider API (docs/contract/wider.md §4), as the inventory knows them or as somebody
//! submitted them.

use crate::contract::{Maybe, contract};
use crate::files::{EngineResults, Stats};
use crate::objects::Seconds;
use crate::votes::TotalVotes;
use serde::Serialize;
use std::collections::BTreeMap;

contract! {
    /// The attributes of an object of the inventory. What is a [`Maybe`] is absent where it is not known, and where the
    /// object is of another type.
    #[derive(Debug, Default, Serialize)]
    pub struct InventoryObjectAttributes {
        pub tags: Vec<String>,
        pub first_seen_date: Seconds,
        pub last_modification_date: Seconds,
        pub reputation: i64,
        pub last_analysis_stats: Stats,
        pub last_analysis_results: EngineResults,
        pub total_votes: TotalVotes,
        /// What sorts of site engines take a name or a URL for, by engine: none of Ambit's says that.
        pub categories: Maybe<BTreeMap<String, String>>,
        pub url: Maybe<String>,
        pub last_final_url: Maybe<String>,
        pub title: Maybe<String>,
        pub last_http_response_code: Maybe<i64>,
        pub last_http_response_headers: Maybe<BTreeMap<String, String>>,
        pub last_http_response_content_sha256: Maybe<String>,
        pub last_http_response_content_length: Maybe<i64>,
        pub redirection_chain: Maybe<Vec<String>>,
        pub last_analysis_date: Maybe<Seconds>,
        pub last_dns_records: Maybe<Vec<DnsRecord>>,
        pub last_dns_records_date: Maybe<Seconds>,
        pub last_https_certificate: Maybe<CertificateAttributes>,
        pub last_https_certificate_date: Maybe<Seconds>,
        pub whois: Maybe<String>,
        pub registrar: Maybe<String>,
        pub creation_date: Maybe<Seconds>,
        pub expiration_date: Maybe<Seconds>,
        pub country: Maybe<String>,
        pub asn: Maybe<i64>,
        pub as_owner: Maybe<String>,
        pub network: Maybe<String>,
        pub regional_internet_registry: Maybe<String>,
    }

    /// The attributes of an address that nobody looked at: every address is there, and nothing is known of this one.
    #[derive(Debug, Default, Serialize)]
    pub struct UnseenAddressAttributes {
        pub tags: Vec<String>,
        pub reputation: i64,
        pub last_analysis_stats: Stats,
        pub last_analysis_results: EngineResults,
        pub total_votes: TotalVotes,
    }

    /// A record of the DNS of a name. Records of the type MX have a priority.
    #[derive(Debug, PartialEq, Serialize)]
    pub struct DnsRecord {
        #[serde(rename = "type")]
        pub kind: String,
        pub value: String,
        pub ttl: Maybe<i64>,
        pub priority: Maybe<i64>,
    }

    /// What Ambit's own judges say of an object: an engine among those of the packs.
    #[derive(Debug, Serialize)]
    pub struct EngineResult {
        pub category: &'static str,
        pub engine_name: &'static str,
        pub engine_version: &'static str,
        pub engine_update: String,
        pub method: &'static str,
        pub result: Option<String>,
    }

    /// The attributes of a certificate that was served on an object, or that names it. One that only a log showed has
    /// no fingerprint.
    #[derive(Debug, Default, Serialize)]
    pub struct CertificateAttributes {
        pub first_seen_date: Maybe<Seconds>,
        pub serial_number: Maybe<String>,
        pub thumbprint: Maybe<String>,
        pub thumbprint_sha256: Maybe<String>,
        pub subject: BTreeMap<String, String>,
        pub issuer: BTreeMap<String, String>,
        pub validity: Validity,
        pub public_key: Maybe<PublicKey>,
        pub cert_signature: Maybe<CertificateSignature>,
        pub extensions: CertificateExtensions,
    }

    /// When a certificate is valid: `YYYY-MM-DD HH:MM:SS`.
    #[derive(Debug, Default, Serialize)]
    pub struct Validity {
        pub not_before: Maybe<String>,
        pub not_after: Maybe<String>,
    }

    /// The key of a certificate. Of RSA its length is known, of elliptic curves their name.
    #[derive(Debug, Default, Serialize)]
    pub struct PublicKey {
        pub algorithm: String,
        pub rsa: Maybe<RsaKey>,
        pub ec: Maybe<EcKey>,
    }

    /// A key of RSA; its length in bits.
    #[derive(Debug, Default, Serialize)]
    pub struct RsaKey {
        pub key_size: i64,
    }

    /// A key on an elliptic curve.
    #[derive(Debug, Default, Serialize)]
    pub struct EcKey {
        pub oid: String,
    }

    /// How a certificate is signed.
    #[derive(Debug, Default, Serialize)]
    pub struct CertificateSignature {
        pub signature_algorithm: String,
    }

    /// Extensions of a certificate.
    #[derive(Debug, Default, Serialize)]
    pub struct CertificateExtensions {
        pub subject_alternative_name: Vec<String>,
    }

    /// The attributes of a registration as a registry told it.
    #[derive(Debug, Serialize)]
    pub struct RegistrationAttributes {
        pub first_seen_date: Seconds,
        pub last_updated: Seconds,
        pub registrar_name: Maybe<String>,
        pub whois_map: BTreeMap<String, String>,
    }

    /// The attributes of a URL that somebody submitted.
    #[derive(Debug, Default, Serialize)]
    pub struct SubmittedUrlAttributes {
        pub url: String,
        pub categories: BTreeMap<String, String>,
        pub last_final_url: String,
        pub first_submission_date: Seconds,
        pub last_submission_date: Seconds,
        pub times_submitted: i64,
        pub last_analysis_stats: Stats,
        pub last_analysis_results: EngineResults,
        pub total_votes: TotalVotes,
        pub reputation: i64,
        pub tags: Vec<String>,
    }

    /// The attributes of a name and an address that belong together.
    #[derive(Debug, Serialize)]
    pub struct ResolutionAttributes {
        pub date: Seconds,
        pub host_name: String,
        pub ip_address: String,
    }
}
