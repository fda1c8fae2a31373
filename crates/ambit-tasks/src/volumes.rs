//! How much the tasks ask of one thing, for plans that people see before anything is contacted. Read off the table of
//! tasks, so that a new one counts.

use crate::tasks::{app_store, name_sweep, resembling_domains};
use crate::{ALL, Contacts, Settings, Task};
use ambit_model::estimate::Volumes;
use ambit_model::{Clearance, Kind, TaskName};

/// The counts of the tasks. How fast they ask is the network's: those members are left at 0.
pub fn volumes(settings: &Settings) -> Volumes {
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    // Names that are tried are counted for themselves.
    let counted = [name_sweep::TASK.name, resembling_domains::TASK.name];
    let asks_names = |task: &Task| {
        task.watches.contains(&Kind::Domain) && task.contacts == Contacts::Zone && !counted.contains(&task.name)
    };
    let asks_sites = |task: &Task| task.watches.contains(&Kind::Uri) && task.contacts == Contacts::Address;
    Volumes {
        questions_per_name: costs(asks_names),
        requests_per_site: costs(asks_sites),
        requests_per_seed: Kind::APPS.iter().map(|kind| of_stores(*kind)).collect(),
        names_per_domain: count(settings.words.len()),
        names_alike_max: u64::try_from(resembling_domains::SPACE).unwrap_or(0),
        ports_per_address: count(settings.ports.len()),
        ports_per_swept_address: count(settings.swept_ports.len()),
        ..Volumes::default()
    }
    .without(&settings.skipped)
}

/// What stores of apps are asked about an app of a kind.
fn of_stores(kind: Kind) -> (TaskName, Clearance, Kind, u64) {
    let stores = u64::try_from(app_store::stores_of(kind).count()).unwrap_or(0);
    (app_store::TASK.name, app_store::TASK.footprint, kind, stores)
}

/// Name, footprint and cost of some tasks.
fn costs(is_meant: impl Fn(&Task) -> bool) -> Vec<(TaskName, Clearance, u64)> {
    let meant = ALL.iter().filter(|task| is_meant(task));
    meant.map(|task| (task.name, task.footprint, u64::try_from(task.cost).unwrap_or(0))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_volume_has_tasks_behind_it_at_the_level_that_asks() {
        let volumes = volumes(&Settings::default());
        assert!(
            volumes.names_per_domain > 1_000 && volumes.ports_per_address > 100 && volumes.ports_per_swept_address == 9
        );
        let least = |parts: &[(TaskName, Clearance, u64)]| parts.iter().map(|(_, footprint, _)| *footprint).min();
        assert_eq!(least(&volumes.questions_per_name), Some(Clearance::L1));
        assert_eq!(least(&volumes.requests_per_site), Some(Clearance::L2));
        assert_eq!(volumes.names_alike_max, 10_000);
        let stores: Vec<_> = volumes.requests_per_seed.iter().map(|(.., kind, count)| (*kind, *count)).collect();
        assert_eq!(stores, [(Kind::AndroidApp, 2), (Kind::IosApp, 1)]);
        let of_sweeps = |(task, ..): &(TaskName, Clearance, u64)| *task == TaskName::ResemblingDomains;
        assert!(!volumes.questions_per_name.iter().any(of_sweeps), "a sweep is counted for itself");
    }
}
