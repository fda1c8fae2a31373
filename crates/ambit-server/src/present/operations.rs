//! Operations: what was asked for many objects at once.

use crate::call::Call;
use ambit_api::objects::{Object, Seconds};
use ambit_api::{Maybe, contract, copied};
use ambit_store::Operation;
use serde::Serialize;

contract! {
    /// The attributes of an operation.
    #[derive(Debug, Serialize)]
    pub(crate) struct OperationAttributes {
        status: String,
        kind: String,
        objects: i64,
        start_date: Seconds,
        finish_date: Maybe<Seconds>,
    }
}

/// An operation as an object.
pub(crate) fn shown(call: &Call, operation: &Operation) -> Object {
    let attributes = copied! {
        OperationAttributes from operation { status, kind, objects }
        start_date: operation.created_at.into(),
        finish_date: Maybe(operation.finished_at.map(Into::into)),
    };
    Object::new(&call.base, "operations", "operation", &operation.id, &attributes)
}
