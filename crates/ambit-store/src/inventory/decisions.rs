//! What people decided on issues: decisions whose end has come, and the history in which each of them stands.

use crate::db::sql::{Tx, from_json, values};
use crate::db::writer::transaction;
use crate::inventory::collections;
use crate::inventory::views::IssueView;
use crate::record::{ChangeContext, Changes};
use crate::{Principal, Result, Store, StoreError};
use ambit_model::feed::Noun;
use ambit_model::issue::{IssueRecord, Status};
use ambit_model::{Timestamp, Uid};
use std::collections::BTreeMap;
use uuid::Uuid;

/// Issues that one call opens again at most; the next call goes on.
const ENDED_MAX: usize = 1_000;
/// Versions that one history holds at most, newest kept.
const VERSIONS_MAX: usize = 1_000;

/// One version of an issue.
#[derive(Clone, Debug, PartialEq)]
pub struct IssueVersion {
    /// When it was opened.
    pub at: Timestamp,
    pub record: IssueRecord,
}

impl Store {
    /// Opens issues again whose decision has ended by `now`, and returns how many. Harmless to call from several
    /// processes.
    pub async fn end_decisions(&self, now: Timestamp) -> Result<usize> {
        let sql = format!(
            "SELECT c.uuid, i.uid FROM issues i JOIN collections c ON c.id = i.collection_id WHERE i.until_at <= $1 \
             AND c.deleted_at IS NULL ORDER BY i.until_at LIMIT {ENDED_MAX}"
        );
        let rows: Vec<(Uuid, Uid)> = self.read().await?.read_all(&sql, values![now]).await?;
        let mut ended: BTreeMap<Uuid, Vec<Uid>> = BTreeMap::new();
        for (collection, uid) in rows {
            ended.entry(collection).or_default().push(uid);
        }
        let mut count = 0;
        for (collection, uids) in ended {
            let opened = transaction!(self, Person, async |tx| open_again(tx, collection, &uids, now).await);
            match opened {
                Ok(opened) => count += opened,
                // Deleted meanwhile.
                Err(StoreError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(count)
    }

    /// The versions of an issue from `start` on, oldest first.
    pub async fn issue_history(
        &self,
        principal: &Principal,
        id: &str,
        project: Option<i64>,
        start: Option<Timestamp>,
    ) -> Result<Vec<IssueVersion>> {
        let view: IssueView = self.find_record(principal, id, project).await?;
        let start = start.unwrap_or(Timestamp(i64::MIN));
        let sql = format!(
            "SELECT opened_at, record FROM versions WHERE noun = $1 AND uid = $2 AND opened_at >= $3 ORDER BY \
             opened_revision DESC LIMIT {VERSIONS_MAX}"
        );
        let rows: Vec<(Timestamp, String)> =
            self.read().await?.read_all(&sql, values![Noun::Issue.name(), view.record.uid, start]).await?;
        let mut versions = Vec::new();
        for (at, record) in rows.into_iter().rev() {
            versions.push(IssueVersion { at, record: from_json(&record)? });
        }
        if view.updated_at >= start {
            versions.push(IssueVersion { at: view.updated_at, record: view.record });
        }
        Ok(versions)
    }
}

async fn open_again(tx: &mut Tx, collection: Uuid, uids: &[Uid], now: Timestamp) -> Result<usize> {
    let (collection, _, _) = collections::load(tx, collection).await?;
    collections::lock(tx, collection.id).await?;
    let mut changes = Changes::new(ChangeContext::enter(tx, collection.id, None, false, now).await?);
    changes.load_issues(tx, uids.iter().copied()).await?;
    let mut opened = Vec::new();
    for row in changes.issues.values_mut() {
        // Decided anew, or resolved, meanwhile.
        if row.record.decision.as_ref().is_some_and(|decision| decision.is_over(now, false)) {
            row.record.move_to(Status::OpenNew);
            row.closed = None;
            opened.push(row.record.entity_uid);
        }
    }
    let count = opened.len();
    changes.refold.extend(opened);
    changes.write(tx).await?;
    Ok(count)
}
