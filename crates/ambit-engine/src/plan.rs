//! Planning: which work follows from what is known (kind × workflow × clearance × age → rows). Pure, so planning twice
//! is harmless (docs/architecture.md §2).

use crate::guard::ScopeGuard;
use ambit_model::entity::host_of;
use ambit_model::estimate::large_block;
use ambit_model::facts::{Facts, LastProbe, ProbeKey};
use ambit_model::scope::Decision;
use ambit_model::{Clearance, EdgeKind, Kind, TaskName, Timestamp, Uid, Wave, entity};
use ambit_store::engine::{NewSweep, NewWork, Work};
use ambit_tasks::{Contacts, Plan, Settings, Task};
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::net::SocketAddr;

/// Partitions of work by what it contacts (docs/architecture.md §2).
pub(crate) const PARTITIONS: i64 = 1_024;

/// The inputs of planning other than the facts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms<'a> {
    /// The level asked for, under the workflow's ceiling.
    pub(crate) ceiling: Clearance,
    /// A person started the run: every fact is due.
    pub(crate) by_person: bool,
    /// The wire's date.
    pub(crate) date: Timestamp,
    pub(crate) settings: &'a Settings,
    /// Large blocks whose sweep a person has confirmed.
    pub(crate) confirmed: &'a BTreeSet<Uid>,
    /// Returns the places that no clearance opens.
    pub(crate) guard: Option<&'a ScopeGuard>,
}

/// The rows that one entity calls for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Planned {
    pub(crate) work: Vec<NewWork>,
    pub(crate) sweeps: Vec<NewSweep>,
    /// Probe results that no longer concern the entity.
    pub(crate) orphaned: Vec<ProbeKey>,
    /// Tasks that would sweep a large block without a person's confirmation.
    pub(crate) unconfirmed: Vec<TaskName>,
    /// Tasks that ask, and what there is beyond what they ask about.
    pub(crate) left_out: Vec<(TaskName, String)>,
    /// Tasks and arguments that wait until a name that leads there can be looked up.
    pub(crate) in_doubt: Vec<(TaskName, String)>,
}

/// Plans every task that watches the entity's kind, may run at its clearance, and is due.
pub(crate) fn plan(facts: &Facts, decision: &Decision, terms: &Terms<'_>) -> Planned {
    let mut planned = Planned::default();
    let clearance = decision.clearance.min(terms.ceiling);
    for task in ambit_tasks::ALL {
        if !task.watches.contains(&facts.kind) || (task.contacts == Contacts::Address && awaits_host(facts)) {
            continue;
        }
        if terms.settings.skipped.contains(task.name) {
            continue;
        }
        if task.footprint > clearance {
            // What may not be asked now keeps what it said, but not of an address that the name has left: that is known
            // without asking.
            if let Some(Plan::Bound { bound, .. }) = has_probed(task, facts).then(|| (task.plan)(facts, terms.settings))
            {
                planned.orphaned.extend(orphaned(task, facts, &bound));
            }
            continue;
        }
        let before = planned.work.len();
        match (task.plan)(facts, terms.settings) {
            Plan::No => {}
            Plan::Once => add_work(&mut planned, task, facts, String::new(), terms),
            Plan::Each(arguments) => add_each(&mut planned, task, facts, arguments, terms),
            Plan::Bound { asked, bound } => {
                planned.orphaned.extend(orphaned(task, facts, &bound));
                add_each(&mut planned, task, facts, asked, terms);
            }
            Plan::Sweep { .. } if needs_a_yes(facts, terms) => planned.unconfirmed.push(task.name),
            Plan::Sweep { prefix, size, step } => add_sweep(&mut planned, task, facts, (prefix, size, step), terms),
        }
        if planned.work.len() > before {
            planned.left_out.extend((task.left_out)(facts).map(|what| (task.name, what)));
        }
    }
    planned
}

/// What tasks may contact for entities, as their facts are now: rows were planned by what was known then.
#[derive(Default)]
pub(crate) struct Bindings(HashMap<(Uid, TaskName), Option<HashSet<String>>>);

