//! What people mark on entities: tags, hidden, allowed and denied ones.

use crate::db::writer::transaction;
use crate::engine::mark_dirty;
use crate::inventory::{collections, items};
use crate::people::audit;
use crate::record::{ChangeContext, Changes};
use crate::{Caller, Result, Store, StoreError};
use ambit_model::Item;
use ambit_model::limits::TAG_CHARS_MAX;
use ambit_model::user::CollectionRole;
use serde_json::json;
use std::collections::BTreeSet;

/// Tags of one record at most.
const TAGS_MAX: usize = 100;

/// The marks that people set on an entity; `None` leaves one as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntityFlags {
    pub hidden: Option<bool>,
    pub allow: Option<bool>,
    pub deny: Option<bool>,
    /// All tags, not only new ones.
    pub tags: Option<Vec<String>>,
}

/// Returns tags in the form that is stored: trimmed, sorted, each once, as it was spelled first.
pub(crate) fn clean_tags(tags: &[String]) -> Result<Vec<String>> {
    let mut known = BTreeSet::new();
    let mut tags: Vec<String> = tags.iter().map(|tag| tag.trim().to_owned()).collect();
    tags.retain(|tag| known.insert(folded(tag)));
    tags.sort();
    let good =
        |tag: &String| !tag.is_empty() && tag.chars().count() <= TAG_CHARS_MAX && !tag.contains(char::is_control);
    if tags.len() > TAGS_MAX || !tags.iter().all(good) {
        return Err(StoreError::Invalid(format!("at most {TAGS_MAX} tags of 1 to {TAG_CHARS_MAX} characters")));
    }
    Ok(tags)
}

/// Returns the form in which tags are compared: searches and clients of others know no case either.
fn folded(tag: &str) -> String {
    tag.to_lowercase()
}

/// Whether a tag is among others.
pub(crate) fn has_tag(tags: &[String], tag: &str) -> bool {
    tags.iter().any(|known| folded(known) == folded(tag))
}

impl Store {
    /// Sets a person's marks on an entity; for analysts of its collection, the allow list for its admins, as seeds are:
    /// both say what is theirs. Scope follows at once: what depends on the entity is decided before the answer, and a
    /// run that goes on obeys within seconds. Fails with `Invalid` for too many tags, or one that is empty or too long.
    pub async fn set_entity_flags(
        &self,
        caller: &Caller,
        id: &str,
        project: Option<i64>,
        flags: &EntityFlags,
    ) -> Result<()> {
        let tags = flags.tags.as_deref().map(clean_tags).transpose()?;
        let (caller, now, id, flags) = (caller.clone(), caller.now, id.to_owned(), flags.clone());
        let moved = transaction!(self, Person, async |tx| {
            let view = items::require(tx, &caller, (Item::Entity, &id), project, CollectionRole::Analyst).await?;
            let (collection, uid) = (view.collection, view.uid);
            collections::lock(tx, collection.id).await?;
            let mut changes = Changes::new(ChangeContext::enter(tx, collection.id, None, true, now).await?);
            changes.load_entities(tx, [uid]).await?;
            let row = changes.entities.get_mut(&uid).ok_or(StoreError::NotFound)?;
            let before = (row.allow_list, row.deny_list);
            if flags.allow.is_some_and(|allow| allow != row.allow_list) {
                caller.require_collection(collection.project, collection.id, CollectionRole::Admin)?;
            }
            row.hidden = flags.hidden.unwrap_or(row.hidden);
            row.allow_list = flags.allow.unwrap_or(row.allow_list);
            row.deny_list = flags.deny.unwrap_or(row.deny_list);
            row.tags = tags.unwrap_or_else(|| row.tags.clone());
            let moved = before != (row.allow_list, row.deny_list);
            let details =
                json!({"hidden": row.hidden, "allow": row.allow_list, "deny": row.deny_list, "tags": row.tags});
            changes.refold.insert(uid);
            changes.write(tx).await?;
            mark_dirty(tx, collection.id, [uid]).await?;
            if moved {
                collections::raise_scope_revision(tx, collection.id).await?;
            }
            audit::insert(tx, &caller, Some(collection.project), "entity.flags", uid, details).await?;
            Ok(moved.then_some(collection.uuid))
        })?;
        match moved {
            Some(collection) => {
                let (_, exclusions, _) = collections::load(&mut self.read().await?, collection).await?;
                self.rescope(collection, &exclusions, now).await
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_trimmed_sorted_and_single() {
        let tags = |list: &[&str]| clean_tags(&list.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>());
        assert_eq!(tags(&[" b", "a", "b "]).unwrap(), ["a", "b"]);
        assert_eq!(tags(&["Front office", "front OFFICE", "ä", "Ä"]).unwrap(), ["Front office", "ä"]);
        assert!(tags(&["a\nb"]).is_err());
        assert!(tags(&[""]).is_err());
        assert!(tags(&[&"x".repeat(TAG_CHARS_MAX + 1)]).is_err());
    }
}
