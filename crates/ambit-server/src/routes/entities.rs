//! Entities: detail and raw detail (seed-asm §4, endpoints 13 and 14), and why one is in scope.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::of_store;
use ambit_api::{ApiError, entities, success};

const NOUN: &str = "Entity";
const MESSAGE: &str = "successfully returned entity";

pub(crate) async fn find(call: Call) -> Result<Answer, ApiError> {
    let view = view(&call).await?;
    let result = entities::entity_detail(&view.record, sighting(&view), collection(&view));
    Ok(Answer::json(&success(MESSAGE, result)))
}

pub(crate) async fn raw(call: Call) -> Result<Answer, ApiError> {
    let view = view(&call).await?;
    let result = entities::raw_entity(&view.record, sighting(&view), collection(&view), call.now);
    Ok(Answer::json(&success(MESSAGE, result)))
}

pub(crate) async fn scope(call: Call) -> Result<Answer, ApiError> {
    let view = view(&call).await?;
    Ok(Answer::json(&success("Scope explained", entities::scope_explanation(&view.record))))
}

/// A uid of the path. Clients also send the uuid of a record, which is the beginning of its uid.
async fn view(call: &Call) -> Result<EntityView, ApiError> {
    let view = call.state.store.find_entity(call.caller(), uid(call, "entity_uid")?).await;
    let view = view.map_err(|error| of_store(error, NOUN))?;
    call.narrowed_to(view.collection.project, NOUN)?;
    Ok(view)
}
