//! Collections of objects, as those see them who may.

use crate::call::Call;
use crate::failure::About;
use ambit_api::object_collections::ObjectCollectionAttributes;
use ambit_api::objects::{Object, Related};
use ambit_api::{Result, copied};
use ambit_model::object::ObjectType;
use ambit_store::ObjectCollection;

/// Relationships, with what each leads to.
pub(crate) const RELATIONSHIPS: &[(&str, &str)] = &[
    ("domains", "Domains in the collection."),
    ("files", "Files in the collection."),
    ("ip_addresses", "Addresses in the collection."),
    ("owner", "The user who made the collection."),
    ("urls", "URLs in the collection."),
];

pub(crate) const NOUN: &str = "Collection";

/// A collection as an object.
pub(crate) async fn shown(call: &Call, collection: &ObjectCollection) -> Result<Object> {
    let counts = call.store().collected_counts(call.caller(), &collection.id).await.about(NOUN)?;
    let count = |kind: ObjectType| counts.iter().find(|(name, _)| name == kind.name()).map_or(0, |(_, count)| *count);
    let attributes = copied! {
        ObjectCollectionAttributes from collection { name, description, owner, private }
        creation_date: collection.created_at.into(),
        last_modification_date: collection.modified_at.into(),
        references_count: 0,
        domains_count: count(ObjectType::Domain),
        files_count: count(ObjectType::File),
        ip_addresses_count: count(ObjectType::IpAddress),
        urls_count: count(ObjectType::Url),
    };
    Ok(Object::new(&call.base, "collections", "collection", &collection.id, &attributes))
}

/// All that the caller may see of an owner.
pub(crate) async fn of(call: &Call, owner: i64) -> Result<Related> {
    let found = call.store().object_collections(call.caller(), Some(owner)).await.about(NOUN)?;
    let mut out = Vec::new();
    for collection in &found {
        out.push(shown(call, collection).await?);
    }
    Ok(Related::Many(out))
}
