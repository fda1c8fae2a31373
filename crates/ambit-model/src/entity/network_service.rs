//! What is known of a network service: a port of an address that answers.

use super::Member;
use super::row::{
    Empty::{False, List, Null},
    Row, contract, seen, unseen,
};
use super::{certificate, domain, network};
use crate::task::TaskName::{HttpProbe, Jarm, Network, OpenResolver, PortSweep, ServiceIdentify, TlsGrab};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// Its address.
pub const IP_ADDRESS: Member = Member::named("ip_address");
/// Its port.
pub const PORT: Member = Member::named("port");
/// `tcp` or `udp`.
pub const PROTO: Member = Member::named("proto");
/// `tcp` or `udp`.
pub const PROTOCOL: Member = Member::named("protocol");
/// The protocol that was heard, never the one that its port suggests.
pub const SERVICE: Member<Service> = Member::named("service");
/// It begins with TLS.
pub const SSL: Member<bool> = Member::named("ssl");
/// The certificate that it presents without SNI, in short.
pub const CERT: Member = Member::named("cert");
/// The names in that certificate.
pub const ALT_NAMES: Member<Vec<String>> = Member::named("alt_names");
/// The contract's flag for ports that everything answers on; never set.
pub const HIDE_VALUE: Member<bool> = Member::named("hide_value");
/// A protocol was heard.
pub const OPEN_CONFIRMED: Member<bool> = Member::named("hidden_port_open_confirmed");
/// The beginning of its banner.
pub const BANNER: Member<String> = Member::named("hidden_banner");
/// It begins in plain text and offers TLS.
pub const STARTTLS: Member<bool> = Member::named("hidden_starttls");
/// It lets anybody in over FTP.
pub const ANONYMOUS_FTP: Member<bool> = Member::named("hidden_anonymous_ftp");
/// It describes itself over the protocol of Redis without a password.
pub const OPEN_REDIS: Member<OpenRedis> = Member::named("hidden_open_redis");
/// It serves without asking who is there.
pub const NO_AUTHENTICATION: Member<bool> = Member::named("hidden_no_authentication");
/// How it answers the hellos of JARM, in 62 characters.
pub const JARM: Member<String> = Member::named("hidden_jarm");
/// It resolves names for everybody.
pub const OPEN_RESOLVER: Member<bool> = Member::named("hidden_open_resolver");

/// What is known of a service.
pub(super) const MEMBERS: &[Row] = &[
    contract(IP_ADDRESS, Null).by(PortSweep),
    contract(PORT, Null).by(PortSweep),
    contract(PROTO, Null).by(PortSweep),
    contract(PROTOCOL, Null).by(PortSweep),
    contract(SERVICE, Null).by(ServiceIdentify),
    contract(SSL, Null).by(ServiceIdentify),
    contract(network::ASN, Null).by(Network),
    contract(network::NET_NAME, Null).by(Network),
    contract(network::NET_COUNTRY_CODE, Null).by(Network),
    contract(network::HOST_ID, Null).by(Network),
    contract(ALT_NAMES, List).by(TlsGrab),
    contract(CERT, Null).by(TlsGrab),
    contract(network::FINGERPRINT, List).by(ServiceIdentify),
    contract(network::GEOLOCATION, Null).by(Network),
    contract(HIDE_VALUE, False).by(ServiceIdentify),
    unseen("hide_reason", Null).by(ServiceIdentify),
    unseen("vuln_checks", List),
    contract(OPEN_CONFIRMED, Null).by(ServiceIdentify),
    seen(domain::SITES, HttpProbe),
    seen(network::CARRIED, Network),
    seen(network::NET_BLOCK, Network),
    seen(JARM, Jarm),
    seen(OPEN_RESOLVER, OpenResolver),
    seen(BANNER, ServiceIdentify),
    seen(STARTTLS, ServiceIdentify),
    seen(ANONYMOUS_FTP, ServiceIdentify),
    seen(OPEN_REDIS, ServiceIdentify),
    seen(NO_AUTHENTICATION, ServiceIdentify),
    seen(certificate::TLS, TlsGrab),
];

/// A protocol that services are heard to speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "UPPERCASE")]
#[strum(serialize_all = "UPPERCASE")]
pub enum Service {
    Amqp,
    Coap,
    Dns,
    Ftp,
    Http,
    Ike,
    Imap,
    Irc,
    Ldap,
    Mdns,
    Memcached,
    Mongodb,
    Mqtt,
    Mssql,
    Mysql,
    Netbios,
    Nntp,
    Ntp,
    Pop3,
    Postgresql,
    Quic,
    Rdp,
    Redis,
    Rsync,
    Rtsp,
    Sip,
    Smb,
    Smtp,
    Snmp,
    Ssdp,
    Ssh,
    Stun,
    Svn,
    Telnet,
    Tftp,
    Vnc,
    Zookeeper,
}

impl Service {
    /// Returns the stored name, `POSTGRESQL`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What a Redis server says of itself to anybody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenRedis {
    pub version: Option<String>,
}
