//! Services without connections.

/// A service that speaks over UDP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Datagram {
    Coap,
    Ike,
    Mdns,
    Memcached,
    Netbios,
    Ntp,
    Quic,
    Silent,
    Sip(String),
    Snmp { community: String, description: String },
    Ssdp,
    Stun,
    Tftp,
}
