//! Which rows of a refresh ask for everything, for what was found, and for nothing.

use super::*;
use ambit_model::facts::{Neighbour, Probes};
use ambit_model::scope::Decision;
use ambit_model::{Clearance, Details, Kind};
use std::sync::Arc;

const HOUR_MS: i64 = 3_600_000;
const NOW: Timestamp = Timestamp(100 * HOUR_MS);
const SEARCHED: i64 = 7;
const THIS: Refresh = Refresh { run: 2, date: NOW, searched: SEARCHED };

fn facts() -> Facts {
    Facts {
        uid: Uid::from_bytes([1; 32]),
        kind: Kind::Domain,
        name: "acme.test".to_owned(),
        seed: true,
        present: true,
        decision: Decision::unreached(),
        details: Details::new(),
        probes: Probes::new(),
        inward: Vec::new(),
        outward: Vec::new(),
        seeds: Default::default(),
        vulnerabilities: None,
        maintained: Vec::new(),
    }
}

/// A probe of the run before, so many hours ago.
fn before(outcome: ProbeOutcome, hours: i64) -> LastProbe {
    let since = (outcome == ProbeOutcome::Found).then_some(Timestamp(0));
    let at = Timestamp(NOW.0 - hours * HOUR_MS);
    LastProbe { confirmed: since, since, searched: Some(SEARCHED), ..LastProbe::new(outcome, at, 1) }
}

fn asks(task: TaskName, argument: &str, probes: &[(TaskName, &str, LastProbe)]) -> Asks {
    asks_of(&facts(), task, argument, probes)
}

fn asks_of(facts: &Facts, task: TaskName, argument: &str, probes: &[(TaskName, &str, LastProbe)]) -> Asks {
    let mut facts = facts.clone();
    for (task, argument, probe) in probes {
        facts.probes.entry(*task).or_default().insert((*argument).to_owned(), probe.clone());
    }
    THIS.asks(ambit_tasks::task(task), &facts, argument, &mut Led::default())
}

#[test]
fn ports_that_were_found_are_verified_until_the_search_is_past_its_time_to_live() {
    use ProbeOutcome::{Absent, Found, InPart, Unknown};
    let ports = |probe: LastProbe| asks(TaskName::PortSweep, "", &[(TaskName::PortSweep, "", probe)]);
    assert_eq!(asks(TaskName::PortSweep, "", &[]), Asks::All, "nobody asked before");
    for (outcome, hours, wanted) in [
        (Found, 1, Asks::Found),
        (Found, 23, Asks::Found),
        (Found, 24, Asks::All),
        (Found, -1, Asks::Found),
        (Found, -24, Asks::All),
        (Absent, 1, Asks::Nothing),
        (Absent, 24, Asks::All),
        (Unknown, 1, Asks::All),
        (InPart, 1, Asks::All),
    ] {
        assert_eq!(ports(before(outcome, hours)), wanted, "{outcome:?}, {hours} hours ago");
    }
    assert_eq!(ports(LastProbe { searched: Some(SEARCHED + 1), ..before(Found, 1) }), Asks::All, "other ports");
    assert_eq!(ports(LastProbe { searched: None, ..before(Found, 1) }), Asks::All, "nobody knows which ports");
    assert_eq!(ports(LastProbe { run: 2, ..before(Found, 0) }), Asks::All, "this run asked for all");
    let once = LastProbe { since: Some(Timestamp(0)), ..before(Absent, 1) };
    assert_eq!(ports(once), Asks::All, "what was there before may be gone");
    assert_eq!(asks(TaskName::Resolve, "", &[(TaskName::Resolve, "", before(Found, 1))]), Asks::All);
}

#[test]
fn pages_are_searched_again_where_the_site_is_another_or_could_not_be_visited() {
    use ProbeOutcome::{Absent, Found, Unknown};
    let at = "192.0.2.1:443";
    let now = |outcome, since: i64| LastProbe {
        run: 2,
        since: Some(Timestamp(since)),
        confirmed: Some(NOW),
        ..before(outcome, 0)
    };
    let of = |visit: LastProbe, search: ProbeOutcome| {
        let no = (TaskName::Soft404Profile, at, now(Found, 0));
        let search = (TaskName::ContentFocus, at, before(search, 2));
        asks(TaskName::ContentFocus, at, &[(TaskName::HttpEnrich, at, visit), no, search])
    };
    assert_eq!(of(now(Found, 0), Found), Asks::Found);
    assert_eq!(of(now(Found, 0), Absent), Asks::Nothing);
    assert_eq!(of(now(Found, NOW.0 - HOUR_MS), Absent), Asks::All, "it changed after the search");
    assert_eq!(of(before(Found, 2), Absent), Asks::All, "this run has not visited it");
    assert_eq!(of(now(Unknown, 0), Found), Asks::All);
}

#[test]
fn names_are_guessed_again_once_the_zone_says_other_than_then_of_what_was_found() {
    use ProbeOutcome::{Absent, Found, Unknown};
    let end = |task: TaskName, argument: &str, edge| Neighbour {
        edge,
        task: task.as_str().to_owned(),
        argument: argument.to_owned(),
        uid: Uid::from_bytes([2; 32]),
        kind: Kind::DnsRecord,
        name: "www.acme.test".to_owned(),
        scoped: true,
        by_evidence: false,
        clearance: Clearance::L3,
        details: Arc::default(),
    };
    let asked = |told: Option<(ProbeOutcome, i64, EdgeKind)>| {
        let mut facts = facts();
        facts.outward = vec![end(TaskName::NameSweep, "0-250", EdgeKind::Subdomain)];
        let wildcard = LastProbe { run: 2, ..before(Absent, 0) };
        let mut probes = vec![
            (TaskName::NameSweep, "0-250", before(Found, 48)),
            (TaskName::NameSweep, "250-500", before(Absent, 48)),
            (TaskName::WildcardProfile, "", wildcard),
        ];
        if let Some((outcome, run, edge)) = told {
            facts.outward.push(end(TaskName::Subdomain, "www.acme.test", edge));
            probes.push((TaskName::Subdomain, "www.acme.test", LastProbe { run, ..before(outcome, 0) }));
        }
        ["0-250", "250-500"].map(|range| asks_of(&facts, TaskName::NameSweep, range, &probes))
    };
    let (stands, again) = ([Asks::Nothing, Asks::Nothing], [Asks::All, Asks::Nothing]);
    assert_eq!(asked(Some((Found, 2, EdgeKind::Subdomain))), stands);
    assert_eq!(asked(Some((Found, 1, EdgeKind::Subdomain))), again, "the zone was not asked in this run");
    assert_eq!(asked(Some((Absent, 2, EdgeKind::Subdomain))), again, "it is gone");
    assert_eq!(asked(Some((Unknown, 2, EdgeKind::Subdomain))), again);
    assert_eq!(asked(Some((Found, 2, EdgeKind::DelegatedSubdomain))), again, "it was handed to others");
    assert_eq!(asked(None), again, "nobody asks the zone for it");
}
