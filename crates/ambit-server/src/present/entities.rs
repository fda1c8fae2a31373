//! Entities: what their shapes need beside the record.

use crate::call::Call;
use crate::failure::About;
use ambit_api::entities::{EntityHit, EntityHitIssue};
use ambit_api::{CollectionRef, Result, Sighting};
use ambit_model::{Timestamp, Uid};
use ambit_store::EntityView;

pub(crate) const NOUN: &str = "Entity";

/// Returns what the body needs in addition to the record.
pub(crate) fn sighting(view: &EntityView) -> Sighting {
    Sighting {
        id: view.id,
        first_seen: view.first_seen,
        last_seen: view.last_seen,
        since: view.updated_at,
        due_at: None,
    }
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
