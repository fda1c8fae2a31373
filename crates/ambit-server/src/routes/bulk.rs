//! One change of many entities or issues, all or none. Ours.

use crate::answer::Answer;
use crate::call::{Call, texts_member};
use crate::failure::About;
use crate::present::issues::status_member;
use crate::present::items::noun;
use ambit_api::{ApiError, bulk, success};
use ambit_store::{BulkChange, Item};

/// Change status and tags of up to 1,000 issues, all or none.
pub(crate) async fn issues(call: Call) -> Result<Answer, ApiError> {
    change(call, Item::Issue).await
}

/// Change the tags of up to 1,000 entities, all or none.
pub(crate) async fn entities(call: Call) -> Result<Answer, ApiError> {
    change(call, Item::Entity).await
}

async fn change(call: Call, item: Item) -> Result<Answer, ApiError> {
    let body = call.object()?;
    let ids = texts_member(&body, "ids")?;
    let tags = |name: &str| match body.get(name) {
        None => Ok(Vec::new()),
        Some(_) => texts_member(&body, name),
    };
    let change = BulkChange {
        status: body.contains_key("status").then(|| status_member(&body)).transpose()?,
        add_tags: tags("add_tags")?,
        remove_tags: tags("remove_tags")?,
    };
    if change == BulkChange::default() {
        return Err(ApiError::invalid("nothing is changed: give status, add_tags or remove_tags"));
    }
    let changed = call
        .store()
        .change_items(call.caller(), (item, &ids), call.project, &change, call.now)
        .await
        .about(noun(item))?;
    Ok(Answer::json(&success("Changed", bulk::bulk_result(changed))))
}
