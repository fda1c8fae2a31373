//! What people put tags and notes on.

/// A noun whose records people read by uid or uuid, and put tags and notes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    Entity,
    Issue,
}

impl Item {
    /// As it is stored, and as it stands in paths.
    pub fn name(self) -> &'static str {
        match self {
            Self::Entity => "entity",
            Self::Issue => "issue",
        }
    }

    /// The item of a name, in the singular or the plural and in any letter case.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "entity" | "entities" => Some(Self::Entity),
            "issue" | "issues" => Some(Self::Issue),
            _ => None,
        }
    }
}
