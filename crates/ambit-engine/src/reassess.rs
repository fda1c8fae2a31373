//! Judging again what is stored, where something else is known against products than when it was judged last. Nobody
//! is asked anything: the facts are those of the last look, and what is found so is of today. What runs see meanwhile
//! they judge by themselves.

use crate::judge::UPSTREAM;
use crate::run::Clock;
use crate::vulnerabilities::{by_product, look_up};
use ambit_checks::Judge;
use ambit_model::Timestamp;
use ambit_model::facts::{Facts, ProbeOutcome};
use ambit_model::issue::Verdict;
use ambit_store::Result;
use ambit_store::engine::{Engine, IssueWrite, Known, Reassessment, Showing};
use ambit_vulns::Knowledge;
use std::collections::BTreeMap;
use tokio::sync::watch;

/// Entities that are judged again in one step.
const STEP_MAX: usize = 200;

/// The result of judging again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reassessed {
    /// Entities that were judged.
    pub entities: usize,
    /// Issues that are open now and were not.
    pub opened: usize,
    /// Issues that were open and are not any more.
    pub closed: usize,
}

impl Reassessed {
    /// Judges entities and stores what follows; returns false if the packs could not be read for some of them.
    pub(crate) async fn judge(
        &mut self,
        engine: &Engine,
        knowledge: &Knowledge,
        showing: Vec<Showing>,
        now: Timestamp,
    ) -> Result<bool> {
        let (reassessments, all_read) = judged(knowledge, showing, now);
        for reassessment in reassessments {
            let moved = engine.reassess(reassessment).await?;
            self.opened += moved.opened;
            self.closed += moved.closed;
        }
        Ok(all_read)
    }
}

/// Judges everything again where something else is known than when it was judged last; `None`: nothing else is known,
/// or `stop` came before the end or packs could not be read for some entities, and whoever comes next begins anew.
/// Fails if the store does. What was judged until then stays.
pub async fn reassess(
    engine: &Engine,
    knowledge: &Knowledge,
    clock: &Clock,
    stop: &watch::Receiver<bool>,
) -> Result<Option<Reassessed>> {
    let stamp = knowledge.stamp();
    if engine.judged_by().await? == stamp {
        return Ok(None);
    }
    let (mut done, mut after, mut unread) = (Reassessed::default(), None, false);
    while let Some((last, showing)) = engine.showing_products(after, STEP_MAX, clock()).await? {
        if *stop.borrow() {
            return Ok(None);
        }
        after = Some(last);
        done.entities += showing.len();
        unread |= !done.judge(engine, knowledge, showing, clock()).await?;
    }
    if unread {
        return Ok(None);
    }
    engine.note_judged_by(&stamp).await?;
    let Reassessed { entities, opened, closed } = done;
    tracing::info!(entities, opened, closed, "stored entities were judged again with the current vulnerability data");
    Ok(Some(done))
}

/// What follows for entities, by their collection, and whether the packs could be read for all of them.
fn judged(knowledge: &Knowledge, showing: Vec<Showing>, now: Timestamp) -> (Vec<Reassessment>, bool) {
    let mut all_read = true;
    let mut by_collection: BTreeMap<i64, Reassessment> = BTreeMap::new();
    for Showing { collection, date, mut known } in showing {
        look_up(knowledge, &mut known.facts);
        // Data that cannot be read changes no issue; the log has the reason.
        let Some(affected) = &known.facts.vulnerabilities else {
            all_read = false;
            continue;
        };
        let reassessment = by_collection.entry(collection).or_insert_with(|| Reassessment {
            collection,
            issues: Vec::new(),
            vulns: Vec::new(),
            at: date,
            now,
        });
        let vulns = by_product(affected);
        if vulns != known.vulns {
            reassessment.vulns.push((known.facts.uid, vulns));
        }
        reassessment.issues.extend(writes(&known, date));
    }
    let changes = |one: &Reassessment| !one.issues.is_empty() || !one.vulns.is_empty();
    (by_collection.into_values().filter(changes).collect(), all_read)
}

/// Returns the writes of the judges that depend on vulnerability data. What a pending probe will decide is left to it.
fn writes(known: &Known, date: Timestamp) -> Vec<IssueWrite> {
    let mut writes = Vec::new();
    if !known.facts.present || !known.facts.decision.scoped() {
        return writes;
    }
    let of_kind = |judge: &&Judge| judge.applies_to.contains(&known.facts.kind) && stands(judge, &known.facts);
    for judge in ambit_checks::by_knowledge().filter(of_kind) {
        let proofs = match judge.verdict(&known.facts, date) {
            Verdict::Unknown => continue,
            Verdict::Clear => Vec::new(),
            Verdict::Proven(proofs) => proofs,
        };
        let unproven = known.issues.iter().filter(|issue| {
            issue.name == judge.issue.name
                && issue.upstream == UPSTREAM
                && issue.status.rests_on_fact()
                && issue.absent_at.is_none()
                && !proofs.iter().any(|proof| proof.discriminator == issue.discriminator)
        });
        writes.extend(unproven.map(|issue| IssueWrite::Resolve { issue: issue.uid }));
        writes.extend(proofs.into_iter().map(|proof| IssueWrite::Prove {
            entity: known.facts.uid,
            kind: &judge.issue,
            upstream: UPSTREAM.to_owned(),
            proof: Box::new(proof),
        }));
    }
    writes
}

/// True where every newest look of what the judge reads found something: the facts are not in doubt.
fn stands(judge: &Judge, facts: &Facts) -> bool {
    let mut probes = judge.reads.iter().flat_map(|task| facts.probes_of(*task)).peekable();
    probes.peek().is_some() && probes.all(|(_, probe)| probe.outcome == ProbeOutcome::Found)
}
