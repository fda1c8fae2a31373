//! What tags and notes are on: the entity or issue of the path.

use super::{entities, issues};
use crate::call::Call;
use crate::failure::About;
use crate::path::ItemType;
use ambit_api::Result;
use ambit_model::Item;
use ambit_store::ItemView;

/// The item of the path, which the caller may see.
pub(crate) async fn item(call: &Call) -> Result<ItemView> {
    let item = ItemType::of(call)?;
    call.store().find_item(call.caller(), item, call.parameter("item_uid"), call.project).await.about(noun(item))
}

pub(crate) fn noun(item: Item) -> &'static str {
    match item {
        Item::Entity => entities::NOUN,
        Item::Issue => issues::NOUN,
    }
}
