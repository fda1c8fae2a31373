//! The wider API (docs/contract/wider.md §1): objects in an envelope of their own, collections with cursors.

pub(crate) mod absent;
pub(crate) mod accounts;
pub(crate) mod archives;
pub(crate) mod comments;
pub(crate) mod feeds;
pub(crate) mod files;
pub(crate) mod graph_lists;
pub(crate) mod graphs;
pub(crate) mod groups;
pub(crate) mod hunting_notifications;
pub(crate) mod hunting_rulesets;
pub(crate) mod intelligence;
pub(crate) mod metadata;
pub(crate) mod misp_events;
pub(crate) mod object_collections;
pub(crate) mod objects;
pub(crate) mod operations;
pub(crate) mod quotas;
pub(crate) mod retrohunt_jobs;
pub(crate) mod search;
pub(crate) mod votes;
