//! The changes of a project on the wire, in the order in which they were committed. Ours.

use crate::shape::{BOOLEAN, INTEGER, MOMENT, Object, Shape, TEXT, TEXT_OR_NULL, UUID_OR_NULL, member};
use ambit_model::Timestamp;
use ambit_model::feed::{FeedRow, Noun};
use serde_json::{Value, json};
use uuid::Uuid;

/// One change. `record` is what changed as it is now, where it has a record; `collection` its uuid.
pub fn change(row: &FeedRow, at: Timestamp, person: bool, record: Option<&Value>, collection: Option<Uuid>) -> Value {
    let member = |name: &str| record.and_then(|record| record.get(name)).and_then(Value::as_str);
    json!({
        "revision": row.revision,
        "at": at,
        "record": row.noun.name(),
        "what": row.what.name(),
        "id": identifier(row),
        "name": member("name"),
        "kind": member("kind"),
        "status": member("status"),
        "person": person,
        "collection_uuid": collection,
    })
}

/// The uid of what has one, else the uuid, which the feed keeps in its first half.
fn identifier(row: &FeedRow) -> String {
    match row.noun {
        Noun::Entity | Noun::Issue | Noun::Technology => row.uid.to_string(),
        Noun::Graph => format!("g{}", row.uid),
        Noun::Collection | Noun::Project | Noun::Run => {
            let mut bytes = [0; 16];
            bytes.copy_from_slice(&row.uid.bytes()[..16]);
            Uuid::from_bytes(bytes).to_string()
        }
    }
}

/// The changes after a revision; `after` is where the next list begins.
pub fn changes(rows: Vec<Value>, after: i64) -> Value {
    json!({"changes": rows, "after": after})
}

static CHANGE: Shape = Shape::Object(&Object {
    name: "Change",
    members: &[
        member("revision", INTEGER),
        member("at", MOMENT),
        member(
            "record",
            &Shape::OneOf(&["entity", "issue", "technology", "collection", "project", "run"]),
        ),
        member("what", &Shape::OneOf(&["appeared", "changed", "disappeared", "seen"])),
        member("id", TEXT),
        member("name", TEXT_OR_NULL),
        member("kind", TEXT_OR_NULL),
        member("status", TEXT_OR_NULL),
        member("person", BOOLEAN),
        member("collection_uuid", UUID_OR_NULL),
    ],
    open: false,
});

/// The shape of one change, for clients that choose members.
pub fn change_shape() -> &'static Shape {
    &CHANGE
}

/// A list of them with where the next begins.
pub static CHANGES: Shape = Shape::Object(&Object {
    name: "Changes",
    members: &[member("changes", &Shape::List(&CHANGE)), member("after", INTEGER)],
    open: false,
});

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::feed::What;
    use ambit_model::{Kind, Uid};

    #[test]
    fn a_change_names_what_changed() {
        let uid = Uid::of_entity(Uuid::nil(), Kind::Domain, "acme.test");
        let row = FeedRow {
            revision: 7,
            project: 1,
            noun: Noun::Entity,
            uid,
            what: What::Appeared,
        };
        let value = change(
            &row,
            Timestamp(0),
            false,
            Some(&json!({"name": "acme.test", "kind": "Domain"})),
            Some(Uuid::nil()),
        );
        assert_eq!(CHANGES.differences(&changes(vec![value.clone()], 7)), Vec::<String>::new());
        assert_eq!((&value["id"], &value["name"]), (&json!(uid), &json!("acme.test")));
        let run = FeedRow { noun: Noun::Run, ..row };
        assert_eq!(change(&run, Timestamp(0), true, None, None)["id"].as_str().map(str::len), Some(36));
    }
}
