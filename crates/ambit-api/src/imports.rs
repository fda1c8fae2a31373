//! Imports: what other tools saw, as a person brings it into a collection. Ours.

use crate::contract::{Maybe, contract};
use crate::request::{Name, Text};
use crate::seeds::SEED_CHARS_MAX;
use crate::words::Word;
use ambit_model::entity::imported::Source;
use ambit_model::{Kind, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Characters of what a tool says under one name, and of that name.
pub const SAYS_CHARS_MAX: usize = 300;
/// Things that a tool says of one entity.
pub const SAYS_MAX: usize = 50;
/// Bytes of JSON of how one thing is set up: a firewall with some thousand rules.
pub const CONFIGURATION_BYTES_MAX: usize = 256 * 1024;

contract! {
    /// The body of an import: at most 1,000 things that one tool saw. Where further parts of the same follow
    /// (`goes_on`), what only the whole collection decides is decided with the last of them, and a search waits for
    /// that one alone.
    #[derive(Debug, Deserialize)]
    pub struct NewImport {
        pub source: Word<Source>,
        pub sightings: Vec<NewSighting>,
        pub goes_on: Maybe<bool>,
        pub account: Maybe<ImportedAccount>,
    }

    /// A state of Terraform, of which an import is a part. It becomes a seed of the collection, and the things that are
    /// marked as `owned` are theirs for it. One whose `serial` is lower than that of the state which the collection has
    /// is refused. `since` is the `at` that the first part was answered with; `whole` says that this part is the last
    /// one: what an earlier state had and no part of this one is closed.
    #[derive(Debug, Deserialize)]
    pub struct ImportedAccount {
        pub name: Name<SEED_CHARS_MAX>,
        pub serial: Maybe<u64>,
        pub seen_at: Timestamp,
        pub says: Maybe<BTreeMap<String, Text<SAYS_CHARS_MAX>>>,
        pub since: Maybe<Timestamp>,
        pub whole: Maybe<bool>,
    }

    /// An entity, when the tool saw it, and what the tool reported, in a few words. An `owned` one may have its type
    /// and its configuration, as the lists of providers have them; for others both are ignored.
    #[derive(Debug, Deserialize)]
    pub struct NewSighting {
        #[serde(rename = "type")]
        pub kind: Word<Kind>,
        pub name: Name<SEED_CHARS_MAX>,
        pub seen_at: Timestamp,
        pub says: Maybe<BTreeMap<String, Text<SAYS_CHARS_MAX>>>,
        pub owned: Maybe<bool>,
        pub resource_type: Maybe<Text<SAYS_CHARS_MAX>>,
        pub configuration: Maybe<Map<String, Value>>,
    }

    /// What became of an import. Nothing may be done at what is undecided before the last part came. What is outside
    /// lies in or on nothing that the collection has; what is too old was seen more than 90 days ago. Both are left
    /// out. What is closed is what an earlier state of the account had; `at` is when this part was stored.
    #[derive(Debug, Serialize)]
    pub struct Import {
        pub accepted: usize,
        pub new_entities: usize,
        pub undecided: usize,
        pub too_old: usize,
        pub outside: usize,
        pub first_outside: Vec<Outside>,
        pub closed: usize,
        pub at: Timestamp,
    }

    /// A thing that was left out.
    #[derive(Debug, Serialize)]
    pub struct Outside as "" {
        #[serde(rename = "type")]
        pub kind: Word<Kind>,
        pub name: String,
    }
}
