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

/// What sort of thing a name of CPE names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    #[default]
    Application,
    OperatingSystem,
    Hardware,
}

impl Part {
    /// Returns the letter that CPE has for it.
    pub fn letter(self) -> char {
        match self {
            Self::Application => 'a',
            Self::OperatingSystem => 'o',
            Self::Hardware => 'h',
        }
    }

    /// Returns the one of a letter; `None` for any other text.
    pub fn from_letter(text: &str) -> Option<Self> {
        [Self::Application, Self::OperatingSystem, Self::Hardware]
            .into_iter()
            .find(|part| text == part.letter().to_string())
    }
}
