//! How much the tasks send about one thing, and what that makes for many: task by task.

use crate::ports::PortList;
use crate::{Clearance, Kind, SkippedTasks, TaskName};
use std::collections::{BTreeMap, BTreeSet};

/// Addresses in the unit by which blocks are swept and paced: a /24.
const UNIT_ADDRESSES: u64 = 256;
/// Milliseconds that a silent address holds up its unit: two rounds of ports, each waiting for its time-out.
const SILENCE_MS: u64 = 6_000;

/// How much the tasks ask of one thing. The binary fills it: it alone knows tasks, settings and pace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Volumes {
    /// What each task sends about one thing of each sort that it examines.
    pub of_tasks: Vec<Volume>,
    /// Names that could pass for a domain or a word, of which at most so many are asked for; 0: none.
    pub names_alike_max: u64,
    /// Things that one process looks at at once.
    pub at_once: u64,
    /// Connections to one address, connections into one /24, HTTP requests to one host, questions to one name server,
    /// requests to one data provider: each a second, never 0.
    pub connections_per_address_s: u64,
    pub connections_per_block_s: u64,
    pub requests_per_host_s: u64,
    pub questions_per_server_s: u64,
    pub requests_per_provider_s: u64,
    /// Contacts of every kind together a second; `None`: no limit over all.
    pub total_s: Option<u64>,
}

/// What one task sends about one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Volume {
    pub task: TaskName,
    pub footprint: Clearance,
    pub about: About,
    pub sends: Sends,
    /// So many of what it sends.
    pub count: u64,
}

/// What a task examines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum About {
    /// A domain or another name.
    Name,
    /// A domain.
    Domain,
    /// A name that could pass for a seed.
    Alike,
    /// A site; a named host is looked at as one, too.
    Site,
    /// An address that is there.
    Address,
    /// An address of a block of any size.
    OfBlock,
    /// An address of a block of more than [`super::SMALL_BLOCK_ADDRESSES`], to find out whether it is there.
    OfLargeBlock,
    /// An address of a smaller block, likewise.
    OfSmallBlock,
    /// A seed of the kind.
    Seed(Kind),
}

/// What is sent, with which packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sends {
    /// DNS questions.
    Questions,
    /// Names that are tried below what is examined: a DNS question each.
    Tries,
    /// Connections on which nothing is said, to so many ports.
    Knocks,
    /// Connections on which something is said.
    Connections,
    /// Services over UDP that are asked for.
    Datagrams,
    /// HTTP requests to what is examined.
    Requests,
    /// HTTP requests to data providers, of which so many are asked side by side.
    Lookups { providers: u64 },
}

impl Sends {
    /// Packets that leave this machine for each, about: a handshake of TCP is two packets and its end one, one of TLS
    /// some three, and what is read is confirmed. A port that is silent or refuses gets one or two.
    fn packets(self) -> u64 {
        match self {
            Self::Questions | Self::Tries | Self::Datagrams => 1,
            Self::Knocks => 2,
            Self::Connections => 8,
            Self::Requests | Self::Lookups { .. } => 10,
        }
    }
}

impl Volumes {
    /// Returns the volumes of a collection that asks for ports of its own; without them those of the installation.
    pub fn with_ports(&self, ports: Option<&PortList>) -> Self {
        let mut volumes = self.clone();
        for volume in volumes.of_tasks.iter_mut().filter(|volume| volume.sends == Sends::Knocks) {
            volume.count = ports.map_or(volume.count, PortList::count);
        }
        volumes
    }

    /// Returns the volumes of a collection that leaves out some tasks.
    pub fn without(&self, skipped: &SkippedTasks) -> Self {
        let mut volumes = self.clone();
        volumes.of_tasks.retain(|volume| !skipped.contains(volume.task));
        if skipped.contains(TaskName::ResemblingDomains) {
            volumes.names_alike_max = 0;
        }
        volumes
    }

    /// What one thing is sent by tasks up to a level.
    pub(super) fn of_each(&self, level: Clearance, about: About, sends: Sends) -> u64 {
        let asking = self.of_tasks.iter().filter(|volume| volume.footprint <= level);
        asking.filter(|volume| (volume.about, volume.sends) == (about, sends)).map(|volume| volume.count).sum()
    }
}

/// What there is to be examined.
#[derive(Clone, Debug, Default)]
pub(super) struct Things {
    pub(super) names: u64,
    pub(super) domains: u64,
    pub(super) alike: u64,
    pub(super) sites: u64,
    pub(super) addresses: u64,
    /// Addresses of blocks, and those among them that lie in small ones.
    pub(super) swept: u64,
    pub(super) small: u64,
    pub(super) seeds: BTreeMap<Kind, u64>,
}

impl Things {
    fn count(&self, about: About) -> u64 {
        match about {
            About::Name => self.names,
            About::Domain => self.domains,
            About::Alike => self.alike,
            About::Site => self.sites,
            About::Address => self.addresses,
            About::OfBlock => self.swept,
            About::OfLargeBlock => self.swept.saturating_sub(self.small),
            About::OfSmallBlock => self.small,
            About::Seed(kind) => self.seeds.get(&kind).copied().unwrap_or(0),
        }
    }
}

