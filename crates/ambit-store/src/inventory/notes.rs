//! Notes that people write on entities and issues. A note is its own row: writers at once never meet. What was written,
//! changed and removed stands in the audit log, without its text.

use crate::db::rows::{columns, named, select};
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::inventory::items::{self, ItemView};
use crate::people::audit;
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::limits::NOTE_CHARS_MAX;
use ambit_model::user::CollectionRole;
use ambit_model::{Item, Timestamp, Uid};
use serde_json::json;
use uuid::Uuid;

/// Notes of one item at most: more is a log, not a conversation.
const NOTES_OF_ITEM_MAX: i64 = 10_000;

columns! {
    /// A note.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct NoteView of n {
        pub uid: Uid,
        /// Markdown, as it was written.
        pub text: String,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
        /// Who wrote it.
        pub author_uuid: Uuid = "u.uuid",
        /// The author's name in the wider API.
        pub author: String = "u.username",
    }
}

/// Selects notes by a condition that follows.
const FROM: &str = "FROM notes n JOIN users u ON u.id = n.created_by WHERE";

fn check_text(text: &str) -> Result<()> {
    if text.trim().is_empty() || text.chars().count() > NOTE_CHARS_MAX {
        return Err(StoreError::Invalid(format!("a note has 1 to {NOTE_CHARS_MAX} characters")));
    }
    Ok(())
}

/// A note of an item that the caller may change: its author's own, or any for admins of the collection.
async fn find_own(tx: &mut Tx, principal: &Principal, view: &ItemView, note: Uid) -> Result<NoteView> {
    let sql = select::<NoteView>(&format!("{FROM} n.uid = $1 AND n.item_uid = $2"));
    let note: NoteView = tx.find(&sql, values![note, view.uid]).await?;
    if note.author_uuid != principal.user_uuid() {
        principal.require_collection(view.collection.project, view.collection.id, CollectionRole::Admin)?;
    }
    Ok(note)
}

/// The action as it stands in the audit log.
fn action(item: Item, verb: &str) -> &'static str {
    match (item, verb) {
        (Item::Entity, "create") => "entity.note.create",
        (Item::Entity, "edit") => "entity.note.edit",
        (Item::Entity, _) => "entity.note.delete",
        (Item::Issue, "create") => "issue.note.create",
        (Item::Issue, "edit") => "issue.note.edit",
        (Item::Issue, _) => "issue.note.delete",
    }
}

async fn write_down(tx: &mut Tx, caller: &Caller, view: &ItemView, verb: &str, note: Uid) -> Result<()> {
    let (project, object) = (Some(view.collection.project), view.uid.to_string());
    audit::insert(tx, caller, project, action(view.item, verb), &object, json!({"note": note})).await
}

impl Store {
    /// The notes of an entity or issue with the item itself, oldest first.
    pub async fn list_notes(
        &self,
        principal: &Principal,
        (item, id): (Item, &str),
        project: Option<i64>,
    ) -> Result<(ItemView, Vec<NoteView>)> {
        let mut tx = self.read().await?;
        let view = items::require(&mut tx, principal, (item, id), project, CollectionRole::Viewer).await?;
        let sql = select::<NoteView>(&format!("{FROM} n.item_uid = $1 ORDER BY n.id LIMIT {NOTES_OF_ITEM_MAX}"));
        let notes = tx.read_all(&sql, values![view.uid]).await?;
        Ok((view, notes))
    }

    /// Writes a note on an entity or issue; for analysts of its collection. Fails with `Invalid` for a text that is
    /// empty or too long, and with `Conflict` where there are as many notes as there may be.
    pub async fn add_note(
        &self,
        caller: &Caller,
        (item, id): (Item, &str),
        project: Option<i64>,
        text: &str,
    ) -> Result<(ItemView, NoteView)> {
        check_text(text)?;
        let (caller, id, text) = (caller.clone(), id.to_owned(), text.to_owned());
        transaction!(self, Person, async |tx| {
            let view = items::require(tx, &caller, (item, &id), project, CollectionRole::Analyst).await?;
            let sql = "SELECT COUNT(*) FROM notes WHERE item_uid = $1";
            if tx.read_one::<i64>(sql, values![view.uid]).await? >= NOTES_OF_ITEM_MAX {
                return Err(StoreError::Conflict(format!("there are {NOTES_OF_ITEM_MAX} notes: delete some first")));
            }
            let uid = Uid::from_bytes(rand::random());
            let row = named! {
                uid,
                item_uid: view.uid,
                text: &text,
                created_by: caller.user_id(),
                created_at: caller.now,
                updated_at: caller.now,
            };
            tx.insert_one("notes", row).await?;
            write_down(tx, &caller, &view, "create", uid).await?;
            let note = NoteView {
                uid,
                text,
                created_at: caller.now,
                updated_at: caller.now,
                author_uuid: caller.user_uuid(),
                author: caller.username().to_owned(),
            };
            Ok((view, note))
        })
    }

    /// Replaces the text of a note; for its author and for admins of the collection. Fails with `Invalid` for a text
    /// that is empty or too long.
    pub async fn edit_note(
        &self,
        caller: &Caller,
        (item, id, note): (Item, &str, Uid),
        project: Option<i64>,
        text: &str,
    ) -> Result<(ItemView, NoteView)> {
        check_text(text)?;
        let (caller, id, text) = (caller.clone(), id.to_owned(), text.to_owned());
        transaction!(self, Person, async |tx| {
            let view = items::require(tx, &caller, (item, &id), project, CollectionRole::Analyst).await?;
            let found = find_own(tx, &caller, &view, note).await?;
            tx.run("UPDATE notes SET text = $1, updated_at = $2 WHERE uid = $3", values![&text, caller.now, note])
                .await?;
            write_down(tx, &caller, &view, "edit", note).await?;
            let edited = NoteView { text, updated_at: caller.now, ..found };
            Ok((view, edited))
        })
    }

    /// Removes a note; for its author and for admins of the collection.
    pub async fn delete_note(
        &self,
        caller: &Caller,
        (item, id, note): (Item, &str, Uid),
        project: Option<i64>,
    ) -> Result<()> {
        let (caller, id) = (caller.clone(), id.to_owned());
        transaction!(self, Person, async |tx| {
            let view = items::require(tx, &caller, (item, &id), project, CollectionRole::Analyst).await?;
            find_own(tx, &caller, &view, note).await?;
            tx.run("DELETE FROM notes WHERE uid = $1", values![note]).await?;
            write_down(tx, &caller, &view, "delete", note).await
        })
    }
}
