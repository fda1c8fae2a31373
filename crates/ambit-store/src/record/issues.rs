//! Issues: loading their rows, opening and closing them, counting them on entities, and writing what changed.

use super::entities::Folded;
use super::reverted::{Previous, Reverted, previous_versions, write_reverted};
use super::{Changes, Closed, Stamps, Step, close_versions, free_ids};
use crate::StoreError;
use crate::db::rows::{Rows, columns, list, named};
use crate::db::sql::{Tx, from_json, to_json, values};
use ambit_model::entity::IssueCounts;
use ambit_model::feed::{Noun, What};
use ambit_model::issue::{Decision, IssueRecord, SEVERITY_HIGH, Status};
use ambit_model::{Timestamp, Uid};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

columns! {
    /// The row of an issue, as loaded and as changed in memory.
    #[derive(Clone, Debug)]
    pub(crate) struct IssueRow {
        pub(crate) record: IssueRecord = (json),
        /// Wire date of the newest proof.
        pub(crate) proven_at: Timestamp,
        /// Wire date of the first probe that ended as absent, while there was only one.
        pub(crate) absent_at: Option<Timestamp>,
        /// What a probe must come after to reopen it.
        pub(crate) closed: Option<Closing> = { None },
        /// As stored; `None`: the issue is new.
        stored: Option<Stored> = { None },
    }
}

/// When an issue was closed, on both clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Closing {
    /// Number of the newest run that had results then, and the latest wire date of its results.
    pub(crate) run: i64,
    pub(crate) wire: Timestamp,
    pub(crate) wall: Timestamp,
}

columns! {
    #[derive(Clone, Debug)]
    struct Stored {
        text: String = "record",
        open: bool,
        severity: i64,
        opened_at: Timestamp,
        opened_revision: i64,
        proven_at: Timestamp,
        absent_at: Option<Timestamp>,
        /// The run that opened the version; 0: a person.
        version_run: i64,
    }
}

/// The closing of an issue at this moment: later probes are those of later runs, and those of the newest run after what
/// it stored so far.
pub(crate) async fn closing(tx: &mut Tx, collection: i64, now: Timestamp) -> Result<Closing, StoreError> {
    let sql = "SELECT wire_run, wire_at FROM collections WHERE id = $1";
    let (run, wire) = tx.read_one(sql, values![collection]).await?;
    Ok(Closing { run, wire, wall: now })
}

impl IssueRow {
    pub(crate) fn new(record: IssueRecord, proven_at: Timestamp) -> Self {
        Self { record, proven_at, absent_at: None, closed: None, stored: None }
    }

    pub(crate) fn is_new(&self) -> bool {
        self.stored.is_none()
    }

    /// Takes the status that a person set, and who decided so, why and until when. Saying the same status again, with
    /// nothing more, changes nothing.
    pub(crate) fn decide(&mut self, status: Status, decision: Decision, closing: Closing) {
        let has_terms = |decision: &Decision| decision.reason.is_some() || decision.until.is_some();
        let known = self.record.decision.as_ref().is_some_and(has_terms);
        if self.record.status != status || known || has_terms(&decision) {
            self.record.status = status;
            self.record.decision = Some(decision);
        }
        self.absent_at = None;
        self.closed = (!status.is_open()).then_some(closing);
    }

    /// Open issues by severity that this row adds (or, where negative, takes) by its change.
    fn deltas(&self) -> impl Iterator<Item = (i64, i64)> {
        let before = self.stored.as_ref().filter(|stored| stored.open).map(|stored| (stored.severity, -1));
        let after = self.record.status.is_open().then_some((self.record.severity, 1));
        before.into_iter().chain(after)
    }
}

fn has_cve(record: &IssueRecord) -> bool {
    record.identifiers.iter().flatten().any(|identifier| identifier.kind == "CVE")
}

/// An issue whose row is to be written.
pub(super) struct ChangedIssue {
    pub(super) uid: Uid,
    text: String,
    /// `None`: only its dates beside the record moved.
    what: Option<What>,
    reverted: Reverted,
    /// Its status moves against the version of this run that is open.
    turns: bool,
}

impl Changes {
    /// Loads the rows of issues that are not loaded yet. Unknown uids are left out.
    pub(crate) async fn load_issues(
        &mut self,
        tx: &mut Tx,
        uids: impl IntoIterator<Item = Uid>,
    ) -> Result<(), StoreError> {
        let missing: BTreeSet<Uid> = uids.into_iter().filter(|uid| !self.issues.contains_key(uid)).collect();
        let missing: Vec<Uid> = missing.into_iter().collect();
        self.load_issues_where(tx, "uid", &missing).await
    }

