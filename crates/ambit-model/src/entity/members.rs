//! The members of each kind's details, as the contract lists them (docs/contract/asm.md §4.5): every one is always there.

use super::Kind;
use crate::Details;
use serde_json::{Value, json};

/// The value of a member that was not observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Empty {
    Null,
    False,
    List,
    Zero,
}
use Empty::{False, List, Null, Zero};

const IP_ADDRESS: &[(&str, Empty)] = &[
    ("name", Null),
    ("ports", List),
    ("version", Null),
    ("net_name", Null),
    ("whitelist", False),
    ("geolocation", Null),
    ("network.asn", Null),
    ("network.rir", Null),
    ("network.name", Null),
    ("network.block", Null),
    ("network.country_code", Null),
    ("network.allocation_date", Null),
    ("resolutions", List),
    ("cloud_hosted", False),
    ("cloud_providers", List),
    ("whois_full_text", Null),
    ("exfil_lookup_identifier", Null),
];

const URI: &[(&str, Empty)] = &[
    ("asn", Null),
    ("ssl", Null),
    ("uri", Null),
    ("code", Null),
    ("port", Null),
    ("forms", Null),
    ("title", Null),
    ("verbs", Null),
    ("cookies", Null),
    ("headers", List),
    ("host_id", Null),
    ("net_geo", Null),
    ("scripts", List),
    ("service", Null),
    ("auth.2fa", False),
    ("auth.any", False),
    ("auth.ntlm", False),
    ("auth.basic", False),
    ("auth.forms", False),
    ("dom_sha1", Null),
    ("net_name", Null),
    ("protocol", Null),
    ("alt_names", List),
    ("generator", Null),
    ("ip_address", Null),
    ("favicon_md5", Null),
    ("favicon_sha1", Null),
    ("fingerprint", List),
    ("geolocation", Null),
    ("api_endpoint", False),
    ("cloud_hosted", False),
    ("domain_cookies", Null),
    ("redirect_chain", List),
    ("redirect_count", Zero),
    ("cloud_providers", List),
    ("net_country_code", Null),
    ("certificate_chain", List),
    ("screenshot_exists", False),
    ("cloud_fingerprints", List),
    ("response_data_hash", Null),
    ("exfil_lookup_identifier", Null),
];

const DOMAIN: &[(&str, Empty)] = &[
    ("resolutions", List),
    ("soa_record", Null),
    ("nameservers", List),
    ("mx_records", List),
    ("txt_records", List),
    ("spf_record", Null),
    ("dmarc", Null),
    ("whois_full_text", Null),
    ("contacts", List),
    ("geolocation", Null),
];

const DNS_RECORD: &[(&str, Empty)] = &[
    ("resolutions", List),
    ("soa_record", Null),
    ("mx_records", List),
    ("txt_records", List),
    ("spf_record", Null),
    ("cloud_hosted", False),
    ("cloud_providers", List),
];

const NET_BLOCK: &[(&str, Empty)] = &[
    ("start_address", Null),
    ("end_address", Null),
    ("cidr", Null),
    ("description", Null),
    ("block_type", Null),
    ("handle", Null),
    ("organization_name", Null),
    ("organization_reference", Null),
    ("organization_handle", Null),
    ("parent_reference", Null),
    ("rir", Null),
    ("provider", Null),
    ("whois_full_text", Null),
    ("extended_rdap", Null),
    ("transferred", False),
    ("ipv6", Null),
];

const NETWORK_SERVICE: &[(&str, Empty)] = &[
    ("ip_address", Null),
    ("port", Null),
    ("proto", Null),
    ("protocol", Null),
    ("service", Null),
    ("ssl", Null),
    ("asn", Null),
    ("net_name", Null),
    ("net_country_code", Null),
    ("host_id", Null),
    ("alt_names", List),
    ("cert", Null),
    ("fingerprint", List),
    ("geolocation", Null),
    ("hide_value", False),
    ("hide_reason", Null),
    ("vuln_checks", List),
    ("hidden_port_open_confirmed", Null),
];

const API_ENDPOINT: &[(&str, Empty)] = &[
    ("response", Null),
    ("code", Null),
    ("is_json", Null),
    ("fingerprint", List),
    ("title", Null),
];

const CERTIFICATE: &[(&str, Empty)] = &[
    ("serial", Null),
    ("not_before", Null),
    ("not_after", Null),
    ("subject", Null),
    ("issuer", Null),
    ("algorithm", Null),
    ("fingerprint_sha256", Null),
    ("hidden_text", Null),
];

const SERVER: &[(&str, Empty)] = &[("resolutions", List)];
const EMAIL: &[(&str, Empty)] = &[("origin", Null)];
const TOKEN: &[(&str, Empty)] = &[("snippet", Null), ("provider", Null), ("sensitive", False)];
const BUCKET: &[(&str, Empty)] = &[
    ("bucket_name", Null),
    ("region", Null),
    ("provider", Null),
    ("found_objects", List),
    ("contents", Null),
];
const ORIGIN: &[(&str, Empty)] = &[("origin", Null)];

impl Kind {
    /// The members that the contract lists for this kind.
    pub fn members(self) -> impl Iterator<Item = &'static str> {
        self.table().iter().map(|(member, _)| *member)
    }

    fn table(self) -> &'static [(&'static str, Empty)] {
        match self {
            Self::IpAddress => IP_ADDRESS,
            Self::Uri => URI,
            Self::Domain => DOMAIN,
            Self::DnsRecord => DNS_RECORD,
            Self::NetBlock => NET_BLOCK,
            Self::NetworkService => NETWORK_SERVICE,
            Self::ApiEndpoint => API_ENDPOINT,
            Self::SslCertificate | Self::PreCertificate => CERTIFICATE,
            Self::Nameserver | Self::Mailserver => SERVER,
            Self::EmailAddress => EMAIL,
            Self::UniqueToken => TOKEN,
            Self::CloudStorageBucket => BUCKET,
            Self::AutonomousSystem | Self::Organization | Self::UniqueKeyword => ORIGIN,
        }
    }

    /// Adds the members that were not observed, with their empty value.
    pub fn complete(self, details: &mut Details) {
        for (member, empty) in self.table() {
            let value = details.entry((*member).to_owned()).or_insert(Value::Null);
            if value.is_null() {
                *value = match empty {
                    Null => Value::Null,
                    False => json!(false),
                    List => json!([]),
                    Zero => json!(0),
                };
            }
        }
    }
}
