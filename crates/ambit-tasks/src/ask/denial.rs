//! Whether a name is not there. Zones with compact denial of existence (RFC 9824) answer for such a name as for one
//! that has no record of the type, and resolvers pass that on: the proof alone says that there is none.

use crate::Context;
use crate::read::nsec::Link;
use ambit_net::dns::{DnsAnswer, RecordType};
use ambit_net::{Meaning, NetError};

/// Returns true where the name of an answer, or that at the end of its aliases, does not exist. It asks only of an
/// answer without records.
pub(crate) async fn is_denied(cx: &Context<'_>, answer: &DnsAnswer) -> Result<bool, NetError> {
    if answer.is_nxdomain() {
        return Ok(true);
    }
    if !answer.is_empty() || answer.endless {
        return Ok(false);
    }
    let name = answer.canonical_name();
    let zone = answer.authority.as_ref().map(|record| record.name.as_str());
    let unsigned = cx.memory.map(|memory| &memory.unsigned);
    if zone.zip(unsigned).is_some_and(|(zone, unsigned)| unsigned.has(zone)) {
        return Ok(false);
    }
    // The answer stands where nobody hands out its proof: there are resolvers that pass on none.
    let proof = match cx.net.lookup_denial(name).await {
        Ok(proof) => proof,
        Err(error) if error.meaning() == Meaning::Unknown => return Ok(false),
        Err(error) => return Err(error),
    };
    if let Some((zone, unsigned)) = zone.zip(unsigned).filter(|_| proof.denial.is_empty()) {
        unsigned.insert(zone);
    }
    let of_name = proof.denial.iter().filter(|record| record.name == name);
    Ok(of_name.filter_map(Link::of).any(|link| link.denies_its_name()))
}

/// Returns true where a name exists: it has records, of whichever type, or is an alias, wherever that leads.
pub(crate) async fn is_there(cx: &Context<'_>, name: &str) -> Result<bool, NetError> {
    let answer = cx.net.lookup(name, RecordType::A).await?;
    Ok(answer.own_alias().is_some() || !is_denied(cx, &answer).await?)
}
