//! What the program can find and report: entity kinds, tasks, issue kinds, fingerprints, counts of them, and CSV. The
//! binary handed it over; the server knows neither tasks nor judges.

use crate::answer::Answer;
use crate::call::{Asking, Call};
use crate::query::query;
use crate::signature::{Csv, Reply};
use ambit_api::library::{LibraryEntity, LibraryFingerprint, LibraryIssue, LibraryPage, LibraryTask, LibraryWorkflow};
use ambit_api::library_stats::{
    self, LibraryCatalogStats, LibraryEntityStats, LibraryFingerprintStats, LibraryIssueStats, LibraryTaskStats,
};
use ambit_api::{ApiError, Envelope, Result, success};
use ambit_model::library::Library;
use serde::Serialize;

/// Rows of a page where the caller does not say.
const PAGE_ROWS: u64 = 100;
/// Most rows of a page.
const PAGE_ROWS_MAX: u64 = 1_000;

query! { Listed:
    page: Count = "Number of the page, from 0.",
    page_size: Count = "Rows of a page: 100 by default, more than 1,000 means 1,000.",
}

/// List the kinds of entity; `more` is a member beside `result`.
pub(crate) async fn kinds(call: Asking<Listed>) -> Result<LibraryPage<LibraryEntity>> {
    page(&call, "Entities", call.state.library.kinds.iter().map(LibraryEntity::from).collect())
}

/// List the discovery tasks; `more` is a member beside `result`.
pub(crate) async fn tasks(call: Asking<Listed>) -> Result<LibraryPage<LibraryTask>> {
    page(&call, "Tasks", call.state.library.tasks.iter().map(LibraryTask::from).collect())
}

/// List the workflows with their tasks; `more` is a member beside `result`.
pub(crate) async fn workflows(call: Asking<Listed>) -> Result<LibraryPage<LibraryWorkflow>> {
    page(&call, "Workflows", LibraryWorkflow::all(&call.state.library.tasks))
}

/// List the kinds of issue; `more` is a member beside `result`.
pub(crate) async fn issues(call: Asking<Listed>) -> Result<LibraryPage<LibraryIssue>> {
    page(&call, "Issues", call.state.library.issues.iter().map(LibraryIssue::from).collect())
}

/// Read a kind of issue.
pub(crate) async fn issue(call: Call) -> Result<Envelope<LibraryIssue>> {
    let name = call.parameter("issue_name");
    let found = call.state.library.issues.iter().find(|entry| entry.name == name);
    let found = found.ok_or_else(|| ApiError::not_found("Issue"))?;
    Ok(success("Issue", LibraryIssue::from(found)))
}

/// List the products that can be recognised; `more` is a member beside `result`.
pub(crate) async fn fingerprints(call: Asking<Listed>) -> Result<LibraryPage<LibraryFingerprint>> {
    page(&call, "Fingerprints", call.state.library.fingerprints.iter().map(LibraryFingerprint::from).collect())
}

/// Count the kinds of entity.
pub(crate) async fn kind_stats(call: Call) -> Result<Envelope<LibraryEntityStats>> {
    Ok(stats(&call, "Entity stats"))
}

/// Count the discovery tasks.
pub(crate) async fn task_stats(call: Call) -> Result<Envelope<LibraryTaskStats>> {
    Ok(stats(&call, "Task stats"))
}

/// Count the kinds of issue.
pub(crate) async fn issue_stats(call: Call) -> Result<Envelope<LibraryIssueStats>> {
    Ok(stats(&call, "Issue stats"))
}

/// Count the products that can be recognised.
pub(crate) async fn fingerprint_stats(call: Call) -> Result<Envelope<LibraryFingerprintStats>> {
    Ok(stats(&call, "Fingerprint stats"))
}

/// Count everything in the library.
pub(crate) async fn catalog_stats(call: Call) -> Result<Envelope<LibraryCatalogStats>> {
    Ok(stats(&call, "Catalog stats"))
}

/// Export the kinds of issue as CSV.
pub(crate) async fn issues_csv(call: Call) -> Result<Csv> {
    Ok(saved("issues.csv", library_stats::issues_csv(&call.state.library)))
}

/// Export the discovery tasks as CSV.
pub(crate) async fn tasks_csv(call: Call) -> Result<Csv> {
    Ok(saved("tasks.csv", library_stats::tasks_csv(&call.state.library)))
}

fn saved(name: &str, rows: String) -> Csv {
    Csv(Answer::text(Csv::CONTENT_TYPE, rows).saved_as(name.to_owned()))
}

fn stats<'a, T: From<&'a Library> + Serialize>(call: &'a Call, message: &str) -> Envelope<T> {
    success(message, T::from(&call.state.library))
}

fn page<T: Serialize>(call: &Call, message: &str, mut rows: Vec<T>) -> Result<LibraryPage<T>> {
    let size = Listed::page_size(call).page_number()?.unwrap_or(PAGE_ROWS).min(PAGE_ROWS_MAX);
    let skipped = Listed::page(call).page_number()?.unwrap_or(0).saturating_mul(size);
    let as_size = |rows: u64| usize::try_from(rows).unwrap_or(usize::MAX);
    rows.drain(..as_size(skipped).min(rows.len()));
    // Pages of nothing come to no end.
    let more = size > 0 && rows.len() > as_size(size);
    rows.truncate(as_size(size));
    Ok(LibraryPage::of(message, rows, more))
}
