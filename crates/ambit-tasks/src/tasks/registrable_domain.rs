//! Derives the registrable domain of a name from the public suffix list. Sends nothing.

use crate::ask::host::is_theirs;
use crate::task::OF_SITES;
use crate::tasks::wildcard_profile::is_level;
use crate::{Answer, Context, Plan, Result, Task};
use ambit_model::entity::host_of;
use ambit_model::entity::registered;
use ambit_model::facts::Neighbour;
use ambit_model::moment::DAY_MS;
use ambit_model::scope::spells;
use ambit_model::{EdgeKind, Facts, Kind, TaskName, platforms};

pub(crate) const TASK: Task = Task {
    name: TaskName::RegistrableDomain,
    pretty_name: "Registrable domain",
    description: "Leads from a name to the domain that was registered, by the public suffix list.",
    workflows: OF_SITES,
    watches: &[Kind::DnsRecord, Kind::EmailAddress, Kind::Mailserver, Kind::Nameserver, Kind::Uri],
    produces: &[Kind::Domain],
    ttl_ms: 30 * DAY_MS,
    cost: 1,
    gain: 1,
    plan: |facts, _| match domain_of(&facts.name).is_some() && !is_led_to_by_its_host(facts) {
        true if matches!(facts.kind, Kind::DnsRecord | Kind::EmailAddress) => {
            Plan::bound(arguments(facts).map(str::to_owned))
        }
        said => Plan::once_if(said),
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::DERIVES
};

/// The argument by which a domain knows that a name below it is swept as a level of its own.
pub(crate) const LEVEL: &str = "level";

/// The argument by which a domain knows that a host or mailbox in it serves a seed: it may be a sister.
pub(crate) const SERVES: &str = "serves";

fn arguments(facts: &Facts) -> impl Iterator<Item = &'static str> {
    let is_level = facts.kind == Kind::DnsRecord && is_level(facts);
    [""].into_iter().chain(is_level.then_some(LEVEL)).chain(serves_them(facts).then_some(SERVES))
}

/// True for a host or mailbox of third parties that serves a name in a seed's domain, other than one that was handed to
/// others: it takes its mail or reports, may send mail in its name, serves its zone, or registered it. Also for a host
/// that the pointer of an address of theirs names and that leads back there, unless its name spells the address, as
/// providers' do. Known platforms serve anybody.
pub(crate) fn serves_them(facts: &Facts) -> bool {
    let host = host_of(&facts.name);
    if is_theirs(facts, host) || platforms::is_name_server(host) {
        return false;
    }
    let is_mailbox = facts.kind == Kind::EmailAddress;
    let serves = |from: &Neighbour| match from.edge {
        EdgeKind::Vendor => !is_mailbox && is_theirs(facts, &from.name) && from.task != TaskName::Referrals.as_str(),
        EdgeKind::Contact => is_mailbox && is_theirs(facts, &from.name) && from.task == TaskName::MailPolicy.as_str(),
        EdgeKind::Registrant => is_mailbox && is_theirs(facts, &from.name),
        EdgeKind::Pointer => {
            facts.to(EdgeKind::ResolvesTo).any(|address| address.uid == from.uid) && !spells(host, &from.name)
        }
        _ => false,
    };
    facts.inward.iter().any(|from| from.scoped && serves(from))
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let domain = domain_of(&cx.facts.name);
    if let Some(domain) = domain {
        cx.found(Kind::Domain, domain, EdgeKind::RegistrableDomain);
    }
    Ok(Answer::found_if(domain.is_some()))
}

/// True for a site that the name in its URL led to: that name leads to the domain itself.
fn is_led_to_by_its_host(facts: &Facts) -> bool {
    facts.kind == Kind::Uri && facts.from(EdgeKind::Site).any(|host| host.name == host_of(&facts.name))
}

/// The registrable domain of a name, URL or e-mail address; `None` for addresses, public suffixes and buckets.
fn domain_of(name: &str) -> Option<&str> {
    let host = host_of(name);
    if host.parse::<std::net::IpAddr>().is_ok() {
        return None;
    }
    registered(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_domain_of_a_name_is_the_registered_one() {
        assert_eq!(domain_of("a.b.acme.test"), Some("acme.test"));
        assert_eq!(domain_of("https://www.acme.co.uk:443/x"), Some("acme.co.uk"));
        assert_eq!(domain_of("hostmaster@mail.acme.test"), Some("acme.test"));
        assert_eq!(domain_of("co.uk"), None);
        assert_eq!(domain_of("https://acme.s3.eu-west-1.amazonaws.com:443/x"), None);
        assert_eq!(domain_of("https://203.0.113.7:443"), None);
        assert_eq!(domain_of("https://[2001:db8::1]:443"), None);
    }
}
