//! Points in time on the wire (seed-asm §4, endpoint 18).

use crate::entities::ENTITY_AT;
use crate::shape::{Object, Shape, member};
use serde_json::{Value, json};

/// The `result` of a point in time of an entity.
pub fn entity_at_result(entity: Value) -> Value {
    json!({"entity": entity})
}

/// The record of an entity at a moment.
pub static ENTITY_AT_RESULT: Shape = Shape::Object(&Object {
    name: "EntityAtPointResult",
    members: &[member("entity", &ENTITY_AT)],
    open: false,
});