impl Bindings {
    /// Returns false for a row that names an address which its entity is no longer bound to. All rows of an entity come
    /// with the same facts.
    pub(crate) fn hold(&mut self, work: &Work, facts: &Facts, settings: &Settings) -> bool {
        let Some(task) = ambit_tasks::find(&work.task) else { return true };
        let bound = self.0.entry((work.uid, task.name)).or_insert_with(|| match (task.plan)(facts, settings) {
            Plan::Bound { asked, bound } => Some(asked.into_iter().chain(bound).collect()),
            _ => None,
        });
        bound.as_ref().is_none_or(|bound| bound.contains(&work.argument))
    }
}

/// Returns true for a seed whose host has no clearance yet: planning it now would only produce refusals.
fn awaits_host(facts: &Facts) -> bool {
    let on_host = facts.to(EdgeKind::Host).next().is_some() || !facts.inward.is_empty();
    facts.seed && matches!(facts.kind, Kind::NetworkService | Kind::Uri) && !on_host
}

fn add_each(planned: &mut Planned, task: &'static Task, facts: &Facts, arguments: Vec<String>, terms: &Terms<'_>) {
    for argument in arguments {
        add_work(planned, task, facts, argument, terms);
    }
}

/// Returns true for a block whose sweep needs so many probes that a person has to say yes, and none has.
fn needs_a_yes(facts: &Facts, terms: &Terms<'_>) -> bool {
    let ports = u64::try_from(terms.settings.swept_ports.len()).unwrap_or(u64::MAX);
    large_block(&facts.name, ports).is_some() && !terms.confirmed.contains(&facts.uid)
}

/// True where the task has said anything of the entity.
fn has_probed(task: &Task, facts: &Facts) -> bool {
    facts.probes.contains_key(&task.name)
}

/// Probe results of the task, with their arguments, that nothing binds to the entity any more.
fn orphaned(task: &Task, facts: &Facts, bound: &[String]) -> Vec<ProbeKey> {
    let probes = facts.probes.get(&task.name).into_iter().flatten();
    // A hub is bound to as many as it has probes.
    let bound: HashSet<&str> = bound.iter().map(String::as_str).collect();
    let lost = probes.filter(|(argument, _)| !bound.contains(argument.as_str()));
    let key = |argument: &String| ProbeKey { entity: facts.uid, task: task.name, argument: argument.clone() };
    lost.map(|(argument, _)| key(argument)).collect()
}

/// Results of a sweep for ranges in which it is not asked any more, where all ranges in their place have a whole
/// answer: others say now what is there.
fn superseded(task: &Task, facts: &Facts, (prefix, size, step): (&str, i64, i64)) -> Vec<ProbeKey> {
    let bounds = |argument: &str| {
        let (from, to) = argument.strip_prefix(prefix)?.split_once('-')?;
        Some((from.parse::<i64>().ok()?, to.parse::<i64>().ok()?))
    };
    let end = |from: i64| (from + step).min(size);
    let is_answered = |from: i64| {
        let probe = facts.probe_at(task.name, &format!("{prefix}{from}-{}", end(from)));
        probe.is_some_and(|probe| probe.outcome.is_whole())
    };
    let is_superseded = |(from, to): (i64, i64)| {
        let is_asked = from % step == 0 && to == end(from);
        let is_inside = 0 <= from && from < to && to <= size;
        is_inside && !is_asked && (from / step..=(to - 1) / step).all(|range| is_answered(range * step))
    };
    let others = facts.probes_of(task.name).filter(|(argument, _)| bounds(argument).is_some_and(is_superseded));
    let key = |argument: &str| ProbeKey { entity: facts.uid, task: task.name, argument: argument.to_owned() };
    others.map(|(argument, _)| key(argument)).collect()
}

fn add_work(planned: &mut Planned, task: &'static Task, facts: &Facts, argument: String, terms: &Terms<'_>) {
    let is_closed =
        |guard: &ScopeGuard| is_forbidden(guard, facts, &argument) || is_above(guard, task.footprint, facts, &argument);
    if terms.guard.is_some_and(is_closed) {
        return;
    }
    if !terms.by_person && facts.probe_at(task.name, &argument).is_some_and(|probe| is_fresh(probe, task, terms.date)) {
        return;
    }
    if terms.guard.is_some_and(|guard| is_in_doubt(guard, task, facts, &argument)) {
        planned.in_doubt.push((task.name, argument));
        return;
    }
    planned.work.push(new_work(task, facts, argument, 0, Timestamp(0)));
}

