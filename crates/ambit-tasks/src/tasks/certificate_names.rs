//! Names in a certificate. Those under a domain that led to it are likely theirs; others belong to third parties until
//! there is more evidence.

use crate::ask::delegation::edge_or;
use crate::ask::denial::is_there;
use crate::ask::together::together;
use crate::{Answer, Context, Plan, Result, Sights, Task, TaskError};
use ambit_model::entity::host_of;
use ambit_model::entity::{certificate, domain, registered, registrable};
use ambit_model::facts::Neighbour;
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::{Details, EdgeKind, Facts, Kind, TaskName, workflow};
use ambit_net::NetError;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

pub(crate) const TASK: Task = Task {
    name: TaskName::CertificateNames,
    pretty_name: "Names in a certificate",
    description: "Leads from a certificate to the names in it that DNS knows.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::THIRD_PARTIES],
    watches: &[Kind::PreCertificate, Kind::SslCertificate],
    produces: &[Kind::DnsRecord, Kind::Domain],
    ttl_ms: 7 * DAY_MS,
    cost: 4,
    gain: 8,
    sights: Sights::All(Sighting::Nothing),
    plan: |facts, _| Plan::bound(arguments(facts)),
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

/// The argument for names of domains that no seed names.
const FOREIGN: &str = "foreign";
/// Names of one domain that one probe follows: some seconds of work. A certificate with more is read in pages.
const PAGE_NAMES: usize = 200;
/// A certificate with more foreign domains is a provider's: it says nothing of who owns them (docs/architecture.md §4).
const FOREIGN_DOMAINS_MAX: usize = 10;
/// A certificate with more names is a provider's.
const FOREIGN_NAMES_MAX: usize = 100;
/// Names asked for at once.
const IN_FLIGHT: usize = 16;

/// Host names in the certificate, a wildcard as the name below its star.
fn names(facts: &Facts) -> BTreeSet<String> {
    let texts = certificate::NAMES.texts(&facts.details);
    texts
        .filter_map(|text| Kind::DnsRecord.canonical(text.strip_prefix("*.").unwrap_or(text)).ok())
        .filter(|name| name.contains('.'))
        .collect()
}

/// Names of which the certificate names all that is one label below: names are likely to be there.
fn names_below_stars(facts: &Facts) -> BTreeSet<String> {
    let below = certificate::NAMES.texts(&facts.details).filter_map(|text| text.strip_prefix("*."));
    below.filter_map(|name| Kind::DnsRecord.canonical(name).ok()).collect()
}

/// Domains of the names that led here.
fn domains_of_leads(facts: &Facts) -> BTreeSet<&str> {
    let led =
        facts.inward.iter().filter(|neighbour| matches!(neighbour.kind, Kind::Domain | Kind::DnsRecord | Kind::Uri));
    led.filter_map(|neighbour| registrable(host_of(&neighbour.name))).collect()
}

fn arguments(facts: &Facts) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for domain in names(facts).iter().filter_map(|name| registrable(name)) {
        *counts.entry(domain.to_owned()).or_default() += 1;
    }
    let leads = domains_of_leads(facts);
    let is_home = |domain: &String| facts.seeds.domains().contains(domain) || leads.contains(domain.as_str());
    let own = counts.iter().filter(|(domain, _)| is_home(domain));
    let mut arguments: Vec<String> = own
        .flat_map(|(domain, count)| (0..*count).step_by(PAGE_NAMES).map(move |from| Page { domain, from }.to_string()))
        .collect();
    if !foreign(facts).is_empty() {
        arguments.push(FOREIGN.to_owned());
    }
    arguments
}

/// Which names of the certificate a probe follows: those of a domain from a position on, in alphabetical order. The
/// first page is written as the domain alone.
#[derive(Debug, PartialEq)]
struct Page<'a> {
    domain: &'a str,
    from: usize,
}

impl<'a> Page<'a> {
    fn of(argument: &'a str) -> Option<Self> {
        match argument.split_once(' ') {
            Some((domain, from)) => Some(Self { domain, from: from.parse().ok()? }),
            None => Some(Self { domain: argument, from: 0 }),
        }
    }
}

impl fmt::Display for Page<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.from {
            0 => out.write_str(self.domain),
            from => write!(out, "{} {from}", self.domain),
        }
    }
}

