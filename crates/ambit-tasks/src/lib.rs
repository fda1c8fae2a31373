//! Discovery tasks: one file each, each a constant and a function (design §6). A task sees facts and the guarded network, and says what it
//! found; source, time, depth, dedupe and history come from the engine. The list below is the only place where a new task is named.

mod context;
mod settings;
mod task;

mod bindings;
mod delegation;
mod fingerprint;
mod greeting;
mod host;
mod identify;
mod together;

pub use context::Context;
pub use settings::Settings;
pub use task::{Answer, Contacts, Plan, Task, TaskError};

mod http_probe;
mod port_oracle;
mod port_sweep;
mod registrable_domain;
mod resolve;
mod zone_profile;

/// Every task, in alphabetical order of name.
pub const ALL: &[&Task] = &[
    &http_probe::TASK,
    &port_oracle::TASK,
    &port_sweep::TASK,
    &registrable_domain::TASK,
    &resolve::TASK,
    &zone_profile::TASK,
];

/// The task of a name.
pub fn find(name: &str) -> Option<&'static Task> {
    ALL.iter().copied().find(|task| task.name == name)
}

#[cfg(test)]
mod tests;
