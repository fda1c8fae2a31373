//! What people see of collections: seeds, runs, records, and what they say about them; with the bytes and the change
//! feed behind it.

pub(crate) mod assignees;
pub(crate) mod blobs;
pub(crate) mod bulk;
pub(crate) mod collection_creation;
pub(crate) mod collection_settings;
pub(crate) mod collections;
pub(crate) mod contexts;
pub(crate) mod decisions;
pub(crate) mod entity_issues;
pub(crate) mod evidence;
pub(crate) mod feed;
pub(crate) mod index;
pub(crate) mod integrations;
pub(crate) mod items;
pub(crate) mod marks;
pub(crate) mod milestones;
pub(crate) mod notes;
pub(crate) mod rescope;
pub(crate) mod retests;
pub(crate) mod run_reports;
pub(crate) mod runs;
pub(crate) mod seeds;
pub(crate) mod tags;
pub(crate) mod turning;
pub(crate) mod uploads;
pub(crate) mod views;
