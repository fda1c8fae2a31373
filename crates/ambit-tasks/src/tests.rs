//! What holds for every task: registered, one owner per member, and an owner for every member of the contract.

mod exposed;
mod let_in;
mod signed_in;
mod walk;
mod zone;

use super::*;
use ambit_model::entity::imported;
use ambit_model::scope::Decision;
use ambit_model::seeds::Seeds;
use ambit_model::{Clearance, Details, Facts, Kind, TaskName, Uid, Wave, workflow};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Facts of an entity of which nothing is known but these members; the seed is `acme.test`.
pub(crate) fn facts(kind: Kind, name: &str, details: serde_json::Value) -> Facts {
    Facts {
        uid: Uid::from_bytes([7; 32]),
        kind,
        name: name.to_owned(),
        seed: false,
        present: true,
        decision: Decision::unreached(),
        details: details.as_object().cloned().unwrap_or_else(Details::new),
        probes: BTreeMap::new(),
        inward: Vec::new(),
        outward: Vec::new(),
        seeds: Arc::new(Seeds::from_iter([(Kind::Domain, "acme.test".to_owned())])),
        vulnerabilities: None,
        maintained: Vec::new(),
    }
}

#[test]
fn every_file_is_registered() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tasks");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    let tasks: BTreeSet<String> = ALL.iter().map(|task| task.name.to_string()).collect();
    assert_eq!(files, tasks, "each file in tasks/ is a task of its name in ALL");
    assert!(ALL.iter().map(|task| &task.name).eq(TaskName::ALL), "ALL has every name of a task, in alphabetical order");
}

#[test]
fn volatile_members_are_the_tasks_own() {
    for task in ALL {
        for member in task.volatile {
            let is_own = Kind::ALL.iter().any(|kind| kind.owner(member) == Some(task.name));
            assert!(is_own, "{}: no kind says that the volatile {member} is its member", task.name);
        }
    }
}

#[test]
fn what_an_account_names_is_looked_at_by_all_that_discovery_has() {
    for task in ALL.iter().filter(|task| task.workflows.contains(&workflow::EXTERNAL_DISCOVERY)) {
        let name = task.name;
        assert!(
            task.workflows.contains(&workflow::CLOUD_ACCOUNTS),
            "{name} belongs to EXTERNAL_DISCOVERY: add CLOUD_ACCOUNTS to its workflows"
        );
    }
}

/// Members of the contract that no task observes: a person's flags, and what needs an upload.
const NOT_OBSERVED: &[&str] = &["exfil_lookup_identifier"];

#[test]
fn nothing_loud_is_contacted_before_what_is_quiet_has_decided_scope() {
    for task in ALL {
        let usual = Wave::of(task.footprint);
        let early = task.wave < usual;
        let asks_names = task.contacts == Contacts::Zone;
        assert!(!early || asks_names || task.wave >= Wave::Sweeps, "{}: {:?} before {usual:?}", task.name, task.wave);
        assert!(
            task.footprint < Clearance::L2 || task.wave > Wave::Passive,
            "{} goes beside what is passive",
            task.name
        );
    }
}

#[test]
fn every_member_of_a_site_and_an_address_has_an_owner() {
    for kind in [Kind::Uri, Kind::IpAddress] {
        let orphans: Vec<&str> =
            kind.members().filter(|member| kind.owner(member).is_none() && !NOT_OBSERVED.contains(member)).collect();
        assert!(orphans.is_empty(), "{}: {orphans:?}", kind.name());
    }
}

#[test]
fn a_workflow_has_the_tasks_that_name_it() {
    for workflow in workflow::ALL {
        let tasks: Vec<&Task> = ALL.iter().copied().filter(|task| task.workflows.contains(workflow)).collect();
        assert!(!tasks.is_empty(), "{} would look at nothing", workflow.name);
        for task in &tasks {
            assert!(task.footprint <= workflow.ceiling, "{} of {} could never run", task.name, workflow.name);
        }
        for kind in workflow.seeds.iter().filter(|kind| !imported::is_account(**kind)) {
            assert!(tasks.iter().any(|task| task.watches.contains(kind)), "{}: {}", workflow.name, kind.name());
        }
        let outside = outside(workflow.name);
        assert!(ALL.iter().all(|task| outside.contains(task.name) != task.workflows.contains(workflow)));
    }
    assert!(ALL.iter().all(|task| !task.workflows.is_empty()), "a task of no workflow never runs");
    let sweeps = [TaskName::PortSweep, TaskName::BlockSweep, TaskName::NameSweep, TaskName::PtrSweep];
    for quiet in [workflow::THIRD_PARTIES, workflow::SUSPICIOUS_DOMAINS] {
        assert!(sweeps.iter().all(|task| outside(quiet.name).contains(*task)), "{} sweeps", quiet.name);
    }
    assert!(outside("a_workflow_of_tomorrow").is_empty());
}

#[test]
fn a_task_is_found_by_its_name_and_says_what_it_is() {
    for task in ALL {
        assert_eq!(find(task.name.as_str()).map(|found| found.name), Some(task.name));
        assert!(!task.watches.is_empty() && task.cost > 0 && task.gain > 0 && task.ttl_ms > 0, "{}", task.name);
        assert!(task.description.ends_with('.') && !task.pretty_name.is_empty(), "{}", task.name);
        assert_eq!(task.contacts == Contacts::Nothing, task.footprint == Clearance::L0, "{}", task.name);
        for kinds in [task.watches, task.produces] {
            assert!(kinds.windows(2).all(|pair| pair[0] < pair[1]), "{}: kinds are sorted", task.name);
        }
    }
    assert!(find("nothing").is_none());
}
