//! Whether a name is not there. Zones with compact denial of existence (RFC 9824) answer for such a name as for one
//! that has no record of the type, and resolvers pass that on: the proof alone says that there is none.

use crate::Context;
use crate::read::nsec::Link;
use ambit_net::NetError;
use ambit_net::dns::{DnsAnswer, RecordType};

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
    let proof = cx.net.lookup_denial(name).await?;
    let of_name = proof.denial.iter().filter(|record| record.name == name);
    Ok(of_name.filter_map(Link::of).any(|link| link.denies_its_name()))
}

/// Returns true where a name exists: it has records, of whichever type, or is an alias, wherever that leads.
pub(crate) async fn is_there(cx: &Context<'_>, name: &str) -> Result<bool, NetError> {
    let answer = cx.net.lookup(name, RecordType::A).await?;
    Ok(answer.own_alias().is_some() || !is_denied(cx, &answer).await?)
}
