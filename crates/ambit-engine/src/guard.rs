//! The guard over a collection's scope: asked by the network when a socket opens, on the address really dialled
//! (docs/architecture.md §3).

use crate::graph::{Graph, State};
use crate::installation::Installation;
use ambit_model::entity::{bucket, host_of};
use ambit_model::ports::BROWSER;
use ambit_model::reserved::Reserved;
use ambit_model::scope::{Blocks, Exclusions, Node, ScopeReason};
use ambit_model::{Clearance, EdgeKind, Kind};
use ambit_net::http::Url;
use ambit_net::{Contact, Grant, Guard, Refused, Transport};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};
use std::sync::RwLock;

/// Ports of an address that is not theirs alone that may be contacted, with a name of theirs only (docs/architecture.md
/// §4).
const SHARED_PORTS: [u16; 2] = BROWSER;
/// The port that may be asked without a name.
const TLS_PORT: u16 = 443;

/// Why what scope allows is left alone.
pub(crate) const UNANSWERED: &str = "no name that led to the address could be looked up in this run";

/// Today's clearances of one collection, by address and by name.
#[derive(Debug, Default)]
pub(crate) struct ScopeGuard {
    installation: Installation,
    reserved: Reserved,
    view: RwLock<View>,
    /// Names that could not be looked up in this run, or not whole.
    unanswered: RwLock<HashMap<String, Unanswered>>,
}

/// Of which addresses of a name a look-up brought no answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unanswered {
    pub(crate) four: bool,
    pub(crate) six: bool,
}

impl Unanswered {
    pub(crate) const NOTHING: Self = Self { four: false, six: false };
    pub(crate) const ALL: Self = Self { four: true, six: true };

    /// Of an answer in part: of both families but those of which it shows an address.
    pub(crate) fn beside(shown: impl IntoIterator<Item = IpAddr>) -> Self {
        let mut unanswered = Self::ALL;
        for address in shown {
            let family = if address.is_ipv4() { &mut unanswered.four } else { &mut unanswered.six };
            *family = false;
        }
        unanswered
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self { four: self.four || other.four, six: self.six || other.six }
    }

    fn covers(self, address: IpAddr) -> bool {
        if address.is_ipv4() { self.four } else { self.six }
    }
}

#[derive(Debug, Default)]
struct View {
    ceiling: Option<Clearance>,
    /// What is known of addresses.
    addresses: HashMap<IpAddr, Known>,
    /// Of names that lead to addresses which hang on names: these.
    leads: HashMap<String, HashSet<IpAddr>>,
    names: HashMap<String, Clearance>,
    /// Names with an alias that leads to third parties: that another name may be visited at an address of theirs does
    /// not permit these.
    with_foreign_alias: HashSet<String>,
    /// Hosts of storage buckets, as they are called in no region. The provider's addresses are contacted by these names
    /// only, and are no entities.
    buckets: HashMap<String, Clearance>,
    /// Hosts (names or addresses) and ports of sites and services that are seeds.
    sites: HashSet<(String, u16)>,
    /// Given blocks and the parts of them that are others', as scope decided by them.
    blocks: Blocks,
    /// The clearance of each block.
    clearances: HashMap<ipnet::IpNet, Clearance>,
    /// Exclusions of the installation and of the collection.
    never: Exclusions,
    /// What the deny list closes, with what is on it.
    denied: Exclusions,
    /// Names some of whose pages are excluded or denied, by the addresses to which they resolve.
    hosts_of_pages: HashMap<IpAddr, Vec<String>>,
    /// Addresses and names on the allow list: the deny list closes what is around them, not them.
    allowed: HashSet<String>,
}

/// An address that is an entity.
#[derive(Clone, Copy, Debug)]
struct Known {
    clearance: Clearance,
    /// It is theirs.
    scoped: bool,
    /// Nothing shows that it is theirs alone.
    unproven: bool,
    /// Third parties are known to share it, even if the block around it is theirs.
    shared: bool,
    /// It is theirs as the host of a site or service that was named, which opens no other port of it.
    by_site: bool,
    /// A person's word or a reserved range closes it, also inside a block that was named.
    closed: bool,
    /// How many names lead there, where it is theirs, or may be visited, by these and nothing else.
    leading: usize,
    /// Of how many of them it is not known whether they lead there still: their look-ups failed in this run.
    unanswered: usize,
}

