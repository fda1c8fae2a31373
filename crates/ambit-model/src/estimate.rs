//! Estimates how much a run will send for its seeds, before anything is contacted. Pure: seeds, level, exclusions and
//! the volumes of the tasks in, counts out. The counts are bounds for the seeds; what is discovered beside them adds to
//! that.

mod volumes;

pub use volumes::{About, OfTask, Sends, Volume, Volumes};

use crate::lookalike::lookalikes_of_seed;
use crate::scope::is_never;
use crate::{Clearance, Kind};
use ipnet::IpNet;
use std::net::IpAddr;
use volumes::Things;

/// Addresses of a block above which it is swept only after a person's explicit yes: those of a /16 of IPv4, of a /112
/// of IPv6. Few organisations have more, and a slip of the keyboard (`/8` for `/18`) does.
pub const LARGE_BLOCK_ADDRESSES: u64 = 1 << 16;
/// Ports of each swept address for which that holds. Where more are asked for, fewer addresses are many.
pub const LARGE_BLOCK_PORTS: u64 = 9;
/// Addresses of the largest block that is swept at all: a /8. Larger ones are no single organisation's, and a sweep
/// would not end.
pub(crate) const SWEPT_ADDRESSES_MAX: u64 = 1 << 24;
/// Footprint of the search for names that could pass for seeds.
const ALIKE: Clearance = Clearance::L1;
/// Seeds whose look-alikes are counted; each one more is taken to have as many as are asked for at most, as counting
/// takes some milliseconds a seed.
const ALIKE_COUNTED_MAX: usize = 20;
/// A block that is swept only after a person's explicit yes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargeBlock {
    pub name: String,
    pub addresses: u64,
}

/// What is planned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Seeds by what they are. Named hosts count as names; a domain is a name too.
    pub domains: u64,
    pub names: u64,
    pub addresses: u64,
    pub blocks: u64,
    pub sites: u64,
    /// Seeds that only establish ownership, or that data providers expand.
    pub others: u64,
    /// Seeds that an exclusion covers: nothing is asked of them.
    pub excluded: Vec<String>,
    /// Addresses of blocks that are asked one by one, without excluded ones and each once.
    pub swept_addresses: u64,
    /// Blocks among them that need a yes.
    pub large_blocks: Vec<LargeBlock>,
    /// Blocks that are too large to be probed address by address, and only establish ownership.
    pub unswept_blocks: Vec<String>,
    /// For each of one thing, at the level: 0 where the level does not ask at all.
    pub ports_per_swept_address: u64,
    pub ports_per_address: u64,
    pub names_per_domain: u64,
    pub requests_per_site: u64,
    /// Names that could pass for seeds and are asked for.
    pub names_alike: u64,
    /// What each task sends for what is named, most packets first.
    pub by_task: Vec<OfTask>,
    /// Altogether: sums over the tasks. Look-ups are HTTP requests to data providers, such as registries and stores of
    /// apps; packets are those that leave this machine, about.
    pub questions: u64,
    pub connections: u64,
    pub datagrams: u64,
    pub requests: u64,
    pub lookups: u64,
    pub packets: u64,
    /// About how long that takes at the polite rates.
    pub seconds: u64,
}

/// Addresses of a block in which every address is asked for all ports before it counts as not there: behind a firewall
/// a host shows itself on its one open port alone. Our list takes some three minutes at the polite rates.
pub const SMALL_BLOCK_ADDRESSES: u64 = 256;

/// Returns the number of addresses of a block that is swept only after a yes when so many ports of each address are
/// asked; `None` for every other name.
pub fn large_block(name: &str, ports: u64) -> Option<u64> {
    let addresses = addresses_of(name.parse().ok()?)?;
    is_large(addresses, ports).then_some(addresses)
}

/// Returns true for as many probes as the usual ports of more than [`LARGE_BLOCK_ADDRESSES`] make, and for more
/// addresses than that.
fn is_large(addresses: u64, ports: u64) -> bool {
    addresses.saturating_mul(ports.max(LARGE_BLOCK_PORTS)) > LARGE_BLOCK_ADDRESSES * LARGE_BLOCK_PORTS
}

/// How many addresses a block has; `None` where they are too many to be asked one by one.
pub fn addresses_of(block: IpNet) -> Option<u64> {
    let host_bits = u32::from(block.max_prefix_len() - block.prefix_len());
    1_u64.checked_shl(host_bits).filter(|size| *size <= SWEPT_ADDRESSES_MAX)
}

