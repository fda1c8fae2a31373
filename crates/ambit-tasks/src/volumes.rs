//! How much the tasks ask of one thing, for plans that people see before anything is contacted. Read off the table of
//! tasks, so that a new one counts.

use crate::read::datagram::QUESTIONS;
use crate::tasks::{app_store, name_sources, resembling_domains};
use crate::{ALL, Contacts, Settings, Task};
use ambit_model::estimate::{About, SMALL_BLOCK_ADDRESSES, Sends, Volume, Volumes};
use ambit_model::{Kind, TaskName};

/// Tasks that speak something else than HTTP to addresses.
const SPEAK_OTHERWISE: [TaskName; 4] =
    [TaskName::Jarm, TaskName::OpenResolver, TaskName::ServiceIdentify, TaskName::TlsGrab];

/// The counts of the tasks. How fast they ask is the network's: those members are left at 0.
pub fn volumes(settings: &Settings) -> Volumes {
    Volumes {
        of_tasks: ALL.iter().flat_map(|task| of_task(task, settings)).collect(),
        names_alike_max: u64::try_from(resembling_domains::SPACE).unwrap_or(0),
        ..Volumes::default()
    }
    .without(&settings.skipped)
}

/// What one task sends about one thing of each sort that it examines.
fn of_task(task: &Task, settings: &Settings) -> Vec<Volume> {
    let volumes = match task.name {
        TaskName::NameSweep => vec![(About::Domain, Sends::Tries, settings.words.len())],
        TaskName::ResemblingDomains => vec![(About::Alike, Sends::Questions, 1)],
        TaskName::PtrSweep => vec![(About::OfBlock, Sends::Questions, 1)],
        TaskName::PortSweep => vec![(About::Address, Sends::Knocks, settings.ports.len())],
        TaskName::UdpSweep => vec![(About::Address, Sends::Datagrams, QUESTIONS.len())],
        TaskName::BlockSweep => {
            let (large, small) = (SMALL_BLOCK_ADDRESSES + 1, SMALL_BLOCK_ADDRESSES);
            vec![
                (About::OfLargeBlock, Sends::Knocks, settings.ports_of_block(large).len()),
                (About::OfSmallBlock, Sends::Knocks, settings.ports_of_block(small).len()),
                (About::OfSmallBlock, Sends::Datagrams, QUESTIONS.len()),
            ]
        }
        TaskName::Screenshot if settings.browser.is_none() => Vec::new(),
        _ => usual(task, settings),
    };
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let (name, footprint) = (task.name, task.footprint);
    let volume = |(about, sends, number)| Volume { task: name, footprint, about, sends, count: count(number) };
    volumes.into_iter().map(volume).collect()
}

