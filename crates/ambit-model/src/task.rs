//! The names of the discovery tasks. Planning, running and judging refer to a task by this list. What a task is and
//! does stands in the crate of tasks.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// A discovery task by its name. The store keeps the name as text, and a row that a newer version wrote may name a task
/// that is not in this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum TaskName {
    AnnouncedBlocks,
    AppLinks,
    AppPackage,
    AppStore,
    AwsAccount,
    BlockSweep,
    BucketProbe,
    Campaigns,
    CertificateLog,
    CertificateNames,
    CloudAccount,
    CloudAttribution,
    CodeAccount,
    ContentFocus,
    CorsProbe,
    Crawl,
    Dangling,
    Delegations,
    ExposedRepository,
    Favicon,
    FrontPage,
    Geolocation,
    HiddenParameters,
    HttpEnrich,
    HttpProbe,
    Impersonation,
    Jarm,
    LevelSweep,
    LinkedHosts,
    Lookalikes,
    MailPolicy,
    NameSources,
    NameSweep,
    Network,
    NsecWalk,
    OpenResolver,
    Permutations,
    PortSweep,
    Posture,
    ProductPaths,
    Ptr,
    PtrSweep,
    RedirectProbe,
    Referrals,
    RegisteredNetworks,
    RegistrableDomain,
    Registration,
    Repository,
    ResemblingDomains,
    Resolve,
    ReverseWalk,
    RobotsSitemapWellknown,
    Screenshot,
    SeedHost,
    ServiceIdentify,
    SisterDomain,
    SitePages,
    Soft404Profile,
    Suballocations,
    Subdomain,
    Suppliers,
    Takeover,
    TlsGrab,
    UdpSweep,
    WildcardProfile,
    WwwName,
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

/// Tasks that a person leaves out of a collection's runs. They are written `block_sweep,port_sweep`; none are the empty
/// text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkippedTasks(BTreeSet<TaskName>);

impl SkippedTasks {
    /// Returns every task but these.
    pub fn all_but(kept: &Self) -> Self {
        Self(TaskName::ALL.iter().copied().filter(|task| !kept.0.contains(task)).collect())
    }

    /// Returns the tasks that are left out here or there.
    pub fn and(&self, others: &Self) -> Self {
        Self(self.0.union(&others.0).copied().collect())
    }

    /// Returns true for a task that is left out.
    pub fn contains(&self, task: TaskName) -> bool {
        self.0.contains(&task)
    }

    /// Returns true where every task takes part.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns their names in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|task| task.as_str())
    }
}

impl FromIterator<TaskName> for SkippedTasks {
    fn from_iter<I: IntoIterator<Item = TaskName>>(tasks: I) -> Self {
        Self(tasks.into_iter().collect())
    }
}

impl FromStr for SkippedTasks {
    type Err = String;

    /// Fails for a name that no task has, and names all that there are.
    fn from_str(text: &str) -> Result<Self, String> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let task = |name: &str| {
            TaskName::from_name(name).ok_or_else(|| {
                let known: Vec<&str> = TaskName::ALL.iter().map(|task| task.as_str()).collect();
                format!("no task is named {name:?}; there are {}", known.join(", "))
            })
        };
        names.map(task).collect()
    }
}

impl fmt::Display for SkippedTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names().collect::<Vec<_>>().join(","))
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
/// How receivers should handle forged mail.
pub const DMARC: NamedProbe = NamedProbe { task: TaskName::MailPolicy, argument: "DMARC" };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_that_are_left_out_are_a_list_of_names() {
        let skipped: SkippedTasks = " udp_sweep, port_sweep,,port_sweep ".parse().unwrap();
        assert_eq!(skipped.to_string(), "port_sweep,udp_sweep");
        assert!(skipped.contains(TaskName::UdpSweep) && !skipped.contains(TaskName::Resolve));
        let only = SkippedTasks::all_but(&skipped);
        assert!(only.contains(TaskName::Resolve) && !only.contains(TaskName::UdpSweep));
        assert!("".parse::<SkippedTasks>().unwrap().is_empty());
        let error = "udp".parse::<SkippedTasks>().unwrap_err();
        assert!(error.starts_with("no task is named \"udp\"; there are announced_blocks, "), "{error}");
    }

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
