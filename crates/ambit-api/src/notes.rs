//! Notes on the wire (docs/contract/asm.md §8.3): read as `note`, written as `note_text`, with the two forms of time
//! that recorded answers have.

use crate::CollectionRef;
use crate::contract::contract;
use crate::request::Text;
use crate::words::Word;
use ambit_model::limits::NOTE_CHARS_MAX;
use ambit_model::{Item, Timestamp, Uid};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

contract! {
    /// A note as lists show it.
    #[derive(Debug, Serialize)]
    pub struct Note {
        pub uid: Uid,
        pub id: String,
        pub note: String,
        pub note_type: &'static str,
        pub item_type: Word<Item>,
        pub item_uid: Uid,
        pub item_name: String,
        pub entity_uid: Uid,
        pub collection: String,
        pub organization_uuid: Option<Uuid>,
        pub created_by: Uuid,
        pub created_by_user: Author,
        pub created_at: String,
        pub updated_at: String,
    }

    /// Who wrote it.
    #[derive(Debug, Serialize)]
    pub struct Author as "" {
        pub printable_name: String,
    }

    /// The body that writes one.
    #[derive(Debug, Deserialize)]
    pub struct NewNote {
        pub note_text: Text<NOTE_CHARS_MAX>,
    }

    /// The body that replaces the text of a note.
    #[derive(Debug, Deserialize)]
    pub struct EditedNote {
        pub note_text: Text<NOTE_CHARS_MAX>,
    }
}

/// The entity or issue that a note is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoteItem<'a> {
    pub item: Item,
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

impl Note {
    /// A note as lists show it.
    pub fn of(item: NoteItem<'_>, note: NoteText<'_>) -> Self {
        // With its milliseconds: two notes of a second are two.
        let created = note.created_at;
        let word = item.item.name();
        Self {
            uid: note.uid,
            id: format!("{word}#{word}#{}#{}#{created}", item.name, note.author_uuid),
            note: note.text.to_owned(),
            note_type: word,
            item_type: Word(item.item),
            item_uid: item.uid,
            item_name: item.name.to_owned(),
            entity_uid: item.entity_uid,
            collection: item.collection.name.to_owned(),
            organization_uuid: item.collection.organization_uuid,
            created_by: note.author_uuid,
            created_by_user: Author { printable_name: note.author.to_owned() },
            created_at: seconds(note.created_at, " ", " UTC"),
            updated_at: seconds(note.updated_at, "T", "Z"),
        }
    }
}

/// To the second: `2022-09-09T16:45:52Z`, `2022-09-09 16:45:52 UTC`.
fn seconds(moment: Timestamp, between: &str, zone: &str) -> String {
    let text = moment.to_string();
    format!("{}{between}{}{zone}", &text[..10], &text[11..19])
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::Kind;

    #[test]
    fn a_note_has_the_recorded_forms_of_time() {
        let entity = Uid::of_entity(Uuid::nil(), Kind::Domain, "acme.test");
        let item = NoteItem {
            item: Item::Issue,
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
        let value = Note::of(
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
        assert_eq!(value.created_at, "2022-09-09 16:45:52 UTC");
        assert_eq!(value.updated_at, "2022-09-09T16:45:53Z");
        assert_eq!(value.id, "issue#issue#weak_ciphers#00000000-0000-0000-0000-000000000000#2022-09-09T16:45:52.345Z");
    }
}
