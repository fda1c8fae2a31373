//! What the wider API keeps beside inventories: files, graphs, hunting, comments, and what calls cost.

pub(crate) mod analyses;
pub(crate) mod archives;
pub(crate) mod comments;
pub(crate) mod file_facts;
pub(crate) mod file_search;
pub(crate) mod file_type;
pub(crate) mod files;
pub(crate) mod graphs;
pub(crate) mod hunting_notifications;
pub(crate) mod hunting_rulesets;
pub(crate) mod object_collections;
pub(crate) mod objects;
pub(crate) mod operations;
pub(crate) mod packs;
pub(crate) mod quota;
pub(crate) mod retrohunt_jobs;
pub(crate) mod specimens;
pub(crate) mod spent_tokens;
pub(crate) mod submissions;
pub(crate) mod usage;
pub(crate) mod visibility;
