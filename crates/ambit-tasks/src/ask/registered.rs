//! Whether somebody has a name, told by its zone: one without addresses may still send and receive mail. A suffix whose
//! registry answers for every name is told from names that somebody has. Where names are given out without a zone of
//! their own, one is there that exists, unless every name does.

use crate::Context;
use ambit_model::entity::{is_shared_suffix, registrable};
use ambit_net::NetError;
use ambit_net::dns::{DnsAnswer, RecordData, RecordType};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// What the servers say of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Registered {
    Yes,
    No,
    /// A provider's customers have names there, and it answers for those as well that nobody has.
    Untold,
}

/// The answer for a name that nobody registered.
#[derive(Clone, Debug, Default)]
struct Nobody {
    /// The servers that it is given; none, where the registry does not answer for every name.
    servers: BTreeSet<String>,
    exists: bool,
}

/// Suffixes and domains that were asked for a name that nobody has.
#[derive(Default)]
pub(crate) struct Suffixes(Mutex<BTreeMap<String, Nobody>>);

impl Suffixes {
    /// Asks whether somebody has a name: a domain, or a host in one.
    pub(crate) async fn is_registered(&self, cx: &Context<'_>, name: &str) -> Result<Registered, NetError> {
        let answer = cx.net.lookup_uncached(name, RecordType::NS).await?;
        let Some((_, parent)) = name.split_once('.') else { return Ok(Registered::No) };
        let servers = own_servers(&answer, name)?;
        if servers.is_empty()
            && let Some(told) = without_servers(&answer, name, parent)
        {
            return Ok(told);
        }
        let nobody = self.given_to_nobody(cx, parent).await?;
        let is_somebodys = if servers.is_empty() { !nobody.exists } else { !servers.is_subset(&nobody.servers) };
        Ok(match is_somebodys {
            true => Registered::Yes,
            false if servers.is_empty() && is_shared_suffix(parent) => Registered::Untold,
            // A domain that has every name was not made for one of theirs.
            false => Registered::No,
        })
    }

    async fn given_to_nobody(&self, cx: &Context<'_>, parent: &str) -> Result<Nobody, NetError> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner).get(parent).cloned();
        if let Some(given) = known() {
            return Ok(given);
        }
        let name = format!("{}.{parent}", unlikely(parent));
        let answer = cx.net.lookup_uncached(&name, RecordType::NS).await?;
        let given = Nobody { servers: own_servers(&answer, &name)?, exists: exists(&answer) };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(parent.to_owned(), given.clone());
        Ok(given)
    }
}

/// What an answer without servers of the name says by itself; `None` where another name beside it must be asked.
fn without_servers(answer: &DnsAnswer, name: &str, parent: &str) -> Option<Registered> {
    let has_zones_only = registrable(name) == Some(name) && !is_shared_suffix(parent);
    // A zone without servers of its own names itself where it says that there are none. So do servers of parked domains
    // for every host in them.
    let own = answer.authority.as_ref().is_some_and(|record| record.name == name);
    if has_zones_only && own && !answer.is_nxdomain() {
        return Some(Registered::Yes);
    }
    (has_zones_only || !exists(answer)).then_some(Registered::No)
}

/// An alias exists wherever it leads.
fn exists(answer: &DnsAnswer) -> bool {
    !answer.is_nxdomain() || answer.own_alias().is_some()
}

/// A label that nobody registers: the same for each suffix, so that the same is asked again.
fn unlikely(suffix: &str) -> String {
    format!("x{}", &hex::encode(Sha256::digest(format!("nobody registers {suffix}")))[..20])
}

/// Fails where not all were read: the others may tell a name that somebody has from one that nobody has.
fn own_servers(answer: &DnsAnswer, name: &str) -> Result<BTreeSet<String>, NetError> {
    if answer.cut {
        return Err(NetError::TooLarge("records of one DNS answer"));
    }
    let own = answer.records.iter().filter(|record| record.name == name);
    let server = |data: &RecordData| match data {
        RecordData::Ns(server) => Some(server.clone()),
        _ => None,
    };
    Ok(own.filter_map(|record| server(&record.data)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_net::dns::{Rcode, Record};

    /// An answer without servers, from a zone with this name.
    fn told(name: &str, rcode: Rcode, zone: &str) -> Option<Registered> {
        let top = RecordData::Txt(Vec::new());
        let answer = DnsAnswer {
            name: name.to_owned(),
            rtype: RecordType::NS,
            rcode,
            chain: Vec::new(),
            renamings: Vec::new(),
            endless: false,
            records: Vec::new(),
            cut: false,
            authority: Some(Record { name: zone.to_owned(), data: top, ttl: 60 }),
            referral: Vec::new(),
            referral_cut: false,
            denial: Vec::new(),
            authoritative: false,
            ttl: 60,
            server: "198.51.100.53:53".parse().unwrap(),
        };
        without_servers(&answer, name, name.split_once('.').unwrap().1)
    }

    #[test]
    fn a_zone_that_names_itself_is_registered_where_names_are_zones() {
        assert_eq!(told("acme.test", Rcode::NOERROR, "acme.test"), Some(Registered::Yes));
        assert_eq!(told("acme.test", Rcode::NOERROR, "test"), Some(Registered::No));
        assert_eq!(told("acme.test", Rcode::NXDOMAIN, "acme.test"), Some(Registered::No));
    }

    #[test]
    fn a_host_that_its_server_calls_a_zone_is_told_by_another_beside_it() {
        assert_eq!(told("login.acme.test", Rcode::NOERROR, "login.acme.test"), None, "parked: it says so of any name");
        assert_eq!(told("acme.github.io", Rcode::NOERROR, "acme.github.io"), None);
        assert_eq!(told("login.acme.test", Rcode::NXDOMAIN, "acme.test"), Some(Registered::No));
    }
}
