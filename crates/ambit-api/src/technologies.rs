//! Technologies on the wire (docs/contract/asm.md §8.1). The contract names the search and leaves the hit open: ours
//! has what fingerprints say, with the names of the members that fingerprint items have.

use crate::contract::{contract, copied};
use crate::{COLLECTION_TYPE, CollectionRef, Sighting};
use ambit_model::technology::TechnologyRecord;
use ambit_model::{Timestamp, Uid};
use serde::Serialize;
use uuid::Uuid;

contract! {
    /// A hit of a search.
    #[derive(Debug, Serialize)]
    pub struct TechnologyHit {
        pub id: Uid,
        pub uid: Uid,
        pub uuid: Uuid,
        pub dynamic_id: i64,
        pub name: String,
        pub vendor: String,
        pub product: String,
        pub version: Option<String>,
        pub cpe: Option<String>,
        pub tags: Vec<String>,
        pub entity_count: i64,
        pub vulns: Vec<String>,
        pub first_seen: Timestamp,
        pub last_seen: Timestamp,
        pub collection: String,
        pub collection_type: &'static str,
        pub collection_uuid: Uuid,
        pub organization_uuid: Option<Uuid>,
    }
}

impl TechnologyHit {
    /// A hit of a search.
    pub fn of(record: &TechnologyRecord, seen: Sighting, collection: CollectionRef<'_>) -> Self {
        let parts = [&record.vendor, &record.product, &record.version];
        let name: Vec<&str> = parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        copied! {
            Self from record { uid, vendor, product, cpe, entity_count, vulns }
            id: record.uid,
            uuid: record.uid.uuid(),
            dynamic_id: seen.id,
            name: name.join(" "),
            version: Some(record.version.clone()).filter(|version| !version.is_empty()),
            tags: record.labels.clone(),
            first_seen: seen.first_seen,
            last_seen: seen.last_seen,
            collection: collection.name.to_owned(),
            collection_type: COLLECTION_TYPE,
            collection_uuid: collection.uuid,
            organization_uuid: collection.organization_uuid,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::{Timestamp, Uid};
    use uuid::Uuid;

    #[test]
    fn a_hit_has_no_version_where_none_is_known() {
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
        let seen =
            Sighting { id: 9, first_seen: Timestamp(0), last_seen: Timestamp(1), since: Timestamp(0), due_at: None };
        let collection = CollectionRef { id: 3, uuid: Uuid::nil(), name: "outside_a1b2c3d", organization_uuid: None };
        let hit = TechnologyHit::of(&record, seen, collection);
        assert_eq!((hit.name.as_str(), hit.version), ("Nginx nginx", None));
    }
}
