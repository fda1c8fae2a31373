//! Points in time on the wire (docs/contract/asm.md §8.5).

use crate::entities::ENTITY_AT;
use crate::issues::ISSUE_DETAIL;
use crate::shape::{MOMENT, Object, Shape, member};
use serde_json::{Value, json};

/// The `result` of a point in time of an entity.
pub fn entity_at_result(entity: Value) -> Value {
    json!({"entity": entity})
}

/// The `result` of a point in time of an issue.
pub fn issue_at_result(issue: Value) -> Value {
    json!({"issue": issue})
}

/// The record of an entity at a moment.
pub static ENTITY_AT_RESULT: Shape = Shape::Object(&Object {
    name: "EntityAtPointResult",
    members: &[member("entity", &ENTITY_AT)],
    open: false,
});

/// The record of an issue at a moment.
pub static ISSUE_AT_RESULT: Shape = Shape::Object(&Object {
    name: "IssueAtPointResult",
    members: &[member("issue", &ISSUE_DETAIL)],
    open: false,
});

/// Moments that a point in time can be asked for.
pub static POINTS: Shape = Shape::List(MOMENT);
