//! Operations: what was asked for many objects at once, and how far it is (v3-wire §6).

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::of_store;
use crate::present::operations::shown;
use ambit_api::objects::data;
use ambit_api::{ApiError, ErrorCode};
use ambit_store::StoreError;

pub(crate) async fn find(call: Call) -> Result<Answer, ApiError> {
    let id = call.parameter("id");
    let found = call.state.store.find_operation(call.caller(), id).await;
    let found = found.map_err(|error| match error {
        StoreError::NotFound => ApiError::with(ErrorCode::NotFound, format!("Operation \"{id}\" not found")),
        error => of_store(error, "Operation"),
    })?;
    Ok(Answer::json(&data(shown(&call, &found))))
}
