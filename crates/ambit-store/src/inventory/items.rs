//! What people put tags and notes on: entities and issues, found by uid or uuid like everywhere.

use crate::db::sql::{Tx, from_json};
use crate::inventory::collections::CollectionRef;
use crate::inventory::views::{self};
use crate::{Principal, Result, Store};
use ambit_model::user::CollectionRole;
use ambit_model::{Item, Uid};
use serde::Deserialize;

/// An item as tags and notes need it.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemView {
    pub item: Item,
    pub uid: Uid,
    /// The entity's name, or the kind of the issue.
    pub name: String,
    /// The entity itself, or that of the issue.
    pub entity_uid: Uid,
    pub tags: Vec<String>,
    pub collection: CollectionRef,
}

/// What both nouns' records have.
#[derive(Deserialize)]
struct Record {
    name: String,
    tags: Vec<String>,
    entity_uid: Option<Uid>,
}

/// An item in which the caller has at least this role.
pub(crate) async fn require(
    tx: &mut Tx,
    principal: &Principal,
    (item, id): (Item, &str),
    project: Option<i64>,
    role: CollectionRole,
) -> Result<ItemView> {
    let base = views::find(tx, principal, item, id, project, role).await?;
    let record: Record = from_json(&base.record)?;
    Ok(ItemView {
        item,
        uid: base.uid,
        name: record.name,
        entity_uid: record.entity_uid.unwrap_or(base.uid),
        tags: record.tags,
        collection: base.collection,
    })
}

impl Store {
    /// An entity or issue by its uid or uuid, with its tags; `project` narrows.
    pub async fn find_item(
        &self,
        principal: &Principal,
        item: Item,
        id: &str,
        project: Option<i64>,
    ) -> Result<ItemView> {
        require(&mut self.read().await?, principal, (item, id), project, CollectionRole::Viewer).await
    }
}
