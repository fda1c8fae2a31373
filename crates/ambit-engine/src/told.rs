//! Telling products anew, where the rules are others than when they were told last: what looks left is read by the new
//! rules, and what follows is judged. Nobody is asked anything, and nothing counts as seen. A run that is under way
//! ends with the rules that it began with.

use crate::fingerprints;
use crate::reassess::Reassessed;
use crate::run::Clock;
use ambit_model::entity::network;
use ambit_model::{TaskName, Uid};
use ambit_store::engine::{Engine, Look, Telling};
use ambit_store::{Result, StoreError};
use ambit_vulns::Knowledge;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tokio::sync::watch;

/// Entities that are told of in one step: each has some pages of evidence.
const STEP_MAX: usize = 20;

/// Recognises all products again if the rules have changed since the last time. Returns `None` if they have not, if
/// `stop` came first, or if the rules could not be read; the next call then starts again. Fails if the store does. What
/// was done until then is kept.
pub async fn tell(
    engine: &Engine,
    knowledge: &Knowledge,
    clock: &Clock,
    stop: &watch::Receiver<bool>,
) -> Result<Option<Reassessed>> {
    let Some(rules) = fingerprints::now(engine).await? else { return Ok(None) };
    if engine.told_by().await? == rules.stamp {
        return Ok(None);
    }
    let (mut done, mut after, mut unread) = (Reassessed::default(), None, false);
    while let Some((last, looks)) = engine.looks_of(ambit_tasks::told::TELLING, after, STEP_MAX).await? {
        if *stop.borrow() {
            return Ok(None);
        }
        after = Some(last);
        let set = rules.set.clone();
        let told = tokio::task::spawn_blocking(move || tellings(looks, &set));
        let told = told.await.map_err(|error| StoreError::Bug(format!("recognising products failed: {error}")))?;
        let mut others: BTreeSet<Uid> = BTreeSet::new();
        for (collection, tellings) in told {
            others.extend(engine.tell_anew(collection, tellings, clock()).await?);
        }
        done.entities += others.len();
        let others: Vec<Uid> = others.into_iter().collect();
        let showing = engine.showing(&others, clock()).await?;
        unread |= !done.judge(engine, knowledge, showing, clock()).await?;
    }
    if unread {
        return Ok(None);
    }
    engine.note_told_by(&rules.stamp).await?;
    let Reassessed { entities, opened, closed } = done;
    tracing::info!(entities, opened, closed, "products of stored entities were detected again with the current rules");
    Ok(Some(done))
}

/// Looks that tell other products than they did, by collection.
fn tellings(looks: Vec<Look>, rules: &ambit_fingerprints::Set) -> BTreeMap<i64, Vec<Telling>> {
    let mut tellings: BTreeMap<i64, Vec<Telling>> = BTreeMap::new();
    for Look { collection, entity, name, task, argument, details, evidence } in looks {
        let Some(items) = ambit_tasks::told::products(task, &name, &details, &evidence, rules) else { continue };
        let Ok(items) = serde_json::to_value(items) else { continue };
        let member = network::FINGERPRINT.name();
        // An icon that shows nothing says so by an empty list, or by none at all.
        let is_same = match details.get(member) {
            Some(known) => *known == items,
            None => items == Value::Array(Vec::new()),
        };
        if !is_same {
            let mut after = details.clone();
            // Some probes rarely show products; they store the member only if there are some.
            let seldom = matches!(task, TaskName::Jarm | TaskName::Resolve | TaskName::ZoneProfile);
            if items == Value::Array(Vec::new()) && seldom {
                after.remove(member);
            } else {
                after.insert(member.to_owned(), items);
                after.sort_keys();
            }
            let telling = Telling { entity, task, argument, before: details, after };
            tellings.entry(collection).or_default().push(telling);
        }
    }
    tellings
}
