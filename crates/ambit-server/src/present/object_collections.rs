//! Collections of objects, as those see them who may.

use crate::call::Call;
use crate::failure::About;
use crate::page;
use ambit_api::ApiError;
use ambit_api::objects::object;
use ambit_model::object::ObjectType;
use ambit_store::ObjectCollection;
use serde_json::{Map, Value, json};

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
pub(crate) async fn shown(call: &Call, collection: &ObjectCollection) -> Result<Value, ApiError> {
    let counts = call.store().collected_counts(call.caller(), &collection.id).await.about(NOUN)?;
    let count = |kind: ObjectType| counts.iter().find(|(name, _)| name == kind.name()).map_or(0, |(_, count)| *count);
    let mut attributes = Map::from_iter([
        ("name".to_owned(), json!(collection.name)),
        ("description".to_owned(), json!(collection.description)),
        ("owner".to_owned(), json!(collection.owner)),
        ("private".to_owned(), json!(collection.private)),
        ("creation_date".to_owned(), page::seconds(collection.created_at)),
        ("last_modification_date".to_owned(), page::seconds(collection.modified_at)),
        ("references_count".to_owned(), json!(0)),
    ]);
    for kind in ObjectType::ALL {
        attributes.insert(format!("{}_count", kind.collection()), json!(count(kind)));
    }
    Ok(object(&call.base, "collections", "collection", &collection.id, attributes))
}

/// All that the caller may see of an owner, or of everybody.
pub(crate) async fn of(call: &Call, owner: Option<i64>) -> Result<Vec<Value>, ApiError> {
    let found = call.store().object_collections(call.caller(), owner).await.about(NOUN)?;
    let mut out = Vec::new();
    for collection in &found {
        out.push(shown(call, collection).await?);
    }
    Ok(out)
}
