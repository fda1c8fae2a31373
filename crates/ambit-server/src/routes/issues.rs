//! Issues: detail and status (docs/contract/asm.md §6). An issue is named by its uid or its uuid.

use crate::call::{Asking, Call, CallWith};
use crate::failure::About;
use crate::present::issues::{NOUN, detail};
use crate::window::{Start, start};
use ambit_api::issues::{IssueDetail, IssueVersion, NewStatus, Overdue};
use ambit_api::{Envelope, Result, success};
use ambit_model::Item;
use ambit_model::issue::IssueRecord;
use ambit_store::BulkChange;

/// Read an issue.
pub(crate) async fn find(call: Call) -> Result<Envelope<IssueDetail>> {
    let view = call.store().find_record(call.caller(), call.id(), call.project).await.about(NOUN)?;
    Ok(success("successfully returned issue", detail(&call, &view)))
}

/// Set the status of an issue. A closing status may have a reason and an end.
pub(crate) async fn report_status(call: CallWith<NewStatus>) -> Result<Envelope<bool>> {
    // An issue that the caller may not see is answered with 404, whatever the body.
    let id = call.id();
    call.store().find_record::<IssueRecord>(call.caller(), id, call.project).await.about(NOUN)?;
    let body = call.read()?;
    let (status, reason, until) = (body.status.0, body.reason.0, body.until.0);
    let change = BulkChange {
        status: Some(status),
        reason: reason.map(|reason| reason.0),
        until: until.map(|until| until.0),
        ..BulkChange::default()
    };
    let ids = [id.to_owned()];
    call.store().change_items(call.caller(), (Item::Issue, &ids), call.project, &change).await.about(NOUN)?;
    let message = format!("Successfully reported status as {}", status.name());
    Ok(success(&message, true))
}

/// List the versions of an issue, oldest first: its status, who decided it, why, and until when.
pub(crate) async fn history(call: Asking<Start>) -> Result<Envelope<Vec<IssueVersion>>> {
    let (id, start) = (call.parameter("id"), start(Start::start(&call))?);
    let versions = call.store().issue_history(call.caller(), id, call.project, start).await.about(NOUN)?;
    let before = std::iter::once(None).chain(versions.iter().map(|version| Some(&version.record)));
    let pairs = versions.iter().zip(before);
    let shown = pairs.map(|(version, before)| IssueVersion::of(version.at, &version.record, before));
    Ok(success("History", shown.collect()))
}

/// Count the open issues of each collection that are past their due date, by severity.
pub(crate) async fn overdue(call: Call) -> Result<Envelope<Vec<Overdue>>> {
    let project = call.project_or_404()?;
    let found = call.store().list_overdue(call.caller(), project, call.state.due_days).await;
    let shown = found.about("Project")?.into_iter().map(|of| Overdue {
        collection_uuid: of.collection.uuid,
        collection_name: of.collection.printable_name,
        due_days: of.due_days.to_string(),
        overdue: of.count.values().sum(),
        by_severity: of.count.iter().map(|(severity, count)| (severity.to_string(), *count)).collect(),
    });
    Ok(success("Overdue issues", shown.collect()))
}
