//! What an HTTPS or SVCB record says (RFC 9460).

use std::net::IpAddr;

/// An alias (priority 0), or where a service is to be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Binding {
    pub priority: u16,
    /// Empty: the owner itself.
    pub target: String,
    pub alpn: Vec<String>,
    pub port: Option<u16>,
    pub hints: Vec<IpAddr>,
    pub ech: bool,
}