    /// `column` is a literal of this file.
    async fn load_issues_where(&mut self, tx: &mut Tx, column: &str, uids: &[Uid]) -> Result<(), StoreError> {
        let (row, stored) = (list::<IssueRow>(), list::<Stored>());
        let head = format!(
            "SELECT uid, {row}, {stored}, closed_run, closed_wire, closed_at FROM issues WHERE +collection_id = $1 AND \
             {column} IN"
        );
        type Closed = (Option<i64>, Option<Timestamp>, Option<Timestamp>);
        let rows: Vec<(Uid, IssueRow, Stored, Closed)> =
            tx.read_in(&head, values![self.place.collection], uids, "").await?;
        for (uid, row, stored, closed) in rows {
            if let Entry::Vacant(missing) = self.issues.entry(uid) {
                let closed = match closed {
                    (Some(run), Some(wire), Some(wall)) => Some(Closing { run, wire, wall }),
                    _ => None,
                };
                let stored = Some(stored);
                missing.insert(IssueRow { closed, stored, ..row });
            }
        }
        Ok(())
    }

    /// Issues show whether their entity is scoped: those of entities whose scope moved change with them.
    pub(super) async fn load_issues_of_moved_scope(
        &mut self,
        tx: &mut Tx,
        folded: &BTreeMap<Uid, Folded>,
    ) -> Result<(), StoreError> {
        let moved: Vec<Uid> = folded.values().filter(|fold| fold.scope_moved).map(|fold| fold.uid).collect();
        self.load_issues_where(tx, "entity_uid", &moved).await
    }

    /// Counts of issues of entities: what is stored, of those that anything is stored of, overlaid by what this
    /// transaction changed in memory.
    pub(super) async fn issue_counts(
        &self,
        tx: &mut Tx,
        uids: &[Uid],
        related: &[Uid],
    ) -> Result<BTreeMap<Uid, IssueCounts>, StoreError> {
        let mut counts: BTreeMap<Uid, IssueCounts> = BTreeMap::new();
        let head = "SELECT entity_uid, uid, severity, open, has_cve FROM issues WHERE entity_uid IN";
        let rows: Vec<(Uid, Uid, i64, bool, bool)> = tx.read_in(head, Vec::new(), related, "").await?;
        for (entity, issue, severity, open, cve) in rows {
            if !self.issues.contains_key(&issue) {
                count(counts.entry(entity).or_default(), severity, open, cve);
            }
        }
        for issue in self.issues.values() {
            let record = &issue.record;
            if uids.binary_search(&record.entity_uid).is_ok() {
                let counts = counts.entry(record.entity_uid).or_default();
                count(counts, record.severity, record.status.is_open(), has_cve(record));
            }
        }
        Ok(counts)
    }

    /// The loaded issues whose row must be written.
    pub(super) async fn changed_issues(
        &mut self,
        tx: &mut Tx,
        folded: &BTreeMap<Uid, Folded>,
    ) -> Result<Vec<ChangedIssue>, StoreError> {
        let mut changed = Vec::new();
        for (uid, issue) in &mut self.issues {
            if let Some(fold) = folded.get(&issue.record.entity_uid) {
                issue.record.scoped = fold.record.scoped;
            }
            let text = to_json(&issue.record);
            let open = issue.record.status.is_open();
            let what = match &issue.stored {
                None => Some(What::Appeared),
                Some(stored) if stored.text == text => None,
                Some(stored) if stored.open && !open => Some(What::Disappeared),
                Some(stored) if !stored.open && open => Some(What::Appeared),
                Some(_) => Some(What::Changed),
            };
            let dates_moved = issue
                .stored
                .as_ref()
                .is_some_and(|stored| stored.proven_at != issue.proven_at || stored.absent_at != issue.absent_at);
            if what.is_some() || dates_moved {
                changed.push(ChangedIssue { uid: *uid, text, what, reverted: Reverted::default(), turns: false });
            }
        }
        self.find_reverted_issues(tx, &mut changed).await?;
        Ok(changed)
    }

    /// Compares what changes of this run's own versions with the versions before them.
    async fn find_reverted_issues(&self, tx: &mut Tx, changed: &mut [ChangedIssue]) -> Result<(), StoreError> {
        let opened = changed.iter().filter(|change| change.what.is_some()).filter_map(|change| {
            let stored = self.issues[&change.uid].stored.as_ref()?;
            self.place.opened(stored.version_run).then_some((change.uid, stored.opened_revision))
        });
        let mut before = previous_versions(tx, &self.place, Noun::Issue, &opened.collect()).await?;
        for change in changed {
            let (Some(previous), Some(what)) = (before.remove(&change.uid), change.what) else { continue };
            let was: IssueRecord = from_json(&previous.record)?;
            let issue = &self.issues[&change.uid];
            let status = issue.record.status;
            if was.status != status
                && let Some(stored) = &issue.stored
            {
                change.turns = from_json::<IssueRecord>(&stored.text)?.status != status;
            }
            let turned = was.status.is_open() != status.is_open();
            let same = previous.record == change.text;
            change.reverted = Reverted::of(previous, same, turned, what);
        }
        Ok(())
    }

