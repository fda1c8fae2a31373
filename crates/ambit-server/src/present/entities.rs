//! Entities: what their shapes need beside the record.

use crate::call::Call;
use crate::failure::About;
use crate::window::{AsOf, moment, then};
use ambit_api::entities::{EntityDetail, EntityHit, EntityHitIssue};
use ambit_api::{CollectionRef, Result, Sighting};
use ambit_model::{Timestamp, Uid};
use ambit_store::{EntityView, View};

pub(crate) const NOUN: &str = "Entity";

/// The entity of the path.
pub(crate) async fn current(call: &Call) -> Result<EntityView> {
    call.store().find_record(call.caller(), call.parameter("entity_uid"), call.project).await.about(NOUN)
}

/// The entity of the path, as it is or as it was.
pub(crate) async fn view(call: &Call) -> Result<EntityView> {
    let Some(moment) = moment(AsOf::as_of(call))? else { return current(call).await };
    let id = call.parameter("entity_uid");
    let at = call.store().record_at(call.caller(), id, call.project, moment).await.about(NOUN)?;
    then(at, NOUN)
}

/// Returns what the body needs in addition to the record.
pub(crate) fn sighting<R>(view: &View<R>) -> Sighting {
    Sighting {
        id: view.id,
        first_seen: view.first_seen,
        last_seen: view.last_seen,
        since: view.updated_at,
        due_at: None,
    }
}

pub(crate) fn detail(view: &EntityView) -> EntityDetail {
    EntityDetail::of(&view.record, sighting(view), collection(&view.collection))
}

/// What the shapes repeat of the collection.
pub(crate) fn collection(collection: &ambit_store::CollectionRef) -> CollectionRef<'_> {
    CollectionRef {
        id: collection.id,
        uuid: collection.uuid,
        name: &collection.name,
        organization_uuid: Some(collection.organization_uuid),
    }
}

/// Fills the `issues` of hits that have open ones, as they were at a moment (`None`: now).
pub(crate) async fn fill_issues(
    call: &Call,
    project: i64,
    hits: &mut [EntityHit],
    at: Option<Timestamp>,
) -> Result<()> {
    let with_issues = hits.iter().filter(|hit| hit.summary.issues.current_count != 0);
    let with_issues: Vec<Uid> = with_issues.map(|hit| hit.id).collect();
    if with_issues.is_empty() {
        return Ok(());
    }
    let found = call.store().open_issues_of(call.caller(), project, &with_issues, at).await.about("Project")?;
    for hit in hits {
        if let Some(open) = found.get(&hit.id) {
            hit.issues = EntityHitIssue::list(open);
        }
    }
    Ok(())
}
