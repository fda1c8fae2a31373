//! Which contacts the file allows, and which were outside clearance.

use crate::draft::{Expect, OrgRole};
use crate::evidence;
use crate::internet::{Port, Source};
use crate::ledger::Key;
use crate::plan;
use crate::serve::Knock;
use crate::shown::Shown;
use crate::wire::SimulatedWire;
use ambit_model::workflow::SUSPICIOUS_DOMAINS;
use std::net::IpAddr;

/// Contacts with one port of one address under one name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Contact {
    /// Where.
    pub address: IpAddr,
    /// The port.
    pub port: u16,
    /// A datagram rather than a connection.
    pub datagram: bool,
    /// The name that was asked for: by SNI, by `Host`, or in a DNS question.
    pub name: Option<String>,
    /// What was asked: `tls`, `GET /path`, `dns A`; empty for a connection or datagram as such, and where nobody wanted
    /// to know.
    pub asked: String,
    /// How often.
    pub count: u64,
    /// Why it is outside clearance; empty where it is not.
    pub why: String,
}

impl SimulatedWire {
    /// Every contact that was made, sorted.
    pub fn contacts(&self) -> Vec<Contact> {
        let counts = self.ledger.counts().into_iter();
        counts.map(|(key, count)| self.judged(key, String::new(), count)).collect()
    }

    /// From now on every request is kept, for [`Self::requests`]: of a large world that is a long list.
    pub fn keep_requests(&self) {
        self.ledger.keep_requests();
    }

    /// Every contact that was made since requests are kept, by what was asked, sorted.
    pub fn requests(&self) -> Vec<Contact> {
        let counts = self.ledger.counts();
        let requests = self.ledger.requests().into_iter().map(|((key, asked), count)| {
            // A connection on which a name was asked for is judged by that name.
            let named_later = asked.is_empty() && !counts.contains_key(&key);
            let judged = self.judged(key, asked, count);
            let why = if named_later { String::new() } else { judged.why };
            Contact { why, ..judged }
        });
        requests.collect()
    }

    /// The contacts that the file forbids: with third parties, with shared servers other than by a name of ours, and
    /// with what nobody owns.
    pub fn contacts_outside_clearance(&self) -> Vec<Contact> {
        self.contacts().into_iter().filter(|contact| !contact.why.is_empty()).collect()
    }

    fn judged(&self, (to, datagram, name): Key, asked: String, count: u64) -> Contact {
        let why = self.forbids(to.ip(), to.port(), datagram, name.as_deref()).unwrap_or_default();
        Contact { address: to.ip(), port: to.port(), datagram, name, asked, count, why }
    }

    fn forbids(&self, address: IpAddr, port: u16, datagram: bool, name: Option<&str>) -> Option<String> {
        let draft = &self.internet.draft;
        let never =
            draft.expects.iter().any(|expect| matches!(expect, Expect::Never(block) if block.contains(&address)));
        if never {
            return Some("the file says never".to_owned());
        }
        let Some(org) = plan::org_of(draft, address) else {
            return Some("nobody owns this address".to_owned());
        };
        if !datagram && matches!(port, 80 | 443) && self.may_be_browsed(address, port, name) {
            return None;
        }
        let host = self.internet.hosts.get(&address);
        let web = host.and_then(|host| host.port(port));
        let browsed = matches!(port, 80 | 443) || matches!(web, Some(Port::Web(_)));
        match plan::standing(draft, org) {
            // Machines of ours may serve third parties, under whose names they are not contacted.
            OrgRole::Ours => name.filter(|name| self.is_strangers(name)).map(|name| format!("{name} is a stranger's")),
            OrgRole::Source => {
                matches!(web, Some(Port::Source(Source::Storage, _))).then(|| self.strange_bucket(name)).flatten()
            }
            OrgRole::Related if !datagram && browsed => None,
            OrgRole::Related => Some(format!("{org} is related: only what a browser does")),
            OrgRole::Vendor => self.vendor_forbids(org, address, port, datagram, name),
            OrgRole::Stranger if self.stranger_may_be_asked(address, port, datagram, name) => None,
            OrgRole::Stranger => Some(format!("{org} is a stranger")),
        }
    }

