//! Whether a domain is registered, told by its zone: one without addresses may still send and receive mail. A suffix
//! whose registry answers for every name is told from names that somebody has.

use crate::Context;
use ambit_model::entity::registrable;
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
}

/// Suffixes that were asked for a name that nobody has, with the servers that they gave it.
#[derive(Default)]
pub(crate) struct Suffixes(Mutex<BTreeMap<String, BTreeSet<String>>>);

impl Suffixes {
    /// Asks whether a domain has a zone of its own.
    pub(crate) async fn is_registered(&self, cx: &Context<'_>, domain: &str) -> Result<Registered, NetError> {
        let answer = cx.net.lookup_uncached(domain, RecordType::NS).await?;
        let servers = own_servers(&answer, domain);
        if servers.is_empty() {
            // A zone without servers of its own names itself where it says that there are none.
            let own = answer.authority.as_ref().is_some_and(|record| record.name == domain);
            return Ok(if own && !answer.is_nxdomain() { Registered::Yes } else { Registered::No });
        }
        let Some((_, suffix)) = registrable(domain).and_then(|domain| domain.split_once('.')) else {
            return Ok(Registered::No);
        };
        let given = self.given_to_nobody(cx, suffix).await?;
        Ok(if servers.is_subset(&given) { Registered::No } else { Registered::Yes })
    }

    /// The servers that a registry gives a name which nobody has: none, where it does not answer for every name.
    async fn given_to_nobody(&self, cx: &Context<'_>, suffix: &str) -> Result<BTreeSet<String>, NetError> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner).get(suffix).cloned();
        if let Some(given) = known() {
            return Ok(given);
        }
        let name = format!("{}.{suffix}", unlikely(suffix));
        let answer = cx.net.lookup_uncached(&name, RecordType::NS).await?;
        let given = own_servers(&answer, &name);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(suffix.to_owned(), given.clone());
        Ok(given)
    }
}

/// A label that nobody registers: the same for each suffix, so that the same is asked again.
fn unlikely(suffix: &str) -> String {
    format!("x{}", &hex::encode(Sha256::digest(format!("nobody registers {suffix}")))[..20])
}

fn own_servers(answer: &DnsAnswer, name: &str) -> BTreeSet<String> {
    let own = answer.records.iter().filter(|record| record.name == name);
    let server = |data: &RecordData| match data {
        RecordData::Ns(server) => Some(server.clone()),
        _ => None,
    };
    own.filter_map(|record| server(&record.data)).collect()
}
