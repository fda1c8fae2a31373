//! DNS as the product needs it: questions and answers with everything that discovery reads in them. The engine that
//! asks them lies in the folder: datagrams with many questions in flight, TCP where an answer is cut, a cache per run,
//! wildcard sampling, zone transfers.

mod record;

mod addresses;
pub(crate) mod cache;
mod lanes;
pub(crate) mod message;
pub(crate) mod resolver;
mod service;
mod steps;
mod text;
pub(crate) mod transfer;
mod wildcard;
mod window;

pub use record::{Record, RecordData, RecordType};
pub use service::ServiceBinding;
pub use text::{label_bytes, label_text};

use crate::limits::DNS_CHAIN_MAX;
use std::fmt;
use std::net::{IpAddr, SocketAddr};

/// A DNS response code, as its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rcode(pub u16);

impl Rcode {
    /// The question was answered (perhaps with no record: NODATA).
    pub const NOERROR: Self = Self(0);
    /// The server did not understand the question.
    pub(crate) const FORMERR: Self = Self(1);
    /// The server failed.
    pub const SERVFAIL: Self = Self(2);
    /// The name does not exist.
    pub const NXDOMAIN: Self = Self(3);
    /// The server does not do that.
    pub const NOTIMP: Self = Self(4);
    /// The server does not want to answer.
    pub const REFUSED: Self = Self(5);
}

impl fmt::Display for Rcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
            0 => "NOERROR",
            1 => "FORMERR",
            2 => "SERVFAIL",
            3 => "NXDOMAIN",
            4 => "NOTIMP",
            5 => "REFUSED",
            9 => "NOTAUTH",
            number => return write!(f, "RCODE{number}"),
        };
        f.write_str(name)
    }
}

/// An answer: records, or the word of the server that there is none. Failures are [`crate::NetError`]s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DnsAnswer {
    /// The name asked for, lower case, without the dot at the end.
    pub name: String,
    /// The type asked for.
    pub rtype: RecordType,
    /// NOERROR or NXDOMAIN; of the end of the chain, where there is one.
    pub rcode: Rcode,
    /// The aliases from the name on, in order.
    pub chain: Vec<Alias>,
    /// DNAME records of the answer: all names below the first name of each are called otherwise.
    pub renamings: Vec<Alias>,
    /// The chain does not end: a loop, or more than `DNS_CHAIN_MAX` aliases.
    pub endless: bool,
    /// Records of the type at the end of the chain, sorted, without doubles.
    pub records: Vec<Record>,
    /// More records came than `DNS_RECORDS_MAX`.
    pub cut: bool,
    /// The start of authority that a negative answer names.
    pub authority: Option<Record>,
    /// NS records of the authority section: the delegation that a server without the zone points to.
    pub referral: Vec<Record>,
    /// More of these came than `DNS_RECORDS_MAX`.
    pub referral_cut: bool,
    /// NSEC and NSEC3 records of the authority section: which names there are not, where that was asked for.
    pub denial: Vec<Record>,
    /// The answering server is authoritative for the name.
    pub authoritative: bool,
    /// Seconds for which the answer holds.
    pub ttl: u32,
    /// Who answered.
    pub server: SocketAddr,
}

impl DnsAnswer {
    /// The name does not exist (at the end of its chain).
    pub fn is_nxdomain(&self) -> bool {
        self.rcode == Rcode::NXDOMAIN
    }

    /// The first alias of the chain that somebody made. Those that a DNAME record makes are there for every name below
    /// it, also for names that nobody has.
    pub fn own_alias(&self) -> Option<&Alias> {
        self.chain.iter().find(|alias| !self.renames(&alias.name))
    }

    /// The name stands below a DNAME record.
    pub fn is_renamed(&self) -> bool {
        self.renames(&self.name)
    }

    /// Goes on by an alias. False where that leads back, or the chain is too long: then it has no end.
    pub(crate) fn follow(&mut self, alias: Alias) -> bool {
        let again = alias.target == self.name || self.chain.iter().any(|seen| seen.target == alias.target);
        self.endless = again || self.chain.len() == DNS_CHAIN_MAX;
        if !self.endless {
            self.chain.push(alias);
        }
        !self.endless
    }

    fn renames(&self, name: &str) -> bool {
        let is_below = |owner: &str| name.strip_suffix(owner).is_some_and(|front| front.ends_with('.'));
        self.renamings.iter().any(|renaming| is_below(&renaming.name))
    }

    /// There is no record of the type, for whichever reason.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Addresses among the records.
    pub fn addresses(&self) -> impl Iterator<Item = IpAddr> + '_ {
        self.records.iter().filter_map(|record| record.data.address())
    }

    /// The name at the end of the chain.
    pub fn canonical_name(&self) -> &str {
        self.chain.last().map_or(&self.name, |alias| &alias.target)
    }
}

/// One alias of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The alias.
    pub name: String,
    /// Where it leads.
    pub target: String,
    /// Seconds.
    pub ttl: u32,
}

/// How a zone transfer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// The server gave the zone.
    Given {
        /// Records as they came, the start of authority first.
        records: Vec<Record>,
        /// Why the rest did not come; `None` where the closing start of authority was seen.
        unfinished: Option<Unfinished>,
    },
    /// The server does not give it: an answer.
    Denied(Rcode),
}

/// Why the rest of a zone did not come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// The server, or the way to it, broke off.
    BrokeOff,
    /// No more was read than this limit allows.
    Limit(String),
}

/// The wildcard profile of a level: what random names below it are answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WildcardProfile {
    /// The level: random labels were put in front of it.
    pub level: String,
    /// The type asked for.
    pub rtype: RecordType,
    /// Every value seen, in canonical text, sorted: record data, and targets of aliases as `CNAME <target>`. Empty: no
    /// wildcard.
    pub values: Vec<String>,
    /// Random names asked.
    pub samples: usize,
    /// The sampling ended because nothing new came, not because of its limit.
    pub complete: bool,
}

impl WildcardProfile {
    /// Returns true if there is a wildcard at this level.
    pub fn is_wildcard(&self) -> bool {
        !self.values.is_empty()
    }

    /// Returns whether this answer could come from the wildcard: each of its values was seen in answers to random
    /// names, or the set is not complete and shares a value.
    pub fn explains(&self, answer: &DnsAnswer) -> bool {
        let values = answer_values(answer);
        let known = |value: &String| self.values.binary_search(value).is_ok();
        !values.is_empty() && if self.complete { values.iter().all(known) } else { values.iter().any(known) }
    }
}

/// The values by which wildcard answers are compared: the first alias that somebody made if there is one (what the
/// wildcard itself says), else the records' data.
pub fn answer_values(answer: &DnsAnswer) -> Vec<String> {
    let mut values: Vec<String> = match answer.own_alias() {
        Some(alias) => vec![format!("CNAME {}", alias.target)],
        None => answer.records.iter().map(|record| record.data.to_string()).collect(),
    };
    values.sort();
    values.dedup();
    values
}
