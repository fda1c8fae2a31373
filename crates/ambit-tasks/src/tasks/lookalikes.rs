//! Registered domains whose names can be mistaken for a seed's. They are only resolved, and stay third parties: no edge
//! leads there.

use crate::ask::together::together;
use crate::{Answer, Contacts, Context, Plan, Sights, Task, TaskError};
use ambit_model::entity::domain;
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::{Clearance, Facts, Kind, TaskName, workflow};
use ambit_net::NetError;
use ambit_net::dns::{RecordData, RecordType};
use std::collections::BTreeSet;

pub(crate) const TASK: Task = Task {
    name: TaskName::Lookalikes,
    pretty_name: "Look-alike domains",
    description: "Asks which domains are registered whose names resemble the seed's: typing slips, letters that look \
                  alike, other suffixes.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::SUSPICIOUS_DOMAINS, workflow::THIRD_PARTIES],
    watches: &[Kind::Domain],
    produces: &[],
    footprint: Clearance::L1,
    ttl_ms: 7 * DAY_MS,
    cost: 100,
    gain: 1,
    volatile: &[],
    contacts: Contacts::Zone,
    sights: Sights::All(Sighting::Ends),
    plan: |facts, _| Plan::once_if(facts.seed && facts.decision.scoped()),
    run: |cx| Box::pin(run(cx)),
};

/// Questions in flight; the resolver's own window paces them.
const IN_FLIGHT: usize = 32;
/// Domains asked for; a label of 63 letters has no more variants than this.
const VARIANTS_MAX: usize = 400;
/// Shorter labels are one slip away from too many honest ones: only other suffixes are tried.
const LABEL_CHARS_MIN: usize = 4;
/// What passes for one another at a glance, in both directions.
const ALIKE: &[(&str, &str)] =
    &[("0", "o"), ("1", "l"), ("1", "i"), ("i", "l"), ("3", "e"), ("5", "s"), ("rn", "m"), ("vv", "w"), ("cl", "d")];
/// Suffixes under which the same label is most often registered by others.
const SUFFIXES: &[&str] = &[
    "app", "biz", "co", "co.uk", "com", "de", "dev", "eu", "fr", "info", "io", "net", "online", "org", "shop", "site",
    "us",
];

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
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

/// Domains that resemble the seed, sorted; no other seed is among them.
fn variants(facts: &Facts) -> Vec<String> {
    let Some((label, suffix)) = facts.name.split_once('.') else {
        return Vec::new();
    };
    let mut names: BTreeSet<String> = SUFFIXES.iter().map(|other| format!("{label}.{other}")).collect();
    if label.len() >= LABEL_CHARS_MIN && !label.starts_with("xn--") {
        names.extend(slips(label).into_iter().map(|slip| format!("{slip}.{suffix}")));
    }
    names
        .into_iter()
        .filter(|name| *name != facts.name && facts.seeds.iter().all(|(_, seed)| seed != name))
        .filter_map(|name| Kind::Domain.canonical(&name).ok())
        .take(VARIANTS_MAX)
        .collect()
}

/// Labels one slip away: a letter left out, doubled, swapped with its neighbour or replaced by one that looks alike; a
/// hyphen more or less.
fn slips(label: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for at in 0..label.len() {
        let (Some(before), Some(letter), Some(after)) = (label.get(..at), label.get(at..=at), label.get(at + 1..))
        else {
            continue;
        };
        found.insert(format!("{before}{after}"));
        found.insert(format!("{before}{letter}{letter}{after}"));
        if let Some(next) = after.get(..1) {
            found.insert(format!("{before}{next}{letter}{}", &after[1..]));
            found.insert(format!("{before}{letter}-{after}"));
        }
    }
    for (a, b) in ALIKE {
        for (from, to) in [(a, b), (b, a)] {
            let places = label.match_indices(from);
            found.extend(places.map(|(at, _)| format!("{}{to}{}", &label[..at], &label[at + from.len()..])));
        }
    }
    found.insert(label.replace('-', ""));
    found.retain(|slip| {
        slip != label && !slip.is_empty() && !slip.starts_with('-') && !slip.ends_with('-') && !slip.contains("--")
    });
    found
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
        assert!(found.is_sorted() && found.len() < VARIANTS_MAX);
    }

    #[test]
    fn the_seed_other_seeds_and_malformed_names_are_left_out() {
        for (seed, left_out) in
            [("harbour.test", "harbour.test"), ("acm-e.test", "acme.test"), ("acme.test", "-cme.test")]
        {
            assert!(!of(seed).contains(&left_out.to_owned()), "{seed}");
        }
        assert!(of("two-parts.test").iter().all(|name| !name.contains("--") && !name.contains("-.")));
        assert_eq!(of("abc.test").len(), SUFFIXES.len(), "a short label is only tried under other suffixes");
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