/// Counts what a run of these seeds at this level (the one asked for, under the workflow's ceiling) asks.
pub fn estimate(seeds: &[(Kind, String)], ceiling: Clearance, never: &[String], volumes: &Volumes) -> Estimate {
    let mut plan = Estimate::default();
    let (mut swept, mut small, mut alike) = (Vec::new(), Vec::new(), 0);
    let mut things = Things::default();
    let ports = volumes.of_each(Clearance::L4, About::OfLargeBlock, Sends::Knocks);
    for (kind, name) in seeds {
        if is_never(name, never) {
            plan.excluded.push(name.clone());
            continue;
        }
        if matches!(kind, Kind::Domain | Kind::UniqueKeyword) && volumes.names_alike_max > 0 && ceiling >= ALIKE {
            let counted = alike < ALIKE_COUNTED_MAX;
            let all = counted.then(|| u64::try_from(lookalikes_of_seed(*kind, name).len()).unwrap_or(u64::MAX));
            plan.names_alike += all.map_or(volumes.names_alike_max, |all| all.min(volumes.names_alike_max));
            alike += 1;
        }
        match kind {
            Kind::Domain => (plan.domains, plan.names) = (plan.domains + 1, plan.names + 1),
            Kind::DnsRecord | Kind::Nameserver | Kind::Mailserver => plan.names += 1,
            Kind::AwsEC2Instance | Kind::IpAddress | Kind::NetworkService => plan.addresses += 1,
            Kind::ApiEndpoint
            | Kind::AwsS3Bucket
            | Kind::AzureStorageAccount
            | Kind::CloudStorageBucket
            | Kind::GcpStorageBucket
            | Kind::Uri => plan.sites += 1,
            Kind::NetBlock => {
                plan.blocks += 1;
                let block: Option<IpNet> = name.parse().ok();
                match block.and_then(|block| addresses_of(block).map(|addresses| (block, addresses))) {
                    Some((block, addresses)) => {
                        swept.push(block);
                        if addresses <= SMALL_BLOCK_ADDRESSES {
                            small.push(block);
                        }
                        if is_large(addresses, ports) {
                            let name = name.clone();
                            plan.large_blocks.push(LargeBlock { name, addresses });
                        }
                    }
                    None => plan.unswept_blocks.push(name.clone()),
                }
            }
            _ => plan.others += 1,
        }
        *things.seeds.entry(*kind).or_default() += 1;
    }
    plan.swept_addresses = without(&swept, never);
    things.small = without(&small, never).min(plan.swept_addresses);
    plan.sum(ceiling, things, volumes);
    plan
}

/// Addresses of blocks, each once, without those of excluded blocks and addresses.
fn without(blocks: &[IpNet], never: &[String]) -> u64 {
    let blocks = IpNet::aggregate(&blocks.to_vec());
    let read =
        |pattern: &String| pattern.parse::<IpNet>().ok().or_else(|| pattern.parse::<IpAddr>().ok().map(IpNet::from));
    let excluded: Vec<IpNet> = never.iter().filter_map(read).collect();
    let excluded = IpNet::aggregate(&excluded);
    let count = |nets: &mut dyn Iterator<Item = &IpNet>| {
        nets.filter_map(|net| addresses_of(*net)).fold(0_u64, u64::saturating_add)
    };
    let inside = |net: &&IpNet| blocks.iter().any(|block| block.contains(*net));
    // Aggregated blocks may have grown beyond what one sweep takes; two of that size still fit the number.
    let all = blocks
        .iter()
        .map(|block| 1_u64.checked_shl(u32::from(block.max_prefix_len() - block.prefix_len())).unwrap_or(u64::MAX));
    let all = all.fold(0_u64, u64::saturating_add);
    all.saturating_sub(count(&mut excluded.iter().filter(inside)))
}

