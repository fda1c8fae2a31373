//! The project of a path.

use crate::call::Call;
use crate::failure::About;
use ambit_api::ApiError;
use uuid::Uuid;

/// The project of the path, if the header does not name another.
pub(crate) async fn project(call: &Call) -> Result<Uuid, ApiError> {
    let uuid = call.uuid("uuid", "Project")?;
    let view = call.store().find_project(call.caller(), uuid).await.about("Project")?;
    call.narrowed_to(view.project.id, "Project")?;
    Ok(uuid)
}
