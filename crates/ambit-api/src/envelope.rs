//! The envelope of every answer (docs/contract/asm.md §2.1): `success`, `message`, `result`.

use crate::shape::{BOOLEAN, NULL, Object, Shape, TEXT, member};
use serde_json::{Value, json};

/// A successful answer.
pub fn success(message: &str, result: Value) -> Value {
    json!({"success": true, "message": message, "result": result})
}

/// The answer of a successful unarchive, which says `success: false`: the contract has it so (docs/contract/asm.md §2.3).
pub fn unarchived() -> Value {
    json!({"success": false, "message": "Collection unarchived", "result": null})
}

/// The error object inside the envelope of a failure.
static ERROR: Object = Object {
    name: "Error",
    members: &[member("code", TEXT), member("message", TEXT)],
    open: false,
};

/// The envelope of a failure.
pub static FAILURE: Shape = Shape::Object(&Object {
    name: "Failure",
    members: &[
        member("success", BOOLEAN),
        member("message", TEXT),
        member("result", NULL),
        member("error", &Shape::Object(&ERROR)),
    ],
    open: false,
});
