//! Records that lead to nothing: aliases, delegations and mail exchangers whose target does not exist. The DNS half of
//! a takeover.

use crate::ask::delegation::fails_alone;
use crate::{Answer, Contacts, Context, Plan, Sights, Task, TaskError};
use ambit_model::entity::domain::{Dangling, DanglingReason};
use ambit_model::entity::{domain, registrable};
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::platforms::claimable;
use ambit_model::{Clearance, Kind, TaskName, Wave, workflow};
use ambit_net::NetError;
use ambit_net::dns::{DnsAnswer, Rcode, RecordType};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) const TASK: Task = Task {
    name: TaskName::Dangling,
    pretty_name: "Dangling records",
    description: "Looks whether the targets of aliases, delegations and mail exchangers exist.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::THIRD_PARTIES],
    watches: &[Kind::DnsRecord, Kind::Domain],
    produces: &[],
    footprint: Clearance::L1,
    wave: Wave::Passive,
    ttl_ms: DAY_MS,
    cost: 3,
    gain: 4,
    slow: false,
    volatile: &[],
    contacts: Contacts::Zone,
    sights: Sights::All(Sighting::Ends),
    plan: |facts, _| {
        if facts.decision.scoped() { Plan::Once } else { Plan::No }
    },
    run: |cx| Box::pin(run(cx)),
};

/// Targets of one kind that are looked at.
const TARGETS_MAX: usize = 20;

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let name = cx.facts.name.as_str();
    let kinds =
        [("CNAME", alias(cx, name).await), ("MX", exchangers(cx, name).await), ("NS", delegation(cx, name).await)];
    let items = together(kinds, &domain::DANGLING.items(&cx.facts.details).collect::<Vec<_>>())?;
    let answer = Answer::found_if(!items.is_empty());
    cx.observe(domain::DANGLING, items);
    Ok(answer)
}

/// What records of each kind lead to nothing. Of a kind that could not be looked at, what was known is not gone; where
/// nothing leads to nothing as far as could be looked, the failure stands.
fn together(
    kinds: [(&str, Result<Vec<Dangling>, TaskError>); 3],
    known: &[Dangling],
) -> Result<Vec<Dangling>, TaskError> {
    let (mut items, mut failure) = (Vec::new(), None);
    for (record, answer) in kinds {
        match answer {
            Ok(found) => items.extend(found),
            Err(error) => {
                items.extend(known.iter().filter(|item| item.record == record).cloned());
                failure = failure.or(Some(error));
            }
        }
    }
    match failure {
        Some(error) if items.is_empty() => Err(error),
        _ => Ok(items),
    }
}

fn item(record: &str, target: &str, reason: DanglingReason) -> Dangling {
    Dangling {
        record: record.to_owned(),
        target: target.to_owned(),
        reason,
        provider: claimable::of_target(target).map(|rule| rule.provider.to_owned()),
    }
}

/// Returns the end of an alias chain if it does not exist, or if a provider gives it to anybody who claims it.
async fn alias(cx: &Context<'_>, name: &str) -> Result<Vec<Dangling>, TaskError> {
    let answer = cx.net.lookup(name, RecordType::A).await?;
    let Some(last) = answer.chain.last() else {
        return Ok(Vec::new());
    };
    if answer.is_nxdomain() {
        // Of several links the provider's is the one that can be claimed.
        let claimed = answer.chain.iter().find(|alias| claimable::of_target(&alias.target).is_some()).unwrap_or(last);
        let reason = missing(cx, &claimed.target).await?;
        return Ok(vec![item("CNAME", &claimed.target, reason)]);
    }
    let pattern =
        answer.chain.iter().find(|alias| claimable::of_target(&alias.target).is_some_and(|rule| rule.says.is_some()));
    Ok(pattern.map(|alias| item("CNAME", &alias.target, DanglingReason::UnclaimedPattern)).into_iter().collect())
}

