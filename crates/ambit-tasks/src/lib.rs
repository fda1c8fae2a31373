//! Discovery tasks: one file each in `tasks/`, each a constant and a function (docs/architecture.md §5). A task sees
//! facts and the guarded network, and says what it found; source, time, depth, dedupe and history come from the engine.
//! What tasks share stands beside them: `ask/` asks, `read/` reads answers.

mod app_mirror;
mod ask;
mod context;
mod error;
mod front_pages;
mod history;
mod holdings;
mod library;
mod memory;
mod read;
mod roles;
mod same_sites;
mod settings;
mod siblings;
mod task;
mod tasks;
mod throttles;
pub mod told;
mod unsigned_zones;
mod volumes;
mod walked_sites;

pub use ambit_cloud::aws::Keys as AwsKeys;
pub use app_mirror::AppMirror;
pub use context::Context;
pub use error::{Result, TaskError};
pub use library::fingerprints;
pub use memory::Memory;
pub use settings::{Account, ApplicationRequests, Settings, SourceKeys};
pub use task::{Again, Answer, Contacts, Plan, STAGES, Sights, Task};
pub use tasks::app_package::{HeldPackage, PACKAGE_EXTENSIONS, app_in};
pub use tasks::{ALL, find, outside, task};
pub use volumes::volumes;

use ambit_model::library::CloudEntry;
use std::collections::BTreeSet;

/// The providers of accounts, with what opens an account at each.
pub fn clouds() -> Vec<CloudEntry> {
    let entry = |provider: &ambit_cloud::provider::Provider| CloudEntry {
        name: provider.name.clone(),
        secrets: provider.secrets.clone(),
        kubeconfig: provider.kubeconfig.then_some(|text| ambit_cloud::kubeconfig::read(text).err()),
    };
    ambit_cloud::provider::all().iter().map(entry).collect()
}

/// The services of AWS that accounts are asked about, as the setting `services` of an integration names them.
pub fn aws_services() -> BTreeSet<String> {
    ambit_cloud::aws::lists().iter().map(|list| list.service.clone()).collect()
}

/// The places at which an operator may have somebody else asked: the names of the cloud providers beside AWS that are
/// known, and of the forges of code; `azure.login` is where tokens of a provider are given out.
pub fn cloud_places() -> impl Iterator<Item = String> {
    let known = ambit_cloud::provider::all().iter().chain(ambit_cloud::provider::forges());
    known.flat_map(|provider| {
        let login = provider.has_login().then(|| ask::cloud::login_of(provider));
        [provider.name.clone()].into_iter().chain(login)
    })
}

#[cfg(test)]
mod tests;
