//! What callers see of records: the record that a path or a body names, if the caller may see it, and its JSON; one
//! file for each noun. Handlers, rights and prices ask here, so that no handler needs another.

pub(crate) mod account_relationships;
pub(crate) mod accounts;
pub(crate) mod analyses;
pub(crate) mod certificates;
pub(crate) mod collaborators;
pub(crate) mod comments;
pub(crate) mod entities;
pub(crate) mod evidence;
pub(crate) mod exports;
pub(crate) mod facts;
pub(crate) mod file_types;
pub(crate) mod files;
pub(crate) mod graphs;
pub(crate) mod groups;
pub(crate) mod hunting_rulesets;
pub(crate) mod issues;
pub(crate) mod items;
pub(crate) mod judged;
pub(crate) mod linked;
pub(crate) mod object_collections;
pub(crate) mod object_search;
pub(crate) mod objects;
pub(crate) mod operations;
pub(crate) mod projects;
pub(crate) mod registration_text;
pub(crate) mod registrations;
pub(crate) mod relationships;
pub(crate) mod runs;
pub(crate) mod votes;
