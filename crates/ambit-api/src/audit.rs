//! The audit log on the wire: who changed what, when. Ours.

use crate::shape::{ANY, INTEGER, MOMENT, Object, Shape, TEXT, TEXT_OR_NULL, member};
use ambit_model::Timestamp;
use serde_json::{Value, json};

/// A row of the audit log.
pub fn audit_row(id: i64, at: Timestamp, user: Option<&str>, action: &str, object: &str, details: &Value) -> Value {
    json!({"id": id, "at": at, "user": user, "action": action, "object": object, "details": details})
}

/// Its members.
pub static AUDIT_ROW: Shape = Shape::Object(&Object {
    name: "AuditRow",
    members: &[
        member("id", INTEGER),
        member("at", MOMENT),
        member("user", TEXT_OR_NULL),
        member("action", TEXT),
        member("object", TEXT),
        member("details", ANY),
    ],
    open: false,
});

/// A list of them.
pub static AUDIT_ROWS: Shape = Shape::List(&AUDIT_ROW);
