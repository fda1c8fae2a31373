//! One change of many entities or issues, all or none. Ours.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::About;
use crate::present::items::noun;
use ambit_api::bulk::{BulkResult, IssueBulk};
use ambit_api::{ApiError, success};
use ambit_store::{BulkChange, Item};

/// Change status, tags and assignee of up to 1,000 issues, all or none. A closing status may have a reason and an end.
pub(crate) async fn issues(call: Call) -> Result<Answer, ApiError> {
    change(call, Item::Issue).await
}

/// Change the tags of up to 1,000 entities, all or none.
pub(crate) async fn entities(call: Call) -> Result<Answer, ApiError> {
    change(call, Item::Entity).await
}

async fn change(call: Call, item: Item) -> Result<Answer, ApiError> {
    // A status of entities is read as well, and refused by the store.
    let body: IssueBulk = call.read()?;
    let ids = body.ids.0;
    let assignee = match (body.assignee.0, body.unassign.0.unwrap_or(false)) {
        (Some(_), true) => return Err(ApiError::invalid("assignee and unassign exclude each other")),
        (named, unassign) => named.map(|name| Some(name.0)).or(unassign.then_some(None)),
    };
    let change = BulkChange {
        status: body.status.0.map(|word| word.0),
        reason: body.reason.0.map(|reason| reason.0),
        until: body.until.0.map(|until| until.0),
        assignee,
        add_tags: body.add_tags.0.map(|tags| tags.0).unwrap_or_default(),
        remove_tags: body.remove_tags.0.map(|tags| tags.0).unwrap_or_default(),
    };
    if change == BulkChange::default() {
        return Err(ApiError::invalid("nothing is changed: give status, assignee, unassign, add_tags or remove_tags"));
    }
    let changed = call
        .store()
        .change_items(call.caller(), (item, &ids), call.project, &change, call.now)
        .await
        .about(noun(item))?;
    Ok(Answer::json(&success("Changed", BulkResult { items: changed })))
}
