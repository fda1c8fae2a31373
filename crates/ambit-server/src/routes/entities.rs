//! Entities: detail and raw detail (docs/contract/asm.md §6), and why one is in scope. An entity is named by its uid or
//! its uuid.

use crate::answer::Answer;
use crate::call::{Asking, Call, CallWith};
use crate::failure::About;
use crate::present::entities::{NOUN, collection, current, detail, sighting, view};
use crate::signature::{Png, Reply};
use crate::window::AsOf;
use ambit_api::entities::{EntityDetail, EntityMarks, RawEntity, ScopeExplanation};
use ambit_api::{ApiError, Envelope, Result, read, success};
use ambit_model::TaskName;
use ambit_model::observation::SCREENSHOT;
use ambit_store::{EntityFlags, EntityView};

const MESSAGE: &str = "successfully returned entity";

/// Read an entity.
pub(crate) async fn find(call: Asking<AsOf>) -> Result<Envelope<EntityDetail>> {
    Ok(success(MESSAGE, detail(&view(&call).await?)))
}

/// Read an entity with everything that is known of it.
pub(crate) async fn raw(call: Asking<AsOf>) -> Result<Envelope<RawEntity>> {
    let view = view(&call).await?;
    let scoped_at = view.scoped_at.unwrap_or(view.first_seen);
    let result = RawEntity::of(&view.record, sighting(&view), collection(&view.collection), scoped_at, call.now);
    Ok(success(MESSAGE, result))
}

/// Explain why an entity is in scope or not, edge by edge from the seed.
pub(crate) async fn scope(call: Asking<AsOf>) -> Result<Envelope<ScopeExplanation>> {
    Ok(explained(&view(&call).await?))
}

fn explained(view: &EntityView) -> Envelope<ScopeExplanation> {
    success("Scope explained", ScopeExplanation::from(&view.record))
}

/// Read the picture of a site as a browser showed it (PNG); 404 where there is none.
pub(crate) async fn screenshot(call: Call) -> Result<Png> {
    let id = call.parameter("entity_uid");
    let probes = call.store().entity_probes(call.caller(), id, call.project, TaskName::Screenshot).await.about(NOUN)?;
    let pictures = probes.iter().flat_map(|probe| &probe.evidence).filter(|(label, _)| label == SCREENSHOT);
    for (_, hash) in pictures {
        if let Some(bytes) = call.store().blob(*hash).await.about(NOUN)? {
            return Ok(Png(Answer::bytes(Png::CONTENT_TYPE, bytes.into())));
        }
    }
    Err(ApiError::not_found("Screenshot"))
}

/// Put an entity on the deny list or the allow list, or hide it. The allow list is for admins of the collection. Scope
/// follows at once, also in an active run.
pub(crate) async fn mark(call: CallWith<EntityMarks>) -> Result<Envelope<ScopeExplanation>> {
    // An entity that the caller may not see is answered with 404, whatever the body.
    let seen = current(&call).await?;
    let marks: EntityMarks = read(call.change::<EntityDetail>()?)?;
    let flags = EntityFlags { hidden: marks.hidden.0, allow: marks.allow_list.0, deny: marks.deny_list.0, tags: None };
    let id = seen.record.uid.to_string();
    call.store().set_entity_flags(call.caller(), &id, call.project, &flags).await.about(NOUN)?;
    Ok(explained(&current(&call).await?))
}