fn add_sweep(
    planned: &mut Planned,
    task: &'static Task,
    facts: &Facts,
    (prefix, size, step): (String, i64, i64),
    terms: &Terms<'_>,
) {
    planned.orphaned.extend(superseded(task, facts, (&prefix, size, step)));
    let ranges = facts.probes_of(task.name).filter(|(argument, _)| argument.starts_with(&prefix));
    let fresh: i64 = ranges.map(|(_, probe)| i64::from(is_fresh(probe, task, terms.date))).sum();
    if !terms.by_person && fresh > 0 && fresh * step >= size {
        return;
    }
    planned.sweeps.push(NewSweep {
        task: task.name.as_str(),
        uid: facts.uid,
        prefix,
        size,
        step,
        wave: task.wave,
        footprint: task.footprint,
        priority: priority(task),
        partition: partition(task, facts, ""),
    });
}

/// True while the newest probe succeeded and is within the task's time to live.
pub fn is_fresh(probe: &LastProbe, task: &Task, date: Timestamp) -> bool {
    probe.outcome.is_whole() && probe.at.plus_ms(task.ttl_ms) > date
}

/// True where the argument names a place (`203.0.113.7:443`) or a host that the guard would refuse whatever scope says
/// of it.
fn is_forbidden(guard: &ScopeGuard, facts: &Facts, argument: &str) -> bool {
    match argument.parse::<SocketAddr>() {
        Ok(socket) => guard.forbids(Some(host_of(&facts.name)), socket).is_some(),
        Err(_) => !argument.is_empty() && guard.forbids_name(argument).is_some(),
    }
}

/// True where the argument names a place at an address that is not cleared for as much as the entity: an address that
/// their name shares with others may be visited, and no more.
fn is_above(guard: &ScopeGuard, footprint: Clearance, facts: &Facts, argument: &str) -> bool {
    argument.parse().is_ok_and(|socket: SocketAddr| !guard.clears(host_of(&facts.name), socket, footprint))
}

/// True where the task contacts an address to which no name is known to lead still: one that the argument names, or the
/// entity's own.
fn is_in_doubt(guard: &ScopeGuard, task: &Task, facts: &Facts, argument: &str) -> bool {
    if task.contacts != Contacts::Address {
        return false;
    }
    let host = host_of(&facts.name);
    let own = || host.parse().ok().map(|address| SocketAddr::new(address, 0));
    let socket = argument.parse().ok().or_else(own);
    socket.is_some_and(|socket| guard.is_in_doubt(host, socket, task.footprint))
}

/// A row for a task at an entity.
pub(crate) fn new_work(
    task: &'static Task,
    facts: &Facts,
    argument: String,
    number: i64,
    not_before: Timestamp,
) -> NewWork {
    NewWork {
        task: task.name.as_str(),
        uid: facts.uid,
        partition: partition(task, facts, &argument),
        argument,
        number,
        wave: wave(task, facts),
        footprint: task.footprint,
        priority: priority(task),
        not_before,
    }
}

/// The wave in which a task asks an entity. What an address presents to those who ask for no name decides whether
/// anything there may be visited by the address alone, and so is asked before all visits.
fn wave(task: &Task, facts: &Facts) -> Wave {
    match (task.name, facts.kind) {
        (TaskName::TlsGrab, Kind::IpAddress) => Wave::Variations,
        _ => task.wave,
    }
}

/// Expected new facts per cost, in thousandths; of what goes into depth its cost, since the run ends with what takes
/// longest. Tasks that ask the same things equally loudly go together, when the first of them goes: what they ask a
/// site is one visit.
fn priority(task: &Task) -> i64 {
    let beside = |other: &&Task| {
        task.contacts == Contacts::Address
            && (other.contacts, other.footprint, other.watches) == (task.contacts, task.footprint, task.watches)
    };
    let order = |task: &Task| match task.wave {
        Wave::Probes => task.cost,
        _ => task.gain.saturating_mul(1_000) / task.cost.max(1),
    };
    ambit_tasks::ALL.iter().copied().filter(beside).map(order).fold(order(task), i64::max)
}

