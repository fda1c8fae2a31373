//! Operations: what was asked for many objects at once.

use crate::call::Call;
use crate::page;
use ambit_api::objects::object;
use ambit_store::Operation;
use serde_json::{Map, json};

/// An operation as an object.
pub(crate) fn shown(call: &Call, operation: &Operation) -> serde_json::Value {
    let mut attributes = Map::from_iter([
        ("status".to_owned(), json!(operation.status)),
        ("kind".to_owned(), json!(operation.kind)),
        ("objects".to_owned(), json!(operation.objects)),
        ("start_date".to_owned(), page::seconds(operation.created_at)),
    ]);
    if let Some(at) = operation.finished_at {
        attributes.insert("finish_date".to_owned(), page::seconds(at));
    }
    object(&call.base, "operations", "operation", &operation.id, attributes)
}
