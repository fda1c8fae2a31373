//! Resolves names to addresses, and selects those that may be dialled.

use super::RecordType;
use super::resolver::Engine;
use crate::door::Door;
use crate::error::{NetError, Result};
use crate::guard::{Grant, Transport};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

impl Engine {
    /// A and AAAA records of a name: sorted addresses. An error only where neither could be asked.
    pub(crate) async fn addresses(&self, door: &Door, name: &str) -> Result<Vec<IpAddr>> {
        let (four, six) =
            futures::join!(self.lookup(door, name, RecordType::A), self.lookup(door, name, RecordType::AAAA));
        if let (Err(error), Err(_)) = (&four, &six) {
            return Err(error.clone());
        }
        let mut addresses: Vec<IpAddr> = [four, six].iter().flatten().flat_map(|answer| answer.addresses()).collect();
        addresses.sort();
        Ok(addresses)
    }

    /// The addresses to dial for a host: the host itself, or those of its addresses that may be contacted on this
    /// ground, the lowest first.
    pub(crate) async fn dialled(&self, door: &Door, grant: Grant, host: &str, port: u16) -> Result<Vec<SocketAddr>> {
        let is_local = matches!(grant, Grant::Operator(_) | Grant::Receiver | Grant::PlainReceiver)
            && (host == "localhost" || host.ends_with(".localhost"));
        let addresses = match host.parse::<IpAddr>() {
            Ok(address) => vec![address],
            // Never asked of a resolver (RFC 6761 §6.3); a target of that name is looked up like any other, and
            // refused.
            Err(_) if is_local => vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()],
            Err(_) => {
                door.check_name(grant, host)?;
                self.addresses(door, host).await?
            }
        };
        let mut refused = None;
        let mut allowed = Vec::new();
        for address in addresses {
            let address = SocketAddr::new(address, port);
            match door.check(grant, address, Transport::Tcp, Some(host)) {
                Ok(()) => allowed.push(address),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        match refused {
            _ if !allowed.is_empty() => Ok(allowed),
            Some(refused) => Err(refused),
            None => Err(NetError::Unreachable(format!("{} has no address", crate::untrusted::escape(host)))),
        }
    }
}
