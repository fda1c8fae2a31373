//! Aliases one by one: resolvers fail at a chain that is longer than they follow, and at one that leads in a circle.
//! Each of its members answers for itself.

use super::resolver::{Engine, append};
use super::{Alias, DnsAnswer, Rcode, RecordData, RecordType};
use crate::door::Door;
use crate::error::{Meaning, NetError, Result};
use crate::limits::{DNS_CHAIN_MAX, DNS_TRIES};
use std::sync::Arc;
use std::time::Duration;

impl Engine {
    /// Follows the aliases of a name at which the resolvers failed, and asks for what is at their end. A chain without
    /// an end has the aliases that were followed. Fails as the resolvers did where the name is no alias, and where
    /// nobody says what one of its aliases leads to.
    pub(super) async fn by_steps(
        &self,
        door: &Door,
        name: &str,
        rtype: RecordType,
        failure: NetError,
    ) -> Result<DnsAnswer> {
        let mut answer: Option<DnsAnswer> = None;
        loop {
            let end = answer.as_ref().map_or(name, DnsAnswer::canonical_name).to_owned();
            let step = match self.aliases(door, &end).await {
                Err(error) if error.meaning() == Meaning::Unknown => return Err(failure),
                step => step?,
            };
            let Some(alias) = alias(&step) else {
                let Some(mut answer) = answer else { return Err(failure) };
                append(&mut answer, self.resolve(door, &end, rtype, &DNS_TRIES).await?);
                return Ok(answer);
            };
            let answer = answer.get_or_insert_with(|| begun(&step, rtype));
            answer.ttl = answer.ttl.min(alias.ttl);
            if !answer.follow(alias) {
                return Ok(answer.clone());
            }
            answer.renamings.extend(step.renamings.iter().cloned());
            answer.renamings.truncate(DNS_CHAIN_MAX);
        }
    }

    async fn aliases(&self, door: &Door, name: &str) -> Result<Arc<DnsAnswer>> {
        let key = (super::message::question_name(name)?, RecordType::CNAME);
        let ask = || async {
            let answer = self.resolve(door, &key.0, RecordType::CNAME, &DNS_TRIES).await?;
            let until = door.now() + Duration::from_secs(u64::from(answer.ttl));
            Ok((answer, until))
        };
        self.answers.get(&key, || door.now(), ask).await
    }
}

/// The answer before the first alias of a chain is known.
fn begun(step: &DnsAnswer, rtype: RecordType) -> DnsAnswer {
    let (rcode, chain, records) = (Rcode::NOERROR, Vec::new(), Vec::new());
    DnsAnswer { rtype, rcode, chain, records, authority: None, renamings: Vec::new(), ..step.clone() }
}

/// What the name of an answer is an alias of.
fn alias(step: &DnsAnswer) -> Option<Alias> {
    step.records.iter().find_map(|record| match &record.data {
        RecordData::Cname(target) => Some(Alias { name: record.name.clone(), target: target.clone(), ttl: record.ttl }),
        _ => None,
    })
}
