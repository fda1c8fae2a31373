//! Tags of entities and issues: added and removed one by one, so that people who tag at once do not undo each other.

use crate::db::writer::transaction;
use crate::inventory::collections;
use crate::inventory::items;
use crate::inventory::marks::{clean_tags, has_tag};
use crate::people::audit;
use crate::record::{ChangeContext, Changes};
use crate::{Caller, Result, Store, StoreError};
use ambit_model::Item;
use ambit_model::user::CollectionRole;
use serde_json::json;

/// Tags that a person adds to an item and takes from it, in one step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagChange {
    pub add: Vec<String>,
    /// Each must be there.
    pub remove: Vec<String>,
}

impl Store {
    /// Changes the tags of an entity or issue, all or none; for analysts of its collection. Adding one that is there is
    /// harmless; removing one that is not is `NotFound`. Answers with all tags. Fails with `Invalid` for too many tags,
    /// or one that is empty or too long.
    pub async fn change_tags(
        &self,
        caller: &Caller,
        (item, id): (Item, &str),
        project: Option<i64>,
        change: &TagChange,
    ) -> Result<Vec<String>> {
        let add = clean_tags(&change.add)?;
        let (caller, id, remove) = (caller.clone(), id.to_owned(), change.remove.clone());
        transaction!(self, Person, async |tx| {
            let view = items::require(tx, &caller, (item, &id), project, CollectionRole::Analyst).await?;
            let collection = view.collection;
            collections::lock(tx, collection.id).await?;
            let mut changes = Changes::new(ChangeContext::enter(tx, collection.id, None, true, caller.now).await?);
            let tags = match item {
                Item::Entity => {
                    changes.load_entities(tx, [view.uid]).await?;
                    changes.refold.insert(view.uid);
                    &mut changes.entities.get_mut(&view.uid).ok_or(StoreError::NotFound)?.tags
                }
                Item::Issue => {
                    changes.load_issues(tx, [view.uid]).await?;
                    &mut changes.issues.get_mut(&view.uid).ok_or(StoreError::NotFound)?.record.tags
                }
            };
            let before = tags.clone();
            if !remove.iter().all(|tag| has_tag(&before, tag)) {
                return Err(StoreError::NotFound);
            }
            tags.retain(|tag| !has_tag(&remove, tag));
            tags.extend(add.iter().cloned());
            *tags = clean_tags(tags)?;
            let after = tags.clone();
            if after == before {
                return Ok(after);
            }
            changes.write(tx).await?;
            let action = match item {
                Item::Entity => "entity.tag",
                Item::Issue => "issue.tag",
            };
            let details = json!({"added": add, "removed": remove});
            audit::insert(tx, &caller, Some(collection.project), action, view.uid, details).await?;
            Ok(after)
        })
    }
}
