//! Where the sources of names of every world are: hosts, addresses and zones, as `ambit-sources` lists them.

use ambit_model::entity::registrable;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::LazyLock;

/// The first of the addresses 198.19.0.N at which they are.
const FIRST_ADDRESS: u8 = 100;

/// Address and host of each source, in the order of their list.
pub(crate) fn hosts() -> impl Iterator<Item = (IpAddr, &'static str)> {
    let addresses = (FIRST_ADDRESS..=u8::MAX).map(|last| IpAddr::from([198, 19, 0, last]));
    addresses.zip(ambit_sources::all().iter().map(|source| source.host.as_str()))
}

/// The zones in which they are.
pub(crate) fn zones() -> &'static BTreeSet<&'static str> {
    static ZONES: LazyLock<BTreeSet<&str>> =
        LazyLock::new(|| hosts().map(|(_, host)| registrable(host).unwrap_or(host)).collect());
    &ZONES
}

/// The statements that every world has for them.
pub(crate) fn statements() -> String {
    let zones = zones().iter().map(|zone| format!("zone {zone} of internet\n  ns ns1.sources.example\n"));
    let hosts = hosts().map(|(address, host)| format!("name {host} A {address}\nhost {address} of internet\n"));
    zones.chain(hosts).collect()
}
