//! Finds the provider whose infrastructure something is on, and whether it is shared with third parties. There is one
//! probe for each piece of evidence, named by the argument, so that the answer does not depend on the order in which
//! evidence arrives. Sends nothing.

use crate::ask::host::is_theirs;
use crate::read::providers;
use crate::task::OF_SITES;
use crate::{Answer, Context, Plan, Result, Task};
use ambit_model::entity::certificate::TlsLook;
use ambit_model::entity::{certificate, domain, ip_address, network, registrable, uri};
use ambit_model::facts::Neighbour;
use ambit_model::platforms::{self, Sharing};
use ambit_model::{EdgeKind, Facts, Kind, TaskName};
use std::collections::BTreeSet;

pub(crate) const TASK: Task = Task {
    name: TaskName::CloudAttribution,
    pretty_name: "Cloud and CDN",
    description: "Identifies the hosting provider by alias, reverse name, network and headers, and whether third \
                  parties share an address.",
    workflows: OF_SITES,
    watches: &[Kind::DnsRecord, Kind::IpAddress, Kind::Uri],
    cost: 1,
    gain: 3,
    plan: |facts, _| Plan::bound(evidence(facts).into_iter().map(|evidence| evidence.argument())),
    run: |cx| Box::pin(run(cx)),
    ..Task::DERIVES
};

/// Foreign domains on one address, or in one certificate that it serves, from which it counts as shared with third
/// parties.
const STRANGERS_MIN: usize = 5;

/// One piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Evidence {
    /// What it is: `alias d1.cloudfront.net`.
    what: String,
    provider: Option<&'static str>,
    shared: bool,
}

impl Evidence {
    fn argument(&self) -> String {
        self.what.clone()
    }

    fn of_host(word: &str, host: &str) -> Option<Self> {
        let provider = platforms::of_host(host)?;
        Some(Self {
            what: format!("{word} {host}"),
            provider: Some(provider.name),
            shared: provider.sharing == Sharing::Shared,
        })
    }
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let Some(evidence) = evidence(cx.facts).into_iter().find(|evidence| evidence.argument() == cx.argument) else {
        return Ok(Answer::Absent);
    };
    if let Some(provider) = evidence.provider {
        cx.observe(network::CLOUD_HOSTED, true);
        cx.observe(network::CLOUD_PROVIDERS, vec![provider.to_owned()]);
        if cx.facts.kind == Kind::Uri {
            cx.observe(network::CLOUD_FINGERPRINTS, vec![evidence.what.clone()]);
        }
    }
    if evidence.shared && cx.facts.kind == Kind::IpAddress {
        // Of strangers' names the block around the address may say otherwise: scope tells the two apart.
        cx.observe(if evidence.provider.is_some() { ip_address::SHARED } else { ip_address::STRANGERS }, true);
        cx.observe(ip_address::SHARED_REASON, vec![evidence.what.clone()]);
    }
    Ok(Answer::Found)
}

fn evidence(facts: &Facts) -> BTreeSet<Evidence> {
    match facts.kind {
        Kind::IpAddress => of_address(facts),
        Kind::Uri => of_site(facts),
        _ => aliases(&facts.details).collect(),
    }
}

/// Providers in a name's alias chain.
fn aliases(details: &ambit_model::Details) -> impl Iterator<Item = Evidence> + '_ {
    let chain = domain::CNAME_CHAIN.texts(details);
    chain.filter_map(|target| Evidence::of_host("alias", target))
}

fn of_address(facts: &Facts) -> BTreeSet<Evidence> {
    let pointers = reverse_names(facts).filter_map(|name| Evidence::of_host("reverse name", &name));
    let names = || facts.from(EdgeKind::ResolvesTo).filter(|neighbour| !comes_back(facts, &neighbour.details));
    let bound = names().flat_map(|neighbour| aliases(&neighbour.details));
    // A provider's own name leads here: what the alias of one of their names ends in.
    let own = names().filter_map(|neighbour| Evidence::of_host("name", &neighbour.name));
    let network = network::NET_NAME.text(&facts.details).and_then(|name| {
        let platform = platforms::of_network(name)?;
        Some(Evidence {
            what: format!("network {name}"),
            provider: Some(platform.name),
            shared: platform.sharing == Sharing::Shared,
        })
    });
    let certificates = certificates(facts);
    pointers.chain(bound).chain(own).chain(network).chain(certificates).chain(strangers(facts)).collect()
}

