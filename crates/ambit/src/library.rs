//! What the program can do, as the server tells it: kinds, tasks, issues, fingerprints.

use ambit_model::Kind;
use ambit_model::estimate::Volumes;
use ambit_model::library::{KindEntry, Library, TaskEntry};

/// What the program can do, for the server, which knows neither tasks nor judges.
pub(crate) fn library(volumes: Volumes, aws_keys: bool) -> Library {
    let kinds = Kind::ALL.iter().map(|kind| KindEntry {
        kind: *kind,
        description: kind.description().to_owned(),
        user_creatable: kind.is_seedable(),
        example: kind.example().to_owned(),
    });
    Library {
        kinds: kinds.collect(),
        tasks: tasks(),
        issues: ambit_checks::library(),
        fingerprints: ambit_tasks::fingerprints(),
        volumes,
        aws_keys,
        clouds: ambit_tasks::clouds(),
        aws_services: ambit_tasks::aws_services(),
    }
}

/// The tasks of this program.
pub(crate) fn tasks() -> Vec<TaskEntry> {
    let entry = |task: &&ambit_tasks::Task| TaskEntry {
        name: task.name.to_string(),
        pretty_name: task.pretty_name.to_owned(),
        description: task.description.to_owned(),
        footprint: task.footprint,
        workflows: task.workflows.iter().map(|workflow| workflow.name).collect(),
        watches: task.watches.to_vec(),
        produces: task.produces.to_vec(),
    };
    ambit_tasks::ALL.iter().map(entry).collect()
}
