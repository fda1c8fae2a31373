//! Postures: how well the seeds of a collection are protected, and how the posture of one came to be. Ours.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::About;
use crate::present::entities::NOUN;
use crate::window::{moment, then};
use ambit_api::postures::{EntityPosture, SeedPosture};
use ambit_api::{ApiError, success};
use ambit_model::entity::domain;

/// List how well the seeds of a collection protect what everybody can see of them, the worst first; those that nobody
/// weighed are left out.
pub(crate) async fn of_collection(call: Call) -> Result<Answer, ApiError> {
    let uuid = call.uuid("collection_uuid", "Collection")?;
    let at = moment(&call, "as_of")?;
    let seeds = call.store().seed_entities(call.caller(), uuid, at, call.now).await.about("Collection")?;
    let of = |record: &ambit_model::entity::EntityRecord| SeedPosture::of(record.uid, &record.name, &record.details);
    let mut found: Vec<SeedPosture> = seeds.iter().filter_map(|seed| of(&seed.record)).collect();
    found.sort_by(|a, b| (a.score, &a.name).cmp(&(b.score, &b.name)));
    Ok(Answer::json(&success("Postures", found)))
}

/// Say how well an entity protects what everybody can see of it, why, whose services it uses, and which scores it had.
pub(crate) async fn of_entity(call: Call) -> Result<Answer, ApiError> {
    let id = call.parameter("entity_uid");
    let view = match moment(&call, "as_of")? {
        None => call.store().find_entity(call.caller(), id, call.project).await.about(NOUN)?,
        Some(at) => {
            let at = call.store().entity_at(call.caller(), id, call.project, at, call.now).await.about(NOUN)?;
            then(at, NOUN)?
        }
    };
    let member = domain::POSTURE.name();
    let history = call.store().member_history(call.caller(), id, call.project, member).await.about(NOUN)?;
    Ok(Answer::json(&success("Posture", EntityPosture::of(&view.record.details, history))))
}