impl Known {
    /// None of the names that led there could be looked up in this run: they may lead elsewhere by now.
    fn is_in_doubt(&self) -> bool {
        self.leading > 0 && self.unanswered == self.leading
    }
}

impl ScopeGuard {
    /// A guard that nothing was shown to yet: it refuses every target.
    pub(crate) fn new(installation: Installation, reserved: Reserved) -> Self {
        Self { installation, reserved, view: RwLock::default(), unanswered: RwLock::default() }
    }

    /// Shows the guard the whole graph. `never`: the exclusions of the installation and of the collection.
    pub(crate) fn show(&self, graph: &Graph, ceiling: Clearance, never: &[String]) {
        let mut view = View {
            ceiling: Some(ceiling),
            never: Exclusions::new(never),
            denied: Exclusions::of_denied(graph.iter().map(|(node, _)| node)),
            blocks: graph.blocks().clone(),
            with_foreign_alias: graph.with_foreign_alias().map(str::to_owned).collect(),
            ..View::default()
        };
        for (node, state) in graph.iter() {
            view.add(node, state);
        }
        view.add_pages(graph);
        view.add_leads(graph, &self.unanswered.read().unwrap_or_else(std::sync::PoisonError::into_inner));
        *self.view.write().unwrap_or_else(std::sync::PoisonError::into_inner) = view;
    }

