//! Finds the provider whose infrastructure something is on, and whether it is shared with third parties. There is one
//! probe for each piece of evidence, named by the argument, so that the answer does not depend on the order in which
//! evidence arrives. Sends nothing.

use crate::ask::host::is_theirs;
use crate::read::providers;
use crate::task::OF_SITES;
use crate::{Answer, Context, Plan, Result, Settings, Task};
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
    plan: |facts, settings| Plan::bound(evidence(facts, settings).into_iter().map(|evidence| evidence.argument())),
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
    provider: Option<String>,
    shared: bool,
}

impl Evidence {
    fn argument(&self) -> String {
        self.what.clone()
    }

    fn of_platform(what: String, (name, sharing): (&str, Sharing)) -> Self {
        Self { what, provider: Some(name.to_owned()), shared: sharing == Sharing::Shared }
    }

    fn of_host(word: &str, host: &str, settings: &Settings) -> Option<Self> {
        Some(Self::of_platform(format!("{word} {host}"), settings.platform_of(host)?))
    }
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let evidence = evidence(cx.facts, cx.settings).into_iter().find(|evidence| evidence.argument() == cx.argument);
    let Some(evidence) = evidence else { return Ok(Answer::Absent) };
    if let Some(provider) = &evidence.provider {
        cx.observe(network::CLOUD_HOSTED, true);
        cx.observe(network::CLOUD_PROVIDERS, vec![provider.clone()]);
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

fn evidence(facts: &Facts, settings: &Settings) -> BTreeSet<Evidence> {
    match facts.kind {
        Kind::IpAddress => of_address(facts, settings),
        Kind::Uri => of_site(facts, settings),
        _ => aliases(&facts.details, settings).collect(),
    }
}

/// Providers in a name's alias chain.
fn aliases<'a>(details: &'a ambit_model::Details, settings: &'a Settings) -> impl Iterator<Item = Evidence> + 'a {
    let chain = domain::CNAME_CHAIN.texts(details);
    chain.filter_map(|target| Evidence::of_host("alias", target, settings))
}

fn of_address(facts: &Facts, settings: &Settings) -> BTreeSet<Evidence> {
    let of_host = |word: &str, host: &str| Evidence::of_host(word, host, settings);
    let pointers = reverse_names(facts).filter_map(|name| of_host("reverse name", &name));
    let names =
        || facts.from(EdgeKind::ResolvesTo).filter(|neighbour| !comes_back(facts, &neighbour.details, settings));
    let bound = names().flat_map(|neighbour| aliases(&neighbour.details, settings));
    // A provider's own name leads here: what the alias of one of their names ends in.
    let own = names().filter_map(|neighbour| of_host("name", &neighbour.name));
    let networks = by_network(facts).into_iter().chain(by_range(facts, settings));
    let certificates = certificates(facts, settings);
    pointers.chain(bound).chain(own).chain(networks).chain(certificates).chain(strangers(facts)).collect()
}

/// The platform that registered the network around an address.
fn by_network(facts: &Facts) -> Option<Evidence> {
    let name = network::NET_NAME.text(&facts.details)?;
    let platform = platforms::of_network(name)?;
    Some(Evidence::of_platform(format!("network {name}"), (platform.name, platform.sharing)))
}

/// The platform that a user's list names for an address. It says so without a registry, and of parts of a network that
/// is registered as a whole.
fn by_range(facts: &Facts, settings: &Settings) -> Option<Evidence> {
    let listed = settings.platforms.of_address(facts.name.parse().ok()?)?;
    let sells = if listed.sharing == Sharing::Shared { "shared" } else { "rented" };
    Some(Evidence::of_platform(format!("range of {}, {sells}", listed.name), (&listed.name, listed.sharing)))
}

/// The reverse names of an address. One that only spells it leads to no entity, and its domain tells whose it is.
fn reverse_names(facts: &Facts) -> impl Iterator<Item = String> {
    let told = domain::RESOLUTIONS.items(&facts.details).filter(|told| told.response_type == "PTR");
    let led = facts.to(EdgeKind::Pointer).map(|neighbour| neighbour.name.clone());
    told.map(|told| told.response_data).chain(led)
}

/// True where a name's aliases end in one of theirs, as behind a platform that balances by DNS: the address is that
/// name's, and not the platform's.
fn comes_back(facts: &Facts, details: &ambit_model::Details, settings: &Settings) -> bool {
    let end = domain::CNAME_CHAIN.texts(details).last();
    end.is_some_and(|end| is_theirs(facts, end) && settings.platform_of(end).is_none())
}

/// A platform's certificate that was shown here, by its common name; the address' own look and those by its names tell
/// of it.
fn certificates(facts: &Facts, settings: &Settings) -> BTreeSet<Evidence> {
    let by_name = facts.from(EdgeKind::ResolvesTo).flat_map(|neighbour| shown(&neighbour.details, &facts.name));
    let names = by_name.chain(shown(&facts.details, &facts.name)).filter_map(|tls| tls.certificate);
    let host = |name: String| name.split(' ').next().unwrap_or_default().trim_start_matches("*.").to_ascii_lowercase();
    let strange = |host: &String| !facts.seeds.cover_by_registrable(host);
    names.map(host).filter(strange).filter_map(|host| Evidence::of_host("certificate", &host, settings)).collect()
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
pub(crate) fn is_shared(facts: &Facts, settings: &Settings) -> bool {
    evidence(facts, settings).iter().any(|evidence| evidence.shared)
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

fn of_site(facts: &Facts, settings: &Settings) -> BTreeSet<Evidence> {
    let headers = uri::HEADERS.texts(&facts.details);
    let headers = headers.filter_map(|line| line.split_once(": "));
    let shown = providers::of_headers(headers).into_iter().map(|(provider, what)| Evidence {
        what,
        provider: Some(provider.to_owned()),
        shared: true,
    });
    let names = facts.from(EdgeKind::Site).flat_map(|neighbour| aliases(&neighbour.details, settings));
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

    /// Evidence by our own table alone.
    fn of(facts: &Facts) -> BTreeSet<Evidence> {
        evidence(facts, &Settings::default())
    }

    fn address(inward: Vec<Neighbour>) -> Facts {
        let mut facts = crate::tests::facts(Kind::IpAddress, "203.0.113.7", json!({}));
        facts.inward = inward;
        facts
    }

    #[test]
    fn an_alias_to_a_cdn_makes_the_address_shared() {
        let facts = address(vec![name("www.acme.test", true, json!({"hidden_cname_chain": ["d1.cloudfront.net"]}))]);
        let found: Vec<Evidence> = of(&facts).into_iter().collect();
        assert_eq!(found.len(), 1);
        assert!(found[0].shared);
        assert_eq!(found[0].argument(), "alias d1.cloudfront.net");
    }

    #[test]
    fn a_rented_machine_is_cloud_but_theirs() {
        let mut facts = address(vec![name("www.acme.test", true, json!({}))]);
        facts.details = json!({"net_name": "HETZNER-fsn1"}).as_object().cloned().unwrap();
        let found: Vec<Evidence> = of(&facts).into_iter().collect();
        assert_eq!((found[0].provider.as_deref(), found[0].shared), (Some("Hetzner"), false));
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
            assert_eq!(of(&facts).first().map(|evidence| evidence.shared), shared, "{name}");
        }
    }

    #[test]
    fn lists_of_platforms_tell_by_range_and_by_name_what_our_table_does_not() {
        let text = r#"{"cdn": {"edge": ["203.0.113.0/29"]}, "cloud": {"metal": ["203.0.113.0/24"]},
            "common": {"edge": ["edge.example"]}}"#;
        let entries = platforms::pack::read_pack(text).unwrap();
        let settings = Settings { platforms: platforms::pack::Pack::new(vec![entries]).into(), ..Settings::default() };
        let alias = json!({"hidden_cname_chain": ["d1.edge.example"]});
        for (at, details, expected) in [
            ("203.0.113.7", json!({}), vec![("range of edge, shared", true)]),
            ("203.0.113.8", json!({}), vec![("range of metal, rented", false)]),
            ("198.51.100.7", alias.clone(), vec![("alias d1.edge.example", true)]),
            ("198.51.100.7", json!({}), vec![]),
        ] {
            let mut facts = crate::tests::facts(Kind::IpAddress, at, json!({}));
            facts.inward = vec![name("www.acme.test", true, details)];
            let found = evidence(&facts, &settings);
            let found: Vec<_> = found.iter().map(|evidence| (evidence.what.as_str(), evidence.shared)).collect();
            assert_eq!(found, expected, "{at}");
        }
        assert!(of(&address(vec![name("www.acme.test", true, alias)])).is_empty());
    }

    #[test]
    fn some_strangers_are_partners_and_many_are_tenants() {
        let strangers = |count: usize| {
            (0..count).map(|number| name(&format!("www.s{number}.test"), false, json!({}))).collect::<Vec<_>>()
        };
        assert!(of(&address(strangers(STRANGERS_MIN - 1))).is_empty());
        assert!(of(&address(strangers(STRANGERS_MIN))).iter().all(|evidence| evidence.shared));
        // Whom a person named is no stranger, and whom evidence alone makes theirs stays one.
        let theirs = |by_evidence: bool| {
            let mut names = strangers(STRANGERS_MIN);
            names.iter_mut().for_each(|name| (name.scoped, name.by_evidence) = (true, by_evidence));
            of(&address(names)).len()
        };
        assert_eq!((theirs(false), theirs(true)), (0, 1));
        let tls = |address: &str| json!({"hidden_tls": [{"address": address, "foreign_domains": 40}]});
        assert_eq!(of(&address(vec![name("www.acme.test", true, tls("203.0.113.7:443"))])).len(), 1);
        assert!(of(&address(vec![name("www.acme.test", true, tls("203.0.113.8:443"))])).is_empty());
    }
}
