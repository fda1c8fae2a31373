//! The project of a path.

use crate::call::Call;
use crate::failure::of_store;
use ambit_api::ApiError;
use uuid::Uuid;

/// The project of the path, if the header does not name another.
pub(crate) async fn project(call: &Call) -> Result<Uuid, ApiError> {
    let uuid = call.uuid("uuid", "Project")?;
    let view = call.state.store.find_project(call.caller(), uuid).await;
    call.narrowed_to(view.map_err(|error| of_store(error, "Project"))?.project.id, "Project")?;
    Ok(uuid)
}