    /// Why a machine of a vendor, which serves many, may not be contacted so; `None` where it may.
    fn vendor_forbids(
        &self,
        org: &str,
        address: IpAddr,
        port: u16,
        datagram: bool,
        name: Option<&str>,
    ) -> Option<String> {
        let host = self.internet.hosts.get(&address);
        let is_web = matches!(host.and_then(|host| host.port(port)), Some(Port::Web(_)));
        let is_theirs = self.internet.draft.dedicated.contains(&address)
            && evidence::of_address(&self.internet, address) > Shown::Nothing;
        // One handshake without a name may be made with a machine that publicly has no other names than ours, to find
        // its owner.
        let is_asked_once =
            port == 443 && name.is_none() && !datagram && evidence::looks_dedicated(&self.internet, address);
        if is_theirs || is_asked_once {
            return None;
        }
        if datagram || !(matches!(port, 80 | 443) || is_web) {
            return Some(format!("{org} serves many: only its web servers, by a name of ours"));
        }
        match name {
            Some(name) if evidence::has_foreign_alias(&self.internet, name) => {
                Some(format!("an alias of {name} leads to third parties: they are only known about"))
            }
            Some(name) if self.is_ours(name) => None,
            Some(name) => Some(format!("{org} serves many, and {name} is not ours")),
            // Nothing could be asked of a port that does not answer.
            None if host.is_none_or(|host| crate::serve::knock(host, port) != Knock::Open) => None,
            None => Some(format!("{org} serves many, and no name was asked for")),
        }
    }

    /// Returns true where a stranger's machine may be asked: what was handed to them below a domain of ours may be
    /// visited by its name, until somebody shows whose it is, and nothing could be asked of a port that does not
    /// answer.
    fn stranger_may_be_asked(&self, address: IpAddr, port: u16, datagram: bool, name: Option<&str>) -> bool {
        matches!(port, 80 | 443)
            && !datagram
            && match name {
                Some(name) => self.was_ours(name),
                None => !self.is_open(address, port) && self.is_handed_to(address),
            }
    }

    /// What looks like a seed is visited as a browser does, where such are searched for: by its name, which nobody asks
    /// for at a port that does not answer.
    fn may_be_browsed(&self, address: IpAddr, port: u16, name: Option<&str>) -> bool {
        match name {
            Some(name) => self.is_searched_for(name),
            None if self.is_open(address, port) => false,
            None => {
                let mut names = self.internet.draft.names.keys().filter(|name| self.is_searched_for(name));
                names.any(|name| plan::addresses(&self.internet.draft, name).contains(&address))
            }
        }
    }

    /// At or below a zone that looks like a seed, where such are searched for.
    fn is_searched_for(&self, name: &str) -> bool {
        let zones = &self.internet.draft.zones;
        let mut above = plan::ancestors(name).filter_map(|parent| zones.get(parent));
        self.internet.workflow == SUSPICIOUS_DOMAINS && above.any(|zone| zone.look_alike)
    }

    /// At or below a zone of ours.
    fn is_ours(&self, name: &str) -> bool {
        let draft = &self.internet.draft;
        let zones = plan::ancestors(name).filter_map(|parent| draft.zones.get(parent));
        let ours = |org: &str| plan::standing(draft, org) == OrgRole::Ours;
        zones.into_iter().any(|zone| ours(&zone.org)) || plan::org_of_name(draft, name).is_some_and(ours)
    }

    /// In a zone of a stranger that lies below no seed.
    fn is_strangers(&self, name: &str) -> bool {
        let draft = &self.internet.draft;
        let org = plan::org_of_name(draft, name).map(|org| plan::standing(draft, org));
        org == Some(OrgRole::Stranger) && !evidence::is_below_seed(&self.internet, name) && !self.is_searched_for(name)
    }

    fn is_open(&self, address: IpAddr, port: u16) -> bool {
        let host = self.internet.hosts.get(&address);
        host.is_some_and(|host| crate::serve::knock(host, port) == Knock::Open)
    }

    /// A name that was handed to others leads to the address.
    fn is_handed_to(&self, address: IpAddr) -> bool {
        let draft = &self.internet.draft;
        let mut handed = draft.names.keys().filter(|name| self.was_ours(name));
        handed.any(|name| plan::addresses(draft, name).contains(&address))
    }

    /// Below a seed, in a zone that was handed to others, and led nowhere else by an alias.
    fn was_ours(&self, name: &str) -> bool {
        let internet = &self.internet;
        evidence::is_below_seed(internet, name)
            && evidence::is_handed_away(internet, name)
            && !evidence::has_foreign_alias(internet, name)
    }

    fn strange_bucket(&self, name: Option<&str>) -> Option<String> {
        let draft = &self.internet.draft;
        let name = name?;
        let bucket =
            draft.buckets.values().find(|bucket| name.split('.').next() == bucket.name.split(['.', '/']).next())?;
        let strange = plan::standing(draft, &bucket.org) == OrgRole::Stranger;
        strange.then(|| format!("the bucket {} is a stranger's", bucket.name))
    }
}
