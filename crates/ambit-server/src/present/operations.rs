//! Operations: what was asked for many objects at once.

use crate::call::Call;
use ambit_api::objects::Object;
use ambit_api::operations::OperationAttributes;
use ambit_api::{Maybe, copied};
use ambit_store::Operation;

/// An operation as an object.
pub(crate) fn shown(call: &Call, operation: &Operation) -> Object {
    let attributes = copied! {
        OperationAttributes from operation { status, kind, objects }
        start_date: operation.created_at.into(),
        finish_date: Maybe(operation.finished_at.map(Into::into)),
    };
    Object::new(&call.base, "operations", "operation", &operation.id, &attributes)
}
