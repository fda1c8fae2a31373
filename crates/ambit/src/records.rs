//! Stored rows in the shapes of the API, for the commands that read a data folder.

use crate::failure::Failure;
use ambit_model::collection::Collection;
use ambit_store::IndexRow;
use uuid::Uuid;

/// Ids and times of a row.
pub(crate) fn sighting(row: &IndexRow) -> ambit_api::Sighting {
    ambit_api::Sighting {
        id: row.id,
        first_seen: row.first_seen,
        last_seen: row.last_seen,
        since: row.first_seen,
    }
}

/// What a record repeats of its collection.
pub(crate) fn collection(collection: &ambit_store::CollectionRef) -> ambit_api::CollectionRef<'_> {
    ambit_api::CollectionRef {
        id: collection.id,
        uuid: collection.uuid,
        name: &collection.name,
        organization_uuid: Some(collection.organization_uuid),
    }
}

/// Ids and times of a search hit.
pub(crate) fn indexed(hit: &ambit_search::IndexedRecord) -> ambit_api::Sighting {
    ambit_api::Sighting {
        id: hit.id,
        first_seen: hit.first_seen,
        last_seen: hit.last_seen,
        since: hit.valid_from,
    }
}

/// Ids and times of an entity.
pub(crate) fn viewed(view: &ambit_store::EntityView) -> ambit_api::Sighting {
    ambit_api::Sighting {
        id: view.id,
        first_seen: view.first_seen,
        last_seen: view.last_seen,
        since: view.updated_at,
    }
}

/// Ids and times of an issue.
pub(crate) fn viewed_issue(view: &ambit_store::IssueView) -> ambit_api::Sighting {
    ambit_api::Sighting {
        id: view.id,
        first_seen: view.first_seen,
        last_seen: view.last_seen,
        since: view.updated_at,
    }
}

/// The collection of a search hit among those that the caller sees.
pub(crate) fn named(collections: &[Collection], uuid: Uuid) -> Result<ambit_api::CollectionRef<'_>, Failure> {
    let collection = collections.iter().find(|collection| collection.uuid == uuid);
    let collection = collection.ok_or_else(|| Failure::run_time("a search hit belongs to a collection that is not there any more; search again"))?;
    Ok(ambit_api::CollectionRef {
        id: collection.id,
        uuid,
        name: &collection.name,
        organization_uuid: None,
    })
}
