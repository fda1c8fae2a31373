//! Discovery tasks: one file each, each a constant and a function (design §6). A task sees facts and the guarded network, and says what it
//! found; source, time, depth, dedupe and history come from the engine. The list below is the only place where a new task is named.

mod context;
mod settings;
mod task;

mod bindings;
mod delegation;
mod fingerprint;
mod greeting;
mod guess;
mod host;
mod identify;
mod rdap;
mod spf;
mod together;
mod whois;

pub use context::Context;
pub use settings::Settings;
pub use task::{Answer, Contacts, Plan, Task, TaskError};

mod certificate_log;
mod certificate_names;
mod http_probe;
mod lookalikes;
mod mail_policy;
mod name_sweep;
mod permutations;
mod port_oracle;
mod port_sweep;
mod ptr;
mod registrable_domain;
mod registration;
mod resolve;
mod subdomain;
mod wildcard_profile;
mod zone_profile;
mod zone_transfer;

/// Every task, in alphabetical order of name.
pub const ALL: &[&Task] = &[
    &certificate_log::TASK,
    &certificate_names::TASK,
    &http_probe::TASK,
    &lookalikes::TASK,
    &mail_policy::TASK,
    &name_sweep::TASK,
    &permutations::TASK,
    &port_oracle::TASK,
    &port_sweep::TASK,
    &ptr::TASK,
    &registrable_domain::TASK,
    &registration::TASK,
    &resolve::TASK,
    &subdomain::TASK,
    &wildcard_profile::TASK,
    &zone_profile::TASK,
    &zone_transfer::TASK,
];

/// The task of a name.
pub fn find(name: &str) -> Option<&'static Task> {
    ALL.iter().copied().find(|task| task.name == name)
}

#[cfg(test)]
mod tests;
