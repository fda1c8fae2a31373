//! The project of a path.

use crate::call::Call;
use crate::failure::About;
use crate::path::ProjectUuid;
use ambit_api::Result;
use uuid::Uuid;

/// The project of the path, which the caller may see.
pub(crate) async fn project(call: &Call) -> Result<Uuid> {
    let uuid = ProjectUuid::of(call)?;
    call.store().find_project(call.caller(), uuid).await.about("Project")?;
    Ok(uuid)
}
