//! The assessment of a domain that resembles one of theirs: how it resembles it, how it is used, and a score with its
//! reasons.

use crate::lookalike::Resemblance;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How a domain resembles one of theirs, or a word of theirs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Resembled {
    pub of: String,
    pub by: Resemblance,
}

/// Domains that share something which others do not have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Campaign {
    pub by: Shared,
    pub value: String,
    pub domains: BTreeSet<String>,
}

/// What domains share that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shared {
    NameServer,
    Address,
    Certificate,
    Tracker,
}

/// How the domain is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Registered by them, or served by them alone, so that nobody else has it.
    Defensive,
    /// It sends its visitors to them, and takes no mail. Who holds it is not said by that.
    Led,
    /// Its name servers are those of people who take such domains away.
    Sinkholed,
    ForSale,
    /// A page of advertisements, or none of its holder's.
    Parked,
    /// It has neither an address nor mail.
    Unused,
    Active,
}

/// Something that makes it more or less likely.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    pub points: i32,
    pub text: String,
}

/// The assessment of a domain that resembles one of theirs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assessment {
    /// What it passes for.
    pub of: String,
    pub standing: Standing,
    /// 0 to 100.
    pub score: i32,
    /// The weightiest first.
    pub reasons: Vec<Reason>,
    /// Its front page is a copy of theirs.
    pub copies: bool,
    /// A form there asks for a password.
    pub asks_password: bool,
    /// Hosts that are told the password.
    pub posts_to: BTreeSet<String>,
    /// Servers that take mail for it.
    pub takes_mail: BTreeSet<String>,
    /// It allows somebody to send mail in its name.
    pub sends_mail: bool,
}

impl Shared {
    /// What is shared, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::NameServer => "a name server",
            Self::Address => "an address",
            Self::Certificate => "a certificate",
            Self::Tracker => "a tracking identifier",
        }
    }
}

impl Standing {
    /// Returns a phrase for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Defensive => "held by them",
            Self::Led => "leads to them",
            Self::Sinkholed => "taken away from whoever misused it",
            Self::ForSale => "for sale",
            Self::Parked => "parked",
            Self::Unused => "not in use",
            Self::Active => "in use",
        }
    }
}
