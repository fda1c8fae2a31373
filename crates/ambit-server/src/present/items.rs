//! What tags and notes are on: the entity or issue of the path.

use super::{entities, issues};
use crate::call::Call;
use crate::failure::About;
use ambit_api::{ApiError, Result};
use ambit_model::Item;
use ambit_store::ItemView;

/// The item of the path, which the caller may see.
pub(crate) async fn item(call: &Call) -> Result<ItemView> {
    let item = item_type(call)?;
    call.store().find_item(call.caller(), item, call.parameter("item_uid"), call.project).await.about(noun(item))
}

/// What the path names as the sort of item; any other word names nothing.
pub(crate) fn item_type(call: &Call) -> Result<Item> {
    Item::from_name(call.parameter("item_type")).ok_or_else(|| ApiError::not_found("Item type"))
}

pub(crate) fn noun(item: Item) -> &'static str {
    match item {
        Item::Entity => entities::NOUN,
        Item::Issue => issues::NOUN,
    }
}
