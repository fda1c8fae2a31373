//! The audit log on the wire: who changed what, when. Ours.

use crate::shape::{ANY, INTEGER, MOMENT, Object, Shape, TEXT, TEXT_OR_NULL, member};

/// A row of the audit log.
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
