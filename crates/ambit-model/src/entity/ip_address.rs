//! What is known of an address.

use super::Member;
use super::row::{
    Empty::{False, List, Null},
    Row, contract, seen, unseen,
};
use super::{certificate, domain, in_account, network};
use crate::task::TaskName::{
    AwsAccount, CloudAccount, CloudAttribution, Geolocation, Network, PortSweep, Ptr, Registration, TlsGrab,
};
use crate::{Details, scope::SharedBy};
use serde::{Deserialize, Serialize};

/// The address itself.
pub const NAME: Member = Member::named("name");
/// 4 or 6.
pub const VERSION: Member = Member::named("version");
/// The contract's flag; never set.
pub const WHITELIST: Member = Member::named("whitelist");
/// Ports that take connections.
pub const PORTS: Member<Vec<Port>> = Member::named("ports");
/// The name of the registered block around it.
pub const NETWORK_NAME: Member = Member::named("network.name");
/// That block.
pub const NETWORK_BLOCK: Member = Member::named("network.block");
/// The registry that gave the block out.
pub const NETWORK_RIR: Member = Member::named("network.rir");
/// The country of the block.
pub const NETWORK_COUNTRY_CODE: Member = Member::named("network.country_code");
/// When the block was given out.
pub const NETWORK_ALLOCATION_DATE: Member = Member::named("network.allocation_date");
/// The number of the system that announces it.
pub const NETWORK_ASN: Member = Member::named("network.asn");
/// Third parties share it by a known platform: a content network, a shared host, a provider. Scope weighs it.
pub const SHARED: Member<bool> = Member::named("hidden_shared");
/// Names of many domains of third parties lead to it, or stand in a certificate that it serves. Scope weighs it.
pub const STRANGERS: Member<bool> = Member::named("hidden_strangers");
/// What shows that.
pub const SHARED_REASON: Member<Vec<String>> = Member::named("hidden_shared_reason");
/// It takes connections on ports where nothing can be.
pub const CATCH_ALL: Member<bool> = Member::named("hidden_catch_all");
/// The protocols on those ports.
pub const CATCH_ALL_SAYS: Member<Vec<String>> = Member::named("hidden_catch_all_says");

/// What is known of an address.
pub(super) const MEMBERS: &[Row] = &[
    contract(NAME, Null).by(Network),
    contract(PORTS, List).by(PortSweep),
    contract(VERSION, Null).by(Network),
    contract(network::NET_NAME, Null).by(Registration),
    contract(WHITELIST, False).by(Network),
    contract(network::GEOLOCATION, Null).by(Geolocation),
    contract(NETWORK_ASN, Null).by(Registration),
    contract(NETWORK_RIR, Null).by(Registration),
    contract(NETWORK_NAME, Null).by(Registration),
    contract(NETWORK_BLOCK, Null).by(Registration),
    contract(NETWORK_COUNTRY_CODE, Null).by(Registration),
    contract(NETWORK_ALLOCATION_DATE, Null).by(Registration),
    contract(domain::RESOLUTIONS, List).by(Ptr),
    contract(network::CLOUD_HOSTED, False).by(CloudAttribution),
    contract(network::CLOUD_PROVIDERS, List).by(CloudAttribution),
    contract(network::WHOIS_FULL_TEXT, Null).by(Registration),
    unseen("exfil_lookup_identifier", Null),
    seen(SHARED, CloudAttribution),
    seen(SHARED_REASON, CloudAttribution),
    seen(STRANGERS, CloudAttribution),
    seen(CATCH_ALL, PortSweep),
    seen(CATCH_ALL_SAYS, PortSweep),
    seen(certificate::TLS, TlsGrab),
    seen(in_account::AWS, AwsAccount),
    seen(in_account::CLOUD, CloudAccount),
];

/// By whom third parties share the address, as far as its details show it.
pub fn shared_by(details: &Details) -> SharedBy {
    match (SHARED.is_true(details), STRANGERS.is_true(details)) {
        (true, _) => SharedBy::Platform,
        (false, true) => SharedBy::Names,
        (false, false) => SharedBy::Nobody,
    }
}

/// A port that takes connections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Port {
    pub number: u16,
    #[serde(default)]
    pub protocol: String,
}
