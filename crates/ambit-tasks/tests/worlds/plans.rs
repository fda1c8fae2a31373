//! What each task plans for each kind that it watches: for an entity that nothing reaches, for one of theirs that may
//! only be known about, and for one of theirs that may be probed, with the neighbours and details that such a one
//! usually has. A row that changes is a change of what a run asks.

use super::explorer::empty_facts;
use ambit_model::facts::Neighbour;
use ambit_model::scope::Decision;
use ambit_model::seeds::Seeds;
use ambit_model::{Clearance, Details, EdgeKind, Facts, Kind, TaskName, Uid};
use ambit_tasks::{ALL, Plan, Settings};
use serde_json::{Value, json};
use std::sync::Arc;

/// Task and kind: unreached | theirs and known about | theirs and probed.
const PLANS: &str = include_str!("plans.txt");

fn details(value: Value) -> Details {
    value.as_object().cloned().unwrap_or_default()
}

fn neighbour(edge: EdgeKind, argument: &str, kind: Kind, name: &str, clearance: Clearance) -> Neighbour {
    let open = [22, 80, 443, 8443].map(|number| json!({"number": number, "protocol": "tcp"}));
    let ports = json!({"hidden_ports": open});
    Neighbour {
        edge,
        task: "resolve".to_owned(),
        argument: argument.to_owned(),
        uid: Uid::from_bytes([9; 32]),
        kind,
        name: name.to_owned(),
        scoped: clearance > Clearance::L0,
        by_evidence: false,
        clearance,
        details: Arc::new(if edge == EdgeKind::ResolvesTo { details(ports) } else { Details::new() }),
    }
}

/// An entity of the kind below `acme.test`.
fn name_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Domain => "acme.test",
        Kind::DnsRecord => "www.acme.test",
        Kind::Nameserver => "ns1.acme.test",
        Kind::Mailserver => "mx.acme.test",
        Kind::IpAddress => "203.0.113.10",
        Kind::NetBlock => "203.0.113.0/28",
        Kind::NetworkService => "203.0.113.10:443/tcp",
        Kind::Uri => "https://www.acme.test:443",
        Kind::EmailAddress => "ann@acme.test",
        kind => kind.example(),
    }
}

fn facts(kind: Kind, clearance: Clearance) -> Facts {
    let ownership = if clearance > Clearance::L0 { 1_000 } else { 0 };
    let name = name_of(kind);
    let mut facts = Facts {
        seed: false,
        decision: Decision { ownership, clearance, ..Decision::unreached() },
        seeds: Arc::new(Seeds::from_iter([(Kind::Domain, "acme.test".to_owned())])),
        ..empty_facts(kind, name)
    };
    if matches!(kind, Kind::Domain | Kind::DnsRecord) {
        facts.outward = vec![neighbour(EdgeKind::ResolvesTo, "A", Kind::IpAddress, "203.0.113.10", clearance)];
    }
    if kind == Kind::Uri {
        facts.inward = vec![neighbour(EdgeKind::Site, "203.0.113.10:443", Kind::DnsRecord, "www.acme.test", clearance)];
    }
    facts
}

fn shown(plan: &Plan) -> String {
    match plan {
        Plan::No => "-".to_owned(),
        Plan::Once => "once".to_owned(),
        Plan::Each(arguments) => arguments.join(" "),
        Plan::Bound { asked, bound } if bound.is_empty() => format!("none{}", asked.join(" ")),
        Plan::Bound { asked, bound } if asked == bound => format!("[{}]", bound.join(" ")),
        Plan::Bound { asked, bound } => format!("{} of [{}]", asked.join(" "), bound.join(" ")),
        Plan::Sweep { prefix, size, step } => format!("{prefix}0-{size} by {step}"),
    }
}

/// Every row of the table.
fn planned(settings: &Settings) -> String {
    let mut rows = String::new();
    for task in ALL {
        for kind in task.watches {
            let plans = [Clearance::L0, Clearance::L1, Clearance::L3]
                .map(|clearance| shown(&(task.plan)(&facts(*kind, clearance), settings)));
            rows.push_str(&format!("{} {}: {}\n", task.name, kind.name(), plans.join(" | ")));
        }
    }
    rows
}

#[test]
fn each_task_plans_what_the_table_says() {
    let planned = planned(&Settings::default());
    let differs = planned.lines().zip(PLANS.lines()).find(|(now, known)| now != known);
    assert!(planned == PLANS, "plans.txt and the plans differ first at {differs:?}; all of them:\n{planned}");
}

/// A task asks nothing of what is closed to it: where nothing reaches an entity, only what sends nothing and what is
/// asked to decide whose it is.
#[test]
fn nothing_is_visited_that_nothing_reaches() {
    let settings = Settings::default();
    let mut visits = Vec::new();
    for task in ALL.iter().filter(|task| task.footprint >= Clearance::L2) {
        for kind in task.watches {
            let mut facts = facts(*kind, Clearance::L1);
            facts.decision.ownership = 0;
            for neighbour in facts.outward.iter_mut().chain(&mut facts.inward) {
                (neighbour.scoped, neighbour.clearance) = (false, Clearance::L1);
            }
            // At addresses without clearance nothing is asked, whatever else a task plans.
            if let Plan::Bound { asked, .. } = (task.plan)(&facts, &settings)
                && task.watches.iter().all(|kind| matches!(kind, Kind::Domain | Kind::DnsRecord))
                && !asked.is_empty()
            {
                visits.push(format!("{} {}: {asked:?}", task.name, kind.name()));
            }
        }
    }
    assert_eq!(visits, Vec::<String>::new());
}

/// What was loaded and what a person asks for decide.
#[test]
fn settings_decide_what_is_planned() {
    let plan = |task: TaskName, kind: Kind, settings: &Settings| {
        let task = ALL.iter().find(|known| known.name == task).unwrap();
        shown(&(task.plan)(&facts(kind, Clearance::L3), settings))
    };
    let usual = Settings::default();
    let few = Settings { sources: Some(["anubis"].into()), ..Settings::default() };
    for (task, kind, plans) in
        [(TaskName::Geolocation, Kind::IpAddress, ["-", "-"]), (TaskName::Screenshot, Kind::Uri, ["-", "-"])]
    {
        assert_eq!([plan(task, kind, &usual), plan(task, kind, &few)], plans, "{task}");
    }
    let asked = plan(TaskName::NameSources, Kind::Domain, &few);
    assert!(asked.contains("anubis") && !asked.contains("shodan"), "{asked}");
    assert_ne!(plan(TaskName::NameSources, Kind::Domain, &usual), asked);
}
