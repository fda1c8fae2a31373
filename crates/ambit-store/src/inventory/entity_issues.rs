//! The issues of many entities, or of many uids, at once, now or as they were shown at a moment: what the hits of a
//! search list beside their counts, and what exports tell.

use crate::db::rows::{columns, select};
use crate::db::sql::{Tx, from_json, values};
use crate::{Principal, Result, Store};
use ambit_model::issue::IssueRecord;
use ambit_model::{Timestamp, Uid};
use std::collections::BTreeMap;

columns! {
    /// An issue with when its version that is shown now was opened.
    struct Shown of i {
        uid: Uid,
        record: String,
        opened_at: Timestamp,
        collection: i64 = "i.collection_id",
    }
}

impl Store {
    /// The issues of entities of a project that were open at a moment (`None`: now), as far as the caller may see them;
    /// the gravest first, then by uid.
    pub async fn open_issues_of(
        &self,
        principal: &Principal,
        project: i64,
        entities: &[Uid],
        at: Option<Timestamp>,
    ) -> Result<BTreeMap<Uid, Vec<IssueRecord>>> {
        let mut tx = self.read().await?;
        let found = shown(&mut tx, principal, project, "i.entity_uid", entities, at).await?;
        let mut issues: BTreeMap<Uid, Vec<IssueRecord>> = BTreeMap::new();
        for record in found.into_values().filter(|record| record.status.is_open()) {
            issues.entry(record.entity_uid).or_default().push(record);
        }
        for list in issues.values_mut() {
            list.sort_by_key(|record| (record.severity, record.uid));
        }
        Ok(issues)
    }

    /// The issues of these uids in a project as they were shown at a moment (`None`: now), as far as the caller may see
    /// them and they were there.
    pub async fn issue_records(
        &self,
        principal: &Principal,
        project: i64,
        uids: &[Uid],
        at: Option<Timestamp>,
    ) -> Result<BTreeMap<Uid, IssueRecord>> {
        let mut tx = self.read().await?;
        shown(&mut tx, principal, project, "i.uid", uids, at).await
    }
}

/// The issues of a project whose `column` is among the uids, as they were shown at a moment.
async fn shown(
    tx: &mut Tx,
    principal: &Principal,
    project: i64,
    column: &str,
    uids: &[Uid],
    at: Option<Timestamp>,
) -> Result<BTreeMap<Uid, IssueRecord>> {
    let moment = at.unwrap_or(Timestamp(i64::MAX));
    // A version that is shown now may have opened after the moment; then an older one was shown.
    let head = select::<Shown>(&format!(
        "FROM issues i JOIN collections c ON c.id = +i.collection_id WHERE c.project_id = $1 AND \
         i.first_seen <= $2 AND {column} IN"
    ));
    let mut found: BTreeMap<Uid, IssueRecord> = BTreeMap::new();
    let mut older: Vec<Uid> = Vec::new();
    for issue in tx.read_in::<Shown, _>(&head, values![project, moment], uids, "").await? {
        if principal.collection_role(project, issue.collection).is_none() {
            continue;
        }
        if issue.opened_at > moment {
            older.push(issue.uid);
        } else {
            found.insert(issue.uid, from_json(&issue.record)?);
        }
    }
    let head = "SELECT uid, record FROM versions WHERE noun = 'issue' AND opened_at <= $1 AND uid IN";
    let versions: Vec<(Uid, String)> = tx.read_in(head, values![moment], &older, "ORDER BY opened_revision").await?;
    for (uid, record) in versions {
        found.insert(uid, from_json(&record)?);
    }
    Ok(found)
}