/// `unregistered` where even the target's domain does not exist; a provider's names are not registered but claimed.
async fn missing(cx: &Context<'_>, target: &str) -> Result<DanglingReason, TaskError> {
    if claimable::of_target(target).is_some() {
        return Ok(DanglingReason::Nxdomain);
    }
    let Some(domain) = registrable(target).filter(|domain| *domain != target) else {
        return Ok(DanglingReason::Unregistered);
    };
    let answer = cx.net.lookup(domain, RecordType::SOA).await?;
    Ok(if answer.is_nxdomain() { DanglingReason::Unregistered } else { DanglingReason::Nxdomain })
}

/// Name servers of a cut at this very name that do not exist, or that do not answer for it.
pub(crate) async fn delegation(cx: &Context<'_>, name: &str) -> Result<Vec<Dangling>, TaskError> {
    let servers = match cx.net.lookup(name, RecordType::NS).await {
        Ok(answer) => targets(&answer, name),
        // A resolver says so when no server of the zone answers: the name was handed to servers that do not know it.
        Err(NetError::Dns(Rcode::SERVFAIL)) => return lame(cx, name).await,
        Err(error) => return Err(error.into()),
    };
    let mut items = Vec::new();
    for server in servers.iter().take(TARGETS_MAX) {
        let answer = cx.net.lookup(server, RecordType::A).await?;
        if answer.is_nxdomain() && answer.chain.is_empty() {
            items.push(item("NS", server, missing(cx, server).await?));
        }
    }
    Ok(items)
}

/// A name fails while the domain above it answers: its delegation is lame. Where the domain fails too, nothing is
/// known.
async fn lame(cx: &Context<'_>, name: &str) -> Result<Vec<Dangling>, TaskError> {
    let parent = registrable(name).filter(|parent| *parent != name);
    let parent = parent.ok_or_else(|| TaskError::Failed(format!("no server of {name} answers")))?;
    let above: Arc<DnsAnswer> = cx.net.lookup(parent, RecordType::SOA).await?;
    if above.is_empty() {
        return Err(TaskError::Failed(format!("no server of {name} answers")));
    }
    match fails_alone(cx, name).await {
        Ok(true) => Ok(vec![item("NS", name, DanglingReason::Lame)]),
        Ok(false) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

async fn exchangers(cx: &Context<'_>, name: &str) -> Result<Vec<Dangling>, TaskError> {
    let answer = cx.net.lookup(name, RecordType::MX).await?;
    let mut items = Vec::new();
    for target in targets(&answer, name).iter().filter(|target| !target.is_empty()).take(TARGETS_MAX) {
        let found = cx.net.lookup(target, RecordType::A).await?;
        if found.is_nxdomain() && found.chain.is_empty() {
            items.push(item("MX", target, missing(cx, target).await?));
        }
    }
    Ok(items)
}

/// Targets of records at this very name, sorted.
fn targets(answer: &DnsAnswer, name: &str) -> BTreeSet<String> {
    let own = answer.records.iter().filter(|record| record.name == name);
    own.filter_map(|record| record.data.target()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_records_that_could_not_be_looked_at_is_not_gone() {
        let of = |record: &str| item(record, "gone.vendor.test", DanglingReason::Nxdomain);
        let failed = || Err(TaskError::Failed("no answer".into()));
        let all = |cname, mx, ns| together([("CNAME", cname), ("MX", mx), ("NS", ns)], &[of("MX")]).ok();
        assert_eq!(all(Ok(vec![of("CNAME")]), Ok(vec![]), Ok(vec![of("NS")])), Some(vec![of("CNAME"), of("NS")]));
        assert_eq!(all(Ok(vec![]), Ok(vec![]), Ok(vec![])), Some(vec![]));
        assert_eq!(all(Ok(vec![of("CNAME")]), failed(), Ok(vec![])), Some(vec![of("CNAME"), of("MX")]));
        assert_eq!(all(failed(), Ok(vec![]), Ok(vec![of("NS")])), Some(vec![of("NS")]));
        assert_eq!(all(failed(), Ok(vec![]), Ok(vec![])), None, "nothing was found, and not all was looked at");
    }

    #[test]
    fn an_item_names_the_provider_of_its_target() {
        assert_eq!(item("CNAME", "acme.github.io", DanglingReason::Nxdomain).provider.as_deref(), Some("GitHub Pages"));
        assert_eq!(item("MX", "mail.vendor.test", DanglingReason::Nxdomain).provider, None);
    }
}
