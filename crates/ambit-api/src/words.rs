//! The enumerations of the contract are those of the model: their words, in the order of the documentation, and what is
//! said of a word that is not theirs.

use crate::contract::Contract;
use crate::request::Text;
use crate::shape::Shape;
use ambit_model::collection::Schedule;
use ambit_model::entity::imported::Source;
use ambit_model::entity::posture::{Area, Grade};
use ambit_model::feed::{Noun, What};
use ambit_model::issue::{Confidence, Status};
use ambit_model::notification::{Channel, DeliveryState, Digest, EventKind};
use ambit_model::run::{RetestVerdict, RunState};
use ambit_model::user::{CollectionRole, InvitedTo, ProjectRole};
use ambit_model::workflow::{self, IntegrationType, Workflow};
use ambit_model::{Clearance, Item, Kind};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A word out of a closed list of the model, which knows the list and the spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<T>(pub T);

/// A type of the model whose values are words on the wire.
pub trait Words: Copy + 'static {
    /// Every value, in the order of the documentation.
    fn all() -> Vec<Self>;
    fn word(self) -> &'static str;

    /// The value of a word that a person wrote.
    fn from_word(text: &str) -> Option<Self> {
        Self::all().into_iter().find(|one| one.word() == text)
    }

    /// Returns the error for another word; it follows the name of the member.
    fn refusal(_text: &str) -> String {
        format!("must be one of {}", words::<Self>().join(", "))
    }
}

fn words<T: Words>() -> Vec<&'static str> {
    T::all().into_iter().map(T::word).collect()
}

impl<T: Words> Contract for Word<T> {
    const SHAPE: &'static Shape = &Shape::OneOf(words::<T>);
}

impl<T: Words> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.word())
    }
}

impl<'de, T: Words> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Text(text) = <Text>::deserialize(deserializer)?;
        T::from_word(&text).map(Self).ok_or_else(|| Error::custom(T::refusal(&text)))
    }
}

macro_rules! model_words {
    ($($name:ident: $all:expr, $word:expr;)*) => {$(
        impl Words for $name {
            fn all() -> Vec<Self> {
                $all.to_vec()
            }

            fn word(self) -> &'static str {
                $word(self)
            }
        }
    )*};
}

model_words! {
    Schedule: Self::ALL, Self::name;
    RunState: Self::ALL, Self::name;
    RetestVerdict: Self::ALL, Self::name;
    Confidence: Self::ALL, Self::name;
    What: Self::ALL, Self::name;
    Channel: Self::ALL, Self::name;
    DeliveryState: Self::ALL, Self::name;
    Digest: Self::ALL, Self::name;
    Area: Self::ALL, Self::name;
    Grade: Self::ALL, Self::letter;
    Source: Self::ALL, Self::name;
    InvitedTo: Self::ALL, Self::name;
    Item: [Self::Entity, Self::Issue], Self::name;
    Workflow: workflow::ALL, |workflow: Self| workflow.name;
    IntegrationType: workflow::INTEGRATION_TYPES, |integration: Self| integration.0;
    // The sorts that a rule may name.
    EventKind: Self::ALL.iter().copied().filter(|kind| kind.is_of_rules()).collect::<Vec<_>>(), Self::name;
    // What changes are of; a graph belongs to no project.
    Noun: Self::ALL.iter().copied().filter(|noun| *noun != Self::Graph).collect::<Vec<_>>(), Self::name;
    // How loud a run may be.
    Clearance: [Self::L1, Self::L2, Self::L3, Self::L4], Self::level;
}

impl Words for Status {
    fn all() -> Vec<Self> {
        Self::ALL.to_vec()
    }

    fn word(self) -> &'static str {
        self.name()
    }

    /// Clients have two words for one of them.
    fn from_word(text: &str) -> Option<Self> {
        Self::from_name(text)
    }
}

impl Words for ProjectRole {
    fn all() -> Vec<Self> {
        vec![Self::Owner, Self::Member]
    }

    fn word(self) -> &'static str {
        self.name()
    }

    fn refusal(_text: &str) -> String {
        "must be member or owner".to_owned()
    }
}

impl Words for CollectionRole {
    fn all() -> Vec<Self> {
        vec![Self::Viewer, Self::Analyst, Self::Admin]
    }

    fn word(self) -> &'static str {
        self.name()
    }

    fn refusal(_text: &str) -> String {
        "must be viewer, analyst or admin".to_owned()
    }
}

/// The kinds, the likeliest seed first.
impl Words for Kind {
    fn all() -> Vec<Self> {
        let others = Self::ALL.iter().copied().filter(|kind| !Self::LIKELY_SEEDS.contains(kind));
        Self::LIKELY_SEEDS.into_iter().chain(others).collect()
    }

    fn word(self) -> &'static str {
        self.name()
    }

    /// The kind of a name in any letter case, with or without the prefix of types.
    fn from_word(text: &str) -> Option<Self> {
        Self::from_name(text)
    }

    fn refusal(text: &str) -> String {
        format!("must be an entity kind such as Domain, not {text}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written_and_others_are_refused_with_those_that_there_are() {
        let read =
            |text: &str| serde_json::from_value::<Word<Clearance>>(text.into()).map_err(|error| error.to_string());
        assert_eq!(read("normal"), Ok(Word(Clearance::L3)));
        assert_eq!(read("Normal"), Err("must be one of passive, polite, normal, intensive".to_owned()));
        assert_eq!(Noun::all().len() + 1, Noun::ALL.len());
        let mut kinds = Kind::all();
        assert_eq!(kinds[0].word(), "Domain");
        kinds.sort_unstable();
        assert_eq!(kinds, Kind::ALL);
    }
}
