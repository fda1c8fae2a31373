//! One change of many entities or issues on the wire. Ours.

use crate::contract::{Maybe, contract};
use crate::request::Texts;
use crate::words::Word;
use ambit_model::issue::Status;
use serde::{Deserialize, Serialize};

contract! {
    /// How many items were changed.
    #[derive(Debug, Serialize)]
    pub struct BulkResult {
        pub items: usize,
    }

    /// The body for issues: identifiers, and at least one of the changes.
    #[derive(Debug, Deserialize)]
    pub struct IssueBulk {
        pub ids: Texts,
        pub status: Maybe<Word<Status>>,
        pub add_tags: Maybe<Texts>,
        pub remove_tags: Maybe<Texts>,
    }

    /// The body for entities.
    #[derive(Debug, Deserialize)]
    pub struct EntityBulk {
        pub ids: Texts,
        pub add_tags: Maybe<Texts>,
        pub remove_tags: Maybe<Texts>,
    }
}
