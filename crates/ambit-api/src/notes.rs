//! Notes on the wire (docs/contract/asm.md §8.3): read as `note`, written as `note_text`, with the two forms of time that recorded answers have.

use crate::CollectionRef;
use crate::shape::{Object, Shape, TEXT, UID, UUID, UUID_OR_NULL, member};
use ambit_model::{Timestamp, Uid};
use serde_json::{Value, json};
use uuid::Uuid;

/// What a note is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoteItem<'a> {
    /// `entity` or `issue`.
    pub item: &'static str,
    pub uid: Uid,
    pub name: &'a str,
    /// The entity itself, or that of the issue.
    pub entity_uid: Uid,
    pub collection: CollectionRef<'a>,
}

/// A note itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoteText<'a> {
    pub uid: Uid,
    pub text: &'a str,
    pub author_uuid: Uuid,
    pub author: &'a str,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A note as lists show it.
pub fn note(item: NoteItem<'_>, note: NoteText<'_>) -> Value {
    let created = seconds(note.created_at, "T", "Z");
    json!({
        "uid": note.uid,
        "id": format!("{}#{}#{}#{}#{created}", item.item, item.item, item.name, note.author_uuid),
        "note": note.text,
        "note_type": item.item,
        "item_type": item.item,
        "item_uid": item.uid,
        "item_name": item.name,
        "entity_uid": item.entity_uid,
        "collection": item.collection.name,
        "organization_uuid": item.collection.organization_uuid,
        "created_by": note.author_uuid,
        "created_by_user": {"printable_name": note.author},
        "created_at": seconds(note.created_at, " ", " UTC"),
        "updated_at": seconds(note.updated_at, "T", "Z"),
    })
}

/// To the second: `2022-09-09T16:45:52Z`, `2022-09-09 16:45:52 UTC`.
fn seconds(moment: Timestamp, between: &str, zone: &str) -> String {
    let text = moment.to_string();
    format!("{}{between}{}{zone}", &text[..10], &text[11..19])
}

static AUTHOR: Shape = Shape::Object(&Object {
    name: "",
    members: &[member("printable_name", TEXT)],
    open: false,
});

/// A note.
pub static NOTE: Shape = Shape::Object(&Object {
    name: "Note",
    members: &[
        member("uid", UID),
        member("id", TEXT),
        member("note", TEXT),
        member("note_type", TEXT),
        member("item_type", &Shape::OneOf(&["entity", "issue"])),
        member("item_uid", UID),
        member("item_name", TEXT),
        member("entity_uid", UID),
        member("collection", TEXT),
        member("organization_uuid", UUID_OR_NULL),
        member("created_by", UUID),
        member("created_by_user", &AUTHOR),
        member("created_at", TEXT),
        member("updated_at", TEXT),
    ],
    open: false,
});

/// A list of them.
pub static NOTES: Shape = Shape::List(&NOTE);

/// The body that writes or replaces one.
pub static NEW_NOTE: Shape = Shape::Object(&Object {
    name: "NewNote",
    members: &[member("note_text", TEXT)],
    open: true,
});

/// The body that replaces the text of a note.
pub static EDITED_NOTE: Shape = Shape::Object(&Object {
    name: "EditedNote",
    members: &[member("note_text", TEXT)],
    open: false,
});

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::Kind;

    #[test]
    fn a_note_has_every_member_and_the_recorded_forms_of_time() {
        let entity = Uid::of_entity(Uuid::nil(), Kind::Domain, "acme.test");
        let item = NoteItem {
            item: "issue",
            uid: entity,
            name: "weak_ciphers",
            entity_uid: entity,
            collection: CollectionRef {
                id: 3,
                uuid: Uuid::nil(),
                name: "outside_a1b2c3d",
                organization_uuid: Some(Uuid::nil()),
            },
        };
        let value = note(
            item,
            NoteText {
                uid: entity,
                text: "- seen",
                author_uuid: Uuid::nil(),
                author: "ann",
                created_at: Timestamp(1_662_741_952_345),
                updated_at: Timestamp(1_662_741_953_000),
            },
        );
        assert_eq!(NOTE.differences(&value), Vec::<String>::new());
        assert_eq!(value["created_at"], "2022-09-09 16:45:52 UTC");
        assert_eq!(value["updated_at"], "2022-09-09T16:45:53Z");
        assert_eq!(
            value["id"],
            "issue#issue#weak_ciphers#00000000-0000-0000-0000-000000000000#2022-09-09T16:45:52Z"
        );
    }
}