    /// Takes in how look-ups of names ended in this run.
    pub(crate) fn looked_up<'a>(&self, names: impl Iterator<Item = (&'a str, Unanswered)>) {
        let mut unanswered = self.unanswered.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        for (name, now) in names {
            let before = match now {
                Unanswered::NOTHING => unanswered.remove(name),
                _ => unanswered.insert(name.to_owned(), now),
            };
            let before = before.unwrap_or_default();
            if before != now {
                self.view.write().unwrap_or_else(std::sync::PoisonError::into_inner).doubt(name, before, now);
            }
        }
    }

    /// The addresses that are left alone while no name that leads there can be looked up.
    pub(crate) fn in_doubt(&self) -> BTreeSet<IpAddr> {
        if self.unanswered.read().unwrap_or_else(std::sync::PoisonError::into_inner).is_empty() {
            return BTreeSet::new();
        }
        let view = self.view();
        view.addresses.iter().filter(|(_, known)| known.is_in_doubt()).map(|(address, _)| *address).collect()
    }

    /// Why nobody's clearance opens this host at this address and port: what was excluded, denied, or is this server
    /// itself. `host` is a name, or the address as text. Planning asks it too, so that no work is planned that would be
    /// refused for it.
    pub(crate) fn forbids(&self, host: Option<&str>, socket: SocketAddr) -> Option<&'static str> {
        if self.installation.listens_at(socket.ip(), socket.port()) {
            return Some("this server itself listens there");
        }
        self.view().forbids(host, Some(socket))
    }

    /// The same for a name that is about to be looked up in order to contact it.
    pub(crate) fn forbids_name(&self, name: &str) -> Option<&'static str> {
        self.view().forbids(Some(name), None)
    }

    /// Returns whether the clearance of an address, or of a site of this host that was named, covers a footprint.
    /// Planning asks it: what is not cleared today is planned once it is.
    pub(crate) fn clears(&self, host: &str, socket: SocketAddr, footprint: Clearance) -> bool {
        let (view, contact) = (self.view(), contact(host, socket, footprint));
        let is_open =
            |known: Known| known.clearance >= footprint && (known.scoped || !view.with_foreign_alias.contains(host));
        view.of_address(contact.address).is_ok_and(is_open) || view.is_bucket(&contact) || view.is_named_site(&contact)
    }

    /// Returns whether a contact that scope allows waits for a name: only names lead to the address, and none of them
    /// could be looked up in this run. Planning asks it, so that no work is planned that would be refused for it.
    pub(crate) fn is_in_doubt(&self, host: &str, socket: SocketAddr, footprint: Clearance) -> bool {
        self.view().is_in_doubt(&contact(host, socket, footprint))
    }

    fn view(&self) -> std::sync::RwLockReadGuard<'_, View> {
        self.view.read().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl View {
    /// Notes that a name was looked up otherwise than before.
    fn doubt(&mut self, name: &str, before: Unanswered, now: Unanswered) {
        for address in self.leads.get(name).into_iter().flatten() {
            if let Some(known) = self.addresses.get_mut(address) {
                let others = known.unanswered.saturating_sub(usize::from(before.covers(*address)));
                known.unanswered = others + usize::from(now.covers(*address));
            }
        }
    }

    /// Counts the names that lead to addresses which hang on names.
    fn add_leads(&mut self, graph: &Graph, unanswered: &HashMap<String, Unanswered>) {
        for (name, to, _) in graph.resolutions().filter(|(_, _, state)| hangs_on_names(state)) {
            let Ok(address) = to.name.parse() else { continue };
            let Some(known) = self.addresses.get_mut(&address) else { continue };
            if self.leads.entry(name.to_owned()).or_default().insert(address) {
                known.leading += 1;
                known.unanswered += usize::from(unanswered.get(name).is_some_and(|name| name.covers(address)));
            }
        }
    }

    fn add(&mut self, node: &Node, state: &State) {
        let clearance = state.decision.clearance;
        if node.allow {
            self.allowed.insert(node.name.clone());
        }
        match node.kind {
            Kind::IpAddress => {
                if let Ok(address) = node.name.parse() {
                    // An address that is a seed or allowed is meant itself, even if third parties share it.
                    let is_named = node.seed || node.allow;
                    let shared = self.blocks.is_shared(address, node.shared);
                    let scoped = state.decision.scoped();
                    let known = Known {
                        clearance,
                        scoped,
                        unproven: (shared && !is_named) || !scoped,
                        shared,
                        by_site: state.decision.reason == ScopeReason::Edge(EdgeKind::Host),
                        closed: state.decision.is_closed(),
                        leading: 0,
                        unanswered: 0,
                    };
                    self.addresses.insert(address, known);
                }
            }
            Kind::Uri | Kind::NetworkService if node.seed && clearance > Clearance::L0 => {
                self.sites.extend(place(node))
            }
            Kind::NetBlock => {
                if let Ok(block) = node.name.parse::<ipnet::IpNet>() {
                    let known = self.clearances.entry(block.trunc()).or_insert(clearance);
                    *known = (*known).max(clearance);
                }
            }
            Kind::Domain | Kind::DnsRecord | Kind::Nameserver | Kind::Mailserver => {
                let known = self.names.entry(node.name.clone()).or_insert(clearance);
                *known = (*known).max(clearance);
            }
            Kind::CloudStorageBucket => {
                let host = bucket::in_no_region(host_of(&node.name)).into_owned();
                let known = self.buckets.entry(host).or_insert(clearance);
                *known = (*known).max(clearance);
            }
            _ => {}
        }
    }

    /// Exclusions stand before everything, then the deny list: both on the address and on the name.
    fn forbids(&self, name: Option<&str>, socket: Option<SocketAddr>) -> Option<&'static str> {
        let address = socket.map(|socket| socket.ip());
        let place = |words: &Exclusions| socket.is_some_and(|socket| words.cover_place(name, socket));
        let covered = |words: &Exclusions, name: Option<&str>, address: Option<IpAddr>| {
            address.is_some_and(|address| words.cover_address(address)) || name.is_some_and(|name| words.cover(name))
        };
        if covered(&self.never, name, address) || place(&self.never) {
            return Some("it is excluded");
        }
        let name = name.filter(|name| !self.allowed.contains(*name));
        let address = address.filter(|address| self.allowed.is_empty() || !self.allowed.contains(&address.to_string()));
        (covered(&self.denied, name, address) || place(&self.denied)).then_some("it is on the deny list")
    }

    /// A site that is asked for at its address is that of the names which lead there.
    fn add_pages(&mut self, graph: &Graph) {
        let hosts: BTreeSet<String> =
            self.never.hosts_of_pages().chain(self.denied.hosts_of_pages()).map(str::to_owned).collect();
        for host in hosts {
            for address in graph.addresses_of(&host).filter_map(|address| address.parse().ok()) {
                self.hosts_of_pages.entry(address).or_default().push(host.clone());
            }
        }
    }

    /// Exclusions stand before everything, then the deny list: on a page and what lies below it.
    fn allow_page(&self, page: &Url) -> Result<(), String> {
        let at_address = page.ip().and_then(|address| self.hosts_of_pages.get(&address)).into_iter().flatten();
        let hosts: Vec<&String> = at_address.chain([&page.host]).collect();
        let covered = |words: &Exclusions| hosts.iter().any(|host| words.cover_page(host, page.port, &page.path));
        let closed = covered(&self.never).then_some("it is excluded");
        let denied = || covered(&self.denied).then_some("it is on the deny list");
        closed.or_else(denied).map_or(Ok(()), |why| Err(why.to_owned()))
    }

    fn check(&self, contact: &Contact) -> Result<(), String> {
        let address = contact.address;
        if self.is_bucket(contact) {
            return Ok(());
        }
        let known = self.of_address(address)?;
        let clearance = known.clearance;
        let site = self.is_named_site(contact);
        let clearance = if site { self.ceiling.unwrap_or(clearance).max(clearance) } else { clearance };
        if clearance < contact.footprint {
            return Err(format!("the address has clearance {clearance:?}, the contact needs {:?}", contact.footprint));
        }
        let name = contact.name.as_deref().filter(|name| name.parse::<IpAddr>().is_err());
        if let Some(name) = name {
            let clearance = self.names.get(name).copied().unwrap_or(Clearance::L0);
            if clearance < contact.footprint.min(Clearance::L2) {
                return Err(format!("the name {name} has clearance {clearance:?}"));
            }
            if self.with_foreign_alias.contains(name) && !known.scoped && !site {
                return Err(format!("an alias of {name} leads to third parties"));
            }
        }
        let by_name = name.is_some() && SHARED_PORTS.contains(&contact.port);
        if known.by_site && !site && !by_name && !self.is_beside_named_site(contact) {
            return Err("only a site or service at this address is a seed, and not this port".to_owned());
        }
        if known.unproven && !site && !by_name && !is_question_whose(contact, name, known) {
            return Err(
                "the address may be shared with third parties: only ports 80 and 443 may be contacted, by a name of \
                 theirs"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// A bucket's host is contacted by its name wherever it is.
    fn is_in_doubt(&self, contact: &Contact) -> bool {
        self.of_address(contact.address).is_ok_and(|known| known.is_in_doubt()) && !self.is_bucket(contact)
    }

    /// A given block opens all of its addresses but those that a person's word closes, those that a platform shares
    /// with third parties, and those in parts that are others'.
    fn of_address(&self, address: IpAddr) -> Result<Known, String> {
        let known = self.addresses.get(&address);
        if known.is_some_and(|known| known.closed) {
            return Err("the address is closed: denied itself, or only denied names lead to it".to_owned());
        }
        if known.is_none_or(|known| !known.shared)
            && let Some(clearance) = self.blocks.given(address).and_then(|block| self.clearances.get(&block))
        {
            let (unproven, shared, by_site, closed) = (false, false, false, false);
            let (clearance, scoped, leading, unanswered) = (*clearance, true, 0, 0);
            return Ok(Known { clearance, scoped, unproven, shared, by_site, closed, leading, unanswered });
        }
        known.copied().ok_or_else(|| "no edge of scope leads to this address".to_owned())
    }
}

/// The contact that planning asks about.
fn contact(host: &str, socket: SocketAddr, footprint: Clearance) -> Contact {
    let (name, port, address) = (Some(host.to_owned()), socket.port(), socket.ip());
    Contact { address, port, transport: Transport::Tcp, name, footprint, grant: Grant::Target }
}

/// Returns true for an address that names lead to, and to which they have no title.
fn hangs_on_names(state: &State) -> bool {
    let ground = state.decision.path.last().and_then(|step| step.ground.as_ref());
    let is_titled = ground.is_some_and(|ground| ground.kind.is_title());
    state.decision.reason == ScopeReason::Edge(EdgeKind::ResolvesTo) && !is_titled
}

/// One handshake without SNI at an address that is not known to be shared: the certificate that it presents to
/// everybody shows whether it is theirs.
fn is_question_whose(contact: &Contact, name: Option<&str>, known: Known) -> bool {
    name.is_none() && !known.shared && contact.port == TLS_PORT && contact.footprint <= Clearance::L2
}

/// Where a site or service is: its host, and its port.
fn place(node: &Node) -> Option<(String, u16)> {
    if node.kind == Kind::NetworkService {
        let socket: SocketAddr = node.name.rsplit_once('/')?.0.parse().ok()?;
        return Some((socket.ip().to_string(), socket.port()));
    }
    let url = Url::parse(&node.name).ok()?;
    Some((url.host.trim_start_matches('[').trim_end_matches(']').to_owned(), url.port))
}

impl View {
    /// A contact for a site or service that is a seed: by its name, or without one at its address.
    fn is_named_site(&self, contact: &Contact) -> bool {
        // Asked at every contact, and hardly any collection names sites.
        if self.sites.is_empty() {
            return false;
        }
        let address = contact.address.to_string();
        let host = contact.name.as_deref().unwrap_or(&address);
        self.sites.contains(&(host.to_owned(), contact.port))
    }

    /// The other of the two ports of a browser at the host of a site that is a seed, for no more than a browser does:
    /// sites send visitors from the one to the other.
    fn is_beside_named_site(&self, contact: &Contact) -> bool {
        let address = contact.address.to_string();
        let host = contact.name.as_deref().unwrap_or(&address);
        contact.footprint <= Clearance::L2
            && SHARED_PORTS.contains(&contact.port)
            && SHARED_PORTS.iter().any(|port| self.sites.contains(&(host.to_owned(), *port)))
    }

    /// A bucket's host, asked by its name as a browser does, in whichever region.
    fn is_bucket(&self, contact: &Contact) -> bool {
        let clearance = contact.name.as_ref().and_then(|name| self.buckets.get(&*bucket::in_no_region(name)));
        clearance.is_some_and(|clearance| *clearance >= contact.footprint) && SHARED_PORTS.contains(&contact.port)
    }
}

impl Guard for ScopeGuard {
    fn allow(&self, contact: &Contact) -> Result<(), Refused> {
        // The operator's own resolver or proxy: whom they ask for us is their matter.
        if let Grant::Operator(_) = contact.grant {
            return Ok(());
        }
        let (address, socket) = (contact.address, SocketAddr::new(contact.address, contact.port));
        if let Some(why) = self.forbids(contact.name.as_deref(), socket) {
            return Err(Refused { address, why: why.to_owned(), in_doubt: false });
        }
        if contact.grant != Grant::Target {
            return Ok(());
        }
        let view = self.view();
        view.check(contact).map_err(|why| Refused { address, why, in_doubt: false })?;
        match view.is_in_doubt(contact) {
            false => Ok(()),
            true => Err(Refused { address, why: UNANSWERED.to_owned(), in_doubt: true }),
        }
    }

    fn allow_name(&self, name: &str, grant: Grant) -> Result<(), String> {
        match grant {
            Grant::Operator(_) => Ok(()),
            Grant::Target | Grant::Source(_) | Grant::Receiver | Grant::PlainReceiver => {
                self.forbids_name(name).map_or(Ok(()), |why| Err(why.to_owned()))
            }
        }
    }

    fn allow_page(&self, page: &Url, grant: Grant) -> Result<(), String> {
        match grant {
            Grant::Operator(_) => Ok(()),
            Grant::Target | Grant::Source(_) | Grant::Receiver | Grant::PlainReceiver => self.view().allow_page(page),
        }
    }

    fn has_closed_pages(&self, host: &str, port: u16) -> bool {
        let view = self.view();
        view.never.cover_some_pages(host, port) || view.denied.cover_some_pages(host, port)
    }

    fn named(&self, address: IpAddr) -> bool {
        self.reserved.opens(address)
    }
}

#[cfg(test)]
mod tests;
