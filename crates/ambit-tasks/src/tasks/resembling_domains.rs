//! Domains of others that can be mistaken for a seed's, or bear its word: everything that could be registered against
//! it is asked for, and what is registered becomes an entity that nobody calls theirs.

use crate::ask::registered::{Registered, Suffixes};
use crate::ask::together::together;
use crate::{Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::entity::domain;
use ambit_model::impersonation::Resembled;
use ambit_model::lookalike::{Resemblance, lookalikes_of_seed};
use ambit_model::{Details, EdgeKind, Facts, Kind, TaskName, workflow};
use ambit_net::NetError;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const TASK: Task = Task {
    name: TaskName::ResemblingDomains,
    pretty_name: "Domains that pass for theirs",
    description: "Asks which of all names that can be mistaken for a domain, or that contain a word, are registered: \
                  typing slips, letters that look alike, every suffix, words that lure, the name in front of others.",
    workflows: &[workflow::SUSPICIOUS_DOMAINS],
    watches: &[Kind::Domain, Kind::UniqueKeyword],
    produces: &[Kind::Domain],
    cost: 8_000,
    gain: 800,
    plan: |facts, _| match facts.seed && facts.decision.scoped() {
        true => Plan::Sweep { prefix: String::new(), size: SPACE + STEP, step: STEP },
        false => Plan::No,
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

/// Names that are asked for: a label of fifty letters has some seven thousand. Where there are more, those that are
/// worth most. Behind them is one probe more, which says what was left out.
pub(crate) const SPACE: i64 = 10_000;
/// Names of one probe: some seconds at the usual pace.
const STEP: i64 = 400;
/// Questions in flight; the resolver's own window paces them.
const IN_FLIGHT: usize = 64;

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let suffixes = Suffixes::default();
    let asked = part(cx.argument, candidates(cx.facts), cx.facts)?;
    let ask = |(name, by): (String, Resemblance)| {
        let suffixes = &suffixes;
        async move { (suffixes.is_registered(cx, &name).await, name, by) }
    };
    let (mut registered, mut failed, mut untold, mut is_gone) = (BTreeSet::new(), BTreeMap::new(), None, false);
    let mut standing = Vec::new();
    for (answer, name, by) in together(asked.into_iter().map(ask), IN_FLIGHT).await {
        let known = cx.facts.led_to(TASK.name, cx.argument).find(|known| known.name == name);
        match answer {
            Ok(Registered::Yes) => {
                registered.insert((name, by));
                continue;
            }
            Ok(Registered::No) => {
                is_gone |= known.is_some();
                continue;
            }
            Err(error @ NetError::Budget(_)) => return Err(error.into()),
            Ok(Registered::Untold) => untold = untold.max(Some(format!("{name}: every name there exists"))),
            Err(error) => drop(failed.insert(name, error)),
        }
        // Without an answer a name stays what it was.
        standing.extend(known);
    }
    let is_told = !registered.is_empty() || (is_gone && !standing.is_empty());
    // While a name has no answer, the probe must not end as absent. At some providers the answer never comes: a name
    // elsewhere that is gone, or one that exists, must be reported all the same.
    let why = without_answer(&failed).or_else(|| untold.filter(|_| !is_gone && !is_told));
    for (name, by) in &registered {
        let resembled = vec![Resembled { of: cx.facts.name.clone(), by: *by }];
        let details = Details::from_iter([domain::RESEMBLANCES.is(resembled)]);
        cx.found_with(Kind::Domain, name, EdgeKind::Resembles, details);
    }
    standing.into_iter().for_each(|known| cx.stands(known));
    Answer::despite(is_told, why.map(TaskError::Failed))
}

/// Says which names had no answer; `None` where all had one.
fn without_answer(failed: &BTreeMap<String, NetError>) -> Option<String> {
    let (name, error) = failed.first_key_value()?;
    Some(match failed.len() {
        1 => format!("{name}: {error}"),
        count => format!("{count} names without an answer, {name} the first: {error}"),
    })
}

/// What could be registered against a seed, less what is theirs. The places of those stay, so that a seed that is added
/// moves no name to another probe.
fn candidates(facts: &Facts) -> Vec<(String, Resemblance)> {
    let is_theirs = |name: &str| facts.seeds.contain(name) || facts.seeds.cover_by_domain(name);
    let mut names = lookalikes_of_seed(facts.kind, &facts.name);
    for (name, _) in names.iter_mut().filter(|(name, _)| is_theirs(name)) {
        name.clear();
    }
    names
}

/// The names of a range of the sweep. The range behind the last name that is asked for fails where there are more.
fn part(range: &str, names: Vec<(String, Resemblance)>, facts: &Facts) -> Result<Vec<(String, Resemblance)>> {
    let ends =
        range.split_once('-').and_then(|(from, to)| Some((from.parse::<usize>().ok()?, to.parse::<usize>().ok()?)));
    let (from, to) = ends.ok_or_else(|| TaskError::Failed(format!("not a range of names: {range:?}")))?;
    let most = usize::try_from(SPACE).unwrap_or(usize::MAX);
    if from >= most {
        return match names.len().saturating_sub(most) {
            0 => Ok(Vec::new()),
            cut => Err(TaskError::OutOfBudget(format!(
                "{cut} of {} names that could pass for {} were not asked for, the least likely ones",
                names.len(),
                facts.name
            ))),
        };
    }
    let asked = names.into_iter().skip(from).take(to.min(most).saturating_sub(from));
    Ok(asked.filter(|(name, _)| Kind::Domain.canonical(name).is_ok_and(|canonical| canonical == *name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::facts;
    use serde_json::json;
    use std::sync::Arc;

    fn names(kind: Kind, seed: &str) -> Vec<String> {
        candidates(&facts(kind, seed, json!({}))).into_iter().map(|(name, _)| name).collect()
    }

    /// How many names each range of the sweep asks for, and what the last one says.
    fn taken(all: &[(String, Resemblance)]) -> (usize, Option<String>) {
        let facts = facts(Kind::Domain, "harbour.test", json!({}));
        let ranges = (0..SPACE + STEP).step_by(400).map(|from| format!("{from}-{}", from + STEP));
        let parts: Vec<_> = ranges.map(|range| part(&range, all.to_vec(), &facts)).collect();
        let last = parts.last().and_then(|part| part.as_ref().err()).map(ToString::to_string);
        (parts.iter().flatten().map(Vec::len).sum(), last)
    }

    #[test]
    fn the_space_holds_what_a_name_has_and_what_it_cuts_is_said() {
        for seed in ["harbour.test", "international-harbour-tools.test"] {
            let facts = facts(Kind::Domain, seed, json!({}));
            let all = candidates(&facts);
            assert_eq!(taken(&all), (all.len(), None), "{seed}");
            assert!(part("x", all, &facts).is_err());
        }
        let many: Vec<_> = (0..SPACE + 5).map(|number| (format!("x{number}.test"), Resemblance::Addition)).collect();
        let said = "5 of 10005 names that could pass for harbour.test were not asked for, the least likely ones";
        assert_eq!(taken(&many), (10_000, Some(said.to_owned())));
    }

    #[test]
    fn what_is_theirs_is_not_asked_for_and_moves_nothing() {
        // `acme.test` is a seed of the facts.
        let found = names(Kind::Domain, "acm-e.test");
        assert!(!found.contains(&"acme.test".to_owned()) && found.contains(&String::new()));
        let below = names(Kind::Domain, "shop-acme.test");
        assert!(!below.contains(&"shop.acme.test".to_owned()) && below.contains(&"sho.p-acme.test".to_owned()));
    }

    #[test]
    fn a_seed_that_is_no_domain_makes_nothing_below_it_theirs() {
        let mut facts = facts(Kind::Domain, "harbour.test", json!({}));
        let named = [(Kind::UniqueKeyword, "zip"), (Kind::DnsRecord, "github.io")];
        facts.seeds = Arc::new(named.into_iter().map(|(kind, name)| (kind, name.to_owned())).collect());
        let found: Vec<String> = candidates(&facts).into_iter().map(|(name, _)| name).collect();
        for name in ["harbour.zip", "harbour.github.io"] {
            assert!(found.iter().any(|found| found == name), "{name}");
        }
    }

    #[test]
    fn only_seeds_are_looked_at() {
        let mut domain = facts(Kind::Domain, "acme.test", json!({}));
        domain.decision.ownership = 1000;
        assert_eq!((TASK.plan)(&domain, &crate::Settings::default()), Plan::No);
        domain.seed = true;
        assert!(matches!((TASK.plan)(&domain, &crate::Settings::default()), Plan::Sweep { .. }));
    }
}
