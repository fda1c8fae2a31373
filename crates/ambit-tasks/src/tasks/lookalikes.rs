//! Registered domains whose names can be mistaken for a seed's. They are only resolved, and stay third parties: no edge
//! leads there.

use crate::ask::together::together;
use crate::{Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::entity::domain;
use ambit_model::lookalike::lookalikes;
use ambit_model::moment::DAY_MS;
use ambit_model::{Facts, Kind, TaskName, workflow};
use ambit_net::NetError;
use ambit_net::dns::{RecordData, RecordType};
use std::collections::BTreeSet;

pub(crate) const TASK: Task = Task {
    name: TaskName::Lookalikes,
    pretty_name: "Look-alike domains",
    description: "Asks which domains are registered whose names resemble the seed's: typing slips, neighbouring keys, \
                  letters that look alike in any script, other suffixes.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::THIRD_PARTIES],
    watches: &[Kind::Domain],
    ttl_ms: 7 * DAY_MS,
    cost: 400,
    gain: 1,
    plan: |facts, _| Plan::once_if(facts.seed && facts.decision.scoped()),
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

/// Questions in flight; the resolver's own window paces them.
const IN_FLIGHT: usize = 32;
/// Domains asked for; where more resemble the seed, those that are worth most.
const VARIANTS_MAX: usize = 1_000;

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let ask = |name: String| async move {
        let exists = is_registered(cx, &name).await;
        (name, exists)
    };
    let questions = variants(cx.facts).into_iter().map(ask);
    let (mut registered, mut failed) = (BTreeSet::new(), None);
    for (name, exists) in together(questions, IN_FLIGHT).await {
        match exists {
            Ok(true) => {
                registered.insert(name);
            }
            Ok(false) => {}
            Err(error @ NetError::Budget(_)) => return Err(error.into()),
            // Without an answer a name stays what it was.
            Err(_) if is_known(cx.facts, &name) => {
                registered.insert(name);
            }
            Err(error) => failed = failed.max(Some((name, error.to_string()))),
        }
    }
    // A name without an answer could be the one: that there is none must not be said.
    if let Some((name, why)) = failed.filter(|_| registered.is_empty()) {
        return Err(TaskError::Failed(format!("{name}: {why}")));
    }
    if !registered.is_empty() {
        cx.observe(domain::LOOKALIKES, registered.iter().cloned().collect::<Vec<_>>());
    }
    Ok(Answer::found_if(!registered.is_empty()))
}

/// True where the name has a zone of its own. One without addresses may still send and receive mail.
async fn is_registered(cx: &Context<'_>, name: &str) -> Result<bool, NetError> {
    let answer = cx.net.lookup_uncached(name, RecordType::NS).await?;
    let own = |data: &RecordData| matches!(data, RecordData::Ns(_));
    Ok(answer.records.iter().any(|record| record.name == name && own(&record.data)))
}

fn is_known(facts: &Facts, name: &str) -> bool {
    domain::LOOKALIKES.texts(&facts.details).any(|known| known == name)
}

/// Domains that resemble the seed, those first that are worth most; no other seed is among them.
fn variants(facts: &Facts) -> Vec<String> {
    let found = lookalikes(&facts.name).into_iter();
    found
        .map(|(name, _)| name)
        .filter(|name| !facts.seeds.contain(name))
        .filter_map(|name| Kind::Domain.canonical(&name).ok())
        .take(VARIANTS_MAX)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::facts;
    use serde_json::json;

    fn of(seed: &str) -> Vec<String> {
        variants(&facts(Kind::Domain, seed, json!({})))
    }

    #[test]
    fn slips_letters_that_look_alike_and_other_suffixes_are_tried() {
        let found = of("harbour.test");
        for name in [
            "harb0ur.test",
            "habour.test",
            "harrbour.test",
            "harobur.test",
            "har-bour.test",
            "harbour.com",
            "harbour.co.uk",
        ] {
            assert!(found.contains(&name.to_owned()), "{name}");
        }
        assert!(of("modern.test").contains(&"rnodern.test".to_owned()));
        assert!(of("two-parts.test").contains(&"twoparts.test".to_owned()));
        assert!(found.len() <= VARIANTS_MAX && of("international-harbour-tools.test").len() == VARIANTS_MAX);
    }

    #[test]
    fn the_seed_other_seeds_and_malformed_names_are_left_out() {
        for (seed, left_out) in
            [("harbour.test", "harbour.test"), ("acm-e.test", "acme.test"), ("acme.test", "-cme.test")]
        {
            assert!(!of(seed).contains(&left_out.to_owned()), "{seed}");
        }
        assert!(of("two-parts.test").iter().all(|name| !name.starts_with('-') && !name.contains("-.")));
        assert!(of("abc.test").iter().all(|name| name.starts_with("abc.")), "a short label has other suffixes only");
    }

    #[test]
    fn only_scoped_seeds_are_looked_at() {
        let mut domain = facts(Kind::Domain, "acme.test", json!({}));
        let plan = |facts: &Facts| (TASK.plan)(facts, &crate::Settings::default());
        domain.decision.ownership = 1000;
        assert_eq!(plan(&domain), Plan::No);
        domain.seed = true;
        assert_eq!(plan(&domain), Plan::Once);
        domain.decision.ownership = 0;
        assert_eq!(plan(&domain), Plan::No);
    }
}
