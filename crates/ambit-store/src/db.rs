//! One way to two databases: opening, statements, the writing task, the schema, the data folder and its secret.

pub(crate) mod error;
pub(crate) mod failpoint;
#[cfg(debug_assertions)]
mod faults;
pub(crate) mod folder;
pub(crate) mod migrations;
pub(crate) mod open;
mod plan;
pub(crate) mod rows;
pub(crate) mod secret;
pub(crate) mod sql;
pub(crate) mod store;
pub(crate) mod writer;
