//! Postures: how well the seeds of a collection are protected, and the organisations that registered them, and how the
//! posture of one came to be. Ours.

use crate::call::Asking;
use crate::failure::About;
use crate::path::CollectionUuid;
use crate::present::entities::{NOUN, view};
use crate::window::{AsOf, moment};
use ambit_api::postures::{EntityPosture, OrganizationPosture, SeedPosture};
use ambit_api::{Envelope, Result, success};
use ambit_model::entity::domain;
use ambit_model::posture::{WeighedDomain, organizations};
use ambit_store::{EntityView, StoreError};

/// List the postures of the seeds of a collection, the worst first: how well each protects what everybody can see of
/// it. A seed whose posture no run has computed is left out.
pub(crate) async fn of_collection(call: Asking<AsOf>) -> Result<Envelope<Vec<SeedPosture>>> {
    let uuid = CollectionUuid::of(&call)?;
    let at = moment(AsOf::as_of(&call))?;
    let seeds = call.store().seed_entities(call.caller(), uuid, at).await.about("Collection")?;
    let of = |record: &ambit_model::entity::EntityRecord| SeedPosture::of(record.uid, &record.name, &record.details);
    let mut found: Vec<SeedPosture> = seeds.iter().filter_map(|seed| of(&seed.record)).collect();
    found.sort_by(|a, b| (a.score, &a.name).cmp(&(b.score, &b.name)));
    Ok(success("Postures", found))
}

/// List the postures of the organisations that registered the domains among the seeds of a collection, the worst first,
/// with the scores that each had. The score of an organisation is that of its weakest domain.
pub(crate) async fn of_organizations(call: Asking<AsOf>) -> Result<Envelope<Vec<OrganizationPosture>>> {
    let uuid = CollectionUuid::of(&call)?;
    let at = moment(AsOf::as_of(&call))?;
    let seeds = call.store().seed_entities(call.caller(), uuid, at).await.about("Collection")?;
    let mut weighed = Vec::new();
    for EntityView { record, .. } in seeds {
        let Some(posture) = domain::POSTURE.of(&record.details) else { continue };
        let member = domain::POSTURE.name();
        let id = record.uid.to_string();
        let history = match call.store().member_history(call.caller(), &id, None, member).await {
            // Removed since the seeds were read.
            Err(StoreError::NotFound) => continue,
            history => history.about(NOUN)?,
        };
        let until = history.into_iter().filter(|(since, _)| at.is_none_or(|at| *since <= at));
        let history = ambit_model::posture::history(until.collect());
        weighed.push(WeighedDomain { uid: record.uid, name: record.name, posture, history });
    }
    let found = organizations(weighed).into_iter().map(OrganizationPosture::from);
    Ok(success("Postures of organizations", found.collect()))
}

/// Read the posture of an entity: how well it protects what everybody can see of it, with the reasons, the suppliers
/// whose services it uses, and the scores that it had.
pub(crate) async fn of_entity(call: Asking<AsOf>) -> Result<Envelope<EntityPosture>> {
    let view = view(&call).await?;
    let (id, member) = (call.parameter("entity_uid"), domain::POSTURE.name());
    let history = call.store().member_history(call.caller(), id, call.project, member).await.about(NOUN)?;
    Ok(success("Posture", EntityPosture::of(&view.record.details, history)))
}
