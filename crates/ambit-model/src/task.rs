//! The names of the discovery tasks. Planning, running and judging refer to a task by this list. What a task is and
//! does stands in the crate of tasks.

use std::fmt;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// A discovery task by its name. The store keeps the name as text, and a row that a newer version wrote may name a task
/// that is not in this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum TaskName {
    BlockSweep,
    BucketProbe,
    CertificateLog,
    CertificateNames,
    CloudAttribution,
    ContentFocus,
    CorsProbe,
    Dangling,
    Delegations,
    Favicon,
    Geolocation,
    HttpEnrich,
    HttpProbe,
    LevelSweep,
    LinkedHosts,
    Lookalikes,
    MailPolicy,
    NameSweep,
    Network,
    NsecWalk,
    OpenResolver,
    Permutations,
    PortOracle,
    PortSweep,
    Ptr,
    PtrSweep,
    RegistrableDomain,
    Registration,
    Resolve,
    ReverseWalk,
    RobotsSitemapWellknown,
    SeedHost,
    ServiceIdentify,
    Soft404Profile,
    Suballocations,
    Subdomain,
    Takeover,
    TlsGrab,
    UdpSweep,
    WildcardProfile,
    ZoneContact,
    ZoneProfile,
    ZoneTransfer,
}

impl TaskName {
    /// Every task, in alphabetical order.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Returns the stored name, `soft404_profile`, which is also that of the task's file.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns the task that is stored under this name; `None` for one that this version does not have.
    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

impl fmt::Display for TaskName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One probe of a task that makes several at an entity, by its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedProbe {
    pub task: TaskName,
    pub argument: &'static str,
}

/// Who may sign certificates for a domain.
pub const CAA: NamedProbe = NamedProbe { task: TaskName::ZoneProfile, argument: "CAA" };
/// Who may send mail in the name of a domain.
pub const SPF: NamedProbe = NamedProbe { task: TaskName::MailPolicy, argument: "SPF" };
/// What receivers shall do with forged mail.
pub const DMARC: NamedProbe = NamedProbe { task: TaskName::MailPolicy, argument: "DMARC" };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_stored_in_snake_case_and_read_again() {
        assert_eq!(TaskName::Soft404Profile.as_str(), "soft404_profile");
        assert_eq!(TaskName::PtrSweep.to_string(), "ptr_sweep");
        for name in TaskName::ALL {
            assert_eq!(TaskName::from_name(name.as_str()), Some(*name));
        }
        assert!(TaskName::ALL.is_sorted_by_key(|name| name.as_str()));
        assert_eq!(TaskName::from_name("a_task_of_tomorrow"), None);
    }
}
