//! The server as its callers see it: every row of the table, every scenario, and requests that no good client sends.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

mod addresses;
mod archives;
mod charges;
mod contract;
mod door;
mod events;
mod feeds;
mod full_disk;
mod graph_access;
mod graph_walks;
mod hostile;
mod intelligence;
mod interface;
mod key_scopes;
mod limits;
mod marks;
mod matrix;
mod metrics;
mod objects;
mod odd;
mod oidc;
mod receivers;
mod refusals;
mod scenarios;
mod searches;
mod sessions;
mod spellings;
mod suspended;
mod targets;
mod tls;
mod uploads;
mod visibility;
mod walk;
