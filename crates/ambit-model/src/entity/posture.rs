//! How well a domain is protected: a score with its reasons.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What is made of a domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posture {
    /// 0 to 100.
    pub score: i32,
    pub grade: Grade,
    /// Who registered the domain, where the registry says it.
    pub organization: Option<String>,
    /// What takes points away, the weightiest first.
    pub findings: Vec<Finding>,
    /// What could not be looked at.
    pub unknown: BTreeSet<Area>,
}

/// Something that takes points away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub area: Area,
    /// How many, below zero.
    pub points: i32,
    pub text: String,
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Area {
    Dns,
    Encryption,
    Mail,
    Registration,
    Web,
}

/// A score as a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Grade {
    A,
    B,
    C,
    D,
    E,
    F,
}

impl Area {
    /// Every area.
    pub const ALL: [Self; 5] = [Self::Dns, Self::Encryption, Self::Mail, Self::Registration, Self::Web];

    /// As it is stored and told to programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Encryption => "encryption",
            Self::Mail => "mail",
            Self::Registration => "registration",
            Self::Web => "web",
        }
    }

    /// What is looked at, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Dns => "names",
            Self::Encryption => "encryption",
            Self::Mail => "mail",
            Self::Registration => "registration",
            Self::Web => "web",
        }
    }
}

impl Grade {
    /// Every grade, the best first.
    pub const ALL: [Self; 6] = [Self::A, Self::B, Self::C, Self::D, Self::E, Self::F];

    /// The letter.
    pub fn letter(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
            Self::E => "E",
            Self::F => "F",
        }
    }
}