/// The reverse names of an address. One that only spells it leads to no entity, and its domain tells whose it is.
fn reverse_names(facts: &Facts) -> impl Iterator<Item = String> {
    let told = domain::RESOLUTIONS.items(&facts.details).filter(|told| told.response_type == "PTR");
    let led = facts.to(EdgeKind::Pointer).map(|neighbour| neighbour.name.clone());
    told.map(|told| told.response_data).chain(led)
}

/// True where a name's aliases end in one of theirs, as behind a platform that balances by DNS: the address is that
/// name's, and not the platform's.
fn comes_back(facts: &Facts, details: &ambit_model::Details) -> bool {
    let end = domain::CNAME_CHAIN.texts(details).last();
    end.is_some_and(|end| is_theirs(facts, end) && Evidence::of_host("alias", end).is_none())
}

/// A platform's certificate that was shown here, by its common name; the address' own look and those by its names tell
/// of it.
fn certificates(facts: &Facts) -> BTreeSet<Evidence> {
    let by_name = facts.from(EdgeKind::ResolvesTo).flat_map(|neighbour| shown(&neighbour.details, &facts.name));
    let names = by_name.chain(shown(&facts.details, &facts.name)).filter_map(|tls| tls.certificate);
    let host = |name: String| name.split(' ').next().unwrap_or_default().trim_start_matches("*.").to_ascii_lowercase();
    let strange = |host: &String| !facts.seeds.cover_by_registrable(host);
    names.map(host).filter(strange).filter_map(|host| Evidence::of_host("certificate", &host)).collect()
}

/// What was seen of TLS at an address.
fn shown<'a>(details: &'a ambit_model::Details, address: &'a str) -> impl Iterator<Item = TlsLook> + 'a {
    let probes = certificate::TLS.items(details);
    probes.filter(move |tls| {
        let socket = tls.address.parse::<std::net::SocketAddr>();
        socket.is_ok_and(|socket| socket.ip().to_string() == address)
    })
}

/// Returns true if any evidence shows that the address is shared with third parties.
pub(crate) fn is_shared(facts: &Facts) -> bool {
    evidence(facts).iter().any(|evidence| evidence.shared)
}

/// Evidence of third parties on the address: names of many foreign domains that resolve to it, or a certificate full of
/// them. Whom evidence alone makes theirs counts as before: else each that becomes theirs would make the machine less
/// shared, what it says of the others would count the more, and they would become theirs by that.
fn strangers(facts: &Facts) -> Option<Evidence> {
    let foreign = |domain: &&str| !facts.seeds.domains().contains(*domain);
    let names = facts.from(EdgeKind::ResolvesTo).filter(|name| !name.scoped || name.by_evidence);
    let domains: BTreeSet<&str> = names.filter_map(|neighbour| registrable(&neighbour.name)).filter(foreign).collect();
    let certificates = facts.from(EdgeKind::ResolvesTo).chain(facts.to(EdgeKind::Service));
    let in_certificate = certificates.flat_map(|neighbour| foreign_domains(neighbour, &facts.name)).max().unwrap_or(0);
    let what = if domains.len() >= STRANGERS_MIN {
        "strangers' names"
    } else if in_certificate >= STRANGERS_MIN {
        "strangers' names in its certificate"
    } else {
        return None;
    };
    Some(Evidence { what: what.to_owned(), provider: None, shared: true })
}

/// Foreign domains in the certificates that a neighbour was shown at this address.
fn foreign_domains<'a>(neighbour: &'a Neighbour, address: &'a str) -> impl Iterator<Item = usize> + 'a {
    shown(&neighbour.details, address).map(|tls| tls.foreign_domains)
}

