//! Tests of the store through its own functions, each on both databases.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod account_deletion;
mod assignees;
mod crash;
mod feed;
mod file_search;
mod folder;
mod hunting;
mod imports;
mod integrations;
mod intervals;
mod invitations;
mod issues;
mod lab;
mod objects;
mod people;
mod quotas;
mod receivers;
mod records;
mod rescope;
mod retention;
mod retests;
mod reverted;
mod rights;
mod room;
mod schedules;
mod settings;
mod sightings;
mod tags_and_notes;
mod told;
mod transfer;
mod turns;
mod work;
