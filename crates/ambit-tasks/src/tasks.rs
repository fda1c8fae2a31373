//! The tasks, one file each: a constant that says what the task is, `plan` and `run`. The list below is the only place
//! where a new one is named.

pub(crate) mod announced_blocks;
pub(crate) mod app_links;
pub(crate) mod app_package;
pub(crate) mod app_store;
pub(crate) mod aws_account;
pub(crate) mod block_sweep;
pub(crate) mod bucket_probe;
pub(crate) mod campaigns;
pub(crate) mod certificate_log;
pub(crate) mod certificate_names;
pub(crate) mod cloud_account;
pub(crate) mod cloud_attribution;
pub(crate) mod code_account;
pub(crate) mod content_focus;
pub(crate) mod cors_probe;
pub(crate) mod crawl;
pub(crate) mod dangling;
pub(crate) mod delegations;
pub(crate) mod exposed_repository;
pub(crate) mod favicon;
pub(crate) mod front_page;
pub(crate) mod geolocation;
pub(crate) mod hidden_parameters;
pub(crate) mod http_enrich;
pub(crate) mod http_probe;
pub(crate) mod impersonation;
pub(crate) mod jarm;
pub(crate) mod level_sweep;
pub(crate) mod linked_hosts;
pub(crate) mod lookalikes;
pub(crate) mod mail_policy;
pub(crate) mod name_sources;
pub(crate) mod name_sweep;
pub(crate) mod network;
pub(crate) mod nsec_walk;
pub(crate) mod open_resolver;
pub(crate) mod permutations;
pub(crate) mod port_sweep;
pub(crate) mod posture;
pub(crate) mod product_paths;
pub(crate) mod ptr;
pub(crate) mod ptr_sweep;
pub(crate) mod redirect_probe;
pub(crate) mod referrals;
pub(crate) mod registered_networks;
pub(crate) mod registrable_domain;
pub(crate) mod registration;
pub(crate) mod repository;
pub(crate) mod resembling_domains;
pub(crate) mod resolve;
pub(crate) mod reverse_walk;
pub(crate) mod robots_sitemap_wellknown;
pub(crate) mod screenshot;
pub(crate) mod seed_host;
pub(crate) mod service_identify;
pub(crate) mod sister_domain;
pub(crate) mod site_pages;
pub(crate) mod soft404_profile;
pub(crate) mod suballocations;
pub(crate) mod subdomain;
pub(crate) mod suppliers;
pub(crate) mod takeover;
pub(crate) mod tls_grab;
pub(crate) mod udp_sweep;
pub(crate) mod wildcard_profile;
pub(crate) mod www_name;
pub(crate) mod zone_contact;
pub(crate) mod zone_profile;
pub(crate) mod zone_transfer;

use crate::Task;
use ambit_model::{SkippedTasks, TaskName, workflow};

/// Every task, in alphabetical order of name.
pub const ALL: &[&Task] = &[
    &announced_blocks::TASK,
    &app_links::TASK,
    &app_package::TASK,
    &app_store::TASK,
    &aws_account::TASK,
    &block_sweep::TASK,
    &bucket_probe::TASK,
    &campaigns::TASK,
    &certificate_log::TASK,
    &certificate_names::TASK,
    &cloud_account::TASK,
    &cloud_attribution::TASK,
    &code_account::TASK,
    &content_focus::TASK,
    &cors_probe::TASK,
    &crawl::TASK,
    &dangling::TASK,
    &delegations::TASK,
    &exposed_repository::TASK,
    &favicon::TASK,
    &front_page::TASK,
    &geolocation::TASK,
    &hidden_parameters::TASK,
    &http_enrich::TASK,
    &http_probe::TASK,
    &impersonation::TASK,
    &jarm::TASK,
    &level_sweep::TASK,
    &linked_hosts::TASK,
    &lookalikes::TASK,
    &mail_policy::TASK,
    &name_sources::TASK,
    &name_sweep::TASK,
    &network::TASK,
    &nsec_walk::TASK,
    &open_resolver::TASK,
    &permutations::TASK,
    &port_sweep::TASK,
    &posture::TASK,
    &product_paths::TASK,
    &ptr::TASK,
    &ptr_sweep::TASK,
    &redirect_probe::TASK,
    &referrals::TASK,
    &registered_networks::TASK,
    &registrable_domain::TASK,
    &registration::TASK,
    &repository::TASK,
    &resembling_domains::TASK,
    &resolve::TASK,
    &reverse_walk::TASK,
    &robots_sitemap_wellknown::TASK,
    &screenshot::TASK,
    &seed_host::TASK,
    &service_identify::TASK,
    &sister_domain::TASK,
    &site_pages::TASK,
    &soft404_profile::TASK,
    &suballocations::TASK,
    &subdomain::TASK,
    &suppliers::TASK,
    &takeover::TASK,
    &tls_grab::TASK,
    &udp_sweep::TASK,
    &wildcard_profile::TASK,
    &www_name::TASK,
    &zone_contact::TASK,
    &zone_profile::TASK,
    &zone_transfer::TASK,
];

/// Returns the task that is stored under this name; `None` for one that this version does not have.
pub fn find(name: &str) -> Option<&'static Task> {
    TaskName::from_name(name).map(task)
}

/// Returns the tasks that a workflow does not have. One that this version does not know has all.
pub fn outside(workflow: &str) -> SkippedTasks {
    let Some(workflow) = workflow::find(workflow) else { return SkippedTasks::default() };
    ALL.iter().filter(|task| !task.workflows.contains(&workflow)).map(|task| task.name).collect()
}

/// Returns the task of this name.
pub fn task(name: TaskName) -> &'static Task {
    let found = ALL.iter().copied().find(|task| task.name == name);
    found.expect("every name of a task is that of one in the list")
}
