//! What the program can do, as data: the binary hands these to the server, which knows neither tasks nor judges.

use crate::estimate::Volumes;
use crate::{Clearance, Kind, SkippedTasks, TaskName};
use serde_json::Value;
use std::collections::BTreeSet;

/// Everything the library endpoints show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Library {
    pub kinds: Vec<KindEntry>,
    pub tasks: Vec<TaskEntry>,
    pub issues: Vec<IssueEntry>,
    pub fingerprints: Vec<FingerprintEntry>,
    /// How much the tasks ask; for plans, not shown as such.
    pub volumes: Volumes,
    /// The installation has keys of its own at AWS, by which roles are taken; not shown.
    pub aws_keys: bool,
    /// What opens accounts at other providers; not shown.
    pub clouds: Vec<CloudEntry>,
    /// The services of AWS that accounts are asked about; not shown.
    pub aws_services: BTreeSet<String>,
}

/// A provider of accounts.
#[derive(Clone, Debug)]
pub struct CloudEntry {
    pub name: String,
    /// The secrets that open an account there, all of them.
    pub secrets: Vec<String>,
    /// A secret named `kubeconfig` stands in their place: why one cannot be used, where it cannot.
    pub kubeconfig: Option<fn(&str) -> Option<String>>,
}

/// Functions are not compared: one provider has one.
impl PartialEq for CloudEntry {
    fn eq(&self, other: &Self) -> bool {
        let shown = |entry: &Self| (entry.name.clone(), entry.secrets.clone(), entry.kubeconfig.is_some());
        shown(self) == shown(other)
    }
}

impl Library {
    /// Returns the tasks whose probes an issue of this name rests on; none where no judge reports it.
    pub fn reads(&self, issue: &str) -> &[TaskName] {
        self.issues.iter().find(|entry| entry.name == issue).map_or(&[], |entry| &entry.reads)
    }

    /// Returns the tasks that a workflow does not have.
    pub fn outside(&self, workflow: &str) -> SkippedTasks {
        let foreign = self.tasks.iter().filter(|task| !task.workflows.contains(&workflow));
        foreign.filter_map(|task| TaskName::from_name(&task.name)).collect()
    }
}

/// An entity kind.
#[derive(Clone, Debug, PartialEq)]
pub struct KindEntry {
    pub kind: Kind,
    pub description: String,
    pub user_creatable: bool,
    pub example: String,
}

/// A task.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskEntry {
    pub name: String,
    pub pretty_name: String,
    pub description: String,
    pub footprint: Clearance,
    /// Names of the workflows that it belongs to.
    pub workflows: Vec<&'static str>,
    pub watches: Vec<Kind>,
    pub produces: Vec<Kind>,
}

/// An issue kind.
#[derive(Clone, Debug, PartialEq)]
pub struct IssueEntry {
    pub name: String,
    pub pretty_name: String,
    pub severity: i64,
    pub confidence: String,
    pub category: String,
    pub added: String,
    pub description: String,
    pub remediation: String,
    pub references: Vec<Value>,
    /// The tasks whose probes prove or clear it.
    pub reads: Vec<TaskName>,
}

/// A product that can be recognised.
#[derive(Clone, Debug, PartialEq)]
pub struct FingerprintEntry {
    pub vendor: String,
    pub product: String,
    /// Of any version.
    pub cpe: Option<String>,
    /// What sort of product.
    pub tags: Vec<String>,
    /// Each of them is enough.
    pub matches: Vec<FingerprintMatch>,
}

/// One thing that shows a product.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FingerprintMatch {
    /// `banner`, `content_headers`, `content_body`, `content_cookies`, `content_title`.
    pub place: String,
    pub content: String,
}