/// What one task sends altogether, for what is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfTask {
    pub task: TaskName,
    /// What it examines: names (tried ones among them), addresses, sites, and seeds that are neither.
    pub names: u64,
    pub addresses: u64,
    pub sites: u64,
    pub others: u64,
    /// TCP ports of each address.
    pub ports: u64,
    pub questions: u64,
    pub connections: u64,
    pub datagrams: u64,
    pub requests: u64,
    /// HTTP requests to data providers.
    pub lookups: u64,
    /// Packets that leave this machine, about.
    pub packets: u64,
    /// About how long it takes at the polite rates, where nothing else is done meanwhile.
    pub milliseconds: u64,
}

impl OfTask {
    fn new(task: TaskName) -> Self {
        Self {
            task,
            names: 0,
            addresses: 0,
            sites: 0,
            others: 0,
            ports: 0,
            questions: 0,
            connections: 0,
            datagrams: 0,
            requests: 0,
            lookups: 0,
            packets: 0,
            milliseconds: 0,
        }
    }

    /// Adds what a volume makes for so many things. `first`: they are not counted yet for this task.
    fn add(&mut self, volume: &Volume, (things, first): (u64, bool), volumes: &Volumes) {
        let sent = things.saturating_mul(volume.count);
        let examined = match volume.about {
            _ if volume.sends == Sends::Tries => &mut self.names,
            About::Name | About::Domain | About::Alike | About::Seed(Kind::Domain) => &mut self.names,
            About::Site => &mut self.sites,
            About::Address
            | About::OfBlock
            | About::OfLargeBlock
            | About::OfSmallBlock
            | About::Seed(Kind::IpAddress) => &mut self.addresses,
            About::Seed(_) => &mut self.others,
        };
        if first {
            let seen = if volume.sends == Sends::Tries { sent } else { things };
            *examined = examined.saturating_add(seen);
        }
        let sum = match volume.sends {
            Sends::Questions | Sends::Tries => &mut self.questions,
            Sends::Knocks | Sends::Connections => &mut self.connections,
            Sends::Datagrams => &mut self.datagrams,
            Sends::Requests => &mut self.requests,
            Sends::Lookups { .. } => &mut self.lookups,
        };
        *sum = sum.saturating_add(sent);
        if volume.sends == Sends::Knocks {
            self.ports = self.ports.max(volume.count);
        }
        self.packets = self.packets.saturating_add(sent.saturating_mul(volume.sends.packets()));
        self.milliseconds = self.milliseconds.saturating_add(volumes.duration(volume, things, sent));
    }
}

impl Volumes {
    /// What each task sends about these things up to a level, most packets first; tasks that send nothing are left out.
    pub(super) fn by_task(&self, level: Clearance, things: &Things) -> Vec<OfTask> {
        let mut tasks: BTreeMap<TaskName, OfTask> = BTreeMap::new();
        let mut counted: BTreeSet<(TaskName, About)> = BTreeSet::new();
        for volume in self.of_tasks.iter().filter(|volume| volume.footprint <= level && volume.count > 0) {
            let count = things.count(volume.about);
            if count > 0 {
                let first = counted.insert((volume.task, volume.about));
                tasks.entry(volume.task).or_insert_with(|| OfTask::new(volume.task)).add(volume, (count, first), self);
            }
        }
        let mut tasks: Vec<OfTask> = tasks.into_values().collect();
        tasks.sort_by(|a, b| b.packets.cmp(&a.packets).then(a.task.as_str().cmp(b.task.as_str())));
        tasks
    }

    /// Milliseconds: many things are examined at once, each at its own rate, and never more than the rate over all
    /// lets out.
    fn duration(&self, volume: &Volume, things: u64, sent: u64) -> u64 {
        let each = |count: u64, rate: u64| count.saturating_mul(1_000).div_ceil(rate.max(1));
        let rounds = |things: u64| things.div_ceil(self.at_once.max(1));
        let units = things.div_ceil(UNIT_ADDRESSES);
        let of_unit = volume.count.saturating_mul(UNIT_ADDRESSES);
        let own = match (volume.about, volume.sends) {
            (About::OfBlock | About::OfLargeBlock | About::OfSmallBlock, Sends::Questions | Sends::Tries) => {
                rounds(units).saturating_mul(each(of_unit, self.questions_per_server_s))
            }
            (About::OfBlock | About::OfLargeBlock | About::OfSmallBlock, _) => {
                rounds(units).saturating_mul(each(of_unit, self.connections_per_block_s).saturating_add(SILENCE_MS))
            }
            // The names that are like one seed are asked of one zone's servers.
            (About::Alike, _) => each(sent, self.questions_per_server_s),
            (_, Sends::Questions | Sends::Tries) => {
                rounds(things).saturating_mul(each(volume.count, self.questions_per_server_s))
            }
            (_, Sends::Knocks | Sends::Connections | Sends::Datagrams) => {
                rounds(things).saturating_mul(each(volume.count, self.connections_per_address_s))
            }
            (_, Sends::Requests) => rounds(things).saturating_mul(each(volume.count, self.requests_per_host_s)),
            (_, Sends::Lookups { providers }) => each(sent.div_ceil(providers.max(1)), self.requests_per_provider_s),
        };
        own.max(self.total_s.map_or(0, |rate| each(sent, rate)))
    }
}
