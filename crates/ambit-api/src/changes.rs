//! The changes of a project on the wire, in the order in which they were committed. Ours.

use crate::contract::contract;
use crate::words::Word;
use ambit_model::Timestamp;
use ambit_model::feed::{FeedRow, Noun, What};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

contract! {
    /// One change, with name, kind and status of what changed as they were shown then; collections, projects and runs
    /// by what they are called now.
    #[derive(Debug, Serialize)]
    pub struct Change {
        pub revision: i64,
        pub at: Timestamp,
        pub record: Word<Noun>,
        pub what: Word<What>,
        pub id: String,
        pub name: Option<String>,
        pub kind: Option<String>,
        pub status: Option<String>,
        pub person: bool,
        pub collection_uuid: Option<Uuid>,
    }

    /// The changes after a revision; `after` is where the next list begins.
    #[derive(Debug, Serialize)]
    pub struct Changes {
        pub changes: Vec<Change>,
        pub after: i64,
    }
}

impl Change {
    /// One change. `record` is what changed as it was shown then, where it has a record; `collection` its uuid.
    pub fn of(row: &FeedRow, at: Timestamp, person: bool, record: Option<&Value>, collection: Option<Uuid>) -> Self {
        let member = |name: &str| record?.get(name)?.as_str().map(str::to_owned);
        Self {
            revision: row.revision,
            at,
            record: Word(row.noun),
            what: Word(row.what),
            id: identifier(row),
            name: member("name"),
            kind: member("kind"),
            status: member("status"),
            person,
            collection_uuid: collection,
        }
    }
}

/// The uid of what has one, else the uuid, which the feed keeps in its first half.
fn identifier(row: &FeedRow) -> String {
    match row.noun {
        Noun::Entity | Noun::Issue | Noun::Technology => row.uid.to_string(),
        Noun::Graph => format!("g{}", row.uid),
        Noun::Collection | Noun::Project | Noun::Run => row.uuid().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::{Kind, Uid};
    use serde_json::json;

    #[test]
    fn a_change_names_what_changed() {
        let uid = Uid::of_entity(Uuid::nil(), Kind::Domain, "acme.test");
        let row = FeedRow { revision: 7, project: 1, noun: Noun::Entity, uid, what: What::Appeared };
        let value = Change::of(
            &row,
            Timestamp(0),
            false,
            Some(&json!({"name": "acme.test", "kind": "Domain"})),
            Some(Uuid::nil()),
        );
        assert_eq!((value.id, value.name.as_deref()), (uid.to_string(), Some("acme.test")));
        let run = FeedRow { noun: Noun::Run, ..row };
        assert_eq!(Change::of(&run, Timestamp(0), true, None, None).id.len(), 36);
    }
}