impl Estimate {
    /// `things`: seeds by kind, and how many of the swept addresses are asked for all ports.
    fn sum(&mut self, ceiling: Clearance, things: Things, volumes: &Volumes) {
        let each = |about: About, sends: Sends| volumes.of_each(ceiling, about, sends);
        self.ports_per_address = each(About::Address, Sends::Knocks);
        let swept = if things.small > 0 { About::OfSmallBlock } else { About::OfLargeBlock };
        self.ports_per_swept_address = each(swept, Sends::Knocks);
        self.names_per_domain = each(About::Domain, Sends::Tries);
        self.requests_per_site = each(About::Site, Sends::Requests);
        let things = Things {
            names: self.names,
            domains: self.domains,
            alike: self.names_alike,
            // A named host is looked at as a site as well.
            sites: self.sites.saturating_add(self.names),
            addresses: self.addresses,
            swept: self.swept_addresses,
            ..things
        };
        self.by_task = volumes.by_task(ceiling, &things);
        let all = |count: fn(&OfTask) -> u64| self.by_task.iter().map(count).fold(0, u64::saturating_add);
        (self.questions, self.connections) = (all(|task| task.questions), all(|task| task.connections));
        (self.datagrams, self.requests) = (all(|task| task.datagrams), all(|task| task.requests));
        (self.lookups, self.packets) = (all(|task| task.lookups), all(|task| task.packets));
        // Quiet work goes before loud work.
        self.seconds = all(|task| task.milliseconds).div_ceil(1_000);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::PortList;
    use crate::{SkippedTasks, TaskName};

    fn volumes() -> Volumes {
        let of = |task, footprint, about, sends, count| Volume { task, footprint, about, sends, count };
        let (l1, l2, l3) = (Clearance::L1, Clearance::L2, Clearance::L3);
        let lookups = Sends::Lookups { providers: 1 };
        Volumes {
            of_tasks: vec![
                of(TaskName::Resolve, l1, About::Name, Sends::Questions, 10),
                of(TaskName::ZoneTransfer, l3, About::Name, Sends::Questions, 5),
                of(TaskName::HttpProbe, l2, About::Site, Sends::Requests, 8),
                of(TaskName::ContentFocus, l3, About::Site, Sends::Requests, 92),
                of(TaskName::AppStore, l1, About::Seed(Kind::AndroidApp), lookups, 2),
                of(TaskName::NameSweep, l3, About::Domain, Sends::Tries, 2_000),
                of(TaskName::ResemblingDomains, l1, About::Alike, Sends::Questions, 1),
                of(TaskName::PtrSweep, l1, About::OfBlock, Sends::Questions, 1),
                of(TaskName::PortSweep, l3, About::Address, Sends::Knocks, 200),
                of(TaskName::UdpSweep, l3, About::Address, Sends::Datagrams, 15),
                of(TaskName::BlockSweep, l3, About::OfLargeBlock, Sends::Knocks, 9),
                of(TaskName::BlockSweep, l3, About::OfSmallBlock, Sends::Knocks, 200),
                of(TaskName::BlockSweep, l3, About::OfSmallBlock, Sends::Datagrams, 15),
            ],
            names_alike_max: 0,
            at_once: 256,
            connections_per_address_s: 50,
            connections_per_block_s: 300,
            requests_per_host_s: 10,
            questions_per_server_s: 100,
            requests_per_provider_s: 2,
            total_s: None,
        }
    }

    fn plan(seeds: &[(Kind, &str)], ceiling: Clearance, never: &[&str]) -> Estimate {
        let seeds: Vec<(Kind, String)> = seeds.iter().map(|(kind, name)| (*kind, (*name).to_owned())).collect();
        let never: Vec<String> = never.iter().map(|pattern| (*pattern).to_owned()).collect();
        estimate(&seeds, ceiling, &never, &volumes())
    }

    #[test]
    fn a_block_and_one_host_do_not_read_alike() {
        let large = plan(&[(Kind::NetBlock, "10.0.0.0/8")], Clearance::L3, &[]);
        assert_eq!((large.swept_addresses, large.connections), (1 << 24, 9 << 24));
        let named = LargeBlock { name: "10.0.0.0/8".to_owned(), addresses: 1 << 24 };
        assert_eq!(large.large_blocks, [named]);
        assert!(large.seconds > 3_600, "{} s", large.seconds);
        let host = plan(&[(Kind::IpAddress, "10.1.2.3")], Clearance::L3, &[]);
        assert_eq!((host.swept_addresses, host.connections, host.datagrams, host.seconds), (0, 200, 15, 5));
    }

    #[test]
    fn what_stores_are_asked_about_an_app_is_counted() {
        let seeds = [(Kind::AndroidApp, "test.acme.shop"), (Kind::AndroidApp, "test.acme.pay"), (Kind::IosApp, "a.b")];
        let of = |level| (plan(&seeds, level, &[]).lookups, plan(&seeds, level, &[]).others);
        assert_eq!((of(Clearance::L0), of(Clearance::L2)), ((0, 3), (4, 3)));
        assert_eq!(plan(&seeds, Clearance::L2, &["test.acme.shop"]).lookups, 2, "one is excluded");
    }

    #[test]
    fn the_level_bounds_what_is_asked() {
        let seeds = [(Kind::Domain, "acme.test"), (Kind::Uri, "https://acme.test:443")];
        let of = |level| {
            let plan = plan(&seeds, level, &[]);
            (plan.questions, plan.requests, plan.connections, plan.names_per_domain, plan.requests_per_site)
        };
        assert_eq!(of(Clearance::L0), (0, 0, 0, 0, 0));
        assert_eq!(of(Clearance::L1), (10, 0, 0, 0, 0));
        assert_eq!(of(Clearance::L2), (10, 16, 0, 0, 8));
        assert_eq!(of(Clearance::L3), (2_015, 200, 0, 2_000, 100));
    }

    #[test]
    fn names_that_pass_for_a_seed_are_counted_as_they_are_asked_for() {
        let of = |seeds: &[(Kind, &str)], level, most| {
            let seeds: Vec<(Kind, String)> = seeds.iter().map(|(kind, name)| (*kind, (*name).to_owned())).collect();
            let mut volumes = Volumes { names_alike_max: most, ..volumes() };
            volumes.of_tasks.retain(|volume| volume.about == About::Alike);
            let plan = estimate(&seeds, level, &[], &volumes);
            (plan.questions, plan.seconds >= plan.names_alike / 100)
        };
        let count = |kind, name: &str| u64::try_from(lookalikes_of_seed(kind, name).len()).unwrap();
        let (domain, word) = (count(Kind::Domain, "acme.test"), count(Kind::UniqueKeyword, "acme"));
        let seeds = [(Kind::Domain, "acme.test"), (Kind::UniqueKeyword, "acme")];
        assert_eq!(of(&seeds, Clearance::L2, u64::MAX), (domain + word, true));
        assert_eq!(of(&seeds, Clearance::L2, 500), (1_000, true));
        assert_eq!(of(&seeds, Clearance::L0, 500), (0, true));
        assert_eq!(of(&seeds, Clearance::L2, 0), (0, true));
        assert_eq!(of(&[(Kind::IpAddress, "192.0.2.1")], Clearance::L2, 500), (0, true));
        let many = vec![(Kind::UniqueKeyword, "acme"); ALIKE_COUNTED_MAX + 3];
        let counted = u64::try_from(ALIKE_COUNTED_MAX).unwrap() * word;
        assert_eq!(of(&many, Clearance::L2, 100_000), (counted + 300_000, true), "counting all of them takes too long");
    }

    #[test]
    fn what_is_excluded_or_named_twice_is_not_counted() {
        let seeds = [(Kind::NetBlock, "192.0.2.0/24"), (Kind::NetBlock, "192.0.2.0/25"), (Kind::Domain, "pay.test")];
        let plan = plan(&seeds, Clearance::L3, &["192.0.2.128/25", "192.0.2.7", "203.0.113.0/24", "pay.test"]);
        assert_eq!((plan.swept_addresses, plan.blocks, plan.domains), (127, 2, 0));
        assert_eq!(plan.excluded, ["pay.test"]);
        assert_eq!(plan.questions, 127, "reverse names");
    }

    #[test]
    fn blocks_are_swept_at_once_after_a_yes_or_never() {
        for (name, large, swept) in [
            ("198.18.0.0/16", None, 1 << 16),
            ("198.18.0.0/15", Some(1 << 17), 1 << 17),
            ("2001:db8::/112", None, 1 << 16),
            ("2001:db8::/111", Some(1 << 17), 1 << 17),
            ("8.0.0.0/7", None, 0),
            ("2001:db8::/32", None, 0),
            ("::/0", None, 0),
            ("acme.test", None, 0),
        ] {
            assert_eq!(large_block(name, 9), large, "{name}");
            let plan = plan(&[(Kind::NetBlock, name)], Clearance::L3, &[]);
            assert_eq!(plan.swept_addresses, swept, "{name}");
            assert_eq!(plan.unswept_blocks.len(), usize::from(swept == 0), "{name}");
        }
    }

    #[test]
    fn what_is_sent_is_told_task_by_task() {
        let seeds = [
            (Kind::Domain, "acme.test"),
            (Kind::NetBlock, "192.0.2.0/24"),
            (Kind::NetBlock, "198.18.0.0/16"),
            (Kind::IpAddress, "203.0.113.7"),
        ];
        let plan = plan(&seeds, Clearance::L3, &[]);
        let of = |name: TaskName| plan.by_task.iter().find(|task| task.task == name).expect("is planned");
        let blocks = of(TaskName::BlockSweep);
        assert_eq!((blocks.addresses, blocks.ports, blocks.datagrams), (65_536 + 256, 200, 256 * 15));
        assert_eq!((blocks.connections, blocks.questions), (65_536 * 9 + 256 * 200, 0));
        let words = of(TaskName::NameSweep);
        assert_eq!((words.names, words.questions, words.packets), (2_000, 2_000, 2_000));
        assert_eq!(words.milliseconds, 20_000, "by 100 questions a second");
        let datagrams = of(TaskName::UdpSweep);
        assert_eq!((datagrams.addresses, datagrams.datagrams, datagrams.packets), (1, 15, 15));
        assert_eq!(of(TaskName::HttpProbe).sites, 1, "a named host is looked at as a site");
        assert!(!plan.by_task.iter().any(|task| task.task == TaskName::AppStore), "nothing is asked of stores");
        // The sums are those of the tasks, and the loudest is in front.
        let sum = |count: fn(&OfTask) -> u64| plan.by_task.iter().map(count).sum::<u64>();
        assert_eq!((plan.questions, plan.connections), (sum(|task| task.questions), sum(|task| task.connections)));
        assert_eq!((plan.datagrams, plan.requests), (sum(|task| task.datagrams), sum(|task| task.requests)));
        assert_eq!((plan.lookups, plan.packets), (sum(|task| task.lookups), sum(|task| task.packets)));
        assert_eq!(plan.seconds, sum(|task| task.milliseconds).div_ceil(1_000));
        assert_eq!(plan.by_task[0].task, TaskName::BlockSweep);
        assert!(plan.by_task.is_sorted_by_key(|task| std::cmp::Reverse(task.packets)));
    }

    #[test]
    fn providers_that_are_asked_side_by_side_take_as_long_as_one() {
        let of = |providers| {
            let (task, about) = (TaskName::NameSources, About::Seed(Kind::Domain));
            let sends = Sends::Lookups { providers };
            let volume = Volume { task, footprint: Clearance::L1, about, sends, count: 100 };
            let volumes = Volumes { of_tasks: vec![volume], ..volumes() };
            estimate(&[(Kind::Domain, "acme.test".to_owned())], Clearance::L1, &[], &volumes)
        };
        assert_eq!((of(1).lookups, of(1).seconds, of(20).lookups, of(20).seconds), (100, 50, 100, 3));
    }

    #[test]
    fn tasks_that_are_left_out_ask_nothing() {
        let seeds = [(Kind::Domain, "acme.test".to_owned()), (Kind::NetBlock, "192.0.2.0/24".to_owned())];
        let of = |skipped: &str| {
            let skipped: SkippedTasks = skipped.parse().unwrap();
            let plan = estimate(&seeds, Clearance::L3, &[], &volumes().without(&skipped));
            (plan.connections, plan.requests_per_site, plan.names_per_domain)
        };
        let all = of("");
        assert_eq!(of("udp_sweep"), all);
        assert_eq!(of("ptr_sweep"), all);
        assert_eq!(of("content_focus"), (all.0, 8, all.2));
        assert_eq!(of("port_sweep,block_sweep,name_sweep"), (0, all.1, 0));
    }

    #[test]
    fn ports_that_a_collection_asks_for_are_counted() {
        let seeds = [(Kind::NetBlock, "192.0.2.0/24".to_owned()), (Kind::IpAddress, "203.0.113.7".to_owned())];
        let of = |ports: &str| {
            let asked: PortList = ports.parse().unwrap();
            let plan = estimate(&seeds, Clearance::L3, &[], &volumes().with_ports(Some(&asked)));
            (plan.connections, plan.large_blocks.len())
        };
        assert_eq!(of("80,8000-8099"), (257 * 101, 0));
        assert_eq!(of("1-2304"), (257 * 2_304, 0), "as many probes as nine ports of 65,536 addresses");
        assert_eq!(of("1-2305"), (257 * 2_305, 1));
        assert_eq!(of("all"), (257 * 65_535, 1));
        assert_eq!(large_block("198.18.0.0/15", 1), Some(1 << 17), "many addresses are many with one port as well");
        assert_eq!(volumes().with_ports(None), volumes());
    }

    #[test]
    fn a_rate_over_all_makes_it_longer_and_never_shorter() {
        let seeds = [(Kind::NetBlock, "198.18.0.0/16".to_owned())];
        let free = estimate(&seeds, Clearance::L3, &[], &volumes());
        let slow = Volumes { total_s: Some(100), ..volumes() };
        let slow = estimate(&seeds, Clearance::L3, &[], &slow);
        assert!(slow.seconds == (slow.questions + slow.connections).div_ceil(100) && slow.seconds > free.seconds);
        let fast = Volumes { total_s: Some(1_000_000), ..volumes() };
        assert_eq!(estimate(&seeds, Clearance::L3, &[], &fast).seconds, free.seconds);
    }
}
