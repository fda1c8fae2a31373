//! The collection of a path.

use crate::call::Call;
use crate::failure::About;
use ambit_api::ApiError;
use uuid::Uuid;

/// The collection of the path, in the project that the header names, if it names one.
pub(crate) async fn collection(call: &Call) -> Result<Uuid, ApiError> {
    let uuid = call.uuid("collection_uuid", "Collection")?;
    if call.project.is_some() {
        let found = call.store().find_collection(call.caller(), uuid).await.about("Collection")?;
        call.narrowed_to(found.collection.project, "Collection")?;
    }
    Ok(uuid)
}
