//! Sister domains: domains that nobody named, and that evidence shows to be the same owner's as a seed. Pieces of
//! evidence are grouped by what they depend on; of each group the strongest counts, and their log-odds add up
//! (docs/architecture.md §4).

use super::Node;
use super::SCOPED_FROM;
use super::graph::{Graph, Link};
use super::spelled::spells;
use super::surroundings::{Surroundings, is_name, is_own_server, levels};
use crate::entity::{EvidenceKind, host_of};
use crate::{Clearance, EdgeKind, Kind, TaskName};
use std::collections::{HashMap, HashSet};

/// Log-odds, in hundredths, that a domain near theirs is theirs, before any evidence.
pub const PRIOR: i32 = -300;
/// Ownership from which a domain is a candidate: it is shown, and waits for a person's word. In thousandths.
const CANDIDATE_FROM: u16 = 600;
/// Ownership from which evidence alone makes a domain theirs. In thousandths.
const SISTER_FROM: u16 = 950;
/// What may be done to a domain that is theirs by evidence alone, and to the names in it, until a person has said more:
/// what a browser does.
pub(super) const SISTER_CAP: Clearance = Clearance::L2;
/// A certificate with names of more foreign domains says nothing of their owner.
const CERTIFICATE_DOMAINS_MAX: usize = 3;

/// The tasks that read the SPF record of a domain.
const READ_SENDERS: [TaskName; 2] = [TaskName::SisterDomain, TaskName::MailPolicy];

/// A domain with evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sister {
    /// In thousandths: below [`CANDIDATE_FROM`] the evidence does not suffice, and only paths count.
    ownership: u16,
    /// The strongest piece of each group, by weight, and the node that shows it.
    evidence: Vec<(EvidenceKind, usize)>,
}

impl Sister {
    /// True where the evidence alone makes it theirs.
    pub(super) fn is_theirs(&self) -> bool {
        self.ownership >= SISTER_FROM && !self.is_for_a_person()
    }

    fn is_for_a_person(&self) -> bool {
        self.evidence.iter().any(|(kind, _)| kind.is_for_a_person())
    }

    /// The pieces as they are told. That it is registered to others is told where the evidence decides, or would do so
    /// but for that.
    pub(super) fn told(&self, is_decided_by_it: bool) -> impl Iterator<Item = (EvidenceKind, usize)> {
        let is_told = is_decided_by_it || self.ownership >= SISTER_FROM;
        self.evidence.iter().copied().filter(move |(kind, _)| is_told || *kind != EvidenceKind::RegisteredToOthers)
    }

    /// Ownership and clearance that the evidence gives; `None` where it does not suffice.
    pub(super) fn standing(&self) -> Option<(u16, Clearance)> {
        standing(self.ownership, self.is_for_a_person())
    }
}

/// Reads the evidence for each domain that no person's word decides on.
/// What a further round finds to be theirs can only add to it.
pub(super) fn sisters(
    graph: &Graph<'_>,
    around: &Surroundings,
    scoped: &impl Fn(usize) -> bool,
) -> Vec<Option<Sister>> {
    let mut sisters = vec![None; graph.len()];
    let open = |node: &usize| graph.nodes[*node].kind == Kind::Domain && graph.fixed[*node].is_none();
    let domains: HashMap<&str, usize> =
        (0..graph.len()).filter(open).map(|node| (graph.nodes[node].name.as_str(), node)).collect();
    if domains.is_empty() {
        return sisters;
    }
    let speaks = |node: usize| scoped(node) && !around.crowd.contains(&node);
    let domain_of = |node: usize| levels(host_of(&graph.nodes[node].name)).find_map(|level| domains.get(level));
    let mut pieces: HashMap<usize, HashMap<u8, (EvidenceKind, usize)>> = HashMap::new();
    // Domains that something of theirs names by more than a mention.
    let mut named: HashSet<usize> = HashSet::new();
    for link in &graph.links {
        if matches!(link.edge.kind, EdgeKind::ForeignCertificateName | EdgeKind::Redirect) && speaks(link.from) {
            named.extend(domain_of(link.to));
        }
        let Some((kind, about, shows)) = shown(graph, around, &speaks, link) else { continue };
        let Some(domain) = domain_of(about) else { continue };
        let piece = pieces.entry(*domain).or_default().entry(kind.group()).or_insert((kind, shows));
        let rank = |(kind, node): (EvidenceKind, usize)| (-kind.weight(), graph.nodes[node].name.as_str());
        if rank((kind, shows)) < rank(*piece) {
            *piece = (kind, shows);
        }
    }
    for (domain, groups) in pieces {
        let mut evidence: Vec<(EvidenceKind, usize)> = groups.into_values().collect();
        // Of a plain stranger nothing is to be told, nor of who serves them.
        if evidence.iter().all(|(kind, _)| kind.is_for_a_person()) {
            continue;
        }
        if named.contains(&domain) {
            evidence.retain(|(kind, _)| !matches!(kind, EvidenceKind::ReliedUpon | EvidenceKind::NamedByPointer));
        } else {
            for (kind, _) in evidence.iter_mut().filter(|(kind, _)| *kind == EvidenceKind::RegisteredToOthers) {
                *kind = EvidenceKind::RegisteredApart;
            }
        }
        evidence.sort_by_key(|(kind, _)| (-kind.weight(), *kind));
        let sum = PRIOR + evidence.iter().map(|(kind, _)| kind.weight()).sum::<i32>();
        sisters[domain] = Some(Sister { ownership: thousandths(sum), evidence });
    }
    sisters
}

