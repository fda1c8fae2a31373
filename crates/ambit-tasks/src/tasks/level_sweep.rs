//! Tries common labels below the levels that known names stand on: where `mail.de.corp.acme.test` is, `www` may be
//! beside it, below a name that has no records of its own.

use crate::ask::delegation::found_below;
use crate::ask::guess::{MANY_WORDS, guess, words_below};
use crate::ask::host::{is_below, levels};
use crate::ask::wild::exists;
use crate::task::beyond;
use crate::tasks::registrable_domain::LEVEL;
use crate::tasks::wildcard_profile::is_named_level;
use crate::{Again, Answer, Context, Plan, Result, Task};
use ambit_model::facts::{Neighbour, ProbeOutcome};
use ambit_model::moment::DAY_MS;
use ambit_model::{Clearance, EdgeKind, Facts, Kind, TaskName, Wave, workflow};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const TASK: Task = Task {
    name: TaskName::LevelSweep,
    pretty_name: "Names beside known ones",
    description: "Tries every level of a domain at which a known name exists, and common labels below it.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::Domain],
    produces: &[Kind::DnsRecord],
    footprint: Clearance::L3,
    wave: Wave::Variations,
    ttl_ms: 7 * DAY_MS,
    again: Again::UnlessGone,
    cost: 60,
    gain: 8,
    plan: |facts, _| {
        if facts.decision.scoped() && facts.outcome(TaskName::WildcardProfile).is_some() {
            plan(facts)
        } else {
            Plan::No
        }
    },
    left_out: |facts| beyond(all_inhabited(facts).len(), LEVELS_MAX, "levels"),
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

/// Levels of one domain that are tried: a domain with more has names that a program makes.
const LEVELS_MAX: usize = 500;
/// Labels below the domain at which the deepest level stands; what lies deeper is a wild chain.
const DEPTH_MAX: usize = 6;
/// Names that make a level a place where names are kept, and not the form of one name.
const CROWD: usize = 2;

/// What was planned before a level became one that is swept as a name of its own is asked no more. What was found there
/// stays.
fn plan(facts: &Facts) -> Plan {
    let asked: BTreeSet<String> = inhabited(facts).into_keys().chain(fruitful(facts)).collect();
    let probed = facts.probes_of(TASK.name).map(|(level, _)| level.to_owned());
    let bound: BTreeSet<String> = asked.iter().cloned().chain(probed).collect();
    Plan::Bound { asked: asked.into_iter().collect(), bound: bound.into_iter().collect() }
}

/// Levels between the domain and its known names, with the number of names that stand on each. A name that was handed
/// to others has another edge, so that none of these levels is theirs. What is swept as a name of its own is left out.
fn all_inhabited(facts: &Facts) -> BTreeMap<String, usize> {
    let led = facts.outward.iter().chain(&facts.inward).filter(|neighbour| {
        matches!(neighbour.edge, EdgeKind::Subdomain | EdgeKind::CertificateName)
            && neighbour.kind == Kind::DnsRecord
            && is_below(&neighbour.name, &facts.name)
    });
    let names: BTreeSet<&str> = led.clone().map(|neighbour| neighbour.name.as_str()).collect();
    // What the look at a level says of the level itself must not end that look.
    let is_own = |neighbour: &Neighbour| neighbour.task == TASK.name.as_str() && neighbour.argument == neighbour.name;
    let told: BTreeSet<&str> = led.filter(|neighbour| !is_own(neighbour)).map(|other| other.name.as_str()).collect();
    let spelled = facts.from(EdgeKind::RegistrableDomain).filter(|neighbour| neighbour.argument == LEVEL);
    let swept: BTreeSet<&str> = spelled.map(|neighbour| neighbour.name.as_str()).collect();
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for name in &names {
        let Some((_, level)) = name.split_once('.').filter(|(_, level)| is_below(level, &facts.name)) else {
            continue;
        };
        let between = levels(level, &facts.name);
        let plain = between.len() <= DEPTH_MAX && !level.split('.').any(|label| label.starts_with('_'));
        for level in between.into_iter().filter(|_| plain) {
            let swept = told.contains(level) && (is_named_level(level) || swept.contains(level));
            if !swept {
                *found.entry(level.to_owned()).or_default() += 1;
            }
        }
    }
    found
}

/// As many of them as are tried.
fn inhabited(facts: &Facts) -> BTreeMap<String, usize> {
    all_inhabited(facts).into_iter().take(LEVELS_MAX).collect()
}

/// Levels below which something was found: they are tried as long as that bears fruit, also where the level is swept as
/// a name of its own by now.
fn fruitful(facts: &Facts) -> impl Iterator<Item = String> + '_ {
    let found = facts.probes_of(TASK.name).filter(|(_, probe)| probe.outcome == ProbeOutcome::Found);
    found.map(|(level, _)| level.to_owned())
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let levels = inhabited(cx.facts);
    let is_lone = |crowd: &usize| *crowd < CROWD;
    let words = match levels.get(cx.argument).is_some_and(is_lone) {
        true => words_below(levels.values().filter(|crowd| is_lone(crowd)).count()),
        false => MANY_WORDS,
    };
    // The level may be a name of its own, which nothing else tells of.
    let above = cx.argument.split_once('.').map_or("", |(_, above)| above);
    let is_name = exists(cx, above, cx.argument).await?;
    if is_name {
        found_below(cx, &cx.facts.name, cx.argument).await?;
    }
    match guess(cx, TASK.name, cx.argument, cx.settings.words.iter().take(words).cloned()).await {
        Ok(Answer::Absent) if is_name => Ok(Answer::Found),
        answer => answer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::{Details, Uid};
    use std::sync::Arc;

    fn known(names: &[(&str, EdgeKind)]) -> Vec<(String, usize)> {
        let told: Vec<_> = names.iter().map(|(name, edge)| (*name, *edge, "subdomain")).collect();
        known_by(&told)
    }

    /// As [`known`], with the task that told of each name, which was asked for that name.
    fn known_by(names: &[(&str, EdgeKind, &str)]) -> Vec<(String, usize)> {
        known_beside(names, &[])
    }

    /// As [`known_by`], with names that are swept as levels of their own.
    fn known_beside(names: &[(&str, EdgeKind, &str)], swept: &[&str]) -> Vec<(String, usize)> {
        let neighbour = |(name, edge, task, argument): (&str, EdgeKind, &str, &str)| Neighbour {
            edge,
            task: task.to_owned(),
            argument: argument.to_owned(),
            uid: Uid::from_bytes([1; 32]),
            kind: Kind::DnsRecord,
            name: name.to_owned(),
            scoped: true,
            by_evidence: false,
            clearance: Clearance::L4,
            details: Arc::new(Details::new()),
        };
        let mut facts = crate::tests::facts(Kind::Domain, "acme.test", serde_json::json!({}));
        facts.outward = names.iter().map(|(name, edge, task)| neighbour((name, *edge, task, name))).collect();
        let levels = swept.iter().map(|name| (*name, EdgeKind::RegistrableDomain, "registrable_domain", LEVEL));
        facts.inward = levels.map(neighbour).collect();
        inhabited(&facts).into_iter().collect()
    }

    #[test]
    fn a_level_counts_the_names_that_stand_on_it() {
        let found = known(&[
            ("mail.de.corp.acme.test", EdgeKind::Subdomain),
            ("vpn.de.corp.acme.test", EdgeKind::CertificateName),
            ("www.acme.test", EdgeKind::Subdomain),
        ]);
        assert_eq!(found, [("corp.acme.test".to_owned(), 2), ("de.corp.acme.test".to_owned(), 2)]);
    }

    #[test]
    fn levels_of_others_services_and_names_that_are_swept_themselves_are_left_out() {
        assert_eq!(known(&[("www.shop.acme.test", EdgeKind::DelegatedSubdomain)]), []);
        assert_eq!(known(&[("x._tcp.shop.acme.test", EdgeKind::Subdomain)]), []);
        let beside = ("dev.acme.test", EdgeKind::Subdomain);
        assert_eq!(known(&[("api.dev.acme.test", EdgeKind::Subdomain), beside]), []);
        let api = ("api.quoin.acme.test", EdgeKind::Subdomain, "subdomain");
        let lone = [("quoin.acme.test".to_owned(), 1)];
        for (task, swept, left) in [
            ("subdomain", &["quoin.acme.test"][..], &[][..]),
            ("subdomain", &["api.quoin.acme.test"], &lone),
            // It would come and go.
            ("level_sweep", &["quoin.acme.test"], &lone),
        ] {
            let level = ("quoin.acme.test", EdgeKind::Subdomain, task);
            assert_eq!(known_beside(&[api, level], swept), left, "{task} {swept:?}");
        }
        let deep = format!("{}acme.test", "a.".repeat(DEPTH_MAX + 2));
        assert_eq!(known(&[(&deep, EdgeKind::Subdomain)]), []);
    }
}
