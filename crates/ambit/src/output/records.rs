//! Stored rows in the shapes of the API, for the commands that read a data folder.

use ambit_store::IndexRow;

/// Ids and times of a row.
pub(crate) fn sighting(row: &IndexRow) -> ambit_api::Sighting {
    let (first_seen, last_seen) = (row.first_seen, row.last_seen);
    ambit_api::Sighting { id: row.id, first_seen, last_seen, since: row.first_seen, due_at: None }
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
