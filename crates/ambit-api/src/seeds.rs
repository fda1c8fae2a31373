//! Seeds on the wire (docs/contract/asm.md §3.4): their type stands there without its prefix.

use crate::contract::{Maybe, contract};
use crate::request::Name;
use crate::words::Word;
use ambit_model::{Kind, Timestamp, collection as model};
use serde::{Deserialize, Serialize};

/// Characters of a seed: the longest host name has 253, an address of a page may have more.
pub(crate) const SEED_CHARS_MAX: usize = 2_048;

contract! {
    /// A seed.
    #[derive(Debug, Serialize)]
    pub struct Seed {
        pub id: i64,
        pub name: String,
        #[serde(rename = "type")]
        pub kind: &'static str,
        pub seed: bool,
        pub claimed: bool,
        pub details: (),
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
        pub last_modified: (),
    }

    /// A seed that is added. Without a type the name is what a person types as a target: an address, block, `AS…`,
    /// URL, e-mail address, domain or host name.
    #[derive(Debug, Deserialize)]
    pub struct NewSeed {
        pub name: Name<SEED_CHARS_MAX>,
        #[serde(rename = "type")]
        pub kind: Maybe<Word<Kind>>,
    }

    /// The body of an addition: one seed, or a list of them.
    #[derive(Debug, Deserialize)]
    pub struct NewSeeds {
        pub name: Maybe<String>,
        #[serde(rename = "type")]
        pub kind: Maybe<String>,
        pub entities: Maybe<Vec<NewSeed>>,
    }
}

impl From<&model::Seed> for Seed {
    fn from(of: &model::Seed) -> Self {
        Self {
            id: of.id,
            name: of.name.clone(),
            kind: of.kind.name(),
            seed: true,
            claimed: false,
            details: (),
            created_at: of.created_at,
            updated_at: of.created_at,
            last_modified: (),
        }
    }
}