/// Names of domains that are no seed's; none where the certificate is a provider's.
fn foreign(facts: &Facts) -> BTreeSet<String> {
    let names = names(facts);
    let many = names.len() > FOREIGN_NAMES_MAX;
    let foreign: BTreeSet<String> = names
        .into_iter()
        .filter(|name| registrable(name).is_some_and(|domain| !facts.seeds.domains().contains(domain)))
        .collect();
    let domains: BTreeSet<&str> = foreign.iter().filter_map(|name| registrable(name)).collect();
    if many || domains.len() > FOREIGN_DOMAINS_MAX { BTreeSet::new() } else { foreign }
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let (names, home) = if cx.argument == FOREIGN {
        (foreign(cx.facts), None)
    } else {
        let page = Page::of(cx.argument)
            .ok_or_else(|| TaskError::Failed(format!("not a page of a certificate: {:?}", cx.argument)))?;
        let of_domain = |name: &String| registrable(name) == Some(page.domain);
        let names = names(cx.facts).into_iter().filter(of_domain);
        (names.skip(page.from).take(PAGE_NAMES).collect(), Some(page.domain))
    };
    let ask = |name: String| async move {
        let exists = is_there(cx, &name).await;
        (name, exists)
    };
    let answers = together(names.into_iter().map(ask), IN_FLIGHT).await;
    let (mut known, mut unasked, mut failure) = (BTreeSet::new(), BTreeSet::new(), None);
    for (name, exists) in answers {
        match exists {
            Ok(false) => {}
            // A name whose servers do not answer stands in a certificate all the same.
            Ok(true) | Err(NetError::Dns(_) | NetError::Timeout(_)) => {
                known.insert(name);
            }
            Err(error) => {
                unasked.insert(name);
                failure = Some(error);
            }
        }
    }
    let below_stars = names_below_stars(cx.facts);
    for name in &known {
        lead_to(cx, name, home, &below_stars).await?;
    }
    // What could not be asked for is as it was known, and so is the domain of a name.
    let is_unasked =
        |end: &Neighbour| unasked.iter().any(|name| *name == end.name || registered(name) == Some(end.name.as_str()));
    let led = cx.facts.led_to(TASK.name, cx.argument);
    led.filter(|end| !known.is_empty() && is_unasked(end)).for_each(|end| cx.stands(end));
    Answer::despite(!known.is_empty(), failure.map(TaskError::from))
}

/// Leads to a name of a domain that is a seed's or led here, or to a stranger's. A certificate overrules no delegation:
/// its name may be one that the domain handed to others, who are free to have certificates for it.
async fn lead_to(cx: &Context<'_>, name: &str, home: Option<&str>, below_stars: &BTreeSet<String>) -> Result<()> {
    let Some(domain) = home else {
        cx.found_host(name, EdgeKind::ForeignCertificateName);
        if let Some(domain) = registered(name) {
            cx.found(Kind::Domain, domain, EdgeKind::ForeignCertificateName);
        }
        return Ok(());
    };
    match Kind::of_host(name) {
        Ok((Kind::DnsRecord, host)) => {
            let edge = edge_or(cx, domain, &host, EdgeKind::CertificateName).await?;
            let below = below_stars.contains(&host).then(|| domain::WILDCARD_CERTIFICATE.is(true));
            cx.found_with(Kind::DnsRecord, &host, edge, Details::from_iter(below));
            Ok(())
        }
        _ => {
            cx.found_host(name, EdgeKind::CertificateName);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn certificate(names: &[&str]) -> Facts {
        crate::tests::facts(Kind::SslCertificate, "acme.test (1)", json!({"hidden_names": names}))
    }

    #[test]
    fn own_names_and_strangers_are_told_apart() {
        let facts = certificate(&["acme.test", "*.acme.test", "www.brand.test", "203.0.113.7", "localhost"]);
        assert_eq!(arguments(&facts), ["acme.test", "foreign"]);
        assert_eq!(foreign(&facts).into_iter().collect::<Vec<_>>(), ["www.brand.test"]);
        assert_eq!(arguments(&certificate(&["acme.test"])), ["acme.test"]);
    }

    #[test]
    fn the_names_below_stars_are_those_of_the_certificate_in_canonical_form() {
        let facts = certificate(&["*.WWW.acme.test", "shop.acme.test", "*.a..test", "*.acme.test"]);
        assert_eq!(names_below_stars(&facts).into_iter().collect::<Vec<_>>(), ["acme.test", "www.acme.test"]);
    }

    #[test]
    fn a_certificate_of_any_size_is_read_in_pages() {
        let many: Vec<String> = (0..450).map(|number| format!("t{number}.acme.test")).collect();
        let names: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(arguments(&certificate(&names)), ["acme.test", "acme.test 200", "acme.test 400"]);
        for page in [Page { domain: "acme.test", from: 0 }, Page { domain: "acme.test", from: 400 }] {
            assert_eq!(Page::of(&page.to_string()), Some(page));
        }
        assert_eq!(Page::of("acme.test x"), None);
    }

    #[test]
    fn a_providers_certificate_says_nothing_of_strangers() {
        let many: Vec<String> = (0..11).map(|number| format!("www.stranger{number}.test")).collect();
        let mut names: Vec<&str> = many.iter().map(String::as_str).collect();
        names.push("acme.test");
        assert_eq!(arguments(&certificate(&names)), ["acme.test"]);
    }
}
