//! Discovery tasks: one file each, each a constant and a function (design §6). A task sees facts and the guarded network, and says what it
//! found; source, time, depth, dedupe and history come from the engine. The list below is the only place where a new task is named.

mod context;
mod settings;
mod task;

mod bindings;
mod blocks;
mod bootstrap;
mod buckets;
mod default_certificate;
mod default_pages;
mod delegation;
mod dialogue;
mod exposures;
mod fingerprint;
mod greeting;
mod guess;
mod host;
mod identify;
mod library;
mod normal;
mod page;
mod providers;
mod rdap;
mod spf;
mod takeovers;
mod technology;
mod together;
mod tokens;
mod volumes;
mod web;
mod whois;

pub use context::Context;
pub use library::fingerprints;
pub use settings::Settings;
pub use task::{Answer, Contacts, Plan, STAGES, Task, TaskError};
pub use volumes::volumes;

mod block_sweep;
mod bucket_probe;
mod certificate_log;
mod certificate_names;
mod cloud_attribution;
mod content_focus;
mod cors_probe;
mod dangling;
mod favicon;
mod geolocation;
mod http_enrich;
mod http_probe;
mod linked_hosts;
mod lookalikes;
mod mail_policy;
mod name_sweep;
mod network;
mod nsec_walk;
mod open_resolver;
mod permutations;
mod port_oracle;
mod port_sweep;
mod ptr;
mod ptr_sweep;
mod registrable_domain;
mod registration;
mod resolve;
mod reverse_walk;
mod robots_sitemap_wellknown;
mod seed_host;
mod service_identify;
mod soft404_profile;
mod suballocations;
mod subdomain;
mod takeover;
mod tls_grab;
mod wildcard_profile;
mod zone_profile;
mod zone_transfer;

/// Every task, in alphabetical order of name.
pub const ALL: &[&Task] = &[
    &block_sweep::TASK,
    &bucket_probe::TASK,
    &certificate_log::TASK,
    &certificate_names::TASK,
    &cloud_attribution::TASK,
    &content_focus::TASK,
    &cors_probe::TASK,
    &dangling::TASK,
    &favicon::TASK,
    &geolocation::TASK,
    &http_enrich::TASK,
    &http_probe::TASK,
    &linked_hosts::TASK,
    &lookalikes::TASK,
    &mail_policy::TASK,
    &name_sweep::TASK,
    &network::TASK,
    &nsec_walk::TASK,
    &open_resolver::TASK,
    &permutations::TASK,
    &port_oracle::TASK,
    &port_sweep::TASK,
    &ptr::TASK,
    &ptr_sweep::TASK,
    &registrable_domain::TASK,
    &registration::TASK,
    &resolve::TASK,
    &reverse_walk::TASK,
    &robots_sitemap_wellknown::TASK,
    &seed_host::TASK,
    &service_identify::TASK,
    &soft404_profile::TASK,
    &suballocations::TASK,
    &subdomain::TASK,
    &takeover::TASK,
    &tls_grab::TASK,
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
