//! Domains of others that can be mistaken for a seed's, or bear its word: everything that could be registered against
//! it is asked for, and what is registered becomes an entity that nobody calls theirs.

use crate::ask::registered::{Registered, Suffixes};
use crate::ask::together::together;
use crate::{Answer, Contacts, Context, Plan, Sights, Task, TaskError};
use ambit_model::entity::domain;
use ambit_model::impersonation::Resembled;
use ambit_model::lookalike::{Resemblance, every_lookalike};
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::{Clearance, Details, EdgeKind, Facts, Kind, TaskName, Wave, workflow};
use ambit_net::NetError;
use std::collections::BTreeSet;

pub(crate) const TASK: Task = Task {
    name: TaskName::ResemblingDomains,
    pretty_name: "Domains that pass for theirs",
    description: "Asks which of all names that can be mistaken for a domain, or that bear a word, are registered: \
                  slips, letters that look alike, every suffix, words that lure.",
    workflows: &[workflow::SUSPICIOUS_DOMAINS],
    watches: &[Kind::Domain, Kind::UniqueKeyword],
    produces: &[Kind::Domain],
    footprint: Clearance::L1,
    wave: Wave::Passive,
    ttl_ms: DAY_MS,
    cost: 8_000,
    gain: 400,
    slow: false,
    volatile: &[],
    contacts: Contacts::Zone,
    sights: Sights::All(Sighting::Ends),
    plan: |facts, _| match facts.seed && facts.decision.scoped() {
        true => Plan::Sweep { prefix: String::new(), size: SPACE, step: STEP },
        false => Plan::No,
    },
    run: |cx| Box::pin(run(cx)),
};

/// Names that are asked for: the longest labels have about ten thousand. Where there are more, those that are worth
/// most.
const SPACE: i64 = 12_000;
/// Names of one probe: some seconds at the usual pace.
const STEP: i64 = 400;
/// Questions in flight; the resolver's own window paces them.
const IN_FLIGHT: usize = 64;
/// The suffix under which a word is varied; under the others it is tried as it is.
const SUFFIX_OF_WORDS: &str = "com";

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let suffixes = Suffixes::default();
    let asked = part(cx.argument, candidates(cx.facts))?;
    let ask = |(name, by): (String, Resemblance)| {
        let suffixes = &suffixes;
        async move { (suffixes.is_registered(cx, &name).await, name, by) }
    };
    let (mut registered, mut failure) = (BTreeSet::new(), None);
    for (answer, name, by) in together(asked.into_iter().map(ask), IN_FLIGHT).await {
        match answer {
            Ok(Registered::Yes) => {
                registered.insert((name, by));
            }
            Ok(Registered::No) => {}
            Err(error @ NetError::Budget(_)) => return Err(error.into()),
            // Without an answer a name stays what it was.
            Err(_) if cx.facts.to(EdgeKind::Resembles).any(|known| known.name == name) => {
                registered.insert((name, by));
            }
            Err(error) => failure = failure.max(Some(format!("{name}: {error}"))),
        }
    }
    // A name without an answer could be the one: that there is none must not be said.
    if let Some(why) = failure.filter(|_| registered.is_empty()) {
        return Err(TaskError::Failed(why));
    }
    for (name, by) in &registered {
        let resembled = vec![Resembled { of: cx.facts.name.clone(), by: *by }];
        let details = Details::from_iter([domain::RESEMBLANCES.is(resembled)]);
        cx.found_with(Kind::Domain, name, EdgeKind::Resembles, details);
    }
    Ok(Answer::found_if(!registered.is_empty()))
}

/// What could be registered against a seed, less the other seeds.
fn candidates(facts: &Facts) -> Vec<(String, Resemblance)> {
    let is_other = |name: &str| facts.seeds.iter().all(|(_, seed)| seed != name);
    let mut names = match facts.kind {
        Kind::Domain => every_lookalike(&facts.name),
        _ => of_word(&facts.name),
    };
    // The places of the others stay, so that a seed that is added moves no name to another probe.
    for (name, _) in &mut names {
        if !is_other(name) {
            name.clear();
        }
    }
    names
}

/// What could be registered with a word of theirs.
fn of_word(word: &str) -> Vec<(String, Resemblance)> {
    let label: String = word.chars().filter(|letter| letter.is_alphanumeric() || *letter == '-').collect();
    let domain = Kind::Domain.canonical(&format!("{}.{SUFFIX_OF_WORDS}", label.to_lowercase()));
    let Ok(domain) = domain else { return Vec::new() };
    let names = every_lookalike(&domain);
    std::iter::once((domain, Resemblance::OtherSuffix)).chain(names).collect()
}

/// The names of a range of the sweep.
fn part(range: &str, names: Vec<(String, Resemblance)>) -> Result<Vec<(String, Resemblance)>, TaskError> {
    let ends =
        range.split_once('-').and_then(|(from, to)| Some((from.parse::<usize>().ok()?, to.parse::<usize>().ok()?)));
    let (from, to) = ends.ok_or_else(|| TaskError::Failed(format!("not a range of names: {range:?}")))?;
    let asked = names.into_iter().skip(from).take(to.saturating_sub(from));
    Ok(asked.filter(|(name, _)| Kind::Domain.canonical(name).is_ok_and(|canonical| canonical == *name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::facts;
    use serde_json::json;

    fn names(kind: Kind, seed: &str) -> Vec<String> {
        candidates(&facts(kind, seed, json!({}))).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn words_are_tried_with_every_suffix_and_varied_under_one() {
        let found = names(Kind::UniqueKeyword, "Harbour Tools");
        for name in
            ["harbourtools.com", "harbourtools.de", "harbourtools.co.uk", "harbourtooIs.com".to_lowercase().as_str()]
        {
            assert!(found.contains(&name.to_owned()), "{name}");
        }
        assert!(found.contains(&"harbourt00ls.com".to_owned()) && names(Kind::UniqueKeyword, "???").is_empty());
    }

    #[test]
    fn the_space_holds_what_a_name_has_and_ranges_take_it_apart() {
        let longest = names(Kind::Domain, "international-harbour-tools.test").len();
        assert!(names(Kind::Domain, "harbour.test").len() < usize::try_from(SPACE).unwrap(), "{longest}");
        let all = candidates(&facts(Kind::Domain, "harbour.test", json!({})));
        let taken: usize = (0..SPACE)
            .step_by(400)
            .map(|from| part(&format!("{from}-{}", from + STEP), all.clone()).unwrap().len())
            .sum();
        assert_eq!(taken, all.len());
        assert!(part("x", Vec::new()).is_err());
    }

    #[test]
    fn a_seed_is_not_asked_for_and_moves_nothing() {
        // `acme.test` is a seed of the facts.
        let found = names(Kind::Domain, "acm-e.test");
        assert!(!found.contains(&"acme.test".to_owned()) && found.contains(&String::new()));
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
