//! Technologies on the wire (docs/contract/asm.md §8.1). The contract names the search and leaves the hit open: ours has what fingerprints say, with
//! the names of the members that fingerprint items have.

use crate::shape::{INTEGER, MOMENT, Object, Shape, TEXT, TEXT_OR_NULL, TEXTS, UID, UUID, UUID_OR_NULL, member};
use crate::{COLLECTION_TYPE, CollectionRef, Sighting};
use ambit_model::technology::TechnologyRecord;
use serde_json::{Value, json};

/// A hit of a search.
pub fn technology_hit(record: &TechnologyRecord, seen: Sighting, collection: CollectionRef<'_>) -> Value {
    let parts = [&record.vendor, &record.product, &record.version];
    let name: Vec<&str> = parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    json!({
        "id": record.uid,
        "uid": record.uid,
        "uuid": record.uid.uuid(),
        "dynamic_id": seen.id,
        "name": name.join(" "),
        "vendor": record.vendor,
        "product": record.product,
        "version": Some(&record.version).filter(|version| !version.is_empty()),
        "cpe": record.cpe,
        "tags": record.labels,
        "entity_count": record.entity_count,
        "vulns": record.vulns,
        "first_seen": seen.first_seen,
        "last_seen": seen.last_seen,
        "collection": collection.name,
        "collection_type": COLLECTION_TYPE,
        "collection_uuid": collection.uuid,
        "organization_uuid": collection.organization_uuid,
    })
}

/// Its members.
pub static TECHNOLOGY_HIT: Shape = Shape::Object(&Object {
    name: "TechnologyHit",
    members: &[
        member("id", UID),
        member("uid", UID),
        member("uuid", UUID),
        member("dynamic_id", INTEGER),
        member("name", TEXT),
        member("vendor", TEXT),
        member("product", TEXT),
        member("version", TEXT_OR_NULL),
        member("cpe", TEXT_OR_NULL),
        member("tags", TEXTS),
        member("entity_count", INTEGER),
        member("vulns", TEXTS),
        member("first_seen", MOMENT),
        member("last_seen", MOMENT),
        member("collection", TEXT),
        member("collection_type", TEXT),
        member("collection_uuid", UUID),
        member("organization_uuid", UUID_OR_NULL),
    ],
    open: false,
});

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::{Timestamp, Uid};
    use uuid::Uuid;

    #[test]
    fn a_hit_has_every_member_and_no_version_where_none_is_known() {
        let record = TechnologyRecord {
            uid: Uid::of_technology(Uuid::nil(), "Nginx", "nginx", ""),
            collection: Uuid::nil(),
            vendor: "Nginx".to_owned(),
            product: "nginx".to_owned(),
            version: String::new(),
            cpe: None,
            labels: vec!["Web Server".to_owned()],
            entity_count: 2,
            vulns: vec!["CVE-2019-10081".to_owned()],
        };
        let seen = Sighting {
            id: 9,
            first_seen: Timestamp(0),
            last_seen: Timestamp(1),
            since: Timestamp(0),
        };
        let collection = CollectionRef {
            id: 3,
            uuid: Uuid::nil(),
            name: "outside_a1b2c3d",
            organization_uuid: None,
        };
        let hit = technology_hit(&record, seen, collection);
        assert_eq!(TECHNOLOGY_HIT.differences(&hit), Vec::<String>::new());
        assert_eq!((&hit["name"], &hit["version"]), (&json!("Nginx nginx"), &Value::Null));
    }
}
