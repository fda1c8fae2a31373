//! One change of many entities or issues, all or none: what a person does with a selection.

use crate::db::sql::Tx;
use crate::db::writer::transaction;
use crate::inventory::assignees;
use crate::inventory::collections;
use crate::inventory::items;
use crate::inventory::marks::{clean_tags, has_tag};
use crate::people::audit;
use crate::record::{ChangeContext, Changes, Closing, closing};
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::issue::{Decision, Status, Until};
use ambit_model::limits::REASON_CHARS_MAX;
use ambit_model::user::CollectionRole;
use ambit_model::{Item, Timestamp, Uid};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Items of one call at most: they are changed in one transaction, which nobody should wait long for.
const ITEMS_MAX: usize = 1_000;

/// What is changed of each item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BulkChange {
    /// For issues only.
    pub status: Option<Status>,
    /// Why an issue is closed; at most [`REASON_CHARS_MAX`] characters. For a status that closes only.
    pub reason: Option<String>,
    /// How long that holds while the fact stays; `None`: as long as it does. For a status that closes only.
    pub until: Option<Until>,
    /// Who is to see to an issue: a username or address; `Some(None)`: nobody. For issues only.
    pub assignee: Option<Option<String>>,
    pub add_tags: Vec<String>,
    /// Those that are not there are none to remove.
    pub remove_tags: Vec<String>,
}

impl Store {
    /// Changes entities or issues, named by uid or uuid, in any collections in which the caller is an analyst;
    /// `project` narrows. One that the caller may not see or change refuses all. Answers with how many items that were.
    pub async fn change_items(
        &self,
        caller: &Caller,
        (item, ids): (Item, &[String]),
        project: Option<i64>,
        change: &BulkChange,
    ) -> Result<usize> {
        if ids.len() > ITEMS_MAX {
            return Err(StoreError::Invalid(format!("at most {ITEMS_MAX} items in one call")));
        }
        if item == Item::Entity && change.status.is_some() {
            return Err(StoreError::Invalid("only issues have a status".to_owned()));
        }
        if item == Item::Entity && change.assignee.is_some() {
            return Err(StoreError::Invalid("only issues can be assigned".to_owned()));
        }
        let change = BulkChange { add_tags: clean_tags(&change.add_tags)?, ..change.clone() };
        check_decision(&change, caller.now)?;
        let (caller, ids) = (caller.clone(), ids.to_vec());
        transaction!(self, Person, async |tx| {
            let mut places: BTreeMap<i64, (i64, BTreeSet<Uid>)> = BTreeMap::new();
            for id in &ids {
                let view = items::require(tx, &caller, (item, id), project, CollectionRole::Analyst).await?;
                let place = places.entry(view.collection.id).or_insert((view.collection.project, BTreeSet::new()));
                place.1.insert(view.uid);
            }
            // All of them before the revision counter, which the first change takes: the order in which everybody
            // locks.
            for collection in places.keys() {
                collections::lock(tx, *collection).await?;
            }
            let mut changed = 0;
            for (collection, (project, uids)) in places {
                changed += uids.len();
                let change = BulkChange {
                    assignee: assignees::known(tx, &change.assignee, project, collection).await?,
                    ..change.clone()
                };
                let said = apply(tx, &caller, (collection, item), &uids, &change).await?;
                for (uid, action, details) in said {
                    audit::insert(tx, &caller, Some(project), action, uid, details).await?;
                }
            }
            Ok(changed)
        })
    }
}

/// Refuses a reason or an end that belongs to no closing, an end that is over, and a reason that is too long.
fn check_decision(change: &BulkChange, now: Timestamp) -> Result<()> {
    let invalid = |text: String| Err(StoreError::Invalid(text));
    let closes = change.status.is_some_and(|status| !status.is_open());
    if !closes && (change.reason.is_some() || change.until.is_some()) {
        return invalid("reason and until need a status that closes, such as closed_risk_accepted".to_owned());
    }
    if matches!(change.until, Some(Until::Moment(moment)) if moment <= now) {
        return invalid("until must lie in the future".to_owned());
    }
    if change.reason.as_ref().is_some_and(|reason| reason.chars().count() > REASON_CHARS_MAX) {
        return invalid(format!("reason may have {REASON_CHARS_MAX} characters at most"));
    }
    Ok(())
}

/// A row of the audit log: what changed, the action, details.
type BulkRow = (Uid, &'static str, serde_json::Value);

/// Changes the items of one collection.
async fn apply(
    tx: &mut Tx,
    caller: &Caller,
    (collection, item): (i64, Item),
    uids: &BTreeSet<Uid>,
    change: &BulkChange,
) -> Result<Vec<BulkRow>> {
    let mut changes = Changes::new(ChangeContext::enter(tx, collection, None, true, caller.now).await?);
    let mut said = Vec::new();
    match item {
        Item::Entity => {
            changes.load_entities(tx, uids.iter().copied()).await?;
            for uid in uids {
                let row = changes.entities.get_mut(uid).ok_or(StoreError::NotFound)?;
                said.extend(tag(&mut row.tags, change)?.map(|details| (*uid, "entity.tag", details)));
                changes.refold.insert(*uid);
            }
        }
        Item::Issue => {
            changes.load_issues(tx, uids.iter().copied()).await?;
            let closed = closing(tx, collection, caller.now).await?;
            for uid in uids {
                said.extend(change_issue(&mut changes, caller, *uid, change, closed)?);
            }
        }
    }
    changes.write(tx).await?;
    Ok(said)
}

fn change_issue(
    changes: &mut Changes,
    principal: &Principal,
    uid: Uid,
    change: &BulkChange,
    closed: Closing,
) -> Result<Vec<BulkRow>> {
    let row = changes.issues.get_mut(&uid).ok_or(StoreError::NotFound)?;
    let mut said = Vec::new();
    said.extend(tag(&mut row.record.tags, change)?.map(|details| (uid, "issue.tag", details)));
    if let Some(status) = change.status {
        let mut details = json!({"from": row.record.status.name(), "to": status.name()});
        if let Some(reason) = &change.reason {
            details["reason"] = json!(reason);
        }
        if let Some(until) = change.until {
            details["until"] = json!(until);
        }
        let by = principal.username().to_owned();
        row.decide(status, Decision { by, reason: change.reason.clone(), until: change.until }, closed);
        changes.refold.insert(row.record.entity_uid);
        said.push((uid, "issue.status", details));
    }
    let row = changes.issues.get_mut(&uid).ok_or(StoreError::NotFound)?;
    if let Some(assignee) = change.assignee.as_ref().filter(|assignee| **assignee != row.record.assignee) {
        said.push((uid, "issue.assign", json!({"from": row.record.assignee, "to": assignee})));
        row.record.assignee.clone_from(assignee);
    }
    Ok(said)
}

/// The details of what changed; `None`: nothing did.
fn tag(tags: &mut Vec<String>, change: &BulkChange) -> Result<Option<serde_json::Value>> {
    let before = tags.clone();
    tags.retain(|tag| !has_tag(&change.remove_tags, tag));
    tags.extend(change.add_tags.iter().cloned());
    *tags = clean_tags(tags)?;
    Ok((*tags != before).then(|| json!({"added": change.add_tags, "removed": change.remove_tags})))
}
