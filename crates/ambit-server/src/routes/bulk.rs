//! One change of many entities or issues, all or none. Ours.

use crate::call::{Call, CallWith};
use crate::failure::About;
use crate::present::items::noun;
use ambit_api::issues::End;
use ambit_api::request::{Text, Texts};
use ambit_api::words::Word;
use ambit_api::{ApiError, Envelope, Maybe, Result, contract, success};
use ambit_model::Item;
use ambit_model::issue::Status;
use ambit_model::limits::REASON_CHARS_MAX;
use ambit_store::BulkChange;
use serde::{Deserialize, Serialize};

contract! {
    /// How many items were changed.
    #[derive(Debug, Serialize)]
    pub(crate) struct BulkResult {
        items: usize,
    }

    /// The body for issues: identifiers, and at least one of the changes.
    #[derive(Debug, Deserialize)]
    pub(crate) struct IssueBulk {
        ids: Texts,
        status: Maybe<Word<Status>>,
        /// Why they are closed.
        reason: Maybe<Text<REASON_CHARS_MAX>>,
        /// How long that holds while the fact stays: a date, a moment, or `change`, which is until proof or severity
        /// change.
        until: Maybe<End>,
        /// The username or address of who is to see to them.
        assignee: Maybe<Text>,
        /// Nobody is to see to them any more.
        unassign: Maybe<bool>,
        add_tags: Maybe<Texts>,
        remove_tags: Maybe<Texts>,
    }

    /// The body for entities.
    #[derive(Debug, Deserialize)]
    pub(crate) struct EntityBulk {
        ids: Texts,
        add_tags: Maybe<Texts>,
        remove_tags: Maybe<Texts>,
    }
}

/// Change status, tags and assignee of up to 1,000 issues, all or none. A closing status may have a reason and an end.
pub(crate) async fn issues(call: CallWith<IssueBulk>) -> Result<Envelope<BulkResult>> {
    change(&call, Item::Issue).await
}

/// Change the tags of up to 1,000 entities, all or none.
pub(crate) async fn entities(call: CallWith<EntityBulk>) -> Result<Envelope<BulkResult>> {
    change(&call, Item::Entity).await
}

async fn change(call: &Call, item: Item) -> Result<Envelope<BulkResult>> {
    // A status of entities is read as well, and refused by the store.
    let body: IssueBulk = call.read_as()?;
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
    let changed =
        call.store().change_items(call.caller(), (item, &ids), call.project, &change).await.about(noun(item))?;
    Ok(success("Changed", BulkResult { items: changed }))
}