/// The hash of what the task contacts: /24 or /48 for connections, the zone for look-ups, the provider for sources.
fn partition(task: &Task, facts: &Facts, argument: &str) -> i64 {
    let contacted = match task.contacts {
        Contacts::Nothing => facts.name.clone(),
        Contacts::Zone => entity::registrable(host_of(&facts.name)).unwrap_or(&facts.name).to_owned(),
        Contacts::Address => network_of(host_of(&facts.name)),
        Contacts::Provider(_) | Contacts::Source => task.provider(argument).unwrap_or_default().to_owned(),
    };
    let digest = Sha256::digest(contacted.as_bytes());
    i64::from(u16::from_be_bytes([digest[0], digest[1]])) % PARTITIONS
}

fn network_of(host: &str) -> String {
    let Ok(address) = host.parse::<std::net::IpAddr>() else {
        return host.to_owned();
    };
    let bits = if address.is_ipv4() { 24 } else { 48 };
    ipnet::IpNet::new(address, bits).map_or_else(|_| host.to_owned(), |net| net.trunc().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::facts::ProbeOutcome;
    use ambit_model::seeds::Seeds;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    fn seed_domain() -> Facts {
        Facts {
            uid: Uid::from_bytes([1; 32]),
            kind: Kind::Domain,
            name: "acme.test".to_owned(),
            seed: true,
            present: true,
            decision: owned(Clearance::L3),
            details: serde_json::Map::new(),
            probes: BTreeMap::new(),
            inward: Vec::new(),
            outward: Vec::new(),
            seeds: Arc::new(Seeds::from_iter([(Kind::Domain, "acme.test".to_owned())])),
            vulnerabilities: None,
            maintained: Vec::new(),
        }
    }

    fn owned(clearance: Clearance) -> Decision {
        Decision { ownership: 1000, clearance, reason: "seed".into(), path: Vec::new(), evidence: Vec::new() }
    }

    fn planned(facts: &Facts, clearance: Clearance, by_person: bool, date: i64) -> Planned {
        let (settings, confirmed) = (Settings::default(), BTreeSet::new());
        let terms = Terms {
            ceiling: Clearance::L3,
            by_person,
            date: Timestamp(date),
            settings: &settings,
            confirmed: &confirmed,
            guard: None,
        };
        plan(facts, &owned(clearance), &terms)
    }

    #[test]
    fn an_address_says_whose_it_is_before_its_services_are_visited() {
        let wave = |name: TaskName, kind: Kind, entity: &str| {
            let facts = Facts { kind, name: entity.to_owned(), ..seed_domain() };
            new_work(ambit_tasks::task(name), &facts, String::new(), 0, Timestamp(0)).wave
        };
        let asked = wave(TaskName::TlsGrab, Kind::IpAddress, "203.0.113.5");
        for task in [TaskName::HttpProbe, TaskName::TlsGrab] {
            assert!(asked < wave(task, Kind::NetworkService, "203.0.113.5:80/tcp"), "{task}");
        }
        assert_eq!(wave(TaskName::TlsGrab, Kind::DnsRecord, "www.acme.test"), Wave::Visits);
    }

    #[test]
    fn what_is_asked_of_a_site_is_one_visit() {
        let priority = |name: TaskName| priority(ambit_tasks::task(name));
        for task in [TaskName::Favicon, TaskName::LinkedHosts, TaskName::Soft404Profile] {
            assert_eq!(priority(task), priority(TaskName::HttpEnrich), "{task}");
        }
        assert_eq!(priority(TaskName::CorsProbe), priority(TaskName::ContentFocus));
        assert_ne!(priority(TaskName::HttpProbe), priority(TaskName::HttpEnrich), "names are not sites");
        assert_ne!(priority(TaskName::Subdomain), priority(TaskName::Resolve), "no address is asked");
    }

    #[test]
    fn a_task_that_is_left_out_is_not_planned() {
        let facts = seed_domain();
        let (mut settings, confirmed) = (Settings::default(), BTreeSet::new());
        let mut names = |skipped: &str| -> Vec<&'static str> {
            settings.skipped = skipped.parse().unwrap();
            let terms = Terms {
                ceiling: Clearance::L3,
                by_person: true,
                date: Timestamp(0),
                settings: &settings,
                confirmed: &confirmed,
                guard: None,
            };
            plan(&facts, &owned(Clearance::L3), &terms).work.into_iter().map(|work| work.task).collect()
        };
        let all = names("");
        let is_left = |name: &str, wanted: bool| assert_eq!(all.contains(&name), wanted, "{name}");
        is_left("registration", true);
        is_left("zone_profile", true);
        let rest = names("registration,zone_profile");
        assert!(!rest.contains(&"registration") && !rest.contains(&"zone_profile"), "{rest:?}");
        let kept: Vec<_> = all.iter().filter(|task| !["registration", "zone_profile"].contains(task)).collect();
        assert_eq!(rest.iter().collect::<Vec<_>>(), kept);
    }

    #[test]
    fn nothing_is_planned_above_the_clearance_and_equal_facts_plan_equal_work() {
        let facts = seed_domain();
        let all = planned(&facts, Clearance::L3, true, 0);
        assert!(all.work.iter().any(|row| row.task == "resolve"), "{:?}", all.work);
        let quiet = planned(&facts, Clearance::L1, true, 0);
        assert!(quiet.work.iter().all(|row| row.footprint <= Clearance::L1));
        assert!(quiet.sweeps.iter().all(|sweep| sweep.footprint <= Clearance::L1));
        assert!(planned(&facts, Clearance::L0, true, 0).work.iter().all(|row| row.footprint == Clearance::L0));
        assert_eq!(all, planned(&facts, Clearance::L3, true, 0));
    }

    #[test]
    fn a_large_block_is_swept_only_after_a_yes() {
        let settings = Settings::default();
        let plan_of = |name: &str, confirmed: &BTreeSet<Uid>| {
            let mut facts = seed_domain();
            (facts.kind, facts.name) = (Kind::NetBlock, name.to_owned());
            // A block is swept once the registries were asked who holds parts of it.
            let asked = LastProbe::new(ProbeOutcome::Found, Timestamp(0), 1);
            facts.probes.entry(TaskName::Suballocations).or_default().insert(String::new(), asked);
            let terms = Terms {
                ceiling: Clearance::L3,
                by_person: true,
                date: Timestamp(0),
                settings: &settings,
                confirmed,
                guard: None,
            };
            let planned = plan(&facts, &owned(Clearance::L3), &terms);
            let swept: Vec<&str> = planned.sweeps.iter().map(|sweep| sweep.task).collect();
            (swept, planned.unconfirmed)
        };
        let (nobody, somebody) = (BTreeSet::new(), BTreeSet::from([Uid::from_bytes([1; 32])]));
        let (sweeps, names) = (vec!["block_sweep", "ptr_sweep"], vec![TaskName::BlockSweep, TaskName::PtrSweep]);
        assert_eq!(plan_of("198.18.0.0/16", &nobody), (sweeps.clone(), Vec::new()));
        assert_eq!(plan_of("198.18.0.0/15", &nobody), (Vec::new(), names));
        assert_eq!(plan_of("198.18.0.0/15", &somebody), (sweeps, Vec::new()));
    }

    #[test]
    fn results_of_other_ranges_of_a_sweep_stay_until_all_in_their_place_are_answered() {
        let mut facts = seed_domain();
        facts.kind = Kind::NetBlock;
        let mut superseded_by = |answers: &[(&str, ProbeOutcome)]| -> Vec<String> {
            for (range, outcome) in answers {
                let probe = LastProbe::new(*outcome, Timestamp(0), 1);
                facts.probes.entry(TaskName::BlockSweep).or_default().insert((*range).to_owned(), probe);
            }
            let task = ambit_tasks::find("block_sweep").unwrap();
            let keys = superseded(task, &facts, ("", 500, 64)).into_iter();
            keys.map(|key| key.argument).collect()
        };
        let nothing: [&str; 0] = [];
        assert_eq!(superseded_by(&[("0-256", ProbeOutcome::Found), ("256-500", ProbeOutcome::Found)]), nothing);
        let first =
            [("0-64", ProbeOutcome::Absent), ("64-128", ProbeOutcome::Found), ("128-192", ProbeOutcome::Absent)];
        assert_eq!(superseded_by(&first), nothing, "a quarter has not been asked");
        assert_eq!(superseded_by(&[("192-256", ProbeOutcome::InPart)]), nothing, "a quarter was not asked whole");
        assert_eq!(superseded_by(&[("192-256", ProbeOutcome::Absent)]), ["0-256"]);
        let last = ["256-320", "320-384", "384-448", "448-500"].map(|range| (range, ProbeOutcome::Absent));
        assert_eq!(superseded_by(&last), ["0-256", "256-500"]);
        let beyond = [("448-512", ProbeOutcome::Found), ("", ProbeOutcome::Found)];
        assert_eq!(superseded_by(&beyond), ["0-256", "256-500"], "nothing is asked in the place of what lies beyond");
    }

    #[test]
    fn a_look_at_what_an_entity_is_no_longer_bound_to_loses_its_ground() {
        let mut facts = seed_domain();
        facts.kind = Kind::DnsRecord;
        let probe = LastProbe::new(ProbeOutcome::Unknown, Timestamp(0), 1);
        for (task, argument) in
            [(TaskName::HttpProbe, "192.0.2.1:80"), (TaskName::HttpProbe, "192.0.2.2:80"), (TaskName::Resolve, "")]
        {
            facts.probes.entry(task).or_default().insert(argument.to_owned(), probe.clone());
        }
        facts.outward.push(ambit_model::facts::Neighbour {
            edge: ambit_model::EdgeKind::ResolvesTo,
            task: "resolve".to_owned(),
            argument: String::new(),
            uid: Uid::from_bytes([2; 32]),
            kind: Kind::IpAddress,
            name: "192.0.2.2".to_owned(),
            scoped: true,
            by_evidence: false,
            clearance: Clearance::L3,
            details: std::sync::Arc::default(),
        });
        for clearance in [Clearance::L3, Clearance::L1] {
            let all = planned(&facts, clearance, true, 0);
            let lost = ProbeKey { entity: facts.uid, task: TaskName::HttpProbe, argument: "192.0.2.1:80".to_owned() };
            assert_eq!(all.orphaned, [lost]);
            let asked = all.work.iter().any(|row| row.task == "http_probe");
            assert_eq!(
                asked,
                clearance == Clearance::L3,
                "what may not be asked now keeps what it said where it still is"
            );
        }
        let row = |task: &str, argument: &str| Work {
            id: 1,
            run: 1,
            task: task.to_owned(),
            uid: facts.uid,
            kind: facts.kind,
            name: facts.name.clone(),
            argument: argument.to_owned(),
            number: 0,
            attempts: 0,
            fence: 1,
        };
        let (mut bindings, settings) = (Bindings::default(), Settings::default());
        for (task, argument, holds) in [
            ("http_probe", "192.0.2.2:80", true),
            ("http_probe", "192.0.2.1:80", false),
            ("resolve", "", true),
            ("a_task_of_tomorrow", "192.0.2.1:80", true),
        ] {
            assert_eq!(bindings.hold(&row(task, argument), &facts, &settings), holds, "{task} {argument}");
        }
    }

    #[test]
    fn a_scheduled_run_relies_on_fresh_answers_and_a_persons_run_asks_again() {
        let mut facts = seed_domain();
        let probe = LastProbe::new(ProbeOutcome::Found, Timestamp(0), 1);
        facts.probes.entry(TaskName::Resolve).or_default().insert(String::new(), probe);
        let asks = |planned: &Planned| planned.work.iter().any(|row| row.task == "resolve");
        let scheduled = planned(&facts, Clearance::L3, false, 1);
        assert!(!asks(&scheduled));
        assert!(asks(&planned(&facts, Clearance::L3, true, 1)));
        assert!(asks(&planned(&facts, Clearance::L3, false, i64::MAX / 2)), "past its time to live");
        facts
            .probes
            .values_mut()
            .flat_map(BTreeMap::values_mut)
            .for_each(|probe| probe.outcome = ProbeOutcome::Unknown);
        assert!(asks(&planned(&facts, Clearance::L3, false, 1)), "an unknown answer is never fresh");
    }
}
