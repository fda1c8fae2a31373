//! One change of many entities or issues on the wire. Ours.

use crate::contract::{Contract, Maybe, contract};
use crate::request::{Text, Texts};
use crate::shape::Shape;
use crate::words::Word;
use ambit_model::issue::{Status, Until};
use ambit_model::limits::REASON_CHARS_MAX;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

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
        /// Why they are closed.
        pub reason: Maybe<Text<REASON_CHARS_MAX>>,
        /// How long that holds while the fact stays: a date, a moment, or `change`, which is until proof or severity
        /// change.
        pub until: Maybe<End>,
        /// The username or address of who is to see to them.
        pub assignee: Maybe<Text>,
        /// Nobody is to see to them any more.
        pub unassign: Maybe<bool>,
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

/// When a decision on issues ends, as a person writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End(pub Until);

impl Contract for End {
    const SHAPE: &'static Shape = &Shape::Text;
}

impl<'de> Deserialize<'de> for End {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Text(text) = <Text>::deserialize(deserializer)?;
        Until::parse(&text).map(Self).ok_or_else(|| {
            Error::custom("must be a date such as 2027-01-31, a moment such as 2027-01-31T12:00:00Z, or change")
        })
    }
}