    /// Writes the rows of issues, their closed versions and the collection's counters.
    pub(super) async fn write_issues(
        &self,
        tx: &mut Tx,
        changed: &[ChangedIssue],
        stamps: &Stamps,
    ) -> Result<(), StoreError> {
        let (new, old): (Vec<&ChangedIssue>, Vec<&ChangedIssue>) =
            changed.iter().partition(|issue| self.issues[&issue.uid].stored.is_none());
        let run = self.place.run_number();
        self.insert_issues(tx, &new, stamps).await?;
        let (mut rows, mut closed, mut seen, mut reverted) = (Rows::default(), Vec::new(), Vec::new(), BTreeMap::new());
        for change in &old {
            let issue = &self.issues[&change.uid];
            let stored = issue.stored.as_ref().expect("partitioned above");
            let replaces = change.what.is_some() && (change.turns || !self.place.opened(stored.version_run));
            let (opened, version_run) = match &change.reverted.version {
                Some(Previous { opened_revision, opened_at, .. }) => ((*opened_revision, *opened_at), 0),
                None if replaces => (stamps[&change.uid], run),
                None => ((stored.opened_revision, stored.opened_at), stored.version_run),
            };
            reverted.insert(change.uid, (stored.opened_revision, change.reverted.clone()));
            if replaces {
                closed.push(Closed {
                    noun: Noun::Issue,
                    uid: change.uid,
                    opened_at: stored.opened_at,
                    opened_revision: stored.opened_revision,
                    record: &stored.text,
                });
            }
            if change.what.is_some() && self.seen_issues.contains(&change.uid) {
                seen.push(change.uid);
            }
            let record = &issue.record;
            rows.push(named! {
                uid: change.uid,
                record: &change.text,
                severity: record.severity,
                open: record.status.is_open(),
                has_cve: has_cve(record),
                opened_at: opened.1,
                opened_revision: opened.0,
                proven_at: issue.proven_at,
                absent_at: issue.absent_at,
                closed_run: issue.closed.map(|at| at.run),
                closed_wire: issue.closed.map(|at| at.wire),
                closed_at: issue.closed.map(|at| at.wall),
                until_at: record.decision.as_ref().and_then(Decision::ends_at),
                version_run,
            });
        }
        close_versions(tx, &closed, stamps).await?;
        write_reverted(tx, Noun::Issue, &reverted).await?;
        tx.update("issues", rows).await?;
        super::touch(tx, "issues", &seen, stamps, run).await?;
        self.count_open_issues(tx, changed).await
    }

    async fn insert_issues(&self, tx: &mut Tx, new: &[&ChangedIssue], stamps: &Stamps) -> Result<(), StoreError> {
        let run = self.place.run_number();
        let uids: Vec<Uid> = new.iter().map(|issue| issue.uid).collect();
        let ids = free_ids(tx, "issues", &uids).await?;
        let mut rows = Rows::default();
        for change in new {
            let (issue, (revision, at)) = (&self.issues[&change.uid], stamps[&change.uid]);
            let record = &issue.record;
            rows.push(named! {
                uid: change.uid,
                id: ids[&change.uid],
                collection_id: self.place.collection,
                entity_uid: record.entity_uid,
                record: &change.text,
                severity: record.severity,
                open: record.status.is_open(),
                has_cve: has_cve(record),
                opened_at: at,
                opened_revision: revision,
                first_seen: at,
                last_seen: at,
                first_run: run,
                seen_from: run,
                seen_to: run,
                proven_at: issue.proven_at,
                absent_at: issue.absent_at,
                version_run: run,
            });
        }
        tx.insert("issues", rows, "").await
    }

    async fn count_open_issues(&self, tx: &mut Tx, changed: &[ChangedIssue]) -> Result<(), StoreError> {
        let mut deltas = [0_i64; 6];
        for (severity, delta) in changed.iter().flat_map(|change| self.issues[&change.uid].deltas()) {
            if let Some(sum) = usize::try_from(severity).ok().and_then(|severity| deltas.get_mut(severity)) {
                *sum += delta;
            }
        }
        if deltas.iter().all(|delta| *delta == 0) {
            return Ok(());
        }
        let sql = "UPDATE collections SET issues_1 = issues_1 + $1, issues_2 = issues_2 + $2, issues_3 = issues_3 + \
                   $3, issues_4 = issues_4 + $4,
                   issues_5 = issues_5 + $5 WHERE id = $6";
        tx.run(sql, values![deltas[1], deltas[2], deltas[3], deltas[4], deltas[5], self.place.collection]).await?;
        Ok(())
    }
}

impl ChangedIssue {
    /// Its row in the feed, if the record itself changed.
    pub(super) fn step(&self) -> Option<Step> {
        self.what.map(|what| Step { noun: Noun::Issue, uid: self.uid, what: self.reverted.what(what) })
    }
}

fn count(counts: &mut IssueCounts, severity: i64, open: bool, cve: bool) {
    let key = severity.to_string();
    *counts.all_time_by_severity.entry(key.clone()).or_default() += 1;
    counts.all_time_count += 1;
    if !open {
        return;
    }
    *counts.current_by_severity.entry(key).or_default() += 1;
    counts.current_count += 1;
    counts.current_with_cve += i64::from(cve);
    counts.critical_or_high |= severity <= SEVERITY_HIGH;
}
