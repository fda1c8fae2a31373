//! Workflows: the seven named sets of tasks of the contract (docs/contract/asm.md §3.2).

use crate::Clearance;

/// A named set of tasks with its ceiling of clearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workflow {
    pub name: &'static str,
    pub pretty_name: &'static str,
    /// No task above this runs, whatever the level asked for. L0: this version has no task of the workflow.
    pub ceiling: Clearance,
}

impl Workflow {
    /// Returns whether this version has tasks of the workflow. A run of one without looks at nothing, and says so.
    pub fn has_tasks(&self) -> bool {
        self.ceiling > Clearance::L0
    }
}

/// The workflows, in the order of the contract.
pub const ALL: &[Workflow] = &[
    Workflow {
        name: "external_discovery_and_assessment",
        pretty_name: "External Discovery & Assessment",
        ceiling: Clearance::L4,
    },
    Workflow {
        name: "authenticated_cloud_discovery",
        pretty_name: "Authenticated Cloud Discovery",
        ceiling: Clearance::L0,
    },
    Workflow {
        name: "code_repository_discovery_and_assessment",
        pretty_name: "Code Repository Discovery & Assessment",
        ceiling: Clearance::L0,
    },
    Workflow {
        name: "suspicious_domain_discovery",
        pretty_name: "Suspicious Domain Discovery",
        ceiling: Clearance::L2,
    },
    Workflow { name: "mobile_app_discovery", pretty_name: "Mobile App Discovery", ceiling: Clearance::L0 },
    Workflow {
        name: "external_application_assessment",
        pretty_name: "External Application Assessment",
        ceiling: Clearance::L4,
    },
    Workflow { name: "third_party_workflow", pretty_name: "Third Party Monitoring", ceiling: Clearance::L2 },
];

/// The default of `scan`, `demo` and the API.
pub const DEFAULT: &str = "external_discovery_and_assessment";

/// The workflow of a name.
pub fn find(name: &str) -> Option<Workflow> {
    ALL.iter().copied().find(|workflow| workflow.name == name)
}

/// How loud a run of a collection may be: the level asked for, under the ceiling of its workflow.
pub fn ceiling(workflow: &str, level: Clearance) -> Clearance {
    find(workflow).map_or(level, |workflow| workflow.ceiling.min(level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_a_workflow_and_names_are_unique() {
        assert!(find(DEFAULT).is_some());
        assert!(find("External_Discovery").is_none());
        assert_eq!(ceiling("third_party_workflow", Clearance::L3), Clearance::L2);
        assert_eq!(ceiling(DEFAULT, Clearance::L3), Clearance::L3);
        for workflow in ALL {
            assert_eq!(find(workflow.name), Some(*workflow));
            assert_eq!(ALL.iter().filter(|other| other.name == workflow.name).count(), 1);
        }
    }
}