fn of_site(facts: &Facts) -> BTreeSet<Evidence> {
    let headers = uri::HEADERS.texts(&facts.details);
    let headers = headers.filter_map(|line| line.split_once(": "));
    let shown = providers::of_headers(headers).into_iter().map(|(provider, what)| Evidence {
        what,
        provider: Some(provider),
        shared: true,
    });
    let names = facts.from(EdgeKind::Site).flat_map(|neighbour| aliases(&neighbour.details));
    shown.chain(names).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::{Clearance, Uid};
    use serde_json::{Value, json};

    fn name(name: &str, scoped: bool, details: Value) -> Neighbour {
        Neighbour {
            edge: EdgeKind::ResolvesTo,
            task: "resolve".into(),
            argument: String::new(),
            uid: Uid::from_bytes([1; 32]),
            kind: Kind::DnsRecord,
            name: name.into(),
            scoped,
            by_evidence: false,
            clearance: Clearance::L1,
            details: details.as_object().cloned().unwrap_or_default().into(),
        }
    }

    fn address(inward: Vec<Neighbour>) -> Facts {
        let mut facts = crate::tests::facts(Kind::IpAddress, "203.0.113.7", json!({}));
        facts.inward = inward;
        facts
    }

    #[test]
    fn an_alias_to_a_cdn_makes_the_address_shared() {
        let facts = address(vec![name("www.acme.test", true, json!({"hidden_cname_chain": ["d1.cloudfront.net"]}))]);
        let found: Vec<Evidence> = evidence(&facts).into_iter().collect();
        assert_eq!(found.len(), 1);
        assert!(found[0].shared);
        assert_eq!(found[0].argument(), "alias d1.cloudfront.net");
    }

    #[test]
    fn a_rented_machine_is_cloud_but_theirs() {
        let mut facts = address(vec![name("www.acme.test", true, json!({}))]);
        facts.details = json!({"net_name": "HETZNER-fsn1"}).as_object().cloned().unwrap();
        let found: Vec<Evidence> = evidence(&facts).into_iter().collect();
        assert_eq!((found[0].provider, found[0].shared), (Some("Hetzner"), false));
    }

    #[test]
    fn a_reverse_name_of_a_platform_tells_of_it_though_it_only_spells_the_address() {
        for (name, shared) in [
            ("a203-0-113-7.deploy.static.akamaitechnologies.com", Some(true)),
            ("server-203-0-113-7.fra50.r.cloudfront.net", Some(true)),
            ("ec2-203-0-113-7.compute-1.amazonaws.com", Some(false)),
            ("203-0-113-7.dsl.provider.test", None),
        ] {
            let mut facts = address(Vec::new());
            let told = json!({"resolutions": [{"response_data": name, "response_type": "PTR"}]});
            facts.details = told.as_object().cloned().unwrap();
            assert_eq!(evidence(&facts).first().map(|evidence| evidence.shared), shared, "{name}");
        }
    }

    #[test]
    fn some_strangers_are_partners_and_many_are_tenants() {
        let strangers = |count: usize| {
            (0..count).map(|number| name(&format!("www.s{number}.test"), false, json!({}))).collect::<Vec<_>>()
        };
        assert!(evidence(&address(strangers(STRANGERS_MIN - 1))).is_empty());
        assert!(evidence(&address(strangers(STRANGERS_MIN))).iter().all(|evidence| evidence.shared));
        // Whom a person named is no stranger, and whom evidence alone makes theirs stays one.
        let theirs = |by_evidence: bool| {
            let mut names = strangers(STRANGERS_MIN);
            names.iter_mut().for_each(|name| (name.scoped, name.by_evidence) = (true, by_evidence));
            evidence(&address(names)).len()
        };
        assert_eq!((theirs(false), theirs(true)), (0, 1));
        let tls = |address: &str| json!({"hidden_tls": [{"address": address, "foreign_domains": 40}]});
        assert_eq!(evidence(&address(vec![name("www.acme.test", true, tls("203.0.113.7:443"))])).len(), 1);
        assert!(evidence(&address(vec![name("www.acme.test", true, tls("203.0.113.8:443"))])).is_empty());
    }
}
