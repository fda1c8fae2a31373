//! The handlers, one file for each noun; the rows of `endpoints/` name them.

pub(crate) mod audit;
pub(crate) mod bulk;
pub(crate) mod changes;
pub(crate) mod collection_runs;
pub(crate) mod collections;
pub(crate) mod entities;
pub(crate) mod exports;
pub(crate) mod graphs;
pub(crate) mod integrations;
pub(crate) mod interface;
pub(crate) mod issues;
pub(crate) mod keys;
pub(crate) mod library;
pub(crate) mod notes;
pub(crate) mod open;
pub(crate) mod people;
pub(crate) mod projects;
pub(crate) mod run_events;
pub(crate) mod search;
pub(crate) mod seeds;
pub(crate) mod sessions;
pub(crate) mod tags;
pub(crate) mod time_series;
pub(crate) mod users;
pub(crate) mod v2;
pub(crate) mod wider;
