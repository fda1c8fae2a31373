//! Operations: what was asked for many objects at once, and how far it is (v3-wire §6).

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::of_store;
use ambit_api::objects::{data, object};
use ambit_api::{ApiError, ErrorCode};
use ambit_store::{Operation, StoreError};
use serde_json::{Map, json};

/// An operation as an object.
pub(crate) fn shown(call: &Call, operation: &Operation) -> serde_json::Value {
    let mut attributes = Map::from_iter([
        ("status".to_owned(), json!(operation.status)),
        ("kind".to_owned(), json!(operation.kind)),
        ("objects".to_owned(), json!(operation.objects)),
        ("start_date".to_owned(), super::page::seconds(operation.created_at)),
    ]);
    if let Some(at) = operation.finished_at {
        attributes.insert("finish_date".to_owned(), super::page::seconds(at));
    }
    object(&call.base, "operations", "operation", &operation.id, attributes)
}

pub(crate) async fn find(call: Call) -> Result<Answer, ApiError> {
    let id = call.parameter("id");
    let found = call.state.store.find_operation(call.caller(), id).await;
    let found = found.map_err(|error| match error {
        StoreError::NotFound => ApiError::with(ErrorCode::NotFound, format!("Operation \"{id}\" not found")),
        error => of_store(error, "Operation"),
    })?;
    Ok(Answer::json(&data(shown(&call, &found))))
}
