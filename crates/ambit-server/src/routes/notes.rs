//! Notes on entities and issues: list, write, remove (docs/contract/asm.md §8.3), and ours: edit.

use crate::call::{Call, CallWith};
use crate::failure::About;
use crate::path::{ItemType, NoteUid};
use crate::present::entities::collection;
use crate::present::items::{item, noun};
use ambit_api::notes::{EditedNote, NewNote, Note, NoteItem, NoteText};
use ambit_api::{Envelope, Result, read, success};
use ambit_store::{ItemView, NoteView};

const NOUN: &str = "Note";

/// List the notes on an entity or issue, oldest first.
pub(crate) async fn list(call: Call) -> Result<Envelope<Vec<Note>>> {
    let item = ItemType::of(&call)?;
    let (view, notes) = call
        .store()
        .list_notes(call.caller(), (item, call.parameter("item_uid")), call.project)
        .await
        .about(noun(item))?;
    let message = format!("Notes for {} {}", view.item.name(), view.uid);
    Ok(success(&message, notes.iter().map(|note| shown(&view, note)).collect()))
}

/// Write a note on an entity or issue, as Markdown.
pub(crate) async fn add(call: CallWith<NewNote>) -> Result<Envelope<Note>> {
    // An item that the caller may not see is answered with 404, whatever the body.
    let seen = item(&call).await?;
    let text = call.read()?.note_text.0;
    let id = seen.uid.to_string();
    let (view, note) =
        call.store().add_note(call.caller(), (seen.item, &id), call.project, &text).await.about(noun(seen.item))?;
    Ok(success("Note created", shown(&view, &note)))
}

/// Replace the text of a note; for its author and for admins of the collection.
pub(crate) async fn edit(call: CallWith<EditedNote>) -> Result<Envelope<Note>> {
    let (seen, note) = (item(&call).await?, NoteUid::of(&call)?);
    let text = read::<EditedNote>(call.change::<Note>()?)?.note_text.0;
    let id = seen.uid.to_string();
    let (view, note) =
        call.store().edit_note(call.caller(), (seen.item, &id, note), call.project, &text).await.about(NOUN)?;
    Ok(success("Note updated", shown(&view, &note)))
}

/// Remove a note; for its author and for admins of the collection.
pub(crate) async fn delete(call: Call) -> Result<Envelope<bool>> {
    let (seen, note) = (item(&call).await?, NoteUid::of(&call)?);
    let id = seen.uid.to_string();
    call.store().delete_note(call.caller(), (seen.item, &id, note), call.project).await.about(NOUN)?;
    Ok(success("Note deleted", true))
}

fn shown(view: &ItemView, note: &NoteView) -> Note {
    let item = NoteItem {
        item: view.item,
        uid: view.uid,
        name: &view.name,
        entity_uid: view.entity_uid,
        collection: collection(&view.collection),
    };
    let note = NoteText {
        uid: note.uid,
        text: &note.text,
        author_uuid: note.author_uuid,
        author: &note.author,
        created_at: note.created_at,
        updated_at: note.updated_at,
    };
    Note::of(item, note)
}
