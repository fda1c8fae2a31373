//! Looks of live rules that wait: each owner's rules have a slice of time, and what does not fit into it waits here for
//! the owner's next turn, so that no owner's costly rules hold up the others'.

use super::hunt::{record_hunt, specimens};
use super::turns::{note_turn, turns};
use super::{Engine, Hunted, LiveRuleset, Specimen};
use crate::Result;
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use ambit_model::Timestamp;

/// The name of the owners' turns.
const OWNER: &str = "hunts of an owner";

/// Looks that wait, of the owner whose turn it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deferred {
    pub owner: i64,
    /// What waits longest, first.
    pub scans: Vec<(LiveRuleset, Specimen)>,
}

impl Engine {
    /// The looks that wait of the owner who was served longest ago, who goes behind all others with this; none: nothing
    /// waits. What waits for rules that look no more (changed, disabled, too slow, at their limit) is dropped.
    pub async fn take_deferred(&self, live: &[LiveRuleset], limit: i64) -> Result<Deferred> {
        let mut tx = self.store.read().await?;
        if !tx.exists("SELECT 1 FROM hunts_deferred LIMIT 1", Vec::new()).await? {
            return Ok(Deferred::default());
        }
        tx.rollback().await?;
        let live = live.to_vec();
        transaction!(self.store, Engine, async |tx| take(tx, &live, limit).await)
    }

    /// Puts owners whose rules had their time behind those whose rules had none.
    pub async fn note_hunt_turns(&self, owners: Vec<i64>) -> Result<()> {
        transaction!(self.store, Engine, async |tx| {
            for owner in owners {
                note_turn(tx, OWNER, owner).await?;
            }
            Ok(())
        })
    }

    /// The live sets, owner by owner, whoever was served longest ago first.
    pub async fn live_rulesets_in_turn(&self, now: Timestamp) -> Result<Vec<(i64, Vec<LiveRuleset>)>> {
        let mut owners: Vec<(i64, Vec<LiveRuleset>)> = Vec::new();
        for ruleset in self.live_rulesets(now).await? {
            match owners.iter_mut().find(|(owner, _)| *owner == ruleset.owner) {
                Some((_, sets)) => sets.push(ruleset),
                None => owners.push((ruleset.owner, vec![ruleset])),
            }
        }
        let mut tx = self.store.read().await?;
        let turns = turns(&mut tx, OWNER).await?;
        owners.sort_by_key(|(owner, _)| (turns.get(owner).copied().unwrap_or(0), *owner));
        Ok(owners)
    }

    /// Reports what deferred looks of sets found and ends their waiting, in one transaction. What another engine looked
    /// at meanwhile is not reported again.
    pub async fn record_deferred(&self, done: Vec<(LiveRuleset, Hunted)>, now: Timestamp) -> Result<()> {
        transaction!(self.store, Engine, async |tx| {
            for (ruleset, hunted) in &done {
                let sql = "DELETE FROM hunts_deferred WHERE ruleset_id = $1 AND edition = $2 AND specimen = $3";
                let row = values![&ruleset.id, ruleset.edition, hunted.specimen.number];
                if tx.run(sql, row).await? > 0 {
                    record_hunt(tx, hunted, now).await?;
                }
            }
            Ok(())
        })
    }
}

async fn take(tx: &mut Tx, live: &[LiveRuleset], limit: i64) -> Result<Deferred> {
    let sql = "SELECT d.owner_id FROM (SELECT DISTINCT owner_id FROM hunts_deferred) d
               LEFT JOIN turns t ON t.what = $1 AND t.id = d.owner_id ORDER BY COALESCE(t.number, 0), d.owner_id LIMIT \
               1";
    let Some(owner) = tx.read_first::<i64>(sql, values![OWNER]).await? else {
        return Ok(Deferred::default());
    };
    note_turn(tx, OWNER, owner).await?;
    let sql = "SELECT d.ruleset_id, d.edition, d.specimen FROM hunts_deferred d WHERE d.owner_id = $1 ORDER BY \
               d.number LIMIT $2";
    let (mut scans, mut over) = (Vec::new(), Vec::new());
    for (id, edition, number) in tx.read_all::<(String, i64, i64)>(sql, values![owner, limit]).await? {
        let found = tx.read_first(&format!("{} s.number = $1", specimens()), values![number]).await?;
        let ruleset = live.iter().find(|ruleset| ruleset.id == id && ruleset.edition == edition);
        match (ruleset, found) {
            (Some(ruleset), Some(found)) => scans.push((ruleset.clone(), found)),
            _ => over.extend(values![id, edition, number]),
        }
    }
    let head = "DELETE FROM hunts_deferred WHERE (ruleset_id, edition, specimen) IN (";
    tx.many(head, 3, over, ")").await?;
    Ok(Deferred { owner, scans })
}
