//! One change of many entities or issues on the wire. Ours.

use crate::issues::STATUS;
use crate::shape::{INTEGER, Object, Shape, TEXTS, member, optional};
use serde_json::{Value, json};

/// How many items were changed.
pub fn bulk_result(items: usize) -> Value {
    json!({"items": items})
}

/// The answer.
pub static BULK_RESULT: Shape = Shape::Object(&Object {
    name: "BulkResult",
    members: &[member("items", INTEGER)],
    open: false,
});

/// The body for issues: identifiers, and at least one of the changes.
pub static ISSUE_BULK: Shape = Shape::Object(&Object {
    name: "IssueBulk",
    members: &[
        member("ids", TEXTS),
        optional("status", STATUS),
        optional("add_tags", TEXTS),
        optional("remove_tags", TEXTS),
    ],
    open: true,
});

/// The body for entities.
pub static ENTITY_BULK: Shape = Shape::Object(&Object {
    name: "EntityBulk",
    members: &[member("ids", TEXTS), optional("add_tags", TEXTS), optional("remove_tags", TEXTS)],
    open: true,
});
