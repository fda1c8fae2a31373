//! Members that names, services and sites take over from the address that they are on, and that several kinds share.

use super::Member;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The number of the system that announces its address.
pub const ASN: Member = Member::named("asn");
/// The name of the registered block around its address.
pub const NET_NAME: Member<String> = Member::named("net_name");
/// The registered block around its address.
pub const NET_BLOCK: Member = Member::named("hidden_net_block");
/// The country of the registered block.
pub const NET_GEO: Member = Member::named("net_geo");
/// The country of the registered block.
pub const NET_COUNTRY_CODE: Member = Member::named("net_country_code");
/// The number of the address that serves it.
pub const HOST_ID: Member = Member::named("host_id");
/// Where its address is, as the user's database of places says.
pub const GEOLOCATION: Member = Member::named("geolocation");
/// What was carried over from each of its addresses, by source.
pub const CARRIED: Member<Vec<Value>> = Member::named("hidden_network");
/// A provider of machines or of a content network stands behind it.
pub const CLOUD_HOSTED: Member<bool> = Member::named("cloud_hosted");
/// The providers behind it.
pub const CLOUD_PROVIDERS: Member<Vec<String>> = Member::named("cloud_providers");
/// What shows the providers.
pub const CLOUD_FINGERPRINTS: Member<Vec<String>> = Member::named("cloud_fingerprints");
/// The whole answer of the registry.
pub const WHOIS_FULL_TEXT: Member = Member::named("whois_full_text");
/// The products that showed themselves. Several looks at one thing tell some: the page and the icon of a site, the
/// records and the alias of a name. A record lists what any of them shows.
pub const FINGERPRINT: Member<Vec<Fingerprint>> = Member::named("fingerprint");

/// A product that showed itself, as the contract has it (docs/contract/asm.md §4.6).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fingerprint {
    pub cpe: Option<String>,
    pub hide: bool,
    pub tags: Vec<String>,
    #[serde(rename = "type")]
    pub kind: String,
    pub tasks: Option<Value>,
    pub issues: Option<Value>,
    pub method: String,
    pub update: Option<Value>,
    pub vendor: String,
    pub product: String,
    pub version: Option<String>,
    /// The version was read, so that defects can be inferred from it.
    pub inference: bool,
    pub description: String,
    pub match_logic: String,
    pub positive_matches: Vec<FingerprintMatch>,
}

/// What showed a product, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FingerprintMatch {
    pub match_type: String,
    pub match_content: String,
}