/// What a link shows, the domain or name below one that it shows it of, and the node that shows it.
fn shown(
    graph: &Graph<'_>,
    around: &Surroundings,
    speaks: &impl Fn(usize) -> bool,
    link: &Link<'_>,
) -> Option<(EvidenceKind, usize, usize)> {
    let (from, to) = (graph.nodes[link.from], graph.nodes[link.to]);
    let of_start = |kind| Some((kind, link.from, link.to));
    let of_end = |kind| Some((kind, link.to, link.from));
    match (link.edge.kind, to.kind) {
        (EdgeKind::Registrant, Kind::EmailAddress)
            if from.kind == Kind::Domain && around.is_in_seed(host_of(&to.name)) =>
        {
            of_start(EvidenceKind::RegistrationMailbox)
        }
        (EdgeKind::Registrant, _) if from.kind == Kind::Domain && around.registrant[link.from] == Some(link.to) => {
            of_start(EvidenceKind::RegisteredAlike)
        }
        (EdgeKind::Registrant, Kind::Organization) if around.stranger[link.from] == Some(link.to) => {
            of_start(EvidenceKind::RegisteredToOthers)
        }
        // A mailbox that stands in a registration without being the registrant's may be that of who looks after it.
        (EdgeKind::Contact, Kind::EmailAddress)
            if from.kind == Kind::Domain
                && link.edge.task != TaskName::Registration.as_str()
                && around.is_in_seed(host_of(&to.name)) =>
        {
            of_start(EvidenceKind::ReportMailbox)
        }
        (EdgeKind::Vendor, Kind::Nameserver) if around.is_in_seed(&to.name) && is_own_server(graph, link) => {
            of_start(EvidenceKind::OwnNameServer)
        }
        (EdgeKind::Vendor, Kind::Mailserver) if around.is_in_seed(&to.name) => of_start(EvidenceKind::OwnMailServer),
        // Of a domain that is theirs by now, the hosts that serve it are told as names as well, by other tasks.
        (EdgeKind::Vendor, Kind::DnsRecord)
            if from.kind == Kind::Domain
                && READ_SENDERS.iter().any(|task| link.edge.task == task.as_str())
                && around.is_in_seed(&to.name) =>
        {
            of_start(EvidenceKind::OwnSenders)
        }
        (EdgeKind::ResolvesTo, Kind::IpAddress)
            if !to.shared.is_shared() && around.is_registered_as_theirs(link.to) =>
        {
            of_start(EvidenceKind::OwnAddress)
        }
        (EdgeKind::ForeignCertificateName, _)
            if graph.foreign_domains[link.from] <= CERTIFICATE_DOMAINS_MAX && speaks(link.from) =>
        {
            of_end(EvidenceKind::OwnCertificate)
        }
        (EdgeKind::Redirect, _) if speaks(link.from) => of_end(EvidenceKind::RedirectTarget),
        _ if relies(around, link, from, to) => Some((EvidenceKind::ReliedUpon, link.to, link.to)),
        // What spells the address is its provider's name.
        (EdgeKind::Pointer, kind)
            if is_name(kind)
                && from.kind == Kind::IpAddress
                && !from.shared.is_shared()
                && around.is_registered_as_theirs(link.from)
                && graph.joins(link.to, link.from, EdgeKind::ResolvesTo)
                && !around.is_in_seed(&to.name)
                && !spells(&to.name, &from.name) =>
        {
            Some((EvidenceKind::NamedByPointer, link.to, link.to))
        }
        _ => None,
    }
}

/// True where a host of a third party serves a name in a seed's domain, or has its mailbox. Who serves a sister proves
/// nothing.
fn relies(around: &Surroundings, link: &Link<'_>, from: &Node, to: &Node) -> bool {
    let is_of_seed = || matches!(from.kind, Kind::Domain | Kind::DnsRecord) && around.is_in_seed(&from.name);
    let is_by = |task: TaskName| link.edge.task == task.as_str();
    match link.edge.kind {
        _ if around.is_in_seed(host_of(&to.name)) => false,
        EdgeKind::Vendor => is_name(to.kind) && is_of_seed() && !is_by(TaskName::Referrals),
        EdgeKind::Contact => to.kind == Kind::EmailAddress && is_of_seed() && is_by(TaskName::MailPolicy),
        EdgeKind::Registrant => to.kind == Kind::EmailAddress && is_of_seed(),
        _ => false,
    }
}

/// Ownership, in thousandths, and clearance that evidence gives whose log-odds and the prior come to this sum, in
/// hundredths; `None` where it does not suffice.
pub fn by_evidence(sum: i32, is_for_a_person: bool) -> Option<(u16, Clearance)> {
    standing(thousandths(sum), is_for_a_person)
}

/// What is likely but not shown is known about, no more; what is shown is visited as a browser does until a person has
/// said more. Of what is registered to others, or is asked about because it serves them, nothing is shown without a
/// person.
fn standing(ownership: u16, is_for_a_person: bool) -> Option<(u16, Clearance)> {
    match ownership {
        SISTER_FROM.. if !is_for_a_person => Some((ownership, SISTER_CAP)),
        CANDIDATE_FROM.. => Some((ownership.min(SCOPED_FROM - 1), Clearance::L1)),
        _ => None,
    }
}

/// The probability, in thousandths, for log-odds in hundredths.
fn thousandths(odds: i32) -> u16 {
    let probability = 1.0 / (1.0 + (-f64::from(odds) / 100.0).exp());
    // Truncation is wanted: what is not reached is not given.
    (probability * 1000.0) as u16
}

#[cfg(test)]
mod tests {
    use super::thousandths;

    #[test]
    fn log_odds_become_probabilities() {
        let table = [(-300, 47), (0, 500), (100, 731), (150, 817), (300, 952), (400, 982)];
        for (odds, expected) in table {
            assert_eq!(thousandths(odds), expected, "{odds}");
        }
    }
}
