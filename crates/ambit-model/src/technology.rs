//! Technologies: products derived from fingerprints, versioned like entities and issues.

use crate::Uid;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// One state of a technology in a collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TechnologyRecord {
    pub uid: Uid,
    pub collection: Uuid,
    pub vendor: String,
    pub product: String,
    /// `""` where no version is known.
    pub version: String,
    pub cpe: Option<String>,
    pub labels: Vec<String>,
    /// How many present entities show it.
    pub entity_count: i64,
    /// CVE ids inferred for it.
    pub vulns: Vec<String>,
}
