//! What has a spelling of its own. Enumerations whose members have names that are stored and shown: `names!` declares
//! them, strum derives both directions (decision 51), and all have the same three words for it. Values that are stored
//! as the text that a person writes: `as_text!`.

/// Declares enumerations whose members have names: their own in snake case, or what `#[strum(serialize = "…")]` says.
macro_rules! names {
    ($($(#[$meta:meta])* pub enum $type:ident { $($members:tt)+ })+) => {$(
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
        #[strum(serialize_all = "snake_case")]
        $(#[$meta])*
        pub enum $type { $($members)+ }

        impl $type {
            /// Every one, in the order of the declaration.
            pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

            /// Returns the name that is stored and shown.
            pub fn name(self) -> &'static str {
                self.into()
            }

            /// Returns the one of a name; `None` for any other text.
            pub fn from_name(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )+};
}
pub(crate) use names;

/// `as_text! { Window }`, for a type with `Display` and `parse`: serde stores it as its text (`into` and `try_from`
/// `String`).
macro_rules! as_text {
    ($type:ident) => {
        impl From<$type> for String {
            fn from(value: $type) -> Self {
                value.to_string()
            }
        }

        impl TryFrom<String> for $type {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                Self::parse(&text)
            }
        }
    };
}
pub(crate) use as_text;

#[cfg(test)]
mod tests {
    use crate::collection::Schedule;
    use crate::feed::{Noun, What};
    use crate::issue::Confidence;
    use crate::object::{ArchiveStatus, ObjectType};
    use crate::run::{NotDoneReason, RetestVerdict, RunState};
    use crate::user::{CollectionRole, InvitedTo, ProjectRole};

    macro_rules! named {
        ($type:ident, $names:literal) => {
            let names: Vec<&str> = $type::ALL.iter().map(|one| one.name()).collect();
            assert_eq!(names.join(", "), $names);
            for one in $type::ALL {
                assert_eq!($type::from_name(one.name()), Some(*one));
            }
            assert_eq!($type::from_name(&names[0].to_uppercase()), None);
        };
    }

    #[test]
    fn names_that_are_stored_stay_as_they_are() {
        named!(Schedule, "on_demand, daily, weekly, monthly, quarterly");
        named!(Noun, "entity, issue, technology, collection, project, run, graph");
        named!(What, "appeared, changed, disappeared, seen");
        named!(Confidence, "potential, confirmed");
        named!(ObjectType, "domain, file, ip_address, url");
        named!(RunState, "scheduled, running, paused, finished, failed, cancelled");
        named!(RetestVerdict, "open, closed, could_not_look");
        named!(ProjectRole, "member, owner");
        named!(CollectionRole, "viewer, analyst, admin");
        named!(InvitedTo, "project, group");
        named!(ArchiveStatus, "starting, creating, finished, error-creating");
        named!(
            NotDoneReason,
            "no answer, in part, left out, refused by scope, name unanswered, out of budget, source down, denied, out \
             of time, task panicked, set aside, unknown task, not confirmed, run too long, nothing looks at it, does \
             not exist"
        );
    }
}