/// What a task sends that asks as much as it costs of each thing.
fn usual(task: &Task, settings: &Settings) -> Vec<(About, Sends, usize)> {
    let cost = usize::try_from(task.cost).unwrap_or(0);
    let watches = |kind: Kind| task.watches.contains(&kind);
    // What is asked of every name is asked of a domain, too.
    let names =
        if watches(Kind::DnsRecord) { Some(About::Name) } else { watches(Kind::Domain).then_some(About::Domain) };
    let addresses = watches(Kind::IpAddress).then_some(About::Address);
    match task.contacts {
        Contacts::Nothing => Vec::new(),
        Contacts::Zone => names.into_iter().chain(addresses).map(|about| (about, Sends::Questions, cost)).collect(),
        Contacts::Address if watches(Kind::Uri) => vec![(About::Site, Sends::Requests, cost)],
        Contacts::Address => {
            let sends = if SPEAK_OTHERWISE.contains(&task.name) { Sends::Connections } else { Sends::Requests };
            let services = watches(Kind::NetworkService).then_some(About::Seed(Kind::NetworkService));
            let buckets = watches(Kind::CloudStorageBucket).then_some(About::Seed(Kind::CloudStorageBucket));
            let things = names.into_iter().chain(addresses).chain(services).chain(buckets);
            things.map(|about| (about, sends, cost)).collect()
        }
        Contacts::Provider(_) | Contacts::Source => {
            let of_kind = |kind: &Kind| {
                let (providers, count) = match task.name {
                    TaskName::AppStore => (1, app_store::stores_of(*kind).count()),
                    TaskName::NameSources => {
                        let sources = name_sources::sources(settings).count();
                        (sources, sources.saturating_mul(cost))
                    }
                    _ => (1, cost),
                };
                let providers = u64::try_from(providers).unwrap_or(1);
                (About::Seed(*kind), Sends::Lookups { providers }, count)
            };
            task.watches.iter().map(of_kind).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::Clearance;

    #[test]
    fn every_volume_has_tasks_behind_it_at_the_level_that_asks() {
        let volumes = volumes(&Settings::default());
        let of = |about: About| volumes.of_tasks.iter().filter(move |volume| volume.about == about);
        let count = |task: TaskName, about: About, sends: Sends| {
            let found = of(about).find(|volume| volume.task == task && volume.sends == sends);
            found.map_or(0, |volume| volume.count)
        };
        assert!(count(TaskName::NameSweep, About::Domain, Sends::Tries) > 1_000);
        assert!(count(TaskName::PortSweep, About::Address, Sends::Knocks) > 100);
        assert_eq!(count(TaskName::BlockSweep, About::OfLargeBlock, Sends::Knocks), 9);
        assert!(count(TaskName::BlockSweep, About::OfSmallBlock, Sends::Knocks) > 100);
        let datagrams = count(TaskName::UdpSweep, About::Address, Sends::Datagrams);
        assert!(datagrams > 10);
        assert_eq!(count(TaskName::BlockSweep, About::OfSmallBlock, Sends::Datagrams), datagrams);
        assert_eq!(count(TaskName::PtrSweep, About::OfBlock, Sends::Questions), 1);
        let least = |about: About| of(about).map(|volume| volume.footprint).min();
        assert_eq!(least(About::Name), Some(Clearance::L1));
        assert_eq!(least(About::Site), Some(Clearance::L2));
        assert_eq!((volumes.names_alike_max, of(About::Alike).count()), (10_000, 1));
        assert!(!of(About::Name).any(|volume| volume.task == TaskName::NameSweep), "a sweep is counted for itself");
    }

    #[test]
    fn what_data_providers_are_asked_is_counted() {
        let settings = Settings::default();
        let volumes = volumes(&settings);
        let of = |task: TaskName, kind: Kind| {
            let of_seed =
                volumes.of_tasks.iter().find(|volume| (volume.task, volume.about) == (task, About::Seed(kind)));
            of_seed.map_or((Sends::Questions, 0), |volume| (volume.sends, volume.count))
        };
        let one = Sends::Lookups { providers: 1 };
        assert_eq!(of(TaskName::AppStore, Kind::AndroidApp), (one, 2));
        assert_eq!(of(TaskName::AppStore, Kind::IosApp), (one, 1));
        assert_eq!(of(TaskName::Registration, Kind::Domain), (one, 3));
        assert_eq!(of(TaskName::Registration, Kind::IpAddress), (one, 3));
        assert_eq!(of(TaskName::CertificateLog, Kind::Domain), (one, 5));
        let sources = u64::try_from(name_sources::sources(&settings).count()).unwrap();
        assert!(sources > 10);
        assert_eq!(of(TaskName::NameSources, Kind::Domain), (Sends::Lookups { providers: sources }, 5 * sources));
    }

    #[test]
    fn every_task_that_examines_seeds_is_counted() {
        // What is examined is no seed, or is seldom one; or a browser is needed.
        let later = ["certificate_names", "reverse_walk", "screenshot"];
        let volumes = volumes(&Settings::default());
        let counted = |task: &Task| volumes.of_tasks.iter().any(|volume| volume.task == task.name && volume.count > 0);
        let silent = ALL.iter().filter(|task| task.contacts != Contacts::Nothing && !counted(task));
        let silent: Vec<&str> = silent.map(|task| task.name.as_str()).collect();
        assert_eq!(silent, later);
    }
}
