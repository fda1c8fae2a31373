//! Discovery tasks: one file each in `tasks/`, each a constant and a function (docs/architecture.md §5). A task sees
//! facts and the guarded network, and says what it found; source, time, depth, dedupe and history come from the engine.
//! What tasks share stands beside them: `ask/` asks, `read/` reads answers.

mod app_mirror;
mod ask;
mod context;
mod front_pages;
mod library;
mod memory;
mod read;
mod roles;
mod same_sites;
mod settings;
mod task;
mod tasks;
pub mod told;
mod volumes;

pub use ambit_cloud::aws::Keys as AwsKeys;
pub use app_mirror::AppMirror;
pub use context::Context;
pub use library::fingerprints;
pub use memory::Memory;
pub use settings::{Account, Settings, SourceKeys};
pub use task::{Answer, Contacts, Plan, STAGES, Sights, Task, TaskError};
pub use tasks::app_package::{HeldPackage, app_in};
pub use tasks::{ALL, find, outside, task};
pub use volumes::volumes;

/// The names of the cloud providers beside AWS that are known, and of the forges of code.
pub fn cloud_providers() -> impl Iterator<Item = &'static str> {
    let known = ambit_cloud::provider::all().iter().chain(ambit_cloud::provider::forges());
    known.map(|provider| provider.name.as_str())
}

#[cfg(test)]
mod tests;
